"""The format of model files.

A zip archive of ``model.json``, which describes all objects as one flat list of nodes of plain values, and of arrays in
numpy's own format. `writer` makes the nodes from objects, `reader` checks all of them and then builds the objects,
`parts` and `classes` hold the closed list of what may be built, `skops_file` translates files of earlier versions into
the same nodes.
"""
