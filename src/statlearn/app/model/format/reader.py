"""From nodes to objects: everything is checked before the first object is built, and nothing is called to build it.

An object of a class is made by ``__new__`` and given its attributes; neither its constructor nor a hook of pickling
runs. Objects that can change are made empty first, those that cannot follow in their order, and then the former are
filled, so that shared and circular references come back as they were.
"""

import collections
import datetime
import functools
import math

import numpy as np

from . import arrays, classes, values
from .writer import COMPOUND, TERMS

MAX_NODES = 5_000_000
MAX_DEPTH = 100  # references from the model to the furthest object, on the shortest way
MAX_FIXED_DEPTH = 50  # tuples within tuples, which are hashed and compared by recursion
MAX_EXPANDED = 2**31  # numbers in lists of lists of arrays, each counted as often as it is referred to
MAX_COLUMNS = 2**20  # of an estimator that contains fewer numbers than columns

_PLAIN_DICTS = {
    "OrderedDict": collections.OrderedDict,
    "Counter": collections.Counter,
}
_FACTORIES = {"int": int, "float": float, "list": list, "dict": dict, "set": set, None: None}
_GENERATORS = ("MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64")
_UNITS = ("s", "ms", "us", "ns")

# The fields of each kind of node: those that must be there, and those that may be.
_FIELDS = {
    "array": ({"number"}, set()),
    "bytes": ({"hex"}, set()),
    "compound": ({"terms"}, set()),
    "date": ({"text"}, set()),
    "datetime": ({"text"}, set()),
    "deque": ({"items"}, set()),
    "dict": (set(), {"items", "pairs", "default", "of", "class"}),
    "dtype": ({"name"}, set()),
    "frozenset": ({"items"}, set()),
    "function": ({"name"}, set()),
    "generator": ({"state"}, set()),
    "list": ({"items"}, set()),
    "masked": ({"data", "mask"}, set()),
    "object": ({"class", "state"}, set()),
    "objects": ({"shape", "items"}, set()),
    "partial": ({"function", "args", "keywords"}, set()),
    "random_state": ({"state"}, set()),
    "range": ({"ends"}, set()),
    "set": ({"items"}, set()),
    "slice": ({"ends"}, set()),
    "sparse": ({"layout", "shape", "parts"}, set()),
    "term": ({"class", "args"}, set()),
    "time": ({"text"}, set()),
    "timedelta": ({"parts"}, set()),
    "timestamp": ({"text", "unit"}, set()),
    "tuple": ({"items"}, {"class"}),
    "type": ({"name"}, set()),
}
CHANGEABLE = {"deque", "dict", "list", "object", "objects", "set"}
_CONTAINERS = {"deque", "dict", "frozenset", "list", "masked", "objects", "set", "tuple"}


class UnknownName(ValueError):
    """A class or function that model files may not contain."""

    def __init__(self, name):
        self.name = name
        super().__init__(f"{name} is not on the list of what model files may contain")


class WrongModel(ValueError):
    """The outermost object is of another class than what was asked for."""

    def __init__(self, name):
        self.name = name
        super().__init__(f"it contains {name}")


def build(nodes, root, array_files, expected):
    """The object of the root node.

    Parameters
    ----------
    nodes : list of dict
        As `Writer` makes them, but of unknown origin.
    root : dict
        Reference to the outermost object.
    array_files : list of ndarray
    expected : callable
        Takes the class of the outermost object; whether that is what was asked for.

    Returns
    -------
    object

    Raises
    ------
    ValueError
        Something of the nodes does not fit. No object of them is left then.
    """
    if type(nodes) is not list or not 0 < len(nodes) <= MAX_NODES:
        raise ValueError("the number of objects")
    first = _reference(root, len(nodes))
    if first is None:
        raise ValueError("no outermost object")
    _check_outermost(nodes[first], expected)
    found = _Checked(nodes, array_files)
    found.check_depth(first)
    found.check_expanded(array_files)
    return _Builder(found, array_files).run(first)


def _reference(value, n):
    """The number of the node that a value refers to, or None for a plain value."""
    if type(value) is dict and "ref" in value:
        number = value["ref"]
        if len(value) != 1 or type(number) is not int or not 0 <= number < n:
            raise ValueError("a reference to no object")
        return number
    values.decode(value)
    return None


def _check_outermost(node, expected):
    if type(node) is not dict or node.get("kind") != "object":
        raise WrongModel(f"a {node.get('kind') if type(node) is dict else 'value'}")
    cls = _class(node.get("class"))
    if not expected(cls):
        raise WrongModel(f"a {cls.__name__}")


