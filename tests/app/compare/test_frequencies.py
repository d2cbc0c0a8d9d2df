"""A column of frequencies."""

import numpy as np
import pandas as pd
import pytest

from statlearn.app.compare.run import compare
from statlearn.app.errors import DataError, UsageError

from ..cli.test_commands import run


def counts(seed=0):
    """A table of counts, as of a survey: 24 rows for 200 people."""
    rng = np.random.default_rng(seed)
    people = pd.DataFrame({"sex": rng.choice(["m", "f"], size=200), "age": rng.choice([20, 40, 60], size=200)})
    p = 1 / (1 + np.exp(-(people["age"] / 20 - 2 + (people["sex"] == "f"))))
    people["paid"] = np.where(rng.random(200) < p, "yes", "no")
    return people.value_counts().rename("Freq").reset_index(), people


def test_each_row_counts_as_often_as_its_frequency():
    table, _ = counts()
    repeated = table.loc[np.repeat(table.index, table["Freq"])].drop(columns="Freq").reset_index(drop=True)
    weighted = compare(table, "paid", weights="Freq", models=["logistic-l2"], folds=3)
    plain = compare(repeated, "paid", models=["logistic-l2"], folds=3)
    assert weighted.level("logistic-l2") == plain.level("logistic-l2")
    assert len(weighted.y_true) + len(weighted.y_holdout) == 200
    assert weighted.profile.n_rows == 200
    assert weighted.settings["weights"] == "Freq"
    assert "Freq" not in weighted.model_for_use().columns
    assert f"Each of the {len(table)} rows counts as often as 'Freq' says: 200 rows in all." in weighted.profile.notes
    assert not {"COPIES", "DUPLICATES"} & {finding.code for finding in weighted.findings}


def test_frequencies_may_be_values_and_zero():
    table, _ = counts()
    table.loc[0, "Freq"] = 0
    named = compare(table, "paid", weights="Freq", models=["logistic-l2"], folds=3)
    given = compare(
        table.drop(columns="Freq"), table["paid"].to_numpy(), weights=table["Freq"].to_numpy(), drop=["paid"],
        models=["logistic-l2"], folds=3,
    )  # fmt: skip
    assert given.level("logistic-l2") == named.level("logistic-l2")
    assert given.settings["weights"] == "values given"


@pytest.mark.parametrize(
    "change, words, error",
    [
        ({"weights": "Fraq"}, "unknown column 'Fraq'; did you mean 'Freq'", UsageError),
        ({"weights": "sex"}, "'sex' must contain whole numbers of at least 0, got '[mf]'", DataError),
        ({"weights": "paid"}, "'paid' is the target", UsageError),
        ({"values": -1}, "got -1 in row 3", DataError),
        ({"values": 0.5}, "got 0.5 in row 3", DataError),
        ({"values": np.nan}, "got a missing value in row 3", DataError),
        ({"values": 1e9}, "at most 5,000,000 are supported", DataError),
        ({"weights": np.ones(3)}, "must have one value per row", UsageError),
        ({"weights": np.zeros(12)}, "all frequencies are 0", DataError),
    ],
)
def test_weights_that_are_no_frequencies_are_refused(change, words, error, tmp_path):
    table, _ = counts()
    table = table.head(12)
    if "values" in change:
        table["Freq"] = table["Freq"].astype(float)
        table.loc[3, "Freq"] = change["values"]
    with pytest.raises(error, match=words):
        compare(table, "paid", weights=change.get("weights", "Freq"), models=["logistic-l2"], out=tmp_path / "out")
    assert not (tmp_path / "out" / "report.html").exists()


def test_the_command_takes_a_column_of_frequencies(tmp_path):
    table, _ = counts()
    table.to_csv(tmp_path / "t.csv", index=False)
    out = tmp_path / "out"
    asked = ["compare", tmp_path / "t.csv", "-t", "paid", "-m", "logistic-l2", "--folds", 3, "--quick", "-o", out]
    found = run(*asked, "--weights", "Freq")
    assert found.exit_code == 0, found.output
    assert "200 rows in all" in found.output
    wrong = run(*asked[:-1], tmp_path / "none", "--weights", "sex")
    assert wrong.exit_code == 1
    assert "--weights: 'sex' must contain whole numbers" in wrong.output
    assert not (tmp_path / "none" / "report.html").exists()
