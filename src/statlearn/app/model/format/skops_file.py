"""Files of earlier versions, in the format of skops: their tree of types becomes nodes of ours.

Nothing of skops is used, and nothing of a tree is built here: what comes out is checked and built as any other file.
"""

import datetime
import io
import json
import zipfile

from . import arrays, classes, values
from .reader import CHANGEABLE, UnknownName, short
from .writer import TERMS, TRANSIENT

MAX_DEPTH = 150
MAX_PROTOCOL = 2
_DATES = {"datetime.date": 4, "datetime.datetime": 10, "datetime.timedelta": 0}  # bytes that they are packed in
_KEY_TYPES = {"builtins.str": str, "builtins.int": int, "builtins.float": float}


def translate(tree, archive):
    """Nodes, root and arrays of a tree of skops.

    Parameters
    ----------
    tree : dict
        The parsed ``schema.json``.
    archive : Archive
    """
    if type(tree) is not dict or type(tree.get("protocol")) is not int or not 0 <= tree["protocol"] <= MAX_PROTOCOL:
        raise ValueError("a tree of an unknown protocol of skops")
    translation = _Translation(archive)
    root = translation.value(tree, 0)
    return translation.ordered(), translation.renumbered(root), translation.arrays


class _Translation:
    def __init__(self, archive):
        self.archive = archive
        self.nodes = []
        self.arrays = []
        self._by_id = {}
        self._by_file = {}

    def value(self, node, depth):
        """The JSON of a node: a plain value or a reference."""
        if type(node) is not dict or depth > MAX_DEPTH:
            raise ValueError("a tree that is none, or is nested too deep")
        loader = node.get("__loader__")
        make = getattr(self, f"_{loader}", None) if type(loader) is str and loader.endswith("Node") else None
        if make is None:
            raise UnknownName(f"{short(node.get('__module__'))}.{short(node.get('__class__'))}")
        if loader == "JsonNode":
            return self._JsonNode(node, depth)
        key = node.get("__id__")
        if type(key) is int and key in self._by_id:
            return self._by_id[key]
        number = len(self.nodes)
        self.nodes.append(None)
        reference = {"ref": number}
        if type(key) is int:
            self._by_id[key] = reference
        made = make(node, depth + 1)
        if "kind" not in made:  # plain after all
            self.nodes[number] = {"kind": "list", "items": []}
            if type(key) is int:
                self._by_id[key] = made
            return made
        self.nodes[number] = made
        return reference

    def _content(self, node, depth, kind):
        content = node.get("content")
        if type(content) is not kind:
            raise ValueError("a tree without content")
        if kind is list:
            return [self.value(item, depth) for item in content]
        return {key: self.value(item, depth) for key, item in content.items()}

    def _name(self, node):
        return f"{node.get('__module__')}.{node.get('__class__')}"

    def _class(self, node):
        """The name in our files of the class of a node."""
        path = self._name(node)
        module, _, attribute = path.rpartition(".")
        name = classes.name_of(module, attribute)
        cls = classes.find_class(name)
        if cls is None:
            raise UnknownName(short(path))
        return name

    def _JsonNode(self, node, depth):
        if type(node.get("content")) is not str:
            raise ValueError("a tree without content")
        value = json.loads(node["content"])
        if not values.is_plain(value):
            raise ValueError("a plain value that is none")
        return values.encode(value)

    def _DictNode(self, node, depth):
        path = self._name(node)
        content = self._content(node, depth, dict)
        made = {"kind": "dict"}
        if path == "collections.OrderedDict":
            made["of"] = "OrderedDict"
        elif path != "builtins.dict":
            made["class"] = self._class(node)
        kinds = node.get("key_types")
        kinds = kinds.get("content") if type(kinds) is dict else None
        if type(kinds) is not list or len(kinds) != len(content):
            raise ValueError("a dict without the types of its keys")
        types = [self._name(kind) if type(kind) is dict else "?" for kind in kinds]
        if all(kind == "builtins.str" for kind in types):
            return {**made, "items": content}
        made["pairs"] = [[_key(kind, key), item] for kind, (key, item) in zip(types, content.items())]
        return made

    def _DefaultDictNode(self, node, depth):
        raise UnknownName("collections.defaultdict")

    def _ListNode(self, node, depth):
        return {"kind": "list", "items": self._content(node, depth, list)}

    def _SetNode(self, node, depth):
        return {"kind": "set", "items": self._content(node, depth, list)}

    def _TupleNode(self, node, depth):
        made = {"kind": "tuple", "items": self._content(node, depth, list)}
        if self._name(node) != "builtins.tuple":
            made["class"] = self._class(node)
        return made

    def _NdArrayNode(self, node, depth):
        path = self._name(node)
        if node.get("type") == "json":
            shape = self._shape(node, depth)
            items = node.get("content")
            for _ in shape[1:]:
                items = [inner for item in items for inner in _inner(item)]
            if type(items) is not list:
                raise ValueError("an array without content")
            return {"kind": "objects", "shape": shape, "items": [self.value(item, depth) for item in items]}
        number = self._array(node.get("file"))
        if path == "numpy.ndarray":
            return {"kind": "array", "number": number}
        array = self.arrays[number]
        if array.ndim or not path.startswith("numpy."):
            raise UnknownName(short(path))
        return values.encode(array[()])

    def _shape(self, node, depth):
        shape = node.get("shape")
        items = self._content(shape, depth, list) if type(shape) is dict else None
        if items is None or any(type(side) is not int for side in items):
            raise ValueError("an array without a shape")
        return items

    def _array(self, name):
        if type(name) is not str:
            raise ValueError("an array without a file")
        if name not in self._by_file:
            self.arrays.append(arrays.from_bytes(self.archive.read(name)))
            self._by_file[name] = len(self.arrays) - 1
        return self._by_file[name]

    def _MaskedArrayNode(self, node, depth):
        content = self._content(node, depth, dict)
        return {"kind": "masked", "data": content["data"], "mask": content["mask"]}

    def _SparseMatrixNode(self, node, depth):
        """A matrix in a file of scipy's, an archive within the archive."""
        content = self.archive.read(node.get("file"))
        with zipfile.ZipFile(io.BytesIO(content)) as inner:
            self.archive.spend(sum(entry.file_size for entry in inner.infolist()))
            parts = {name.removesuffix(".npy"): arrays.from_bytes(inner.read(name)) for name in inner.namelist()}
        layout = str(parts.pop("format").item().decode("ascii")) + (
            "_array" if "array" in str(node.get("__class__")) else "_matrix"
        )
        shape = [int(side) for side in parts.pop("shape")]
        parts.pop("_is_array", None)
        made = {}
        for name, part in parts.items():
            self.arrays.append(part)
            self.nodes.append({"kind": "array", "number": len(self.arrays) - 1})
            made[name] = {"ref": len(self.nodes) - 1}
        return {"kind": "sparse", "layout": layout, "shape": shape, "parts": made}

    def _DTypeNode(self, node, depth):
        made = self.nodes[self.value(node.get("content"), depth)["ref"]]
        return {"kind": "dtype", "name": self.arrays[made["number"]].dtype.str}

    def _TypeNode(self, node, depth):
        path = self._name(node)
        name = path.removeprefix("builtins.")
        if classes.find_type(name) is None:
            raise UnknownName(short(path))
        return {"kind": "type", "name": name}

    def _FunctionNode(self, node, depth):
        path = self._name(node)
        module, _, attribute = path.rpartition(".")
        name = classes.name_of("numpy" if module.startswith("numpy.") else module, attribute)
        if classes.find_function(name) is None:
            raise UnknownName(short(path))
        return {"kind": "function", "name": name}

    def _PartialNode(self, node, depth):
        content = self._content(node, depth, dict)
        args, keywords = self.nodes[content["args"]["ref"]], self.nodes[content["kwds"]["ref"]]
        return {
            "kind": "partial",
            "function": content["func"],
            "args": args["items"],
            "keywords": keywords.get("items", {}),
        }

    def _SliceNode(self, node, depth):
        content = node["content"]
        return {"kind": "slice", "ends": [content["start"], content["stop"], content["step"]]}

    def _BytesNode(self, node, depth):
        return {"kind": "bytes", "hex": self.archive.read(node.get("file")).hex()}

    def _RandomStateNode(self, node, depth):
        return {"kind": "random_state", "state": self._plain(self.value(node.get("content"), depth))}

    def _RandomGeneratorNode(self, node, depth):
        content = node.get("content")
        return {"kind": "generator", "state": self._plain(self.value(content["bit_generator"], depth))}

    def _plain(self, reference):
        """A dict of dicts instead of references to them."""
        items = self.nodes[reference["ref"]]["items"]
        return {
            key: self._plain(item)
            if type(item) is dict and "ref" in item and self.nodes[item["ref"]]["kind"] == "dict"
            else item
            for key, item in items.items()
        }

    def _ObjectNode(self, node, depth):
        name = self._class(node)
        content = node.get("content")
        state = {}
        if content is not None:
            coded = self.value(content, depth)
            if coded is not None:
                state = self.nodes[coded["ref"]].get("items") if type(coded) is dict and "ref" in coded else None
            if type(state) is not dict:
                raise ValueError("an object without attributes")
        return {
            "kind": "object",
            "class": name,
            "state": {key: item for key, item in state.items() if key not in TRANSIENT},
        }

    def _ConstructorFromReduceNode(self, node, depth):
        """Only dates, and terms of logic: a constructor of any other class is not called."""
        path = self._name(node)
        name = None if path in _DATES else self._class(node)
        if name is not None and name not in TERMS:
            raise UnknownName(short(path))
        args = self.nodes[self.value(node.get("content"), depth)["ref"]]["items"]
        if name is not None:
            return {"kind": "term", "class": name, "args": args}
        if path == "datetime.timedelta":
            return {"kind": "timedelta", "parts": args}
        packed = bytes.fromhex(self.nodes[args[0]["ref"]]["hex"])
        if len(packed) != _DATES[path]:
            raise ValueError("a date that is none")
        numbers = [packed[0] * 256 + packed[1], *packed[2:]]
        if path == "datetime.date":
            return {"kind": "date", "text": datetime.date(*numbers).isoformat()}
        seconds = (numbers[6] * 256 + numbers[7]) * 256 + numbers[8]
        return {"kind": "datetime", "text": datetime.datetime(*numbers[:6], seconds).isoformat()}

    def ordered(self):
        """The nodes in an order in which those that cannot change refer only to earlier ones of these."""
        order, done, open_ = [], set(), set()
        fixed = {k for k, node in enumerate(self.nodes) if node["kind"] not in CHANGEABLE}
        for start in range(len(self.nodes)):
            stack = [start]
            while stack:
                number = stack[-1]
                if number in done:
                    stack.pop()
                    continue
                waiting = (
                    [] if number not in fixed else [r for r in _references(self.nodes[number]) if r in fixed - done]
                )
                if not waiting:
                    stack.pop()
                    open_.discard(number)
                    done.add(number)
                    order.append(number)
                    continue
                if number in open_:
                    raise ValueError("a tuple that contains itself")
                open_.add(number)
                stack += waiting
        self._place = {number: k for k, number in enumerate(order)}
        return [self.renumbered(self.nodes[number]) for number in order]

    def renumbered(self, value):
        if type(value) is dict:
            if value.keys() == {"ref"}:
                return {"ref": self._place[value["ref"]]}
            return {key: self.renumbered(item) for key, item in value.items()}
        return [self.renumbered(item) for item in value] if type(value) is list else value


def _references(value):
    if type(value) is dict:
        if value.keys() == {"ref"}:
            return [value["ref"]]
        return [r for item in value.values() for r in _references(item)]
    return [r for item in value for r in _references(item)] if type(value) is list else []


def _inner(item):
    if type(item) is not dict or type(item.get("content")) is not list:
        raise ValueError("an array without content")
    return item["content"]


def _key(kind, key):
    if kind in _KEY_TYPES:
        return values.encode(_KEY_TYPES[kind](key))
    if kind == "builtins.bool":
        return key == "true" if key in ("true", "false") else bool(key)
    if kind == "builtins.NoneType" or key == "null":
        return None
    if kind.startswith("numpy."):
        dtype = classes.find_type(kind)
        if dtype is None:
            raise UnknownName(short(kind))
        return values.encode(dtype(json.loads(key)))
    raise UnknownName(short(kind))
