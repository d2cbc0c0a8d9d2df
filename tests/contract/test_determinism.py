"""The same bits whatever the number of threads, and for the same random_state."""

import json
import os
import subprocess
import sys

import pytest
from sklearn.base import clone
from threadpoolctl import ThreadpoolController

import statlearn
from tests.contract.digests import fit_on_many_rows
from tests.contract.instances import all_instances, name_of, outputs
from tests.helpers import assert_same_state, fitted_state

ESTIMATORS = all_instances()
LIBRARIES = ThreadpoolController()  # finding them takes longer than many a fit


def fit_with(threads, estimator, rows):
    """State and answers of a fit in which our own pool and BLAS have so many threads."""
    with statlearn.threads(threads), LIBRARIES.limit(limits=threads, user_api="blas"):
        fitted, X = fit_on_many_rows(clone(estimator), rows)
        return fitted_state(fitted), outputs(fitted, X)


@pytest.mark.filterwarnings("ignore")  # some stop at max_iter here, which is not the question
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
@pytest.mark.parametrize("rows", [2500, pytest.param(10_000, marks=pytest.mark.full)])
def test_one_and_two_threads_give_the_same_bits(estimator, rows):
    (one, answers), (two, same_answers) = (fit_with(threads, estimator, rows) for threads in (1, 2))
    assert_same_state(one, two)
    assert_same_state(answers, same_answers)


def test_processes_with_one_and_two_threads_agree():
    """OMP_NUM_THREADS reaches our pool and BLAS alike; neither it nor another process changes a result."""
    results = []
    for threads in (1, 2):
        run = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "tests.contract.digests"],
            env={**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)},
            capture_output=True,
            text=True,
            check=True,
        )
        used, found = json.loads(run.stdout)
        assert used == threads
        results.append(found)
    assert results[0] == results[1]
