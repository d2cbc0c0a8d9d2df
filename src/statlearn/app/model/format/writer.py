"""From objects to nodes: a flat list in which every object occurs once, and refers to others by number."""

import collections
import datetime
import functools
import types

import numpy as np
from scipy import sparse

from statlearn.app.errors import ModelFileError

from . import arrays, classes, values

# Attributes that scikit-learn sets while it fits, or to compare versions when it unpickles.
TRANSIENT = {"_sklearn_version", "_parent_callback_ctx", "_callback_fit_ctx"}
# Terms of logic cannot change once they are made; these are the arguments they are made of.
TERMS = {
    "statlearn.logic.Variable": ("name",),
    "statlearn.logic.Constant": ("_value",),
    "statlearn.logic.Atom": ("predicate", "args"),
    "statlearn.logic.Literal": ("atom", "negated"),
    "statlearn.logic.Clause": ("head", "body"),
    "statlearn.logic.Program": ("clauses",),
}
COMPOUND = "statlearn.logic.Compound"


class Writer:
    """The nodes and arrays of one model.

    Attributes
    ----------
    nodes : list of dict
        Nodes whose objects cannot change (tuples, arrays, terms) refer only to earlier ones of these, so that a reader
        can build them in order.
    arrays : list of ndarray
        In the order of their numbers.
    """

    def __init__(self, model):
        self.nodes = []
        self.arrays = []
        self._numbers = {}  # id -> number of the node
        self._alive = []  # what the ids belong to
        self._waiting = collections.deque()  # changeable objects that have a number, but no content yet
        self.root = self.code(model, type(model).__name__)
        while self._waiting:
            value, number, path = self._waiting.popleft()
            self.nodes[number] = self._changeable(value, path)

    def code(self, value, path):
        """The JSON of a value: itself if it is plain, otherwise a reference to its node."""
        if values.is_plain(value):
            try:
                return values.encode(value)
            except TypeError as error:
                raise _cannot(path, str(error)) from error
        number = self._numbers.get(id(value))
        if number is None:
            if _is_changeable(value):
                number = self._add(value, None)
                self._waiting.append((value, number, path))
            else:
                number = self._add(value, self._fixed(value, path))
        return {"ref": number}

    def _add(self, value, node):
        self._alive.append(value)
        self.nodes.append(node)
        self._numbers[id(value)] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def _items(self, items, path):
        return [self.code(item, f"{path}[{k}]") for k, item in enumerate(items)]

    # Objects that cannot change are complete when they get their number

    def _fixed(self, value, path):
        if isinstance(value, tuple):
            return self._tuple(value, path)
        if isinstance(value, np.ndarray):
            return self._array(value, path)
        if sparse.issparse(value):
            return self._sparse(value, path)
        if type(value) is bytes:
            return {"kind": "bytes", "hex": value.hex()}
        if type(value) is frozenset:
            return {"kind": "frozenset", "items": self._items(sorted(value, key=repr), path)}
        if type(value) in (slice, range):
            ends = [self.code(end, path) for end in (value.start, value.stop, value.step)]
            return {"kind": type(value).__name__, "ends": ends}
        if isinstance(value, np.dtype):
            return {"kind": "dtype", "name": _dtype_name(value, path)}
        if isinstance(value, np.random.RandomState):
            return {"kind": "random_state", "state": self._tree(value.get_state(legacy=False), path)}
        if isinstance(value, np.random.Generator):
            return {"kind": "generator", "state": self._tree(value.bit_generator.state, path)}
        if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
            return self._date(value, path)
        if isinstance(value, functools.partial):
            return {
                "kind": "partial",
                "function": self.code(value.func, path),
                "args": self._items(value.args, path),
                "keywords": {name: self.code(item, f"{path}.{name}") for name, item in value.keywords.items()},
            }
        if isinstance(value, type):
            name = classes.type_name(value)
            if name is None:
                raise _cannot(path, f"the class {value.__module__}.{value.__qualname__}")
            return {"kind": "type", "name": name}
        if callable(value) and (name := classes.function_name(value)) is not None:
            return {"kind": "function", "name": name}
        if isinstance(value, types.FunctionType | types.BuiltinFunctionType | types.MethodType | np.ufunc):
            raise _cannot(path, f"the function {getattr(value, '__qualname__', value)}")
        return self._term(value, path)

    def _tuple(self, value, path):
        node = {"kind": "tuple", "items": self._items(value, path)}
        if type(value) is not tuple:
            node["class"] = _class_name(value, path)
        return node

    def _array(self, value, path):
        if isinstance(value, np.ma.MaskedArray):
            data, mask = (self.code(part, path) for part in (np.asarray(value.data), np.ma.getmaskarray(value)))
            return {"kind": "masked", "data": data, "mask": mask}
        if type(value) not in (np.ndarray, np.memmap):
            raise _cannot(path, f"an array of type {type(value).__name__}")
        if value.dtype.names is not None or value.dtype.kind not in "biufcUSMm" or value.dtype.char in "gG":
            raise _cannot(path, f"an array of type {value.dtype}")
        self.arrays.append(value)
        return {"kind": "array", "number": len(self.arrays) - 1}

    def _sparse(self, value, path):
        kind = type(value).__name__
        parts = arrays.sparse_parts(value) if kind in arrays.SPARSE else None
        if parts is None:
            raise _cannot(path, f"a sparse matrix of type {kind}")
        coded = {name: self.code(part, path) for name, part in parts.items()}
        return {"kind": "sparse", "layout": kind, "shape": [int(side) for side in value.shape], "parts": coded}

    def _date(self, value, path):
        if type(value) is datetime.timedelta:
            return {"kind": "timedelta", "parts": [value.days, value.seconds, value.microseconds]}
        if type(value) in (datetime.date, datetime.time, datetime.datetime):
            return {"kind": type(value).__name__, "text": value.isoformat()}
        if type(value).__module__.startswith("pandas.") and type(value).__name__ == "Timestamp":
            return {"kind": "timestamp", "text": value.isoformat(), "unit": value.unit}
        raise _cannot(path, f"a {type(value).__name__}")

    def _term(self, value, path):
        name = _class_name(value, path)
        if name == COMPOUND:
            from statlearn.logic import Compound

            flat, stack = [], [value]  # without recursion
            while stack:
                each = stack.pop()
                if type(each) is Compound:
                    flat.append([each.functor, len(each.args)])
                    stack.extend(reversed(each.args))
                else:
                    flat.append(self.code(each, path))
            return {"kind": "compound", "terms": flat}
        args = [self.code(getattr(value, part), f"{path}.{part}") for part in TERMS[name]]
        return {"kind": "term", "class": name, "args": args}

    def _tree(self, value, path):
        """State of a random generator: nested dicts of numbers and arrays."""
        if isinstance(value, dict):
            return {str(key): self._tree(item, path) for key, item in value.items()}
        return self.code(value, path)

    # Objects that can change may refer to themselves

    def _changeable(self, value, path):
        if isinstance(value, dict):
            return self._dict(value, path)
        if type(value) in (list, collections.deque):
            return {"kind": type(value).__name__, "items": self._items(value, path)}
        if type(value) is set:
            return {"kind": "set", "items": self._items(sorted(value, key=repr), path)}
        if isinstance(value, np.ndarray):
            return {
                "kind": "objects",
                "shape": list(value.shape),
                "items": [self.code(item, f"{path}[{k}]") for k, item in enumerate(value.ravel().tolist())],
            }
        name = _class_name(value, path)
        state = _state(value, path)
        if classes.opens_files(type(value), state):
            raise _cannot(f"{path}.input", repr(state["input"]))
        return {
            "kind": "object",
            "class": name,
            "state": {key: self.code(item, f"{path}.{key}") for key, item in state.items() if key not in TRANSIENT},
        }

    def _dict(self, value, path):
        node = {"kind": "dict"}
        if type(value) is collections.defaultdict:
            if value.default_factory is not None and value.default_factory not in (int, float, list, dict, set):
                raise _cannot(path, f"a defaultdict of {value.default_factory}")
            node["default"] = None if value.default_factory is None else value.default_factory.__name__
        elif type(value) in (collections.OrderedDict, collections.Counter):
            node["of"] = type(value).__name__
        elif type(value) is not dict:
            node["class"] = _class_name(value, path)
        if all(type(key) is str for key in value):
            node["items"] = {key: self.code(item, f"{path}[{key!r}]") for key, item in value.items()}
        else:
            node["pairs"] = [[self.code(k, path), self.code(item, f"{path}[{k!r}]")] for k, item in value.items()]
        return node


