"""Generalised linear models of R and Stata, whose results statsmodels' tests keep and install."""

import numpy as np
from statsmodels import datasets
from statsmodels.discrete.tests.results import results_discrete
from statsmodels.genmod.tests.results import results_glm

from statlearn.linear import GeneralizedLinearRegressor, LogisticRegression
from verification.check import compare

SOURCE = "R and Stata, generalised linear models in statsmodels' tests"
EARLY = (
    "The reference program stopped its iterations earlier. statsmodels' own fit, iterated to a tolerance of 1e-14, "
    "agrees with ours to nine digits or more."
)
EXPECTED = (
    "Stata's errors are from the observed information, ours from the expected information, as R's ``glm``; "
    "statsmodels' GLM has ours to eight digits. The two coincide for the logit."
)


def longley():
    data = datasets.longley.load()
    return data.endog, data.exog


def scotland():
    data = datasets.scotland.load()
    return data.endog, data.exog


def cpunish(columns=slice(None)):
    data = datasets.cpunish.load()
    X = np.array(data.exog, float)
    X[:, 3] = np.log(X[:, 3])
    return data.endog, X[:, columns]


def committee():
    data = datasets.committee.load()
    X = np.array(data.exog, float)
    X[:, 2] = np.log(X[:, 2])
    return data.endog, np.column_stack([X, X[:, 2] * X[:, 1]])


# The class of results; our family and options; the data, None if the class has them, with the constant last.
MODELS = (
    ("Longley", {"family": "gaussian"}, longley),
    ("Lbw", {"family": "binomial"}, None),
    ("Scotvote", {"family": "gamma", "link": "inverse"}, scotland),
    ("CancerLog", {"family": "gamma", "link": "log"}, None),
    ("CancerIdentity", {"family": "gamma", "link": "identity"}, None),
    ("Cpunish", {"family": "poisson"}, cpunish),
    ("InvGauss", {"family": "inverse_gaussian", "link": "inverse_squared"}, None),
    ("InvGaussLog", {"family": "inverse_gaussian", "link": "log"}, None),
    ("InvGaussIdentity", {"family": "inverse_gaussian", "link": "identity"}, None),
    ("Committee", {"family": "negative_binomial", "theta": 1.0}, committee),
)


def checks():
    for name, options, load in MODELS:
        reference = getattr(results_glm, name)()
        y, X = load() if load else (reference.endog, np.asarray(reference.exog)[:, :-1])
        yield from compare_fit(name, reference, X, y, EARLY, **options)
    data = datasets.spector.load()
    for link in ("logit", "probit"):
        reference = getattr(results_discrete.Spector, link)
        yield from compare_fit(f"Spector, {link}", reference, data.exog, data.endog, EXPECTED, "binomial", link=link)
    yield from multinomial()
    data = datasets.randhie.load()
    yield from compare_fit("RandHIE", results_discrete.RandHIE.poisson, data.exog, data.endog, EARLY, "poisson")


def multinomial():
    """Stata's mlogit of party identification: one column of coefficients for each class after the first."""
    data = datasets.anes96.load()
    reference = results_discrete.Anes.mnlogit_basezero
    model = LogisticRegression(C=np.inf, reference=0, tol=1e-10, max_iter=1000)
    s = model.fit(np.array(data.exog, float), np.asarray(data.endog)).summary()
    call = "LogisticRegression(C=inf, reference=0)"
    for attribute, column in (("params", "estimate"), ("bse", "std_error")):
        expected = np.roll(getattr(reference, attribute), 1, axis=0).T
        yield from compare(SOURCE, "Anes", column, call, expected, s[column], reason="")


def compare_fit(place, reference, X, y, reason, family, **options):
    """Coefficients with the constant last, their errors, and what else the results have."""
    X, y = np.asarray(X, float), np.asarray(y, float)
    model = GeneralizedLinearRegressor(family, **options, tol=1e-12).fit(X, y)
    # R's `negative.binomial(theta)` estimates a dispersion as well.
    s = model.summary(dispersion="pearson" if family == "negative_binomial" else "auto")
    arguments = [repr(family), *(f"{k}={v!r}" for k, v in options.items())]
    found = {
        "params": ("coefficients", np.roll(s["estimate"], -1)),
        "bse": ("standard errors", np.roll(s["std_error"], -1)),
    }
    if hasattr(reference, "deviance"):
        found["deviance"] = ("deviance", model.deviance_)
    else:
        found["llf"] = ("log-likelihood", model.log_likelihood_)
        found["llnull"] = ("log-likelihood of the constant", model.log_likelihood_ + null_drop(model))
    for attribute, (quantity, ours) in found.items():
        call = f"GeneralizedLinearRegressor({', '.join(arguments)})"
        yield from compare(SOURCE, place, quantity, call, getattr(reference, attribute), ours, reason=reason)


def null_drop(model):
    """What the log-likelihood loses without the columns, for a family of dispersion 1."""
    return (model.deviance_ - model.null_deviance_) / 2.0
