"""Four-fold rules of the GUHA method: conjunctions of grouped and negated literals."""

import itertools

import numpy as np
from sklearn.utils import check_array

from statlearn._core.frames.typed_columns import array_columns, frame_columns, is_frame
from statlearn._core.params import Int, Real, check_arguments

from ._quantifiers import QUANTIFIERS, check_numbers
from ._rules import Rules, reaches

MAX_LEVELS = 100
_BLOCK = 2048  # conjunctions of an antecedent whose tables are counted together


class _Literals:
    """Literals of chosen columns: the rows that satisfy each, its label and the position of its column."""

    def __init__(self, table, chosen, groups, ordered, negated, base):
        self.masks, self.labels, self.columns = [], [], []
        for column in chosen:
            name, codes, levels = table[column]
            limit = min(groups.get(name, 1), len(levels) - 1)
            sets = list(_groups(len(levels), limit, name in ordered))
            for group in sets:
                self._add(column, _label(name, levels, group), np.isin(codes, group), base)
            if name in negated:
                known = codes >= 0
                present = set(sets)
                for group in sets:
                    rest = tuple(k for k in range(len(levels)) if k not in group)
                    if rest not in present:  # the same rows as a literal without negation
                        self._add(column, f"not {_label(name, levels, group)}", known & ~np.isin(codes, group), base)

    def _add(self, column, label, mask, base):
        if mask.sum() >= base:
            self.masks.append(mask)
            self.labels.append(label)
            self.columns.append(column)

    def conjunctions(self, longest, base):
        """Rows and literals of all conjunctions that hold in enough rows, at most one literal per column."""
        stack = [(mask, (k,)) for k, mask in reversed(list(enumerate(self.masks)))]
        while stack:
            mask, chosen = stack.pop()
            yield mask, chosen
            if len(chosen) < longest:
                column = self.columns[chosen[-1]]
                further = []
                for k in range(chosen[-1] + 1, len(self.masks)):
                    if self.columns[k] != column:
                        both = mask & self.masks[k]
                        if both.sum() >= base:
                            further.append((both, (*chosen, k)))
                stack += reversed(further)


def _groups(n, limit, ordered):
    for size in range(1, limit + 1):
        if ordered:
            yield from (tuple(range(k, k + size)) for k in range(n - size + 1))
        else:
            yield from itertools.combinations(range(n), size)


def _label(name, levels, group):
    if len(group) == 1:
        return f"{name}={levels[group[0]]}"
    return f"{name} in {{{', '.join(levels[k] for k in group)}}}"


