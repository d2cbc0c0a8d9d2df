"""States of discrete columns: found in data or given, and the codes of cells."""

import numpy as np

from statlearn._core.frames import missing
from statlearn._core.warnings import StatlearnWarning, warn

_MANY = 30  # states of a column, beyond which a column whose values hardly repeat is taken for a measurement or a name


def plain(value):
    """A Python object instead of a numpy scalar."""
    return value.item() if isinstance(value, np.generic) else value


def find_states(column, name):
    """Sorted distinct values of a column, without missing ones."""
    seen = column[~missing(column)]
    try:
        states = [plain(v) for v in np.unique(seen)]
    except TypeError:
        raise ValueError(
            f"X: column {name!r} mixes values that cannot be compared, such as text and numbers; convert it to one "
            "type."
        ) from None
    if not states:
        raise ValueError(f"X: column {name!r} contains only missing values. Drop it, or declare it as `latent`.")
    if len(states) > _MANY and 2 * len(states) > len(seen):
        warn(
            f"X: column {name!r} has {len(states):,} distinct values in {len(seen):,} rows, and each becomes a state "
            "that is hardly ever seen twice. Bin measurements first (KBinsDiscretizer), and drop identifiers.",
            StatlearnWarning,
        )
    return states


def encode_column(column, states, name, *, argument="X"):
    """State numbers, -1 for missing values. Raises if a cell is not one of the states."""
    lost = missing(column)
    codes = np.full(len(column), -1, dtype=np.int32)
    seen = column[~lost]
    values, place = _distinct(seen)
    number = {state: k for k, state in enumerate(states)}
    table = np.empty(len(values), dtype=np.int32)
    for k, value in enumerate(values):
        code = number.get(plain(value))
        if code is None:
            raise ValueError(
                f"{argument}: {plain(value)!r} is not a state of {name!r}; its states are {shown(states)}."
            )
        table[k] = code
    codes[~lost] = table[place]
    return codes


def _distinct(values):
    try:
        states = np.unique(values)
        return states, np.searchsorted(states, values)
    except TypeError:
        order = {}
        place = np.array([order.setdefault(plain(v), len(order)) for v in values], dtype=np.intp)
        return list(order), place


def shown(states, limit=8):
    """The states for a message."""
    text = ", ".join(map(repr, states[:limit]))
    return text + (", ..." if len(states) > limit else "")
