"""Fitted states as model files describe them, each with one thing changed: what an enemy's file may contain."""

import copy
import zlib
from dataclasses import dataclass

import numpy as np

from statlearn.app.model.format.reader import build
from statlearn.app.model.format.writer import Writer

WHOLE = [0, 1, -1, 10**9, 2**31, 2**63, 2**70, 1.5, "x", None, True]
REAL = [0.0, -1.0, {"float": "nan"}, {"float": "inf"}, 1e308, -1e308, 5e-324, "x", None]
TEXT = ["", "x", "predict", "\ud800", "0" * 1000, 3, None]
NOTHING = [0, -1, 0.5, "x", True]


@dataclass
class State:
    """What a model file contains: nodes of plain values and numbered arrays."""

    nodes: list
    arrays: list
    root: dict

    @classmethod
    def of(cls, model):
        writer = Writer(model)
        return cls(writer.nodes, [np.asarray(array) for array in writer.arrays], writer.root)

    def model(self):
        """What the reader makes of it; ValueError where it refuses."""
        return build(self.nodes, self.root, [array.copy(order="K") for array in self.arrays], lambda cls: True)


@dataclass
class Change:
    """One thing that is changed: where, and to what."""

    text: str
    apply: object  # changes a State in place

    def __call__(self, state):
        changed = State(copy.deepcopy(state.nodes), list(state.arrays), state.root)
        self.apply(changed)
        return changed


def changes(state):
    """All changes of one array, one value, one reference or one container."""
    places = _names_of_arrays(state)
    for number, array in enumerate(state.arrays):
        for text, other in _other_arrays(array):
            yield Change(f"{places.get(number, number)}: {text}", _put_array(number, other))
    for number, node in enumerate(state.nodes):
        for path, value in _leaves(node):
            for other in _other_values(value, number, len(state.nodes)):
                if type(other) is type(value) and other == value:
                    continue
                yield Change(
                    f"node {number} {_path_text(node, path)}: {value!r} -> {other!r}"[:160], _put(number, path, other)
                )
        for text, apply in _other_containers(node, number):
            yield Change(f"node {number} ({node.get('class', node['kind'])}): {text}", apply)


def some_changes(state, name, seed, count=None):
    """`count` of the changes (all for None), in an order drawn from the name and the seed."""
    everything = list(changes(state))
    order = np.random.default_rng([seed, zlib.crc32(name.encode())]).permutation(len(everything))
    return [everything[k] for k in order[:count]]


def _names_of_arrays(state):
    """The attribute that holds each array, where one does directly."""
    number_of = {k: node["number"] for k, node in enumerate(state.nodes) if node["kind"] == "array"}
    return {
        number_of[value["ref"]]: f"{node['class'].rpartition('.')[2]}.{name}"
        for node in state.nodes
        if node["kind"] == "object"
        for name, value in node["state"].items()
        if type(value) is dict and value.get("ref") in number_of
    }


# Arrays ---------------------------------------------------------------------------------------------------------------


def _other_arrays(array):
    yield from _other_entries(array)
    yield from _other_shapes(array)
    for kind in ("f8", "f4", "i8", "i4", "i1", "u8", "?", "c16", "U3", "M8[s]"):
        if np.dtype(kind) != array.dtype and not (array.dtype.kind in "USMm" and kind != "U3"):
            with np.errstate(all="ignore"):
                yield f"as {kind}", array.astype(kind)
    if array.ndim > 1:
        yield "in the other order", np.array(array, order="C" if array.flags.f_contiguous else "F")


