"""What a comparison is asked to do: checked once, the same for the command line and for Python."""

from dataclasses import dataclass, replace
from os import PathLike

import numpy as np

from statlearn.app.compare.costs import read_costs
from statlearn.app.compare.runner import count_jobs
from statlearn.app.compare.task import TASKS
from statlearn.app.errors import UsageError
from statlearn.app.honesty.findings import check_codes
from statlearn.app.setting_names import option
from statlearn.app.tables.asked_kinds import check_kinds
from statlearn.app.tables.learning_table import column_names
from statlearn.app.tables.table import Table

_CHOICES = {"task": TASKS, "rule": ("min", "one_se"), "search": ("grid", "bayes")}


@dataclass(frozen=True, eq=False)
class Request:
    """A table and the settings of its comparison, as documented at `statlearn.compare`.

    Settings that need no table are checked when a request is made; sequences of names become tuples.
    """

    table: Table
    y: object  # the target: the name of a column, its values or a formula
    task: str = "auto"
    models: tuple[str, ...] | None = None
    metric: str | None = None
    folds: int = 10
    repeats: int = 1
    holdout: float = 0.2
    groups: object = None
    time_order: object = None
    folds_random: bool = False  # whether folds are drawn at random even where groups or time are detected
    keep: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    rule: str = "min"
    search: str = "grid"
    time_limit: float | None = None
    budget: float | None = None  # seconds of the limit for the comparison itself; None: all of them
    n_jobs: int = 1
    cluster: object = None  # a Dask cluster for the fits: the address of its scheduler, or a client
    random_state: int = 0
    mute: tuple[str, ...] = ()
    out: str | PathLike | None = None
    resume: bool = False
    command: str | None = None  # the command line, for the report
    cost: object = None  # of mistakes with two classes: "fp=1,fn=5" or a mapping
    weights: object = None  # a column of frequencies: each row counts as that many rows
    kinds: object = None  # what columns are: a word or levels from low to high, by column
    store_rows: bool = False  # whether the model file gets a sample of the training rows

    def __post_init__(self):
        for name, known in _CHOICES.items():
            if (value := getattr(self, name)) not in known:
                words = f"{', '.join(map(repr, known[:-1]))} or {known[-1]!r}"
                raise UsageError(f"{option(name)} must be {words}, got {value!r}")
        _check_integer("folds", self.folds, 2)
        _check_integer("repeats", self.repeats, 1)
        if not 0 <= self.holdout < 1:
            raise UsageError(f"{option('holdout')} must be at least 0 and below 1, got {self.holdout!r}")
        if not isinstance(self.random_state, (int, np.integer)) or self.random_state < 0:
            raise UsageError(f"{option('random_state')} must be a non-negative integer, got {self.random_state!r}")
        if self.time_limit is not None and not self.time_limit > 0:
            raise UsageError(f"{option('time_limit')} must be a positive number of seconds, got {self.time_limit!r}")
        if self.cluster is not None and self.time_limit is not None:
            raise UsageError(
                f"{option('time_limit')} must be left out with {option('cluster')}: a race for time has no result that "
                "is the same everywhere"
            )
        if self.resume and self.out is None:
            raise UsageError(f"{option('resume')} needs the folder of the earlier run; pass it as {option('out')}")
        check_codes(self.mute)
        settled = {
            "models": None if self.models is None else tuple(self.models),
            "keep": column_names(self.keep, "keep"),
            "drop": column_names(self.drop, "drop"),
            "kinds": check_kinds(self.kinds),
            "cost": read_costs(self.cost),
            "n_jobs": count_jobs(self.n_jobs),
            "random_state": int(self.random_state),
            "mute": tuple(code.upper() for code in self.mute),
            "budget": self.time_limit if self.budget is None else self.budget,
        }
        for name, value in settled.items():
            object.__setattr__(self, name, value)

    def without(self, columns):
        """The same request with these columns left out."""
        return replace(self, drop=(*self.drop, *columns))


def _check_integer(name, value, least):
    if not isinstance(value, int) or value < least:
        raise UsageError(f"{option(name)} must be an integer of at least {least}, got {value!r}")
