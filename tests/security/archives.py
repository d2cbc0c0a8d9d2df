"""Model files with parts exchanged, in today's format and in that of earlier versions."""

import hashlib
import io
import json
import zipfile

import numpy as np
import skops.io


def rewritten(content, change=lambda tree: tree, members=None):
    """The archive with its description changed by a function, and members replaced or added."""
    source = zipfile.ZipFile(io.BytesIO(content))
    parts = {name: source.read(name) for name in source.namelist()} | (members or {})
    name = "model.json" if "model.json" in parts else "schema.json"
    parts[name] = json.dumps(change(json.loads(parts[name]))).encode()
    return archive(parts)


def archive(parts, compression=zipfile.ZIP_DEFLATED):
    """A zip archive of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as target:
        for name, data in parts.items():
            target.writestr(name, data)
    return buffer.getvalue()


def npy(array):
    """An array in numpy's format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def ours(nodes, root=0, arrays=(), **fields):
    """A file of today's format with these nodes and arrays."""
    files = [npy(array) if isinstance(array, np.ndarray) else array for array in arrays]
    tree = {
        "format": "statlearn model",
        "format_version": 1,
        "statlearn": "0.1",
        "root": {"ref": root},
        "arrays": [hashlib.sha256(file).hexdigest() for file in files],
        "nodes": nodes,
    }
    parts = {f"arrays/{k}.npy": file for k, file in enumerate(files)}
    return archive({**parts, "model.json": json.dumps({**tree, **fields})})


def estimator(**state):
    """A node of an estimator with a state."""
    return {"kind": "object", "class": "statlearn.linear.Ridge", "state": state}


def old(model):
    """A file of earlier versions, in the format of skops."""
    return skops.io.dumps(model, compression=zipfile.ZIP_DEFLATED)


def old_node(module, name, loader, **fields):
    """A node of skops."""
    return {"__class__": name, "__module__": module, "__loader__": loader, **fields}


def old_value(value):
    """A plain value as a node of skops."""
    return old_node("builtins", "str", "JsonNode", content=json.dumps(value), is_json=True)


def old_tuple(*items):
    return old_node("builtins", "tuple", "TupleNode", content=list(items))


def old_dict(**items):
    kinds = [old_node("builtins", "str", "TypeNode") for _ in items]
    return old_node(
        "builtins", "dict", "DictNode", content=items, key_types=old_node("builtins", "list", "ListNode", content=kinds)
    )


def old_file(tree, members=None):
    """A file of skops with this tree."""
    return archive({**(members or {}), "schema.json": json.dumps({**tree, "protocol": 2, "_skops_version": "0.11"})})
