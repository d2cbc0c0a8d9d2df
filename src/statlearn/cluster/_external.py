"""Agreement of two partitions and two internal indices: computed by scikit-learn, described with their formulas.

Throughout, n_ij counts the rows in cluster i of the first and j of the second partition, a_i and b_j are its row and
column sums, and H and I are entropy and mutual information of the shares n_ij / n, in nats.
"""

from sklearn import metrics

from statlearn._core.reexport import same_call

__all__ = [
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "calinski_harabasz_score",
    "completeness_score",
    "contingency_matrix",
    "davies_bouldin_score",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
]


@same_call(metrics.cluster.contingency_matrix)
def contingency_matrix():
    r"""Contingency table of two partitions: rows of each pair of clusters.

    .. math:: n_{ij} = \#\{\text{rows in cluster } i \text{ of the first and } j \text{ of the second}\}

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    eps : float or None, default=None
        Added to every cell, against logarithms of 0.
    sparse : bool, default=False
        Return a sparse matrix; not with `eps`.
    dtype : type, default=int64

    Returns
    -------
    ndarray or sparse matrix of shape (n_clusters_true, n_clusters_pred)

    Examples
    --------
    >>> from statlearn.cluster import contingency_matrix
    >>> contingency_matrix([0, 0, 1, 1], [0, 0, 1, 2])
    array([[2, 0, 0],
           [0, 1, 1]])
    """


@same_call(metrics.cluster.pair_confusion_matrix)
def pair_confusion_matrix():
    r"""Pairs of rows by whether each partition puts them together.

    .. math::

        \begin{pmatrix} \text{apart in both} & \text{together in the second only} \\
        \text{together in the first only} & \text{together in both} \end{pmatrix}

    Ordered pairs are counted, so that the entries sum to n(n - 1).

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.

    Returns
    -------
    ndarray of shape (2, 2)

    Examples
    --------
    >>> from statlearn.cluster import pair_confusion_matrix
    >>> pair_confusion_matrix([0, 0, 1, 1], [0, 0, 1, 2])
    array([[8, 0],
           [2, 2]])
    """


@same_call(metrics.rand_score)
def rand_score():
    r"""Rand index: share of pairs of rows on which two partitions agree.

    .. math:: \frac{\text{pairs together in both} + \text{pairs apart in both}}{n (n - 1) / 2}

    Independent partitions score well above 0; :func:`adjusted_rand_score` corrects that.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.

    Returns
    -------
    float

    References
    ----------
    Rand, W. (1971). Objective criteria for the evaluation of clustering methods. JASA 66, 846-850.

    Examples
    --------
    >>> from statlearn.cluster import rand_score
    >>> round(rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8333
    """


@same_call(metrics.adjusted_rand_score)
def adjusted_rand_score():
    r"""Adjusted Rand index: agreement on pairs, corrected for chance.

    .. math::

        \frac{\sum_{ij} \binom{n_{ij}}{2} - E}{\frac12 \left( \sum_i \binom{a_i}{2} + \sum_j \binom{b_j}{2} \right) -
        E}, \qquad E = \sum_i \binom{a_i}{2} \sum_j \binom{b_j}{2} \Big/ \binom{n}{2}

    E is the expectation for random partitions with the same sizes: these score 0 on average, equal partitions 1.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.

    Returns
    -------
    float

    References
    ----------
    Hubert, L. & Arabie, P. (1985). Comparing partitions. Journal of Classification 2, 193-218.

    Examples
    --------
    >>> from statlearn.cluster import adjusted_rand_score
    >>> round(adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """


@same_call(metrics.fowlkes_mallows_score)
def fowlkes_mallows_score():
    r"""Fowlkes-Mallows index: geometric mean of precision and recall on pairs of rows.

    .. math:: \frac{\mathrm{TP}}{\sqrt{(\mathrm{TP} + \mathrm{FP})(\mathrm{TP} + \mathrm{FN})}}

    TP counts the pairs that are together in both partitions, FP and FN those together in one only.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.cluster import fowlkes_mallows_score
    >>> round(fowlkes_mallows_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.7071
    """


@same_call(metrics.mutual_info_score)
def mutual_info_score():
    r"""Mutual information of two partitions, in nats.

    .. math:: I = \sum_{ij} \frac{n_{ij}}{n} \log \frac{n\, n_{ij}}{a_i b_j}

    It grows with the number of clusters; :func:`adjusted_mutual_info_score` corrects for chance, and
    :func:`normalized_mutual_info_score` scales to [0, 1].

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    contingency : array-like or sparse matrix or None, default=None
        Table n_ij instead of the labels.

    Returns
    -------
    float

    See Also
    --------
    statlearn.trees.mutual_information : The same from a table of counts, in any base.

    Examples
    --------
    >>> from statlearn.cluster import mutual_info_score
    >>> round(mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6931
    """


