"""The public names of the family and the modules that hold them."""

from ._bernoulli_nb import BernoulliNB
from ._categorical_nb import CategoricalNB, DiscretizingNB
from ._conjugate import BetaBernoulli, BetaBinomial, DirichletMultinomial, NormalGamma, NormalMean
from ._gaussian_nb import GaussianNB
from ._hypotheses import (
    HypothesisSpace,
    fit_bernoulli,
    fit_gaussian,
    fit_linear_gaussian,
    grid_posterior,
    sample_posterior,
)
from ._missing import KnownMechanismMLE, missing_mask
from ._mixed_nb import MixedNB
from ._multinomial_nb import ComplementNB, MultinomialNB
from ._spline import BayesianSplineRegressor

__all__ = [
    "BayesianSplineRegressor",
    "BernoulliNB",
    "BetaBernoulli",
    "BetaBinomial",
    "CategoricalNB",
    "ComplementNB",
    "DirichletMultinomial",
    "DiscretizingNB",
    "GaussianNB",
    "HypothesisSpace",
    "KnownMechanismMLE",
    "MixedNB",
    "MultinomialNB",
    "NormalGamma",
    "NormalMean",
    "fit_bernoulli",
    "fit_gaussian",
    "fit_linear_gaussian",
    "grid_posterior",
    "missing_mask",
    "sample_posterior",
]
