"""Convolutional networks: sizes of their layers, forward pass on numpy, gradients on PyTorch."""

from dataclasses import dataclass

import numpy as np

from ._activations import activation
from ._convolution import convolve_maps, pool_maps
from ._dense import output_loss
from ._forward import for_blocks
from ._shapes import steps
from ._torch import import_torch


@dataclass
class ConvLayer:
    """A convolution, its activation and the pooling after it; plain numbers."""

    channels: int
    n_filters: int
    size: int
    stride: int
    padding: int
    pool_size: int
    activation: str
    shape: tuple  # height and width after the convolution
    pooled: tuple  # and after the pooling


def plan_layers(image_shape, filters, sizes, strides, paddings, pool_sizes, activations, *, strict):
    """The convolution layers for images of a shape (channels, height, width); errors name the layer and its sizes."""
    channels, *shape = image_shape
    layers = []
    for k, numbers in enumerate(zip(filters, sizes, strides, paddings, pool_sizes, activations), 1):
        n_filters, size, stride, padding, pool_size, name = numbers
        padding = (size - 1) // 2 if padding == "same" else padding
        try:
            after = tuple(steps(side, size, stride, padding, strict=strict) for side in shape)
        except ValueError as error:
            raise ValueError(f"Convolution layer {k} on maps of {shape[0]} x {shape[1]}: {error}") from None
        try:
            pooled = tuple(steps(side, pool_size, pool_size, 0, strict=strict) for side in after)
        except ValueError as error:
            raise ValueError(
                f"Pooling of maps of {after[0]} x {after[1]} after convolution layer {k}: {error}"
            ) from None
        layers.append(ConvLayer(channels, n_filters, size, stride, padding, pool_size, name, after, pooled))
        channels, shape = n_filters, list(pooled)
    return layers


def apply_layer(images, layer, filters, bias, pooling):
    """One layer on numpy; without its pooling if `pooling` is None."""
    maps = convolve_maps(images, filters, bias, (layer.stride,) * 2, (layer.padding,) * 2)
    activation(layer.activation)(maps, out=maps)
    if pooling is None or layer.pool_size == 1:
        return maps
    return pool_maps(maps, pooling, (layer.pool_size,) * 2, (layer.pool_size,) * 2)


class ConvNetwork:
    """Convolution layers, then dense layers; gradients by PyTorch's differentiation.

    The parameters are a list: all filters, all weights of dense layers, then the biases of both in the same order.
    """

    def __init__(self, layers, activations, pooling):
        self.layers, self.activations, self.pooling = layers, activations, pooling
        self.torch = import_torch()

    def _activate(self, name, x):
        torch = self.torch
        if name == "softplus":
            return torch.logaddexp(x, x.new_zeros(()))
        if name == "threshold":
            return (torch.sign(x) + 1) * 0.5
        return {"relu": torch.relu, "tanh": torch.tanh, "logistic": torch.sigmoid}.get(name, lambda same: same)(x)

    def scores(self, parameters, images):
        """Scores of the output layer."""
        function = self.torch.nn.functional
        depth = len(parameters) // 2
        weights, biases = parameters[:depth], parameters[depth:]
        values = images
        for layer, weight, bias in zip(self.layers, weights, biases):
            values = function.conv2d(values, weight, bias, layer.stride, layer.padding)
            values = self._activate(layer.activation, values)
            if layer.pool_size > 1:
                pool = function.max_pool2d if self.pooling == "max" else function.avg_pool2d
                values = pool(values, layer.pool_size)
        values = values.flatten(1)
        first = len(self.layers)
        for weight, bias, name in zip(weights[first:], biases[first:], [*self.activations, "identity"]):
            values = self._activate(name, self.torch.addmm(bias, values, weight))
        return values

    def add_gradient(self, parameters, batch, gradient, workspace, *, first):
        """Add the gradient of the summed loss of a batch to `gradient`, or store it if `first`; returns the loss."""
        images, _, target, weights = batch
        with self.torch.enable_grad():
            leaves = [parameter.detach().requires_grad_() for parameter in parameters]
            scores = self.scores(leaves, images)
        loss, delta = output_loss("softmax", scores.detach(), target, weights, self.torch)
        for total, part in zip(gradient, self.torch.autograd.grad(scores, leaves, delta)):
            if first:
                total.copy_(part)
            else:
                total.add_(part)
        return loss


def conv_scores(images, layers, filters, biases, pooling, dense, activations):
    """Scores on numpy; `dense` is a pair of lists, weights and biases."""
    widest = max((layer.channels * layer.size**2 * np.prod(layer.shape) for layer in layers), default=1)
    block = max(1, int(2**22 // widest))  # rows whose unfolded windows take some tens of megabytes
    out = np.empty((len(images), dense[0][-1].shape[1]), dense[0][0].dtype)

    def pass_block(start):
        values = images[start : start + block]
        for layer, weight, bias in zip(layers, filters, biases):
            values = apply_layer(values, layer, weight, bias, pooling)
        values = values.reshape(len(values), -1)
        for weight, bias, name in zip(*dense, [*activations, "identity"]):
            values = values @ weight
            values += bias
            activation(name)(values, out=values)
        out[start : start + block] = values

    cost = sum(layer.n_filters * layer.channels * layer.size**2 * int(np.prod(layer.shape)) for layer in layers)
    for_blocks(pass_block, len(images), block, cost)
    return out
