"""Base classes of ensembles of named members, which fill in default members while scikit-learn's code runs."""

import contextlib
import copy

import numpy as np
from sklearn.utils import assert_all_finite

from statlearn._core.params import Instance, Int
from statlearn._core.validation import check_weights, refuse_no_label

MEMBERS = [Instance(list), None]
N_JOBS = [Int(None, None), None]


def default_regressors():
    """Two different members: a linear model and a small gradient boosting model."""
    from statlearn.linear import LinearRegression

    from .boosting._gradient_boosting import GradientBoostingRegressor

    return [("linear", LinearRegression()), ("boosting", GradientBoostingRegressor(n_estimators=20, random_state=0))]


def default_classifiers():
    """Two different members: a linear model and a small gradient boosting model."""
    from statlearn.linear import LogisticRegression

    from .boosting._gradient_boosting import GradientBoostingClassifier

    boosting = GradientBoostingClassifier(n_estimators=20, random_state=0)
    return [("logistic", LogisticRegression()), ("boosting", boosting)]


def check_same_classes(before, classes):
    """Raise if the classes differ from those of the fit that a warm start continues."""
    if not np.array_equal(before, classes):
        raise ValueError(
            f"`warm_start`=True requires the classes of the previous fit, {before}, but y has {classes}. Set "
            "`warm_start`=False to start over."
        )


class DefaultsMixin:
    """Mixin placed before a scikit-learn class, which reads its parameters from the object.

    `_defaults()` returns replacements for parameters that are None. They are in place only for the duration of a call.
    """

    def _defaults(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def _filled(self, **more):
        settings = {**self._defaults(), **more}
        parameters = {name: getattr(self, name) for name in settings}
        vars(self).update(settings)
        try:
            yield
        finally:
            vars(self).update(parameters)

    def _beyond(self, **more):
        """Method of scikit-learn's class, called on a copy with the defaults and other settings filled in."""
        filled = copy.copy(self)
        vars(filled).update({**self._defaults(), **more})
        return super(DefaultsMixin, filled)

    def get_metadata_routing(self):
        """Metadata routing of this object; see scikit-learn's guide to metadata routing.

        Returns
        -------
        MetadataRouter
        """
        return self._beyond().get_metadata_routing()

    def __sklearn_tags__(self):
        return self._beyond().__sklearn_tags__()


class MembersMixin(DefaultsMixin):
    """Mixin for classes with a list of named members."""

    @property
    def named_estimators(self):
        """The members as given, by name."""
        return self._beyond().named_estimators

    def get_feature_names_out(self, input_features=None):
        """Names of the columns of `transform`.

        Parameters
        ----------
        input_features : array-like of str or None, default=None
            Names of the columns of X, if they are passed through.

        Returns
        -------
        ndarray of str
        """
        return self._beyond().get_feature_names_out(input_features)

    def _sk_visual_block_(self):
        return self._beyond()._sk_visual_block_()


def check_fit_arguments(y, sample_weight, fit_params):
    """Parameters of the members' `fit`, including weights, after validating weights and target.

    The table itself is validated by the members.
    """
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    refuse_no_label(y)
    target = np.asarray(y)
    if target.dtype.kind in "fc":
        assert_all_finite(target, input_name="y")
    if sample_weight is None:
        return fit_params
    if fit_params:  # routed metadata; scikit-learn rejects them if routing is disabled
        return {**fit_params, "sample_weight": sample_weight}
    return {"sample_weight": check_weights(sample_weight, np.empty((len(target), 1)))}
