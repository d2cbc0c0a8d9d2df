"""
Wrong and right cross-validation
================================

Five hundred columns of noise, twenty rows, labels by lot: nothing can be learned, every classifier errs half the
time. Yet cross-validation can be made to say otherwise, by choosing the best column before the folds are made.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.assess import wrong_cv_demo
from statlearn.plot import style

found = wrong_cv_demo(150, random_state=0)
bins = np.linspace(-0.025, 1.025, 22)
with style() as colours:
    fig, axes = plt.subplots(2, 1, figsize=(7, 5.4), sharex=True, layout="constrained")
    for ax, errors, title, colour in (
        (axes[0], found.outside, "wrong: column chosen with all rows", colours.bad),
        (axes[1], found.inside, "right: column chosen within each fold", colours.good),
    ):
        ax.hist(errors, bins=bins, color=colour, alpha=0.75, rwidth=0.9)
        ax.axvline(errors.mean(), color=colours.ink, lw=1.5, label=f"mean {errors.mean():.2f}")
        ax.axvline(found.true_error, color=colours.muted, ls=":", label="true error")
        ax.set(title=title, ylabel="data sets")
        ax.legend(loc="upper right")
    axes[1].set_xlabel("cross-validated error")
plt.show()

# %%
# The wrong way reports an error near 0.2 for a classifier that knows nothing. Every step that looks at the labels
# belongs inside the folds: put it into a pipeline, and cross-validate the pipeline.
