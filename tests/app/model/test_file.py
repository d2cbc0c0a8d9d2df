"""Model files: round trips, and files of other versions, of other programs, or damaged."""

import datetime
import functools
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import skops.io
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.app.errors import ModelFileError
from statlearn.app.model import file as model_file
from statlearn.app.model.table_model import TableModel
from statlearn.linear import LassoCV, Ridge
from statlearn.logic import Program
from tests.helpers import assert_same_state
from tests.security.archives import archive, old, ours, rewritten


@pytest.fixture
def fitted(rng):
    X = rng.normal(size=(40, 3))
    return make_pipeline(StandardScaler(), LassoCV(cv=3)).fit(X, X[:, 0] + 0.1 * rng.normal(size=40)), X


def returned(value):
    """What a model file gives back for the parameter of an estimator."""
    return model_file.loads(model_file.dumps(Ridge(alpha=value))).alpha


def test_round_trip(fitted, tmp_path):
    model, X = fitted
    path = tmp_path / "model"
    model_file.save(model, path)
    again = model_file.load(path)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again[-1].cv_curve_.mean, model[-1].cv_curve_.mean)
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_earlier_versions_are_read(fitted, tmp_path):
    model, X = fitted
    (tmp_path / "m.skops").write_bytes(old(model))
    again = model_file.load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


VALUES = [
    None,
    True,
    -3,
    2**130,
    0.1,
    float("nan"),
    float("-inf"),
    1 + 2j,
    "text \u2603 \ud800",
    b"\x00\xff",
    np.float32(0.1),
    np.int8(-5),
    np.bool_(True),
    np.str_("word"),
    np.datetime64("2020-02-03T04:05"),
    np.timedelta64(7, "D"),
    (1, (2.0, ("x",))),
    [1, [2, {"a": [], "b": {}}]],
    {1: "one", 2.5: "x", None: 0, (1, "a"): [3], np.int64(4): 5},
    {"b": 1, "a": 2},
    {3, 1, 2},
    frozenset({"x", "y"}),
    slice(1, None, 2),
    range(3, 9, 2),
    float,
    np.float32,
    np.dtype("float32"),
    np.log1p,
    np.mean,
    functools.partial(np.mean, axis=0),
    datetime.date(2020, 2, 29),
    datetime.datetime(2020, 2, 29, 12, 30, 1, 5),
    datetime.timedelta(days=-1, seconds=5),
    np.arange(6).reshape(2, 3),
    np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    np.arange(12)[::-2],
    np.array(3.5),
    np.empty((0, 4), np.float32),
    np.array(["a", "longer", ""]),
    np.array(["a", None, 1.5, np.nan], dtype=object),
    np.array([["a", (1, 2)], [None, "b"]], dtype=object),
    np.array(["2020-01-02"], dtype="datetime64[ns]"),
    np.ma.MaskedArray(np.array([1, None], dtype=object), [False, True]),
    sparse.random(5, 4, 0.5, format="csr", random_state=0),
    sparse.csc_array(np.eye(3)),
    sparse.coo_matrix(np.eye(3)),
    Program("p(X) :- q(X, [1, 2, f(a)]), not r(X). q(ann, []). :- p(b)."),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: f"{type(v).__name__}-{str(v)[:12]!r}")
def test_values_come_back_as_they_were(value):
    again = returned(value)
    if isinstance(value, np.ndarray):
        assert again.dtype == value.dtype
        assert again.flags["F_CONTIGUOUS"] == value.flags["F_CONTIGUOUS"] or value.ndim == 1
    if isinstance(value, functools.partial):
        assert again.func is value.func
        again, value = again.keywords, value.keywords
    if isinstance(value, np.ma.MaskedArray):
        np.testing.assert_array_equal(again.mask, value.mask)
        again, value = again.compressed(), value.compressed()
    assert_same_state(again, value)


def test_long_lists_of_logic_are_not_nested():
    program = Program(f"p([{', '.join(map(str, range(3000)))}]).")
    assert returned(program) == program


@pytest.mark.parametrize("kind", ["RandomState", "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"])
def test_random_generators_continue_where_they_were(kind):
    if kind == "RandomState":
        made = np.random.RandomState(3)
    else:
        made = np.random.Generator(getattr(np.random, kind)(3))
    made.normal(size=5)
    assert np.array_equal(returned(made).normal(size=700), made.normal(size=700))


def test_shared_and_circular_references_come_back():
    shared = np.arange(3.0)
    model = Ridge(alpha=[shared, (shared, shared)])
    model.own_ = {"model": model, "list": model.alpha}
    again = model_file.loads(model_file.dumps(model))
    assert again.own_["model"] is again
    assert again.own_["list"] is again.alpha
    assert again.alpha[1][0] is again.alpha[1][1] is again.alpha[0]


def test_the_same_model_gives_the_same_bytes(fitted):
    assert model_file.dumps(fitted[0]) == model_file.dumps(fitted[0])


class Own:
    """A class that model files do not know."""


@pytest.mark.parametrize(
    "value",
    [Own(), Own, len, lambda x: x, np.array([(1, 2.0)], dtype="i4,f8"), os.path, functools.partial(os.system, "true")],
    ids=["object", "class", "builtin", "lambda", "record", "module", "partial"],
)
def test_what_files_cannot_contain_is_named_when_saving(value):
    with pytest.raises(ModelFileError, match=r"`Pipeline\.steps\[1\]\[1\]\.alpha.*cannot contain"):
        model_file.dumps(make_pipeline(StandardScaler(), Ridge(alpha=value)))


