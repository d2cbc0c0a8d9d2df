"""Marginal means, marginal effects, and contrasts of them, with delta-method standard errors."""

from dataclasses import dataclass, field
from itertools import combinations, pairwise, product

import numpy as np
from scipy import stats
from scipy.special import chdtrc

from statlearn._core.summary import Summary, Table
from statlearn._math.inference import normal_or_t_quantile, two_sided

ADJUSTMENTS = ("auto", "none", "tukey", "dunnett", "mvt", "bonferroni", "holm", "sidak", "scheffe", "fdr")
METHODS = ("pairwise", "revpairwise", "trt.vs.ctrl", "eff", "consec", "poly")


@dataclass
class Estimates(Summary):
    """Estimates with their covariance: a summary that can be contrasted.

    Parameters
    ----------
    title, table, facts, labels, tables, notes
        See `Summary`.
    estimate : ndarray
    covariance : ndarray
    df : float or None
        Degrees of freedom of t tests, None for z tests.
    groups : list
        Values of the `by` variables of each estimate; contrasts stay within a group.
    shown : list of str
        Labels of the estimates inside their group.

    Examples
    --------
    >>> from statlearn.formula import lm
    >>> table = {"y": [1.0, 2.0, 4.0, 3.0, 6.0, 5.0], "g": list("aabbcc")}
    >>> print(lm("y ~ g", table).means("g").contrasts().table.to_text())
           Estimate  Std. Error  t value  p value    lower     upper
    a - b   -2.0000     0.70711   -2.828   0.1288  -4.9548   0.95480
    a - c   -4.0000     0.70711   -5.657  0.02219  -6.9548  -1.04520
    b - c   -2.0000     0.70711   -2.828   0.1288  -4.9548   0.95480
    """

    estimate: np.ndarray = field(default_factory=lambda: np.empty(0))
    covariance: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    df: float | None = None
    groups: list = field(default_factory=list)
    shown: list = field(default_factory=list)

    @property
    def std_error(self):
        return np.sqrt(np.diag(self.covariance))

    def contrasts(self, method="pairwise", *, ref=None, adjust="auto", level=0.95):
        """Differences of the estimates within each group.

        Parameters
        ----------
        method : {"pairwise", "revpairwise", "trt.vs.ctrl", "eff", "consec", "poly"} or array of shape (m, k), \
default="pairwise"
            All pairs, all others minus a reference, deviations from the mean, steps between neighbours, orthogonal
            polynomials, or the coefficients of m contrasts themselves.
        ref : str or None, default=None
            Reference of "trt.vs.ctrl"; None is the first.
        adjust : str, default="auto"
            "tukey" (studentised range), "dunnett" or "mvt" (multivariate t), "bonferroni", "holm", "sidak", "scheffe",
            "fdr" or "none". "auto" is "tukey" for pairs, "dunnett" for "trt.vs.ctrl" and "none" otherwise.
        level : float, default=0.95
            Simultaneous coverage of the intervals for "tukey", "dunnett", "mvt", "bonferroni", "sidak" and "scheffe".

        Returns
        -------
        Estimates
        """
        if adjust not in ADJUSTMENTS:
            raise ValueError(f"`adjust` must be one of {', '.join(ADJUSTMENTS)}, got {adjust!r}.")
        if adjust == "auto":
            pairs = isinstance(method, str) and method in ("pairwise", "revpairwise")
            adjust = "tukey" if pairs else "dunnett" if isinstance(method, str) and method == "trt.vs.ctrl" else "none"
        rows, labels, groups, families = [], [], [], []
        for group in dict.fromkeys(self.groups):
            members = [k for k, each in enumerate(self.groups) if each == group]
            coefficients, names = contrast_matrix(method, [self.shown[k] for k in members], ref)
            block = np.zeros((len(coefficients), len(self.estimate)))
            block[:, members] = coefficients
            rows.append(block)
            families.append((len(members), len(rows[-1])))
            labels += [f"{name}{', ' + group if group else ''}" for name in names]
            groups += [group] * len(names)
        L = np.vstack(rows)
        estimate, covariance = L @ self.estimate, L @ self.covariance @ L.T
        return estimates_table(
            "Contrasts", labels, estimate, covariance, self.df, level, groups=groups, adjust=adjust, families=families
        )

    def joint_test(self):
        """Wald test that all estimates are equal to 0.

        Returns
        -------
        Summary
        """
        values, vectors = np.linalg.eigh(self.covariance)
        keep = values > 1e-10 * values.max(initial=0.0)
        statistic = float(np.sum((vectors[:, keep].T @ self.estimate) ** 2 / values[keep]))
        df = int(keep.sum())
        if self.df is None:
            columns = {"df": np.array([df]), "chi2": np.array([statistic]), "p": np.array([chdtrc(df, statistic)])}
        else:
            F = statistic / df
            columns = {"df": np.array([df]), "F": np.array([F]), "p": np.array([stats.f.sf(F, df, self.df)])}
        return Summary("Joint test", Table(["all"], columns), {}, {})


