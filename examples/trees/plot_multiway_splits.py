"""
Many branches or two: a loan table
==================================

A column of names can be split into one branch for each name, as ID3 and C4.5 do, or into two groups of names, as CART
does. Twelve loan applications with a job, a house and savings.
"""

import matplotlib.pyplot as plt
import pandas as pd

from statlearn.plot import style
from statlearn.trees import (
    C45Classifier,
    DecisionTreeClassifier,
    ID3Classifier,
    gain_ratio,
    information_gain,
    plot_tree,
)

table = pd.DataFrame(
    {
        "job": [
            "none",
            "none",
            "clerk",
            "clerk",
            "clerk",
            "worker",
            "worker",
            "worker",
            "doctor",
            "doctor",
            "none",
            "clerk",
        ],
        "house": ["rent", "own", "rent", "own", "rent", "rent", "own", "own", "rent", "own", "rent", "own"],
        "savings": [0.5, 9.0, 1.0, 2.0, 6.5, 0.2, 1.5, 4.0, 0.8, 3.0, 7.0, 5.0],
        "loan": ["no", "yes", "no", "yes", "yes", "no", "no", "yes", "yes", "yes", "no", "yes"],
    }
)
X, y = table.drop(columns="loan"), table["loan"]

print(C45Classifier(min_samples_leaf=1, prune=False).fit(X, y).export_text())

# %%
# The gain of a split rises with the number of its branches; an application number, different in every row, would win by
# far. Gain ratio divides by the entropy of the branches' sizes, which takes most of that away.

numbered = X[["job", "house"]].assign(number=[f"no. {k}" for k in range(12)])
with style() as colours:
    fig, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained", sharey=True)
    for ax, measure, name in zip(axes, (information_gain, gain_ratio), ("information gain (bits)", "gain ratio")):
        values = [measure(numbered[c], y) for c in numbered]
        bars = ax.barh(list(numbered), values, color=[colours.cycle[0], colours.cycle[0], colours.bad])
        ax.bar_label(bars, fmt="%.2f", padding=3)
        ax.set(xlabel=name, xlim=(0, 1.15 * max(values)))
        ax.grid(axis="y", visible=False)
plt.show()

# %%
# ID3 takes the number, and learns nothing. C4.5 also wants two branches with at least two rows each, and does not.

for model in (ID3Classifier(), C45Classifier(prune=False)):
    model.fit(numbered, y)
    print(f"{type(model).__name__} tests {numbered.columns[model.tree_.feature[0]]!r} first")

# %%
# Job and house by all three methods. ID3 starts with the job, which has four branches. C4.5 starts with the house: its
# gain is smaller, but it is spread over two branches only. CART asks about groups of names, and comes back to the job
# further down.

named = X[["job", "house"]]
trees = {
    "ID3": ID3Classifier().fit(named, y),
    "C4.5": C45Classifier(prune=False).fit(named, y),
    "CART": DecisionTreeClassifier().fit(named.astype("category"), y),
}
with style():
    fig, axes = plt.subplot_mosaic([["ID3", "CART"], ["C4.5", "C4.5"]], figsize=(12, 8), layout="constrained")
    for name, tree in trees.items():
        plot_tree(
            tree, filled=True, rounded=True, class_names=True, impurity=False, label="root", ax=axes[name], fontsize=8
        )
        axes[name].set_title(f"{name}: {tree.get_n_leaves()} leaves")
plt.show()

# %%
# A diagnosis reads like a tree: flu if the headache is severe, or mild with a sore throat, a cold otherwise. The rules
# come back out of twelve patients.

patients = pd.DataFrame(
    [(headache, sore) for headache in ("severe", "mild", "none") for sore in ("yes", "no")] * 2,
    columns=["headache", "sore throat"],
)
flu = (patients["headache"] == "severe") | ((patients["headache"] == "mild") & (patients["sore throat"] == "yes"))
diagnosis = flu.map({True: "flu", False: "cold"})
doctor = ID3Classifier().fit(patients, diagnosis)
print(doctor.export_text())
with style():
    fig, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    binary = DecisionTreeClassifier()
    for ax, tree, table in zip(axes, (doctor, binary), (patients, patients.astype("category"))):
        plot_tree(tree.fit(table, diagnosis), filled=True, rounded=True, class_names=True, impurity=False, ax=ax)
axes[0].set_title("one branch for each value")
axes[1].set_title("two branches")
plt.show()

# %%
# Both trees say the same. The multiway tree asks each question once; two branches need a second one about the headache.
