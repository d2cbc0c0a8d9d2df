"""Text for terminals: names and cells of a table must not steer the terminal that shows them."""

_CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {127: 0x2421}
_INVISIBLE = [*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]  # further controls, reversed text
_PICTURES = _CONTROLS | dict.fromkeys(_INVISIBLE, 0xFFFD)


def visible(text):
    """The text with a picture instead of each character that a terminal would obey instead of showing it.

    Examples
    --------
    >>> from statlearn.app.terminal import visible
    >>> visible("a\\x1b[2Jb")
    'a␛[2Jb'
    """
    return str(text).translate(_PICTURES)
