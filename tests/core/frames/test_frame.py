"""Data frames as a whole."""

import numpy as np
import pandas as pd
import pytest

from statlearn._core.frames import declared_categories
from statlearn._core.frames.frame import as_frame
from statlearn.trees import C45Classifier, DecisionTreeRegressor

TWINS = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=["a", "b", "a"])


@pytest.mark.parametrize(
    "read",
    [
        as_frame,
        declared_categories,
        lambda X: DecisionTreeRegressor().fit(X, np.arange(4.0)),
        lambda X: C45Classifier().fit(X, [0, 1, 0, 1]),
    ],
)
def test_duplicate_column_names_raise_by_name(read):
    with pytest.raises(ValueError, match=r"X has duplicate column names: 'a'\. Rename these columns"):
        read(TWINS)
