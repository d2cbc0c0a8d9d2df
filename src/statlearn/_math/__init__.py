"""The language of the mathematics: what methods of several families are made of.

`rows`: tables as sums and scores. `losses`: losses of a score, response families and links. `solvers`: methods that
minimise an objective, with one rule for step lengths. `linalg`: linear algebra with one policy of thresholds. `graphs`,
`distances`, `density`, `trees`, `formulas` and `inference` hold what their names say.

Modules here may import `_core`, the contract of an estimator, and each other. They import no family.
"""
