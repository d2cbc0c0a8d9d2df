"""Standard metrics: computed by scikit-learn, described with their formulas."""

import functools

import numpy as np
from sklearn import metrics, model_selection

from statlearn._core.reexport import same_call


def _naming_label(metric):
    """A metric of scores with the default `pos_label` 1 and an error that says what to pass for other labels."""

    @functools.wraps(metric)
    def named(y_true, *args, **options):
        try:
            return metric(y_true, *args, **options)
        except ValueError as error:
            if "is not a valid label" in str(error):
                largest = np.unique(np.asarray(y_true)).tolist()[-1]
                error.args = (f"{error}; pass pos_label={largest!r} for the class to detect.",)
            raise

    return named


@same_call(metrics.accuracy_score)
def accuracy_score():
    r"""Accuracy: share of rows with the right label.

    .. math:: \frac{1}{S} \sum_i s_i \, 1\{\hat y_i = y_i\}, \qquad S = \sum_i s_i

    It is one minus :func:`zero_one_loss`. With rare classes the most frequent label alone scores high; compare with
    :class:`BaselineClassifier`, or use :func:`balanced_accuracy_score`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
        With several labels per row, a row counts if all of them are right.
    normalize : bool, default=True
        Share of rows; False counts them.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights s_i.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.assess import accuracy_score
    >>> accuracy_score(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.75
    """


@same_call(metrics.zero_one_loss)
def zero_one_loss():
    r"""Misclassification rate: share of rows with a wrong label.

    .. math:: \frac{1}{S} \sum_i s_i \, 1\{\hat y_i \ne y_i\}, \qquad S = \sum_i s_i

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
    normalize : bool, default=True
        Share of rows; False counts them.
    sample_weight : array-like of shape (n,) or None, default=None
        Weights s_i.

    Returns
    -------
    float

    See Also
    --------
    error_shares : The rate split into false alarms and misses.

    Examples
    --------
    >>> from statlearn.assess import zero_one_loss
    >>> zero_one_loss([1, 0, 1, 1], [1, 1, 1, 1])
    0.25
    """


@same_call(metrics.balanced_accuracy_score)
def balanced_accuracy_score():
    r"""Balanced accuracy: mean over the classes of the share of their rows that are right.

    .. math:: \frac{1}{K} \sum_{k=1}^K \frac{\mathrm{TP}_k}{n_k}

    For two classes it is the mean of sensitivity and specificity. Guessing scores 1/K whatever the shares of the
    classes.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    sample_weight : array-like of shape (n,) or None, default=None
    adjusted : bool, default=False
        Rescale so that guessing scores 0 and perfection 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.assess import balanced_accuracy_score
    >>> balanced_accuracy_score([0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 1])
    0.75
    """


@same_call(metrics.cohen_kappa_score)
def cohen_kappa_score():
    r"""Cohen's kappa: agreement of two labelings beyond what their class shares give by chance.

    .. math:: \kappa = \frac{p_o - p_e}{1 - p_e}, \qquad p_e = \sum_k p_{k \cdot}\, p_{\cdot k}

    p_o is the share of rows with equal labels, p_e its expectation if the labelings were independent.

    Parameters
    ----------
    y1, y2 : array-like of shape (n,)
        The measure is symmetric.
    labels : array-like or None, default=None
        Labels to count, in their order; None takes all.
    weights : {None, "linear", "quadratic"}, default=None
        For ordered labels: disagreements count by their distance, or its square.
    sample_weight : array-like of shape (n,) or None, default=None
    replace_undefined_by : float, default=nan
        Value if both labelings have one class only (scikit-learn 1.9 and newer).

    Returns
    -------
    float
        1 for equal labelings, 0 for chance, negative below chance.

    References
    ----------
    Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20,
    37-46.

    Examples
    --------
    >>> from statlearn.assess import cohen_kappa_score
    >>> cohen_kappa_score([0, 0, 1, 1], [0, 0, 1, 0])
    0.5
    """


