"""Learning and validation curves, with bands over folds and replicated data sets."""

from dataclasses import dataclass, field

import numpy as np
from sklearn import model_selection
from sklearn.base import clone, is_classifier
from sklearn.metrics import check_scoring

from statlearn._core.params import Int, check_arguments
from statlearn._core.selection import CVCurve
from statlearn._math.inference import standard_error

from ._folds import folds_for, run
from ._generators import draw_from
from ._scorers import get_scorer, read_scoring


@dataclass
class ScoreCurve:
    """Training and test scores along an axis, one column per fold or replicate.

    Parameters
    ----------
    parameter : ndarray of shape (k,)
        Numbers of rows, or values of the tuning parameter.
    train_scores, test_scores : ndarray of shape (k, n_replicates)
        Greater is better, according to `scoring`.
    name : str
        Name of the axis.
    metric : str
        Name of the scores.
    """

    parameter: np.ndarray
    train_scores: np.ndarray
    test_scores: np.ndarray
    name: str = "training rows"
    metric: str = "score"

    @property
    def train_mean(self):
        """Mean training score."""
        return self.train_scores.mean(axis=1)

    @property
    def test_mean(self):
        """Mean test score."""
        return self.test_scores.mean(axis=1)

    @property
    def train_std_error(self):
        """Standard error of the mean training score, treating folds or replicates as independent."""
        return standard_error(self.train_scores, axis=1)

    @property
    def test_std_error(self):
        """Standard error of the mean test score, treating folds or replicates as independent."""
        return standard_error(self.test_scores, axis=1)

    # scikit-learn returns tuples: the curve can be unpacked and indexed like one.

    def _parts(self):
        raise NotImplementedError

    def __iter__(self):
        return iter(self._parts())

    def __len__(self):
        return len(self._parts())

    def __getitem__(self, index):
        return self._parts()[index]

    def band(self, coverage=0.8, which="test"):
        """Lower and upper limits that contain the central part of the replicates.

        Parameters
        ----------
        coverage : float, default=0.8
        which : {"test", "train"}, default="test"

        Returns
        -------
        tuple of ndarray of shape (k,)
        """
        scores = {"test": self.test_scores, "train": self.train_scores}[which]
        tail = (1 - coverage) / 2
        return tuple(np.quantile(scores, [tail, 1 - tail], axis=1))

    def plot(self, ax=None, **options):
        """Plot of the curve; see `statlearn.plot.plot_score_curve`."""
        from statlearn._draw.curves import plot_score_curve

        return plot_score_curve(self, ax=ax, **options)


@dataclass
class LearningCurve(ScoreCurve):
    """Scores by number of training rows; unpacks as ``train_sizes, train_scores, test_scores``.

    If times are requested, ``fit_times, score_times`` follow.
    """

    fit_times: np.ndarray | None = None
    score_times: np.ndarray | None = None

    def _parts(self):
        times = () if self.fit_times is None else (self.fit_times, self.score_times)
        return (self.parameter, self.train_scores, self.test_scores, *times)


@dataclass
class ValidationCurve(ScoreCurve):
    """Scores by parameter value; unpacks as scikit-learn's ``train_scores, test_scores``."""

    labels: list = field(default_factory=list)  # the original values if they are not numbers

    def _parts(self):
        return self.train_scores, self.test_scores

    @property
    def cv_curve(self):
        """Losses (negative scores) as a `CVCurve`, with its one-standard-error choice.

        The values are assumed to run from the simplest model to the most complex.
        """
        return CVCurve(self.parameter, -self.test_scores, name=self.name)


def _metric_name(scoring):
    return scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score")


def _repeated(cv, estimator, y, groups, replicates, random_state):
    """Folds repeated with new shuffles, or the original folds if they cannot be shuffled."""
    if replicates == 1:
        return folds_for(cv, estimator, y, groups=groups, random_state=random_state)
    if not (cv is None or isinstance(cv, (int, np.integer))) or groups is not None:
        raise ValueError(
            "`replicates` > 1 repeats shuffled folds, so `cv` must be a number without groups, or a repeated splitter."
        )
    kind = model_selection.RepeatedStratifiedKFold if is_classifier(estimator) else model_selection.RepeatedKFold
    return kind(n_splits=cv or 5, n_repeats=replicates, random_state=random_state)


