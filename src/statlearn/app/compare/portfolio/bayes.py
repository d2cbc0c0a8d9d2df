"""How `compare` uses the models of `statlearn.bayes`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "BayesianNetworkClassifier": Entry(2.3, table="native", max_columns=300),
    "BayesianSplineRegressor": Entry(2.6, default=False, max_columns=50, needs=("dense",)),
    "BernoulliNB": Entry(1.0, table="indicators", default=False),
    "CategoricalNB": Entry(1.2, table="codes", default=False),
    "ComplementNB": Entry(1.0, table="counts", default=False, needs=("nonnegative",)),
    "DiscretizingNB": Entry(1.3, table="native"),
    "GaussianNB": Entry(0.9, table="mixed"),
    "MixedNB": Entry(2.2, table="native", max_rows=20_000, max_columns=200),
    "MultinomialNB": Entry(1.0, table="counts", default=False, needs=("nonnegative",)),
}
