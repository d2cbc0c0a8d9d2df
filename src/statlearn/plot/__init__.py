"""Pictures of fitted models; needs matplotlib (``pip install statlearn[plot]``)."""

from ._paths import plot_cv_curve, plot_path

__all__ = ["plot_cv_curve", "plot_path"]
