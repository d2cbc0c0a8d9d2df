"""StepwiseLogistic against the catalog, R's step, and brute force."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from statlearn._core.warnings import SeparationWarning
from statlearn.linear import LogisticRegression, StepwiseLogistic
from tests.helpers import assert_close
from tests.linear.saheart import NAMES, load_saheart


@pytest.mark.spec("LIN-43", "LIN-T16")
def test_backward_elimination_on_heart_disease():
    X, y = load_saheart()
    model = StepwiseLogistic("p", direction="backward", p_remove=0.05).fit(X, y)
    kept = [name for name, inside in zip(NAMES, model.support_) if inside]
    assert kept == ["tobacco", "ldl", "famhist", "age"]
    assert model.steps_.rows == ["", "- x5", "- x0", "- x4"]  # alcohol, sbp, obesity
    assert_close(model.intercept_, -4.2043, rtol=0, atol=5e-5)
    assert_close(model.coef_[0, model.support_], [0.0807, 0.1676, 0.9241, 0.0440], rtol=0, atol=5e-5)
    assert not model.coef_[0, ~model.support_].any()
    assert_close(model.log_likelihood_, -242.7219, rtol=0, atol=5e-5)
    s = LogisticRegression(C=np.inf, tol=1e-9).fit(X[:, model.support_], y).summary()
    assert_close(s["std_error"], [0.4983, 0.0255, 0.0542, 0.2232, 0.0097], rtol=0, atol=5e-5)
    assert_close(s["z"][0], -8.436, rtol=0, atol=5e-3)


@pytest.mark.spec("LIN-43")
@pytest.mark.parametrize(
    "direction, start", [("backward", "auto"), ("both", "full"), ("both", "auto"), ("forward", "auto")]
)
def test_aic_steps_agree_with_r(direction, start):
    X, y = load_saheart()
    model = StepwiseLogistic("aic", direction=direction, start=start).fit(X, y)
    # R 4.2.2: step(glm(chd ~ sbp + tobacco + ldl + famhist + obesity + alcohol + age, binomial))
    assert [name for name, inside in zip(NAMES, model.support_) if inside] == ["tobacco", "ldl", "famhist", "age"]
    assert_close(model.criterion_value_, 495.443861, rtol=1e-8)
    if start == "full":
        # drop1(full): AIC of each single deletion
        r = {"sbp": 498.22322, "tobacco": 507.05366, "ldl": 508.09371, "famhist": 514.88507, "obesity": 498.60919,
             "alcohol": 497.19254, "age": 515.51378}  # fmt: skip
        table = model.candidates_[0]
        found = {NAMES[int(label[3:])]: value for label, value in zip(table.rows, table.columns["aic"])}
        assert found.keys() == r.keys()
        for name, value in r.items():
            assert_close(found[name], value, rtol=1e-7)


@pytest.mark.spec("LIN-43")
@pytest.mark.parametrize("criterion", ["aic", "bic"])
@pytest.mark.parametrize("K", [2, 3])
def test_steps_lower_the_criterion_and_forward_takes_the_best_first_column(rng, criterion, K):
    X = rng.normal(size=(200, 4))
    y = (X[:, :K] + rng.gumbel(size=(200, K))).argmax(axis=1)
    model = StepwiseLogistic(criterion, direction="forward").fit(X, y)
    values = model.steps_.columns[criterion]
    assert np.all(np.diff(values) < 0)
    assert_close(values[-1], model.criterion_value_)

    def value(columns):
        fit = LogisticRegression(C=np.inf, tol=1e-10).fit(X[:, columns], y)
        return fit.summary().facts[criterion]

    singles = [value([j]) for j in range(4)]
    assert model.order_[0] == int(np.argmin(singles))
    assert_close(values[1], min(singles))
    best = min(value(list(c)) for k in range(1, 5) for c in combinations(range(4), k))
    assert model.criterion_value_ >= best - 1e-6
    assert_close(model.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.spec("LIN-43")
def test_forward_by_p_value_enters_significant_columns_only(rng):
    X = rng.normal(size=(300, 5))
    y = (X[:, 2] + rng.logistic(size=300) > 0).astype(int)
    model = StepwiseLogistic("p", direction="forward", p_enter=0.001).fit(X, y)
    assert model.support_.tolist() == [False, False, True, False, False]
    both = StepwiseLogistic("p", direction="both", p_enter=0.001, p_remove=0.01).fit(X, y)
    np.testing.assert_array_equal(both.support_, model.support_)


def test_nothing_to_find_leaves_the_intercept(rng):
    X = rng.normal(size=(60, 3))
    y = np.arange(60) % 3
    model = StepwiseLogistic("bic", direction="forward").fit(X, y, sample_weight=np.where(y == 0, 2.0, 1.0))
    assert not model.support_.any()
    assert_close(model.predict_proba(X[:1])[0], [0.5, 0.25, 0.25])


def test_weights_are_copies(rng):
    X = rng.normal(size=(80, 3))
    y = (X[:, 0] + 2 * rng.logistic(size=80) > 0).astype(int)
    weights = rng.integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weights)
    a = StepwiseLogistic("bic").fit(X, y, sample_weight=weights)
    b = StepwiseLogistic("bic").fit(X[rows], y[rows])
    np.testing.assert_array_equal(a.support_, b.support_)
    assert_close(a.criterion_value_, b.criterion_value_)


def test_no_summary_after_selection(rng):
    X = rng.normal(size=(60, 2))
    model = StepwiseLogistic().fit(X, np.arange(60) % 2)
    with pytest.raises(ValueError, match="selected using the same response"):
        model.summary()


def test_circular_p_values_are_refused(rng):
    with pytest.raises(ValueError, match="p_enter"):
        StepwiseLogistic("p", p_enter=0.2, p_remove=0.1).fit(rng.normal(size=(20, 2)), np.arange(20) % 2)


def test_separation_is_reported_with_the_names_of_the_table(rng):
    import pandas as pd

    x = rng.normal(size=40)
    table = pd.DataFrame({"noise": rng.normal(size=40), "perfect": x})
    with pytest.warns(SeparationWarning, match=r"\(perfect\)"):
        model = StepwiseLogistic(direction="forward").fit(table, (x > 0).astype(int))
    assert np.all(np.isfinite(model.coef_))


def test_classes_of_weight_zero_are_absent(rng):
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    model = StepwiseLogistic().fit(X, y, sample_weight=(y != 1).astype(float))
    np.testing.assert_array_equal(model.classes_, [0, 2])
    assert np.isfinite(model.predict_proba(X)).all()
    with pytest.raises(ValueError, match="only one class: 2"):
        StepwiseLogistic().fit(X, y, sample_weight=(y == 2).astype(float))


def test_steps_that_cycle_end(monkeypatch, rng):
    def there_and_back(self, current, names):
        return [("", 0, self._candidate([] if current.columns else [0], current), True, 0.0)]

    X = rng.normal(size=(20, 2))
    monkeypatch.setattr(StepwiseLogistic, "_moves", there_and_back)
    assert StepwiseLogistic(max_steps=2**31).fit(X, rng.integers(0, 2, 20)).n_iter_ == 2


@pytest.mark.spec("CRS-60")
def test_the_refit_has_the_printed_table_under_a_caveat():
    X, y = load_saheart()
    table = pd.DataFrame(X, columns=NAMES)
    model = StepwiseLogistic("p", direction="backward", p_remove=0.05).fit(table, y)
    summary = model.refit().summary()
    assert summary.title == "Logistic regression, conditional on the selection; standard errors too small"
    assert summary.table.rows == ["(Intercept)", "tobacco", "ldl", "famhist", "age"]
    assert_close(summary["estimate"], [-4.204, 0.081, 0.168, 0.924, 0.044], rtol=0, atol=5e-4)
    assert_close(summary["std_error"], [0.498, 0.026, 0.054, 0.223, 0.010], rtol=0, atol=6e-4)
    assert_close(summary["z"][1:], [3.16, 3.09, 4.14, 4.52], rtol=0, atol=6e-3)
    assert_close(summary["z"][0], -8.45, rtol=0, atol=0.02)  # the printed quotient of rounded numbers
    fresh = model.refit().fit(X[:, model.support_], y)  # a fit of its own has no caveat
    assert fresh.summary().title == "Logistic regression"
    assert_close(model.refit().coef_[0], model.coef_[0, model.support_])
    bare = StepwiseLogistic("p", direction="backward", p_remove=0.05).fit(X, y).refit()
    assert bare.summary().table.rows == ["(Intercept)", "x1", "x2", "x3", "x6"], "numbers of the whole table"
    assert bare.fit(X[:, model.support_], y).summary().table.rows == ["(Intercept)", "x0", "x1", "x2", "x3"]
    with pytest.raises(ValueError, match="has no summary"):
        model.summary()


@pytest.mark.spec("CRS-60")
def test_nothing_chosen_is_nothing_to_refit(rng):
    X, y = rng.normal(size=(40, 2)), np.tile([0, 1], 20)
    model = StepwiseLogistic("p", p_enter=1e-9, direction="forward").fit(X, y)
    with pytest.raises(ValueError, match="No column was chosen"):
        model.refit()
