"""Model files with flipped bits and lost ends: an error, or the same model."""

import hashlib
import io
import json
import zipfile

import numpy as np
import pytest

from statlearn.app.errors import ModelFileError
from statlearn.app.model import file as model_file
from statlearn.linear import LassoCV
from statlearn.prep import StandardScaler
from statlearn.trees import DecisionTreeClassifier
from tests.security.archives import archive, old

FLIPS, CUTS = 2_000, 200


@pytest.fixture(scope="module")
def contents():
    """Files of three models, in today's format and in that of earlier versions."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    models = [LassoCV(cv=3).fit(X, y), StandardScaler().fit(X), DecisionTreeClassifier(max_depth=3).fit(X, y > 0)]
    return [dump(model) for model in models for dump in (model_file.dumps, old)]


def flipped(content, bit):
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def loaded(content):
    """The model as a file once more, or None where it is refused."""
    try:
        model = model_file.loads(content)
    except ModelFileError:
        return None
    return model_file.dumps(model)


def test_flipped_bits_are_noticed(contents, rng):
    """All but those in dates, comments and other parts of the archive that say nothing about the model."""
    refused = 0
    for content in contents:
        honest = loaded(content)
        for bit in rng.choice(8 * len(content), size=FLIPS // len(contents) + 1, replace=False):
            again = loaded(flipped(content, int(bit)))
            refused += again is None
            assert again in (None, honest)
    assert refused > 0.8 * FLIPS


def test_truncated_files_raise(contents, rng):
    for content in contents:
        for end in rng.choice(len(content), size=CUTS // len(contents) + 1, replace=False):
            assert loaded(content[:end]) is None


def test_flipped_bits_with_honest_checksums_do_no_harm(contents, rng):
    """What an enemy would do: the text or the arrays are changed, and all checksums are those of the change."""
    outcomes = set()
    for content in contents[::2]:
        with zipfile.ZipFile(io.BytesIO(content)) as source:
            parts = {name: source.read(name) for name in source.namelist()}
        names = list(parts)
        for name in rng.choice(names, size=FLIPS // 9):
            changed = {**parts, name: flipped(parts[name], int(rng.integers(8 * len(parts[name]))))}
            try:
                tree = json.loads(changed["model.json"])
                count = len(tree["arrays"])
                tree["arrays"] = [hashlib.sha256(changed[f"arrays/{k}.npy"]).hexdigest() for k in range(count)]
                changed["model.json"] = json.dumps(tree).encode()
            except (ValueError, KeyError, TypeError):
                pass
            outcomes.add(loaded(archive(changed, zipfile.ZIP_STORED)) is None)
    assert outcomes == {True, False}
