"""Encoders of columns by kind.

Numeric columns are encoded together (`NumberBlock`), because a table may have many thousands of them. Any other encoder
learns from the :class:`Cells` of one column (`fit`), names its output columns (`suffixes`, appended to the name of the
column), describes itself (`note`), and computes its block of the design (`transform`), row by row. `code_labels` lists
what the codes of each of its columns stand for (" = red", ": below 3"); it is empty if these are no codes. A column
whose values cannot be of the learned kind raises `Misfit`.
"""

from itertools import pairwise

import numpy as np
from scipy import sparse
from scipy.special import ndtri

from statlearn._core.frames.typed_columns import DAY, counts, drop_markers, map_cells
from statlearn._core.text_values import date_format, number_format, read_date, read_number
from statlearn._math.linalg.quantiles import equal_weight_edges

OTHER, MISSING = "(other)", "(missing)"
MAX_KNOTS = 400  # of the normal scores of a column


class Misfit(ValueError):
    """Error raised if the values of a column do not match the kind learned for it."""


def middles(values, missing, fill):
    """Median or mean of the observed values of each column, 0 if there are none."""
    middle = np.mean if fill == "mean" else np.median
    whole = ~missing.any(axis=0)
    centres = np.zeros(values.shape[1])
    if whole.any():
        centres[whole] = middle(np.asfortranarray(values[:, whole]), axis=0)
    for k in np.flatnonzero(~whole & ~missing.all(axis=0)):
        centres[k] = middle(values[~missing[:, k], k])
    return centres


def varies(values):
    """Whether each column has two distinct observed values (the mean of equal numbers may differ from them)."""
    return np.fmin.reduce(values, axis=0) < np.fmax.reduce(values, axis=0)


def fill_gaps(values, missing, fills):
    """The values with missing ones replaced by the fill value of their column."""
    filled = np.array(values, order="K")  # sums along columns in column order are the same for one as for many
    np.copyto(filled, fills, where=missing)
    return filled


def centre_and_spread(values):
    """Mean and standard deviation of each column; a standard deviation due to rounding is replaced by 1."""
    centre, spread = np.asarray(values.mean(axis=0)), np.asarray(values.std(axis=0))
    return centre, np.where(spread > 10 * np.finfo(float).eps * np.abs(centre), spread, 1.0)


class NormalScores:
    """Replaces the values of each column by the normal quantiles of their ranks in training.

    Equal values share their mean rank. Between training values the scores are interpolated, beyond them they are those
    of the ends. Columns with two distinct values or fewer stay as they are.
    """

    def fit(self, values):
        self.knots, self.scores = [], []
        for column in values.T:
            known, count = np.unique(column[~np.isnan(column)], return_counts=True)
            if len(known) <= 2:
                known = count = np.empty(0)
            rank = (np.cumsum(count) - count / 2) / max(count.sum(), 1)
            if len(known) > MAX_KNOTS:
                at = np.unique(np.searchsorted(rank, np.linspace(rank[0], rank[-1], MAX_KNOTS)))
                known, rank = known[at], rank[at]
            self.knots.append(known)
            self.scores.append(ndtri(rank))
        return self

    def transform(self, values):
        scored = np.array(values, dtype=np.float64, order="F")
        for k, (knots, scores) in enumerate(zip(self.knots, self.scores)):
            if len(knots):
                scored[:, k] = np.interp(scored[:, k], knots, scores)
        return scored

    def take(self, columns):
        """The scores of some of the columns."""
        part = NormalScores()
        part.knots, part.scores = [self.knots[k] for k in columns], [self.scores[k] for k in columns]
        return part


def read_numbers(cells, markers, decimal="."):
    """The values as floats, NaN if missing."""
    if cells.type in ("number", "boolean"):
        return cells.values
    if cells.type == "empty":
        return np.full(len(cells), np.nan)
    if cells.type == "date":
        raise Misfit("expected numbers, got dates")
    text = drop_markers(cells.values, markers)
    table = {t: read_number(t, decimal) for t in counts(text)}
    bad = [t for t, value in table.items() if value is None]
    if bad:
        raise Misfit(f"expected numbers, got text such as {bad[0]!r}")
    return np.array(map_cells(text, table, np.nan), dtype=np.float64)