def four_fold_rules(
    data,
    antecedent=None,
    succedent=None,
    *,
    thresholds,
    max_antecedent=2,
    max_succedent=1,
    groups=1,
    ordered=(),
    negated=(),
    max_rules=1_000_000,
):
    r"""Rules between conjunctions of literals of a table, judged by their fourfold tables (GUHA, 4ft-Miner).

    A literal says that a column has one of a group of values, or that it has none of them ("not"). Every pair of an
    antecedent A and a succedent B, conjunctions with at most one literal of each column and no column in common, is
    counted,

    ============ ===== ==========
    \            B     not B
    ============ ===== ==========
    A            a     b
    not A        c     d
    ============ ===== ==========

    and kept if it satisfies all thresholds. Unlike :func:`association_rules` of :class:`BinarizeDataset`, literals
    group and negate values.

    Parameters
    ----------
    data : data frame or array of shape (n_rows, n_columns)
        Table of categories. A number is a category of its own; cut columns with more than 100 values first.
    antecedent, succedent : list of column names or positions, or None, default=None
        Columns of each side. None means all.
    thresholds : dict
        Quantifiers and smallest measures; at least one quantifier, or "count".

        - ``"founded_implication": (p, base)``: a / (a + b) ≥ p and a ≥ base;
        - ``"lower_critical_implication": (p, alpha, base)``: a confidence of at most p is rejected at level alpha
          (binomial test), and a ≥ base;
        - ``"double_founded_implication": (p, base)``: a / (a + b + c) ≥ p and a ≥ base;
        - ``"founded_equivalence": (p, base)``: (a + d) / n ≥ p and a ≥ base;
        - ``"above_average": (excess, base)``: the confidence is at least 1 + excess times the share of B, and a ≥ base;
        - ``"fisher": (alpha, base)``: ad > bc, Fisher's one-sided p-value is at most alpha, and a ≥ base;
        - measures of :func:`rule_metrics`, such as ``"lift": 1.2``, and ``"count"``.
    max_antecedent, max_succedent : int, default=2 and 1
        Largest numbers of literals.
    groups : int or dict of column to int, default=1
        Largest number of values of a literal.
    ordered : list of column names or positions, default=()
        Columns of which only adjacent values are grouped. Numbers are ordered by size, ordered categories by their
        order.
    negated : list of column names or positions, default=()
        Columns with negated literals.
    max_rules : int, default=1_000_000
        Largest number of rules. If there are more, the function raises MemoryError.

    Returns
    -------
    Rules
        The items of the rules are the literals. `n_tests` is the number of pairs that were counted.

    See Also
    --------
    association_rules : the same quantifiers for rules of item sets.
    rule_significance : p-values corrected for the number of pairs.
    GeneralizedRules : greedy search for groups of values and intervals.

    Notes
    -----
    A missing value satisfies no literal of its column, negated or not. Conjunctions that hold in fewer rows than the
    base are not extended. The number of literals of a column with k values and groups of up to g of them is
    :math:`\binom{k}{1} + \dots + \binom{k}{g}`, fewer if it is ordered, twice as many with negation. Each pair is a
    test: with thousands of them some will be satisfied by chance, so correct the p-values or judge the rules on other
    rows.

    References
    ----------
    Hájek & Havránek (1978), Mechanizing Hypothesis Formation. Rauch & Šimůnek (2005), An alternative approach to mining
    association rules, Studies in Computational Intelligence 6.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.rules import four_fold_rules
    >>> table = pd.DataFrame({
    ...     "sky": ["clear", "clear", "grey", "rain", "rain", "rain"], "play": ["yes", "yes", "yes", "no", "no", "yes"],
    ... })
    >>> four_fold_rules(
    ...     table, ["sky"], ["play"], groups={"sky": 2}, negated=["sky"],
    ...     thresholds={"founded_implication": (0.9, 3)},
    ... )
    1 rule from 6 baskets
      {sky in {clear, grey}} => {play=yes}  support 0.5  confidence 1  lift 1.5
    """
    check_arguments(
        four_fold_rules,
        max_antecedent=(max_antecedent, [Int(1, None)]),
        max_succedent=(max_succedent, [Int(1, None)]),
        max_rules=(max_rules, [Int(1, None)]),
    )
    table, n = _read_table(data)
    names = [name for name, _, _ in table]
    base = _base(thresholds, n)
    sizes = {}
    for column, size in groups.items() if isinstance(groups, dict) else dict.fromkeys(names, groups).items():
        check_arguments(four_fold_rules, groups=(size, [Int(1, None)]))
        sizes[names[_position(column, names, "groups")]] = int(size)
    named = {
        argument: {names[_position(column, names, argument)] for column in columns}
        for argument, columns in (("ordered", ordered), ("negated", negated))
    }
    sides = []
    for argument, columns in (("antecedent", antecedent), ("succedent", succedent)):
        chosen = names if columns is None else columns
        chosen = list(dict.fromkeys(_position(column, names, argument) for column in chosen))
        if not chosen:
            raise ValueError(f"`{argument}` must contain a column.")
        sides.append(_Literals(table, chosen, sizes, named["ordered"], named["negated"], base))
    return _pairs(*sides, n, base, thresholds, (max_antecedent, max_succedent), max_rules)


def _pairs(left, right, n, base, thresholds, lengths, max_rules):
    """The rules among all pairs of conjunctions."""
    succedents = list(right.conjunctions(lengths[1], base))
    labels = list(dict.fromkeys([*left.labels, *right.labels]))
    place = {label: k for k, label in enumerate(labels)}
    codes = [np.array([place[label] for label in side.labels], dtype=np.int32) for side in (left, right)]
    parts, n_tests, n_kept = [], 0, 0
    if succedents:
        B = np.array([mask for mask, _ in succedents], dtype=np.float32).T  # counts are exact below 2^24 rows
        used = [{right.columns[k] for k in chosen} for _, chosen in succedents]
        b_counts = np.array([mask.sum() for mask, _ in succedents])
    antecedents = left.conjunctions(lengths[0], base)
    while succedents and (block := list(itertools.islice(antecedents, _BLOCK))):
        A = np.array([mask for mask, _ in block])
        counts = np.rint(A.astype(np.float32) @ B).astype(np.int64)
        columns_used = [{left.columns[k] for k in chosen} for _, chosen in block]
        apart = np.array([[not (mine & other) for other in used] for mine in columns_used])
        n_tests += int(apart.sum())
        rows, columns = np.nonzero(apart & (counts >= base))
        rules = Rules(
            labels,
            _flat([codes[0][list(block[r][1])] for r in rows]),
            _flat([codes[1][list(succedents[c][1])] for c in columns]),
            counts[rows, columns],
            A.sum(axis=1)[rows],
            b_counts[columns],
            n,
            1,
        )
        reached = reaches(rules, thresholds)
        rules = rules.select(reached)
        n_kept += len(rules)
        if n_kept > max_rules:
            raise MemoryError(
                f"More than {max_rules:,} rules satisfy the thresholds. Raise them, use fewer columns or smaller "
                "groups, or raise max_rules."
            )
        parts.append(rules)
    return _joined(parts, labels, n, max(n_tests, 1))


