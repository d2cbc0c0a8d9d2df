"""Plain values in JSON: what JSON has stands for itself, all else is an object with one key that says its kind.

======================  ================================================================
``{"ref": 7}``          node 7
``{"float": "nan"}``    also ``inf`` and ``-inf``
``{"complex": [a, b]}`` a complex number
``{"scalar": [t, v]}``  a number of numpy with data type t
======================  ================================================================
"""

import math

import numpy as np

_SCALAR_KINDS = "biufcUSMm"
_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def is_plain(value):
    """Whether a value is coded in place, without a node."""
    return value is None or type(value) in (bool, int, float, str, complex) or isinstance(value, np.generic)


def encode(value):
    """The JSON of a plain value; TypeError for a number that it cannot represent."""
    if type(value) is float:
        return value if math.isfinite(value) else {"float": repr(value)}
    if type(value) is complex:
        return {"complex": [encode(value.real), encode(value.imag)]}
    if isinstance(value, np.generic):
        return {"scalar": [_dtype_text(value), _scalar(value)]}
    return value


def _dtype_text(value):
    dtype = value.dtype
    if dtype.kind not in _SCALAR_KINDS or (dtype.itemsize > 16 and dtype.kind in "fc"):
        raise TypeError(f"a numpy number of type {dtype}")
    return dtype.newbyteorder("=").str


def _scalar(value):
    if value.dtype.kind in "Mm":
        return int(value.view(np.int64))
    if value.dtype.kind == "S":
        return value.item().hex()
    if value.dtype == np.longdouble and value.dtype.itemsize > 8:
        raise TypeError("a number of extended precision")
    return encode(value.item())


def decode(value):
    """The plain value of its JSON; ValueError if there is none. References are left to the caller."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is dict and len(value) == 1:
        ((kind, content),) = value.items()
        if kind == "float" and content in _NOT_FINITE:
            return _NOT_FINITE[content]
        if kind == "complex" and type(content) is list and len(content) == 2:
            return complex(*(_number(part) for part in content))
        if kind == "scalar" and type(content) is list and len(content) == 2:
            return _numpy_scalar(*content)
    raise ValueError("a value of unknown form")


def _number(value):
    number = decode(value)
    if type(number) not in (int, float):
        raise ValueError("a complex number without two parts")
    return number


def read_dtype(text):
    """The data type of its text; only numbers, text, bytes and dates."""
    if type(text) is not str or len(text) > 24 or text[:1] not in "<>|=" or text[1:2] not in _SCALAR_KINDS:
        raise ValueError(f"the data type {str(text)[:24]!r}")
    dtype = np.dtype(text)
    if dtype.kind not in _SCALAR_KINDS:
        raise ValueError(f"the data type {text!r}")
    return dtype


def _numpy_scalar(text, content):
    dtype = read_dtype(text)
    content = decode(content)
    if dtype.kind in "Mm":
        if type(content) is not int:
            raise ValueError("a date that is not a count")
        return np.int64(content).view(dtype)
    if dtype.kind == "S":
        return np.bytes_(bytes.fromhex(content))
    if dtype.kind == "U":
        if type(content) is not str:
            raise ValueError("a text that is not one")
        return np.str_(content)
    if type(content) not in (bool, int, float, complex):
        raise ValueError("a number that is not one")
    return dtype.type(content)