@same_call(metrics.matthews_corrcoef)
def matthews_corrcoef():
    r"""Matthews correlation coefficient: correlation of the true with the predicted labels.

    .. math::

        \frac{\mathrm{TP}\,\mathrm{TN} - \mathrm{FP}\,\mathrm{FN}}
        {\sqrt{(\mathrm{TP}+\mathrm{FP})(\mathrm{TP}+\mathrm{FN})(\mathrm{TN}+\mathrm{FP})(\mathrm{TN}+\mathrm{FN})}}

    It uses all four cells, so that it stays near 0 for constant predictions of unbalanced classes. For several
    classes it is the corresponding correlation of indicator vectors.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float
        From -1 to 1.

    References
    ----------
    Matthews, B. (1975). Comparison of the predicted and observed secondary structure of T4 phage lysozyme. Biochimica
    et Biophysica Acta 405, 442-451.

    Examples
    --------
    >>> from statlearn.assess import matthews_corrcoef
    >>> round(matthews_corrcoef([1, 1, 1, 0], [1, 0, 1, 1]), 4)
    -0.3333
    """


@same_call(metrics.classification_report)
def classification_report():
    r"""Table of precision, recall, F1 and support by class.

    Precision is TP/(TP+FP), recall TP/(TP+FN), F1 their harmonic mean, support the number of rows of the class.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,)
    labels : array-like or None, default=None
        Classes to list, in this order.
    target_names : list of str or None, default=None
        Names to print for them.
    sample_weight : array-like of shape (n,) or None, default=None
    digits : int, default=2
    output_dict : bool, default=False
        Return nested dicts instead of text.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        Value where a share has no rows.

    Returns
    -------
    str or dict

    See Also
    --------
    report_averages : What the rows "macro avg" and "weighted avg" mean.

    Examples
    --------
    >>> from statlearn.assess import classification_report
    >>> report = classification_report([0, 0, 1, 1], [0, 1, 1, 1], output_dict=True)
    >>> report["0"]["recall"], report["1"]["recall"], report["accuracy"]
    (0.5, 1.0, 0.75)
    """


@same_call(metrics.log_loss)
def log_loss():
    r"""Log loss: mean negative log-likelihood of predicted probabilities, in nats.

    .. math:: -\frac{1}{S} \sum_i s_i \log \hat p_{i, y_i}, \qquad S = \sum_i s_i

    It is proper: in expectation only the true probabilities minimise it. A probability of 0 for the right class is
    clipped to the machine precision of its type.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_proba : array-like of shape (n,) or (n, n_classes)
        Probability of the larger label, or of every class in sorted order. (``y_pred`` before scikit-learn 1.9.)
    normalize : bool, default=True
        Mean; False gives the sum.
    sample_weight : array-like of shape (n,) or None, default=None
    labels : array-like or None, default=None
        All classes, if some of them do not occur in `y_true`.

    Returns
    -------
    float

    See Also
    --------
    deviance : Twice this as a sum, and the deviances of other families.

    Examples
    --------
    >>> from statlearn.assess import log_loss
    >>> round(log_loss([0, 1, 1], [0.2, 0.7, 0.5]), 4)
    0.4243
    """


@same_call(metrics.brier_score_loss)
def brier_score_loss():
    r"""Brier score: mean squared error of predicted probabilities.

    .. math::

        \frac{1}{S} \sum_i s_i (\hat p_i - 1\{y_i = +\})^2 \qquad\text{or, for K classes,}\qquad
        \frac{1}{S} \sum_i s_i \sum_{k=1}^K (\hat p_{ik} - 1\{y_i = k\})^2

    It is proper, and bounded where :func:`log_loss` is not.

    Parameters
    ----------
    y_true : array-like of shape (n,)
    y_proba : array-like of shape (n,) or (n, n_classes)
        Probability of `pos_label`, or of every class in sorted order.
    sample_weight : array-like of shape (n,) or None, default=None
    pos_label : label or None, default=None
        Positive class of two; None takes 1.
    labels : array-like or None, default=None
        All classes, if some of them do not occur in `y_true`.
    scale_by_half : bool or "auto", default="auto"
        Halve the sum over classes, which makes both formulas agree for two classes; "auto" halves for two classes only.

    Returns
    -------
    float

    See Also
    --------
    brier_decomposition : Its parts: reliability, resolution, uncertainty.

    Examples
    --------
    >>> from statlearn.assess import brier_score_loss
    >>> round(brier_score_loss([0, 1, 1], [0.2, 0.7, 0.5]), 4)
    0.1267
    """