def _class(name):
    found = classes.find_class(name) if type(name) is str else None
    if found is None:
        raise UnknownName(short(name))
    return found


class _Checked:
    """Nodes of known form: their references, and classes of the list."""

    def __init__(self, nodes, array_files):
        self.nodes = nodes
        self._n_arrays = len(array_files)
        self.classes = {}  # number of a node -> class
        self.references = [self._check(number, node) for number, node in enumerate(nodes)]

    def _check(self, number, node):
        """The numbers of the nodes that one refers to."""
        if type(node) is not dict or type(node.get("kind")) is not str or node["kind"] not in _FIELDS:
            raise ValueError("an object of unknown kind")
        kind = node["kind"]
        needed, allowed = _FIELDS[kind]
        if not needed <= node.keys() - {"kind"} <= needed | allowed:
            raise ValueError(f"a {kind} with the wrong fields")
        found = []
        for value in getattr(self, f"_in_{kind}", self._nothing)(number, node):
            reference = _reference(value, len(self.nodes))
            if reference is not None:
                found.append(reference)
        if kind not in CHANGEABLE:
            for reference in found:
                if reference >= number and self.nodes[reference].get("kind") not in CHANGEABLE:
                    raise ValueError(f"a {kind} that refers to a later object")
        return found

    def _nothing(self, number, node):
        return ()

    def _list(self, node, field):
        if type(node[field]) is not list:
            raise ValueError(f"a {node['kind']} without items")
        return node[field]

    def _mapping(self, node, field):
        """The values of a JSON object; its keys are texts."""
        if type(node[field]) is not dict:
            raise ValueError(f"a {node['kind']} without items")
        return node[field].values()

    def _items(self, number, node):
        return self._list(node, "items")

    _in_list = _in_set = _in_frozenset = _in_deque = _items

    def _in_tuple(self, number, node):
        if "class" in node:
            self.classes[number] = cls = _class(node["class"])
            if not (issubclass(cls, tuple) and len(getattr(cls, "_fields", ())) == len(self._list(node, "items"))):
                raise ValueError("a named tuple of another length")
        return self._list(node, "items")

    def _in_dict(self, number, node):
        if ("items" in node) == ("pairs" in node) or len(node.keys() & {"default", "of", "class"}) > 1:
            raise ValueError("a dict with the wrong fields")
        if "class" in node:
            self.classes[number] = cls = _class(node["class"])
            if not issubclass(cls, dict):
                raise ValueError("a dict of another class")
        if ("of" in node and _hashable(node["of"]) not in _PLAIN_DICTS) or (
            _hashable(node.get("default")) not in _FACTORIES
        ):
            raise ValueError("a dict of another class")
        if "items" in node:
            return self._mapping(node, "items")
        pairs = self._list(node, "pairs")
        if any(type(pair) is not list or len(pair) != 2 for pair in pairs):
            raise ValueError("a dict without pairs")
        return [part for pair in pairs for part in pair]

    def _in_object(self, number, node):
        self.classes[number] = cls = _class(node["class"])
        if node["class"] in TERMS or node["class"] == COMPOUND or issubclass(cls, dict | tuple):
            raise ValueError(f"a {cls.__name__} with attributes")
        content = self._mapping(node, "state")
        for name in node["state"]:
            _check_attribute(cls, name)
        return content

    def _in_objects(self, number, node):
        shape = node["shape"]
        if type(shape) is not list or any(type(side) is not int or side < 0 for side in shape) or len(shape) > 32:
            raise ValueError("an array without a shape")
        if math.prod(shape) != len(self._list(node, "items")) or max(shape, default=0) > arrays.MAX_EMPTY_SIDE:
            raise ValueError("an array of another size than its shape")
        return node["items"]

    def _in_array(self, number, node):
        if type(node["number"]) is not int or not 0 <= node["number"] < self._n_arrays:
            raise ValueError("an array that is not in the file")
        return ()

    def _in_masked(self, number, node):
        return [node["data"], node["mask"]]

    def _in_sparse(self, number, node):
        layout = _hashable(node["layout"])
        names = {"data", "row", "col"} if str(layout).startswith("coo") else {"data", "indices", "indptr"}
        if layout not in arrays.SPARSE or type(node["shape"]) is not list:
            raise ValueError("a sparse matrix of unknown layout")
        content = self._mapping(node, "parts")
        if node["parts"].keys() != names:
            raise ValueError("a sparse matrix without its arrays")
        return content

    def _in_partial(self, number, node):
        return [node["function"], *self._list(node, "args"), *self._mapping(node, "keywords")]

    def _in_slice(self, number, node):
        if len(self._list(node, "ends")) != 3:
            raise ValueError("a range without its ends")
        if any(type(end) not in (int, type(None)) for end in node["ends"]):
            raise ValueError("a range without whole numbers")
        return ()

    _in_range = _in_slice

    def _in_function(self, number, node):
        if type(node["name"]) is not str or classes.find_function(node["name"]) is None:
            raise UnknownName(short(node["name"]))
        return ()

    def _in_type(self, number, node):
        if type(node["name"]) is not str or classes.find_type(node["name"]) is None:
            raise UnknownName(short(node["name"]))
        return ()

    def _in_term(self, number, node):
        self.classes[number] = _class(node["class"])
        if node["class"] not in TERMS or len(self._list(node, "args")) != len(TERMS[node["class"]]):
            raise ValueError("a term without its arguments")
        return node["args"]

    def _in_compound(self, number, node):
        waiting = 1
        for item in self._list(node, "terms"):
            if waiting == 0:
                raise ValueError("a term with too many arguments")
            waiting -= 1
            if type(item) is list:
                if len(item) != 2 or type(item[0]) is not str or type(item[1]) is not int or item[1] < 1:
                    raise ValueError("a term without its functor")
                waiting += item[1]
        if waiting:
            raise ValueError("a term with too few arguments")
        return [item for item in node["terms"] if type(item) is not list]

    def _random(self, number, node):
        found = []

        def collect(state, depth):
            if type(state) is not dict or depth > 4:
                raise ValueError("a random generator without a state")
            for item in state.values():
                if type(item) is dict and not item.keys() <= {"ref", "float", "complex", "scalar"}:
                    collect(item, depth + 1)
                else:
                    found.append(item)

        collect(node["state"], 0)
        return found

    _in_random_state = _in_generator = _random

    def check_depth(self, first):
        """Refuse objects that are nested deeper than functions that walk through them can go."""
        level, seen, frontier = 0, {first}, [first]
        while frontier:
            level += 1
            if level > MAX_DEPTH:
                raise ValueError(f"objects nested more than {MAX_DEPTH} deep")
            following = {reference for number in frontier for reference in self.references[number]} - seen
            seen |= following
            frontier = list(following)
        depth = {}
        for number, node in enumerate(self.nodes):
            if node["kind"] not in CHANGEABLE:
                depth[number] = 1 + max((depth.get(r, 0) for r in self.references[number]), default=0)
                if depth[number] > MAX_FIXED_DEPTH:
                    raise ValueError(f"tuples nested more than {MAX_FIXED_DEPTH} deep")

    def check_expanded(self, array_files):
        """Refuse lists within lists that are small as references but huge, or endless, once they are written out."""
        sizes, open_ = {}, set()
        for start, node in enumerate(self.nodes):
            if node["kind"] not in _CONTAINERS or start in sizes:
                continue
            stack = [start]
            while stack:
                number = stack[-1]
                inner = [r for r in self.references[number] if self.nodes[r]["kind"] in _CONTAINERS]
                if number not in open_ and number not in sizes:
                    open_.add(number)
                    waiting = [r for r in inner if r not in sizes]
                    if any(r in open_ for r in waiting):
                        raise ValueError("a list that contains itself")
                    if len(open_) > 10 * MAX_DEPTH:
                        raise ValueError("lists nested too deep")
                    stack += waiting
                    continue
                stack.pop()
                if number in sizes:
                    continue
                open_.discard(number)
                size = 1 + sum(sizes[r] if r in sizes else self._size(r, array_files) for r in self.references[number])
                if size > MAX_EXPANDED:
                    raise ValueError("lists that refer to the same arrays too often")
                sizes[number] = size

    def _size(self, number, array_files):
        node = self.nodes[number]
        return array_files[node["number"]].size if node["kind"] == "array" else 1


