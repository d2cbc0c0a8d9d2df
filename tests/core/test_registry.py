"""Names that families publish, by the name of the family."""

import pytest

from statlearn import assess
from statlearn._core.registry import published


def test_published_names_are_those_of_the_family():
    assert published("assess.get_scorer") is assess.get_scorer


def test_published_name_that_does_not_exist_raises():
    with pytest.raises(AttributeError):
        published("assess.get_nothing")
