"""Logistic and multinomial regression."""
