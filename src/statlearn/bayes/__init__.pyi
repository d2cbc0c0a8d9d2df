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
from ._missingness import KnownMechanismMLE, missing_mask
from ._mixed_nb import MixedNB
from ._multinomial_nb import ComplementNB, MultinomialNB
from ._network import DiscreteBayesianNetwork
from ._network_classifier import BayesianNetworkClassifier
from ._network_em import expand_incomplete
from ._pc_structure import pc_structure
from ._semi_supervised import SemiSupervisedNB
from ._spline import BayesianSplineRegressor
from ._structure import chow_liu_structure, hill_climb_structure, structure_score

__all__ = [
    "BayesianNetworkClassifier",
    "BayesianSplineRegressor",
    "BernoulliNB",
    "BetaBernoulli",
    "BetaBinomial",
    "CategoricalNB",
    "ComplementNB",
    "DirichletMultinomial",
    "DiscreteBayesianNetwork",
    "DiscretizingNB",
    "GaussianNB",
    "HypothesisSpace",
    "KnownMechanismMLE",
    "MixedNB",
    "MultinomialNB",
    "NormalGamma",
    "NormalMean",
    "SemiSupervisedNB",
    "chow_liu_structure",
    "expand_incomplete",
    "fit_bernoulli",
    "fit_gaussian",
    "fit_linear_gaussian",
    "grid_posterior",
    "hill_climb_structure",
    "missing_mask",
    "pc_structure",
    "sample_posterior",
    "structure_score",
]