def numeric_note(what, *, missing, filled, marked, scaled):
    """Description of the treatment of a numeric column; `filled` is None if missing values are kept."""
    words = [what]
    if missing:
        words.append("missing values kept" if filled is None else f"missing values imputed ({filled})")
    if marked:
        words.append("with indicator")
    if scaled:
        words.append("normal scores, standardised" if scaled == "normal" else "standardised")
    return ", ".join(words)


def copies(flags, chosen):
    """Which of the chosen columns of flags equal an earlier chosen one."""
    seen, repeated = set(), np.zeros(len(chosen), dtype=bool)
    for j in np.flatnonzero(chosen):
        key = np.packbits(flags[:, j]).tobytes()
        repeated[j] = key in seen
        seen.add(key)
    return repeated


class NumericColumns:
    """Numeric columns with missing values imputed or kept, and indicated, optionally standardised."""

    def __init__(self, *, fill="median", keep_missing=False, indicator=True, scale=False, markers=()):
        self.fill, self.keep_missing, self.indicator = fill, keep_missing, indicator
        self.scale, self.markers = scale, list(markers)

    def _learn(self, values, missing, *, fills, scale):
        """Whether each column varies, its centre and its spread, and the normal scores or None; sets `fills`."""
        self.fills = fills
        filled = fill_gaps(values, missing, fills)
        gaps = missing.any(axis=0) & self.keep_missing  # gaps that are kept are informative too
        varying = varies(values) | gaps
        centre, spread, normal = np.zeros(len(varying)), np.ones(len(varying)), None
        if scale == "normal":
            normal = NormalScores().fit(values)
            values, filled = normal.transform(values), normal.transform(filled)
        if scale and len(varying):
            centre, spread = centre_and_spread(np.ma.masked_array(values, missing) if gaps.any() else filled)
        return varying, centre, spread, normal

    def _scaled(self, values, missing):
        """The imputed and standardised values."""
        if not self.keep_missing:
            values = fill_gaps(values, missing, self.fills)
        if self.normal is not None:
            values = self.normal.transform(values)
        return (values - self.centre) / self.spread


class NumberBlock(NumericColumns):
    """All numeric columns of a table, stored as arrays with one entry per column.

    Each gives one column of the design (`kept`: if it varies in training) and one that indicates its missing values
    (`marks`), unless that would be the copy of an earlier one. `places` are the positions of the columns in the table.
    """

    def fit(self, values, places):
        """Learn from a matrix in column order without infinities; constant columns are dropped."""
        missing = np.isnan(values)
        n_missing = missing.sum(axis=0)
        marks = (n_missing > 0) & (self.indicator and not self.keep_missing)
        fills = middles(values, missing, self.fill)
        varying, centre, spread, normal = self._learn(values, missing, fills=fills, scale=self.scale)
        marks &= ~(varying & copies(missing, marks))
        used = varying | marks
        self.normal = None if normal is None else normal.take(np.flatnonzero(used))
        self.places, self.n_missing, self.fills = np.asarray(places, dtype=np.intp)[used], n_missing[used], fills[used]
        self.kept, self.marks, self.centre, self.spread = varying[used], marks[used], centre[used], spread[used]
        return self

    def transform(self, columns):
        """The block of the design, and the problems by column."""
        values = np.empty((len(columns[0]), len(columns)), order="F")
        misfits = {}
        for k, cells in enumerate(columns):
            try:
                values[:, k] = read_numbers(cells, self.markers)
            except Misfit as misfit:
                misfits[k], values[:, k] = str(misfit), np.nan
        misfits.update((int(k), "contains infinity") for k in np.flatnonzero(np.isinf(values).any(axis=0)))
        if misfits:
            return None, misfits
        missing = np.isnan(values)
        values = self._scaled(values, missing)
        if not self.marks.any():
            return values[:, self.kept], misfits
        block = np.empty((len(values), self.widths.sum()))
        ends = np.cumsum(self.widths)
        block[:, (ends - self.widths)[self.kept]] = values[:, self.kept]
        block[:, ends[self.marks] - 1] = missing[:, self.marks]
        return block, misfits

    @property
    def widths(self):
        return self.kept.astype(np.intp) + self.marks

    def suffixes(self, k):
        return [""] * int(self.kept[k]) + ["_missing"] * int(self.marks[k])

    def note(self, k):
        filled = None if self.keep_missing else self.fill
        return numeric_note("number", missing=self.n_missing[k], filled=filled, marked=self.marks[k], scaled=self.scale)


