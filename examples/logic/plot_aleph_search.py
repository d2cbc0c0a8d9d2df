"""
How Aleph finds a rule
======================

Alice is happy; Bob, Claire and Dave are not. The bottom clause of ``happy(alice)`` holds everything that is known
about Alice. The search visits clauses made of its literals, from the empty body down, and counts the positive and
negative examples that each one covers.
"""

import matplotlib.pyplot as plt

from statlearn.logic import Aleph

background = """
lego_builder(alice). lego_builder(bob). estate_agent(claire). estate_agent(dave).
enjoys_lego(alice). enjoys_lego(claire).
"""
modes = """
modeh(1, happy(+person)).
modeb(1, lego_builder(+person)). modeb(1, estate_agent(+person)). modeb(1, enjoys_lego(+person)).
"""
learner = Aleph(modes, keep_search=True)
learner.fit(background, ["happy(alice)"], ["happy(bob)", "happy(claire)", "happy(dave)"])
print("bottom clause:", learner.bottoms_[0])

# %%
# Alice is not an estate agent, so this literal is never tried. Each of the two others alone still covers somebody who
# is not happy; together they cover Alice only.
ax = learner.plot_search()
plt.show()

# %%
print(learner.program_)
