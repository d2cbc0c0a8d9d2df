"""Forces between the points of a t-SNE map: attraction along a sparse graph, repulsion exactly or on a grid."""

import numpy as np
from scipy import fft

from statlearn._core.jobs import count_jobs
from statlearn._core.native import manifold as native
from statlearn._math.linalg.sparse_arrays import compressed_arrays

STEP = 0.4  # distance of the grid's nodes; the kernel 1 / (1 + d²) bends over a distance of 1 (empirical)
MARGIN = 3  # nodes between the outermost point and the edge: two are needed for the interpolation
LARGEST_GRID = 1500  # nodes along one side; a wider map has a wider step


class Attraction:
    """Attraction by the similarities P, a symmetric sparse matrix with sum 1."""

    def __init__(self, P):
        self._arrays = compressed_arrays(P)
        p = P.data[P.data > 0]
        self._negative_entropy = float(np.sum(p * np.log(p)))

    def __call__(self, Y, divergence=False):
        """The forces, and the part of the divergence that does not depend on the normalisation."""
        force = np.empty_like(Y)
        total = native.tsne_attraction(*self._arrays, Y, divergence, force)
        return force, self._negative_entropy + total


class ExactRepulsion:
    """Repulsion of all pairs, in quadratic time."""

    def __call__(self, Y):
        """The forces before the normalisation, and the normalisation."""
        force = np.empty_like(Y)
        return force, native.tsne_repulsion(Y, force)


class GridRepulsion:
    """Repulsion in the plane through a grid: masses are spread, convolved with the kernels and interpolated.

    Convolutions are products of Fourier transforms, O(m² log m) for m nodes a side, for any number of points.
    """

    def __init__(self):
        self._size, self._step = 0, STEP

    def _kernels(self, m, step):
        """Transforms of 1/(1+d²) and of the two components of the force, on a grid twice as large."""
        if (m, step) != (self._size, self._step):
            along = np.fft.fftfreq(2 * m, 1 / (2 * m)) * step
            x, y = along[:, None], along[None, :]
            weight = 1.0 / (1.0 + x * x + y * y)
            fields = np.stack([weight, x * weight**2, y * weight**2])
            self._transforms = fft.rfft2(fields, workers=count_jobs(None))
            self._size, self._step = m, step
        return self._transforms

    def __call__(self, Y):
        """The forces before the normalisation, and the normalisation."""
        low = Y.min(axis=0)
        extent = float(np.max(Y.max(axis=0) - low))
        step = max(STEP, extent / (LARGEST_GRID - 2 * MARGIN - 1))
        m = fft.next_fast_len(int(np.ceil(extent / step)) + 2 * MARGIN + 1, real=True)
        corner = low - MARGIN * step
        grid = float(corner[0]), float(corner[1]), float(step)
        mass = np.empty((m, m))
        native.spread_on_grid(Y, *grid, mass)
        workers = count_jobs(None)
        spectrum = fft.rfft2(mass, s=(2 * m, 2 * m), workers=workers)
        fields = fft.irfft2(spectrum * self._kernels(m, step), s=(2 * m, 2 * m), workers=workers)
        fields = np.ascontiguousarray(fields[:, :m, :m])
        potential = np.empty((len(Y), 3))
        native.gather_from_grid(Y, *grid, *fields, potential)
        # Each point also finds itself, without force.
        return np.ascontiguousarray(potential[:, 1:]), float(potential[:, 0].sum() - native.own_weights(Y, *grid))
