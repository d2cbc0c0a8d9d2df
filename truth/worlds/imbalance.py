"""Classes of very different size."""

import numpy as np

from truth.world import Facts, Made, world
from truth.worlds.parts import classes, logistic


@world(rows=[300, 1500], intercept=[-5.3, -3.6, -1.6], strength=[0.0, 2.0])
def rare_class(rng, rows, intercept, strength):
    """A second class of about 1, 5 or 20 % of the rows."""
    facts = Facts(signal=strength > 0)
    return Made(_at_least_two(logistic(strength, intercept=intercept)), rows, facts, task="classification")


@world(rows=[200, 500])
def one_rare_of_four(rng, rows):
    """Four classes, one of which has few rows."""
    draw = classes(lambda X: np.column_stack([X[:, 0], X[:, 1], X[:, 2], X[:, 3] - 3.5]), labels=tuple("abcd"))
    return Made(_at_least_two(draw), rows, task="classification")


def _at_least_two(draw):
    """Draws again while a class has fewer than two rows."""

    def again(rng, n):
        while True:
            frame, best = draw(rng, n)
            counts = frame["y"].value_counts()
            if len(counts) == best.shape[1] and counts.min() >= 2:
                return frame, best

    return again
