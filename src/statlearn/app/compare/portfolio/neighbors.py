"""How `compare` uses the models of `statlearn.neighbors`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "KNeighborsClassifier": Entry(4.0, max_rows=100_000, min_rows=80),
    "KNeighborsRegressor": Entry(4.0, max_rows=100_000, min_rows=80),
    "NearestCentroid": Entry(1.0, default=False),
    "ShrunkenCentroidsCV": Entry(1.1),
}
