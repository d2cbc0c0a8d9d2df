"""One round: draw, fit, use every verb, judge."""

import contextlib
import copy
import inspect
import io
import pickle
import re
import traceback
import warnings
import zlib
from dataclasses import dataclass

import numpy as np

from statlearn import all_estimators
from tests.fuzz import judge
from tests.fuzz.judge import is_same, is_tame, is_unchanged, rows_of, snapshot
from tests.fuzz.parameters import draw_instance_of
from tests.fuzz.tables import altered, nasty_table, nasty_texts, nasty_weights

VERBS = (
    *("predict", "transform", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "apply"),
    *("kneighbors", "radius_neighbors", "predict_interval", "staged_predict", "inverse_transform", "score", "summary"),
    *("sample", "get_feature_names_out", "fit_predict", "fit_transform", "fit_resample", "partial_fit", "__repr__"),
)
ESTIMATORS = dict(all_estimators())  # asked for here, so that processes forked from a server need not import them
READS_TEXTS = re.compile("Vectorizer|WordIndexer")
# Warnings that name the rows without an answer: of predictions, and of manifolds that embed the largest piece only.
ANNOUNCED = re.compile(r"predicting (NaN|inf)|rows get no coordinates \(NaN\)")
# Thousands of fits on a wide table, which is what the method is, take minutes.
FITS_ALL_SUBSETS = re.compile("SequentialFeatureSelector")
# Rows of the answer need not be those of the table: filters, samplers, images.
NOT_ONE_TO_ONE = re.compile(r"statlearn\.prep\.|quantizer|_binarize")


@dataclass
class Draw:
    """All that a round is made of."""

    estimator: object
    chosen: dict
    X: object
    y: object
    weights: object
    Z: object  # what is predicted
    Z_y: object
    twin: bool  # whether a second fit and a pickled copy are compared
    text: str

    @property
    def arguments(self):
        return {} if self.weights is None else {"sample_weight": self.weights}


def draw_round(name, seed, number, *, defaults=False):
    """The round of this number; it depends on nothing but the arguments."""
    cls = ESTIMATORS[name]
    rng = np.random.default_rng([seed, number, zlib.crc32(name.encode())])
    X, y, what = nasty_table(rng)
    Z, Z_y, Z_what = (X, y, "same") if rng.random() < 0.6 else nasty_table(rng)
    if rng.random() < 0.15 and isinstance(X, np.ndarray) and X.ndim == 2 and len(X):
        Z, Z_what = altered(X, rng)
        Z_y = y if rows_of(Z) == rows_of(X) else None
    if READS_TEXTS.search(name) and rng.random() < 0.8:
        X, what = nasty_texts(rng)
        Z, Z_what = (X, "same") if rng.random() < 0.5 else nasty_texts(rng)
        y = Z_y = None
    if FITS_ALL_SUBSETS.search(name):
        X, Z = few_columns(X), few_columns(Z)
    weights, weights_what = nasty_weights(rng, rows_of(X) or 0)
    p = X.shape[1] if hasattr(X, "shape") and len(X.shape) > 1 else 1
    estimator, chosen = draw_instance_of(cls, rng, p, defaults=defaults)
    if "sample_weight" not in inspect.signature(cls.fit).parameters:
        weights, weights_what = None, ""
    told = ", ".join(f"{k}={' '.join(repr(v).split())[:48]}" for k, v in chosen.items())
    text = f"round {number}: {what}{weights_what} | Z {Z_what} | {told}"
    return Draw(estimator, chosen, X, y, weights, Z, Z_y, bool(rng.random() < 0.15), text)


def few_columns(table, count=10):
    """The first columns of a table of any kind."""
    if hasattr(table, "tocsc"):
        return type(table)(table.tocsc()[:, :count])
    if len(getattr(table, "shape", ())) == 2:
        return table.iloc[:, :count] if hasattr(table, "iloc") else table[:, :count]
    if isinstance(table, list) and all(isinstance(row, list) for row in table):
        return [row[:count] for row in table]
    return table


def run_round(draw, *, trace=False):
    """The outcome of a round, what it was, and whether a RuntimeWarning came with a fine answer."""
    with warnings.catch_warnings(record=True) as seen, contextlib.redirect_stdout(io.StringIO()) as printed:
        warnings.simplefilter("always")
        found = _Round(draw, trace, seen).run()
    if trace:
        print(printed.getvalue())
    noisy = any(issubclass(warning.category, RuntimeWarning) for warning in seen)
    return found[0], f"{draw.text}: {found[1]}" if found[1] else draw.text, noisy and found[0] == "fine"


