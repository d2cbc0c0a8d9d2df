"""What a loaded model is asked, and what must not happen meanwhile."""

import contextlib
import inspect
import io
import itertools
import os
import sys
import types
import warnings

import numpy as np

from tests.security import app_models

# A refit forgets the state; figures, files and copies are not tested here.
LEFT_OUT = {"fit", "fit_predict", "fit_transform", "fit_resample", "fit_path", "get_params", "set_params", "set_output"}
HARMFUL = {
    *("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "subprocess.Popen", "pty.spawn"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown"),
    *("shutil.rmtree", "shutil.move", "shutil.copyfile", "socket.connect", "socket.bind", "ctypes.dlopen"),
    *("urllib.Request", "pickle.find_class", "webbrowser.open"),
}
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FIRST_ITEMS = 20  # of answers that come one by one


class Watch:
    """Notes harmful events of the process while it is on; one for the whole process, since hooks stay."""

    def __init__(self):
        self.is_on, self.seen = False, []
        sys.addaudithook(self._hear)

    def _hear(self, event, arguments):
        if not self.is_on:
            return
        if event == "open":
            path, _, flags = arguments
            if not (isinstance(flags, int) and flags & WRITES) or path in (os.devnull, os.devnull.encode()):
                return
        elif event not in HARMFUL:
            return
        self.seen.append(f"{event} {arguments!r}"[:200])

    @contextlib.contextmanager
    def on(self):
        self.seen.clear()
        self.is_on = True
        try:
            yield self.seen
        finally:
            self.is_on = False


def verbs_of(estimator):
    """Names of methods that can be called with nothing, or with a table and its target."""
    for name in dir(type(estimator)):
        if name in LEFT_OUT or (name[0] == "_" and name != "__repr__") or name.startswith(("set_", "plot", "save")):
            continue
        method = inspect.getattr_static(type(estimator), name)
        if isinstance(method, (staticmethod, classmethod)) or not callable(getattr(type(estimator), name, None)):
            continue
        yield name


def arguments_for(method, X, y):
    """Positional arguments of a method, or None where it needs what we do not have."""
    found = []
    for parameter in inspect.signature(method).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.name == "X":
            found.append(X)
        elif parameter.name == "y":
            found.append(y)
        elif parameter.default is parameter.empty:
            if parameter.name not in ("n_samples", "n", "k", "Z", "Y"):
                return None
            found.append(X if parameter.name in "ZY" else 3)
        else:
            break
    return found


def ask(estimator, X, y):
    """Ask everything; what was raised, as text."""
    raised = []
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for verb in verbs_of(estimator):
            try:
                method = getattr(estimator, verb)
                arguments = arguments_for(method, X, y)
                if arguments is None:
                    continue
                answer = method(*arguments)
                if isinstance(answer, types.GeneratorType):
                    answer = list(itertools.islice(answer, FIRST_ITEMS))
                str(answer)
            except Exception as error:
                raised.append(f"{verb}: {type(error).__name__}: {error}"[:200])  # the error would keep its frames
        for command in app_models.commands(estimator):
            try:
                command(estimator, X)
            except Exception as error:
                raised.append(f"{command.__name__}: {type(error).__name__}: {error}"[:200])
    return raised
