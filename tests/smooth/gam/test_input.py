"""Tables of additive models."""

import numpy as np
import pandas as pd
import pytest

from statlearn.smooth import GAM, MARSClassifier


@pytest.mark.parametrize("model", [GAM(), MARSClassifier()])
def test_a_data_frame_without_columns_is_refused_by_name(model):
    with pytest.raises(ValueError, match="X"):
        model.fit(pd.DataFrame(index=range(20)), np.arange(20) % 2)
