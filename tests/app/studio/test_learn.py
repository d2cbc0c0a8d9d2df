"""Learn: twelve demonstrations that answer for every place of their dials, and agree with plain formulas."""

import itertools
import re

import numpy as np
import pytest

from statlearn.app.studio.demos import DEMOS
from statlearn.app.studio.demos.fits import _line_data
from statlearn.app.studio.demos.groups import _clouds

NAMES = list(DEMOS)


def facts(name, **given):
    demo = DEMOS[name]
    return dict(demo.picture(demo.values({k: str(v) for k, v in given.items()})).facts)


def read(text):
    return float(text.replace("−", "-").replace(",", ""))


def test_the_gallery_has_twelve_demonstrations(client):
    text = client.get("/learn")
    assert len(NAMES) == 12
    assert all(f"name={name}" in text for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_every_demonstration_has_its_objective_dials_and_picture(client, name):
    text, demo = client.get("/learn/demo", name=name), DEMOS[name]
    assert text.count('type="range"') == len(demo.dials)
    assert "<svg" in text
    assert demo.uses in text
    assert len(client.get("/learn/picture", name=name).encode()) < 100_000


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("end", ["low", "high"])
def test_the_ends_of_the_dials_have_pictures(name, end):
    demo = DEMOS[name]
    shown = demo.picture(demo.values({dial.name: str(getattr(dial, end)) for dial in demo.dials}))
    assert "nan" not in shown.plot.svg(shown.title).lower().replace("nanometre", "")
    assert all(value and "nan" not in value for _, value in shown.facts)


@pytest.mark.parametrize("text", ["", "x", "1e999", "-1e999", "nan", "1e9"])
@pytest.mark.parametrize("name", ["least-squares", "k-means", "gaussian-process"])
def test_wrong_settings_fall_back(client, name, text):
    dials = {dial.name: text for dial in DEMOS[name].dials}
    assert "<svg" in client.get("/learn/picture", name=name, **dials, px=text, py=text)


@pytest.mark.parametrize("name", ["", "x", "../x"])
def test_unknown_demonstrations_are_refused(client, name):
    assert client.ask("GET", "/learn/demo", params={"name": name}).status_code == 400
    assert client.ask("GET", "/learn/picture", params={"name": name}).status_code == 400


def test_the_dragged_point_moves_the_line_as_the_normal_equations_say():
    x, y = _line_data()
    x, y = np.r_[x, 14.0], np.r_[y, -2.0]
    slope, intercept = np.polyfit(x, y, 1)
    shown = facts("least-squares", px=14, py=-2)
    assert read(shown["slope"]) == pytest.approx(slope, rel=1e-3)
    assert read(shown["intercept"]) == pytest.approx(intercept, rel=1e-3)


def test_a_larger_penalty_leaves_fewer_columns():
    counts = [int(facts("lasso-path", alpha=a)["columns in the model"]) for a in (-2.5, -1, 0, 0.5)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 8


def test_bias_falls_and_variance_rises_with_the_degree():
    few, many = facts("bias-variance", degree=1), facts("bias-variance", degree=10)
    assert read(few["bias²"]) > read(many["bias²"])
    assert read(few["variance"]) < read(many["variance"])


def test_steps_of_k_means_follow_lloyd_and_never_rise():
    found = [read(facts("k-means", steps=s, k=3, seed=4)["within sum of squares"]) for s in range(6)]
    assert all(b <= a + 1e-9 for a, b in itertools.pairwise(found))
    X = _clouds()
    centres = X[np.random.default_rng(4).choice(len(X), 3, replace=False)]
    for _ in range(5):
        labels = ((X[:, None] - centres) ** 2).sum(-1).argmin(1)
        centres = np.array([X[labels == j].mean(0) for j in range(3)])
    within = ((X[:, None] - centres) ** 2).sum(-1).min(1).sum()
    assert found[5] == pytest.approx(within, rel=1e-3)


def test_the_likelihood_never_falls_in_em():
    found = [read(facts("em", steps=s)["log-likelihood"]) for s in (0, 1, 2, 5, 10, 40)]
    assert found == sorted(found)


def test_a_larger_c_has_a_narrower_margin():
    widths = [read(facts("support-vectors", C=c)["width of the margin"]) for c in (-2, 0, 2)]
    assert widths == sorted(widths, reverse=True)


def test_more_rounds_fit_the_points_better_and_new_points_worse_in_the_end():
    few, many = (facts("boosting", rounds=n, rate=0.2, depth=2) for n in (20, 300))
    assert read(many["error on the points"]) < read(few["error on the points"])
    assert read(many["error on new points"]) > read(few["error on new points"])


def test_pruning_takes_leaves_back():
    leaves = [int(facts("tree", alpha=a)["leaves after pruning"]) for a in (-4, -1.5, 0)]
    assert leaves == sorted(leaves, reverse=True)
    assert leaves[-1] < leaves[0] == 30


def test_separated_clouds_bring_the_perceptron_to_rest():
    counts = [int(facts("perceptron", steps=s, gap=2.0)["corrections"]) for s in (60, 120, 180)]
    assert counts[1] == counts[2]


def test_one_neighbour_makes_no_error_on_its_own_points():
    assert facts("neighbours", k=1)["errors on the points"] == "0.0 %"


def test_the_optimiser_comes_close_to_the_smallest_value():
    shown = facts("bayesian-optimisation", steps=14)
    assert read(shown["best value"]) <= read(shown["smallest possible"]) + 0.02


def test_a_point_closes_the_band_around_it():
    demo = DEMOS["gaussian-process"]
    far, near = (
        re.findall(r'class="band s1" d="([^"]*)"', demo.picture(demo.values({"px": px})).plot.svg("x"))
        for px in (9.9, 4.4)
    )
    assert far != near
