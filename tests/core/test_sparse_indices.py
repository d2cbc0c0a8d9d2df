import numpy as np
import pytest
from scipy import sparse

from statlearn._core.sparse_indices import refuse_broken


def broken(layout, part, place, value, dtype=np.int32):
    X = sparse.random_array((40, 30), density=0.2, format=layout, random_state=0)
    X.indices, X.indptr = X.indices.astype(dtype), X.indptr.astype(dtype)
    getattr(X, part)[place] = value
    return X


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("layout", ["csr", "csc"])
@pytest.mark.parametrize(
    "part, place, value, words",
    [
        ("indices", 0, 40, "an index is out of range"),
        ("indices", -1, -1, "an index is out of range"),
        ("indptr", 0, 1, "must begin with 0"),
        ("indptr", 7, 200, "must not decrease"),
        ("indptr", -1, 241, "must end within the stored values"),
        ("indptr", -1, -1, "must end within the stored values"),
    ],
)
def test_broken_indices_are_refused(layout, dtype, part, place, value, words):
    with pytest.raises(ValueError, match=rf"table must be a valid sparse matrix.*shape \(40, 30\).*{words}"):
        refuse_broken(broken(layout, part, place, value, dtype), "table")


def test_sound_matrices_of_any_format_pass():
    X = sparse.random_array((40, 30), density=0.2, random_state=0)
    for layout in ("csr", "csc", "coo", "bsr", "lil", "dok", "dia"):
        refuse_broken(X.asformat(layout))
    refuse_broken(sparse.csr_array((0, 0)))
    refuse_broken(sparse.csr_array((3, 0)))
    refuse_broken(np.eye(2))
    spare = X.tocsr()
    spare.indices, spare.data = np.append(spare.indices, 10**6), np.append(spare.data, 1.0)  # beyond the last row
    refuse_broken(spare)


def test_broken_blocks_and_coordinates_are_refused():
    X = sparse.bsr_array(np.eye(6), blocksize=(2, 3))
    X.indices[0] = 2
    with pytest.raises(ValueError, match="an index is out of range"):
        refuse_broken(X)
    X = sparse.coo_array(np.eye(3))
    X.coords[1][0] = 3
    with pytest.raises(ValueError, match="an index of axis 1 is out of range"):
        refuse_broken(X)
    X = sparse.csr_array(np.eye(3))
    X.indptr = X.indptr[:-1]
    with pytest.raises(ValueError, match="`indptr` must have length 4, got 3"):
        refuse_broken(X)