def learning_curve(
    estimator,
    X=None,
    y=None,
    *,
    groups=None,
    train_sizes=(0.1, 0.325, 0.55, 0.775, 1.0),
    cv=None,
    scoring=None,
    exploit_incremental_learning=False,
    n_jobs=None,
    pre_dispatch="all",
    verbose=0,
    shuffle=False,
    random_state=None,
    error_score=np.nan,
    return_times=False,
    params=None,
    replicates=1,
    generator=None,
    n_test=1000,
):
    """Learning curve: training and test scores by number of training rows.

    For data, every point is cross-validated (`replicates` times with new shuffles). With a `generator`, every replicate
    is a new training set and a new test set of `n_test` rows, which gives the bundles of curves shown in textbooks.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features) or None, default=None
    y : array-like of shape (n_samples,) or None, default=None
    groups : array-like of shape (n_samples,) or None, default=None
    train_sizes : array-like, default=(0.1, 0.325, 0.55, 0.775, 1.0)
        Fractions of the largest training set, or numbers of rows. With a generator, numbers of rows.
    cv : int, splitter or None, default=None
        None uses five folds.
    scoring : str, callable or None, default=None
    exploit_incremental_learning : bool, default=False
        Whether to continue from the smaller set with `partial_fit`.
    n_jobs : int or None, default=None
    pre_dispatch : int or str, default="all"
    verbose : int, default=0
    shuffle : bool, default=False
        Whether to shuffle the training rows before taking the smaller sets from the front. Use this if the rows are
        sorted in any way, because the first rows are not representative then.
    random_state : int, RandomState or None, default=None
        Seed for `shuffle`, for the generator, and for the folds if `cv` is a number.
    error_score : "raise" or float, default=nan
    return_times : bool, default=False
        Whether to store the times of fitting and scoring (for data).
    params : dict or None, default=None
        Passed to `fit`.
    replicates : int, default=1
        Number of repetitions of the cross-validation, or of data sets drawn from the generator.
    generator : callable or None, default=None
        ``generator(rng, n)`` returns X and y of n rows; replaces `X` and `y`.
    n_test : int, default=1000
        Number of test rows per replicate, with a generator.

    Returns
    -------
    LearningCurve
        Unpacks as ``train_sizes, train_scores, test_scores``; has means, standard errors, bands and `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import learning_curve
    >>> from statlearn.linear import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True)
    >>> curve = learning_curve(LinearRegression(), X, y, train_sizes=[50, 100, 350], random_state=0)
    >>> curve.test_mean[0] < curve.test_mean[-1] < curve.train_mean[-1] < curve.train_mean[0]
    np.True_
    """
    check_arguments(
        learning_curve, replicates=(replicates, [Int(1, None)]), generator=(generator, ["callable", None]),
        shuffle=(shuffle, ["boolean"]), n_test=(n_test, [Int(1, None)]),
    )  # fmt: skip
    name = _metric_name(scoring)
    if generator is not None:
        sizes = np.asarray(train_sizes)
        if sizes.dtype.kind not in "iu" or sizes.min() < 1:
            raise ValueError(f"`train_sizes` must be numbers of rows when data are generated, got {train_sizes!r}.")
        sizes = np.unique(sizes)
        train, test = _replicate(
            [clone(estimator)] * len(sizes), sizes, generator, n_test, scoring, replicates, random_state, n_jobs
        )
        return LearningCurve(sizes, train, test, metric=name)
    splitter = _repeated(cv, estimator, y, groups, replicates, random_state)
    sizes, train, test, *times = model_selection.learning_curve(
        estimator, X, y, groups=groups, train_sizes=np.asarray(train_sizes), cv=splitter, scoring=read_scoring(scoring),
        exploit_incremental_learning=exploit_incremental_learning, n_jobs=n_jobs, pre_dispatch=pre_dispatch,
        verbose=verbose, shuffle=shuffle, random_state=random_state, error_score=error_score, params=params,
        return_times=return_times,
    )  # fmt: skip
    return LearningCurve(sizes, train, test, "training rows", name, *times)


