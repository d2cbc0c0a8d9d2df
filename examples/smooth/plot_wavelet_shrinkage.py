"""
Jumps, peaks and chirps: wavelet shrinkage against a smoothing spline
=====================================================================

Donoho and Johnstone's four curves at 1024 equally spaced points, scaled to a standard deviation of 7, with noise of
standard deviation 1. None of them is equally smooth everywhere.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import SmoothingSpline, WaveletSmoother

t = np.arange(1024) / 1024
places = np.array([0.1, 0.13, 0.15, 0.23, 0.25, 0.4, 0.44, 0.65, 0.76, 0.78, 0.81])
steps = np.array([4, -5, 3, -4, 5, -4.2, 2.1, 4.3, -3.1, 2.1, -4.2])
peaks = np.array([4, 5, 3, 4, 5, 4.2, 2.1, 4.3, 3.1, 5.1, 4.2])
widths = np.array([0.005, 0.005, 0.006, 0.01, 0.01, 0.03, 0.01, 0.01, 0.005, 0.008, 0.005])
curves = {
    "blocks": (t[:, None] >= places) @ steps,
    "bumps": (1 + np.abs((t[:, None] - places) / widths)) ** -4.0 @ peaks,
    "heavisine": 4 * np.sin(4 * np.pi * t) - np.sign(t - 0.3) - np.sign(0.72 - t),
    "doppler": np.sqrt(t * (1 - t)) * np.sin(2.1 * np.pi / (t + 0.05)),
}
rng = np.random.default_rng(0)
fig, axes = plt.subplots(4, 3, figsize=(11, 9), sharex=True, sharey="row", layout="constrained")
print("mean squared error   wavelets   spline   coefficients kept")
for (name, curve), row in zip(curves.items(), axes, strict=True):
    truth = 7 * (curve - curve.mean()) / curve.std()
    y = truth + rng.normal(size=1024)
    wavelets = WaveletSmoother("sure", wavelet="haar" if name == "blocks" else "sym8").fit(t, y)
    spline = SmoothingSpline().fit(t, y)
    for ax, values, title in zip(row, (y, wavelets.predict(t), spline.predict(t)), ("data", "wavelets", "spline")):
        ax.plot(t, values, lw=0.8, color="C0")
        ax.set_title(f"{name}: {title}", fontsize=9)
    errors = [np.mean((model.predict(t) - truth) ** 2) for model in (wavelets, spline)]
    print(f"{name:20} {errors[0]:8.3f} {errors[1]:8.3f} {wavelets.n_nonzero_:10}")
plt.show()

# %%
# A spline has one penalty for the whole curve: where it is flexible enough for a jump or a peak, it follows the noise
# elsewhere. Wavelet coefficients are large only near the jump, at every scale, and the others are set to zero. For
# heavisine, which is smooth but for two small jumps, there is little to gain.
