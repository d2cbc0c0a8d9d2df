"""The public names of the family and the modules that hold them."""

from ._activations import activation
from ._attention import AttentionClassifier, attention, attention_weights
from ._autoencoder import Autoencoder
from ._computational_graph import Value, draw_graph
from ._contrastive import ContrastiveEncoder, contrastive_loss
from ._conv2d_classifier import Conv2dClassifier
from ._convolution import conv_as_dense, pool
from ._gradients import check_gradient, derivative_bilinear, derivative_linear, derivative_quadratic
from ._history import plot_history
from ._mlp_classifier import MLPClassifier
from ._mlp_regressor import MLPRegressor
from ._operation_counts import backward_cost, forward_cost
from ._recurrent import RecurrentClassifier, RecurrentRegressor
from ._shapes import conv_output_size, conv_parameters, receptive_field
from ._torch import as_tensor, to_device

__all__ = [
    "AttentionClassifier",
    "Autoencoder",
    "ContrastiveEncoder",
    "Conv2dClassifier",
    "MLPClassifier",
    "MLPRegressor",
    "RecurrentClassifier",
    "RecurrentRegressor",
    "Value",
    "activation",
    "as_tensor",
    "attention",
    "attention_weights",
    "backward_cost",
    "check_gradient",
    "contrastive_loss",
    "conv_as_dense",
    "conv_output_size",
    "conv_parameters",
    "derivative_bilinear",
    "derivative_linear",
    "derivative_quadratic",
    "draw_graph",
    "forward_cost",
    "plot_history",
    "pool",
    "receptive_field",
    "to_device",
]
