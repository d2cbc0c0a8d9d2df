"""Item sets and rules. The quality is what was found: the number of sets and the sum of their counts must agree."""

import numpy as np

from benchmarks.case import Case


def _patterned(n, n_items=870, length=10, patterns=2000, pattern_length=4, seed=0):
    """Sparse baskets of overlapping patterns, in the manner of the generator behind T10.I4.D100K."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=patterns)
    known = [np.unique(rng.integers(n_items, size=max(1, s))) for s in rng.poisson(pattern_length, patterns)]
    drawn = iter(rng.choice(patterns, p=weights / weights.sum(), size=8 * n))
    kept = iter(rng.random(80 * n))
    rows = []
    for size in np.maximum(1, rng.poisson(length, n)):
        row = set()
        while len(row) < size:
            row.update(item for item in known[next(drawn)].tolist() if next(kept) < 0.75)
        rows.append(sorted(row)[:size])
    return rows


def _attributes(n, columns=23, groups=6, seed=0):
    """Dense rows: one item per attribute, whose levels depend on a hidden group, as in the mushroom data."""
    rng = np.random.default_rng(seed)
    group, start, table = rng.integers(groups, size=n), 0, []
    for _ in range(columns):
        levels = int(rng.integers(2, 10))
        chances = np.cumsum(rng.dirichlet(np.full(levels, 0.12), size=groups), axis=1)
        table.append(start + (rng.random(n)[:, None] > chances[group]).sum(axis=1).clip(max=levels - 1))
        start += levels
    return np.column_stack(table).tolist()


class _Sets(Case):
    def quality(fit, rows, count):
        return dict(sets=fit.sets, total=fit.total)

    def statlearn(rows, count):
        from statlearn.rules import frequent_itemsets

        found = frequent_itemsets(rows, count)
        return dict(sets=len(found), total=float(found.counts.sum()))

    def pyfim(rows, count):
        import fim

        found = fim.eclat(rows, supp=-count, report="a")
        return dict(sets=len(found), total=float(sum(c for _, c in found)))

    def pyfim_fpgrowth(rows, count):
        import fim

        found = fim.fpgrowth(rows, supp=-count, report="a")
        return dict(sets=len(found), total=float(sum(c for _, c in found)))


class sparse_sets(_Sets):
    """Frequent sets of sparse baskets (100,000 lists of about ten of 870 items) at 0.5 %."""

    size, quick = dict(n=100_000, share=0.005), dict(n=1000, share=0.02)
    goal = dict(pyfim=1)
    same = ("sets", "total")

    def data(n, share):
        return dict(rows=_patterned(n), count=int(np.ceil(share * n)))


class many_sets(_Sets):
    """Frequent sets of a million sparse baskets at 0.5 %."""

    size, quick = dict(n=1_000_000, share=0.005), dict(n=1000, share=0.02)
    goal = dict(pyfim=2)
    same = ("sets", "total")

    def data(n, share):
        return dict(rows=_patterned(n), count=int(np.ceil(share * n)))


class dense_sets(_Sets):
    """Frequent sets of 8,000 rows of 23 attributes at 10 %."""

    size, quick = dict(n=8000, share=0.1), dict(n=200, share=0.4)
    goal = dict(pyfim=1)
    same = ("sets", "total")

    def data(n, share):
        return dict(rows=_attributes(n), count=int(np.ceil(share * n)))


def _found(rows, count, max_len=None):
    """Frequent sets, for us and in the form of efficient-apriori."""
    from statlearn.rules import frequent_itemsets

    sets = frequent_itemsets(rows, count, max_len=max_len)
    by_length = {}
    for items, times in sets:
        by_length.setdefault(len(items), {})[items] = times
    return dict(sets=sets, by_length=by_length, n=len(rows))


class rules(Case):
    """Rules with a confidence of at least 0.8 from given frequent sets of dense rows."""

    size, quick = dict(n=8000, share=0.1, max_len=6), dict(n=200, share=0.4, max_len=3)
    goal = dict(efficient_apriori=20)
    same = ("rules",)

    def data(n, share, max_len):
        return _found(_attributes(n), int(np.ceil(share * n)), max_len)

    def quality(fit, sets, by_length, n):
        return dict(rules=fit.rules, sets=len(sets))

    def statlearn(sets, by_length, n):
        from statlearn.rules import association_rules

        return dict(rules=len(association_rules(sets, 0.8)))

    def efficient_apriori(sets, by_length, n):
        from efficient_apriori.rules import generate_rules_apriori

        return dict(rules=sum(1 for _ in generate_rules_apriori(by_length, 0.8, n)))


class many_rules(rules):
    """Rules with a confidence of at least 0.8 from 370,000 given frequent sets of sparse baskets."""

    size, quick = dict(n=100_000, count=7), dict(n=1000, count=10)

    def data(n, count):
        return _found(_patterned(n), count)
