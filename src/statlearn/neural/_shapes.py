"""Shapes and sizes of convolutional layers."""

from statlearn._core.params import Int, check_arguments, check_value


def _pair(value, name, low, function):
    """Pair (height, width) from an argument that may be one number for both."""
    pair = (value, value) if not hasattr(value, "__iter__") else tuple(value)
    if len(pair) != 2:
        raise ValueError(f"`{name}` must be a number or a pair (height, width), got {value!r}.")
    for number in pair:
        check_value(name, number, [Int(low, None)], function)
    return tuple(int(number) for number in pair)


def steps(size, filter_size, stride, padding, *, strict, what="size"):
    """(W - F + 2P)/S + 1 for one axis, with an error if the filter does not fit."""
    room = size - filter_size + 2 * padding
    numbers = f"{what}={size}, filter_size={filter_size}, stride={stride}, padding={padding}"
    if room < 0:
        raise ValueError(f"The filter does not fit into the input ({numbers}): it is larger than the padded input.")
    if strict and room % stride:
        raise ValueError(
            f"The filter does not fit ({numbers}): (W - F + 2P)/S + 1 = {room / stride + 1:.4g} is not a whole number, "
            f"so pixels would be lost: {room % stride} of {size}. Change the stride or the padding, or allow it with "
            "strict=False."
        )
    return room // stride + 1


def conv_output_size(size, filter_size, stride=1, padding=0, *, strict=True):
    """Output size of a convolution or pooling layer, (W - F + 2P)/S + 1.

    Parameters
    ----------
    size : int or (int, int)
        Width W of the input, or its height and width.
    filter_size : int or (int, int)
        Width F of the filter.
    stride : int or (int, int), default=1
        Step S of the filter.
    padding : int or (int, int), default=0
        Zeros P added at both ends.
    strict : bool, default=True
        Raise an error unless the result is a whole number. Otherwise round down: the last pixels are not seen by any
        position of the filter.

    Returns
    -------
    int or (int, int)
        As `size`.

    Examples
    --------
    >>> from statlearn.neural import conv_output_size
    >>> conv_output_size(32, 5)
    28
    >>> conv_output_size((28, 28), 3, stride=1, padding=1)
    (28, 28)
    """
    check_arguments(conv_output_size, strict=(strict, ["boolean"]))
    name = "conv_output_size"
    sizes = zip(
        _pair(size, "size", 1, name),
        _pair(filter_size, "filter_size", 1, name),
        _pair(stride, "stride", 1, name),
        _pair(padding, "padding", 0, name),
    )
    height, width = (steps(*numbers, strict=strict) for numbers in sizes)
    return (height, width) if hasattr(size, "__iter__") else width


def conv_parameters(filter_size, channels, n_filters, *, bias=True):
    """Number of parameters of a convolution layer, F²CK + K.

    Parameters
    ----------
    filter_size : int or (int, int)
        Width F of the filters, or their height and width.
    channels : int
        Channels C of the input.
    n_filters : int
        Number K of filters.
    bias : bool, default=True
        Whether every filter has a bias.

    Returns
    -------
    int

    Notes
    -----
    The number does not depend on the size of the image: all positions share the weights.

    Examples
    --------
    >>> from statlearn.neural import conv_parameters
    >>> conv_parameters(3, 3, 32)
    896
    """
    counts = [Int(1, None)]
    check_arguments(
        conv_parameters, channels=(channels, counts), n_filters=(n_filters, counts), bias=(bias, ["boolean"])
    )
    height, width = _pair(filter_size, "filter_size", 1, "conv_parameters")
    return int(n_filters) * (height * width * int(channels) + bool(bias))


def receptive_field(layers):
    """Width of the input region that one unit of the last layer depends on.

    Parameters
    ----------
    layers : sequence of (filter size, stride) pairs
        Convolution and pooling layers from the input upwards. A padding as a third entry is accepted and ignored.

    Returns
    -------
    int

    Notes
    -----
    Every layer adds (F - 1) times the product of the strides before it.

    Examples
    --------
    Three 3 × 3 convolutions see as much as one of 7 × 7, with 27 weights per channel instead of 49:

    >>> from statlearn.neural import receptive_field
    >>> receptive_field([(3, 1), (3, 1), (3, 1)])
    7
    """
    field, jump = 1, 1
    for layer in layers:
        numbers = tuple(layer) if hasattr(layer, "__iter__") else (layer, 1)
        if not 1 <= len(numbers) <= 3:
            raise ValueError(f"`layers` must contain pairs (filter size, stride), got {layer!r}.")
        numbers = (*numbers, 1)[:2] if len(numbers) == 1 else numbers[:2]
        for number in numbers:
            check_value("layers", number, [Int(1, None)], "receptive_field")
        field += (int(numbers[0]) - 1) * jump
        jump *= int(numbers[1])
    return field