def contrast_matrix(method, labels, ref=None):
    """Coefficients and names of contrasts of `labels`."""
    k = len(labels)
    if not isinstance(method, str):
        L = np.atleast_2d(np.asarray(method, dtype=float))
        if L.shape[1] != k:
            raise ValueError(f"`method` must have {k} columns, one for each estimate, got {L.shape[1]}.")
        return L, [f"contrast {j + 1}" for j in range(len(L))]
    if method not in METHODS:
        raise ValueError(f"`method` must be one of {', '.join(METHODS)} or an array, got {method!r}.")
    if k < 2:
        raise ValueError("Contrasts require at least two estimates in a group.")
    identity = np.eye(k)
    if method in ("pairwise", "revpairwise"):
        pairs = list(combinations(range(k), 2))
        if method == "revpairwise":
            pairs = [(j, i) for i, j in pairs]
        return np.array([identity[i] - identity[j] for i, j in pairs]), [f"{labels[i]} - {labels[j]}" for i, j in pairs]
    if method == "trt.vs.ctrl":
        if ref is not None and str(ref) not in labels:
            raise ValueError(f"`ref`={ref!r} is not among the estimates {', '.join(labels)}.")
        base = 0 if ref is None else labels.index(str(ref))
        others = [j for j in range(k) if j != base]
        return identity[others] - identity[base], [f"{labels[j]} - {labels[base]}" for j in others]
    if method == "eff":
        return identity - 1.0 / k, [f"{label} effect" for label in labels]
    if method == "consec":
        return identity[1:] - identity[:-1], [f"{b} - {a}" for a, b in pairwise(labels)]
    return _polynomials(k)


def _polynomials(k):
    """Orthogonal polynomial contrasts with integer coefficients where small ones exist, as emmeans has them."""
    x = np.arange(k) - (k - 1) / 2.0
    basis = np.linalg.qr(np.vander(x, k, increasing=True))[0].T[1:]
    rows = []
    for row in basis:
        row = row * np.sign(row[-1])
        scaled = row / np.min(np.abs(row[np.abs(row) > 1e-9]))
        for factor in range(1, 31):
            if np.allclose(scaled * factor, np.round(scaled * factor), atol=1e-6):
                scaled = np.round(scaled * factor)
                break
        rows.append(scaled)
    names = ["linear", "quadratic", "cubic", "quartic"]
    return np.array(rows), [names[j] if j < 4 else f"degree {j + 1}" for j in range(k - 1)]


