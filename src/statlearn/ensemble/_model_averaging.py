"""Bayesian model averaging: members weighted by their posterior probabilities."""

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import Bunch, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from statlearn._core.fitted_state import forget
from statlearn._core.frames import is_mixed_frame, naming_text
from statlearn._core.params import Instance, check_params
from statlearn._core.validation import check_same_length, check_weights, validate_data

from ._members import MEMBERS


def _posterior(log_evidence, prior):
    """Posterior probabilities of the models. Models with infinite evidence (exact fits) share all the weight."""
    from statlearn.assess import posterior_model_probabilities

    if np.isnan(log_evidence).any() or np.isneginf(log_evidence).all():
        raise ValueError("`log_evidence` must contain numbers, at least one of which is greater than -inf.")
    if prior is not None and not np.isfinite(np.asarray(prior, dtype=np.float64)).all():
        raise ValueError("`prior` must contain finite numbers.")
    top = log_evidence.max()
    exact = np.isposinf(log_evidence)
    score = np.where(exact, 0.0, -1e300) if np.isposinf(top) else np.maximum(log_evidence - top, -1e300)
    return posterior_model_probabilities(-2.0 * score, prior)


def _members_have(method):
    def check(self):
        return all(hasattr(member, method) for _, member in self._members())

    return check


def _mean_and_plane():
    from statlearn.assess import BaselineRegressor
    from statlearn.linear import LinearRegression

    return [("mean", BaselineRegressor()), ("linear", LinearRegression())]


