"""How `compare` uses the models of `statlearn.assess`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "BaselineClassifier": Entry(0.0, scaled=False),
    "BaselineRegressor": Entry(0.0, scaled=False),
}
