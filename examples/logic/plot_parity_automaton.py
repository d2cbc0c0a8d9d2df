"""
An automaton from ten words
===========================

Five words with an even number of ones and five with an odd number. MetagolR parses the first and abduces the
transitions that are missing, as few as possible, such that none of the others is accepted.
"""

import matplotlib.pyplot as plt

from statlearn.logic import MetagolR

even = ["", "11", "011", "101", "110"]
odd = ["1", "01", "10", "001", "111"]
learner = MetagolR().fit(even, odd)
print(learner.program_)

# %%
# A state is accepting if it has a double ring. There is no smaller automaton, and no other one of this size.
learner.automaton_.plot()
plt.show()

# %%
# The automaton knows words that it has not seen.
words = ["0000", "1001", "10110", "1"]
print(dict(zip(words, learner.predict(words))))
