"""All parameters of a network in one vector, with a view of every array."""

import numpy as np


class Layout:
    """Places of parameter arrays in a flat vector.

    Parameters
    ----------
    penalised : list of tuple
        Shapes of the weights, which come first and carry the L2 penalty.
    free : list of tuple
        Shapes of the intercepts.
    """

    def __init__(self, penalised, free):
        self.shapes = [*penalised, *free]
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in self.shapes)])
        self.places = list(zip(ends[:-1].tolist(), ends[1:].tolist()))
        self.n_penalised = int(ends[len(penalised)])
        self.size = int(ends[-1])

    def views(self, vector):
        """The arrays as views of a vector, of numpy or PyTorch."""
        return [vector[start:end].reshape(shape) for (start, end), shape in zip(self.places, self.shapes)]

    def pack(self, arrays, dtype):
        """A new vector with copies of the arrays."""
        vector = np.empty(self.size, dtype)
        for view, array in zip(self.views(vector), arrays):
            view[...] = array
        return vector
