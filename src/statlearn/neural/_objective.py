"""Penalised loss of a batch, computed on several threads with the same bits for any number of them."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from statlearn._core import native
from statlearn._core.jobs import count_jobs

from ._dense import Workspace

# Empirical: below this many products (rows times parameters) a batch is not worth dividing.
SMALL = 2**22
PIECE = 128  # rows of a piece; a batch of 256 is worked on by two threads
MAX_PIECES = 16  # every piece has a separate gradient
LINE = 16  # the rows of gradients begin at multiples of this many numbers, for vector instructions
CHUNK = 1024  # rows of a piece whose hidden layers are in memory at a time


def piece_bounds(n, n_parameters):
    """Bounds of the pieces of a batch of n rows, which depend on its size only."""
    count = 1 if n * n_parameters < SMALL else min(MAX_PIECES, -(-n // PIECE))
    return [n * k // count for k in range(count + 1)]


class BatchPieces:
    """The gradient of a penalised mean loss as a sum of pieces.

    Parameters
    ----------
    parts : tensor
        One row per piece of the batch, which may be longer than the parameters.
    n_penalised : int
        The first parameters, which carry the L2 penalty.
    alpha : float
    total : float
        Weight of the rows.
    """

    def __init__(self, parts, n_penalised, alpha, total):
        self.parts, self.total = parts, total
        self.mean = n_penalised, alpha, total

    def sum(self, parameters):
        """The gradient, in the first row of the parts, and the sum of squares of the penalised parameters."""
        n_penalised, alpha, total = self.mean
        gradient = self.parts[0, : len(parameters)]
        if parameters.device.type == "cpu":
            return gradient, native.neural.gradient_sum(self.parts.numpy(), parameters.numpy(), *self.mean)
        for part in self.parts[1:]:
            gradient.add_(part[: len(parameters)])
        weights = parameters[:n_penalised]
        gradient[:n_penalised].add_(weights, alpha=alpha)
        return gradient.div_(total), float(weights @ weights)


class Objective:
    r"""Value and gradient of the mean loss of a batch with its L2 penalty,

    .. math:: \frac{1}{S} \Big( \sum_i s_i \ell_i + \frac{\alpha}{2} \lVert W \rVert^2 \Big), \quad S = \sum_i s_i .

    Use it as a context manager, which ends its threads.
    """

    def __init__(self, network, rows, layout, vector, alpha):
        self.network, self.rows, self.layout, self.vector, self.alpha = network, rows, layout, vector, alpha
        self.parameters = layout.views(vector)
        self.parts = vector.new_empty((0, 0))  # a row per piece: its gradient
        self.views, self.workspaces = [], []
        self.pool = None
        self.n_threads = count_jobs(None) if vector.device.type == "cpu" else 1

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.pool is not None:
            self.pool.shutdown()

    def _prepare(self, n_pieces):
        if len(self.parts) < n_pieces:
            length = -(-self.layout.size // LINE) * LINE
            self.parts = self.vector.new_empty((n_pieces, length))
            self.views = [self.layout.views(row[: self.layout.size]) for row in self.parts]
            self.workspaces = [Workspace(self.vector) for _ in self.parts]

    def _piece(self, number, rows, start, end):
        """Loss of a piece; its gradient is left in its row of `parts`."""
        workspace, loss = self.workspaces[number], 0.0
        for low in range(start, end, CHUNK):
            high = min(low + CHUNK, end)
            part = slice(low, high) if rows is None else rows[low:high]
            batch = self.rows.batch(part, workspace)
            loss += self.network.add_gradient(self.parameters, batch, self.views[number], workspace, first=low == start)
        return loss

    def __call__(self):
        """Loss and gradient for all rows.

        The gradient is a tensor that the next call overwrites.
        """
        loss, pieces = self._pieces(slice(0, self.rows.n))
        gradient, squares = pieces.sum(self.vector)
        return self._penalised(loss, squares, pieces.total), gradient

    def step(self, rows, optimizer, state):
        """Let an optimizer move the parameters by the rows at these positions, or a slice of rows.

        Returns the loss before the step and the total weight of the rows.
        """
        loss, pieces = self._pieces(rows)
        squares = optimizer.step(self.vector, pieces, *state)
        return self._penalised(loss, squares, pieces.total), pieces.total

    def _penalised(self, loss, squares, total):
        return (loss + 0.5 * self.alpha * squares) / total

    def _pieces(self, rows):
        """Sum of the losses of the rows, and its gradient as a sum of pieces."""
        total = self.rows.weight_of(rows)
        if isinstance(rows, slice):
            offset, n, rows = rows.start, rows.stop - rows.start, None
        else:
            offset, n = 0, len(rows)
        bounds = piece_bounds(n, self.layout.size)
        jobs = [(k, rows, offset + low, offset + high) for k, (low, high) in enumerate(pairwise(bounds))]
        self._prepare(len(jobs))
        losses = self._run(jobs)
        return sum(losses), BatchPieces(self.parts[: len(jobs)], self.layout.n_penalised, self.alpha, total)

    def _run(self, jobs):
        if len(jobs) == 1 or self.n_threads == 1:
            return [self._piece(*job) for job in jobs]
        if self.pool is None:
            self.pool = ThreadPoolExecutor(
                self.n_threads - 1, initializer=self.network.torch.set_num_threads, initargs=(1,)
            )
        others = [self.pool.submit(self._piece, *job) for job in jobs[1:]]
        try:
            first = self._piece(*jobs[0])
        finally:
            for other in others:
                other.exception()  # wait, also after an interrupt: the buffers are in use until then
        return [first, *(other.result() for other in others)]
