"""The public names of the package."""

from ._describe import describe as describe
from ._evaluate import Evaluation as Evaluation
from ._evaluate import evaluate as evaluate
from ._fit import fit as fit
from ._fit import supported as supported
from ._predict import predict as predict
from ._sources.open import open_source as open_source
from ._summary import summary as summary