def _other_entries(array):
    kind = array.dtype.kind
    values = {}
    if kind in "iu":
        ends = np.iinfo(array.dtype)
        values = {str(v): v for v in (0, 1, -1, array.size, array.size + 1, 2**20, ends.max, ends.min)}
        values = {text: v for text, v in values.items() if ends.min <= v <= ends.max}
    elif kind in "fc":
        big = np.finfo(array.dtype).max
        values = {"0": 0, "-1": -1, "NaN": np.nan, "inf": np.inf, "-inf": -np.inf, "the largest": big, "2**40": 2.0**40}
    elif kind == "b":
        values = {"True": True, "False": False}
    elif kind in "US":
        values = {"empty": "", "x": "x"}
    elif kind in "mM":
        values = {"NaT": np.array("NaT", array.dtype)}
    for text, value in values.items():
        if array.size:
            yield f"all {text}", np.full_like(array, value)
        for where, name in ((0, "first"), (array.size // 2, "middle"), (-1, "last")):
            if array.size > (where > 0):
                one = array.copy(order="K")
                one.flat[where] = value
                yield f"{name} {text}", one
    if array.size > 1:
        yield "reversed", array.ravel()[::-1].reshape(array.shape)
        yield "sorted", np.sort(array, axis=None).reshape(array.shape)


def _other_shapes(array):
    yield "one axis more", array[None]
    yield "one axis more at the end", array[..., None]
    yield "one axis", array.reshape(-1)
    yield "a number", array.reshape(-1)[0] if array.size else np.zeros(())
    if not array.ndim:
        return
    yield "without rows", array[:0]
    yield "first row lacks", array[1:]
    yield "last row lacks", array[:-1]
    yield "half of the rows", array[: len(array) // 2]
    yield "one row", array[:1]
    yield "rows twice", np.concatenate([array, array])
    yield "rows a hundred times", np.concatenate([array[:1000]] * 100)
    if array.ndim > 1:
        yield "transposed", array.T
        yield "without columns", array[..., :0]
        yield "last column lacks", array[..., :-1]
        yield "columns twice", np.concatenate([array, array], axis=-1)


def _put_array(number, array):
    def apply(state):
        state.arrays[number] = np.asarray(array)

    return apply


# Values and containers ------------------------------------------------------------------------------------------------


def _leaves(node):
    """(path, value) of all plain values and references of a node."""
    stack = [((key,), value) for key, value in node.items() if key != "kind"]
    while stack:
        path, value = stack.pop()
        if type(value) is dict and not value.keys() & {"ref", "float", "scalar", "complex"}:
            stack += [((*path, key), item) for key, item in value.items()]
        elif type(value) is list:
            stack += [((*path, k), item) for k, item in enumerate(value[:20])]
        else:
            yield path, value


def _other_values(value, number, n_nodes):
    if type(value) is dict and "ref" in value:
        others = {0, number, value["ref"] - 1, value["ref"] + 1, (value["ref"] * 7919 + 13) % n_nodes} - {value["ref"]}
        return [None, 0, "x", *({"ref": other} for other in sorted(others) if 0 <= other < n_nodes)]
    if type(value) is dict and "scalar" in value:
        text, content = value["scalar"]
        return [{"scalar": [text, other]} for other in _other_values(content, number, n_nodes)] + [content, None]
    if type(value) is bool:
        return [not value, 7, None]
    if type(value) is int:
        return [*WHOLE, value + 1]
    if type(value) is float or type(value) is dict:
        return REAL
    return TEXT if type(value) is str else NOTHING


def _put(number, path, value):
    def apply(state):
        holder = state.nodes[number]
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value

    return apply


def _path_text(node, path):
    return ".".join([str(node.get("class", node["kind"])).rpartition(".")[2], *map(str, path[1:] or path)])


def _other_containers(node, number):
    kind = node["kind"]
    if kind == "object":
        for name in node["state"]:
            yield f"without {name}", _change_items(number, "state", lambda items, name=name: items.pop(name))
    field = next((field for field in ("items", "pairs", "args", "parts") if field in node), None)
    if field is None or not node[field]:
        return
    yield "emptied", _change_items(number, field, lambda items: items.clear())
    if type(node[field]) is list:
        yield "first item lacks", _change_items(number, field, lambda items: items.pop(0))
        yield "last item lacks", _change_items(number, field, lambda items: items.pop())
        yield "items twice", _change_items(number, field, lambda items: items.extend(list(items)))
        yield "items reversed", _change_items(number, field, lambda items: items.reverse())
    else:
        for name in list(node[field])[:20]:
            yield f"without {name!r}", _change_items(number, field, lambda items, name=name: items.pop(name))


def _change_items(number, field, change):
    return lambda state: change(state.nodes[number][field])