def _flat(sets):
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    return (np.concatenate(sets) if sets else np.empty(0, np.int32)).astype(np.int32), offsets


def _joined(parts, labels, n, n_tests):
    """The rules of all blocks in one object."""

    def side(name):
        pieces = [getattr(part, name) for part in parts]
        flat = np.concatenate([np.empty(0, np.int32), *(flat for flat, _ in pieces)])
        lengths = np.concatenate([np.empty(0, np.int64), *(np.diff(offsets) for _, offsets in pieces)])
        return flat.astype(np.int32), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

    def column(name):
        return np.concatenate([np.empty(0, np.int64), *(getattr(part, name) for part in parts)]).astype(np.int64)

    counts = [column(name) for name in ("counts", "antecedent_counts", "consequent_counts")]
    return Rules(labels, side("antecedents"), side("consequents"), *counts, n, n_tests)


def _base(thresholds, n):
    """Smallest count of A and B that any rule can have."""
    if not isinstance(thresholds, dict) or not thresholds:
        raise ValueError(
            f"`thresholds` must be a dict such as {{'founded_implication': (0.9, 20)}}, got {thresholds!r}."
        )
    quantifiers = {name: numbers for name, numbers in thresholds.items() if name in QUANTIFIERS}
    for name, numbers in quantifiers.items():
        check_numbers(name, numbers)
    bases = [numbers[-1] for numbers in quantifiers.values()]
    bases += [thresholds["count"]] if "count" in thresholds else []
    bases += [thresholds["support"] * n * (1 - 1e-12)] if "support" in thresholds else []
    if not bases:
        raise ValueError(
            "`thresholds` must bound the number of rows of a rule: with a quantifier "
            f"({', '.join(QUANTIFIERS)}), 'count' or 'support'."
        )
    for base in bases:
        check_arguments("thresholds", base=(base, [Real(0, None)]))
    return max(1, *bases)


def _position(column, names, argument):
    """Position of a column given by its name or position."""
    if isinstance(column, str) and column in names:
        return names.index(column)
    if isinstance(column, (int, np.integer)) and not isinstance(column, bool) and -len(names) <= column < len(names):
        return int(column) % len(names)
    raise ValueError(f"`{argument}` contains {column!r}, which is not a column; the columns are {names}.")


def _read_table(data):
    """Name, code of each row (-1 if missing) and labels of the values of every column, and the number of rows."""
    if is_frame(data):
        columns = [(str(name), cells) for name, cells in frame_columns(data)]
    else:
        array = check_array(data, dtype=None, ensure_all_finite="allow-nan")
        columns = [(f"x{j}", cells) for j, cells in enumerate(array_columns(array))]
    if not columns or not len(columns[0][1]):
        raise ValueError("`data` contains no rows or no columns.")
    table = []
    for name, cells in columns:
        text, missing = cells.as_strings(), cells.missing
        if cells.type in ("number", "boolean"):
            values = np.unique(cells.values[~missing])
            order = [text[np.flatnonzero(cells.values == value)[0]] for value in values[: MAX_LEVELS + 1]]
        else:
            present = set(text[~missing].tolist())
            order = [v for v in cells.levels if v in present] if cells.levels is not None else sorted(present)
        if len(order) > MAX_LEVELS:
            raise ValueError(
                f"Column {name!r} has more than {MAX_LEVELS} values; cut it into intervals first, or drop it."
            )
        place = {value: k for k, value in enumerate(order)}
        codes = np.array([-1 if gone else place[value] for value, gone in zip(text.tolist(), missing)])
        table.append((name, codes, [str(value) for value in order]))
    return table, len(table[0][1])
