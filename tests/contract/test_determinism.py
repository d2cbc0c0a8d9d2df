"""The same bits whatever the number of threads, and for the same random_state."""

import hashlib
import json
import os
import pickle
import subprocess
import sys

import pytest
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import statlearn
from statlearn._core import native
from statlearn.cluster import KMeans
from statlearn.ensemble import RandomForestClassifier
from statlearn.linear import Lasso
from statlearn.mixture import GaussianMixture
from statlearn.smooth import GAM
from tests.contract.instances import MANY_ROWS, all_instances, make_problem, name_of, outputs
from tests.helpers import assert_same_state, fitted_state

ESTIMATORS = all_instances()


def fit_on_many_rows(estimator, rows=10_000):
    """Enough rows that the native loops have several blocks to share out: the coarsest have thousands of rows."""
    X, y = make_problem(estimator, n=min(rows, MANY_ROWS.get(name_of(estimator), rows)), p=6)
    if hasattr(estimator, "random_state"):
        estimator.set_params(random_state=7)
    return estimator.fit(X, y), X


def fit_with(threads, estimator, rows):
    """State and answers of a fit in which our own pool and BLAS have so many threads."""
    with statlearn.threads(threads), threadpool_limits(threads, user_api="blas"):
        fitted, X = fit_on_many_rows(clone(estimator), rows)
        return fitted_state(fitted), outputs(fitted, X)


@pytest.mark.filterwarnings("ignore")  # some stop at max_iter here, which is not the question
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("rows", [2500, pytest.param(10_000, marks=pytest.mark.full)])
def test_one_and_two_threads_give_the_same_bits(estimator, rows):
    (one, answers), (two, same_answers) = (fit_with(threads, estimator, rows) for threads in (1, 2))
    assert_same_state(one, two)
    assert_same_state(answers, same_answers)


def digests():
    """The number of threads, and a digest of what some fitted estimators of other kinds say."""
    found = {}
    for estimator in [Lasso(), RandomForestClassifier(5), KMeans(3), GAM(), GaussianMixture(2)]:
        fitted, X = fit_on_many_rows(estimator)
        found[name_of(estimator)] = hashlib.sha256(pickle.dumps(outputs(fitted, X))).hexdigest()
    return native.common.threads(), found


def test_processes_with_one_and_two_threads_agree():
    """OMP_NUM_THREADS reaches our pool and BLAS alike; neither it nor another process changes a result."""
    results = []
    for threads in (1, 2):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.contract.test_determinism"],
            env={**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=True,
        )
        used, found = json.loads(run.stdout)
        assert used == threads
        results.append(found)
    assert results[0] == results[1]


if __name__ == "__main__":
    print(json.dumps(digests()))
