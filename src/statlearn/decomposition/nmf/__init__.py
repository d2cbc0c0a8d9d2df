"""Non-negative matrix factorisation: solvers, estimators, missing cells."""
