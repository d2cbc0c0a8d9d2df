"""Non-negative matrix factorisation: solvers, estimators, missing values."""
