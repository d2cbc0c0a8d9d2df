"""Analysis of variance and deviance: terms of a model, several models, single terms dropped or added."""

import numpy as np

from statlearn._core.summary import Summary, Table

from ._tables import quadratic_form, upper_tail

TESTS = ("auto", "F", "chi2", "Wald", "Rao", "none")
SPELLINGS = {"Chisq": "chi2", "LRT": "chi2", "LR": "chi2", "Cp": "none", "wald": "Wald", "rao": "Rao"}


def resolve_test(core, test):
    """The test behind "auto" and R's spellings."""
    test = SPELLINGS.get(test, test)
    if test not in TESTS:
        raise ValueError(f"`test` must be one of {', '.join(TESTS)}, got {test!r}.")
    return ("chi2" if core.known else "F") if test == "auto" else test


def compared(small, large, full, test):
    """Degrees of freedom, drop in deviance, statistic and p-value of two nested fits, with the dispersion of `full`."""
    df = large.rank - small.rank
    drop = small.deviance - large.deviance
    if df == 0:
        return 0, max(drop, 0.0), np.nan, np.nan
    if test == "Rao":
        drop = _score(small, large)
    statistic = drop / full.dispersion / (df if test == "F" else 1)
    kind = "F" if test == "F" else "chi2"
    p = upper_tail(kind, statistic, df, None if full.known else full.df_residual)
    return df, drop, statistic, float(p)


def _score(small, large):
    """Score statistic of the larger model's additional columns at the smaller fit, at dispersion 1."""
    residual, weight = small.working
    Z = large.Z[:, large.identified]
    score = Z.T @ (weight * residual)
    information = Z.T @ (weight[:, None] * Z)
    return float(score @ np.linalg.solve(information, score))


def term_names(terms):
    return [":".join(ordered) for ordered in terms.all_ordered()]


def anova_terms(fit, kind, test):
    """Tests of the terms of one model: one by one (I), given those that do not contain it (II), given all (III)."""
    core, terms = fit.core, fit.terms
    test = resolve_test(core, test)
    names, numbers = term_names(terms), np.asarray(fit.design.numbers)
    rows, results, aliased = [], [], []
    tested = range(len(names)) if kind != 3 or not terms.intercept else [-1, *range(len(names))]
    for k in tested:
        if kind == 1:
            later = list(range(k + 1, len(names)))
        elif kind == 2 and test != "Wald":
            later = [j for j, other in enumerate(terms.terms) if terms.terms[k] < other]
        else:
            later = []
        large = fit.core_without(numbers_in(numbers, later))
        small_columns = numbers_in(numbers, [*later, k])
        if test == "Wald":
            result = _wald(fit, numbers, k, kind)
        else:
            result = compared(fit.core_without(small_columns), large, core, test)
        if result[0] == 0:
            aliased.append(names[k])
            continue
        rows.append("(Intercept)" if k < 0 else names[k])
        results.append(result)
    title = f"Analysis of {'variance' if core.kind.least_squares else 'deviance'}, type {'I' * kind} tests"
    return _table(title, core, rows, results, test, aliased)


def numbers_in(numbers, wanted):
    """Mask of the columns of some terms."""
    return np.isin(numbers, wanted)


def _wald(fit, numbers, k, kind):
    """Wald test of the columns of a term; type II gives later terms that contain it away by its own hypothesis."""
    core = fit.core
    places = np.flatnonzero(np.isin(core.identified, np.flatnonzero(numbers == k)))
    if not len(places):
        return 0, 0.0, np.nan, np.nan
    b, V = core.coef[core.identified], core.covariance
    if kind == 2:
        containing = [j for j, other in enumerate(fit.terms.terms) if fit.terms.terms[k] < other]
        nuisance = np.flatnonzero(np.isin(core.identified, np.flatnonzero(np.isin(numbers, containing))))
        if len(nuisance):  # given that those terms are 0
            gain = np.linalg.solve(V[np.ix_(nuisance, nuisance)], V[nuisance]).T
            b = b - gain @ b[nuisance]
            V = V - gain @ V[nuisance]
    statistic, df = quadratic_form(b[places], V[np.ix_(places, places)])
    return df, statistic, statistic, float(upper_tail("chi2", statistic, df))


