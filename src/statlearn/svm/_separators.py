"""Separating hyperplanes of several methods on one data set, and a rule of thumb for choosing among machines."""

import warnings

import numpy as np
from sklearn.utils.validation import check_X_y

from statlearn._core.params import Int, Real, check_arguments
from statlearn._core.summary import Summary, Table
from statlearn._core.validation import naming
from statlearn.discriminant import LinearDiscriminantAnalysis
from statlearn.linear import LeastSquaresClassifier as LeastSquares
from statlearn.linear import LogisticRegression, Perceptron
from statlearn.svm._hard_margin import HardMarginSVC
from statlearn.svm._margins import dataset_margin


def compare_separators(X, y, *, logistic_C=1e4, random_state=0):
    """Hyperplanes of five methods on two classes, with their margins.

    Least squares on labels -1 and +1, linear discriminant analysis, logistic regression (nearly unpenalised), a
    perceptron and the maximum margin. A positive margin is the distance of the closest row; a negative one says that
    the method does not separate the training rows, although a separating hyperplane exists.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two linearly separable classes; otherwise `NotSeparableError` is raised.
    logistic_C : float, default=1e4
        C of the logistic regression. On separable classes its coefficients grow without limit as C does, and its
        direction tends to that of the maximum margin.
    random_state : int, RandomState or None, default=0
        Order of the rows for the perceptron.

    Returns
    -------
    Summary
        One row per method with its margin (the distance of the closest row, half the width between the classes),
        training errors, intercept and coefficients of a normal vector of length 1.

    Examples
    --------
    >>> from statlearn.svm import compare_separators
    >>> table = compare_separators([[0, 0], [1, 0], [3, 3], [4, 2]], [0, 0, 1, 1])
    >>> bool(table["margin"].max() == table["margin"][-1])
    True
    """
    check_arguments(
        compare_separators,
        logistic_C=(logistic_C, [Real(0, None, closed="neither")]),
        random_state=(random_state, ["random_state"]),
    )
    with naming("X"):
        X, y = check_X_y(X, y, dtype=np.float64)
    classes = np.unique(y)
    if classes.size != 2:
        raise ValueError(f"y must have two classes, got {classes.size}.")
    models = {
        "least squares": LeastSquares(),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "logistic regression": LogisticRegression(C=logistic_C, max_iter=1000),
        "perceptron": Perceptron(tol=None, max_iter=10_000, random_state=random_state),
        "maximum margin": HardMarginSVC(),
    }
    rows, columns = [], {"margin": [], "errors": [], "intercept": []}
    normals = []
    HardMarginSVC().fit(X, y)  # refuses classes that cannot be separated before anything else complains
    for name, model in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # separation is what this is about
            model.fit(X, y)
        w, b = _binary_hyperplane(model)
        length = np.linalg.norm(w)
        rows.append(name)
        columns["margin"].append(dataset_margin(X, y, w, b))
        scores = X @ w + b
        columns["errors"].append(int(np.sum((scores > 0) != (y == classes[1]))))
        columns["intercept"].append(b / length)
        normals.append(w / length)
    columns["margin"] = np.array(columns["margin"])
    for j, column in enumerate(np.array(normals).T):
        columns[f"x{j}"] = column
    note = "Margins are signed distances of the closest row; the maximum margin is the largest possible."
    return Summary("Separating hyperplanes", Table(rows, columns), notes=[note])


def _binary_hyperplane(model):
    coef, intercept = np.atleast_2d(model.coef_), np.ravel(model.intercept_)
    if coef.shape[0] == 2:
        return coef[1] - coef[0], float(intercept[1] - intercept[0])
    return np.array(coef[0], dtype=float), float(intercept[0])


def model_choice_hint(n_samples, n_features):
    """Rule of thumb for the kind of machine, from the size of the data.

    Many features compared with rows: a linear machine, since the data are separable or nearly so already. Few features
    and a medium number of rows: a Gaussian kernel. Few features and many rows: add features (products, landmarks, a
    Nyström map) and use a linear machine, since kernel machines take between quadratic and cubic time.

    Parameters
    ----------
    n_samples, n_features : int

    Returns
    -------
    hint : dict
        ``"model"`` is one of "linear", "rbf" and "linear on added features"; ``"reason"`` is a sentence.

    Examples
    --------
    >>> from statlearn.svm import model_choice_hint
    >>> model_choice_hint(1000, 20)["model"]
    'rbf'
    """
    check_arguments(model_choice_hint, n_samples=(n_samples, [Int(1, None)]), n_features=(n_features, [Int(1, None)]))
    size = f"{n_samples:,} rows and {n_features:,} features"
    if n_features >= n_samples or n_features >= 10_000:
        model, reason = "linear", f"{size}: a linear machine is flexible enough (LinearSVC)."
    elif n_samples <= 50_000:
        model, reason = "rbf", f"{size}: a Gaussian kernel is affordable (SVC; tune C and gamma together)."
    else:
        model = "linear on added features"
        reason = (
            f"{size}: too many rows for a kernel machine. Add features (such as statlearn.kernels.Nystroem) and "
            "use LinearSVC."
        )
    return {"model": model, "reason": reason}
