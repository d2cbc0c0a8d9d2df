"""The tree engine that decision trees and ensembles share.

`forest`: trees in flat arrays. `tree`: one of them under scikit-learn's names. `bins`, `sparse_bins`: columns cut into
bytes. `growth`: parameters for the native grower. `missing`: surrogate splits and fractional rows. `pruning`:
cost-complexity sequences.
"""