@same_call(metrics.roc_curve)
def roc_curve():
    r"""Points of the ROC curve: rates of false alarms and of hits for every threshold.

    For a threshold t the rates are :math:`\mathrm{FPR}(t) = P(\text{score} \ge t \mid -)` and :math:`\mathrm{TPR}(t) =
    P(\text{score} \ge t \mid +)`, with shares of rows instead of probabilities.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
        Larger for the positive class: probabilities or decision values.
    pos_label : label or None, default=None
        Positive class; None takes 1, for labels 0 and 1 or -1 and 1.
    sample_weight : array-like of shape (n,) or None, default=None
    drop_intermediate : bool, default=True
        Leave out points on a straight line between others.

    Returns
    -------
    fpr, tpr, thresholds : ndarray of shape (n_thresholds,)
        Thresholds decrease; the first is infinite.

    See Also
    --------
    statlearn.plot.roc_plot : The picture.

    Examples
    --------
    >>> from statlearn.assess import roc_curve
    >>> fpr, tpr, thresholds = roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr
    array([0. , 0. , 0.5, 0.5, 1. ])
    >>> tpr
    array([0. , 0.5, 0.5, 1. , 1. ])
    """


@same_call(metrics.roc_auc_score)
def roc_auc_score():
    r"""Area under the ROC curve: chance that a positive row has a larger score than a negative one.

    .. math:: \frac{1}{n_+ n_-} \sum_{i: +} \sum_{j: -} \left( 1\{f_i > f_j\} + \tfrac12 1\{f_i = f_j\} \right)

    This is the Mann-Whitney statistic divided by the number of pairs. 1/2 is guessing, 1 a perfect ranking.

    Parameters
    ----------
    y_true : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
    y_score : array-like of shape (n,) or (n, n_classes)
        Scores of the larger label, or probabilities of all classes.
    average : {"macro", "weighted", "micro", "samples", None}, default="macro"
        Mean over classes or labels.
    sample_weight : array-like of shape (n,) or None, default=None
    max_fpr : float or None, default=None
        Use the curve up to this rate of false alarms only, standardised to between 1/2 and 1.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        More than two classes: each against the rest, or all pairs.
    labels : array-like or None, default=None
        All classes in the order of the columns.

    Returns
    -------
    float or ndarray of shape (n_classes,)

    See Also
    --------
    delong_interval : Its confidence interval.
    delong_test : Test of two areas on the same rows.

    Examples
    --------
    >>> from statlearn.assess import roc_auc_score
    >>> roc_auc_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    0.75
    """


@same_call(metrics.precision_recall_curve)
def precision_recall_curve():
    r"""Precision and recall for every threshold of a score.

    For a threshold t, precision is :math:`P(+ \mid \text{score} \ge t)` and recall :math:`P(\text{score} \ge t \mid
    +)`, with shares of rows instead of probabilities. A last point, recall 0 and precision 1, has no threshold.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    pos_label : label or None, default=None
        Positive class; None takes 1.
    sample_weight : array-like of shape (n,) or None, default=None
    drop_intermediate : bool, default=False
        Leave out points with the same recall.

    Returns
    -------
    precision, recall : ndarray of shape (n_thresholds + 1,)
    thresholds : ndarray of shape (n_thresholds,)
        In increasing order.

    Examples
    --------
    >>> from statlearn.assess import precision_recall_curve
    >>> precision, recall, thresholds = precision_recall_curve([0, 1, 1], [0.2, 0.6, 0.4])
    >>> precision.round(3), recall, thresholds
    (array([0.667, 1.   , 1.   , 1.   ]), array([1. , 1. , 0.5, 0. ]), array([0.2, 0.4, 0.6]))
    """


@same_call(_naming_label(metrics.average_precision_score))
def average_precision_score():
    r"""Average precision: mean of the precision, weighted by the gain of recall at each threshold.

    .. math:: \sum_t (R_t - R_{t-1})\, P_t

    A step function below the curve of precision and recall, not a trapezoid: the trapezoid is too optimistic. Guessing
    scores the share of the positive class.

    Parameters
    ----------
    y_true : array-like of shape (n,) or indicator matrix of shape (n, n_labels)
    y_score : array-like of shape (n,) or (n, n_labels)
    average : {"macro", "weighted", "micro", "samples", None}, default="macro"
        Mean over labels, if there are several.
    pos_label : label, default=1
        Positive class.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.assess import average_precision_score
    >>> round(average_precision_score([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """


