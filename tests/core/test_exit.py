"""The end of the interpreter while other threads are in kernels."""

import subprocess
import sys

import pytest

FITS = """
import threading, time, warnings
import numpy as np
from multiprocessing.pool import ThreadPool
from statlearn.cluster import KMeans
from statlearn.ensemble import GradientBoostingRegressor, RandomForestClassifier
from statlearn.gp import GaussianProcessRegressor
from statlearn.graphical import GraphicalLasso
from statlearn.linear import LassoCV
from statlearn.mixture import GaussianMixture
from statlearn.neighbors import KNeighborsClassifier
from statlearn.smooth import MARS
from statlearn.svm import SVC

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.normal(size=(400, 5))
y = X[:, 0] + rng.normal(size=400)
labels = (y > 0).astype(int)
started = []


def fits(model, target):
    started.append(model)
    while True:
        model.fit(X, target)
        if hasattr(model, "predict"):
            model.predict(X)


jobs = [
    (KMeans(9), None), (GradientBoostingRegressor(), y), (RandomForestClassifier(), labels),
    (GaussianProcessRegressor(), y), (GraphicalLasso(), None), (LassoCV(), y), (GaussianMixture(4), None),
    (KNeighborsClassifier(), labels), (MARS(), y), (SVC(), labels),
]
"""
IN_DAEMONS = "for job in jobs: threading.Thread(target=fits, args=job, daemon=True).start()"
IN_POOL = "pool = ThreadPool(len(jobs)); pool.starmap_async(fits, jobs, chunksize=1)"
WAIT = """
while len(started) < len(jobs):
    time.sleep(0.01)
time.sleep(0.3)
"""
SPIN = """
import atexit, threading, time
from statlearn._core.exit import shut_down
from statlearn._core.native import common, probes

flag = threading.Event()


def spin():
    flag.set()
    probes.sleep(SECONDS)  # hears nothing


threading.Thread(target=spin, daemon=True).start()
flag.wait()
atexit.unregister(shut_down)
atexit.register(shut_down, common, 0.0)
"""


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("start", [IN_DAEMONS, IN_POOL], ids=["daemons", "pool"])
def test_threads_in_kernels_do_not_abort_the_exit(start):
    done = run(FITS + start + WAIT)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("seconds", ["0.3", "3600.0"], ids=["late", "never"])
def test_threads_that_do_not_return_in_time_never_come_back(seconds):
    # The main thread is busy after the hook, so that a late thread returns while the interpreter shuts down.
    done = run("import atexit, time; atexit.register(time.sleep, 0.6)\n" + SPIN.replace("SECONDS", seconds))
    assert (done.returncode, done.stderr) == (0, "")


def test_the_main_thread_fits_after_the_hook():
    code = """
import atexit
import numpy as np

def last():
    X = np.arange(12.0).reshape(6, 2) ** 2
    print(Ridge().fit(X, X[:, 0]).predict(X).shape)

atexit.register(last)
from statlearn.linear import Ridge
"""
    done = run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "(6,)\n", "")


def test_threads_that_call_kernels_after_the_hook_end_quietly():
    code = """
import threading, time
from statlearn._core.exit import shut_down
from statlearn._core.native import common, probes

ended = []
def calls():
    try:
        while True:
            probes.spin(0.01)
    finally:
        ended.append(True)

caller = threading.Thread(target=calls, daemon=True)
caller.start()
shut_down(common)
caller.join(10)
print(ended)
"""
    done = run(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[True]\n", "")
