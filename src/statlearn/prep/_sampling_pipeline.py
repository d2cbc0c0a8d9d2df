"""Pipelines with samplers that act only while they are fitted."""

from sklearn.pipeline import Pipeline
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Instance, check_params
from statlearn._core.sampler import Sampler


def is_sampler(step):
    """Whether a step changes the rows it is trained on."""
    return hasattr(step, "fit_resample")


def _final_has(method):
    def check(pipeline):
        return hasattr(pipeline.steps[-1][1], method)

    return check


class SamplingPipeline(Pipeline):
    """Pipeline of transformers and samplers before a model; samplers change the training rows only.

    In cross-validation the samplers therefore see only the training folds, and no copied or synthetic row is ever
    predicted or scored. Steps with `fit_resample` are samplers: those of this package and of imbalanced-learn, as well
    as :class:`DropMissing` and :class:`OutlierFilter`, which also transform later rows.

    Parameters
    ----------
    steps : list of (str, estimator), default=None
        Names and steps; the last step is the model. "passthrough" skips a step.
    verbose : bool, default=False
        Accepted for compatibility with scikit-learn's pipelines; nothing is printed.

    Attributes
    ----------
    named_steps : Bunch
        Steps by name.
    classes_ : ndarray
        Classes of the last step.
    n_features_in_, feature_names_in_
        As in the first step.

    Notes
    -----
    The steps are fitted in place, as in scikit-learn's pipelines. Sample weights cannot be passed through samplers,
    which change the rows; use class weights in the model.

    References
    ----------
    Santos, M. S. et al. (2018). Cross-validation for imbalanced datasets. *IEEE Comput. Intell. Mag.* 13, 59-76.

    Examples
    --------
    >>> import numpy as np
    >>> from statlearn.assess import cross_val_score
    >>> from statlearn.linear import LogisticRegression
    >>> from statlearn.prep import RandomOverSampler, SamplingPipeline
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = (X[:, 0] > 1).astype(int)
    >>> model = SamplingPipeline([("more", RandomOverSampler(random_state=0)), ("model", LogisticRegression())])
    >>> bool(cross_val_score(model, X, y).mean() > 0.9)
    True
    """

    _constraints = {"steps": [Instance(list)], "verbose": ["boolean"]}

    def __init__(self, steps=None, *, verbose=False):
        super().__init__(steps, verbose=verbose)

    def __getitem__(self, which):
        """A step by name or index, or a pipeline of the steps of a slice."""
        if isinstance(which, slice):
            return type(self)(self.steps[which], verbose=self.verbose)
        return super().__getitem__(which)

    def fit(self, X, y=None):
        """Fit the steps in order, each on the output of the previous steps.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        self._check_steps()
        X, y = self._fit_steps(X, y)
        self.steps[-1][1].fit(X, y)
        return self

    def _check_steps(self):
        check_params(self)
        if not self.steps or not all(
            isinstance(step, (tuple, list)) and len(step) == 2 and isinstance(step[0], str) for step in self.steps
        ):
            raise ValueError("`steps` must be a list of (name, estimator) pairs that ends with a model.")
        for name, step in self.steps[:-1]:
            if step not in (None, "passthrough") and not (is_sampler(step) or hasattr(step, "transform")):
                raise TypeError(f"`steps`: the step {name!r} can neither transform nor resample: {step!r}.")
        name, last = self.steps[-1]
        if not hasattr(last, "fit") or isinstance(last, Sampler):
            raise TypeError(f"`steps`: the last step {name!r} must be a model, got {last!r}.")

    def _fit_steps(self, X, y):
        for _, step in self.steps[:-1]:
            if step in (None, "passthrough"):
                continue
            if isinstance(step, Sampler):
                X, y = step.fit_resample(X, y, training_only=True)
            elif is_sampler(step):
                X, y = step.fit_resample(X, y)
            else:
                X = step.fit_transform(X, y) if hasattr(step, "fit_transform") else step.fit(X, y).transform(X)
        return X, y

    def _through(self, X):
        """New rows as passed to the model: transformed, but never resampled."""
        check_is_fitted(self)
        for _, step in self.steps[:-1]:
            if step not in (None, "passthrough") and hasattr(step, "transform"):
                X = getattr(step, "_transform_later", step.transform)(X)
        return X

    def __sklearn_is_fitted__(self):
        try:
            check_is_fitted(self.steps[-1][1])
        except Exception:  # whatever an unfitted step raises
            return False
        return True

    @available_if(_final_has("predict"))
    def predict(self, X):
        """Predictions of the last step.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        return self.steps[-1][1].predict(self._through(X))

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X):
        """Class probabilities of the last step.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.steps[-1][1].predict_proba(self._through(X))

    @available_if(_final_has("predict_log_proba"))
    def predict_log_proba(self, X):
        """Log class probabilities of the last step.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return self.steps[-1][1].predict_log_proba(self._through(X))

    @available_if(_final_has("decision_function"))
    def decision_function(self, X):
        """Decision scores of the last step.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        ndarray
        """
        return self.steps[-1][1].decision_function(self._through(X))

    @available_if(_final_has("transform"))
    def transform(self, X):
        """Output of the last step for the rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)

        Returns
        -------
        array
        """
        return self.steps[-1][1].transform(self._through(X))

    @available_if(_final_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features=None):
        """Names of the columns that the last step returns.

        Parameters
        ----------
        input_features : array-like of str or None, default=None

        Returns
        -------
        ndarray of str
        """
        names = input_features
        for _, step in self.steps:
            if hasattr(step, "get_feature_names_out"):
                names = step.get_feature_names_out(names)
        return names

    @available_if(_final_has("score"))
    def score(self, X, y=None, sample_weight=None):
        """Score of the last step on the original rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        float
        """
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self.steps[-1][1].score(self._through(X), y, **weights)

    @available_if(_final_has("transform"))
    def fit_transform(self, X, y=None):
        """Fit the pipeline, then transform the original rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        array
        """
        return self.fit(X, y).transform(X)

    @available_if(_final_has("predict"))
    def fit_predict(self, X, y=None):
        """Fit the pipeline, then predict the original rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None

        Returns
        -------
        ndarray
        """
        return self.fit(X, y).predict(X)