@same_call(metrics.det_curve)
def det_curve():
    r"""Error rates for every threshold: false alarms against misses.

    For a threshold t the rates are :math:`P(\text{score} \ge t \mid -)` and :math:`P(\text{score} < t \mid +)`.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Two classes.
    y_score : array-like of shape (n,)
    pos_label : label or None, default=None
        Positive class; None takes 1.
    sample_weight : array-like of shape (n,) or None, default=None
    drop_intermediate : bool, default=False
        Leave out points on a straight line between others.

    Returns
    -------
    fpr, fnr, thresholds : ndarray of shape (n_thresholds,)

    See Also
    --------
    equal_error_rate : Where both rates are the same.
    statlearn.plot.det_plot : The picture.

    Examples
    --------
    >>> from statlearn.assess import det_curve
    >>> fpr, fnr, thresholds = det_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> fpr, fnr
    (array([0.5, 0.5, 0. ]), array([0. , 0.5, 0.5]))
    """


@same_call(metrics.mean_absolute_error)
def mean_absolute_error():
    r"""Mean absolute error.

    .. math:: \frac{1}{S} \sum_i s_i \lvert y_i - \hat y_i \rvert, \qquad S = \sum_i s_i

    The median of y minimises it, where the mean minimises :func:`mean_squared_error`.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
        Weights s_i.
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,), default="uniform_average"
        One value for each response, their mean, or their mean with these weights.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    Examples
    --------
    >>> from statlearn.assess import mean_absolute_error
    >>> mean_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 8.0])
    0.5
    """


@same_call(metrics.median_absolute_error)
def median_absolute_error():
    r"""Median of the absolute errors.

    .. math:: \mathrm{median}_i \, \lvert y_i - \hat y_i \rvert

    Up to half of the rows may be arbitrarily wrong without changing it much.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,), default="uniform_average"
        One value for each response, their mean, or their mean with these weights.
    sample_weight : array-like of shape (n,) or None, default=None

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    Examples
    --------
    >>> from statlearn.assess import median_absolute_error
    >>> median_absolute_error([3.0, -0.5, 2.0, 7.0], [2.5, 0.0, 2.0, 80.0])
    0.5
    """


@same_call(metrics.mean_pinball_loss)
def mean_pinball_loss():
    r"""Mean pinball loss, which the quantile of order alpha minimises.

    .. math::

        \frac{1}{S} \sum_i s_i \left( \alpha \max(y_i - \hat y_i, 0) + (1 - \alpha) \max(\hat y_i - y_i, 0) \right)

    With alpha = 1/2 it is half the mean absolute error.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
        Weights s_i with sum S.
    alpha : float, default=0.5
        Order of the quantile, in [0, 1].
    multioutput : {"raw_values", "uniform_average"} or array-like of shape (n_outputs,), default="uniform_average"
        One value for each response, their mean, or their mean with these weights.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    See Also
    --------
    statlearn.linear.QuantileRegressor : The linear model that minimises it.

    Examples
    --------
    >>> from statlearn.assess import mean_pinball_loss
    >>> round(mean_pinball_loss([1.0, 2.0, 3.0], [0.0, 2.0, 4.0], alpha=0.9), 4)
    0.3333
    """


@same_call(metrics.r2_score)
def r2_score():
    r"""Coefficient of determination R²: share of the variance of y that the predictions explain.

    .. math:: 1 - \frac{\sum_i s_i (y_i - \hat y_i)^2}{\sum_i s_i (y_i - \bar y)^2}

    The mean of these rows scores 0, which is a mild opponent: it is not known when predicting. Negative values are
    worse than that mean.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
        Weights s_i.
    multioutput : {"raw_values", "uniform_average", "variance_weighted"}, array-like of shape (n_outputs,) or None, \
            default="uniform_average"
        One value for each response, or a mean.
    force_finite : bool, default=True
        For a constant y: 1 if all is right and 0 otherwise, instead of NaN and minus infinity.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    Examples
    --------
    >>> from statlearn.assess import r2_score
    >>> round(r2_score([1.0, 2.0, 3.0, 4.0], [1.1, 1.9, 3.2, 3.8]), 4)
    0.98
    """


