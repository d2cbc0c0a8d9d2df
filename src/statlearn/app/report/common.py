"""Shared parts of the report: names of sections, codes of classes, badges."""

import numpy as np

SHOWN_CLASSES = 6  # classes with a curve of their own


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


def shown_classes(codes, n_classes):
    """The classes with a curve of their own against the rest: the second of two, else the most frequent ones."""
    counts = np.bincount(codes, minlength=n_classes)
    frequent = [1] if n_classes == 2 else sorted(np.argsort(-counts, kind="stable")[:SHOWN_CLASSES].tolist())
    return [k for k in frequent if 0 < counts[k] < len(codes)]


def badges(entry):
    """Kinds and words of the badges behind the label of a model: its roles, and what sets its scores apart."""
    return entry.badges + ([("partial", entry.model.remark)] if entry.model.remark else [])
