"""
The links of H-mine
===================

H-mine stores the baskets once, without infrequent items, and reads them through queues. The header holds the first
basket of each queue, and links lead to the next. At first a basket is in the queue of its first item: three begin with
*a*, one with *c*.
"""

import matplotlib.pyplot as plt

from statlearn.rules import HyperStructure, hmine

baskets = [list(word) for word in ("cdefgi", "acdem", "abdegk", "acdh")]
links = HyperStructure(baskets, min_support=2)
links.plot()
plt.show()

# %%
# All sets with *a* are found by counting what follows *a* in its queue. Then the queue is dissolved, and its baskets
# pass to their next items. The queue of *c* now holds every basket with *c*.
links.advance("a").plot()
plt.show()

# %%
# No basket was copied. The same steps within a queue find the longer sets.
print(hmine(baskets, min_support=2))
