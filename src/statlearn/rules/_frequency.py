"""Items in the rules against items in the data."""

import numpy as np

from ._baskets import read_baskets
from ._itemsets import make_frame
from ._rules import Rules


def frequency_comparison(rules, data=None, *, backend="pandas"):
    """Relative frequency of each item in the rules, against the data.

    High thresholds favour frequent items. The comparison shows which items the rules over-represent, and which vanish.

    Parameters
    ----------
    rules : Rules or Itemsets
        Rules (antecedents and consequents together) or item sets.
    data : Baskets, iterable of iterables, data frame, array or sparse matrix, or None, default=None
        The baskets. None uses the single items among the sets behind the rules, so that infrequent items are missing.
    backend : {"pandas", "polars"}, default="pandas"

    Returns
    -------
    data frame
        By decreasing frequency in the data: item, data (share of all entries of the baskets), rules (share of all
        entries of the rules) and ratio (rules / data). Both shares sum to 1.

    Examples
    --------
    >>> from statlearn.rules import association_rules, frequency_comparison, frequent_itemsets
    >>> baskets = [["a", "b"], ["a", "b"], ["a", "c"]]
    >>> rules = association_rules(frequent_itemsets(baskets, min_support=2))
    >>> frequency_comparison(rules, baskets).round(2)
      item  data  rules  ratio
    0    a  0.50    0.5    1.0
    1    b  0.33    0.5    1.5
    2    c  0.17    0.0    0.0
    """
    if isinstance(rules, Rules):
        labels, sets = rules.items, rules.itemsets
        used = np.concatenate([rules.antecedents[0], rules.consequents[0]])
    else:
        labels, sets, used = rules.items, rules, rules.indices
    in_rules = dict(zip(labels, np.bincount(used, minlength=len(labels)).tolist()))
    if data is not None:
        baskets = read_baskets(data)
        in_data = dict(zip(baskets.items, baskets.counts.tolist()))
    elif sets is not None:
        single = sets.lengths == 1
        in_data = dict(zip([labels[k] for k in sets.indices[sets.offsets[:-1][single]]], sets.counts[single].tolist()))
    else:
        raise ValueError("`data` is required, because these rules were created without their item sets.")
    names = sorted({*in_data, *(label for label, count in in_rules.items() if count)}, key=lambda k: -in_data.get(k, 0))
    shares = []
    for table in (in_data, in_rules):
        counts = np.array([table.get(name, 0) for name in names], dtype=float)
        shares.append(counts / counts.sum() if counts.sum() else counts)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = shares[1] / shares[0]
    return make_frame({"item": names, "data": shares[0], "rules": shares[1], "ratio": ratio}, backend)
