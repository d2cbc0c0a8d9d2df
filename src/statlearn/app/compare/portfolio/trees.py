"""How `compare` uses the models of `statlearn.trees`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "C45Classifier": Entry(3.2, table="native", max_rows=200_000),
    "DecisionTreeClassifier": Entry(3.0, table="native"),
    "DecisionTreeRegressor": Entry(3.0, table="native"),
    "ModelTreeRegressor": Entry(3.6, table="native", max_rows=200_000, max_columns=200, needs=("dense",)),
    "ObliqueTreeClassifier": Entry(3.4, table="native", max_rows=20_000, max_columns=100, needs=("dense",)),
    "ObliqueTreeRegressor": Entry(3.4, table="native", max_rows=20_000, max_columns=100, needs=("dense",)),
}
