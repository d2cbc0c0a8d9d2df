"""How an optimiser writes its steps to a study file, and continues from it."""

import math
from collections.abc import Mapping

from ._study_file import StudyFile
from ._trials import DONE, FAILED, PENDING, WAITING, Trial


class StudyLog:
    """The part of `BayesianOptimizer` that keeps a study on disk."""

    def _header(self):
        return {
            "space": self.space.describe(),
            "n_objectives": self.n_objectives,
            "n_constraints": self.n_constraints,
            "maximize": [bool(sign < 0) for sign in self._sign],
        }

    def _open(self, path):
        header = self._header()
        self._journal = StudyFile(path, {**header, "seed": self._seed})
        stored = self._journal.header
        for name, value in header.items():
            if stored.get(name) != value:
                self._journal.close()
                raise ValueError(
                    f"`study`: {str(path)!r} belongs to another optimisation: its `{name}` is {stored.get(name)}, not "
                    f"{value}. Use another file, or the same arguments."
                )
        line = 1
        try:
            self._seed = self._checked_seed(stored)
            for event in self._journal.events:
                line += 1
                self._replay(event)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            self._journal.close()
            raise ValueError(
                f"`study`: line {line} of {str(path)!r} does not belong to this study ({error})."
            ) from error
        for trial in self.trials:
            if trial.status == PENDING:
                trial.status = WAITING

    def _replay(self, event):
        number = event["trial"]
        if type(number) is not int or not 0 <= number < len(self.trials) + ("x" in event):
            raise ValueError(f"there is no trial {number!r}")
        if "x" in event:
            if number != len(self.trials) or type(event["origin"]) is not str:
                raise ValueError(f"trial {number} cannot begin there")
            point = self._from_stored(event["x"])
            self.trials.append(Trial(number, point, self.space.positions(point), origin=event["origin"]))
        trial = self.trials[number]
        trial.seconds = event.get("seconds")
        if trial.seconds is not None and not _are_numbers([trial.seconds], 1):
            raise ValueError(f"trial {number} took {trial.seconds!r} seconds")
        if "y" in event:
            constraints = event.get("c", [])
            if not (_are_numbers(event["y"], self.n_objectives) and _are_numbers(constraints, self.n_constraints)):
                raise ValueError(f"trial {number} has other values than {self.n_objectives} objectives")
            trial.status, trial.values, trial.constraints = DONE, event["y"], constraints
        elif "error" in event:
            trial.status, trial.error = FAILED, str(event["error"])

    @staticmethod
    def _checked_seed(header):
        seed = header["seed"]
        if type(seed) is not int or seed < 0:
            raise ValueError(f"the seed is {seed!r}")
        return seed

    def _to_stored(self, point):
        values = [point[name] for name in self.space.names] if isinstance(point, Mapping) else point
        return [
            value if hasattr(dim, "low") else round(dim.position(value) * dim.n_values - 0.5)
            for dim, value in zip(self.space.dimensions, values)
        ]

    def _from_stored(self, values):
        values = [
            value if hasattr(dim, "low") else dim.categories[range(len(dim.categories))[value]]
            for dim, value in zip(self.space.dimensions, values, strict=True)
        ]
        return values if self.space.names is None else dict(zip(self.space.names, values))

    def _write(self, event):
        if self._journal is not None:
            self._journal.append(event)

    def close(self):
        """Close the study file, so that another process can open it."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _are_numbers(values, n):
    """Whether this is a list of n finite numbers, as JSON has them."""
    return (
        type(values) is list
        and len(values) == n
        and all(type(value) in (int, float) and math.isfinite(value) for value in values)
    )
