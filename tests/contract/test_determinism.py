"""The same bits whatever the number of threads, and for the same random_state."""

import hashlib
import json
import os
import pickle
import subprocess
import sys

import pytest
from sklearn.base import clone

import statlearn
from tests.contract.instances import MANY_ROWS, all_instances, make_problem, name_of, outputs
from tests.helpers import assert_same_state, fitted_state

ESTIMATORS = all_instances()


def fit_on_many_rows(estimator):
    """Enough rows that the native loops have several blocks to share out."""
    X, y = make_problem(estimator, n=MANY_ROWS.get(name_of(estimator), 10_000), p=6)
    if hasattr(estimator, "random_state"):
        estimator.set_params(random_state=7)
    return estimator.fit(X, y), X


@pytest.mark.filterwarnings("ignore")  # some stop at max_iter here, which is not the question
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_one_and_two_threads_give_the_same_bits(estimator):
    with statlearn.threads(1):
        one, X = fit_on_many_rows(clone(estimator))
    with statlearn.threads(2):
        two, _ = fit_on_many_rows(clone(estimator))
    assert_same_state(fitted_state(one), fitted_state(two))
    assert_same_state(outputs(one, X), outputs(two, X))


def digests():
    """A digest of every fitted estimator, by name."""
    found = {}
    for estimator in all_instances():
        fitted, X = fit_on_many_rows(estimator)
        found[name_of(estimator)] = hashlib.sha256(pickle.dumps(outputs(fitted, X))).hexdigest()
    return found


def test_processes_with_one_and_two_threads_agree():
    """OMP_NUM_THREADS reaches our pool and BLAS alike; neither changes a result."""
    results = []
    for threads in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.contract.test_determinism"],
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        results.append(json.loads(run.stdout))
    assert results[0] == results[1]


if __name__ == "__main__":
    print(json.dumps(digests()))
