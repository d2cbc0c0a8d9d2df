"""Names that families publish, by the name of the family."""

import pytest

from statlearn import assess
from statlearn._core.registry import published


def test_published_returns_the_function_of_the_family():
    assert published("assess.get_scorer") is assess.get_scorer


def test_published_raises_for_unknown_names():
    with pytest.raises(AttributeError):
        published("assess.get_nothing")
