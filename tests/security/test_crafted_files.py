"""Files made by hand to do harm: nothing of them runs, and what is wrong with them is said."""

import os
import zipfile

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from statlearn import prep
from statlearn.app.errors import ModelFileError
from statlearn.app.model import file as model_file
from statlearn.app.model.format import archive as archives
from statlearn.app.model.predict import load_table_model
from statlearn.linear import Ridge
from tests.security.archives import (
    archive,
    estimator,
    npy,
    old,
    old_dict,
    old_file,
    old_node,
    old_tuple,
    old_value,
    ours,
    rewritten,
)


@pytest.fixture
def folder(tmp_path):
    """A folder with a file that must still be there afterwards, and nothing beside it."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    yield precious
    assert (precious / "thesis.txt").read_text() == "years of work"
    assert {path.name for path in tmp_path.iterdir()} <= {"precious", "bad.skops"}


def reduce_node(module, name, *args):
    return old_node(module, name, "ConstructorFromReduceNode", content=old_tuple(*args))


SIDE_EFFECTS = {
    "State": lambda path: reduce_node("statlearn.app.compare.checkpoints", "State", old_value(str(path)), old_dict()),
    "StudyFile": lambda path: reduce_node(
        "statlearn.gp._study_file", "StudyFile", old_value(str(path.parent / "new.json")), old_dict(a=old_value(1))
    ),
    "BayesianOptimizer": lambda path: reduce_node(
        "statlearn.gp._optimizer", "BayesianOptimizer", old_dict(), old_value(str(path.parent / "new.json"))
    ),
}


@pytest.mark.parametrize("attack", SIDE_EFFECTS)
@pytest.mark.parametrize("inside", [False, True], ids=["outermost", "inside"])
def test_no_constructor_with_side_effects_is_reached(attack, inside, folder, monkeypatch):
    node = SIDE_EFFECTS[attack](folder)
    if inside:
        node = old_node("statlearn.linear.ridge._ridge", "Ridge", "ObjectNode", content=old_dict(alpha=node))
    path = folder.parent / "bad.skops"
    path.write_bytes(old_file(node))
    for load in (model_file.load, load_table_model):
        with pytest.raises(ModelFileError, match=f"{attack}|BayesianOptimizer|damaged"):
            load(path)


FOREIGN = [
    ("posix", "system", "FunctionNode"),
    ("os", "system", "FunctionNode"),
    ("builtins", "eval", "TypeNode"),
    ("numpy.testing", "runstring", "FunctionNode"),
    ("statlearn.app.cli", "main", "FunctionNode"),
    ("subprocess", "Popen", "TypeNode"),
    ("statlearn._core.atomic_files", "os", "TypeNode"),
    ("statlearn._core.atomic_files", "Path", "TypeNode"),
    ("statlearn.app.compare.checkpoints", "State", "ObjectNode"),
    ("statlearn.gp._study_file", "StudyFile", "ObjectNode"),
    ("sklearn.tree._tree", "Tree", "TreeNode"),
    ("operator", "methodcaller", "OperatorFuncNode"),
    ("statlearn.linear", "Ridge", "MethodNode"),
    ("statlearn.linear", "Ridge", "CachedNode"),
]


@pytest.mark.parametrize(("module", "name", "loader"), FOREIGN, ids=lambda part: part)
def test_old_files_may_name_only_what_is_listed(module, name, loader, monkeypatch):
    called = []
    monkeypatch.setattr(os, "system", called.append)
    tree = old_node(
        "statlearn.linear.ridge._ridge", "Ridge", "ObjectNode", content=old_dict(alpha=old_node(module, name, loader))
    )
    with pytest.raises(ModelFileError, match=rf"contains {module}.{name}"):
        model_file.loads(old_file(tree))
    assert not called


@pytest.mark.parametrize(
    "node",
    [
        {"kind": "object", "class": "statlearn.app.State", "state": {}},
        {"kind": "object", "class": "statlearn.gp.StudyFile", "state": {}},
        {"kind": "object", "class": "os.system", "state": {}},
        {"kind": "object", "class": "subprocess.Popen", "state": {}},
        {"kind": "object", "class": ["statlearn.linear.Ridge"], "state": {}},
        {"kind": "function", "name": "os.system"},
        {"kind": "function", "name": "builtins.eval"},
        {"kind": "type", "name": "builtins.object"},
        {"kind": "dict", "class": "collections.UserDict", "items": {}},
        {"kind": "tuple", "class": "os.stat_result", "items": []},
    ],
    ids=str,
)
def test_our_files_may_name_only_what_is_listed(node):
    with pytest.raises(ModelFileError, match="contains"):
        model_file.loads(ours([estimator(alpha={"ref": 1}), node]))


DAMAGED = {
    "unknown kind": [{"kind": "code", "text": "1"}],
    "missing field": [{"kind": "list"}],
    "extra field": [{"kind": "list", "items": [], "run": 1}],
    "reference to nothing": [{"kind": "list", "items": [{"ref": 99}]}],
    "negative reference": [{"kind": "list", "items": [{"ref": -1}]}],
    "tuple of itself": [{"kind": "tuple", "items": [{"ref": 1}]}],
    "list of itself": [{"kind": "list", "items": [{"ref": 1}]}],
    "unhashable key": [{"kind": "dict", "pairs": [[{"ref": 2}, 1]]}, {"kind": "list", "items": []}],
    "array that is not there": [{"kind": "array", "number": 0}],
    "objects without a shape": [{"kind": "objects", "shape": [2**40], "items": []}],
    "plain dict": [{"kind": "list", "items": [{"a": 1}]}],
    "nested list": [{"kind": "list", "items": [[1]]}],
    "estimator as a dict": [{"kind": "dict", "class": "statlearn.linear.Ridge", "items": {}}],
    "partial of a list": [
        {"kind": "partial", "function": {"ref": 2}, "args": [], "keywords": {}},
        {"kind": "list", "items": []},
    ],
    "term of numbers": [{"kind": "term", "class": "statlearn.logic.Atom", "args": [1, 2]}],
    "program to parse": [{"kind": "term", "class": "statlearn.logic.Program", "args": ["p(a)."]}],
    "term too short": [{"kind": "compound", "terms": [["f", 2]]}],
    "date": [{"kind": "date", "text": "9" * 100}],
    "dtype": [{"kind": "dtype", "name": "O"}],
    "record": [{"kind": "dtype", "name": "i4,f8"}],
}


@pytest.mark.parametrize("nodes", DAMAGED.values(), ids=DAMAGED)
def test_damaged_nodes_raise(nodes):
    with pytest.raises(ModelFileError, match=r"damaged|contains"):
        model_file.loads(ours([estimator(alpha={"ref": 1}), *nodes]))


@pytest.mark.parametrize("name", ["predict", "__class__", "__dict__", "a b", "get_params", "__setstate__"])
def test_attributes_do_not_stand_in_for_methods(name):
    with pytest.raises(ModelFileError, match="attribute"):
        model_file.loads(ours([estimator(**{name: 1})]))


def test_the_outermost_class_is_checked_before_anything_else(monkeypatch):
    """The other nodes are not even looked at."""
    content = ours([estimator(alpha={"ref": 1}), {"kind": "code"}])
    path_error = "contains a Ridge, not a TableModel"
    from statlearn.app.model.table_model import TableModel

    with pytest.raises(ModelFileError, match=path_error):
        model_file.loads(content, TableModel)
    for node in ({"kind": "list", "items": []}, {"kind": "object", "class": "sklearn.utils.Bunch", "state": {}}):
        with pytest.raises(ModelFileError, match="not an estimator"):
            model_file.loads(ours([node]))


@pytest.mark.parametrize("vectorizer", [TfidfVectorizer, prep.BinaryVectorizer, prep.TfidfVectorizer])
def test_models_that_open_the_files_that_cells_name_raise(vectorizer):
    """The author of the model would choose what it reads of the files that a table lists."""
    model = vectorizer(input="filename")
    with pytest.raises(ModelFileError, match=r"`\w+\.input` is 'filename', which model files cannot contain"):
        model_file.dumps(model)
    content = model_file.dumps(model.set_params(input="content"))

    def reading(tree):
        tree["nodes"][0]["state"]["input"] = "filename"
        return tree

    with pytest.raises(ModelFileError, match="opens files"):
        model_file.loads(rewritten(content, reading))


# Size -----------------------------------------------------------------------------------------------------------------


def test_an_array_that_is_named_often_is_read_once():
    """60 nodes of 200 MB each would be 12 GB: in old files, every node read its file again."""
    file = npy(np.zeros(100_000))
    nodes = [old_node("numpy", "ndarray", "NdArrayNode", type="numpy", file="1.npy", __id__=k) for k in range(60)]
    tree = old_node(
        "statlearn.linear.ridge._ridge",
        "Ridge",
        "ObjectNode",
        content=old_dict(alpha=old_node("builtins", "list", "ListNode", content=nodes)),
    )
    alpha = model_file.loads(old_file(tree, {"1.npy": file})).alpha
    assert len(alpha) == 60
    assert all(array is alpha[0] for array in alpha)


def sparse_part(*arrays):
    """A sparse matrix as skops stores it, an archive within the archive."""
    names = ("indices", "indptr", "data", "format", "shape")
    return archive({f"{name}.npy": npy(array) for name, array in zip(names, arrays)}, zipfile.ZIP_DEFLATED)


@pytest.mark.parametrize("loader", ["SparseMatrixNode", "BytesNode"])
def test_members_that_are_read_often_raise(loader, monkeypatch):
    """Every node of old files that names the member unpacks it again, and a sparse matrix is an archive within it."""
    monkeypatch.setattr(archives, "FREE_BYTES", 2**20)
    zeros = np.zeros(2**15, dtype=np.int32)
    file = sparse_part(zeros, zeros, zeros.astype(float), np.array(b"csr"), np.array([2**15 - 1, 1]))
    nodes = [old_node("scipy.sparse", "csr_matrix", loader, type="scipy", file="1.npz", __id__=k) for k in range(2000)]
    tree = old_node(
        "statlearn.linear.ridge._ridge",
        "Ridge",
        "ObjectNode",
        content=old_dict(alpha=old_node("builtins", "list", "ListNode", content=nodes)),
    )
    with pytest.raises(ModelFileError, match="would unpack to more than"):
        model_file.loads(old_file(tree, {"1.npz": file}))


def test_archives_within_the_archive_are_limited(monkeypatch):
    monkeypatch.setattr(archives, "FREE_BYTES", 2**20)
    zeros = np.zeros(2**22)
    file = sparse_part(zeros, zeros, zeros, np.array(b"csr"), np.array([1, 1]))
    node = old_node("scipy.sparse", "csr_matrix", "SparseMatrixNode", type="scipy", file="1.npz")
    tree = old_node("statlearn.linear.ridge._ridge", "Ridge", "ObjectNode", content=old_dict(alpha=node))
    with pytest.raises(ModelFileError, match="would unpack to more than"):
        model_file.loads(old_file(tree, {"1.npz": file}))


def test_files_that_unpack_to_huge_sizes_raise(monkeypatch):
    with pytest.raises(ModelFileError, match="would unpack to a description of more than"):
        model_file.loads(archive({"model.json": b"[" * 2**26}))
    monkeypatch.setattr(archives, "FREE_BYTES", 2**20)
    bomb = archive({"model.json": b"{}", "arrays/0.npy": bytes(2**24)})
    with pytest.raises(ModelFileError, match="would unpack to more than"):
        model_file.loads(bomb)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((2**60,), "<f8"),
        ((2**31, 2**31, 2**31), "<f8"),
        ((0, 2**40), "<f8"),
        ((2**40,), "<U0"),
        ((3,), "|O"),
        ((-3,), "<f8"),
    ],
)
def test_headers_of_arrays_do_not_decide_on_memory(shape, dtype):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (117 - len(header)) + b"\n"
    file = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(ours([estimator(alpha={"ref": 1}), {"kind": "array", "number": 0}], arrays=[file]))


def test_lists_that_explode_raise():
    """Ten references to ten references to ... forty times."""
    nodes = [{"kind": "list", "items": [{"ref": k + 1}] * 10} for k in range(1, 41)]
    with pytest.raises(ModelFileError, match="too often"):
        model_file.loads(ours([estimator(alpha={"ref": 1}), *nodes, {"kind": "list", "items": []}]))


def test_objects_that_refer_to_one_another_often_are_checked_once():
    """Ten references to an object with ten references to an object ... thirty times: an answer at once."""

    def finding(number):
        models = {"ref": number + 1}
        return {"kind": "object", "class": "statlearn.app.Finding", "state": {"code": models}}

    nodes = []
    for number in range(1, 61, 2):
        nodes += [finding(number), {"kind": "list", "items": [{"ref": number + 2}] * 10}]
    nodes += [estimator()]
    fields = ("severity", "title", "detail", "why", "advice", "models")
    for node in nodes[:-1:2]:
        node["state"] |= dict.fromkeys(fields)
    outer = {"kind": "object", "class": "statlearn.app.Finding", "state": {"code": {"ref": 1}} | dict.fromkeys(fields)}
    assert type(model_file.loads(ours([outer, *nodes]))).__name__ == "Finding"


def test_deep_nests_raise():
    lists = [{"kind": "list", "items": [{"ref": k + 1}]} for k in range(1, 10_000)]
    with pytest.raises(ModelFileError, match="deep"):
        model_file.loads(ours([estimator(alpha={"ref": 1}), *lists, {"kind": "list", "items": []}]))
    tuples = [{"kind": "tuple", "items": [{"ref": k - 1}] if k else []} for k in range(10_000)]
    everything = [{"ref": k} for k in range(10_000)]  # on the shortest way, none is deep
    with pytest.raises(ModelFileError, match="deep"):
        model_file.loads(
            ours([*tuples, estimator(alpha={"ref": 10_001}), {"kind": "list", "items": everything}], 10_000)
        )
    with pytest.raises(ModelFileError, match="deep"):
        model_file.loads(archive({"model.json": b"[" * 1_000_000}))


def test_deep_trees_of_old_files_raise():
    node = old_value(1)
    for _ in range(400):
        node = old_node("builtins", "list", "ListNode", content=[node])
    tree = old_node("statlearn.linear.ridge._ridge", "Ridge", "ObjectNode", content=old_dict(alpha=node))
    with pytest.raises(ModelFileError, match="deep"):
        model_file.loads(old_file(tree))


def test_more_columns_than_a_file_can_hold_raise():
    """Names of columns would be made one by one: 2**31 of them fill the memory."""
    model = Ridge().fit(np.eye(3), [1.0, 2.0, 3.0])
    for count in (2**31, -1, "many", 2.5):
        model.n_features_in_ = count
        for content in (model_file.dumps(model), old(model)):
            with pytest.raises(ModelFileError, match="was fitted to"):
                model_file.loads(content)


@pytest.mark.parametrize("position", [-1, 625, 2**31 - 1, "0"])
def test_positions_of_random_generators_are_checked(position):
    """numpy reads the state at this position without a look at it."""

    def change(tree):
        node = next(node for node in tree["nodes"] if node["kind"] in ("random_state", "generator"))
        node["state"]["state"]["pos"] = position
        return tree

    for made in (np.random.RandomState(0), np.random.Generator(np.random.MT19937(0))):
        with pytest.raises(ModelFileError, match="position"):
            model_file.loads(rewritten(model_file.dumps(Ridge(alpha=made)), change))


@pytest.mark.parametrize("change", ["indices", "indptr", "shape", "data"])
def test_sparse_matrices_are_checked(change):
    from scipy import sparse

    matrix = sparse.csr_matrix(np.eye(4))
    if change == "indices":
        matrix.indices = matrix.indices + np.int32(2**20)
    elif change == "indptr":
        matrix.indptr = matrix.indptr[::-1].copy()
    elif change == "data":
        matrix.data = matrix.data[:2]
    content = model_file.dumps(Ridge(alpha=matrix))
    if change == "shape":

        def smaller(tree):
            next(node for node in tree["nodes"] if node["kind"] == "sparse")["shape"] = [4, 2]
            return tree

        content = rewritten(content, smaller)
    with pytest.raises(ModelFileError, match="sparse matrix"):
        model_file.loads(content)
