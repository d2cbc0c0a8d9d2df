"""OneVsRestClassifier against scikit-learn's, with classifiers and regressors of ours."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsRestClassifier as SklearnOneVsRest
from sklearn.tree import DecisionTreeClassifier

from statlearn.linear import LogisticRegression, OneVsRestClassifier, Ridge
from tests.helpers import assert_close


@pytest.mark.spec("LIN-44")
@pytest.mark.parametrize(
    "inner", [LogisticRegression(C=0.5), DecisionTreeClassifier(max_depth=2, random_state=0), Ridge()]
)
def test_agrees_with_scikit_learn(inner):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    ours, theirs = OneVsRestClassifier(inner).fit(X, names), SklearnOneVsRest(inner).fit(X, names)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    assert ours.n_classes_ == 3
    assert len(ours.estimators_) == 3
    for method in ("predict_proba", "decision_function"):
        assert hasattr(ours, method) == hasattr(theirs, method)
        if hasattr(theirs, method):
            assert_close(getattr(ours, method)(X), getattr(theirs, method)(X))


@pytest.mark.spec("LIN-44")
def test_each_model_is_the_binary_fit_and_the_highest_score_wins(rng):
    X = rng.normal(size=(150, 3))
    y = (X + rng.gumbel(size=(150, 3))).argmax(axis=1)
    model = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    scores = []
    for k in range(3):
        binary = LogisticRegression().fit(X, (y == k).astype(int))
        assert_close(model.estimators_[k].coef_, binary.coef_)
        scores.append(binary.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), np.argmax(scores, axis=0))
    P = model.predict_proba(X)
    assert_close(P.sum(axis=1), 1.0)
    raw = 1 / (1 + np.exp(-np.array(scores).T))
    assert_close(P, raw / raw.sum(axis=1, keepdims=True))


def test_two_classes_need_one_model(rng):
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "yes", "no")
    model = OneVsRestClassifier().fit(X, y)
    binary = LogisticRegression().fit(X, y)
    assert len(model.estimators_) == 1
    np.testing.assert_array_equal(model.predict(X), binary.predict(X))
    assert_close(model.predict_proba(X), binary.predict_proba(X))
    assert model.decision_function(X).shape == (60,)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_matrix])
def test_several_labels_per_row_match_scikit_learn(rng, container):
    X = rng.normal(size=(100, 3))
    Y = (X + 0.5 * rng.normal(size=(100, 3)) > 0).astype(int)
    ours = OneVsRestClassifier(LogisticRegression()).fit(X, container(Y))
    theirs = SklearnOneVsRest(LogisticRegression()).fit(X, container(Y))
    a, b = ours.predict(X), theirs.predict(X)
    assert sparse.issparse(a) == sparse.issparse(b)
    np.testing.assert_array_equal(a.toarray() if sparse.issparse(a) else a, b.toarray() if sparse.issparse(b) else b)
    assert ours.multilabel_
    assert_close(ours.predict_proba(X), theirs.predict_proba(X))


def test_a_label_that_all_rows_have(rng):
    X = rng.normal(size=(30, 2))
    Y = np.column_stack([np.ones(30, dtype=int), np.arange(30) % 2, np.zeros(30, dtype=int)])
    with pytest.warns(UserWarning, match="is present in all training examples"):
        model = OneVsRestClassifier(LogisticRegression()).fit(X, Y)
    predicted = model.predict(X)
    assert predicted[:, 0].all()
    assert not predicted[:, 2].any()
    assert_close(model.predict_proba(X)[:, [0, 2]], np.tile([1.0, 0.0], (30, 1)))


def test_partial_fit_sees_all_classes_in_the_first_call(rng):
    X = rng.normal(size=(90, 3))
    y = X.argmax(axis=1)
    inner = SGDClassifier(loss="log_loss", random_state=0)
    model = OneVsRestClassifier(inner)
    with pytest.raises(ValueError, match="classes"):
        model.partial_fit(X, y)
    model.partial_fit(X[:30], y[:30], classes=[0, 1, 2]).partial_fit(X[30:], y[30:])
    theirs = SklearnOneVsRest(inner)
    theirs.partial_fit(X[:30], y[:30], classes=[0, 1, 2]).partial_fit(X[30:], y[30:])
    np.testing.assert_array_equal(model.predict(X), theirs.predict(X))
    with pytest.raises(ValueError, match="Mini-batch"):
        model.partial_fit(X[:3], [0, 1, 7])
    assert not hasattr(OneVsRestClassifier(LogisticRegression()), "partial_fit")


def test_bad_estimator_is_named():
    with pytest.raises(ValueError, match="estimator"):
        OneVsRestClassifier(estimator=3).fit([[0.0], [1.0], [2.0]], [0, 1, 2])