def _table(title, core, rows, results, test, aliased):
    df, drop, statistic, p = (np.array([each[j] for each in results], dtype=float) for j in range(4))
    least = core.kind.least_squares
    columns = {"df": df}
    if test != "Wald":
        columns["sum_sq" if least else "deviance_drop"] = drop
    if least and test != "Wald":
        columns["mean_sq"] = drop / df
    if test != "none":
        columns["F" if test == "F" else "chi2"], columns["p"] = statistic, p
    if least and test != "Wald":
        rows = [*rows, "Residuals"]
        last = {"df": core.df_residual, "sum_sq": core.deviance, "mean_sq": core.dispersion}
        columns = {name: np.append(values, last.get(name, np.nan)) for name, values in columns.items()}
    facts = {"dispersion": core.dispersion, "df_residual": core.df_residual, "deviance": core.deviance}
    notes = [f"Left out because of linear dependence: {', '.join(aliased)}."] if aliased else []
    labels = {} if least and test != "Wald" else {"dispersion": "dispersion", "df_residual": "residual df"}
    return Summary(title, Table(rows, columns), facts, labels, notes=notes)


def anova_models(fits, test):
    """Comparison of nested models in the given order, as R's ``anova(m1, m2, ...)``."""
    cores = [fit.core for fit in fits]
    first = cores[0]
    for fit, core in zip(fits, cores):
        if core.kind.least_squares != first.kind.least_squares or (core.kind.family, core.kind.link) != (
            first.kind.family,
            first.kind.link,
        ):
            raise ValueError(f"models must be of one kind, but got {first.kind.name} and {core.kind.name}.")
        if core.n != first.n or not np.array_equal(core.y, first.y):
            raise ValueError(
                f"models were not fitted to the same rows: {first.n} and {core.n} rows ({fit.formula!r}). Missing "
                "values in a variable of one of them may be the reason."
            )
    largest = max(cores, key=lambda core: core.rank)
    test = resolve_test(largest, test)
    if test == "Wald":
        raise ValueError("test='Wald' compares the terms of one model; call anova with a single model.")
    df, drop, statistic, p = (np.full(len(cores), np.nan) for _ in range(4))
    for k in range(1, len(cores)):
        small, large = sorted((cores[k - 1], cores[k]), key=lambda core: core.rank)
        if not _is_nested(small, large):
            raise ValueError(
                f"models are not nested: {fits[k - 1].formula!r} and {fits[k].formula!r}. An F or chi-squared test "
                "compares a model with one that contains all its terms; compare others by AIC."
            )
        sign = 1 if large is cores[k] else -1
        df[k], drop[k], statistic[k], p[k] = compared(small, large, largest, test)
        df[k], drop[k] = sign * df[k], sign * drop[k]
    columns = {
        "df_residual": np.array([core.df_residual for core in cores], dtype=float),
        "rss" if first.kind.least_squares else "deviance": np.array([core.deviance for core in cores]),
        "df": df,
        "sum_sq" if first.kind.least_squares else "deviance_drop": drop,
    }
    if test != "none":
        columns["F" if test == "F" else "chi2"], columns["p"] = statistic, p
    rows = [f"{k + 1}: {fit.formula}" for k, fit in enumerate(fits)]
    title = f"Analysis of {'variance' if first.kind.least_squares else 'deviance'}"
    return Summary(title, Table(rows, columns), {"dispersion": largest.dispersion}, {})


def _is_nested(small, large):
    """Whether the columns of the smaller design are combinations of those of the larger one."""
    Z, target = large.Z[:, large.identified], small.Z[:, small.identified]
    left = target - Z @ np.linalg.lstsq(Z, target, rcond=None)[0]
    size = np.linalg.norm(target, axis=0)
    return bool(np.all(np.linalg.norm(left, axis=0) <= 1e-6 * np.where(size > 0, size, 1.0)))


def single_terms(fit, changes, test, title, *, k=2.0):
    """One row for the model itself and one for each change: a list of label, core of the changed model."""
    core = fit.core
    test = "none" if test is None else resolve_test(core, test)
    if test == "Wald":
        raise ValueError("`test` must be 'F', 'chi2', 'Rao' or None here, got 'Wald'.")
    rows, df, deviance, aic, statistic, p, drop = (
        ["<none>"],
        [np.nan],
        [core.deviance],
        [core.extract_aic(k)],
        [np.nan],
        [np.nan],
        [np.nan],
    )
    for label, other in changes:
        small, large = (other, core) if other.rank < core.rank else (core, other)
        # A dropped term is judged by the dispersion of the model, an added one by that of the model with it.
        d, s, value, prob = compared(small, large, large, test)
        rows.append(label)
        df.append(d), deviance.append(other.deviance), aic.append(other.extract_aic(k))
        drop.append(s), statistic.append(value), p.append(prob)
    least = core.kind.least_squares
    columns = {"df": np.array(df, dtype=float)}
    if least:
        columns["sum_sq"] = np.array(drop, dtype=float)
    columns["rss" if least else "deviance"] = np.array(deviance)
    columns["AIC"] = np.array(aic)
    if test != "none":
        columns["F" if test == "F" else "chi2"], columns["p"] = (
            np.array(statistic, dtype=float),
            np.array(p, dtype=float),
        )
    return Summary(title, Table(rows, columns), {}, {})