class NumericEncoder(NumericColumns):
    """One column of the table converted to numbers: one, or the parts of a date."""

    kind = "number"
    code_labels = ()

    def fit(self, cells):
        self.learn_levels(cells)
        values = self.values(cells)
        missing = np.isnan(values)
        self.n_missing = int(missing.any(axis=1).sum())
        self.marks = bool(self.n_missing and self.indicator and not self.keep_missing)
        fills = self.fill_values(values, missing)
        varying, self.centre, self.spread, self.normal = self._learn(values, missing, fills=fills, scale=self._scale)
        self.kept = np.flatnonzero(varying)
        return self

    @property
    def _scale(self):
        """`scale` as far as the kind of column allows it."""
        return self.scale if self.kind == "number" else bool(self.scale) and self.kind != "binary"

    def fill_values(self, values, missing):
        return middles(values, missing, self.fill)

    def transform(self, cells):
        values = self.values(cells)
        missing = np.isnan(values)
        block = self._scaled(values, missing)[:, self.kept]
        return np.column_stack([block, missing.any(axis=1)]) if self.marks else block

    @property
    def suffixes(self):
        parts = self.parts()
        return [parts[k] for k in self.kept] + (["_missing"] if self.marks else [])

    @property
    def note(self):
        filled = None if self.keep_missing else self.fill
        return numeric_note(self.what(), missing=self.n_missing, filled=filled, marked=self.marks, scaled=self._scale)

    # What differs between numbers, two levels, ordered levels and dates.

    def learn_levels(self, cells):
        self.decimal = None
        if cells.type == "string":
            self.decimal = number_format(list(counts(drop_markers(cells.values, self.markers))))
            if self.decimal is None:
                raise Misfit("contains text that cannot be parsed as numbers")

    def parts(self):
        return [""]

    def what(self):
        return "number" if self.decimal is None else "number parsed from text"

    def values(self, cells):
        values = read_numbers(cells, self.markers, self.decimal or ".")
        if np.isinf(values).any():
            raise Misfit("contains infinity")
        return values[:, None]


