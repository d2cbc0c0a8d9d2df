"""Linear classifiers other than logistic and ridge."""