def estimates_table(title, labels, estimate, covariance, df, level, *, groups, adjust="none", families=(), shown=None,
                    inverse=None, notes=()):  # fmt: skip
    """An `Estimates` object with its table; p-values are of the hypothesis 0, adjusted within each group."""
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = estimate / error
    p, quantile = np.empty(len(estimate)), np.empty(len(estimate))
    start = 0
    for means, count in families or [(len(estimate), len(estimate))]:
        part = slice(start, start + count)
        correlation = covariance[part, part] / np.outer(error[part], error[part])
        p[part], quantile[part] = adjusted(adjust, statistic[part], df, level, means, correlation)
        start += count
    columns = {
        "estimate": estimate, "std_error": error, "z" if df is None else "t": statistic, "p": p,
        "ci_low": estimate - quantile * error, "ci_high": estimate + quantile * error,
    }  # fmt: skip
    notes = list(notes)
    if adjust != "none":
        notes.append(f"P-values and limits are adjusted within each group: {adjust}.")
    if inverse is not None:
        columns = on_response_scale(columns, inverse)
    facts = {"df": df, "level": level}
    return Estimates(
        title, Table(list(labels), columns), facts, {}, notes=notes, estimate=estimate, covariance=covariance, df=df,
        groups=list(groups), shown=list(labels if shown is None else shown),
    )  # fmt: skip


def on_response_scale(columns, link):
    """Means with delta-method errors and transformed limits, without tests."""
    eta = columns["estimate"]
    slope = np.abs(link.slopes(eta)[0])
    low, high = link.inverse(columns["ci_low"]), link.inverse(columns["ci_high"])
    return {
        "estimate": link.inverse(eta), "std_error": columns["std_error"] * slope,
        "ci_low": np.minimum(low, high), "ci_high": np.maximum(low, high),
    }  # fmt: skip


def adjusted(adjust, statistic, df, level, means, correlation):
    """Adjusted p-values, and the quantile of the intervals."""
    m, nu = len(statistic), np.inf if df is None else df
    plain = two_sided(statistic, df)
    size = np.abs(statistic)
    if adjust == "tukey":
        p = stats.studentized_range.sf(size * np.sqrt(2), means, nu)
        return np.where(means == 2, plain, p), stats.studentized_range.ppf(level, means, nu) / np.sqrt(2)
    if adjust in ("dunnett", "mvt"):
        return _multivariate_t(size, correlation, df, level)
    if adjust == "bonferroni":
        return np.minimum(1.0, m * plain), normal_or_t_quantile(1 - (1 - level) / m, df)
    if adjust == "sidak":
        return -np.expm1(m * np.log1p(-plain)), normal_or_t_quantile(level ** (1 / m), df)
    if adjust == "scheffe":
        rank = int(np.linalg.matrix_rank(correlation, tol=1e-8))
        law = stats.chi2(rank) if df is None else stats.f(rank, df)
        scale = 1 if df is None else rank
        return law.sf(size**2 / scale), np.sqrt(scale * law.ppf(level))
    if adjust == "holm":
        order = np.argsort(plain)
        p = np.empty(m)
        p[order] = np.minimum(1.0, np.maximum.accumulate((m - np.arange(m)) * plain[order]))
        return p, normal_or_t_quantile(level, df)
    if adjust == "fdr":
        return stats.false_discovery_control(plain), normal_or_t_quantile(level, df)
    return plain, normal_or_t_quantile(level, df)


def _multivariate_t(size, correlation, df, level):
    """Two-sided p-values and the common quantile of the largest of correlated t statistics, by fixed random points."""
    m = len(size)
    if m == 1:
        return two_sided(size, df), normal_or_t_quantile(level, df)
    # 65,536 scrambled Sobol points for the normal vector and the chi variable: an error below 5e-4, always the same.
    points = stats.qmc.Sobol(m + 1, scramble=True, seed=0).random_base2(16)
    points = np.clip(points, 1e-12, 1 - 1e-12)
    values, vectors = np.linalg.eigh(correlation)
    normal = stats.norm.ppf(points[:, :m]) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
    largest = np.abs(normal).max(axis=1)
    if df is not None:
        largest = largest / np.sqrt(stats.chi2.ppf(points[:, m], df) / df)
    largest.sort()
    p = 1.0 - np.searchsorted(largest, size, side="left") / len(largest)
    return np.maximum(p, 0.0), np.full(m, np.quantile(largest, level))


def reference_grid(values, focus, at):
    """Rows of a reference grid: a list of dicts, from the values that each column takes."""
    names = list(values)
    return [dict(zip(names, row)) for row in product(*[values[name] for name in names])], names
