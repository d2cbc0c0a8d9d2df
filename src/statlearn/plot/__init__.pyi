"""The public names of the package and the modules that hold them."""

from statlearn._draw.axes import new_axes
from statlearn._draw.curves import plot_importance, plot_score_curve
from statlearn._draw.dimension import plot_curse
from statlearn._draw.paths import plot_cv_curve, plot_path
from statlearn._draw.shap import plot_shap_row, plot_shap_summary
from statlearn._draw.style import MARKERS, THEMES, require_matplotlib, style, styled, theme

from ._bootstrap import bootstrap_diagram
from ._boundary import DecisionBoundaryDisplay, plot_decision_boundary
from ._classes import CalibrationDisplay, ConfusionDisplay, calibration_plot, confusion_plot
from ._curves import (
    LearningCurveDisplay,
    ValidationCurveDisplay,
    plot_bias_variance,
)
from ._data import cv_diagram, pair_plot
from ._dependence import ALEDisplay, PartialDependenceDisplay
from ._losses import plot_losses
from ._residuals import QQDisplay, ResidualDisplay, qq_plot, residual_plot
from ._som import som_plot
from ._thresholds import (
    DetDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    det_plot,
    precision_recall_plot,
    roc_plot,
)

__all__ = [
    "MARKERS",
    "THEMES",
    "ALEDisplay",
    "CalibrationDisplay",
    "ConfusionDisplay",
    "DecisionBoundaryDisplay",
    "DetDisplay",
    "LearningCurveDisplay",
    "PartialDependenceDisplay",
    "PrecisionRecallDisplay",
    "QQDisplay",
    "ResidualDisplay",
    "RocDisplay",
    "ValidationCurveDisplay",
    "bootstrap_diagram",
    "calibration_plot",
    "confusion_plot",
    "cv_diagram",
    "det_plot",
    "new_axes",
    "pair_plot",
    "plot_bias_variance",
    "plot_curse",
    "plot_cv_curve",
    "plot_decision_boundary",
    "plot_importance",
    "plot_losses",
    "plot_path",
    "plot_score_curve",
    "plot_shap_row",
    "plot_shap_summary",
    "precision_recall_plot",
    "qq_plot",
    "require_matplotlib",
    "residual_plot",
    "roc_plot",
    "som_plot",
    "style",
    "styled",
    "theme",
]
