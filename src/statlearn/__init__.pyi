"""The public names of the package: the one list of its families (see ``_core/families.py``), and its functions."""

from statlearn.app.compare.run import compare as compare

from . import app as app
from . import assess as assess
from . import bayes as bayes
from . import cluster as cluster
from . import datasets as datasets
from . import decision as decision
from . import decomposition as decomposition
from . import discriminant as discriminant
from . import ensemble as ensemble
from . import formula as formula
from . import gp as gp
from . import graphical as graphical
from . import kernels as kernels
from . import linear as linear
from . import logic as logic
from . import manifold as manifold
from . import mixture as mixture
from . import neighbors as neighbors
from . import neural as neural
from . import plot as plot
from . import prep as prep
from . import rules as rules
from . import scale as scale
from . import smooth as smooth
from . import svm as svm
from . import trees as trees
from ._core.find import find as find
from ._core.native import threads as threads
from ._core.registry import all_estimators as all_estimators
from ._core.versions import show_versions as show_versions

__version__: str
