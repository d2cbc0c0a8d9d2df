"""The public names of the family and the modules that hold them."""

from ._base import BayesFactors, ZeroProbabilityWarning
from ._bernoulli_nb import BernoulliNB
from ._categorical_nb import CategoricalNB, DiscretizingNB
from ._conjugate import BetaBernoulli, BetaBinomial, DirichletMultinomial, NormalGamma, NormalMean
from ._gaussian_nb import GaussianNB
from ._hypotheses import (
    GridPosterior,
    HypothesisSpace,
    LinearGaussian,
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
    "BayesFactors",
    "BayesianSplineRegressor",
    "BernoulliNB",
    "BetaBernoulli",
    "BetaBinomial",
    "CategoricalNB",
    "ComplementNB",
    "DirichletMultinomial",
    "DiscretizingNB",
    "GaussianNB",
    "GridPosterior",
    "HypothesisSpace",
    "KnownMechanismMLE",
    "LinearGaussian",
    "MixedNB",
    "MultinomialNB",
    "NormalGamma",
    "NormalMean",
    "ZeroProbabilityWarning",
    "fit_bernoulli",
    "fit_gaussian",
    "fit_linear_gaussian",
    "grid_posterior",
    "missing_mask",
    "sample_posterior",
]
