"""The end of the interpreter while other threads are in fits."""

import os
import sys
import threading
import time

_PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


def shut_down(gate, seconds=5.0):
    """End what other threads do in this package by SystemExit, and let no kernel return to Python later.

    Called at exit, when daemon threads may still run. Python ends such threads as soon as they ask for its lock. Up to
    version 3.13 it unwinds their stacks, which aborts the process if there is compiled C++ code on it: a kernel of
    ours, or a function of numpy. So they are asked to leave before that: kernels by an interrupt, Python code by an
    exception.

    Parameters
    ----------
    gate : module
        ``common`` of the compiled core.
    seconds : float, default=5.0
        Longest wait. Kernels and Python code return in a fraction of a second, single long calls of LAPACK may not.
    """
    gate.begin_exit()
    begin = time.monotonic()
    asked = {}
    while (inside := _threads_inside()) and time.monotonic() < begin + seconds:
        for thread in inside:
            if time.monotonic() > asked.get(thread, 0.0) + 0.5:  # some `except` clauses catch all that there is
                gate.end_thread(thread)
                asked[thread] = time.monotonic()
        time.sleep(0.005)
    gate.close(max(0.0, begin + seconds - time.monotonic()))


def _threads_inside():
    """The other threads that have a frame of this package on their stack."""
    frames = sys._current_frames()
    del frames[threading.get_ident()]
    return [thread for thread, frame in frames.items() if _is_inside(frame)]


def _is_inside(frame):
    while frame is not None:
        if frame.f_code.co_filename.startswith(_PACKAGE):
            return True
        frame = frame.f_back
    return False
