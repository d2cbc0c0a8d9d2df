"""How `compare` uses the models of `statlearn.gp`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "GaussianProcessClassifier": Entry(5.0, default=False, max_rows=1500),
    "GaussianProcessRegressor": Entry(5.0, default=False, max_rows=3000),
}
