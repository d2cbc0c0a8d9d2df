"""How `compare` uses the models of `statlearn.decomposition`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "ComponentClassifier": {
        "principal components + logistic regression": Entry(2.1, default=False, max_columns=2000, needs=("dense",)),
        "independent components + logistic regression": Entry(2.1, default=False, max_columns=2000, needs=("dense",)),
        "non-negative factors + logistic regression": Entry(2.1, default=False, max_columns=2000, needs=("dense",)),
    },
    "ComponentRegressor": {
        "independent components + ridge": Entry(2.1, default=False, max_columns=2000, needs=("dense",)),
        "non-negative factors + ridge": Entry(2.1, default=False, max_columns=2000, needs=("dense",)),
    },
}