class BayesianModelAveraging(MetaEstimatorMixin, BaseEstimator):
    r"""Bayesian model averaging with weights from BIC or marginal likelihoods.

    .. math:: f(x) = \sum_m w_m f_m(x), \qquad w_m \propto \pi_m e^{-\mathrm{BIC}_m / 2}

    with all members fitted to the same rows. For classifiers the probabilities are averaged. The BIC approximates minus
    twice the log evidence. If the evidences are known, pass them as `log_evidence`.

    Parameters
    ----------
    estimators : list of (str, estimator) or None, default=None
        Names and models, which are regressors or probabilistic classifiers. None compares an intercept-only model with
        least squares on all columns.
    prior : array-like of shape (n_models,) or None, default=None
        Prior probabilities of the models, up to a factor. None uses equal probabilities.
    log_evidence : array-like of shape (n_models,), callable or None, default=None
        Log marginal likelihoods of the models, or a function of (fitted model, X, y, sample_weight) that returns one.
        None uses -BIC/2 of the fitted model, from :func:`statlearn.assess.information_criteria`.
    df : dict or None, default=None
        Effective numbers of parameters by member name, for members where they cannot be determined (trees, nearest
        neighbours).

    Attributes
    ----------
    estimators_ : list of estimators
        The fitted members.
    named_estimators_ : Bunch
        The fitted members by name.
    weights_ : ndarray of shape (n_models,)
        Posterior probabilities of the models.
    log_evidence_ : ndarray of shape (n_models,)
        Log evidences from which the weights were computed.
    bic_ : ndarray of shape (n_models,) or None
        BIC values, if the evidence was approximated by them.
    classes_ : ndarray
        The class labels. Only if the members are classifiers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    Notes
    -----
    The weights are the probabilities of the models *assuming that one of them is true*. With many rows, nearly all the
    weight goes to one model even if a mixture predicts better. To find the best mixture, learn the weights from
    out-of-fold predictions with :class:`StackingRegressor` and ``weights="simplex"``.

    A model that fits all rows exactly has an infinite likelihood. Such models share all the weight.

    Members may use different columns: put a column selector before each of them in a pipeline.

    References
    ----------
    Hoeting, J. A., Madigan, D., Raftery, A. E. & Volinsky, C. T. (1999). Bayesian model averaging: a tutorial.
    *Statist. Sci.* 14, 382-417.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.ensemble import BayesianModelAveraging
    >>> X = np.arange(12.0)[:, None]
    >>> y = np.array([0.3, -0.2, 0.4, 0.9, 0.1, 0.8, 0.5, 0.2, 1.1, 0.4, 0.6, 1.0])
    >>> model = BayesianModelAveraging().fit(X, y)
    >>> model.weights_.round(2)
    array([0.35, 0.65])
    """

    _constraints = {
        "estimators": MEMBERS,
        "prior": ["array-like", None],
        "log_evidence": ["array-like", "callable", None],
        "df": [Instance(dict), None],
    }

    def __init__(self, estimators=None, *, prior=None, log_evidence=None, df=None):
        self.estimators = estimators
        self.prior = prior
        self.log_evidence = log_evidence
        self.df = df

    def get_params(self, deep=True):
        """Parameters by name and, if `deep`, the members and their parameters as ``member__parameter``.

        Parameters
        ----------
        deep : bool, default=True

        Returns
        -------
        dict
        """
        params = super().get_params(deep=False)
        for name, member in self._named() if deep else []:
            params[name] = member
            if hasattr(member, "get_params"):
                params.update({f"{name}__{key}": value for key, value in member.get_params().items()})
        return params

    def set_params(self, **params):
        """Set parameters, members by name, and parameters of members as ``member__parameter``.

        Parameters
        ----------
        **params : dict

        Returns
        -------
        self : object
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        replaced = {name: params.pop(name) for name, _ in self._named() if name in params}
        if replaced:
            self.estimators = [(name, replaced.get(name, member)) for name, member in self.estimators]
        return super().set_params(**params)

    def _named(self):
        """The given members, or an empty list if `fit` would not accept them."""
        members = self.estimators if isinstance(self.estimators, list) else []
        return members if all(isinstance(m, (tuple, list)) and len(m) == 2 for m in members) else []

    def _members(self):
        return _mean_and_plane() if self.estimators is None else self.estimators

    def _check_members(self):
        members = self._members()
        if not members or not all(
            isinstance(m, (tuple, list)) and len(m) == 2 and isinstance(m[0], str) for m in members
        ):
            raise ValueError("'estimators' must be a non-empty list of (string, estimator) tuples.")
        names = [name for name, _ in members]
        if len(set(names)) < len(names):
            raise ValueError(f"Names provided are not unique: {names}.")
        taken = [name for name in names if name in self.get_params(deep=False) or "__" in name]
        if taken:
            raise ValueError(f"Estimator names conflict with constructor arguments, or contain __: {taken}.")
        other = [type(member).__name__ for _, member in members if not (is_classifier(member) or is_regressor(member))]
        if other:
            raise ValueError(f"'estimators' must contain classifiers or regressors, got {other[0]}.")
        kinds = {is_classifier(member) for _, member in members}
        if len(kinds) > 1:
            raise ValueError("'estimators' must not mix classifiers and regressors.")
        return members, kinds.pop()

    @naming_text("a member")
    def fit(self, X, y, sample_weight=None):
        """Fit the members and compute their weights.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None
            Weight k counts as k rows, in the fits and in the information criteria.

        Returns
        -------
        self : object
        """
        check_params(self)
        members, classes = self._check_members()
        y = self._check_data(X, y, classes)
        weights = check_weights(sample_weight, np.empty((len(y), 1)))
        settings = {} if weights is None else {"sample_weight": weights}
        self.estimators_ = [clone(member).fit(X, y, **settings) for _, member in members]
        self.named_estimators_ = Bunch(**{name: m for (name, _), m in zip(members, self.estimators_, strict=True)})
        forget(self, "classes_")
        if classes:
            self.classes_ = self.estimators_[0].classes_
        self.bic_ = None
        self.log_evidence_ = self._evidence(X, y, weights)
        self.weights_ = _posterior(self.log_evidence_, self.prior)
        return self

    def _check_data(self, X, y, classes):
        """The validated target. A frame with text or categories is validated by the members."""
        if is_mixed_frame(X):
            if y is None:
                raise ValueError("requires y to be passed, but the target y is None")
            validate_data(self, X, skip_check_array=True)
            y = column_or_1d(check_array(y, ensure_2d=False, dtype=None if classes else np.float64), warn=True)
            check_same_length(X, y)
            return y
        finite = "allow-nan" if get_tags(self).input_tags.allow_nan else True
        rules = {"dtype": None, "ensure_all_finite": finite, "y_numeric": not classes}
        return validate_data(self, X, y, accept_sparse=True, **rules)[1]

    def _evidence(self, X, y, weights):
        if callable(self.log_evidence):
            return np.array([float(self.log_evidence(m, X, y, weights)) for m in self.estimators_])
        if self.log_evidence is not None:
            evidence = np.asarray(self.log_evidence, dtype=np.float64)
            if evidence.shape != (len(self.estimators_),):
                raise ValueError(
                    f"`log_evidence` must contain one number for each of the {len(self.estimators_)} models."
                )
            return evidence
        from statlearn.assess import information_criteria

        df = {"mean": 1.0} if self.estimators is None else self.df or {}
        unknown = sorted(set(df) - set(self.named_estimators_))
        if unknown:
            raise ValueError(f"`df` contains {unknown[0]!r}, which is not the name of a member.")
        with np.errstate(divide="ignore", invalid="ignore"):  # an exact fit has an infinite likelihood
            self.bic_ = np.array([
                information_criteria(m, X, y, sample_weight=weights, df=df.get(name)).bic
                for name, m in self.named_estimators_.items()
            ])  # fmt: skip
        return -0.5 * self.bic_

    def predict(self, X):
        """Predictions: average of the models, or the class with the largest average probability.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        if hasattr(self, "classes_"):
            return self.classes_[np.argmax(self.predict_proba(X), axis=1)]
        return self._average("predict", X)

    @available_if(_members_have("predict_proba"))
    def predict_proba(self, X):
        """Average class probabilities of the models.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._average("predict_proba", X)

    def _average(self, method, X):
        return sum(w * np.asarray(getattr(m, method)(X)) for w, m in zip(self.weights_, self.estimators_, strict=True))

    def score(self, X, y, sample_weight=None):
        """R² of a regressor or accuracy of a classifier.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,) or None, default=None

        Returns
        -------
        float
        """
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return measure(y, self.predict(X), sample_weight=sample_weight)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [get_tags(member) for _, member in self._members()]
        tags.estimator_type = inner[0].estimator_type
        tags.classifier_tags, tags.regressor_tags = inner[0].classifier_tags, inner[0].regressor_tags
        tags.target_tags.required = True
        tags.input_tags.sparse = all(t.input_tags.sparse for t in inner)
        tags.input_tags.allow_nan = all(t.input_tags.allow_nan for t in inner)
        return tags
