"""The worlds by theme; importing this package registers all of them."""

from truth.worlds import (  # noqa: F401
    cells,
    designs,
    groups,
    identifiers,
    imbalance,
    leaks,
    noise,
    outliers,
    signal,
    sizes,
    time,
)
