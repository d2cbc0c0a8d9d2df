"""The kernels of native/common/kernel_matrix.hpp: blocks, rows on demand, sparse rows, any number of threads."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from statlearn import threads
from statlearn._core.native import kernels as native
from tests.helpers import assert_close

KINDS = ["linear", "polynomial", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "additive_chi2", "minimum"]
KINDS += ["laplacian_l2", "logistic"]
GAMMA, COEF0 = 0.3, 0.2


def slow(kind, X, Y, degree=3.0, gamma=GAMMA):
    """The formulas, in double precision."""
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    dot = X @ Y.T
    with np.errstate(all="ignore"):
        difference, total = X[:, None] - Y, X[:, None] + Y
        chi2 = np.where(total == 0, 0.0, difference**2 / total).sum(axis=2)
        norms = np.outer(np.sqrt((X**2).sum(1)), np.sqrt((Y**2).sum(1)))
        return {
            "linear": lambda: dot,
            "polynomial": lambda: (gamma * dot + COEF0) ** degree,
            "rbf": lambda: np.exp(-gamma * cdist(X, Y, "sqeuclidean")),
            "laplacian": lambda: np.exp(-gamma * cdist(X, Y, "cityblock")),
            "sigmoid": lambda: np.tanh(gamma * dot + COEF0),
            "cosine": lambda: np.where(norms > 0, dot / norms, 0.0),
            "chi2": lambda: np.exp(-gamma * chi2),
            "additive_chi2": lambda: -chi2,
            "minimum": lambda: np.minimum(X[:, None], Y).sum(axis=2),
            "laplacian_l2": lambda: np.exp(-gamma * cdist(X, Y)),
            "logistic": lambda: 1 / (1 + np.exp(-(gamma * dot + COEF0))),
        }[kind]()


def table(seed, n, p, dtype=np.float64):
    X = np.random.default_rng(seed).random((n, p))
    X[X < 0.3] = 0.0
    X[n // 2] = 0.0
    return X.astype(dtype)


def settings(kind, degree=3.0, gamma=GAMMA):
    return KINDS.index(kind), gamma, COEF0, degree


def arrays(X):
    X = sparse.csr_array(X)
    X.sort_indices()
    return X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)


def gram(kind, X, **options):
    out = np.empty((len(X), len(X)), X.dtype)
    native.kernel_gram(*settings(kind, **options), X, out)
    return out


def cross(kind, X, Y, **options):
    out = np.empty((len(X), len(Y)), X.dtype)
    native.kernel_cross(*settings(kind, **options), X, Y, out)
    return out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("n", "m", "p"), [(1, 1, 1), (101, 7, 3), (13, 230, 300)])
def test_blocks_of_any_shape_follow_the_formulas(kind, dtype, n, m, p, seed):
    X, Y = table(seed, n, p, dtype), table(seed + 1, m, p, dtype)
    tolerance = 1e-12 if dtype == np.float64 else 3e-5  # float: p sums, the exponents and the powers of up to 300 terms
    scale = np.abs(slow(kind, X, Y)).max() + 1
    assert_close(cross(kind, X, Y) / scale, slow(kind, X, Y) / scale, rtol=0, atol=tolerance)
    assert_close(gram(kind, X) / scale, slow(kind, X, X) / scale, rtol=0, atol=tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_gram_is_symmetric_and_equals_the_cross_kernel_to_the_last_bit(kind, seed):
    X = table(seed, 210, 5)
    K = gram(kind, X)
    np.testing.assert_array_equal(K, K.T)
    C = cross(kind, X, X)
    off = ~np.eye(len(X), dtype=bool)  # the diagonal of the Gaussian is 1 by definition
    np.testing.assert_array_equal(K[off], C[off])
    assert_close(np.diag(C), np.diag(K), rtol=0, atol=1e-12)
    diagonal = np.empty(len(X))
    native.kernel_diagonal(*settings(kind), X, diagonal)
    assert_close(diagonal, np.diag(K), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
def test_a_value_does_not_depend_on_the_other_rows_of_its_block(kind, seed):
    X, Y = table(seed, 130, 6), table(seed + 1, 50, 6)
    whole = cross(kind, X, Y)
    for i in (0, 63, 96, 129):
        np.testing.assert_array_equal(cross(kind, X[i : i + 1].copy(), Y), whole[i : i + 1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("out_type", [np.float64, np.float32])
def test_rows_on_demand_are_the_rows_of_the_gram_matrix(kind, dtype, out_type, seed):
    X = table(seed, 150, 4, dtype)
    K = gram(kind, X).astype(out_type)
    for which in ([3], [149, 0], [5, 5, 120], list(range(140))):
        for first, last in ((0, 150), (1, 150), (37, 98), (96, 97)):
            out = np.empty((len(which), last - first), out_type)
            native.kernel_rows(*settings(kind), X, np.array(which), first, out)
            np.testing.assert_array_equal(out, K[which, first:last])
    if kind == "linear":
        native.kernel_rows_precomputed(gram(kind, X), np.array(which), first, out)
        np.testing.assert_array_equal(out, K[which, first:last])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("density", [0.7, 0.05])  # spread out, and by the rows that share a column
def test_sparse_rows_give_the_dense_values(kind, dtype, density, seed):
    X, Y = table(seed, 70, 30, dtype), table(seed + 1, 21, 30, dtype)
    X, Y = (np.where(table_ > 1 - density, table_, 0) for table_ in (X, Y))
    atol = 1e-12 if dtype == np.float64 else 2e-6
    out = np.empty((70, 21), dtype)
    native.kernel_cross_sparse(*settings(kind), *arrays(X), *arrays(Y), 30, out)
    assert_close(out, slow(kind, X, Y), rtol=10 * atol, atol=atol)
    K = np.empty((70, 70), dtype)
    native.kernel_gram_sparse(*settings(kind), *arrays(X), 30, K)
    assert_close(K, slow(kind, X, X), rtol=10 * atol, atol=atol)
    np.testing.assert_array_equal(K, K.T)
    some = np.empty((10, 50), dtype)
    native.kernel_rows_sparse(*settings(kind), *arrays(X), 30, np.arange(10), 5, some)
    assert_close(some, K[:10, 5:55], rtol=0, atol=1e-6 if dtype == np.float32 else 1e-14)
    diagonal = np.empty(70)
    native.kernel_diagonal_sparse(*settings(kind), *arrays(X), 30, diagonal)
    assert_close(diagonal, np.diag(K), rtol=10 * atol, atol=atol)


@pytest.mark.parametrize("degree", [0.0, 1.0, 2.0, 5.0, 2.5, 64.0])
def test_powers_whole_and_broken(degree, seed):
    X = table(seed, 20, 3)
    assert_close(gram("polynomial", X, degree=degree), slow("polynomial", X, X, degree), rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_small_distances_far_from_the_origin_are_not_lost(dtype, seed):
    # |x|^2 - 2xy + |y|^2 has no correct digit here: rows 1e4 away from one another in two groups, close within them.
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(40, 3)) + 1e4 * (np.arange(40) % 2)[:, None]).astype(dtype)
    assert_close(gram("rbf", X), slow("rbf", X, X), rtol=1e-5 if dtype == np.float32 else 1e-12, atol=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_gaussian_of_shifted_rows_matches_the_rows(dtype, seed):
    X = np.random.default_rng(seed).integers(-9, 9, size=(50, 4)).astype(dtype) / 8
    K = gram("rbf", X)
    atol = 2e-6 if dtype == np.float32 else 1e-14
    assert_close(gram("rbf", X + dtype(1024)), K, rtol=0, atol=atol)


def test_tails_go_to_zero_and_one():
    X = np.array([[0.0], [1e4], [-1e4]])
    assert gram("rbf", X)[0, 1] == 0.0
    assert gram("laplacian", X)[1, 2] == 0.0
    np.testing.assert_array_equal(gram("sigmoid", X)[1, 1:], [1.0, -1.0])
    assert_close(gram("logistic", X)[1, 1:], [1.0, 0.0], rtol=0, atol=1e-300)


def test_tanh_is_exact_to_the_last_digits():
    x = np.concatenate([np.linspace(-3, 3, 401), np.geomspace(1e-12, 25, 301), [0.0]])
    out = np.empty((len(x), 1))
    native.kernel_cross(KINDS.index("sigmoid"), 1.0, 0.0, 1.0, x[:, None].copy(), np.ones((1, 1)), out)
    assert_close(out[:, 0], np.tanh(x), rtol=1e-15, atol=0)


@pytest.mark.parametrize("kind", ["rbf", "chi2", "polynomial"])
def test_any_number_of_threads_gives_the_same_bits(kind, seed):
    X = table(seed, 500, 40)
    few = np.where(X > 0.95, X, 0.0)
    results = []
    for n in (1, 2, 5):
        with threads(n):
            rows = np.empty((9, 500))
            native.kernel_rows(*settings(kind), X, np.arange(9), 0, rows)
            K = np.empty((500, 500))
            native.kernel_gram_sparse(*settings(kind), *arrays(X), 40, K)
            thin = np.empty((500, 500))
            native.kernel_gram_sparse(*settings(kind), *arrays(few), 40, thin)
            results.append((gram(kind, X), cross(kind, X, X), rows, K, thin))
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_array_equal(a, b)


def test_wrong_shapes_and_numbers_raise():
    X, out = np.ones((3, 2)), np.empty((3, 3))
    with pytest.raises(ValueError, match="unknown kind"):
        native.kernel_gram(11, 1.0, 0.0, 1.0, X, out)
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        native.kernel_gram(0, 1.0, 0.0, 1.0, X, np.empty((3, 2)))
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        native.kernel_cross(0, 1.0, 0.0, 1.0, X, np.ones((3, 4)), out)
    with pytest.raises(ValueError, match="out of range"):
        native.kernel_rows(0, 1.0, 0.0, 1.0, X, np.array([3]), 0, np.empty((1, 3)))
    with pytest.raises(ValueError, match="shapes of the arrays do not match"):
        native.kernel_rows(0, 1.0, 0.0, 1.0, X, np.array([0]), 1, np.empty((1, 3)))
