"""Model files: round trips, and files that must not be loaded."""

import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.app import model_file
from statlearn.app.errors import ModelFileError
from statlearn.app.table_model import TableModel
from statlearn.linear import LassoCV


@pytest.fixture
def fitted(rng):
    X = rng.normal(size=(40, 3))
    return make_pipeline(StandardScaler(), LassoCV(cv=3)).fit(X, X[:, 0] + 0.1 * rng.normal(size=40)), X


def rewritten(content, change):
    """The archive with its tree of types changed."""
    source = zipfile.ZipFile(io.BytesIO(content))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for item in source.namelist():
            data = source.read(item)
            if item == "schema.json":
                data = json.dumps(change(json.loads(data))).encode()
            archive.writestr(item, data)
    return buffer.getvalue()


def test_round_trip(fitted, tmp_path):
    model, X = fitted
    path = tmp_path / "m.skops"
    model_file.save(model, path)
    again = model_file.load(path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again[-1].cv_curve_.mean, model[-1].cv_curve_.mean)
    assert list(tmp_path.iterdir()) == [path]


class Evil:
    """Pickle would run this on loading."""

    def __reduce__(self):
        return os.system, ("touch /tmp/statlearn_was_here",)


EVIL_NODES = [
    {"__class__": "system", "__module__": "posix", "__loader__": "FunctionNode"},
    {"__class__": "system", "__module__": "os", "__loader__": "FunctionNode"},
    {"__class__": "runstring", "__module__": "numpy.testing", "__loader__": "FunctionNode"},
    {"__class__": "main", "__module__": "statlearn.app.cli", "__loader__": "FunctionNode"},
    {"__class__": "Popen", "__module__": "subprocess", "__loader__": "TypeNode"},
    {"__class__": "os", "__module__": "statlearn._core.atomic_files", "__loader__": "TypeNode"},
    {"__class__": "Path", "__module__": "statlearn._core.atomic_files", "__loader__": "TypeNode"},
    {"__class__": "LassoCV", "__module__": "statlearn.nothing", "__loader__": "TypeNode"},
]  # fmt: skip


@pytest.mark.parametrize("node", EVIL_NODES, ids=lambda n: f"{n['__module__']}.{n['__class__']}")
def test_strange_types_are_refused_before_anything_is_made(node, fitted, tmp_path, monkeypatch):
    called = []
    monkeypatch.setattr(os, "system", called.append)

    def change(tree):
        tree["content"]["content"]["evil"] = node
        tree["content"]["key_types"]["content"].append(
            {"__class__": "str", "__module__": "builtins", "__loader__": "TypeNode"}
        )
        return tree

    path = tmp_path / "m.skops"
    path.write_bytes(rewritten(model_file.dumps(fitted[0]), change))
    with pytest.raises(ModelFileError, match=f"(not trusted: |the type ){node['__module__']}.{node['__class__']}"):
        model_file.load(path)
    assert not called


def test_a_partial_call_of_a_dangerous_function_is_refused(tmp_path):
    import functools

    path = tmp_path / "m.skops"
    skops.io.dump(functools.partial(os.system, "true"), path)
    with pytest.raises(ModelFileError, match="not trusted"):
        model_file.load(path)


def test_foreign_damaged_and_cut_files(fitted, tmp_path):
    content = model_file.dumps(fitted[0])
    spoiled = bytearray(content)
    spoiled[len(content) // 2] ^= 0xFF
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("hello.txt", "x")
    cases = {
        "pickle": pickle.dumps(Evil()),
        "text": b"just text",
        "nothing": b"",
        "cut": content[: len(content) // 2],
        "flipped": bytes(spoiled),
        "zip": empty.getvalue(),
        "tree": rewritten(content, lambda tree: {"protocol": 99}),
        "loader": rewritten(content, lambda tree: {**tree, "__loader__": "NoSuchNode"}),
        "list": rewritten(content, lambda tree: []),
    }
    for name, data in cases.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ModelFileError, match=name):
            model_file.load(path)
    assert not os.path.exists("/tmp/statlearn_was_here")


def test_archives_that_would_fill_the_memory_are_refused(fitted, tmp_path, monkeypatch):
    model_file.save(fitted[0], tmp_path / "m.skops")
    monkeypatch.setattr(model_file, "MAX_BYTES", 100)
    with pytest.raises(ModelFileError, match="unpack to more"):
        model_file.load(tmp_path / "m.skops")


def test_a_missing_file(tmp_path):
    with pytest.raises(ModelFileError, match="no such file"):
        model_file.load(tmp_path / "nothing.skops")


def drop_field(tree, name):
    """The tree of a model file without a field of its outermost object."""
    content = tree["content"]["content"]
    del content[name]
    return tree


def test_a_file_without_a_field_of_today_is_refused_with_the_version_that_wrote_it(tmp_path):
    model = TableModel(None, "ridge", "ridge", "regression", "y", {"x": "number"})
    path = tmp_path / "m.skops"
    path.write_bytes(rewritten(model_file.dumps(model), lambda tree: drop_field(tree, "identifiers")))
    with pytest.raises(ModelFileError, match=r"lacks the field 'identifiers' of TableModel.*written by statlearn \d"):
        model_file.load(path)


def test_a_file_of_before_the_mark_is_called_older(tmp_path):
    model = TableModel(None, "ridge", "ridge", "regression", "y", {"x": "number"})
    path = tmp_path / "m.skops"
    content = skops.io.dumps(model)
    path.write_bytes(rewritten(content, lambda tree: drop_field(tree, "n_seen")))
    with pytest.raises(ModelFileError, match=r"older version of statlearn\. Run statlearn compare again"):
        model_file.load(path)


def test_a_type_that_statlearn_does_not_have_is_another_version_not_an_attack(fitted, tmp_path):
    model, _ = fitted
    path = tmp_path / "m.skops"

    def rename(tree):
        return json.loads(json.dumps(tree).replace("statlearn.linear.lasso._cv", "statlearn.linear._gone"))

    path.write_bytes(rewritten(model_file.dumps(model), rename))
    with pytest.raises(
        ModelFileError, match=r"the type statlearn\.linear\._gone\.LassoCV of statlearn that this version"
    ):
        model_file.load(path)
