"""How an optimiser writes its steps to a study file, and continues from it."""

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
        found = self._journal.header
        for name, value in header.items():
            if found.get(name) != value:
                self._journal.close()
                raise ValueError(
                    f"`study`: {str(path)!r} belongs to another optimisation: its `{name}` is {found.get(name)}, not "
                    f"{value}. Use another file, or the same arguments."
                )
        self._seed = found["seed"]
        for event in self._journal.events:
            self._replay(event)
        for trial in self.trials:
            if trial.status == PENDING:
                trial.status = WAITING

    def _replay(self, event):
        number = event["trial"]
        if "x" in event:
            point = self._from_stored(event["x"])
            self.trials.append(Trial(number, point, self.space.positions(point), origin=event["origin"]))
        trial = self.trials[number]
        trial.seconds = event.get("seconds")
        if "y" in event:
            trial.status, trial.values, trial.constraints = DONE, event["y"], event.get("c", [])
        elif "error" in event:
            trial.status, trial.error = FAILED, event["error"]

    def _to_stored(self, point):
        values = [point[name] for name in self.space.names] if isinstance(point, Mapping) else point
        return [
            value if hasattr(dim, "low") else round(dim.position(value) * dim.n_values - 0.5)
            for dim, value in zip(self.space.dimensions, values)
        ]

    def _from_stored(self, values):
        values = [
            value if hasattr(dim, "low") else dim.categories[value] for dim, value in zip(self.space.dimensions, values)
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
