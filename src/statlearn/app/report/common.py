"""Shared parts of the report: names of sections, codes of classes, badges."""

import numpy as np


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


def badges(entry):
    """Kinds and words of the badges behind the label of a model: its roles, and what sets its scores apart."""
    return entry.badges + ([("partial", entry.model.remark)] if entry.model.remark else [])
