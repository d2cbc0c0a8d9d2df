"""Tables as facts: rows become entities, columns predicates, and modes say how rules may use them."""

import re
from dataclasses import dataclass, field

import numpy as np

from statlearn._core.frames import as_frame
from statlearn._core.frames.typed_columns import array_columns, frame_columns

from ._modes import ModeB
from ._terms import Atom


def predicate_name(name):
    """A name that the parser reads as a predicate."""
    text = re.sub(r"\W+", "_", str(name)).strip("_").lower() or "column"
    return text if text[0].isalpha() else f"c_{text}"


@dataclass
class Column:
    """A column that says something about an entity."""

    table: str
    column: str
    predicate: str
    entity: str
    kind: str  # "number" or "name"
    cuts: list = field(default_factory=list)
    levels: list = field(default_factory=list)


@dataclass
class Link:
    """A table that connects entities."""

    table: str
    predicate: str
    columns: list  # key columns; "" for the number of the row
    entities: list


@dataclass
class Schema:
    """How tables become facts; plain data, so that a fitted model can be stored."""

    main: str
    columns: list = field(default_factory=list)
    links: list = field(default_factory=list)

    def modes(self):
        """Body modes of the literals that rules may have."""
        declared = []
        for link in self.links:
            for entity_in in range(len(link.entities)):
                marks = [f"{'+' if k == entity_in else '-'}{entity}" for k, entity in enumerate(link.entities)]
                declared.append(ModeB(f"{link.predicate}({', '.join(marks)})"))
        for column in self.columns:
            if column.kind == "name":
                declared.append(ModeB(f"{column.predicate}(+{column.entity}, #{column.predicate}_value)"))
            else:
                for test in ("at_most", "above"):
                    declared.append(ModeB(f"{column.predicate}_{test}(+{column.entity}, #{column.predicate}_cut)"))
        return declared

    def rules(self):
        """Background rules: comparison of numbers with the cuts."""
        text = []
        for column in self.columns:
            if column.kind == "number":
                name = column.predicate
                text += [f"{name}_cut({cut!r})." for cut in column.cuts]
                text.append(f"{name}_at_most(X, C) :- {name}_cut(C), {name}(X, N), N =< C.")
                text.append(f"{name}_above(X, C) :- {name}_cut(C), {name}(X, N), N > C.")
        return "\n".join(text)

    def declarations(self):
        """Predicates that may have no facts."""
        names = [f"{c.predicate}/2" for c in self.columns] + [f"{k.predicate}/{len(k.entities)}" for k in self.links]
        return "\n".join(f":- dynamic {name}." for name in names)


def columns_of(table):
    """Names and typed cells of the columns of a table."""
    if as_frame(table) is not None:
        return dict(frame_columns(table))
    return {f"x{j}": cells for j, cells in enumerate(array_columns(table))}


def _numbers(cells):
    """The column as numbers, or None if it holds names."""
    if cells.type == "number":
        return cells.values
    if cells.type == "date":
        return np.where(cells.missing, np.nan, (cells.values - np.datetime64("1970-01-01")) / np.timedelta64(1, "D"))
    return None


def cut_points(values, n):
    """At most n thresholds between the values, at their quantiles."""
    values = np.unique(values[np.isfinite(values)])
    if len(values) < 2:
        return []
    at = np.unique(np.linspace(0, len(values) - 1, n + 2).astype(int)[1:-1])
    at = at[at < len(values) - 1] if len(values) > n + 1 else np.arange(len(values) - 1)
    points = []
    for k in at:
        low, high = values[k], values[k + 1]
        middle = float(low + (high - low) / 2)
        for digits in range(1, 17):  # the shortest number between the two
            short = float(f"{middle:.{digits}g}")
            if low <= short < high:
                middle = short
                break
        points.append(middle)
    return sorted(set(points))


def identifiers(cells):
    """Keys of rows as text; None for missing ones."""
    return [None if lost else str(v) for v, lost in zip(cells.as_strings(), cells.missing)]


def make_schema(main_columns, key, tables, keys, n_cuts):
    """The schema of a main table and the tables linked to it.

    Parameters
    ----------
    main_columns : dict of str to Cells
    key : str or None
        The main table's key column.
    tables : dict of str to dict of str to Cells
    keys : dict of str to list of str
        Key columns of each table.
    n_cuts : int
    """
    main = predicate_name(key) if key else "row"
    schema = Schema(main)
    taken = {main}

    def fresh(name):
        candidate, k = predicate_name(name), 2
        while candidate in taken:
            candidate, k = f"{predicate_name(name)}_{k}", k + 1
        taken.add(candidate)
        return candidate

    def describe(table, name, cells, entity):
        numbers = _numbers(cells)
        if numbers is not None:
            cuts = cut_points(numbers, n_cuts)
            if cuts:
                schema.columns.append(Column(table, name, fresh(name), entity, "number", cuts))
        elif cells.type != "empty":
            schema.columns.append(Column(table, name, fresh(name), entity, "name"))

    for name, cells in main_columns.items():
        if name != key:
            describe("", name, cells, main)
    for table, columns in tables.items():
        mine = keys[table]
        unique = [name for name in mine if _is_unique(columns[name])]
        owner = next((name for name in unique if name != key), unique[0] if unique else None)
        if owner is None:  # each row is a separate entity
            entity = predicate_name(table)
            linked, entities = [*mine, ""], [*map(predicate_name, mine), f"{entity}_row"]
        else:
            linked, entities = list(mine), [predicate_name(name) for name in mine]
        if len(linked) > 1:
            schema.links.append(Link(table, fresh(table), linked, entities))
        about = f"{predicate_name(table)}_row" if owner is None else predicate_name(owner)
        for name, cells in columns.items():
            if name not in mine:
                describe(table, name, cells, about)
    return schema


def _is_unique(cells):
    values = identifiers(cells)
    return None not in values and len(set(values)) == len(values)


def _owner_keys(schema, table, columns, key_columns, rows):
    """Entity described by each row of a table."""
    link = next((each for each in schema.links if each.table == table), None)
    if link is not None and "" in link.columns:
        return [f"{predicate_name(table)}{k}" for k in range(rows)]
    entities = {c.entity for c in schema.columns if c.table == table}
    name = next((n for n in key_columns if predicate_name(n) in entities), key_columns[0])
    return identifiers(columns[name])


def add_table(prover, schema, table, columns, key_columns, own_keys=None):
    """Add the facts of a table to a prover."""
    rows = len(next(iter(columns.values()))) if columns else len(own_keys or [])
    owners = own_keys if own_keys is not None else _owner_keys(schema, table, columns, key_columns, rows)
    for link in schema.links:
        if link.table == table:
            ends = [owners if name == "" else identifiers(columns[name]) for name in link.columns]
            prover.add_facts(link.predicate, [row for row in zip(*ends) if None not in row])
    for column in schema.columns:
        if column.table != table or column.column not in columns:
            continue
        cells = columns[column.column]
        if column.kind == "number":
            values = _numbers(cells)
            if values is None:
                raise ValueError(
                    f"Column {column.column!r} held numbers in training, but holds {cells.type} values now."
                )
            facts = [(o, float(v)) for o, v in zip(owners, values.tolist()) if o is not None and v == v]
        else:
            facts = [(o, v) for o, v in zip(owners, cells.as_strings()) if o is not None and v is not None]
        prover.add_facts(column.predicate, facts)


def example_atoms(target, ids):
    """The atoms of the main table's rows."""
    return [Atom(target, (each,)) for each in ids]
