"""Any functions as features."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_circles

from statlearn.linear import LinearRegression, LogisticRegression, Ridge
from statlearn.smooth import BasisExpansion, BasisRegressor, SplineTransformer
from tests.helpers import assert_close


@pytest.mark.spec("SMT-01")
def test_named_bases():
    X = np.array([[1.0, 4.0], [9.0, 16.0]])
    bases = ["identity", "log", "sqrt", "norm", ("power", 3), ("intervals", [5.0]), lambda X: X[:, 0] * X[:, 1]]
    made = BasisExpansion(bases).fit(X)
    H = made.transform(X)
    expected = [1, 4, 0, np.log(4), 1, 2, np.sqrt(17), 1, 64, 1, 0, 1, 0, 4]
    assert_close(H[0], expected)
    names = made.get_feature_names_out(["a", "b"]).tolist()
    assert names[:9] == ["a", "b", "log(a)", "log(b)", "sqrt(a)", "sqrt(b)", "norm", "a^3", "b^3"]
    assert names[9:] == ["a[-inf,5)", "a[5,inf)", "b[-inf,5)", "b[5,inf)", "lambda_6"]
    assert made.n_features_out_ == H.shape[1] == len(names)


@pytest.mark.spec("SMT-01")
def test_quadratic_map_has_twice_the_products():
    H = BasisExpansion(["quadratic"]).fit_transform([[2.0, 3.0, 5.0]])
    assert_close(H, [[2, 3, 5, 4, 9, 25, 12, 20, 30]])


@pytest.mark.spec("SMT-01")
def test_regressor_is_the_model_on_the_features(rng):
    X = rng.uniform(0.1, 1, size=(50, 2))
    y = np.log(X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=50)
    bases = ["log", "quadratic"]
    H = BasisExpansion(bases).fit_transform(X)
    for word, model in (("ols", LinearRegression()), ("ridge", Ridge())):
        joint = BasisRegressor(bases, model=word).fit(X, y)
        assert_close(joint.predict(X), model.fit(H, y).predict(H))
        assert_close(joint.coef_, model.coef_)
    table = BasisRegressor(["log"]).fit(pd.DataFrame(X, columns=["a", "b"]), y).summary()
    assert table.table.rows == ["(Intercept)", "log(a)", "log(b)"]


@pytest.mark.spec("SMT-01")
def test_logistic_on_squares_finds_a_circle():
    X, y = make_circles(200, noise=0.15, factor=0.5, random_state=0)
    model = BasisRegressor(["quadratic"], model="logistic").fit(X, y)
    H = BasisExpansion(["quadratic"]).fit_transform(X)
    assert_close(model.predict_proba(X), LogisticRegression(C=np.inf).fit(H, y).predict_proba(H), atol=1e-6)
    assert model.score(X, y) > 0.85
    assert set(model.predict(X)) == {0, 1}


def test_transformers_take_part_in_both(rng):
    X, y = rng.uniform(size=(40, 2)), rng.normal(size=40)
    spline = SplineTransformer(df=4, basis="natural", include_bias=False)
    joint = BasisRegressor(spline).fit(X, y)
    H = spline.fit_transform(X)
    assert_close(joint.predict(X), LinearRegression().fit(H, y).predict(H))
    mixed = BasisExpansion(["norm", spline]).fit(X)
    assert mixed.n_features_out_ == 9


@pytest.mark.parametrize(
    "bases, X, words",
    [
        (["cube"], [[1.0]], "cube"),
        ([], [[1.0]], "empty"),
        (["log"], [[0.0]], "positive"),
        (["sqrt"], [[-1.0]], "non-negative"),
        ([lambda X: 3.0], [[1.0], [2.0]], "each row"),
    ],
)
def test_bad_bases_raise(bases, X, words):
    with pytest.raises(ValueError, match=words):
        BasisExpansion(bases).fit(X)


def test_a_model_without_a_summary_raises(rng):
    from sklearn.tree import DecisionTreeRegressor

    model = BasisRegressor(model=DecisionTreeRegressor()).fit(rng.normal(size=(9, 1)), np.arange(9.0))
    with pytest.raises(ValueError, match="no summary"):
        model.summary()
