"""Degrees of freedom of loess, exact and by its authors' approximations, and robustness weights."""

import numpy as np

# Cleveland and Grosse (1991): n - delta is the trace times exp(a z^b (1 - z)^c g(z)), with z between 0 (the trace is n)
# and 1 (it is the number of parameters). One table for each of delta 1 and 2: degree (1, 2) x columns (1 to 4) x abc.
_DELTA = np.array([
    [.2971620, .3802660, .5886043], [.4263766, .3346498, .6271053], [.5241198, .3484836, .6687687],
    [.6338795, .4076457, .7207693], [.1611761, .3091323, .4401023], [.2939609, .3580278, .5555741],
    [.3972390, .4171278, .6293196], [.4675173, .4699070, .6674802], [.2848308, .2254512, .2914126],
    [.5393624, .2517230, .3898970], [.7603231, .2969113, .4740130], [.9664956, .3629838, .5348889],
    [.2075670, .2822574, .2369957], [.3911566, .2981154, .3623232], [.5508869, .3501989, .4371032],
    [.7002667, .4291632, .4930370],
]).reshape(2, 2, 4, 3)  # fmt: skip
# log g, a piecewise cubic: knots, values, slopes.
_LOG_G = np.array([
    [-.005, .1204, .2017, .2815, .3705, .4536, .5591, .7132, .8751, 1.005],
    [-.090572, .095807, .026152, -.031926, -.053718, -.064170, -.058387, -.020636, .040172, -.010856],
    [4.4844, -.7978, -.7286, -.4457, -.3495, .032813, .1611, .3350, -.041032, -.7736],
])  # fmt: skip


def _log_g(z):
    knots, values, slopes = _LOG_G
    k = int(np.searchsorted(knots, z)) - 1
    width = knots[k + 1] - knots[k]
    h = (z - knots[k]) / width
    by_value = (1 - h) ** 2 * (1 + 2 * h) * values[k] + h * h * (3 - 2 * h) * values[k + 1]
    return by_value + width * h * (1 - h) * ((1 - h) * slopes[k] - h * slopes[k + 1])


def _parameters(d):
    """Numbers of coefficients for degrees 1 and 2."""
    return d + 1, (d + 1) * (d + 2) // 2


def _between_degrees(n_parameters, d, of_degree):
    """Interpolate (or extrapolate) a quantity given for degrees 1 and 2 to a number of parameters."""
    linear, quadratic = _parameters(d)
    share = (n_parameters - linear) / (quadratic - linear)
    return (1 - share) * of_degree(0) + share * of_degree(1)


def approximate_trace(n_parameters, d, span):
    """Approximate trace of the smoother matrix from span, number of columns and parameters."""
    g = (-0.08125 * d + 0.13) * d + 1.05
    return _between_degrees(n_parameters, d, lambda i: _parameters(d)[i] * (1 + max(0.0, (g - span) / span)))


def approximate_deltas(trace, n, n_parameters, d):
    """delta 1 and delta 2 from the trace."""
    if n <= n_parameters or not trace > 0:
        return (max(n - trace, 0.0),) * 2
    least = np.sqrt(n_parameters / n)
    z = float(np.clip((np.sqrt(n_parameters / trace) - least) / (1 - least), 0.0, 1.0))
    g = np.exp(_log_g(z))

    def delta(which, i):
        table = _DELTA[which, i]
        # Beyond four columns on along the last difference.
        a, b, c = table[d - 1] if d <= 4 else table[3] + (d - 4) * (table[3] - table[2])
        return n - trace * np.exp(a * z**b * (1 - z) ** c * g)

    return tuple(float(_between_degrees(n_parameters, d, lambda i, w=which: delta(w, i))) for which in (0, 1))


def exact_deltas(n, G):
    """Traces of P = (I - L)(I - L)' and of its square, for L = B O and the cross-products G of U = [B, O'].

    P is I + U C U' with C = [[O O', -I], [-I, 0]], so that both traces are those of matrices of the size of G.
    """
    r = len(G) // 2
    # C G, row block by row block.
    M = np.vstack([G[r:, r:] @ G[:r] - G[r:], -G[:r]])
    one = n + np.trace(M)
    return float(one), float(one + np.trace(M) + np.sum(M * M.T))


def matrix_deltas(n, L):
    """Traces of P and of its square from the matrix L of the distinct rows if these are fewer than n."""
    R = np.eye(len(L)) - L
    P = R @ R.T
    rest = n - len(L)
    return float(rest + np.trace(P)), float(rest + np.sum(P * P))


def trimmed_scale(x, counts):
    """Standard deviation without the lowest and highest tenth; that of all rows, or 1, if it is 0."""
    total = len(x) if counts is None else counts.sum()
    trim = np.ceil(0.1 * total)
    if counts is None:
        low, high = int(trim), len(x) - int(trim)
        middle = np.partition(x, [low, high - 1])[low:high] if low < high else x
        return _deviation(middle, None) or _deviation(x, None) or 1.0
    order = np.argsort(x, kind="stable")
    x, counts = x[order], counts[order]
    end = np.cumsum(counts)
    inside = np.minimum(end, total - trim) - np.maximum(end - counts, trim)
    return _deviation(x, np.maximum(inside, 0.0)) or _deviation(x, counts) or 1.0


def _deviation(x, counts):
    """Standard deviation; 0 if it is only rounding."""
    total = float(len(x) if counts is None else counts.sum())
    if total <= 1:
        return 0.0
    mean = np.average(x, weights=counts)
    squares = (x - mean) ** 2
    variance = float(squares.sum() if counts is None else counts @ squares) / (total - 1)
    return np.sqrt(variance) if variance > 1e-24 * mean * mean else 0.0


def median(x, counts):
    """Weighted median, with weights as counts."""
    if counts is None:
        return float(np.median(x))
    order = np.argsort(x, kind="stable")
    end = np.cumsum(counts[order])
    half, slack = 0.5 * end[-1], 1e-12 * end[-1]
    low = x[order[np.searchsorted(end, half - slack)]]
    high = x[order[min(np.searchsorted(end, half + slack, side="right"), len(x) - 1)]]
    return float(0.5 * (low + high))


def bisquare_weights(residuals, counts):
    """Bisquare robustness weights: 0 beyond six median absolute residuals."""
    size = np.abs(residuals)
    limit = 6.0 * median(size, counts)
    if limit < np.finfo(np.float64).tiny:
        return np.ones(len(size))
    weights = (1 - (size / limit) ** 2) ** 2
    weights[size > 0.999 * limit] = 0.0
    weights[size <= 0.001 * limit] = 1.0
    return weights


def pseudovalues(y, fitted, weights, robust, counts):
    """Responses whose least-squares fit has the residual scale of the robust one."""
    residuals = y - fitted
    scaled = residuals if weights is None else residuals * np.sqrt(weights)
    copies = np.ones(len(y)) if counts is None else counts
    square = (6.0 * median(np.abs(scaled), counts)) ** 2 / 5.0
    if square == 0.0:
        return fitted + robust * residuals
    slope = copies @ ((1.0 - scaled**2 / square) * np.sqrt(robust))
    return fitted + (copies.sum() / slope) * robust * residuals
