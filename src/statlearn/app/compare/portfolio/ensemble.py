"""How `compare` uses the models of `statlearn.ensemble`."""

from statlearn.app.compare.portfolio.entry import Entry

# Dimensions of a Bayesian search of forests.
FOREST_RANGES = {"max_features": (0.1, 1.0), "min_samples_leaf": (1, 30, "log-uniform"), "max_samples": (0.3, 1.0)}
# Dimensions of a Bayesian search in addition to the number of trees, which early stopping chooses.
BOOSTING_RANGES = {
    "max_leaf_nodes": (3, 63, "log-uniform"),
    "min_samples_leaf": (1, 60, "log-uniform"),
    "max_features": (0.2, 1.0),
    "reg_lambda": (0.001, 30.0, "log-uniform"),
    "subsample": (0.5, 1.0),
}
BOOSTING_ORDER = ("max_leaf_nodes", "-min_samples_leaf", "-reg_lambda")
FEW_ROWS = 10_000  # below this number of rows a second fit, which includes the held-out tenth, is worthwhile


def _all_rows(model, n_rows):
    """Settings for a fit to all rows: the same number of trees, raised slightly because there are more rows."""
    if n_rows > FEW_ROWS:
        return None
    return {"n_estimators": max(1, round(1.05 * model.n_estimators_)), "n_iter_no_change": None}


ENTRIES = {
    "AdaBoostClassifier": Entry(4.0, scaled=False, default=False),
    "AdaBoostRegressor": Entry(4.0, scaled=False, default=False, needs=("dense",)),
    "BaggingClassifier": Entry(5.0, scaled=False, default=False),
    "BaggingRegressor": Entry(5.0, scaled=False, default=False),
    "ExtraTreesClassifier": Entry(
        5.0, untuned={"max_features": "sqrt", "min_samples_leaf": 1}, trial={"n_estimators": 100}, table="native"
    ),
    "ExtraTreesRegressor": Entry(
        5.0, untuned={"max_features": 1.0, "min_samples_leaf": 3}, trial={"n_estimators": 100}, table="native"
    ),
    "ForwardStagewise": Entry(4.0, scaled=False, default=False),
    "GentleBoostClassifier": Entry(4.0, scaled=False, default=False),
    "GradientBooster": Entry(5.0, scaled=False, default=False),
    "GradientBoostingClassifier": Entry(
        5.0,
        trial={"learning_rate": 0.15, "n_estimators": 200},
        all_rows=_all_rows,
        averaged=True,
        table="native",
        ranges=BOOSTING_RANGES,
        order=BOOSTING_ORDER,
    ),
    "GradientBoostingRegressor": Entry(
        5.0,
        trial={"learning_rate": 0.15, "n_estimators": 200},
        all_rows=_all_rows,
        averaged=True,
        table="native",
        ranges=BOOSTING_RANGES,
        order=BOOSTING_ORDER,
    ),
    "LogitBoostClassifier": Entry(4.0, scaled=False, default=False),
    "RandomForestClassifier": Entry(
        5.0,
        untuned={"max_features": "sqrt", "min_samples_leaf": 1},
        trial={"n_estimators": 100},
        table="native",
        ranges=FOREST_RANGES,
        order=("-min_samples_leaf",),
    ),
    "RandomForestRegressor": Entry(
        5.0,
        untuned={"max_features": 0.7, "min_samples_leaf": 3},
        trial={"n_estimators": 100},
        table="native",
        ranges=FOREST_RANGES,
        order=("-min_samples_leaf",),
    ),
    "StackingClassifier": Entry(6.0, default=False),
    "StackingRegressor": Entry(6.0, default=False),
    "VotingClassifier": Entry(6.0, default=False),
    "VotingRegressor": Entry(6.0, default=False),
}