def _hashable(value):
    return value if type(value) in (str, type(None)) else "?"


def short(name):
    return str(name)[:100]


def _check_attribute(cls, name):
    """Attributes must not stand in the way of what the class itself does."""
    if not name.isidentifier() or (name.startswith("__") and name.endswith("__")):
        raise ValueError(f"an attribute {short(name)!r} of {cls.__name__}")
    if callable(getattr(cls, name, None)) or isinstance(getattr(cls, name, None), property):
        raise ValueError(f"an attribute {short(name)!r} of {cls.__name__}, which is a method")


class _Builder:
    def __init__(self, checked, array_files):
        self.nodes, self.classes = checked.nodes, checked.classes
        self.array_files = array_files
        self.made = [None] * len(self.nodes)

    def run(self, first):
        for number, node in enumerate(self.nodes):
            if node["kind"] in CHANGEABLE:
                self.made[number] = self._empty(number, node)
        for number, node in enumerate(self.nodes):
            if node["kind"] not in CHANGEABLE:
                self.made[number] = getattr(self, f"_make_{node['kind']}")(number, node)
        # Keys of dicts and items of sets are hashed, so the objects among them come first.
        for kinds in ({"object", "objects", "list", "deque"}, {"dict", "set"}):
            for number, node in enumerate(self.nodes):
                if node["kind"] in kinds:
                    getattr(self, f"_fill_{node['kind']}")(self.made[number], node)
        n_numbers = sum(array.size for array in self.array_files)
        for number, cls in self.classes.items():
            if self.nodes[number]["kind"] == "object":
                _check_object(self.made[number], cls, n_numbers)
        return self.made[first]

    def _value(self, value):
        return self.made[value["ref"]] if type(value) is dict and "ref" in value else values.decode(value)

    def _values(self, items):
        return [self._value(item) for item in items]

    # Objects that can change, empty

    def _empty(self, number, node):
        kind = node["kind"]
        if kind == "object":
            cls = self.classes[number]
            return cls.__new__(cls)
        if kind == "objects":
            return np.empty(node["shape"], object)
        if kind == "dict":
            if "default" in node:
                return collections.defaultdict(_FACTORIES[node["default"]])
            if "of" in node:
                return _PLAIN_DICTS[node["of"]]()
            return self.classes[number]() if "class" in node else {}
        return {"list": list, "set": set, "deque": collections.deque}[kind]()

    def _fill_object(self, made, node):
        vars(made).update({name: self._value(item) for name, item in node["state"].items()})

    def _fill_objects(self, made, node):
        flat = made.reshape(-1)
        for k, item in enumerate(node["items"]):
            flat[k] = self._value(item)

    def _fill_list(self, made, node):
        made.extend(self._values(node["items"]))

    _fill_deque = _fill_list

    def _fill_set(self, made, node):
        made.update(self._values(node["items"]))

    def _fill_dict(self, made, node):
        if "items" in node:
            for key, item in node["items"].items():
                made[key] = self._value(item)
        else:
            for key, item in node["pairs"]:
                made[self._value(key)] = self._value(item)

    # Objects that cannot change

    def _make_tuple(self, number, node):
        items = tuple(self._values(node["items"]))
        return tuple.__new__(self.classes[number], items) if "class" in node else items

    def _make_frozenset(self, number, node):
        return frozenset(self._values(node["items"]))

    def _make_array(self, number, node):
        return self.array_files[node["number"]]

    def _make_masked(self, number, node):
        data, mask = self._value(node["data"]), self._value(node["mask"])
        if not (isinstance(data, np.ndarray) and isinstance(mask, np.ndarray) and mask.dtype == bool):
            raise ValueError("a masked array without its arrays")
        if data.shape != mask.shape:
            raise ValueError("a mask of another shape than its array")
        return np.ma.MaskedArray(data, mask)

    def _make_sparse(self, number, node):
        parts = {name: self._value(item) for name, item in node["parts"].items()}
        return arrays.sparse_matrix(node["layout"], node["shape"], parts)

    def _make_bytes(self, number, node):
        return bytes.fromhex(_text(node["hex"], None))

    def _make_slice(self, number, node):
        return slice(*node["ends"])

    def _make_range(self, number, node):
        return range(*node["ends"])

    def _make_dtype(self, number, node):
        return values.read_dtype(node["name"])

    def _make_type(self, number, node):
        return classes.find_type(node["name"])

    def _make_function(self, number, node):
        return classes.find_function(node["name"])

    def _make_partial(self, number, node):
        function = node["function"]
        if type(function) is not dict or self.nodes[function["ref"]]["kind"] != "function":
            raise ValueError("a partial call of what is not a function")
        keywords = {name: self._value(item) for name, item in node["keywords"].items()}
        return functools.partial(self._value(function), *self._values(node["args"]), **keywords)

    def _make_random_state(self, number, node):
        state = self._plain_state(node["state"])
        _check_position(state)
        made = np.random.RandomState(0)
        made.set_state(state)
        return made

    def _make_generator(self, number, node):
        state = self._plain_state(node["state"])
        name = state.get("bit_generator")
        if name not in _GENERATORS:
            raise ValueError("a random generator of unknown kind")
        _check_position(state)
        made = getattr(np.random, name)(0)
        made.state = state
        return np.random.Generator(made)

    def _plain_state(self, state):
        return {
            key: self._plain_state(item)
            if type(item) is dict and not item.keys() <= {"ref", "float", "complex", "scalar"}
            else self._value(item)
            for key, item in state.items()
        }

    def _make_date(self, number, node):
        return datetime.date.fromisoformat(_text(node["text"]))

    def _make_time(self, number, node):
        return datetime.time.fromisoformat(_text(node["text"]))

    def _make_datetime(self, number, node):
        return datetime.datetime.fromisoformat(_text(node["text"]))

    def _make_timedelta(self, number, node):
        parts = node["parts"]
        if type(parts) is not list or len(parts) != 3 or any(type(part) is not int for part in parts):
            raise ValueError("a duration without its parts")
        return datetime.timedelta(*parts)

    def _make_timestamp(self, number, node):
        import pandas as pd

        if node["unit"] not in _UNITS:
            raise ValueError("a time of unknown unit")
        return pd.Timestamp(_text(node["text"])).as_unit(node["unit"])

    def _make_term(self, number, node):
        return _term(node["class"], self.classes[number], self._values(node["args"]))

    def _make_compound(self, number, node):
        from statlearn.logic import Compound, Term

        stack = []
        for item in reversed(node["terms"]):
            if type(item) is list:
                functor, n = item
                stack.append(Compound(functor, tuple(stack.pop() for _ in range(n))))
            else:
                leaf = self._value(item)
                if not isinstance(leaf, Term):
                    raise ValueError("a term with an argument that is none")
                stack.append(leaf)
        return stack[0]


