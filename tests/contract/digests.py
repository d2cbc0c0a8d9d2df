"""What some fitted estimators of different kinds say, as digests: run as a process by test_determinism.py."""

import hashlib
import json
import pickle

from statlearn._core import native
from statlearn.cluster import KMeans
from statlearn.ensemble import RandomForestClassifier
from statlearn.linear import Lasso
from statlearn.mixture import GaussianMixture
from statlearn.smooth import GAM
from tests.contract.instances import MANY_ROWS, make_problem, name_of, outputs


def fit_on_many_rows(estimator, rows=10_000):
    """Enough rows that the native loops have several blocks to share out: the coarsest have thousands of rows."""
    X, y = make_problem(estimator, n=min(rows, MANY_ROWS.get(name_of(estimator), rows)), p=6)
    if hasattr(estimator, "random_state"):
        estimator.set_params(random_state=7)
    return estimator.fit(X, y), X


def digests():
    """The number of threads, and a digest of what some fitted estimators of other kinds say."""
    found = {}
    for estimator in [Lasso(), RandomForestClassifier(5), KMeans(3), GAM(), GaussianMixture(2)]:
        fitted, X = fit_on_many_rows(estimator)
        found[name_of(estimator)] = hashlib.sha256(pickle.dumps(outputs(fitted, X))).hexdigest()
    return native.common.threads(), found


if __name__ == "__main__":
    print(json.dumps(digests()))
