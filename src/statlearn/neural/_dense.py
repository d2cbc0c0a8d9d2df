"""Dense networks and their training rows; loss and gradient on PyTorch, by back-propagation written out."""

import numpy as np
from scipy.sparse import issparse

from ._torch import import_torch


def _slope(name, delta, values):
    """Multiply adjoints by the slopes of an activation, given its values; in place, the values are overwritten."""
    if name == "relu":
        delta.mul_(values.sign_())  # no value is negative
    elif name == "tanh":
        delta.mul_(values.square_().neg_().add_(1))
    elif name == "logistic":
        delta.mul_(values).mul_(values.neg_().add_(1))
    elif name == "softplus":
        delta.mul_(values.neg_().expm1_()).neg_()
    elif name == "threshold":
        delta.zero_()


def _activate(name, scores, torch):
    """Apply an activation in place."""
    if name == "relu":
        return scores.relu_()
    if name == "tanh":
        return scores.tanh_()
    if name == "logistic":
        return scores.sigmoid_()
    if name == "softplus":
        return torch.logaddexp(scores, torch.zeros((), dtype=scores.dtype, device=scores.device), out=scores)
    if name == "threshold":
        return scores.sign_().add_(1).mul_(0.5)
    return scores


def output_loss(kind, scores, target, weights, torch):
    """Sum over rows of the weighted loss, and its derivative by the scores.

    All pairs of output function and loss are canonical: the derivative is the weighted difference of mean and target.
    `target` holds class codes for "softmax", otherwise one column per output.
    """
    if kind == "softmax":
        delta = torch.log_softmax(scores, 1)
        target = target[:, None]
        loss = -delta.gather(1, target)
        delta.exp_()
        delta.scatter_add_(1, target, torch.full_like(loss, -1.0))
    elif kind == "logistic":
        loss = torch.logaddexp(scores, torch.zeros_like(scores)).sub_(target * scores)
        delta = scores.sigmoid().sub_(target)
    elif kind == "exp":
        mean = scores.exp()
        loss = torch.xlogy(target, target).sub_(target).sub_(target * scores).add_(mean)
        delta = mean.sub_(target)
    else:
        delta = scores - target
        loss = (delta * delta).mul_(0.5)
    if weights is not None:
        weights = weights[:, None]
        loss = loss * weights
        delta.mul_(weights)
    return float(loss.sum()), delta


class DenseNetwork:
    """Fully connected layers, after embeddings of categories.

    The parameters are a list: the weights of every layer, the embeddings, the intercepts of every layer. The main
    processor has a native kernel for the gradient, see `_dense_objective.py`; other devices use `add_gradient`.

    Parameters
    ----------
    activations : list of str
        One name per hidden layer.
    output : {"identity", "logistic", "softmax", "exp"}
        Output function, which stands for its loss.
    n_embeddings : int, default=0
    """

    def __init__(self, activations, output, n_embeddings=0):
        self.activations, self.output, self.n_embeddings = activations, output, n_embeddings
        self.torch = import_torch()

    def add_gradient(self, parameters, batch, gradient, workspace, *, first):
        """Add the gradient of the summed loss of a batch to `gradient`, or store it if `first`; returns the loss."""
        X, codes, target, weights = batch
        depth, torch = len(self.activations) + 1, self.torch
        coefs, intercepts = parameters[:depth], parameters[depth + self.n_embeddings :]
        tables = parameters[depth : depth + self.n_embeddings]
        if tables:
            X = torch.cat([X, *(table[codes[:, j]] for j, table in enumerate(tables))], dim=1)
        values, n = [X], len(X)
        for k in range(depth):
            scores = workspace.take(f"values {k}", n, coefs[k].shape[1])
            torch.addmm(intercepts[k], values[k], coefs[k], out=scores)
            values.append(scores if k == depth - 1 else _activate(self.activations[k], scores, torch))
        loss, delta = output_loss(self.output, values.pop(), target, weights, torch)
        for k in reversed(range(depth)):
            gradient[k].addmm_(values[k].T, delta, beta=0 if first else 1)  # beta=0: earlier contents are not read
            intercept = gradient[depth + self.n_embeddings + k]
            if first:
                torch.sum(delta, 0, out=intercept)
            else:
                intercept.add_(delta.sum(0))
            if k:
                delta = torch.mm(delta, coefs[k].T, out=workspace.take(f"delta {k}", n, coefs[k].shape[0]))
                _slope(self.activations[k - 1], delta, values[k])
        if tables:
            start = X.shape[1] - sum(table.shape[1] for table in tables)
            inputs = delta @ coefs[0][start:].T
            for j, part in enumerate(inputs.split([table.shape[1] for table in tables], dim=1)):
                if first:
                    gradient[depth + j].zero_()
                gradient[depth + j].index_add_(0, codes[:, j], part)
        return loss


class Workspace:
    """Tensors that one thread uses again for every batch: fresh memory of their size costs page faults each time."""

    def __init__(self, like):
        self._like, self._kept = like, {}

    def take(self, name, n, *shape):
        """An uninitialised tensor of n rows, valid until it is taken again."""
        tensor = self._kept.get(name)
        if tensor is None or len(tensor) < n or tensor.shape[1:] != shape:
            tensor = self._kept[name] = self._like.new_empty((n, *shape))
        return tensor[:n]


class TensorRows:
    """The training rows as tensors; sparse rows are made dense batch by batch.

    Parameters
    ----------
    X : array or CSR matrix
    target : array
        Class codes (integers) or one column per output.
    weights : array or None, default=None
    codes : array of int or None, default=None
        Codes of the categorical columns.
    """

    def __init__(self, X, target, weights=None, codes=None, device="cpu"):
        torch = import_torch()

        def tensor(array):
            if array is None:
                return None
            array = np.ascontiguousarray(array)
            if not array.flags.writeable:  # read-only memory: PyTorch warns of it
                array = array.copy()
            return torch.from_numpy(array).to(device)

        self.n, self.device = X.shape[0], device
        self.sparse = X if issparse(X) else None
        self.X = None if issparse(X) else tensor(X)
        self.target = tensor(target)
        self.weights = tensor(weights)
        self.codes = tensor(codes)
        self.torch = torch

    def batch(self, rows, workspace):
        """(X, codes, target, weights) of some rows: a slice, or an array of indices."""
        torch = self.torch
        if self.sparse is not None:
            X = torch.from_numpy(self.sparse[rows].toarray()).to(self.device)
        index = rows if isinstance(rows, slice) else torch.from_numpy(rows).to(self.device)

        def take(tensor):
            if tensor is None:
                return None
            return tensor[index] if isinstance(index, slice) else tensor.index_select(0, index)

        if self.sparse is None and isinstance(rows, slice):
            X = self.X[rows]
        elif self.sparse is None:
            X = workspace.take("rows", len(rows), *self.X.shape[1:])
            torch.index_select(self.X, 0, index, out=X)
        return X, take(self.codes), take(self.target), take(self.weights)

    def weight_of(self, rows):
        """Total weight of some rows."""
        if self.weights is None:
            return float(rows.stop - rows.start if isinstance(rows, slice) else len(rows))
        return float(self.weights[rows].sum())
