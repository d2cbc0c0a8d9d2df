"""The language of the mathematics: what methods of several families are made of.

An estimator of a linear score is a sentence in it, ``minimise(rows, loss, penalty)``:

- `rows.rows.Rows` is a table: dense or sparse, with weights, about the means of its columns. It gives scores A w,
  projections A' r, cross-products, and the native kernel for the form of X.
- A loss (`losses.scores.Loss`) is bound to its target and has `value` and `derivatives` at the scores of the rows.
  Response families and links of generalised linear models make losses (`losses.glm.GlmLoss`).
- A penalty (`penalties.penalty.Penalty`) has `value` and `prox`; its strength is converted between scales in
  `penalties.scales`.
- A solver returns a `solvers.solution.Solution`: objective, gap, iterations, status. The gap is what the solver
  compares with its tolerance.
- A step is accepted by one rule, `solvers.step.backtrack`, and a change that is smaller than `solvers.step.rounding`
  is attributed to rounding.
- A positive definite system is solved by one scaled factor with one cutoff, `linalg.positive`, which also says which
  columns depend on others.
- A table of either form is made dense, or read by rows or columns, by `linalg.sparse_arrays`.

Folders use each other in one direction: `linalg`, then `rows` and `losses`, then `penalties`, then `solvers`.

`graphs`, `distances`, `density`, `trees`, `formulas` and `inference` hold what their names say. Modules here may import
`_core`, the contract of an estimator, and each other. They import no family. CONTRIBUTING.md shows a new loss and a new
penalty.
"""
