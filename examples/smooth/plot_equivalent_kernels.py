"""
A smoothing spline is nearly a kernel smoother
==============================================

Local lines with the tri-cube kernel and a smoothing spline, both with 5.86 degrees of freedom: with which weights do
they average the responses?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.smooth import LocalPolynomialRegressor, SmoothingSpline, equivalent_kernel, match_df

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(-2.2, 2.2, size=150))
y = np.cos(x) + 0.2 * rng.normal(size=150)
width = match_df(LocalPolynomialRegressor(), x, 5.86)
local = LocalPolynomialRegressor(width).fit(x[:, None], y)
spline = SmoothingSpline(df=5.86).fit(x, y)
print(
    f"bandwidth {width:.2f} and lambda {spline.lam_:.3g} have {local.df_:.2f} and {spline.df_:.2f} degrees of freedom"
)

fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained", sharey=True)
for ax, place, name in zip(axes, (x[1], x[75]), ("near the boundary", "in the interior")):
    one, other = equivalent_kernel(local, [[place]])[0], equivalent_kernel(spline, [place])[0]
    ax.plot(x, one, color="C1", label="local lines, tri-cube")
    ax.plot(x, other, color="C0", label="smoothing spline")
    ax.axvline(place, color="0.7", ls="--", lw=1)
    ax.set(title=f"{name}: correlation {np.corrcoef(one, other)[0, 1]:.2f}", xlabel="x")
    ax.legend()
plt.show()

# %%
# At equal degrees of freedom the two smoothers do nearly the same. The spline's weights have small negative side lobes
# in the interior, and near the boundary both lean on the nearest points as a line through them must.
