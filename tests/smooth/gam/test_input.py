"""Tables of additive models."""

import numpy as np
import pandas as pd
import pytest

from statlearn.decomposition import LSA
from statlearn.prep import ImageFlattener
from statlearn.smooth import GAM, MARS, GAMClassifier, MARSClassifier


@pytest.mark.parametrize("model", [GAM(), MARSClassifier()])
def test_a_data_frame_without_columns_raises_by_name(model):
    with pytest.raises(ValueError, match="X"):
        model.fit(pd.DataFrame(index=range(20)), np.arange(20) % 2)


@pytest.mark.parametrize("model", [GAM(), GAMClassifier(), MARS(), MARSClassifier(), LSA(1), ImageFlattener()])
def test_repeated_names_raise_a_plain_message(model, rng):
    X = pd.DataFrame(np.abs(rng.normal(size=(20, 2))), columns=["same", "same"])
    with pytest.raises(ValueError, match="X has duplicate column names: 'same'"):
        model.fit(X, np.arange(20) % 2)