def _is_changeable(value):
    if isinstance(value, np.ndarray):
        return value.dtype == object and not isinstance(value, np.ma.MaskedArray)
    if isinstance(value, dict | list | set | collections.deque):
        return True
    if isinstance(
        value,
        tuple | bytes | frozenset | slice | range | np.dtype | type | functools.partial
        | np.random.RandomState | np.random.Generator | datetime.date | datetime.time | datetime.timedelta
        | types.FunctionType | types.BuiltinFunctionType | types.MethodType | np.ufunc,
    ):  # fmt: skip
        return False
    if sparse.issparse(value) or classes.function_name(value) is not None:
        return False
    name = classes.class_name(type(value))
    return name not in TERMS and name != COMPOUND


def _class_name(value, path):
    name = classes.class_name(type(value))
    if name is None:
        raise _cannot(path, f"an object of the class {type(value).__module__}.{type(value).__qualname__}")
    return name


def _state(value, path):
    """The attributes of an object, without those that its class leaves out of pickles."""
    state = value.__getstate__()
    if state is None:
        return {}
    if not isinstance(state, dict):
        raise _cannot(path, f"an object of the class {type(value).__qualname__}, which has slots")
    return state


def _dtype_name(dtype, path):
    if dtype.names is not None or dtype.kind not in "biufcUSMm":
        raise _cannot(path, f"the data type {dtype}")
    return dtype.newbyteorder("=").str


def _cannot(path, what):
    return ModelFileError(
        f"`{path}` is {what}, which model files cannot contain. They hold estimators of statlearn, their parts, and "
        "plain data; use pickle for models with code of your own."
    )
