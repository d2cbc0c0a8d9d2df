"""
C5.0: ten trees, rules that vote, fewer columns
===============================================

C5.0 adds three things to C4.5: boosting, rules in place of trees, and winnowing, which drops columns before the first
tree is grown. Which of them pays?
"""

import matplotlib.pyplot as plt
import numpy as np

from statlearn import datasets
from statlearn.assess import StratifiedKFold, cross_val_score
from statlearn.plot import style
from statlearn.trees import C50Classifier

tables = {name: datasets.load(f"keel/{name}") for name in ("sonar", "heart", "ionosphere")}
variants = {"trees": {}, "rules": {"rules": True}, "winnowed trees": {"winnow": True, "random_state": 0}}
trials = [1, 3, 10]
folds = StratifiedKFold(5, shuffle=True, random_state=0)

# %%
# The same five folds are used for all curves.
errors = {
    (table, name): [1 - cross_val_score(C50Classifier(k, **options), data.X, data.y, cv=folds).mean() for k in trials]
    for table, data in tables.items()
    for name, options in variants.items()
}

with style():
    fig, axes = plt.subplots(1, 3, figsize=(11, 3.6), layout="constrained")
    for ax, (table, data) in zip(axes, tables.items()):
        for name in variants:
            ax.plot(trials, errors[table, name], "o-", label=name)
        n, p = data.X.shape
        ax.set(xscale="log", xticks=trials, xlabel="trials", title=f"{table}\n{n} rows, {p} columns")
        ax.set_xticklabels(trials)
        ax.minorticks_off()
    axes[0].set_ylabel("error in cross-validation")
    axes[0].legend()
plt.show()

# %%
# Ten trees make fewer errors than one on the two tables of measurements, and rules are as good as the trees they come
# from or better. In the table of heart patients three columns say nearly everything, and winnowing finds them. On the
# other two it takes away the columns that later trees would use, and boosting gains nothing: do not combine them unless
# a cross-validation says so. What it leaves of the patients, and the first rules there:
heart = tables["heart"]
model = C50Classifier(1, rules=True, min_samples_leaf=10).fit(heart.X, heart.y)
for rule in model.rules_[0][:4]:
    print(rule)
used = C50Classifier(1, winnow=True, random_state=0).fit(heart.X, heart.y).used_features_
print("columns left after winnowing:", ", ".join(np.array(heart.X.columns)[used]))
