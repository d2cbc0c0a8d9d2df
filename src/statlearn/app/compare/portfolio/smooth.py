"""How `compare` uses the models of `statlearn.smooth`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "AdditiveModel": Entry(2.5, scaled=False, default=False, max_columns=60),
    "BRUTO": Entry(2.4, scaled=False, default=False, max_rows=500_000, max_columns=500),
    "GAM": Entry(2.5, scaled=False, max_columns=60),
    "GAMClassifier": Entry(2.5, scaled=False, max_columns=60),
    "KernelDensityClassifier": Entry(
        4.0, default=False, max_rows=50_000, max_columns=20, min_rows=40, needs=("dense",)
    ),
    "LocalLikelihood": {
        "local lines": Entry(3.0, default=False, max_rows=5000, max_columns=8, min_rows=60, needs=("dense",)),
        "local Poisson regression": Entry(
            3.0, default=False, max_rows=5000, max_columns=8, min_rows=60, needs=("dense", "counts")
        ),
    },
    "LocalLogistic": Entry(3.0, default=False, max_rows=5000, max_columns=8, min_rows=60, needs=("dense",)),
    "Loess": Entry(3.0, scaled=False, max_columns=3, min_rows=60, needs=("dense",)),
    "MARS": {"MARS, additive": Entry(2.5, scaled=False), "MARS, interactions": Entry(3.5, scaled=False)},
    "MARSClassifier": Entry(3.0, scaled=False, max_columns=200),
    "ProjectionPursuitRegressor": Entry(4.0, scaled=False, default=False, max_rows=50_000, max_columns=50, min_rows=50),
    "RegressionSpline": Entry(2.5, scaled=False, default=False, needs=("dense",)),
    "SplineLogistic": Entry(2.5, max_columns=60, needs=("binary",)),
    "ThinPlateSpline": Entry(4.0, default=False, max_rows=20_000, max_columns=4, needs=("dense",)),
}