def _text(value, limit=64):
    if type(value) is not str or (limit is not None and len(value) > limit):
        raise ValueError("a value without its text")
    return value


def _check_position(state):
    """numpy takes the position within the state as it is, and reads there."""
    inner = state.get("state")
    where = [(inner, "pos", 624)] if isinstance(inner, dict) and "pos" in inner else []
    where += [(state, "buffer_pos", 4)] if "buffer_pos" in state else []
    if not where and state.get("bit_generator") in ("MT19937", "Philox"):
        raise ValueError("a random generator without a position")
    for holder, name, last in where:
        if type(holder[name]) is not int or not 0 <= holder[name] <= last:
            raise ValueError("a random generator with a position out of range")
    if state.get("bit_generator") == "MT19937" and "has_gauss" in state and state["has_gauss"] not in (0, 1):
        raise ValueError("a random generator with an unknown state")


def _term(name, cls, args):
    """A term of logic; its constructors would also parse text."""
    from statlearn import logic

    kind = name.rpartition(".")[2]
    proper = {
        "Variable": lambda text: type(text) is str,
        "Constant": lambda value: type(value) in (str, int, float),
        "Atom": lambda text, terms: type(text) is str and _all(terms, logic.Term),
        "Literal": lambda atom, negated: type(atom) is logic.Atom and type(negated) is bool,
        "Clause": lambda head, body: (head is None or type(head) is logic.Atom) and _all(body, logic.Literal),
        "Program": lambda clauses: _all(clauses, logic.Clause),
    }[kind]
    if not proper(*args):
        raise ValueError(f"a {kind} of the wrong parts")
    return cls(*args)


def _all(items, cls):
    return type(items) is tuple and all(isinstance(item, cls) for item in items)


def _check_object(made, cls, n_numbers):
    """What can be said of every estimator, and what the class says of itself."""
    columns = vars(made).get("n_features_in_")
    if columns is not None:
        whole = isinstance(columns, int | np.integer) and not isinstance(columns, bool)
        if not whole or not 0 <= columns <= max(MAX_COLUMNS, n_numbers):
            raise ValueError(f"{cls.__name__} was fitted to {short(columns)} columns")
        names = vars(made).get("feature_names_in_")
        if names is not None and (not isinstance(names, np.ndarray) or names.shape != (columns,)):
            raise ValueError(f"{cls.__name__} has other names than its {columns} columns")
    if classes.opens_files(cls, vars(made)):
        raise ValueError(f"{cls.__name__} with `input` other than 'content', which opens files")
    check = getattr(made, "_check_state", None)
    if check is not None:
        check()