@same_call(metrics.explained_variance_score)
def explained_variance_score():
    r"""Explained variance: R² without the bias of the predictions.

    .. math:: 1 - \frac{\mathrm{Var}(y - \hat y)}{\mathrm{Var}(y)}

    A constant added to all predictions does not change it; :func:`r2_score` counts it.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n,) or (n, n_outputs)
    sample_weight : array-like of shape (n,) or None, default=None
    multioutput : {"raw_values", "uniform_average", "variance_weighted"} or array-like of shape (n_outputs,), \
            default="uniform_average"
        One value for each response, or a mean.
    force_finite : bool, default=True
        For a constant y: 1 if all is right and 0 otherwise, instead of NaN and minus infinity.

    Returns
    -------
    float or ndarray of shape (n_outputs,)

    Examples
    --------
    >>> from statlearn.assess import explained_variance_score, r2_score
    >>> y, shifted = [1.0, 2.0, 3.0], [2.0, 3.0, 4.0]
    >>> explained_variance_score(y, shifted), r2_score(y, shifted)
    (1.0, -0.5)
    """


@same_call(model_selection.cross_val_predict)
def cross_val_predict():
    r"""Predictions for each row by the model that was fitted without its fold.

    With folds :math:`\kappa(i)`, row i gets :math:`\hat f^{-\kappa(i)}(x_i)`. Good for pictures and for stacking. To
    estimate an error use :func:`cross_val_score`, which also gives its spread over the folds.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,) or None, default=None
    groups : array-like of shape (n,) or None, default=None
        Groups that a splitter keeps together.
    cv : int, splitter, iterable or None, default=None
        None is five folds, stratified for classifiers. Each row must be in exactly one test fold.
    n_jobs : int or None, default=None
        Processes.
    verbose : int, default=0
    params : dict or None, default=None
        Arguments of `fit` and of the splitter, such as ``{"sample_weight": w}``.
    pre_dispatch : int or str, default="2*n_jobs"
    method : {"predict", "predict_proba", "predict_log_proba", "decision_function"}, default="predict"

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import cross_val_predict
    >>> from statlearn.linear import LinearRegression
    >>> X = np.arange(6.0)[:, None]
    >>> cross_val_predict(LinearRegression(), X, 2 * X[:, 0] + 1, cv=3).round(6)
    array([ 1.,  3.,  5.,  7.,  9., 11.])
    """


@same_call(model_selection.train_test_split)
def train_test_split():
    """Split of rows into a training and a test part at random.

    Parameters
    ----------
    *arrays : sequence of array-like
        Tables and vectors with the same number of rows, which are split alike.
    test_size, train_size : float, int or None, default=None
        Share or number of rows. One of them suffices; without any, a quarter is for testing.
    random_state : int, RandomState or None, default=None
        Seed. The same seed gives the same split.
    shuffle : bool, default=True
        False takes the last rows for testing, as rows ordered by time require.
    stratify : array-like of shape (n,) or None, default=None
        Labels whose shares both parts keep.

    Returns
    -------
    list
        Training and test part of each array, in turn.

    See Also
    --------
    train_validation_test_split : Three parts.

    Examples
    --------
    >>> from statlearn.assess import train_test_split
    >>> train, test = train_test_split(list(range(8)), test_size=2, random_state=0)
    >>> len(train), len(test)
    (6, 2)
    """


@same_call(model_selection.check_cv)
def check_cv():
    """Splitter for an argument `cv` in any of its forms.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test) or None, default=5
        A number of folds, or splits that are passed through. None is five folds.
    y : array-like of shape (n,) or None, default=None
    classifier : bool, default=False
        Whether a number of folds means stratified folds if `y` has classes.
    shuffle : bool, default=False
        Shuffle the rows before they are cut into folds (scikit-learn 1.9 and newer).
    random_state : int, RandomState or None, default=None

    Returns
    -------
    splitter
        With `split` and `get_n_splits`.

    Examples
    --------
    >>> from statlearn.assess import check_cv
    >>> check_cv(3, [0, 1] * 6, classifier=True)
    StratifiedKFold(n_splits=3, random_state=None, shuffle=False)
    """
