"""The public names of the package and the modules that hold them."""

from ._influence import InfluenceMeasures
from ._likelihood_fit import LikelihoodFit
from ._margins import Estimates
from ._model_fit import ModelFit
from ._models import anova, aov, gam, glm, lm, model, tree

__all__ = [
    "Estimates",
    "InfluenceMeasures",
    "LikelihoodFit",
    "ModelFit",
    "anova",
    "aov",
    "gam",
    "glm",
    "lm",
    "model",
    "tree",
]
