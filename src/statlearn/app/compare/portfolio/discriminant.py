"""How `compare` uses the models of `statlearn.discriminant`."""

from statlearn.app.compare.portfolio.entry import Entry

ENTRIES = {
    "DiagonalLDA": Entry(1.0, default=False),
    "DiagonalQDA": Entry(1.5, default=False),
    "FisherDiscriminant": Entry(1.0, default=False, needs=("binary",)),
    "FlexibleDiscriminantAnalysis": Entry(3.0, default=False, max_rows=20_000, max_columns=60),
    "LinearDiscriminantAnalysis": Entry(1.0, max_columns=2000),
    "MixtureDiscriminantAnalysis": Entry(3.0, default=False, max_rows=50_000, max_columns=100),
    "PenalizedDiscriminantAnalysis": Entry(1.5, default=False, max_columns=1000),
    "QuadraticDiscriminantAnalysis": Entry(2.0, max_columns=300),
    "QuadraticLDA": Entry(2.0, default=False, max_columns=30),
    "ReducedRankLDA": Entry(1.0, default=False, max_columns=1000),
    "RegularizedDiscriminantAnalysis": Entry(2.0, max_columns=300),
    "SparseLDA": Entry(1.5, default=False, max_rows=50_000, max_columns=5000),
}
