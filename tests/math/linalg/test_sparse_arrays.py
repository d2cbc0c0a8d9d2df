import numpy as np
import pytest
from scipy import sparse

from statlearn._math.linalg.sparse_arrays import by_rows, canonical, compressed_arrays, stored_values, to_dense


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array])
def test_arrays_describe_the_matrix_with_32_bit_positions(make):
    X = make(np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    data, indices, indptr = compressed_arrays(X)
    assert indices.dtype == indptr.dtype == np.int32
    np.testing.assert_array_equal(make((data, indices, indptr), shape=X.shape).toarray(), X.toarray())


def test_arrays_are_not_copied_without_need():
    X = sparse.csr_array(np.eye(3))
    data, indices, indptr = compressed_arrays(X)
    assert data is X.data
    assert np.shares_memory(indices, X.indices)
    assert np.shares_memory(indptr, X.indptr)


def test_sizes_beyond_32_bits_raise():
    with pytest.raises(ValueError, match="X has shape"):
        compressed_arrays(sparse.csc_array((2**31, 1)))


def test_canonical_sums_duplicate_entries():
    X = sparse.csr_array((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    made = canonical(X)
    np.testing.assert_array_equal(made.data, [2.0, 5.0])
    assert X.nnz == 3
    assert canonical(made) is made


@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.csc_array])
def test_forms_have_the_entries_of_the_table(make):
    table = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]])
    X = make(table)
    assert isinstance(to_dense(X), np.ndarray)
    np.testing.assert_array_equal(to_dense(X), table)
    np.testing.assert_array_equal(to_dense(by_rows(X)), table)
    assert np.sum(stored_values(X)) == table.sum()
    if sparse.issparse(X):
        assert by_rows(X).format == "csr"
        assert stored_values(X).shape == (3,)
    else:
        assert to_dense(X) is by_rows(X) is stored_values(X) is X
