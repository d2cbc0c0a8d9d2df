"""Requests: settings are checked when a request is made, and settled."""

from dataclasses import FrozenInstanceError

import pytest

from statlearn.app.compare.request import Request
from statlearn.app.errors import UsageError
from statlearn.app.setting_names import command_line


@pytest.mark.parametrize(
    "settings, words",
    [
        ({"folds": 1}, "`folds` must be an integer of at least 2, got 1"),
        ({"folds": 2.5}, "`folds` must be an integer of at least 2, got 2.5"),
        ({"repeats": 0}, "`repeats` must be an integer of at least 1, got 0"),
        ({"holdout": 1.0}, "`holdout` must be at least 0 and below 1, got 1.0"),
        ({"task": "sorting"}, "`task` must be 'auto', 'regression' or 'classification', got 'sorting'"),
        ({"search": "random"}, "`search` must be 'grid' or 'bayes', got 'random'"),
        ({"keep": [3]}, "`keep` must contain column names"),
        ({"resume": True}, "`resume` needs the folder of the earlier run; pass it as `out`"),
    ],
)
def test_senseless_settings_raise_without_a_table(settings, words):
    with pytest.raises(UsageError, match=words):
        Request(None, "y", **settings)


def test_messages_name_options_on_the_command_line():
    with command_line(), pytest.raises(UsageError, match="--seed must be"):
        Request(None, "y", random_state=-1)


def test_a_request_is_settled_and_frozen():
    request = Request(None, "y", models=["lasso"], keep="a", mute=["leak"], time_limit=30.0)
    assert (request.models, request.keep, request.mute, request.budget) == (("lasso",), ("a",), ("LEAK",), 30.0)
    assert request.without(["b"]).drop == ("b",)
    with pytest.raises(FrozenInstanceError):
        request.folds = 3
