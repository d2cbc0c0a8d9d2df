"""The catalog's data set `carcass6`: fat and meat at one place of a carcass, share of lean meat."""

import numpy as np

X = np.array([[17.0, 51.0], [17.0, 49.0], [14.0, 38.0], [17.0, 58.0], [14.0, 51.0], [20.0, 40.0]])
y = np.array([56.5, 57.6, 55.9, 61.8, 63.0, 54.6])
# The unrounded response behind the text's printed fit.
y_unrounded = np.array([56.524748, 57.5795837, 55.8899405, 61.8171935, 62.959642, 54.5787019])
