"""Lists to and from boolean matrices."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import MultiLabelBinarizer

from statlearn.rules import TransactionEncoder
from tests.rules.baskets import TEN


@pytest.mark.spec("RUL-01")
def test_the_matrix_matches_scikit_learns_binarizer_and_goes_back():
    encoder = TransactionEncoder().fit(TEN)
    other = MultiLabelBinarizer().fit(TEN)
    found = encoder.transform(TEN)
    assert found.dtype == bool
    np.testing.assert_array_equal(found, other.transform(TEN))
    assert encoder.items_ == other.classes_.tolist()
    assert encoder.inverse_transform(found) == [sorted(b) for b in TEN]
    thin = TransactionEncoder(sparse_output=True).fit_transform(TEN)
    assert sparse.issparse(thin)
    np.testing.assert_array_equal(thin.toarray(), found)
    assert encoder.inverse_transform(thin) == [sorted(b) for b in TEN]


def test_frames_out_long_tables_in_and_unknown_items():
    frame = TransactionEncoder().set_output(transform="pandas").fit_transform(TEN)
    assert frame.columns.tolist() == list("abcdefgijlmnop")
    long = pd.DataFrame([(r, i) for r, b in enumerate(TEN) for i in b], columns=["id", "item"])
    np.testing.assert_array_equal(TransactionEncoder(basket="id", item="item").fit_transform(long), frame)
    encoder = TransactionEncoder().fit(TEN)
    with pytest.raises(ValueError, match=r"\['z'\].*handle_unknown"):
        encoder.transform([["z", "a"]])
    assert encoder.set_params(handle_unknown="ignore").transform([["z", "a"]]).sum() == 1
    with pytest.raises(ValueError, match="basket and item"):
        TransactionEncoder(basket="id").fit(long)
    with pytest.raises(ValueError, match="2 columns"):
        encoder.inverse_transform([[1, 0]])
