"""How `compare` uses the models of `statlearn.neural`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "MLPClassifier": Entry(
        5.0,
        trial={"n_iter_no_change": 5},
        averaged=True,
        scaled="normal",
        default_rows=500,
        max_rows=200_000,
        max_columns=1000,
        needs=("torch",),
    ),
    "MLPRegressor": Entry(
        5.0,
        trial={"n_iter_no_change": 5},
        averaged=True,
        scaled="normal",
        default_rows=500,
        max_rows=200_000,
        max_columns=1000,
        needs=("torch",),
    ),
}
