"""How `compare` uses the models of `statlearn.linear`."""

import numpy as np

from statlearn.app.compare.portfolio.entry import Entry


def mixtures_for_unit(y, mixtures=(0.9, 0.5, 0.2)):
    """`l1_ratio` for a target of any unit: the mixtures that a target of variance 1 would have, as glmnet takes them.

    The L1 penalty grows with the unit of the target and the L2 penalty does not, so that a fixed `l1_ratio` is nearly
    ridge for house prices in cents and nearly the lasso for prices in millions.
    """
    s = float(np.std(np.asarray(y, dtype=np.float64))) or 1.0
    return {"l1_ratio": tuple(s * r / (s * r + 1 - r) for r in mixtures)}


ENTRIES = {
    "ARDRegression": Entry(1.4, default=False, needs=("dense",)),
    "AdaptiveLasso": Entry(1.2, default=False),
    "BayesianRidge": Entry(2.0, default=False, needs=("dense",)),
    "BestSubsetRegressor": Entry(1.0, scaled=False, max_columns=30, needs=("dense",)),
    "ElasticNetCV": Entry(1.8, adapt=mixtures_for_unit),
    "GeneralizedLinearRegressor": {
        "Poisson regression": Entry(1.9, max_columns=500, needs=("dense", "counts")),
        "gamma regression": Entry(1.9, max_columns=500, needs=("dense", "positive_target")),
    },
    "GeneralizedLinearRegressorCV": Entry(1.4, default=False, needs=("dense", "counts")),
    "HuberRegressor": Entry(2.0, max_columns=2000),
    "LADRegressor": Entry(1.5, max_rows=50_000, max_columns=200, needs=("dense",)),
    "LassoCV": Entry(1.2),
    "LeastSquaresClassifier": Entry(1.5, scaled=False),
    "LinearRegression": Entry(1.5, scaled=False),
    "LogisticRegression": Entry(1.5, max_columns=1000),
    "LogisticRegressionCV": {"logistic, L2": Entry(2.0), "logistic, L1": Entry(1.2)},
    "NonconvexRegressorCV": Entry(1.2, default=False),
    "PartialLeastSquares": Entry(1.6, max_columns=2000, needs=("dense",)),
    "Perceptron": Entry(2.0, default=False),
    "PrincipalComponentRegression": Entry(1.7, max_columns=2000, needs=("dense",)),
    "QuantileRegressor": Entry(1.3, default=False),
    "RegularizedLinearClassifier": Entry(2.0, default=False, max_rows=50_000),
    "RidgeCV": Entry(2.0),
    "RidgeClassifierCV": Entry(2.0),
    "StepwiseLogistic": Entry(1.1, max_rows=20_000, max_columns=20, needs=("dense", "binary")),
    "StepwiseRegressor": Entry(1.1, scaled=False, default=False, needs=("dense",)),
    "StudentTRegressor": Entry(2.0, default=False, max_columns=2000),
}
