"""Finished units of work on disk, one file each, so that a comparison can continue where it stopped."""

import hashlib
import io
import json
import shutil
from dataclasses import asdict
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from statlearn import __version__
from statlearn._core import atomic_files
from statlearn.app.compare.fitting import ALL_ROWS, Record
from statlearn.app.compare.result import TuningCurve
from statlearn.app.errors import ModelFileError, StateError
from statlearn.app.files import make_folder
from statlearn.app.model import file as model_file
from statlearn.app.model.format.archive import Members
from statlearn.app.setting_names import option
from statlearn.app.tables import frames

ABOUT = "about.json"  # what the records of a folder depend on; the mark of a folder of checkpoints
WORTH_SAVING = 1.0  # seconds: a model that is fitted sooner is fitted again when it is wanted


class State:
    """A folder of records. Without a folder nothing is kept.

    A record with a model (a fit on all rows, or one that a stack averages) counts as absent if its model was not worth
    a file.
    """

    def __init__(self, folder, description, *, resume=False):
        """Open the folder; a new comparison empties it, a resumed one must have the same description.

        Parameters
        ----------
        folder : path or None
        description : dict
            What the records depend on: data, settings, versions. Plain JSON.
        resume : bool
        """
        self.folder = None if folder is None else Path(folder)
        if self.folder is None:
            return
        if self.folder.is_symlink():  # the folder of a stranger must not lead to one that is emptied
            raise StateError(f"{self.folder} is a link; remove it, or choose another folder with {option('out')}")
        about = self.folder / ABOUT
        if resume and about.exists():
            self._check(about, description)
            return
        self._refuse_foreign_files(about)
        self.clear()
        make_folder(self.folder)
        atomic_files.write_text(about, json.dumps(description, indent=1))

    def _refuse_foreign_files(self, about):
        """Raise an error if the folder was not made by a comparison: it is not emptied then."""
        if self.folder.is_dir() and not about.exists() and any(self.folder.iterdir()):
            raise StateError(
                f"{self.folder} exists, but was not made by a comparison; move it, or choose another folder with "
                f"{option('out')}"
            )

    def _check(self, about, description):
        try:
            before = json.loads(about.read_text(encoding="utf-8"))
            if not isinstance(before, dict):
                raise ValueError("a description of a comparison that is none")
        except (OSError, ValueError, RecursionError) as error:
            raise StateError(f"{about} cannot be read; run again without {option('resume')}") from error
        description = json.loads(json.dumps(description))
        differing = sorted(k for k in before.keys() | description.keys() if before.get(k) != description.get(k))
        if differing:
            words = ", ".join(f"{k} (was {_short(before.get(k))}, now {_short(description.get(k))})" for k in differing)
            raise StateError(
                f"cannot resume because the earlier run differs in {words}; run again without {option('resume')}"
            )

    def save(self, record):
        """Keep a finished record."""
        if self.folder is None or record.status != "done":
            return
        if record.estimator is not None and record.fit_seconds >= WORTH_SAVING:
            model_file.save(record.estimator, self._path(record.model, record.fold, "statlearn"), sync=False)
        atomic_files.write_bytes(self._path(record.model, record.fold), _pack(record), sync=False)

    def load(self, names, n_folds):
        """Records that are there for these models and folds; damaged files count as absent.

        Files are read by the rules of model files: what is in them is data, and small until it is checked.
        """
        if self.folder is None:
            return []
        found = []
        for name in names:
            for fold in range(ALL_ROWS, n_folds):
                path = self._path(name, fold)
                try:
                    record, has_model = _unpack(path.read_bytes())
                    _check_record(record, name, fold)
                    if has_model:
                        record.estimator = model_file.load(self._path(name, fold, "statlearn"), BaseEstimator)
                except (OSError, ModelFileError):
                    continue
                except Exception:  # a file that was tampered with can fail in any way
                    continue
                found.append(record)
        return found

    def clear(self):
        """Remove the folder: the comparison is complete."""
        if self.folder is None or not self.folder.exists():
            return
        for path in self.folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.name != ABOUT:
                path.unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)  # the mark that the folder is ours goes last

    def _path(self, name, fold, kind="npz"):
        return self.folder / (f"{name}.all.{kind}" if fold == ALL_ROWS else f"{name}.{fold:03d}.{kind}")


