"""Scores of single columns for selection: computed by scikit-learn, described with their formulas."""

from sklearn import feature_selection

from statlearn._core.reexport import same_call


@same_call(feature_selection.f_classif)
def f_classif():
    r"""F statistics of the classes, column by column: one-way analysis of variance.

    .. math:: F_j = \frac{\sum_k n_k (\bar x_{kj} - \bar x_j)^2 / (K - 1)}
        {\sum_k \sum_{i \in k} (x_{ij} - \bar x_{kj})^2 / (n - K)}

    It measures differences of means. A column whose classes differ in spread only has a small F.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
    y : array-like of shape (n,)
        Class labels.

    Returns
    -------
    f_statistic : ndarray of shape (p,)
    p_values : ndarray of shape (p,)
        For normal columns with equal variances, not corrected for the number of columns.

    Examples
    --------
    >>> from statlearn.prep import f_classif
    >>> f, p = f_classif([[1.0, 5.0], [2.0, 3.0], [5.0, 4.0], [6.0, 4.0]], [0, 0, 1, 1])
    >>> f
    array([32.,  0.])
    """


@same_call(feature_selection.f_regression)
def f_regression():
    r"""F statistics of simple linear regressions of the target on each column.

    .. math:: F_j = \frac{r_j^2}{1 - r_j^2} (n - 2), \qquad r_j \text{ the correlation of column } j \text{ with } y

    Columns are judged one at a time, so that one that matters only beside others is missed.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
    y : array-like of shape (n,)
    center : bool, default=True
        Correlations of centred columns; False leaves the data as they are.
    force_finite : bool, default=True
        Constant columns get F = 0 and p = 1, perfectly correlated ones the largest float; False keeps NaN and infinity.

    Returns
    -------
    f_statistic : ndarray of shape (p,)
    p_values : ndarray of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import f_regression
    >>> f, p = f_regression([[1.0], [2.0], [3.0], [4.0]], np.array([1.0, 2.0, 3.0, 5.0]))
    >>> f.round(2)
    array([56.33])
    """


@same_call(feature_selection.r_regression)
def r_regression():
    r"""Pearson correlation of each column with the target.

    .. math:: r_j = \frac{\sum_i (x_{ij} - \bar x_j)(y_i - \bar y)}
        {\sqrt{\sum_i (x_{ij} - \bar x_j)^2 \sum_i (y_i - \bar y)^2}}

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
    y : array-like of shape (n,)
    center : bool, default=True
        False leaves the data as they are.
    force_finite : bool, default=True
        Constant columns get 0; False keeps NaN.

    Returns
    -------
    ndarray of shape (p,)

    Examples
    --------
    >>> from statlearn.prep import r_regression
    >>> r_regression([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0]], [2.0, 4.0, 6.0])
    array([ 1., -1.])
    """


@same_call(feature_selection.chi2)
def chi2():
    r"""Chi-square statistics of counts against classes, column by column.

    With the sum :math:`O_{kj}` of column j in class k and the share :math:`\pi_k` of class k,

    .. math:: \chi_j^2 = \sum_k \frac{(O_{kj} - E_{kj})^2}{E_{kj}}, \qquad E_{kj} = \pi_k \sum_{k'} O_{k'j}

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
        Counts, such as those of words; not negative.
    y : array-like of shape (n,)
        Class labels.

    Returns
    -------
    chi2 : ndarray of shape (p,)
    p_values : ndarray of shape (p,)
        With K - 1 degrees of freedom; rough where expected sums are below five.

    Examples
    --------
    >>> from statlearn.prep import chi2
    >>> statistic, p = chi2([[4, 1], [6, 1], [0, 1], [0, 1]], [0, 0, 1, 1])
    >>> statistic
    array([10.,  0.])
    """


@same_call(feature_selection.mutual_info_classif)
def mutual_info_classif():
    r"""Mutual information of each column with the classes, in nats, estimated from nearest neighbours.

    .. math:: I(x_j, y) = \sum_k \int p(x, k) \log \frac{p(x, k)}{p(x) P(k)} \, dx

    Zero means independence; dependence of any form counts. Estimates below zero are set to zero.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
    y : array-like of shape (n,)
        Class labels.
    discrete_features : "auto", bool or array-like, default="auto"
        Columns that hold codes of categories; "auto" means all columns of a sparse X, none of a dense one.
    n_neighbors : int, default=3
        More neighbours lower the variance and add bias.
    copy : bool, default=True
        False may change X.
    random_state : int, RandomState or None, default=None
        Tiny noise that separates equal values of measurements.
    n_jobs : int or None, default=None

    Returns
    -------
    ndarray of shape (p,)

    References
    ----------
    Ross, B. C. (2014). Mutual information between discrete and continuous data sets. *PLoS ONE* 9 (2).

    Examples
    --------
    >>> from statlearn.prep import mutual_info_classif
    >>> mutual_info_classif([[0], [0], [1], [1]], [0, 0, 1, 1], discrete_features=True).round(4)
    array([0.6931])
    """


@same_call(feature_selection.mutual_info_regression)
def mutual_info_regression():
    r"""Mutual information of each column with a numeric target, in nats, estimated from nearest neighbours.

    .. math:: I(x_j, y) = \int \int p(x, y) \log \frac{p(x, y)}{p(x) p(y)} \, dx \, dy

    Zero means independence; dependence of any form counts, monotone or not. Estimates below zero are set to zero.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n, p)
    y : array-like of shape (n,)
    discrete_features : "auto", bool or array-like, default="auto"
        Columns that hold codes of categories; "auto" means all columns of a sparse X, none of a dense one.
    n_neighbors : int, default=3
        More neighbours lower the variance and add bias.
    copy : bool, default=True
        False may change X.
    random_state : int, RandomState or None, default=None
        Tiny noise that separates equal values of measurements.
    n_jobs : int or None, default=None

    Returns
    -------
    ndarray of shape (p,)

    References
    ----------
    Kraskov, A., Stögbauer, H. and Grassberger, P. (2004). Estimating mutual information. *Physical Review E* 69.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.prep import mutual_info_regression
    >>> x = np.linspace(-1, 1, 200)
    >>> bool(mutual_info_regression(x[:, None], x**2, random_state=0)[0] > 1)     # the correlation is zero
    True
    """
