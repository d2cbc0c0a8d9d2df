"""The public names of the package."""

from ._fit import fit as fit
from ._fit import supported as supported
from ._sources.open import open_source as open_source
