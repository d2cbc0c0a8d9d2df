"""
Rules of a survey, and what they leave out
==========================================

Rules of a table, each a point with its support, confidence and lift. High thresholds favour frequent items, so that the
items of the rules are not those of the data.
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn.plot import style
from statlearn.rules import (
    BinarizeDataset,
    association_rules,
    filter_rules,
    frequent_itemsets,
    plot_frequency_comparison,
    plot_rule_graph,
    plot_rules,
)

# A survey in which income depends on education and age, home on income, and colour on nothing.
rng = np.random.default_rng(0)
n = 4000
age = rng.uniform(18, 80, n)
education = rng.choice(["school", "college", "doctorate"], n, p=[0.6, 0.33, 0.07])
income = 20 + 0.3 * age + 25 * (education == "college") + 45 * (education == "doctorate") + rng.normal(0, 12, n)
home = np.where(rng.random(n) < 1 / (1 + np.exp(-(income - 45) / 6)), "owner", "tenant")
colour = rng.choice(["red", "green", "blue", "violet"], n, p=[0.5, 0.3, 0.15, 0.05])
table = np.column_stack([age, education, income, home, colour]).astype(object)
table[:, 0], table[:, 2] = age, income
binarizer = BinarizeDataset(ordinal=[0, 2]).fit(table)
names = {"x0": "age", "x1": "education", "x2": "income", "x3": "home", "x4": "colour"}
items = [names[item[:2]] + item[2:] for item in binarizer.items_]
items = [item[: item.find(".") + 2] if "." in item else item for item in items]
present = binarizer.transform(table)
baskets = [[items[k] for k in np.flatnonzero(row)] for row in present]

sets = frequent_itemsets(baskets, min_support=0.05)
rules = association_rules(sets, min_confidence=0.6)
print(rules.sort("lift"))
with style():
    plot_rules(rules)
    plt.show()

# %%
# Most of these rules repeat a shorter one with a condition that adds nothing, such as a colour. Only rules that predict
# better than every rule with fewer conditions, and whose p-value holds up against the number of rules examined, are
# drawn.
kept = filter_rules(rules, redundant=False, min_improvement=0.02, thresholds={"lift": 1.1}, max_p=0.01)
print(f"{len(rules)} rules, {len(kept)} of them improve on shorter ones by at least 0.02 and are significant")
with style():
    plot_rule_graph(kept, n=12)
    plt.show()

# %%
# Frequent values are over-represented among the rules. Rare ones are under-represented, or vanish as violet does, which
# is below the threshold with every other item.
with style():
    plot_frequency_comparison(rules, baskets)
    plt.show()

# %%
# The survey is simulated. The one of the textbooks, fourteen questions to shoppers in the Bay Area, is
# ``marketing.data`` on the website of *The Elements of Statistical Learning* and ``marketing`` in R's archived package
# ElemStatLearn: 8,993 rows, 6,876 of them complete. With that file at hand, these lines read it instead::
#
#     table = pd.read_csv("marketing.data", sep=r"\s+", header=None).dropna().to_numpy()
#     binarizer = BinarizeDataset(ordinal=[0, 3, 4, 6, 8, 9]).fit(table)
