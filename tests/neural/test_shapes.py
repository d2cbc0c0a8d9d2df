"""Sizes of convolution layers, with numbers to check by hand and PyTorch's own shapes."""

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from statlearn.neural import conv_output_size, conv_parameters, receptive_field


@pytest.mark.spec("NEU-09", "NEU-T1")
def test_five_by_five_on_a_colour_image():
    assert conv_output_size(32, 5) == 28
    assert conv_parameters(5, 3, 1) == 75 + 1
    assert conv_parameters(5, 3, 1, bias=False) == 75


@pytest.mark.spec("NEU-T2")
@pytest.mark.parametrize("size", [5, 28, 32, 225])
@pytest.mark.parametrize("setting", [(3, 1, 1), (5, 1, 2), (1, 1, 0)])
def test_settings_that_preserve_the_size(setting, size):
    assert conv_output_size(size, *setting) == size


@pytest.mark.spec("NEU-T3")
@pytest.mark.parametrize("size, n_filters, expected", [(3, 32, 896), (5, 32, 2432), (3, 64, 1792)])
def test_parameters_for_three_channels(size, n_filters, expected):
    assert conv_parameters(size, 3, n_filters) == expected


@pytest.mark.spec("NEU-09", "NEU-P3")
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5), st.integers(1, 4), st.integers(0, 3))
def test_formula_is_the_shape_of_pytorch(height, width, size, stride, padding):
    assume(min(height, width) + 2 * padding >= size)
    expected = torch.nn.functional.conv2d(
        torch.zeros(1, 1, height, width), torch.zeros(1, 1, size, size), None, stride, padding
    ).shape[2:]
    assert conv_output_size((height, width), size, stride, padding, strict=False) == tuple(expected)
    fits = all((side - size + 2 * padding) % stride == 0 for side in (height, width))
    if fits:
        assert conv_output_size((height, width), size, stride, padding) == tuple(expected)
    else:
        with pytest.raises(ValueError, match="not a whole number"):
            conv_output_size((height, width), size, stride, padding)


@pytest.mark.spec("NEU-09")
@given(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3))
def test_receptive_field_contains_all_inputs_of_an_output(layers):
    field = receptive_field(layers)
    # a stack of all-ones filters: the inputs with a nonzero derivative are the receptive field
    signal = torch.zeros(1, 1, field, requires_grad=True)
    values = signal
    for size, stride in layers:
        values = torch.nn.functional.conv1d(values, torch.ones(1, 1, size), None, stride)
    assert values.shape[2] == 1
    seen = np.flatnonzero(torch.autograd.grad(values.sum(), signal)[0].numpy().ravel())
    assert seen[0] == 0
    assert seen[-1] - seen[0] + 1 <= field
    assert receptive_field([(3, 1), (3, 1, 1), 3]) == 7


def test_messages_name_the_sizes():
    with pytest.raises(
        ValueError, match=r"size=10, filter_size=3, stride=2, padding=0.*= 4.5 .*pixels would be lost: 1 of 10"
    ):
        conv_output_size(10, 3, stride=2)
    with pytest.raises(ValueError, match="larger than the padded input"):
        conv_output_size(4, 7, padding=1)
    with pytest.raises(ValueError, match="'filter_size' parameter of conv_output_size"):
        conv_output_size(4, 0)
    with pytest.raises(ValueError, match=r"`size` must be a number or a pair"):
        conv_output_size((4, 4, 4), 3)
    with pytest.raises(ValueError, match="'channels' parameter of conv_parameters"):
        conv_parameters(3, 0, 2)
    with pytest.raises(ValueError, match="pairs"):
        receptive_field([(3, 1, 1, 1)])
