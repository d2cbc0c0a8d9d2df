"""What a world is, what is known of its tables, and the registry of all worlds."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

WORLDS: dict[str, "World"] = {}


@dataclass
class Facts:
    """What is true of a table by construction. Columns are given by name."""

    signal: bool = True  # whether the columns say anything about the target, leaks aside
    leaks: dict[str, str] = field(default_factory=dict)  # "exact", "ordered", "text", "gaps", "near", "strong"
    identifiers: list[str] = field(default_factory=list)  # say nothing but which row it is
    constants: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)  # measurements, however their cells are spelt
    sentinels: list[str] = field(default_factory=list)  # columns in which a number stands for a gap
    groups: list[str] = field(default_factory=list)  # label subjects that are measured repeatedly
    group_effect: bool = False
    ordered: list[str] = field(default_factory=list)  # times by which the rows depend on those before them
    dates: list[str] = field(default_factory=list)  # times without any effect
    copies: float = 0.0  # share of rows that were entered again by accident
    designed: bool = False  # equal rows are replicates or frequencies
    repeated: list[str] = field(default_factory=list)  # columns that say the same as another
    missing: dict[str, float] = field(default_factory=dict)  # share of gaps by column
    outliers: list[str] = field(default_factory=list)  # columns with single cells far away, or the target
    wild: bool = False  # a few rows dominate every sum of squares
    rows: int = 0
    options: dict[str, object] = field(default_factory=dict)  # further arguments of the comparison


@dataclass
class Made:
    """A table generator with its parameters drawn.

    Parameters
    ----------
    draw : callable
        From a generator of random numbers and a number of rows to clean rows, including the target, and the best
        possible prediction of each: its mean, or a column of probabilities per class in the order of their names.
    rows : int
        Size of the table that is compared.
    facts : Facts
    spoil : callable or None
        From clean rows and a generator of random numbers to the table as it is printed.
    fresh : callable or None
        As `draw`, for the rows that the model will meet in use; None for those of `draw`.
    keeps_spoiling : bool
        Whether fresh rows are spoilt too (the same habits of notation) or are clean (a single accident).
    """

    draw: Callable
    rows: int
    facts: Facts = field(default_factory=Facts)
    spoil: Callable | None = None
    fresh: Callable | None = None
    keeps_spoiling: bool = True
    target: str = "y"
    task: str = "regression"


@dataclass(frozen=True)
class World:
    """A function that makes generators, and the values of its dials."""

    name: str
    theme: str
    make: Callable
    dials: dict[str, list]

    @property
    def settings(self):
        """All combinations of the dials."""
        return [dict(zip(self.dials, values)) for values in itertools.product(*self.dials.values())]

    def sample(self, seed):
        """The table number `seed` of this world.

        Returns
        -------
        made : Made
        table : data frame
            As it is compared.
        clean : data frame
            The same rows before they were spoilt.
        settings : dict
            Values of the dials.
        """
        # All combinations of the dials in turn, in an order without a pattern: short runs see most of their values.
        order = np.random.default_rng([2, *map(ord, self.name)]).permutation(len(self.settings))
        settings = self.settings[order[seed % len(order)]]
        rng = np.random.default_rng([seed, *map(ord, self.name)])
        made = self.make(rng, **settings)
        clean, _ = made.draw(rng, made.rows)
        table = clean if made.spoil is None else made.spoil(clean.copy(), rng)
        made.facts.rows = len(table)
        return made, table, clean, settings

    def fresh(self, made, seed, n):
        """Rows as the model will meet them, their truth, and the best possible predictions."""
        rng = np.random.default_rng([seed, 1, *map(ord, self.name)])
        rows, ideal = (made.fresh or made.draw)(rng, n)
        truth = rows[made.target].to_numpy()
        if made.spoil is not None and made.keeps_spoiling:
            rows = made.spoil(rows.copy(), rng)
        return rows.drop(columns=made.target), truth, ideal


def world(**dials):
    """Registers a function (rng, **dials) -> Made as a world of the theme that its module is named after."""

    def register(make):
        name = make.__name__.replace("_", "-")
        WORLDS[name] = World(name, make.__module__.rpartition(".")[2], make, dials)
        return make

    return register