def validation_curve(
    estimator,
    X=None,
    y=None,
    *,
    param_name,
    param_range,
    groups=None,
    cv=None,
    scoring=None,
    n_jobs=None,
    pre_dispatch="all",
    verbose=0,
    error_score=np.nan,
    params=None,
    random_state=None,
    replicates=1,
    generator=None,
    n_train=100,
    n_test=1000,
):
    """Validation curve: training and test scores by values of a parameter.

    For data, every value is cross-validated (`replicates` times with new shuffles). With a `generator`, every replicate
    is a new training set of `n_train` rows and a new test set of `n_test` rows.

    Parameters
    ----------
    estimator : estimator
    X : array-like of shape (n_samples, n_features) or None, default=None
    y : array-like of shape (n_samples,) or None, default=None
    param_name : str
        Parameter of the estimator, ``step__parameter`` inside a pipeline.
    param_range : array-like
        Values, from the simplest model to the most complex if the one-standard-error choice is used.
    groups : array-like of shape (n_samples,) or None, default=None
    cv : int, splitter or None, default=None
        None uses five folds.
    scoring : str, callable or None, default=None
    n_jobs : int or None, default=None
    pre_dispatch : int or str, default="all"
    verbose : int, default=0
    random_state : int, RandomState or None, default=None
        Seed for the generator, and for the folds if `cv` is a number.
    error_score : "raise" or float, default=nan
    params : dict or None, default=None
        Passed to `fit`.
    replicates : int, default=1
        Number of repetitions of the cross-validation, or of data sets drawn from the generator.
    generator : callable or None, default=None
        ``generator(rng, n)`` returns X and y of n rows; replaces `X` and `y`.
    n_train, n_test : int, default=100 and 1000
        Numbers of rows per replicate, with a generator.

    Returns
    -------
    ValidationCurve
        Unpacks as ``train_scores, test_scores``; has means, standard errors, bands, `plot` and `cv_curve`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from statlearn.assess import validation_curve
    >>> from statlearn.linear import Ridge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> curve = validation_curve(Ridge(), X, y, param_name="alpha", param_range=[100.0, 1.0, 0.01])
    >>> curve.train_mean.round(2).tolist()
    [0.02, 0.44, 0.52]
    """
    check_arguments(
        validation_curve, replicates=(replicates, [Int(1, None)]), generator=(generator, ["callable", None]),
        n_train=(n_train, [Int(1, None)]), n_test=(n_test, [Int(1, None)]),
    )  # fmt: skip
    values = list(param_range)
    numeric = all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in values)
    axis = np.array(values, dtype=float) if numeric else np.arange(len(values), dtype=float)
    if generator is not None:
        models = [clone(estimator).set_params(**{param_name: v}) for v in values]
        train, test = _replicate(
            models, np.full(len(values), n_train), generator, n_test, scoring, replicates, random_state, n_jobs
        )
    else:
        splitter = _repeated(cv, estimator, y, groups, replicates, random_state)
        train, test = model_selection.validation_curve(
            estimator, X, y, param_name=param_name, param_range=values, groups=groups, cv=splitter,
            scoring=read_scoring(scoring), n_jobs=n_jobs, pre_dispatch=pre_dispatch, verbose=verbose,
            error_score=error_score, params=params,
        )  # fmt: skip
    labels = [] if numeric else [str(v) for v in values]
    return ValidationCurve(axis, train, test, param_name, _metric_name(scoring), labels)


def _replicate(models, sizes, generator, n_test, scoring, replicates, random_state, n_jobs):
    """Scores (k, replicates) of k models, each on the first `sizes[k]` rows of the training set of the replicate."""
    from sklearn.utils import check_random_state

    seeds = check_random_state(random_state).randint(2**31 - 1, size=replicates)
    score = check_scoring(models[0], get_scorer(scoring))

    def one(seed):
        rng = np.random.default_rng(seed)
        X, y = draw_from(generator, rng, int(max(sizes)))
        X_test, y_test = draw_from(generator, rng, n_test)
        out = []
        for model, size in zip(models, sizes):
            fitted = clone(model).fit(X[:size], y[:size])
            out.append((score(fitted, X[:size], y[:size]), score(fitted, X_test, y_test)))
        return out

    scores = np.array(run(one, [(seed,) for seed in seeds], n_jobs))
    return scores[:, :, 0].T, scores[:, :, 1].T
