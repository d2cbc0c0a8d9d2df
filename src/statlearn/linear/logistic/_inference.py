"""Inference for maximum-likelihood logistic regression: separation, covariance, deviances, summary table."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from statlearn._core.params import Real, check_value
from statlearn._core.summary import Summary, Table
from statlearn._core.warnings import OK, RankWarning, SeparationWarning, warn
from statlearn._math.linalg.positive import independent_columns, positive_system
from statlearn._math.solvers.logistic import minimise_logistic
from statlearn._math.solvers.logistic_loss import LogisticLoss
from statlearn._math.solvers.smooth import newton
from statlearn.linear._base import dependence_note, term_names
from statlearn.linear._nested_models import NestedFit

# Covariances of more parameters than this are not formed.
_MOST_PARAMETERS = 3000


@dataclass
class LogisticInference:
    """Quantities of an unpenalised fit used for inference; estimators store it as a dict."""

    separated: bool
    rank: int
    covariance: np.ndarray | None  # of the plain parameters, class by class; None when there are too many
    theta: np.ndarray
    log_likelihood: float
    null_log_likelihood: float
    n_observations: float
    n_parameters: int
    n_null: int  # parameters of the null model
    aliased: tuple = ()  # columns that depend on earlier ones
    identified: np.ndarray | None = None  # parameters of the fit without them, if there are any


def settle_unpenalised(estimator, loss, result):
    """Finish a maximum-likelihood fit: check that the maximum exists, and compute its covariance.

    The gradient cannot distinguish a maximum from a separated sample, where it tends to zero while the coefficients
    grow. Newton steps can: at a maximum they vanish, whereas along a separating direction each one adds about 1 to the
    scores of the separated rows and nothing to the others.
    """
    small = loss.n_rows * loss.q <= _MOST_PARAMETERS
    direction, rank = None, loss.n_rows * loss.q
    if estimator.max_iter > 0:
        direction = _complete_separation(loss, result.phi)
        if direction is None and small and _largest_score(loss, result.phi) > 8.0:
            result, direction = _newton_until_clear(loss, result)
    separated = direction is not None
    covariance, aliased, identified = None, (), None
    if small:
        _, _, hessian = loss.value_gradient_hessian(result.phi)
        system = positive_system(hessian)
        rank = system.rank
        if not separated and rank < loss.n_rows * loss.q:
            aliased, identified, inverse = _without_dependent_columns(loss, result.phi, hessian)
            covariance = _plain_covariance(loss, inverse / loss.total)
        elif not separated:
            covariance = _plain_covariance(loss, system.inverse() / loss.total)
    if separated:
        _warn_separated(estimator, loss, direction)
    elif small and rank < loss.n_rows * loss.q:
        warn(
            f"{type(estimator).__name__}: the columns of X are linearly dependent (rank {rank // loss.n_rows} of "
            f"{loss.q}), so the coefficients are not unique. Drop columns, or use a penalty (finite C).",
            RankWarning,
        )
    null = _null_log_likelihood(loss)
    inference = LogisticInference(
        separated=separated,
        rank=int(rank),
        covariance=covariance,
        theta=loss.to_plain(result.phi),
        log_likelihood=-loss.total * result.objective,
        null_log_likelihood=null,
        n_observations=loss.total,
        n_parameters=int(rank),
        n_null=loss.n_rows if loss.fit_intercept else 0,
        aliased=aliased,
        identified=identified,
    )
    return result, inference


def _without_dependent_columns(loss, phi, hessian):
    """Columns that depend on earlier ones; parameters without them, NaN for theirs; inverse Hessian, 0 for theirs."""
    K, q = loss.n_rows, loss.q
    block = hessian[:q, :q]
    order = np.roll(np.arange(q), 1) if loss.fit_intercept else np.arange(q)  # the intercept stands last in phi
    columns = np.sort(order[independent_columns(block[np.ix_(order, order)])])
    aliased = np.setdiff1d(np.arange(q), columns)
    # Both fits have the same scores, so the kept columns reproduce those of all columns exactly.
    share = positive_system(block[np.ix_(columns, columns)]).solve(block[columns])
    parameters = np.zeros((K, q))
    parameters[:, columns] = np.reshape(phi, (K, q)) @ share.T
    identified = loss.to_plain(parameters)
    identified[:, aliased] = np.nan
    everywhere = (q * np.arange(K)[:, None] + columns).ravel()
    inverse = np.zeros((K * q, K * q))
    inverse[np.ix_(everywhere, everywhere)] = positive_system(hessian[np.ix_(everywhere, everywhere)]).inverse()
    return tuple(aliased.tolist()), identified, inverse


def _largest_score(loss, phi):
    low, high = loss.margin_range(phi)
    return max(-low, high, 0.0)


def _complete_separation(loss, phi):
    """phi itself if it classifies every row correctly, which proves separation."""
    return phi if loss.margin_range(phi)[0] > 0.0 else None


def _newton_until_clear(loss, result, max_steps=30):
    """Newton steps until they vanish (a maximum) or show a separating direction; (result, direction or None)."""
    phi = result.phi
    for step in range(max_steps):
        after = newton(loss, phi, tol=0.0, max_iter=1)
        change = after.phi - phi
        low, high = loss.margin_range(change)
        largest = max(high, 0.0)
        if max(-low, largest) < 1e-3:
            break
        # For overlapping classes the steps vanish quadratically, for separated classes they remain near 1.
        if step >= 2 and largest > 0.1 and low > -1e-5 * largest:
            return _resume(result, after, step + 1), change
        if after.objective >= result.objective and largest < 0.1:
            break
        phi = after.phi
        if _complete_separation(loss, phi) is not None:
            return _resume(result, after, step + 1), phi
    return result, None


def _resume(result, after, steps):
    return replace(after, n_iter=result.n_iter + steps, status=OK, history=result.history)


def _warn_separated(estimator, loss, direction):
    """Name the columns that carry the separating direction, by their share of the scores."""
    p = loss.X.shape[1]
    mean_square = loss.diagonal_bound()[0, :p] - loss.l2
    share = np.abs(direction[:, :p]).max(axis=0) * np.sqrt(np.maximum(mean_square, 0.0))
    names = term_names(estimator, intercept=False)
    top = np.flatnonzero(share[: len(names)] > 1e-3 * share.max(initial=0.0))
    top = top[np.argsort(-share[top], kind="stable")]
    listed = ", ".join(names[j] for j in top[:5]) + (f" and {len(top) - 5} more" if len(top) > 5 else "")
    where = f"columns: {listed}" if listed else "the intercept"
    warn(
        f"{type(estimator).__name__}: the classes are separated by a hyperplane ({where}), so the "
        "maximum-likelihood coefficients are infinite and the fit was stopped early. Use a penalty (finite C), or drop "
        "or merge these columns.",
        SeparationWarning,
    )


def _plain_covariance(loss, covariance):
    """Covariance of the plain parameters, from that of phi."""
    if not loss.fit_intercept:
        return covariance
    q, K = loss.q, loss.n_rows
    change = np.eye(q)
    change[-1, :-1] = -loss.shift
    blocks = covariance.reshape(K, q, K, q)
    return np.einsum("ab,kbmd,cd->kamc", change, blocks, change).reshape(K * q, K * q)


def _null_log_likelihood(loss):
    """Log-likelihood of the model with the intercept only (with the offset; without an intercept: of that alone)."""
    counts = loss.class_totals()
    if not loss.offset.size:
        if not loss.fit_intercept:
            return -loss.total * np.log(loss.n_classes)
        return float(special.xlogy(counts, counts / counts.sum()).sum())
    weights = loss.weights if loss.weights.size else np.ones(loss.X.shape[0])
    null = LogisticLoss(
        np.empty((len(weights), 0)),
        loss.codes,
        loss.n_classes,
        weights=weights,
        offset=loss.offset if loss.binary else loss.offset.reshape(len(weights), -1),
        fit_intercept=loss.fit_intercept,
    )
    start = np.zeros(null.shape)
    if not loss.fit_intercept:
        return -null.total * null.value_and_gradient(start)[0]
    return -null.total * minimise_logistic(null, start, solver="irls", tol=1e-10, max_iter=100).objective


def unpenalised_fit(estimator, purpose):
    """The quantities behind inference; raises an error with the reason if there are none."""
    if estimator._inference is None:
        raise ValueError(
            f"{purpose} requires an unpenalised fit, but {estimator._why_no_inference}. Shrunken or selected "
            "estimates have no valid standard errors. Fit with C=np.inf (the default C=1 is a penalty)."
        )
    inference = LogisticInference(**estimator._inference)
    if inference.separated:
        raise ValueError(
            f"{purpose} is not available: the classes are separated, so the maximum-likelihood estimates are "
            "infinite and have no standard errors."
        )
    return inference


def logistic_nested_fit(estimator):
    """The fit among nested ones: deviance and parameters."""
    fit = unpenalised_fit(estimator, "deviance_test")
    family = "binomial" if len(fit.theta) == 1 else "multinomial"
    left = fit.n_observations * len(fit.theta) - fit.n_parameters
    return NestedFit(family, -2.0 * fit.log_likelihood, fit.n_parameters, left, None, rows=(fit.n_observations,))


def logistic_summary(estimator, level):
    """The table behind `LogisticRegression.summary`."""
    check_value("level", level, [Real(0, 1, closed="neither")], "summary")
    name = type(estimator).__name__
    inference = unpenalised_fit(estimator, f"{name}.summary()")
    if inference.covariance is None:
        raise ValueError(f"{name}.summary() is not available for more than {_MOST_PARAMETERS} parameters.")
    K = len(inference.theta)
    rows = term_names(estimator, intercept=estimator.fit_intercept)
    title = "Logistic regression"
    if K > 1:
        classes = estimator.classes_[estimator._order]
        rows = [f"{classes[k]}: {term}" for k in range(K) for term in rows]
        title = f"Multinomial logistic regression, log-odds against class {classes[-1]}"
    heading = getattr(estimator, "_heading", None)
    title = title if heading is None else f"{title}, {heading}"
    table = Table(rows, _coefficient_columns(inference, estimator.fit_intercept, level))
    notes = [f"Limits at level {level:g}. Odds ratios are exp(estimate)."]
    if inference.aliased:
        names = term_names(estimator, intercept=False)
        notes.append(dependence_note([names[j] for j in inference.aliased]))
    facts = {**_fit_statistics(inference), "n_iter": int(estimator.n_iter_[0])}
    return Summary(title, table, facts, _LABELS, notes=notes)


def _coefficient_columns(inference, has_intercept, level):
    """Estimates with Wald tests and limits, class by class, the intercept first as in R."""
    K, q = inference.theta.shape
    order = [q - 1, *range(q - 1)] if has_intercept else list(range(q))
    theta = inference.theta if inference.identified is None else inference.identified
    estimate = theta[:, order].ravel()
    error = np.sqrt(np.maximum(np.diag(inference.covariance), 0.0)).reshape(K, q)[:, order].ravel()
    error[np.isnan(estimate)] = np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        z = estimate / error
    half = special.ndtri(0.5 + 0.5 * level) * error
    with np.errstate(over="ignore"):
        odds = np.exp([estimate, estimate - half, estimate + half])
    return {
        "estimate": estimate,
        "std_error": error,
        "z": z,
        "p": 2.0 * special.ndtr(-np.abs(z)),
        "ci_low": estimate - half,
        "ci_high": estimate + half,
        "odds_ratio": odds[0],
        "odds_low": odds[1],
        "odds_high": odds[2],
    }


def _fit_statistics(inference):
    """Deviances, information criteria and the test against the intercept alone."""
    deviance, null = -2.0 * inference.log_likelihood, -2.0 * inference.null_log_likelihood
    drop, test_df = max(null - deviance, 0.0), inference.n_parameters - inference.n_null
    n, binary = inference.n_observations, len(inference.theta) == 1
    return {
        "n": n,
        "null_deviance": null,
        "df_null": n - inference.n_null if binary else None,
        "deviance": deviance,
        "df_residual": n - inference.n_parameters if binary else None,
        "log_likelihood": inference.log_likelihood,
        "aic": deviance + 2.0 * inference.n_parameters,
        "bic": deviance + np.log(n) * inference.n_parameters,
        "test_statistic": drop,
        "test_df": test_df,
        "test_p": float(special.chdtrc(test_df, drop)) if test_df > 0 else np.nan,
        "pseudo_r2": 1.0 - deviance / null if null > 0 else np.nan,
    }


_LABELS = {
    "n": "observations",
    "null_deviance": "null deviance",
    "df_null": "  degrees of freedom",
    "deviance": "residual deviance",
    "df_residual": "  degrees of freedom",
    "log_likelihood": "log-likelihood",
    "aic": "AIC",
    "bic": "BIC",
    "test_statistic": "deviance test, chi-squared",
    "test_df": "  degrees of freedom",
    "test_p": "  p value",
    "pseudo_r2": "McFadden's R-squared",
    "n_iter": "iterations",
}
