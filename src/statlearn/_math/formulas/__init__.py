"""The language of formulas.

`parser` reads a text into a `tree`, `terms` expands it, `functions` and `limits` say what it may contain.
"""
