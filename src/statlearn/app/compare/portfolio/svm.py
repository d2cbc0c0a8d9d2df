"""How `compare` uses the models of `statlearn.svm`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "LinearSVC": Entry(2.0, default=False),  # no probabilities, which the default ranking needs
    "LinearSVR": Entry(2.0, default=False),
    "SGDClassifier": Entry(2.0, default=False),  # approximates the logistic regression of the portfolio
    "SGDRegressor": Entry(2.0, default=False),
    "SVC": Entry(5.0, max_rows=5000),
    "SVR": Entry(5.0, max_rows=5000),
}
