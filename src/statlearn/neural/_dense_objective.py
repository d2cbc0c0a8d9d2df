"""Penalised loss of a dense network on the main processor, by native back-propagation."""

import numpy as np

from statlearn._core import native
from statlearn._core.blas import single_blas_thread

from ._objective import CHUNK, LINE, BatchPieces, Objective

# The numbers of the kernel's enumerations.
ACTIVATIONS = ("identity", "relu", "tanh", "logistic", "softplus", "threshold")
OUTPUTS = ("identity", "logistic", "softmax", "exp")


class DenseObjective(Objective):
    """As its base class, for a :class:`DenseNetwork` whose parameters are on the main processor.

    One call of the kernel replaces some twenty small operations of PyTorch per batch and thread, and there is one
    gradient instead of one per thread.
    """

    def __init__(self, network, rows, layout, vector, alpha):
        super().__init__(network, rows, layout, vector, alpha)
        depth = len(network.activations) + 1
        shapes = [tuple(shape) for shape in layout.shapes]
        layers, tables = shapes[:depth], shapes[depth : depth + network.n_embeddings]

        def numbers(values):
            return np.array(list(values), np.int32)

        self.shape = native.neural.DenseShape(
            numbers([layers[0][0], *(shape[1] for shape in layers)]),
            numbers(map(ACTIVATIONS.index, network.activations)),
            OUTPUTS.index(network.output),
            numbers(shape[0] for shape in tables),
            numbers(shape[1] for shape in tables),
        )
        self.parts = vector.new_empty((1, -(-layout.size // LINE) * LINE))
        dtype = vector.numpy().dtype
        self.w, self.gradient = vector.numpy(), self.parts[0].numpy()
        self.scratch = np.empty(0, dtype)
        n, classes = rows.n, network.output == "softmax"
        self.X = None if rows.X is None else rows.X.numpy()
        # The kernel expects an empty array for absent values.
        self.columns = (
            np.empty((n, 0), np.int64) if rows.codes is None else rows.codes.numpy(),
            rows.target.numpy() if classes else np.empty(0, np.int64),
            np.empty((0, 0), dtype) if classes else rows.target.numpy(),
            np.empty(0, dtype) if rows.weights is None else rows.weights.numpy().astype(dtype, copy=False),
        )

    def __enter__(self):
        self.blas = single_blas_thread()  # the rows of a batch are divided among our threads
        self.blas.__enter__()
        return self

    def __exit__(self, *error):
        self.blas.__exit__(*error)

    def _pieces(self, rows):
        total = self.rows.weight_of(rows)
        if self.X is None:
            loss = self._sparse(rows)
        elif isinstance(rows, slice):
            loss = self._gradient(self.X[rows], None, self._taken(rows))
        else:
            loss = self._gradient(self.X, rows, self.columns)
        return loss, BatchPieces(self.parts, self.layout.n_penalised, self.alpha, total)

    def _taken(self, rows):
        return [column[rows] if len(column) else column for column in self.columns]

    def _sparse(self, rows):
        """Product with sparse rows, which are made dense a block at a time."""
        rows = np.arange(rows.start, rows.stop) if isinstance(rows, slice) else rows
        loss = 0.0
        for low in range(0, len(rows), CHUNK):
            part = rows[low : low + CHUNK]
            loss += self._gradient(self.rows.sparse[part].toarray(), None, self._taken(part), add=low > 0)
        return loss

    def _gradient(self, X, positions, columns, *, add=False):
        needed = self.shape.workspace(len(X) if positions is None else len(positions))
        if len(self.scratch) < needed:
            self.scratch = np.empty(needed, self.scratch.dtype)
        return native.neural.dense_gradient(
            self.shape, X, positions, *columns, self.w, add, self.gradient, self.scratch
        )
