"""What holds for every transformer of the family."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import get_tags

from statlearn import all_estimators, prep
from tests.contract.instances import all_instances, make_problem, name_of
from tests.helpers import assert_close

OURS = dict(all_estimators("transformer", family="prep"))
TRANSFORMERS = [e for e in all_instances("transformer") if name_of(e) in OURS]


def dense(result):
    return result.toarray() if hasattr(result, "toarray") else np.asarray(result)


@pytest.mark.spec("PRE-P11")
@pytest.mark.parametrize("transformer", TRANSFORMERS, ids=name_of)
def test_one_step_is_two_and_pickles_are_the_same(transformer):
    X, y = make_problem(transformer)
    fitted = clone(transformer).fit(X, y)
    expected = dense(fitted.transform(X))
    assert_close(dense(clone(transformer).fit_transform(X, y)), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(dense(pickle.loads(pickle.dumps(fitted)).transform(X)), expected)
    if hasattr(fitted, "get_feature_names_out"):
        assert len(fitted.get_feature_names_out()) == expected.shape[1]


@pytest.mark.spec("PRE-P11")
@pytest.mark.parametrize(
    "transformer", [t for t in TRANSFORMERS if get_tags(t).input_tags.two_d_array], ids=name_of
)  # fmt: skip
def test_rows_are_predicted_one_by_one_with_names_in_order(transformer):
    import pandas as pd

    X, y = make_problem(transformer)
    table = pd.DataFrame(X, columns=["height", "weight", "age", "dose"])
    fitted = clone(transformer).fit(table, y)
    whole = dense(fitted.transform(table))
    alone = np.vstack([dense(fitted.transform(table[k : k + 1])) for k in range(5)])
    assert_close(alone, whole[:5], rtol=1e-12, atol=1e-12)
    if hasattr(fitted, "get_feature_names_out") and name_of(transformer) != "SeriesFeatures":
        first = [next(n for n in table.columns if n in name) for name in fitted.get_feature_names_out() if name != "1"]
        places = [list(table.columns).index(name) for name in first]
        if name_of(transformer) not in ("PolynomialFeatures", "FeatureCrosses"):  # products name several columns
            assert places == sorted(places)


@pytest.mark.parametrize(
    "name",
    [
        *("KBinsDiscretizer", "Normalizer", "OneHotEncoder", "PolynomialFeatures", "RobustScaler"),
        *("SequentialFeatureSelector", "StandardScaler", "TfidfTransformer"),
    ],
)
def test_columns_of_the_same_name_raise(name):
    frame = pd.DataFrame(np.arange(12.0).reshape(6, 2), columns=["same", "same"])
    with pytest.raises(ValueError, match=r"^X has duplicate column names: 'same'"):
        getattr(prep, name)().fit(frame, np.arange(6.0))