@same_call(metrics.normalized_mutual_info_score)
def normalized_mutual_info_score():
    r"""Normalised mutual information: between 0 for independent and 1 for equal partitions.

    .. math:: \frac{I}{\mathrm{mean}(H_1, H_2)}

    Not corrected for chance: many small clusters score above 0.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    average_method : {"arithmetic", "geometric", "min", "max"}, default="arithmetic"
        Mean of the two entropies.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.cluster import normalized_mutual_info_score
    >>> round(normalized_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """


@same_call(metrics.adjusted_mutual_info_score)
def adjusted_mutual_info_score():
    r"""Adjusted mutual information: corrected for chance.

    .. math:: \frac{I - \mathrm{E}\,I}{\mathrm{mean}(H_1, H_2) - \mathrm{E}\,I}

    The expectation is over random partitions with the same sizes, which score 0 on average. Use it rather than
    :func:`adjusted_rand_score` if clusters have very different sizes.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    average_method : {"arithmetic", "geometric", "min", "max"}, default="arithmetic"
        Mean of the two entropies.

    Returns
    -------
    float

    References
    ----------
    Vinh, N., Epps, J. & Bailey, J. (2010). Information theoretic measures for clusterings comparison. JMLR 11,
    2837-2854.

    Examples
    --------
    >>> from statlearn.cluster import adjusted_mutual_info_score
    >>> round(adjusted_mutual_info_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """


@same_call(metrics.homogeneity_score)
def homogeneity_score():
    r"""Homogeneity: whether each cluster has rows of one class only.

    .. math:: 1 - \frac{H(\text{class} \mid \text{cluster})}{H(\text{class})}

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes, and clusters of the same rows. Not symmetric.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.cluster import homogeneity_score
    >>> round(homogeneity_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    1.0
    """


@same_call(metrics.completeness_score)
def completeness_score():
    r"""Completeness: whether the rows of each class are in one cluster.

    .. math:: 1 - \frac{H(\text{cluster} \mid \text{class})}{H(\text{cluster})}

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Classes, and clusters of the same rows. Not symmetric.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.cluster import completeness_score
    >>> round(completeness_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.6667
    """


@same_call(metrics.v_measure_score)
def v_measure_score():
    r"""V-measure: harmonic mean of homogeneity h and completeness c.

    .. math:: \frac{(1 + \beta)\, h\, c}{\beta h + c}

    With beta = 1 it is the normalised mutual information with the arithmetic mean.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    beta : float, default=1.0
        Weight of completeness.

    Returns
    -------
    float

    Examples
    --------
    >>> from statlearn.cluster import v_measure_score
    >>> round(v_measure_score([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.8
    """


@same_call(metrics.homogeneity_completeness_v_measure)
def homogeneity_completeness_v_measure():
    r"""Homogeneity, completeness and V-measure at once.

    .. math::

        h = 1 - \frac{H(\text{class} \mid \text{cluster})}{H(\text{class})}, \qquad
        c = 1 - \frac{H(\text{cluster} \mid \text{class})}{H(\text{cluster})}, \qquad v = \frac{(1 + \beta)\, h\,
        c}{\beta h + c}

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n,)
        Clusters of the same rows. Names of clusters do not matter.
    beta : float, default=1.0
        Weight of completeness.

    Returns
    -------
    homogeneity, completeness, v_measure : float

    Examples
    --------
    >>> from statlearn.cluster import homogeneity_completeness_v_measure
    >>> [round(v, 4) for v in homogeneity_completeness_v_measure([0, 0, 1, 1], [0, 0, 1, 2])]
    [1.0, 0.6667, 0.8]
    """


@same_call(metrics.calinski_harabasz_score)
def calinski_harabasz_score():
    r"""Calinski-Harabasz index: variance between clusters over variance within.

    .. math:: \frac{B / (K - 1)}{W / (n - K)}

    B and W are the sums of squared distances of the centres from the overall mean, by row, and of the rows from their
    centres. Larger is better. It favours round clusters of similar size.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    labels : array-like of shape (n,)
        Clusters, at least two and fewer than rows.

    Returns
    -------
    float

    See Also
    --------
    choose_k : Several indices over several numbers of clusters.

    References
    ----------
    Calinski, T. & Harabasz, J. (1974). A dendrite method for cluster analysis. Communications in Statistics 3, 1-27.

    Examples
    --------
    >>> from statlearn.cluster import calinski_harabasz_score
    >>> calinski_harabasz_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    200.0
    """


@same_call(metrics.davies_bouldin_score)
def davies_bouldin_score():
    r"""Davies-Bouldin index: how much each cluster overlaps with its worst neighbour.

    .. math:: \frac{1}{K} \sum_i \max_{j \ne i} \frac{s_i + s_j}{d_{ij}}

    s_i is the mean distance of the rows of cluster i from its centre, d_ij the distance of two centres. Smaller is
    better.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    labels : array-like of shape (n,)
        Clusters, at least two and fewer than rows.

    Returns
    -------
    float

    References
    ----------
    Davies, D. & Bouldin, D. (1979). A cluster separation measure. IEEE Trans. PAMI 1, 224-227.

    Examples
    --------
    >>> from statlearn.cluster import davies_bouldin_score
    >>> davies_bouldin_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1])
    0.1
    """
