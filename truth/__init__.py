"""How often is what `statlearn compare` says untrue? `python -m truth`.

A *world* generates tables whose truth is known: what can be learned from them, which columns are the target in
disguise, identifiers, groups, times, copies. A *claim* is something that a comparison may say (a finding, a sentence of
the verdict, an interval), with a predicate that the world can decide. The runner compares quick models on hundreds of
tables and counts, for each claim, how often it was made where it is true and where it is not.

``truth.worlds``   the generators, by theme
``truth.world``    what a world is and what is known of it
``truth.examine``  one comparison of one table, and the errors of its models on fresh rows
``truth.claims``   everything that may be said, with its predicate
``truth.rates``    counts, intervals, and the page of the guide
``truth.real``     real tables, changed so that the answer is known
"""
