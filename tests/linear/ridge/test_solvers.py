"""The solvers behind ridge regression: which system is solved, conjugate gradients, pivoting, merged blocks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import statlearn.linear.ridge._solvers as module
from statlearn.linear import Ridge
from tests.helpers import assert_close

CARCASS_X = np.column_stack([[17, 17, 14, 17, 14, 20], [51, 49, 38, 58, 51, 40]]).astype(float)
CARCASS_Y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
ITERATIVE = ["lsqr", "sparse_cg", "sag", "saga"]


def problem(rng, n=30, p=6):
    X = rng.normal(size=(n, p)) + 2.0
    return X, X @ rng.normal(size=p) + rng.normal(size=n) + 5.0


@pytest.mark.spec("LIN-P37")
def test_the_smaller_system_is_factorised(rng, monkeypatch):
    """Operation count behind 'dual for p >> n, primal for n >> p': the order of the factorised matrix."""
    orders = []
    original = module._factorise

    def counted(S, penalty):
        orders.append(S.shape[0])
        return original(S, penalty)

    monkeypatch.setattr(module, "_factorise", counted)
    for n, p in [(200, 5), (5, 200), (40, 40)]:
        X, y = rng.normal(size=(n, p)), rng.normal(size=n)
        orders.clear()
        Ridge().fit(X, y)
        assert orders == [min(n, p)]
        Ridge(solver="dual").fit(X, y)
        Ridge(solver="cholesky").fit(X, y)
        assert orders[1:] == [n, p]


def test_ill_conditioned_cross_products_turn_to_the_svd(rng):
    t = np.linspace(0, 1, 50)
    X = np.vander(t, 9)
    y = np.sin(6 * t)
    model = Ridge(alpha=1e-12).fit(X, y)
    assert model.solver_ == "svd"
    Xc, yc = X - X.mean(0), y - y.mean()
    reference = np.linalg.lstsq(np.vstack([Xc, 1e-6 * np.eye(9)]), np.append(yc, np.zeros(9)), rcond=None)[0]
    assert_close(Xc @ model.coef_, Xc @ reference, atol=1e-8)
    duplicated = np.column_stack([CARCASS_X, CARCASS_X[:, 0]])
    model = Ridge(alpha=0.0).fit(duplicated, CARCASS_Y)
    assert_close(model.coef_, [-0.33400694, 0.3330417, -0.33400694], atol=1e-7)  # half of the least-squares slope each


def test_wide_sparse_problems_go_to_conjugate_gradients(rng):
    X = sparse.random_array((300, 1500), density=0.02, rng=rng, format="csr")
    y = X @ rng.normal(size=1500) + 0.1 * rng.normal(size=300)
    model = Ridge(alpha=0.1, tol=1e-10).fit(X, y)
    assert model.solver_ == "sparse_cg"
    assert model.n_iter_[0] > 1
    exact = Ridge(alpha=0.1, solver="dual").fit(X.toarray(), y)
    assert_close(model.coef_, exact.coef_, atol=1e-7)


def test_iterations_are_limited_and_reported(rng):
    X, y = problem(rng)
    Y = np.column_stack([y, y[::-1]])
    for solver in ITERATIVE:
        with pytest.warns(ConvergenceWarning, match="did not converge after 2 iterations"):
            model = Ridge(solver=solver, max_iter=2, tol=1e-12).fit(X, Y)
        assert model.n_iter_.tolist() == [2, 2]
    assert Ridge().fit(X, y).n_iter_ is None