class _Round:
    def __init__(self, draw, trace, seen):
        self.draw, self.trace, self.seen = draw, trace, seen
        self.before = [snapshot(value) for value in (draw.X, draw.y, draw.weights)]
        self.other = copy.deepcopy(draw.estimator) if draw.twin else None
        self.tame = all(map(is_tame, (draw.X, draw.y, draw.weights)))

    def run(self):
        draw, estimator = self.draw, self.draw.estimator
        parameters = plain_parameters(estimator)
        try:
            estimator.fit(draw.X, draw.y, **draw.arguments)
        except Exception as error:
            self.show_traceback()
            kind, line = judge.of_exception(error)
            return kind, f"fit: {line}"
        bad = self.mutated("fit")
        if not bad and plain_parameters(estimator) != parameters:
            bad = "mutated", "fit changed parameters"
        complaints = []
        for verb in VERBS:
            if not self.offers(verb):
                continue
            try:
                answer = answer_of(estimator, verb, draw.Z, draw.Z_y)
                if self.trace and answer is not None:
                    print(verb, repr(answer)[:300])
                bad = bad or (answer is not None and self.judged(verb, answer)) or None
            except Exception as error:
                kind, line = judge.of_exception(error)
                if kind in ("dirty", "murky"):
                    self.show_traceback()
                    complaints.append((kind, f"{verb}: {line}"))
        dirty_first = sorted(complaints, key=lambda complaint: complaint[0])
        return bad or next(iter(dirty_first), ("fine", ""))

    def offers(self, verb):
        """Whether the estimator has the method under its parameters; what `available_if` raises is not our question."""
        try:
            return hasattr(self.draw.estimator, verb)
        except Exception:
            return False

    def judged(self, verb, answer):
        """A bad outcome, or None."""
        draw = self.draw
        one_to_one = not NOT_ONE_TO_ONE.search(type(draw.estimator).__module__)
        told = any(re.search(ANNOUNCED, str(warning.message)) for warning in self.seen)
        wanted = draw.chosen.get("extrapolation") == "nan"
        tame = self.tame and is_tame(draw.Z) and not (told or wanted)
        zeros = any("probabilities of outliers will be assigned with 0" in str(w.message) for w in self.seen)
        rows_first = answer
        if verb == "transform" and draw.chosen.get("flatten_transform") is False and np.ndim(answer) == 3:
            rows_first = np.swapaxes(answer, 0, 1)  # scikit-learn's VotingClassifier: (classifiers, rows, classes)
        asked = draw.X if draw.Z is None else draw.Z  # scikit-learn's neighbours: None means the training rows
        bad = judge.of_answer(verb, rows_first, asked, draw.Z_y, tame=tame, one_to_one=one_to_one, zeros=zeros)
        return bad or self.mutated(verb) or self.unequal(verb, answer)

    def in_place(self):
        """Whether the caller allows that the data are overwritten."""
        return any(k.startswith("copy") and not v for k, v in self.draw.estimator.get_params(deep=False).items())

    def mutated(self, verb):
        draw = self.draw
        if self.in_place() or all(map(is_unchanged, (draw.X, draw.y, draw.weights), self.before)):
            return None
        return "mutated", f"{verb} changed its input"

    def unequal(self, verb, answer):
        """Compares with a second fit and with a pickled copy, once."""
        if self.other is None or verb not in ("predict", "transform", "predict_proba"):
            return None
        draw, other, self.other = self.draw, self.other, None
        if isinstance(draw.chosen.get("random_state", 0), (int, np.integer)) and not self.in_place():
            other.fit(draw.X, draw.y, **draw.arguments)
            if not is_same(getattr(other, verb)(draw.Z), answer):
                return "unequal", f"{verb}: two fits differ"
        if not is_same(getattr(pickle.loads(pickle.dumps(draw.estimator)), verb)(draw.Z), answer):
            return "unequal", f"{verb}: a pickled copy answers otherwise"
        return None

    def show_traceback(self):
        if self.trace:
            traceback.print_exc()


def plain_parameters(estimator):
    """The parameters whose values can be compared, as text, since NaN differs from itself."""
    found = estimator.get_params(deep=False)
    return {k: repr(v) for k, v in found.items() if v is None or isinstance(v, (int, float, str, bool))}


def answer_of(estimator, verb, Z, y):
    """What the verb says about Z; None where there is nothing to judge but that it returns."""
    method = getattr(estimator, verb)
    if verb in ("__repr__", "summary", "get_feature_names_out"):
        str(method())
        return None
    if verb in ("fit_resample", "radius_neighbors", "partial_fit"):
        arguments = [Z] if verb == "radius_neighbors" else [Z, y]
        known = y is not None and "classes" in inspect.signature(method).parameters
        method(*arguments, **({"classes": np.unique(y)} if known else {}))
        return None
    if verb == "sample":
        return method(3)
    if verb == "score" or (verb in ("fit_predict", "fit_transform") and y is not None):
        return method(Z, y)
    if verb == "staged_predict":
        return [None, *method(Z)][-1]
    if verb == "inverse_transform":
        return method(estimator.transform(Z))
    if verb == "kneighbors":
        return method(Z)[0]
    found = method(Z)
    return found.to_numpy() if verb == "predict_interval" and hasattr(found, "to_numpy") else found
