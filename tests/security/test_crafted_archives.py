"""Archives made by hand: names, links, sizes and headers that an honest writer never uses."""

import io
import json
import stat
import struct
import zipfile

import numpy as np
import pytest

from statlearn.app.errors import ModelFileError
from statlearn.app.model import file as model_file
from statlearn.app.model.format import archive as archives
from statlearn.linear import Ridge
from tests.security.archives import archive, estimator, npy, old, ours, rewritten

HONEST = model_file.dumps(Ridge(alpha=np.arange(3.0)))
ARRAY = [estimator(alpha={"ref": 1}), {"kind": "array", "number": 0}]


def members():
    with zipfile.ZipFile(io.BytesIO(HONEST)) as source:
        return {name: source.read(name) for name in source.namelist()}


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "..\\evil", "arrays/../../evil", "a\0b", "\u202egnp.x", "C:evil"]
)
def test_members_are_never_written_whatever_their_names(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = model_file.loads(archive({**members(), name: b"#!/bin/sh\n"}))
    assert model.alpha.tolist() == [0, 1, 2]
    assert list(tmp_path.iterdir()) == []


def test_links_are_read_as_members_not_followed(tmp_path):
    secret = tmp_path / "secret.npy"
    secret.write_bytes(npy(np.array([42.0])))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as target:
        for name, data in members().items():
            entry = zipfile.ZipInfo(name)
            if name.endswith(".npy"):
                entry.external_attr, data = (stat.S_IFLNK | 0o777) << 16, str(secret).encode()
            target.writestr(entry, data)
    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(buffer.getvalue())


def test_archives_within_archives_are_not_opened():
    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(ours(ARRAY, arrays=[HONEST]))
    with pytest.raises(ModelFileError, match="not a statlearn model file"):
        model_file.loads(archive({"inner.statlearn": HONEST}))


@pytest.mark.parametrize("declared", [0, 1, 2**31 - 1, 2**32 - 1])
def test_sizes_that_the_directory_makes_up_are_not_believed(declared):
    """The directory says how much a member unpacks to; the data say otherwise."""
    content = bytearray(archive({**members(), "arrays/0.npy": npy(np.zeros(200_000))}))
    at = content.index(b"PK\x01\x02")
    while content[at : at + 4] == b"PK\x01\x02":
        name, extra, comment = struct.unpack_from("<HHH", content, at + 28)
        if content[at + 46 : at + 46 + name].endswith(b".npy"):
            struct.pack_into("<I", content, at + 24, declared)
        at += 46 + name + extra + comment
    with pytest.raises(ModelFileError, match=r"damaged|unpack|not a model file"):
        model_file.loads(bytes(content))


def test_overlapping_members_do_not_multiply_what_is_unpacked(monkeypatch):
    """A thousand entries of the directory that share one compressed member: their sizes are added."""
    monkeypatch.setattr(archives, "FREE_BYTES", 2**20)
    content = archive({"model.json": b"{}", "arrays/0.npy": bytes(2**15)})
    start = content.index(b"PK\x01\x02")
    end = content.index(b"PK\x05\x06")
    entries = content[start:end]
    second = entries[entries.index(b"PK\x01\x02", 4) :]
    copies = b"".join(second.replace(b"arrays/0.npy", b"a%07d.npy" % k) for k in range(1000))
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1002, 1002, len(entries) + len(copies), start, 0)
    with pytest.raises(ModelFileError, match="unpack to more than"):
        model_file.loads(content[:start] + entries + copies + tail)


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "-0", "1E-400", '"\\ud800"'])
def test_odd_values_in_the_description_are_refused_or_plain(text):
    content = rewritten(HONEST, lambda tree: tree)
    with zipfile.ZipFile(io.BytesIO(content)) as source:
        parts = {name: source.read(name) for name in source.namelist()}
    tree = json.loads(parts["model.json"])
    tree["nodes"][tree["root"]["ref"]]["state"]["tol"] = "HERE"
    parts["model.json"] = json.dumps(tree).replace('"HERE"', text).encode()
    try:
        tol = model_file.loads(archive(parts)).tol
    except ModelFileError:
        return
    assert type(tol) in (int, float, str)


NAMES = [
    *(
        f"statlearn.linear.{name}"
        for name in ("R\u0131dge", "Ridge\u200b", "\uff32idge", "Ridge\0", ".Ridge", "os", "np")
    ),
    *("STATLEARN.linear.Ridge", " statlearn.linear.Ridge", "statlearn.linear.ridge._ridge.Ridge"),
    *("statlearn.linear.Ridge.__init__", "", ".", "x" * 10**6),
]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:30]))
def test_names_that_look_like_a_class_are_not_that_class(name):
    with pytest.raises(ModelFileError, match="contains") as caught:
        model_file.loads(ours([{"kind": "object", "class": name, "state": {}}]))
    assert len(str(caught.value)) < 500


def header(descr, shape="(2,)", order="False", extra=""):
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, {extra}}}".encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize(
    "start",
    [
        header("'|V8'"),
        header("[('a', '<f4'), ('b', '<f4')]"),
        header("('<f4', (2,))"),
        header("'<f16'"),
        header("'<M8[25s/7]'"),
        header("'<f8'", shape="(True,)"),
        header("'<f8'", shape="(2.0,)"),
        header("'<f8'", shape="'2'"),
        header("'<f8'", order="1"),
        header("'<f8'", extra="'run': __import__('os'), "),
        header("__import__('os').system('true')"),
        header("'<f8'", shape="(" * 200 + "2," + ")" * 200),
        header("'" + "<" * 2000 + "'"),
        b"\x93NUMPY\x03\x00" + header("'<f8'")[8:],
        b"\x93NUMPY\x02\x00\xff\xff\xff\x7f",
        b"",
    ],
)
def test_headers_of_arrays_hold_nothing_but_plain_types(start):
    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(ours(ARRAY, arrays=[start + bytes(16)]))


@pytest.mark.parametrize("dtype", [">f8", "<f2", ">i2", "<c8", "?", "<U3", "|S2", "<M8[us]", "<m8[D]"])
@pytest.mark.parametrize("order", "CF")
def test_odd_arrays_come_back(dtype, order):
    array = np.asarray(np.arange(6).reshape(2, 3) % 2, order=order).astype(dtype)
    again = model_file.loads(model_file.dumps(Ridge(alpha=array))).alpha
    assert np.array_equal(again, array)
    assert again.dtype == array.dtype.newbyteorder("=")


def test_pickled_arrays_are_refused():
    class Loud:
        def __reduce__(self):
            return print, ("run",)

    buffer = io.BytesIO()
    np.save(buffer, np.array([Loud()], dtype=object), allow_pickle=True)
    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(ours(ARRAY, arrays=[buffer.getvalue()]))
    content = rewritten(old(Ridge(alpha=np.arange(3.0))), members={"evil.npy": buffer.getvalue()})

    def point(tree):
        text = json.dumps(tree)
        files = [name for name in zipfile.ZipFile(io.BytesIO(content)).namelist() if name.endswith(".npy")]
        honest = next(name for name in files if name != "evil.npy")
        return json.loads(text.replace(honest, "evil.npy"))

    with pytest.raises(ModelFileError, match="damaged"):
        model_file.loads(rewritten(content, point))


@pytest.mark.parametrize("version", [0, 2, "1", None, [1], {"a": 1}, -1, 1e999])
def test_other_versions_are_named(version):
    if version == 1e999:
        version = "inf"
    with pytest.raises(ModelFileError, match=r"version .* of the format of model files.*statlearn 9\.9"):
        model_file.loads(ours([estimator()], format_version=version, statlearn="9.9"))