def _pack(record):
    aside = ("predictions", "ranking", "tuning", "estimator")
    plain = {key: value for key, value in record.__dict__.items() if key not in aside}
    plain["has_model"] = record.estimator is not None
    arrays = {key: getattr(record, key) for key in ("predictions", "ranking") if getattr(record, key) is not None}
    if record.tuning is not None:
        tuning = asdict(record.tuning)
        arrays |= {f"tuning_{key}": tuning.pop(key) for key in ("mean", "std_error")}
        plain["tuning"] = tuning
    buffer = io.BytesIO()
    np.savez(buffer, plain=np.array(json.dumps(plain)), **arrays)
    return buffer.getvalue()


def _unpack(content):
    members = Members(content)
    arrays = {name.removesuffix(".npy"): members.array(name) for name in members.names}
    plain = json.loads(str(arrays["plain"]))
    tuning, has_model = plain.pop("tuning", None), plain.pop("has_model")
    record = Record(**plain)
    for key in ("predictions", "ranking"):
        if key in arrays:
            setattr(record, key, arrays[key])
    if tuning is not None:
        record.tuning = TuningCurve(mean=arrays["tuning_mean"], std_error=arrays["tuning_std_error"], **tuning)
    return record, has_model


def _check_record(record, name, fold):
    """ValueError for a record of another fit, or with fields of other types than a comparison writes."""
    if (record.model, record.fold, record.status) != (name, fold, "done"):
        raise ValueError("a record of another fit")
    numbers = (record.fit_seconds, record.last_fit_seconds, record.predict_seconds, record.n_columns)
    counts = (record.rows, record.tuning_rows)
    whole = all(count is None or type(count) is int for count in counts)
    if not whole or not all(type(number) in (int, float) and 0 <= number < np.inf for number in numbers):
        raise ValueError("a record without its numbers")
    if type(record.settings) is not dict or any(type(warning) is not str for warning in record.warnings):
        raise ValueError("a record without its settings")
    if type(record.scores) is not dict or any(type(score) is not float for score in record.scores.values()):
        raise ValueError("a record without its scores")
    if fold == ALL_ROWS:
        return
    if record.predictions.ndim not in (1, 2) or record.predictions.dtype.kind != "f":
        raise ValueError("a record without its predictions")
    if not np.isfinite(record.predictions).all():
        raise ValueError("a record with predictions that are not finite")
    if record.ranking is not None and len(record.ranking) != len(record.predictions):
        raise ValueError("a record with another ranking")


def fits(record, problem):
    """Whether a record that was read can be one of this comparison: its scores and its predictions are complete."""
    if record.fold == ALL_ROWS:
        return True
    if record.scores.keys() != {metric.name for metric in problem.metrics}:
        return False
    shape = record.predictions.shape
    wanted = () if problem.classes is None else (len(problem.classes),)
    return 0 < shape[0] <= len(problem.folds[record.fold][1]) and shape[1:] == wanted


def digest(frame, y):
    """A fingerprint of the data."""
    mark = hashlib.sha256()
    for name in frame.columns:
        series = frame[name]
        mark.update(f"{name}:{series.dtype}".encode())
        if frames.is_text(series.dtype):
            mark.update("\x1f".join(map(str, series.to_list())).encode())
        else:
            mark.update(np.ascontiguousarray(frames.numbers(series)).tobytes())
    mark.update(np.ascontiguousarray(y).tobytes())
    return mark.hexdigest()


def describe(frame, y, **settings):
    """What the records of a comparison depend on."""
    return {"statlearn": __version__, "data": digest(frame, y), **settings}


def _short(value):
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
