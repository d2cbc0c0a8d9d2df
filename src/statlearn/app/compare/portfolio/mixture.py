"""How `compare` uses the models of `statlearn.mixture`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "HierarchicalMixtureOfExperts": Entry(4.0, default=False, max_rows=50_000, max_columns=200),
    "HierarchicalMixtureOfExpertsClassifier": Entry(4.0, default=False, max_rows=50_000, max_columns=200),
    "LinearRegressionMixture": Entry(3.0, default=False, max_rows=100_000, max_columns=200),
    "LogisticRegressionMixture": Entry(3.0, default=False, max_rows=100_000, max_columns=200),
    "MixtureOfExperts": Entry(3.5, default=False, max_rows=50_000, max_columns=200),
    "MixtureOfExpertsClassifier": Entry(3.5, default=False, max_rows=50_000, max_columns=200),
}
