"""Links by name, responses that a family refuses, offsets and exposures."""

import numpy as np
import pytest

from statlearn._math.losses.families import make_family
from statlearn._math.losses.links import make_link
from statlearn._math.losses.response import (
    check_response,
    predicted_intervals,
    predicted_means,
    resolve_link,
    total_offset,
)
from tests.helpers import assert_close


def test_links_are_found_by_name_and_by_family():
    assert resolve_link(make_family("gamma"), "canonical").name == "inverse"
    assert resolve_link(make_family("poisson"), "auto").name == "log"
    assert resolve_link(make_family("poisson"), "sqrt").name == "sqrt"
    mu = np.array([0.5, 2.0])
    assert_close(resolve_link(make_family("tweedie", power=1.5), "canonical").link(mu), mu**-0.5)
    assert_close(resolve_link(make_family("gaussian"), "power", 3).link(mu), mu**3)
    with pytest.raises(ValueError, match="link_power"):
        resolve_link(make_family("gaussian"), "power")


def test_the_first_value_that_a_family_cannot_produce_is_named():
    check_response(np.array([0.0, 3.0]), make_family("poisson"))
    with pytest.raises(ValueError, match=r"y.*'poisson'.*-2 in row 1"):
        check_response(np.array([0.0, -2.0]), make_family("poisson"))
    with pytest.raises(ValueError, match="y must be numeric"):
        check_response(np.array(["a", "b"]), make_family("binomial"))


def test_offsets_and_logarithms_of_exposures_are_added():
    log = make_link("log")
    assert total_offset(None, None, log, 2) is None
    assert_close(total_offset(1.0, [1.0, np.e], log, 2), [1.0, 2.0])
    with pytest.raises(ValueError, match="exposure requires the log link"):
        total_offset(None, [1.0, 2.0], make_link("identity"), 2)
    with pytest.raises(ValueError, match="exposure must be positive"):
        total_offset(None, [1.0, 0.0], log, 2)
    with pytest.raises(ValueError, match="offset must have shape"):
        total_offset([1.0], None, log, 2)


@pytest.mark.parametrize(("link", "at_zero"), [("sqrt", 0.0), ("inverse", np.nan), ("inverse_squared", np.nan)])
def test_the_mean_at_the_limit_of_a_link_exists_for_positive_powers_only(link, at_zero, recwarn):
    eta = np.array([0.0, 0.25])
    expected = [at_zero, make_link(link).inverse(np.array(0.25))]
    assert_close(predicted_means(object(), make_link(link), eta), expected)
    assert len(recwarn) == np.isnan(at_zero)
    recwarn.clear()
    ends = predicted_intervals(object(), make_link(link), eta, np.array([0.1, 0.1]))
    assert np.isnan(ends).any(axis=1).tolist() == [bool(np.isnan(at_zero)), False]
    recwarn.clear()
