"""The tree engine shared by decision trees and ensembles.

`forest`: trees as flat arrays. `tree`: a single tree with scikit-learn's attribute names. `bins`, `sparse_bins`:
binning of columns into bytes. `growth`: parameters of the native grower. `missing`: surrogate splits and fractional
rows. `pruning`: cost-complexity pruning.
"""
