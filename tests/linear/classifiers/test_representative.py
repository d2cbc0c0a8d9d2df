"""Representative classification: the signed distance, the documented losses, two-class limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from statlearn.linear import RepresentativeClassifier
from statlearn.linear.classifiers._representative import simplex_points
from tests.helpers import assert_close

signed_distance = RepresentativeClassifier.signed_distance


def objective(X, codes, B, b, points, kappa, loss, alpha):
    """The documented formula, row by row."""
    total = alpha * np.sum(B**2)
    for x, i in zip(X, codes):
        image = B @ x + b
        D = np.array([signed_distance(image, points[i], q) for j, q in enumerate(points) if j != i])
        total += kappa[i] * (max(0.0, 1 + D.max()) if loss == "hinge" else np.log(1 + np.exp(D).sum()))
    return total


@pytest.mark.spec("LIN-P36")
@given(seed=st.integers(0, 10_000), d=st.integers(1, 5))
def test_signed_distance_at_the_ends_and_the_midpoint(seed, d):
    a, b = 3 * np.random.default_rng(seed).normal(size=(2, d))
    half = np.linalg.norm(a - b) / 2
    assert_close(signed_distance(a, a, b), -half)
    assert_close(signed_distance(b, a, b), half)
    assert_close(signed_distance((a + b) / 2, a, b), 0.0)
    points = np.random.default_rng(seed).normal(size=(10, d))
    nearer = np.linalg.norm(points - a, axis=1) < np.linalg.norm(points - b, axis=1)
    np.testing.assert_array_equal(signed_distance(points, a, b) < 0, nearer)
    assert_close(signed_distance(points, a, b), -signed_distance(points, b, a))


@pytest.mark.parametrize("K", [2, 3, 5, 9])
def test_simplex_is_regular(K):
    points = simplex_points(K)
    gram = points @ points.T
    assert points.shape == (K, K - 1)
    assert_close(gram, np.where(np.eye(K, dtype=bool), 1.0, -1.0 / (K - 1)))


@pytest.mark.spec("LIN-50")
@pytest.mark.parametrize("loss", ["hinge", "logistic"])
@pytest.mark.parametrize(
    "embedding", ["simplex", "onehot", [[0, 0], [1, 0], [0, 2.0]]], ids=["simplex", "onehot", "own"]
)
def test_minimises_its_documented_objective(loss, embedding, rng):
    X, codes = load_iris(return_X_y=True)
    kappa = {0: 1.0, 1: 2.0, 2: 0.5}
    model = RepresentativeClassifier(embedding=embedding, loss=loss, alpha=0.3, class_weight=kappa).fit(X, codes)
    B, b, points = model.coef_, model.intercept_, model.representatives_
    best = objective(X, codes, B, b, points, [1.0, 2.0, 0.5], loss, 0.3)
    assert_close(model.objective_, best, rtol=1e-9)
    for size in (1e-1, 1e-3, 1e-4):
        for _ in range(5):
            dB, db = size * rng.normal(size=B.shape), size * rng.normal(size=b.shape)
            other = objective(X, codes, B + dB, b + db, points, [1.0, 2.0, 0.5], loss, 0.3)
            assert other > best - 1e-6  # the hinge is within tol per row of its minimum


@pytest.mark.spec("LIN-50")
@given(seed=st.integers(0, 10_000))
def test_two_classes_are_the_support_vector_machine_and_logistic_regression(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + 0.7 * rng.normal(size=60) > 0).astype(int)
    # Representatives -1 and 1: D is the score itself, and alpha = 1/(2C).
    hinge = RepresentativeClassifier(loss="hinge", alpha=0.5).fit(X, y)
    svm = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)
    primal = 0.5 * svm.coef_[0] @ svm.coef_[0] + np.maximum(0, 1 - (2 * y - 1) * svm.decision_function(X)).sum()
    assert_close(hinge.objective_, primal, rtol=1e-6)
    assert_close(hinge.coef_, svm.coef_, rtol=1e-3, atol=1e-3)  # both are exact in the objective only
    logistic = RepresentativeClassifier(alpha=0.5).fit(X, y)
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=1000).fit(X, y)
    assert_close(logistic.coef_, peer.coef_, rtol=1e-3, atol=1e-4)  # the peer stops at its own tolerance
    assert_close(logistic.decision_function(X), peer.decision_function(X), rtol=1e-3, atol=1e-4)


@pytest.mark.spec("LIN-50")
def test_predicts_the_nearest_representative(rng):
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = RepresentativeClassifier(embedding=[[0, 0], [3, 0], [0, 1.0]]).fit(X, names)
    distance = np.linalg.norm(model.embed(X)[:, None] - model.representatives_, axis=2)
    np.testing.assert_array_equal(model.predict(X), model.classes_[distance.argmin(axis=1)])
    assert model.score(X, names) > 0.8
    assert_close(model.neyman_pearson_loss(X, names), 1 - model.score(X, names))
    with pytest.raises(ValueError, match="'sibirica', which is not one of the classes"):
        model.neyman_pearson_loss(X, np.where(y == 0, "sibirica", names))


def test_class_weights_are_prices_of_mistakes(rng):
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + rng.normal(size=300) > 1).astype(int)
    plain, dear = RepresentativeClassifier().fit(X, y), RepresentativeClassifier(class_weight={0: 1, 1: 10}).fit(X, y)
    assert np.mean(dear.predict(X)[y == 1] == 1) > np.mean(plain.predict(X)[y == 1] == 1)
    weights = np.where(y == 1, 10.0, 1.0)
    assert_close(dear.coef_, RepresentativeClassifier().fit(X, y, sample_weight=weights).coef_)
    balanced = RepresentativeClassifier(class_weight="balanced").fit(X, y)
    share = np.mean(y)
    same = RepresentativeClassifier().fit(X, y, sample_weight=np.where(y == 1, 0.5 / share, 0.5 / (1 - share)))
    assert_close(balanced.coef_, same.coef_)


def test_bad_embeddings_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="must have 3 rows"):
        RepresentativeClassifier(embedding=[[0.0], [1.0]]).fit(X, y)
    with pytest.raises(ValueError, match="same representative"):
        RepresentativeClassifier(embedding=[[0.0], [1.0], [1.0]]).fit(X, y)
