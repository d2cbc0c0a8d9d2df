"""The comparison of models: plan, folds, fits, scores and what follows from them."""