class Evil:
    """Pickle would run this on loading."""

    def __reduce__(self):
        return os.system, ("touch /tmp/statlearn_was_here",)


def test_foreign_damaged_and_cut_files(fitted, tmp_path):
    for content in (model_file.dumps(fitted[0]), old(fitted[0])):
        spoiled = bytearray(content)
        spoiled[len(content) // 2] ^= 0xFF
        cases = {
            "pickle": pickle.dumps(Evil()),
            "text": b"just text",
            "nothing": b"",
            "cut": content[: len(content) // 2],
            "flipped": bytes(spoiled),
            "zip": archive({"hello.txt": "x"}),
            "tree": rewritten(content, lambda tree: {"protocol": 99}),
            "loader": rewritten(content, lambda tree: {**tree, "__loader__": "NoSuchNode", "nodes": [{}]}),
            "list": rewritten(content, lambda tree: []),
            "number": rewritten(content, lambda tree: 3),
        }
        for name, data in cases.items():
            path = tmp_path / name
            path.write_bytes(data)
            with pytest.raises(ModelFileError, match=name):
                model_file.load(path)
    assert not os.path.exists("/tmp/statlearn_was_here")


def test_a_missing_file(tmp_path):
    with pytest.raises(ModelFileError, match="no such file"):
        model_file.load(tmp_path / "nothing.skops")


def test_a_changed_array_is_noticed(fitted):
    content = rewritten(model_file.dumps(fitted[0]), members={"arrays/0.npy": b"\x93NUMPY"})
    with pytest.raises(ModelFileError, match="checksum"):
        model_file.loads(content)


def test_a_model_of_zeros_is_stored_so_that_it_can_be_read(monkeypatch):
    from statlearn.app.model.format import archive as archives

    monkeypatch.setattr(archives, "FREE_BYTES", 10_000)
    model = Ridge(alpha=np.zeros(100_000))
    content = model_file.dumps(model)
    assert model_file.loads(content).alpha.shape == model.alpha.shape


def saved_field(name):
    """A function that takes a field out of the outermost object of a file of ours."""

    def change(tree):
        del tree["nodes"][tree["root"]["ref"]]["state"][name]
        return tree

    return change


def test_a_file_without_a_field_of_today_is_refused_with_the_version_that_wrote_it():
    model = TableModel(None, "ridge", "ridge", "regression", "y", {"x": "number"})
    content = rewritten(model_file.dumps(model), saved_field("identifiers"))
    with pytest.raises(ModelFileError, match=r"lacks the field 'identifiers' of TableModel.*written by statlearn \d"):
        model_file.loads(content)


def test_an_old_file_without_a_field_of_today_is_called_older():
    def change(tree):
        del tree["content"]["content"]["n_seen"]
        del tree["content"]["key_types"]["content"][0]
        return tree

    model = TableModel(None, "ridge", "ridge", "regression", "y", {"x": "number"})
    with pytest.raises(ModelFileError, match=r"older version of statlearn\. Run statlearn compare again"):
        model_file.loads(rewritten(skops.io.dumps(model), change))


def test_the_mark_of_an_old_file_names_the_version_that_wrote_it(fitted):
    content = rewritten(old(fitted[0]), members={"statlearn.json": json.dumps({"version": "0.0.7"}).encode()})
    gone = rewritten(content, lambda tree: json.loads(json.dumps(tree).replace("LassoCV", "GoneCV")))
    with pytest.raises(ModelFileError, match=r"statlearn\.linear\.lasso\._cv\.GoneCV.*written by statlearn 0\.0\.7"):
        model_file.loads(gone)


def test_a_type_that_statlearn_does_not_have_is_another_version_not_an_attack(fitted):
    content = model_file.dumps(fitted[0])
    gone = rewritten(content, lambda tree: json.loads(json.dumps(tree).replace("LassoCV", "GoneCV")))
    with pytest.raises(ModelFileError, match=r"contains statlearn\.linear\.GoneCV.*Run statlearn compare again"):
        model_file.loads(gone)


def test_a_later_version_of_the_format_is_named():
    with pytest.raises(
        ModelFileError, match=r"version 7 of the format.*reads version 1; it was written by statlearn 9"
    ):
        model_file.loads(ours([], format_version=7, statlearn="9.0"))


def test_another_model_than_expected_is_named(fitted):
    with pytest.raises(ModelFileError, match="contains a Pipeline, not a TableModel"):
        model_file.loads(model_file.dumps(fitted[0]), TableModel)


def test_unpacking_is_limited(fitted, monkeypatch):
    from statlearn.app.model.format import archive as archives

    content = model_file.dumps(fitted[0])
    monkeypatch.setattr(archives, "FREE_BYTES", 100)
    monkeypatch.setattr(archives, "MAX_RATIO", 1)
    with pytest.raises(ModelFileError, match="unpack to more than"):
        model_file.loads(content)


def test_members_are_stored_or_deflated(fitted):
    import io

    source = zipfile.ZipFile(io.BytesIO(model_file.dumps(fitted[0])))
    parts = {name: source.read(name) for name in source.namelist()}
    with pytest.raises(ModelFileError, match="compressed in another way"):
        model_file.loads(archive(parts, zipfile.ZIP_LZMA))
