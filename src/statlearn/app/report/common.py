"""What several parts of the report need: means over folds, names of sections, codes of classes."""

import numpy as np


def fold_stats(values):
    """Mean over the folds and its standard error."""
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values)]
    if values.size == 0:
        return float("nan"), float("nan")
    error = values.std(ddof=1) / np.sqrt(values.size) if values.size > 1 else float("nan")
    return float(values.mean()), float(error)


def anchor(model):
    """The id of the model's section."""
    return "model-" + "".join(c if c.isalnum() and c.isascii() else "-" for c in model.name)


def class_codes(comparison):
    """The training rows' classes as positions in the list of classes."""
    classes = [str(c) for c in comparison.profile.classes]
    y = np.asarray(comparison.y_true)
    place = {c: k for k, c in enumerate(classes)}
    labels = [str(v) for v in y.tolist()]
    if all(label in place for label in labels):
        return np.array([place[label] for label in labels], dtype=int), classes
    return y.astype(int), classes


def badges(found, model):
    found_badges = []
    if model.name == found.best:
        found_badges.append(("best", "best"))
    if model.name == found.simplest and model.name != found.best:
        found_badges.append(("simplest", "simplest within 1 SE"))
    if model.name == found.baseline:
        found_badges.append(("baseline", "baseline"))
    if model.remark:
        found_badges.append(("partial", model.remark))
    return found_badges