class LevelEncoder(NumericEncoder):
    """Levels coded by one number each: two levels as 0 and 1, ordinal levels as 0, 1, 2, ..."""

    def __init__(self, kind, *, levels=None, **options):
        super().__init__(**options)
        self.kind = kind
        self.levels = None if levels is None else [str(level) for level in levels]

    def learn_levels(self, cells):
        if self.levels is None and cells.levels is not None:
            self.levels = list(cells.levels)
        if self.levels is None and cells.type == "boolean":
            self.levels = ["False", "True"]
        if self.levels is None:
            self.levels = sorted_levels(counts(drop_markers(cells.as_strings(), self.markers)))
        if self.kind == "binary" and len(self.levels) > 2:
            raise Misfit(f"has {len(self.levels)} levels, such as {', '.join(map(repr, self.levels[:3]))}")

    def fill_values(self, values, missing):
        present = np.sort(values[~missing])
        if not present.size:
            return np.zeros(1)
        if self.kind == "binary":
            return np.array([float(present.mean() > 0.5)])
        return np.array([present[(present.size - 1) // 2]])

    def parts(self):
        named = self.kind == "binary" and len(self.levels) == 2 and self.levels != ["False", "True"]
        return [f"_{self.levels[1]}"] if named else [""]

    def what(self):
        if self.kind == "binary":
            return f"1 for {self.levels[1]}, 0 for {self.levels[0]}" if len(self.levels) == 2 else "one level"
        return " < ".join(self.levels) if len(self.levels) <= 5 else f"{len(self.levels)} ordered levels"

    @property
    def note(self):
        return super().note.replace(f"({self.fill})", "(most frequent)" if self.kind == "binary" else "(median)")

    def values(self, cells):
        if cells.type == "date":
            raise Misfit("expected levels, got dates")
        text = drop_markers(cells.as_strings(), self.markers)
        table = {level: float(k) for k, level in enumerate(self.levels)}
        if self.levels == ["False", "True"]:
            table |= {"false": 0.0, "true": 1.0, "FALSE": 0.0, "TRUE": 1.0, "0": 0.0, "1": 1.0}
        # Levels not seen in training are treated as missing values; a column of only these is an error.
        values = np.array(map_cells(text, table, np.nan), dtype=np.float64)
        there = np.array([t is not None for t in text])
        if there.any() and np.isnan(values[there]).all() and cells.type == "number":
            raise Misfit(f"expected levels such as {self.levels[0]!r}, got numbers")
        return values[:, None]


class DateEncoder(NumericEncoder):
    """Days since the first date of the training table, and the calendar parts that vary in it if they are wanted."""

    kind = "date"

    def __init__(self, *, calendar=True, **numeric):
        super().__init__(**numeric)
        self.calendar = calendar

    def learn_levels(self, cells):
        self.form = None
        if cells.type == "string":
            self.form = date_format(list(counts(drop_markers(cells.values, self.markers))))
            if self.form is None:
                raise Misfit("contains text that cannot be parsed as dates")
        elif cells.type != "date":
            raise Misfit("does not contain dates")
        moments = self.moments(cells)
        present = moments[~np.isnat(moments)]
        self.origin = str(present.min()) if present.size else "1970-01-01"

    def moments(self, cells):
        if cells.type == "date":
            return cells.values
        if cells.type == "empty":
            return np.full(len(cells), "NaT", dtype="datetime64[us]")
        if cells.type in ("number", "boolean"):
            raise Misfit("expected dates, got numbers")
        text = drop_markers(cells.values, self.markers)
        table = {t: read_date(t, self.form or "iso") for t in counts(text)}
        bad = [t for t, value in table.items() if value is None]
        if bad:
            raise Misfit(f"expected dates, got text such as {bad[0]!r}")
        return np.array(map_cells(text, table, None), dtype="datetime64[us]")

    def values(self, cells):
        moments = self.moments(cells)
        days = moments.astype("datetime64[D]")
        months = moments.astype("datetime64[M]")
        elapsed = (moments - np.datetime64(self.origin, "us")) / DAY
        if not self.calendar:
            return elapsed[:, None]
        year = months.astype("datetime64[Y]").astype(float) + 1970
        month = (months - months.astype("datetime64[Y]").astype("datetime64[M]")).astype(float) + 1
        day = (days - months.astype("datetime64[D]")).astype(float) + 1
        weekday = np.mod(days.astype("datetime64[D]").astype(float) + 3, 7)  # 1970-01-01 was a Thursday; Monday is 0
        hour = (moments - days) / np.timedelta64(1, "h")
        values = np.column_stack([elapsed, year, month, day, weekday, hour])
        values[np.isnat(moments)] = np.nan
        return values

    def parts(self):
        return ["_days", "_year", "_month", "_day", "_weekday", "_hour"] if self.calendar else ["_days"]

    def what(self):
        read = "" if self.form in (None, "iso") else f" parsed as {self.form.replace('|', ' or ')}"
        return f"date{read}: days since {self.origin[:10]}{' and calendar parts' * self.calendar}"


def sorted_levels(levels):
    """Levels in numeric order if all of them are numbers, otherwise in alphabetical order."""
    numeric = {level: read_number(level) for level in levels}
    if any(value is None for value in numeric.values()):
        return sorted(levels)
    return sorted(levels, key=lambda level: (numeric[level], level))


def reference_level(n_columns, n_levels, drop):
    """Index of the column that is left out, -1 for none. Pooled levels and missing values follow the `n_levels`."""
    if drop == "first" or n_columns == 1:  # a single level is uninformative
        return 0
    return max(n_levels - 1, 0) if drop == "last" else -1


class CategoryEncoder:
    """One 0/1 column per level; rare levels are pooled, unseen levels are pooled with them or all zero."""

    kind = "category"
    code_labels = ()

    def __init__(self, *, drop=None, max_levels=30, min_count=1, markers=()):
        self.drop, self.max_levels, self.min_count, self.markers = drop, max_levels, min_count, list(markers)

    def fit(self, cells):
        text = drop_markers(cells.as_strings(), self.markers)
        frequencies = counts(text)
        self.n_missing = len(text) - sum(frequencies.values())
        frequent = {level for level, count in frequencies.items() if count >= self.min_count}
        if len(frequencies) > self.max_levels:
            ranked = sorted(frequent, key=lambda level: (-frequencies[level], level))
            frequent = set(ranked[: self.max_levels - 1])
        self.levels = sorted_levels(frequent)
        self.n_pooled = len(frequencies) - len(frequent)
        self.numeric = any(read_number(level) is not None for level in frequencies)
        self.columns = self.levels + ([OTHER] if self.n_pooled else []) + ([MISSING] if self.n_missing else [])
        self.reference = reference_level(len(self.columns), len(self.levels), self.drop)
        return self

    def codes(self, cells):
        """Index of the level of each value among the columns, or -1."""
        if cells.type == "date":
            raise Misfit("expected levels, got dates")
        if cells.type == "number" and not self.numeric and not np.isnan(cells.values).all():
            raise Misfit("expected levels, got numbers")
        table = {level: k for k, level in enumerate(self.columns) if level not in (OTHER, MISSING)}
        unseen = len(self.levels) if self.n_pooled else -1
        table[None] = len(self.columns) - 1 if self.n_missing else unseen
        return np.array(map_cells(drop_markers(cells.as_strings(), self.markers), table, unseen), dtype=np.intp)

    def transform(self, cells):
        codes = self.codes(cells)
        rows = np.flatnonzero((codes >= 0) & (codes != self.reference))
        columns = codes[rows]
        if self.reference >= 0:
            columns -= columns > self.reference
        shape = (len(codes), len(self.columns) - (self.reference >= 0))
        return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)

    @property
    def suffixes(self):
        return [f"_{level}" for k, level in enumerate(self.columns) if k != self.reference]

    @property
    def note(self):
        words = [f"{len(self.levels)} levels"]
        if self.n_pooled:
            words.append(f"{self.n_pooled} rare levels pooled")
        if self.n_missing:
            words.append("missing values form a level")
        if self.reference >= 0:
            words.append(f"reference level {self.columns[self.reference]}")
        return ", ".join(words)


class CodeEncoder(CategoryEncoder):
    """One column with the code of the level; NaN for missing values, and for unseen levels if none are pooled.

    A missing value is not a level; models that use codes handle it themselves.
    """

    def fit(self, cells):
        super().fit(cells)
        self.columns = self.levels + ([OTHER] if self.n_pooled else [])
        self.reference = -1
        return self

    def transform(self, cells):
        codes = self.codes(cells).astype(np.float64)
        codes[(codes < 0) | np.array([t is None for t in drop_markers(cells.as_strings(), self.markers)])] = np.nan
        return codes[:, None]

    @property
    def suffixes(self):
        return [""] if len(self.columns) + bool(self.n_missing) > 1 else []

    @property
    def code_labels(self):
        return [[f" = {level}" for level in self.columns]]

    @property
    def note(self):
        pooled = f", {self.n_pooled} rare levels pooled" if self.n_pooled else ""
        return f"codes of {len(self.levels)} levels{pooled}"


class BinEncoder:
    """Numbers, ordinal levels or date parts cut into bins of about equal frequency, which are levels of a category.

    `numbers` is the unfitted encoder that reads the values. Each of its columns gives one column of codes, NaN if
    missing, or one 0/1 column per bin and one for missing values if there are any in training.
    """

    def __init__(self, numbers, n_bins, *, codes, drop=None):
        numbers.keep_missing, numbers.scale = True, False
        self.numbers, self.n_bins, self.codes, self.drop = numbers, n_bins, codes, drop
        self.kind = numbers.kind

    def fit(self, cells):
        values = self.numbers.fit(cells).transform(cells)
        self.n_missing = self.numbers.n_missing
        self.parts, self.edges, self.labels = [], [], []  # of the columns with two bins or more
        for k, column in enumerate(values.T):
            edges = equal_weight_edges(column, None, self.n_bins)
            if len(edges):
                self.parts.append(k)
                self.edges.append(edges)
                seen = np.unique(column[~np.isnan(column)])
                levels = self.numbers.levels if self.kind == "ordinal" else None
                self.labels.append(bin_labels(edges, seen) if levels is None else level_labels(edges, seen, levels))
        return self

    def transform(self, cells):
        values = self.numbers.transform(cells)[:, self.parts]
        missing = np.isnan(values)
        blocks = []
        for column, lost, edges in zip(values.T, missing.T, self.edges):
            code = np.searchsorted(edges, column, side="right")
            if self.codes:
                blocks.append(np.where(lost, np.nan, code)[:, None])
            else:
                reference = reference_level(len(edges) + 1, len(edges) + 1, self.drop)
                levels = np.delete(np.arange(len(edges) + 1), reference if reference >= 0 else [])
                blocks.append((code[:, None] == levels) & ~lost[:, None])
        if self.marks:
            blocks.append(missing.any(axis=1)[:, None])
        return np.column_stack(blocks).astype(np.float64)

    @property
    def marks(self):
        return bool(self.n_missing and self.parts and not self.codes)

    @property
    def suffixes(self):
        names = [self.numbers.suffixes[k] for k in self.parts]
        if self.codes:
            return names
        bins = [
            f"{name}_{words}"
            for name, labels in zip(names, self.labels)
            for k, (words, _) in enumerate(labels)
            if k != reference_level(len(labels), len(labels), self.drop)
        ]
        return bins + (["_missing"] if self.marks else [])

    @property
    def code_labels(self):
        return [[f"{sign} {words}" for words, sign in labels] for labels in self.labels] if self.codes else []

    @property
    def note(self):
        top = max(len(labels) for labels in self.labels)
        words = self.numbers.note
        if self.marks:
            words = words.replace("missing values kept", "missing values indicated")
        return f"{words}, cut into {top if len(self.labels) == 1 else f'up to {top}'} bins"


def bin_labels(edges, values):
    """Words for the bins between edges, each with the sign that joins it to a name: ("4", " =") or ("below 3", ":")."""
    if len(values) == len(edges) + 1:
        return [(f"{value:.6g}", " =") for value in values]
    middle = [(f"{low:.6g} to {high:.6g}", ":") for low, high in pairwise(edges)]
    return [(f"below {edges[0]:.6g}", ":"), *middle, (f"{edges[-1]:.6g} or more", ":")]


def level_labels(edges, codes, levels):
    """Words for bins of ordered levels: ("low", " =") or ("low to middle", ":")."""
    inside = np.split(codes, np.searchsorted(codes, edges))
    return [
        (levels[int(bin[0])], " =") if len(bin) == 1 else (f"{levels[int(bin[0])]} to {levels[int(bin[-1])]}", ":")
        for bin in inside
    ]


class TextEncoder:
    """Tf-idf weights of the most frequent words, or their presence."""

    kind = "text"
    code_labels = ()
    presence = False  # in models that were saved before there was a choice

    def __init__(self, *, max_terms=100, presence=False, markers=()):
        self.max_terms, self.presence, self.markers = max_terms, presence, list(markers)

    def fit(self, cells):
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = self.texts(cells)
        self.n_missing = sum(not text for text in texts)
        self.vectorizer = TfidfVectorizer(max_features=self.max_terms)
        analyse = self.vectorizer.build_analyzer()
        if any(analyse(text) for text in texts):
            self.vectorizer.fit(texts)
        else:
            self.vectorizer = None  # no words, no columns
        return self

    def texts(self, cells):
        if cells.type == "empty":
            return [""] * len(cells)
        if cells.type not in ("string", "ordinal"):
            raise Misfit(f"expected text, got {cells.type}s")
        return ["" if t is None else t for t in drop_markers(cells.values, self.markers)]

    def transform(self, cells):
        weights = sparse.csr_array(self.vectorizer.transform(self.texts(cells)))
        return (weights > 0).astype(np.float64) if self.presence else weights

    @property
    def suffixes(self):
        return [] if self.vectorizer is None else [f"_{word}" for word in self.vectorizer.get_feature_names_out()]

    @property
    def note(self):
        return f"{'presence' if self.presence else 'tf-idf'} of {len(self.vectorizer.vocabulary_)} words"
