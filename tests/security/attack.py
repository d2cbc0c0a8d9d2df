"""Tampered fitted states of every estimator and of the app's models, each built by the reader of model files and asked
all its verbs.

Outcomes:
  refused  the reader does not build it
  answered every verb answers or raises an exception
  harm     something was written, deleted, connected to or run
  crash    the process died; hang: no end in --seconds of work
"""

import contextlib
import io
import os
import resource
import sys
import warnings

from tests.contract.fits import shared_fit
from tests.contract.instances import instance_of
from tests.fuzz.rounds import ESTIMATORS  # imported once, in the server that processes are forked from
from tests.security import app_models
from tests.security.tampering import State, some_changes
from tests.security.verbs import Watch, ask

BAD = ("harm", "crash", "hang")
NAMES = [*app_models.NAMES, *ESTIMATORS]
ROWS = 12  # of the table that a tampered model is asked about
STEP = 50  # changes of an estimator in one process


def fitted(name):
    """A fitted model and a few rows to ask it about."""
    if name in app_models.NAMES:
        return app_models.fitted(name)
    fit = shared_fit(instance_of(name))
    return fit.estimator, fit.X[:ROWS], None if fit.y is None else fit.y[:ROWS]


def try_one(change, state, X, y, watch):
    """The outcome of one change, and what it was."""
    try:
        with watch.on() as harm:
            try:
                model = change(state).model()
            except Exception as error:
                outcome, text = "refused", f"{type(error).__name__}: {error}"
            else:
                outcome, text = "answered", "; ".join(ask(model, X.copy(), None if y is None else y.copy())[:3])
    except RecursionError:
        return "answered", "RecursionError"
    except app_models.Harm as error:
        return "harm", str(error)
    if harm:
        return "harm", harm[0]
    return outcome, text


def work(name, seed, numbers, options, pipe):
    """The changes of these numbers of one estimator, in a process of its own."""
    if options.memory:
        resource.setrlimit(resource.RLIMIT_DATA, (int(options.memory * 2**30),) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    os.environ["PYTHONWARNINGS"] = "ignore"
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    os.dup2(sys.stderr.fileno(), 2)  # what the interpreter prints when memory ends
    with contextlib.redirect_stdout(io.StringIO()):
        model, X, y = fitted(name)
        state = State.of(model)
        ask(model, X, y)  # what is imported by first use is imported now
    drawn = some_changes(state, name, seed)
    watch = Watch()
    for number in list(numbers)[:: app_models.STEP if name in app_models.NAMES else 1]:
        if number >= len(drawn):
            break
        pipe.send(("start", number, drawn[number].text, False))
        outcome, text = try_one(drawn[number], state, X, y, watch)
        pipe.send((outcome, number, f"{drawn[number].text}: {text}" if text else drawn[number].text, False))
    pipe.send(("end", max(numbers), "", False))
