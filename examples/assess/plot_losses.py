"""
Losses: what a residual costs, and what a margin costs
======================================================

How much does a loss mind an outlier, and how much does it mind a point on the wrong side?
"""

import matplotlib.pyplot as plt

from statlearn.assess.losses import AbsoluteError, Huber, LogCosh, SquaredError
from statlearn.plot import plot_losses, style

with style():
    fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    plot_losses(
        {
            "squared": SquaredError(),
            "absolute": AbsoluteError(),
            "Huber, δ = 0.1": Huber(0.1),
            "Huber, δ = 1": Huber(1.0),
            "Huber, δ = 3": Huber(3.0),
            "log-cosh": LogCosh(),
        },
        limits=(-5, 5),
        ax=left,
    )
    left.set(title="Regression", ylim=(-0.1, 7))

    # %%
    # Classification with labels -1 and +1: everything depends on the margin y f, positive where the sign is right.
    plot_losses(against="margin", ax=right)
    right.set_title("Classification")
plt.show()

# %%
# Huber's loss is half the square near 0 and straight beyond δ: with δ = 0.1 it is nearly the absolute loss (scaled by
# δ), with δ = 3 nearly half the square. The log-cosh is Huber's loss with δ = 1 without its corner in the slope: half
# the square near 0, the absolute loss minus log 2 far out. On the right, hinge, squared hinge, modified Huber and
# exponential loss lie above the zero-one loss, the perceptron's and the logistic loss cross it; squared hinge and
# modified Huber part at a margin of -1, where the latter becomes straight.
