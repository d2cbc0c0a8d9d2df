"""How `compare` uses the models of `statlearn.kernels`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "KernelRidgeCV": Entry(5.0, max_rows=1500),
}
