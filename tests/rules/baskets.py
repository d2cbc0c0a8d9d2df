"""Baskets of the catalog, and random ones."""

import numpy as np
from hypothesis import strategies as st

TEN = [list(basket) for basket in ["abcefo", "acg", "ei", "acdeg", "acegl", "ej", "abcefp", "acd", "acegm", "acegn"]]


def sets(text):
    """'ac8 acd2' as counts by set."""
    return {tuple(word.rstrip("0123456789")): int(word.lstrip("abcdefghijklmnop")) for word in text.split()}


FREQUENT = sets(
    "a8 b2 c8 d2 e8 f2 g5 ab2 ac8 ad2 ae6 af2 ag5 bc2 be2 bf2 cd2 ce6 cf2 cg5 ef2 eg4 "
    "abc2 abe2 abf2 acd2 ace6 acf2 acg5 aef2 aeg4 bce2 bcf2 bef2 cef2 ceg4 abce2 abcf2 abef2 acef2 aceg4 bcef2 abcef2"
)
CLOSED = sets("e8 ac8 acd2 ace6 acg5 aceg4 abcef2")
MAXIMAL = sets("acd2 aceg4 abcef2")

collections = st.lists(st.frozensets(st.sampled_from("abcdefgh")), min_size=1, max_size=40)
thresholds = st.one_of(st.integers(1, 8), st.floats(0.01, 1.0))


def random_baskets(rng, n=300, items=9, density=0.4):
    table = rng.random((n, items)) < density * rng.uniform(0.3, 2, items)
    return [np.flatnonzero(row).tolist() for row in table]
