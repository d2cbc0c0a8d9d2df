"""The public names of the family and the modules that hold them."""

from ._bayesian_mixture import BayesianGaussianMixture
from ._components import (
    BernoulliComponent,
    CategoricalComponent,
    ExponentialComponent,
    GaussianComponent,
    PoissonComponent,
)
from ._dirichlet_process import chinese_restaurant, expected_tables, stick_breaking
from ._em import EMDriver, MonotonicityError, elbo, free_energy, gem_step
from ._gaussian_mixture import GaussianMixture
from ._gaussian_mixture_ic import GaussianMixtureIC
from ._hmm import CategoricalHMM
from ._latent_class import LatentClassModel
from ._mixture_model import MixtureModel
from ._mixture_of_experts import (
    HierarchicalMixtureOfExperts,
    HierarchicalMixtureOfExpertsClassifier,
    MixtureOfExperts,
    MixtureOfExpertsClassifier,
)
from ._plots import criterion_plot, ellipse_plot, gmm_density_plot
from ._regression_mixture import LinearRegressionMixture, LogisticRegressionMixture
from ._soft_kmeans import SoftKMeans
from ._student import StudentTMixture

__all__ = [
    "BayesianGaussianMixture",
    "BernoulliComponent",
    "CategoricalComponent",
    "CategoricalHMM",
    "EMDriver",
    "ExponentialComponent",
    "GaussianComponent",
    "GaussianMixture",
    "GaussianMixtureIC",
    "HierarchicalMixtureOfExperts",
    "HierarchicalMixtureOfExpertsClassifier",
    "LatentClassModel",
    "LinearRegressionMixture",
    "LogisticRegressionMixture",
    "MixtureModel",
    "MixtureOfExperts",
    "MixtureOfExpertsClassifier",
    "MonotonicityError",
    "PoissonComponent",
    "SoftKMeans",
    "StudentTMixture",
    "chinese_restaurant",
    "criterion_plot",
    "elbo",
    "ellipse_plot",
    "expected_tables",
    "free_energy",
    "gem_step",
    "gmm_density_plot",
    "stick_breaking",
]
