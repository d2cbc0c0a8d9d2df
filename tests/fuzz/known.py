"""Failures that are known, each with its reason; an entry goes when its cause is mended.

Keys are (estimator, outcome). The list is for what is being worked on: nothing may stay here.
"""

KNOWN: dict[tuple[str, str], str] = {}
