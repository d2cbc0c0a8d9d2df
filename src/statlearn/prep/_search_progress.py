"""Progress of stepwise searches: lines for those who ask, one warning for those who do not."""

import time

from statlearn._core.warnings import warn

LINE_SECONDS = 5.0  # between two lines within a step
PATIENCE_SECONDS = 5.0  # of a silent search before its length is estimated
LONG_SECONDS = 60.0  # a silent search expected to take longer reports its progress


class SearchProgress:
    """Progress of a search over sets of columns.

    Parameters
    ----------
    name : str
        The estimator that searches.
    sizes : list of int
        Number of sets in each step, if the search makes all of them.
    n_fits : int
        Number of fits that a set takes.
    verbose : int or bool
        Whether lines are printed.
    """

    def __init__(self, name, sizes, n_fits, verbose):
        self._name, self._n_fits, self._verbose = name, n_fits, verbose
        self._ends = [sum(sizes[: k + 1]) for k in range(len(sizes))]
        self._total, self._done = sum(sizes), 0
        self._start = self._last_line = time.monotonic()
        self._warned = False

    def set_begins(self):
        """Called before each set is scored."""
        now = time.monotonic()
        spent = now - self._start
        if self._verbose:
            self._print_line(now, spent)
        elif not self._warned and spent >= PATIENCE_SECONDS:
            left = self._seconds_left(spent)
            if spent + left > LONG_SECONDS:
                self._warned = True
                warn(
                    f"{self._name} fits {self._total * self._n_fits:,} models (up to {self._total:,} sets of columns, "
                    f"{self._n_fits:,} fits each) and will take about {_duration(left)} more. Fewer folds or `n_jobs` "
                    "shorten that, and `verbose=1` shows the progress."
                )
        self._done += 1

    def _seconds_left(self, spent):
        return spent / max(self._done, 1) * (self._total - self._done)

    def _print_line(self, now, spent):
        step = sum(self._done >= end for end in self._ends)
        if self._done and (self._done in self._ends or now - self._last_line >= LINE_SECONDS):
            self._last_line = now
            print(
                f"{self._name}: step {min(step + 1, len(self._ends))} of at most {len(self._ends)}, "
                f"{self._done:,} of at most {self._total:,} sets of columns scored in {_duration(spent)}, "
                f"about {_duration(self._seconds_left(spent))} left",
                flush=True,
            )


class AnnouncedSplitter:
    """A splitter that reports each use: one set of columns takes one.

    Parameters
    ----------
    cv : splitter
    progress : SearchProgress
    """

    def __init__(self, cv, progress):
        self._cv, self._progress = cv, progress

    def split(self, X, y=None, **groups):
        """The folds of the splitter."""
        self._progress.set_begins()
        return self._cv.split(X, y, **groups)

    def __getattr__(self, name):
        return getattr(self.__dict__["_cv"], name)


def _duration(seconds):
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
