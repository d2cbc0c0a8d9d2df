"""Centring of kernel matrices."""

from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import metadata_routing
from sklearn.utils.validation import check_is_fitted

from statlearn._core.validation import FLOATS, validate_data


class KernelCenterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Centring of a kernel matrix in feature space.

    With :math:`H = I - 1 1^\top / n`, the training matrix becomes :math:`H K H`: the kernel of
    :math:`\varphi(x) - \bar\varphi`, where :math:`\bar\varphi` is the mean of the training rows in feature space.
    Kernels between new and training rows are centred by the same mean.

    Parameters
    ----------
    None

    Attributes
    ----------
    K_fit_rows_ : ndarray of shape (n_samples,)
        Mean of each column of the training matrix.
    K_fit_all_ : float
        Mean of the training matrix.
    n_features_in_ : int
        Number of training rows.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names of K, if it has any.

    References
    ----------
    Schölkopf, Smola and Müller (1998), Nonlinear component analysis as a kernel eigenvalue problem.

    Examples
    --------
    >>> from statlearn.kernels import KernelCenterer, linear_kernel
    >>> K = linear_kernel([[1.0], [2.0], [6.0]])
    >>> KernelCenterer().fit_transform(K)
    array([[ 4.,  2., -6.],
           [ 2.,  1., -3.],
           [-6., -3.,  9.]])
    """

    _constraints: dict[str, list] = {}

    def __init__(self):
        pass

    # X is called K here, as in scikit-learn.
    __metadata_request__transform = {"K": metadata_routing.UNUSED}
    __metadata_request__fit = {"K": metadata_routing.UNUSED}

    def fit(self, K, y=None):
        """Learn the means of a training kernel matrix.

        Parameters
        ----------
        K : array-like of shape (n_samples, n_samples)
            Kernel matrix.
        y : ignored

        Returns
        -------
        self
        """
        K = validate_data(self, K, dtype=FLOATS)
        if K.shape[0] != K.shape[1]:
            raise ValueError(f"Kernel matrix must be a square matrix. Input K is a {K.shape[0]}x{K.shape[1]} matrix.")
        self.K_fit_rows_ = K.mean(axis=0)
        self.K_fit_all_ = self.K_fit_rows_.mean()
        return self

    def transform(self, K, copy=True):
        """Centre a kernel matrix.

        Parameters
        ----------
        K : array-like of shape (n_queries, n_samples)
            Kernel between rows and the training rows.
        copy : bool, default=True
            Whether to leave K as it is; False works in place if K is a float array.

        Returns
        -------
        ndarray of shape (n_queries, n_samples)
        """
        check_is_fitted(self)
        K = validate_data(self, K, copy=copy, force_writeable=True, dtype=FLOATS, reset=False)
        means = K.mean(axis=1)
        K -= self.K_fit_rows_.astype(K.dtype, copy=False)
        K -= means[:, None]
        K += K.dtype.type(self.K_fit_all_)
        return K

    @property
    def _n_features_out(self):
        return self.n_features_in_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        return tags
