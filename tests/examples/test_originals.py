"""Pages with simulated data name the published table, and their lines read it."""

import re
import textwrap
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from statlearn.rules import BinarizeDataset

EXAMPLES = Path(__file__).parents[2] / "examples"
BONE = "idnum\tage\tgender\tspnbmd\n1\t11.7\tmale\t.018\n1\t12.7\tmale\t.06\n2\t13.2\tfemale\t.01\n"
OZONE = (
    "ozone,vh,wind,humidity,temp,ibh,dpg,ibt,vis,doy\n3,5710,4,28,40,2693,-25,87,250,3\n5,5700,3,37,45,590,-40,9,9,4\n"
)
SURVEY = "9 2 1 5 4 5 5 3 3 0 1 1 7 NA\n9 1 1 5 5 5 5 3 5 2 1 1 7 1\n1 2 5 2 3 8 5 1 2 1 3 3 7 1\n"


def reading_lines(script):
    """The last literal block of a page, the lines that read the published table."""
    blocks = re.findall(r"::\n#\n((?:#     .*\n)+)", (EXAMPLES / script).read_text())
    return textwrap.dedent(re.sub(r"(?m)^#", "", blocks[-1]))


def housing(*, return_X_y, as_frame, download_if_missing):
    assert return_X_y
    assert as_frame
    assert not download_if_missing  # a page does not download by itself
    return pd.DataFrame({"MedInc": [8.3, 7.2]}), pd.Series([4.5, 3.6])


def newsgroups(*, categories, download_if_missing):
    assert not download_if_missing
    names = sorted(categories)
    return SimpleNamespace(data=["a text", "another"], target=np.array([1, 0]), target_names=names)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Function that runs the reading lines of a page beside small files in the format of the published ones."""
    (tmp_path / "bone.data").write_text(BONE)
    (tmp_path / "LAozone.data").write_text(OZONE)
    (tmp_path / "marketing.data").write_text(SURVEY)
    (tmp_path / "khan.xtrain").write_text("0.77 -0.08 -0.08\n-2.43 -2.41 -1.65\n")  # genes in rows
    (tmp_path / "khan.ytrain").write_text("2 2 4\n")
    np.save(tmp_path / "outlines.npy", np.zeros((3, 5, 2)))
    monkeypatch.chdir(tmp_path)

    def run(script):
        scope = {"np": np, "pd": pd, "BinarizeDataset": BinarizeDataset}
        scope |= {"fetch_california_housing": housing, "fetch_20newsgroups": newsgroups}
        exec(reading_lines(script), scope)
        return scope

    return run


@pytest.mark.spec("CRS-163")
def test_published_tables_are_read_in_the_form_of_the_simulation(read):
    groups = read("smooth/plot_two_groups.py")["groups"]
    assert {sex: values.tolist() for sex, values in groups.items()} == {
        "female": [[13.2], [0.01]],
        "male": [[11.7, 12.7], [0.018, 0.06]],
    }
    page = read("smooth/plot_smoother_matrix.py")
    assert (page["gradient"].tolist(), page["ozone"].tolist()) == ([-40, -25], [5, 3])
    page = read("discriminant/plot_many_genes.py")
    assert page["X"].shape == (3, 2)
    assert page["y"].tolist() == [2, 2, 4]
    assert read("ensemble/plot_partial_dependence.py")["X"].shape == (2, 1)
    assert read("decomposition/plot_procrustes.py")["shapes"].shape == (3, 5, 2)
    page = read("rules/plot_rules.py")
    assert page["table"].shape == (2, 14)  # without the row with a missing answer
    assert len(page["binarizer"].items_) > 14
    for script, labels in (("bayes/plot_documents.py", "topic"), ("decomposition/plot_lsa_topics.py", "labels")):
        page = read(script)
        assert page["texts"] == ["a text", "another"]
        assert len(set(page[labels])) == 2
