"""What the pages of the guide must contain."""

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from statlearn import ensemble, trees
from tests.helpers import assert_close

DOCS = Path(__file__).parents[2] / "docs"


def text_of(page):
    return " ".join((DOCS / f"{page}.rst").read_text(encoding="utf-8").split())


@pytest.mark.spec("CRS-172")
def test_the_boosting_page_shows_the_steps_of_adaboost_and_a_table_of_losses():
    text = text_of("ensemble/boosting")
    for word in (
        "Forward stagewise",
        "e^{-yF}",
        "e_t",
        r"\alpha_t",
        r"\prod_t Z_t",
        "LS-Boost",
        "LAD-Boost",
        "value of a leaf",
    ):
        assert word.lower() in text.lower(), word
    errors = np.array([0.3, 3 / 14, 2 / 11])
    boosted = ensemble.AdaBoostClassifier(n_estimators=3).fit(
        np.arange(10.0)[:, None], [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]
    )
    assert_close(boosted.diagnostics_["error"], errors)
    assert_close(boosted.diagnostics_["alpha"], np.log((1 - errors) / errors) / 2)


@pytest.mark.spec("CRS-173")
@pytest.mark.parametrize("cls", [ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor])
def test_gradient_boosting_displays_its_formulas(cls):
    for formula in (r"f_m = f_{m-1} + \nu T_m", r"-\frac{G}{H + \lambda}", r"- \gamma"):
        assert formula in cls.__doc__
        assert formula in text_of("ensemble/boosting")
    for word in ("XGBoost", "LightGBM", "GOSS", "EFB", "max_conflict_rate"):
        assert word in text_of("ensemble/boosting")


@pytest.mark.spec("CRS-174")
def test_the_page_of_several_classes_has_the_three_ways_and_their_picture():
    text = text_of("linear/more_than_two_classes")
    for word in ("Softmax", "one-vs-all", "One against one", "reference class", "plot_three_classes"):
        assert word in text, word


@pytest.mark.spec("CRS-175")
def test_the_table_of_tree_algorithms_names_every_algorithm_and_class():
    text = (DOCS / "trees" / "algorithms.rst").read_text(encoding="utf-8")
    rows = re.findall(r"    \* - (.+)\n((?:      - .+\n)+)", text)
    algorithms = {name: cells.strip().splitlines() for name, cells in rows}
    assert set(algorithms) == {"algorithm", "Hunt", "ID3", "C4.5", "C5.0", "CART"}
    assert {len(cells) for cells in algorithms.values()} == {7}
    for name in re.findall(r":class:`(\w+)`", text):
        assert name in trees.__all__


@pytest.mark.spec("CRS-176")
def test_the_page_of_conventions_covers_what_books_define_differently():
    text = text_of("conventions")
    for word in ("n - p", "n_k", "nats", "bits", "C = 1/λ", "1/‖w‖", "2/‖w‖", "≥", "labels", "sign of 0"):
        assert word in text, word


@pytest.mark.spec("CRS-107", "CRS-104")
def test_programs_of_the_courses_lead_to_our_names():
    text = (DOCS / "getting_started.rst").read_text(encoding="utf-8")
    table = text.split("Coming from other programs")[1].split("\nThreads")[0]
    for program in ("Progol", "LISp-Miner", "tsfresh", "mlxtend", "pgmpy", "skopt", "prinPy"):
        (row,) = [line for line in table.splitlines() if program in line]
        names = re.findall(r"~statlearn\.(\w+)\.(\w+)`", row)
        assert names, program
        for family, name in names:
            assert hasattr(importlib.import_module(f"statlearn.{family}"), name), name
    assert "extract_features" in (DOCS / "prep" / "series.rst").read_text(encoding="utf-8")
