"""
Activations and their slopes
============================

An activation bends what would otherwise be one linear map. Its slope decides how much of the error reaches the layers
below.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.neural import activation
from statlearn.plot import style

x = np.linspace(-4, 4, 801)
with style() as colours:
    fig, axes = plt.subplots(2, 3, figsize=(10, 5.6), sharex=True, layout="constrained")
    for ax, name in zip(axes.flat, ["identity", "relu", "softplus", "threshold", "logistic", "tanh"]):
        function = activation(name)
        values, slopes = function(x), function.derivative(x)
        if name in ("relu", "threshold"):  # a jump is no vertical line
            jump = np.argmin(np.abs(x))
            slopes = np.where(np.arange(len(x)) == jump, np.nan, slopes)
            values = np.where((np.arange(len(x)) == jump) & (name == "threshold"), np.nan, values)
        ax.plot(x, values, color=colours.cycle[0], label="value")
        ax.plot(x, slopes, color=colours.cycle[1], linestyle="--", label="slope")
        ax.set_title(name)
        ax.set_ylim(-1.3, 2.3)
    axes[0, 0].legend()
plt.show()

# %%
# The slope of the logistic function is at most 1/4 and vanishes on both sides, so that errors fade in deep stacks of
# it. The ReLU passes them on unchanged where it is active. The hard threshold has slope 0 everywhere: nothing below it
# can learn by gradients. The softplus is a smooth ReLU, and its slope is the logistic function.
