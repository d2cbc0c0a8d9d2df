"""Summary tables of an additive model."""

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from statlearn._core.summary import Summary, Table
from statlearn._math.losses.families import make_family

from ._calibration import calibrated, root
from ._parts import parts_table
from ._search import CRITERIA
from ._term_tests import random_effect_test, smooth_test

CALIBRATED = (
    "P-values of smooth terms account for the choice of the smoothing parameters; "
    "summary(calibrate=False) gives mgcv's."
)


def summarise(model, calibrate, parts=False):
    """Parametric coefficients, and degrees of freedom and tests of the smooth terms; see `GAM.summary`."""
    known = make_family(**model.family_).dispersion_known
    at = [0]
    for term, block in zip(model.terms_, model._slices, strict=True):
        at += range(block.start, block.stop) if term.parametric else []
    estimate, error = model.coef_[at], np.sqrt(np.diagonal(model.covariance_)[at])
    statistic = estimate / error
    p = 2 * (norm.sf(np.abs(statistic)) if known else student.sf(np.abs(statistic), model.df_residual_))
    table = Table(
        [model.coef_names_[j] for j in at],
        {"estimate": estimate, "std_error": error, "z" if known else "t": statistic, "p": p},
        "Parametric terms",
    )
    rows, columns = [], {"edf": [], "ref_df": [], "chi²" if known else "F": [], "p": []}
    for j, term in enumerate(model.terms_):
        if term.parametric:
            continue
        value, p_value, df = term_test(model, j, calibrate)
        rows.append(term.label)
        columns["edf"].append(model.edf_[j])
        columns["ref_df"].append(df)
        columns["chi²" if known else "F"].append(value if known else value / max(df, 1e-300))
        columns["p"].append(p_value)
    smooth = [Table(rows, {k: np.array(v) for k, v in columns.items()}, "Smooth terms")] if rows else []
    split = parts_table(model) if parts else None
    smooth += [] if split is None else [split]
    explained = 1 - model.deviance_ / model.null_deviance_ if model.null_deviance_ > 0 else float("nan")
    facts = {
        "family": model.family_["name"], "link": model.link_, "n": int(round(model.n_effective_)),
        "r2_adjusted": float(model.r2_adjusted_), "deviance_explained": float(explained), "score": model.score_,
        "scale": model.scale_, "aic": model.aic_,
    }  # fmt: skip
    criterion = CRITERIA["ubre" if model.method == "gcv" and known else model.method]
    labels = {
        "family": "family", "link": "link", "n": "observations", "r2_adjusted": "adjusted R²",
        "deviance_explained": "deviance explained", "score": criterion, "scale": "scale", "aic": "AIC",
    }  # fmt: skip
    corrected = calibrate and any(not term.parametric and term.term.basis != "re" for term in model.terms_)
    notes = [CALIBRATED] if corrected else []
    return Summary("Generalised additive model", table, facts, labels, smooth, notes)


def term_test(model, j, calibrate):
    """Statistic, p-value and reference degrees of freedom of a smooth term; see `GAM.summary`."""
    term, at = model.terms_[j], model._slices[j]
    known = make_family(**model.family_).dispersion_known
    residual_df = None if known else model.df_residual_
    if term.null == 0 and term.lam is None:
        others = [
            np.arange(block.start, block.stop)
            for other, block in zip(model.terms_, model._slices, strict=True)
            if other is not term and not other.parametric and other.term.basis == "re"
        ]
        others = np.concatenate(others) if others else np.zeros(0, np.intp)
        inverse = model.covariance_ / model.scale_
        statistic, p, df = random_effect_test(
            model.information_,
            model.penalty_,
            inverse,
            model.coef_,
            at,
            others,
            model.scale_,
            residual_df,
            model._diagonal(),
        )
        # A single random effect of independent levels has one variance, and a test that hardly depends on it.
        calibrate = calibrate and term.term.basis != "re"
    else:
        others, df = None, model.test_df_[j]
        statistic, p = smooth_test(
            root(model.information_[at, at]), model.coef_[at], model.covariance_[at, at], min(term.width, df),
            residual_df,
        )  # fmt: skip
    return statistic, calibrated(p, model, j, others) if calibrate else p, df
