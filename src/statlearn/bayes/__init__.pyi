"""The public names of the family and the modules that hold them."""

from ._base import BayesFactors, ZeroProbabilityWarning
from ._bernoulli_nb import BernoulliNB
from ._categorical_nb import CategoricalNB, DiscretizingNB
from ._gaussian_nb import GaussianNB
from ._multinomial_nb import ComplementNB, MultinomialNB

__all__ = [
    "BayesFactors",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "DiscretizingNB",
    "GaussianNB",
    "MultinomialNB",
    "ZeroProbabilityWarning",
]
