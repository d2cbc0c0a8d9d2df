"""The public names of the package and the modules that hold them."""

from ._paths import plot_cv_curve, plot_path
from ._style import style

__all__ = ["plot_cv_curve", "plot_path", "style"]
