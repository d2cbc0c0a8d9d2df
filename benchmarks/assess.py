"""The assess family: intervals, metrics and calibration on many rows.

Where no peer has the thing itself, the runner does what a knowledgeable user would write with it.
"""

import numpy as np

from benchmarks.case import Case


def scored_rows(n, digits=None, seed=0):
    """Two classes and a score with an area of about 0.76 under its ROC curve."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = y + rng.standard_normal(n)
    return dict(y=y, score=score if digits is None else np.round(score, digits))


def area_error(y, score):
    """Standard error of the area under the ROC curve by DeLong, from ranks."""
    from scipy.stats import rankdata

    up, down = score[y == 1], score[y == 0]
    ranks = rankdata(score)
    V = (ranks[y == 1] - rankdata(up)) / len(down)
    W = 1 - (ranks[y == 0] - rankdata(down)) / len(up)
    return np.sqrt(V.var(ddof=1) / len(up) + W.var(ddof=1) / len(down))


class auc_bootstrap(Case):
    """Bootstrap interval of the area under the ROC curve."""

    size, quick = dict(n=100_000, resamples=1000), dict(n=200, resamples=20)
    grow = dict(n=[10_000, 100_000, 1_000_000])
    goal = dict(sklearn=10, scipy=10)

    def data(n, resamples):
        return dict(**scored_rows(n), resamples=resamples)

    def quality(fit, y, score, resamples):
        """1,000 samples know the standard error to about 2 %."""
        return {"error of se": abs(fit.std_error / area_error(y, score) - 1)}

    def statlearn(y, score, resamples):
        from statlearn.assess import bootstrap_interval

        found = bootstrap_interval("roc_auc_score", y, score, n_resamples=int(resamples), random_state=0)
        return dict(low=found.low, high=found.high, std_error=found.std_error)

    def sklearn(y, score, resamples):
        from sklearn.metrics import roc_auc_score

        rng = np.random.default_rng(0)
        draws = []
        for _ in range(int(resamples)):
            rows = rng.integers(0, len(y), len(y))
            draws.append(roc_auc_score(y[rows], score[rows]))
        low, high = np.quantile(draws, [0.025, 0.975])
        return dict(low=low, high=high, std_error=np.std(draws, ddof=1))

    def scipy(y, score, resamples):
        from scipy.stats import bootstrap, rankdata

        def area(y, score):
            m = y.sum()
            return (rankdata(score)[y == 1].sum() - m * (m + 1) / 2) / (m * (len(y) - m))

        found = bootstrap(
            (y, score), area, n_resamples=int(resamples), paired=True, vectorized=False, method="percentile", rng=0
        )
        low, high = found.confidence_interval
        return dict(low=low, high=high, std_error=found.standard_error)


class auc_bootstrap_ties(auc_bootstrap):
    """The same with scores of two decimals."""

    grow = {}

    def data(n, resamples):
        return dict(**scored_rows(n, digits=2), resamples=resamples)


class f1_bootstrap(Case):
    """Bootstrap interval of the F1 score."""

    size, quick = dict(n=100_000, resamples=1000), dict(n=200, resamples=20)
    goal = dict(sklearn=100)

    def data(n, resamples):
        rows = scored_rows(n)
        return dict(y=rows["y"], label=(rows["score"] > 0.5).astype(int), resamples=resamples)

    def quality(fit, y, label, resamples):
        return dict(width=fit.high - fit.low)

    def statlearn(y, label, resamples):
        from statlearn.assess import bootstrap_interval

        found = bootstrap_interval("f1_score", y, label, n_resamples=int(resamples), random_state=0)
        return dict(low=found.low, high=found.high)

    def sklearn(y, label, resamples):
        from sklearn.metrics import f1_score

        rng = np.random.default_rng(0)
        rows = (rng.integers(0, len(y), len(y)) for _ in range(int(resamples)))
        low, high = np.quantile([f1_score(y[r], label[r]) for r in rows], [0.025, 0.975])
        return dict(low=low, high=high)


class auc_variance(Case):
    """Area under the ROC curve with DeLong's standard error; scikit-learn computes the area alone."""

    size, quick = dict(n=1_000_000), dict(n=200)
    grow = dict(n=[62_500, 250_000, 1_000_000])
    goal = dict(sklearn=0.5)
    data = staticmethod(scored_rows)

    def quality(fit, y, score):
        from scipy.stats import rankdata

        m = int(y.sum())
        area = (rankdata(score)[y == 1].sum() - m * (m + 1) / 2) / (m * (len(y) - m))
        return {"error of area": abs(fit.area - area)}

    def statlearn(y, score):
        from statlearn.assess import delong_interval

        found = delong_interval(y, score)
        return dict(area=found.estimate, std_error=found.std_error)

    def sklearn(y, score):
        from sklearn.metrics import roc_auc_score

        return dict(area=roc_auc_score(y, score))


class confusion(Case):
    """Confusion matrix of ten classes."""

    size, quick = dict(n=1_000_000, classes=10), dict(n=200, classes=3)
    goal = dict(sklearn=1)

    def data(n, classes):
        rng = np.random.default_rng(0)
        y = rng.integers(0, classes, n)
        return dict(y=y, label=np.where(rng.random(n) < 0.7, y, rng.integers(0, classes, n)))

    def quality(fit, y, label):
        return dict(wrong=abs(np.trace(fit.table) - np.sum(y == label)))

    def statlearn(y, label):
        from statlearn.assess import confusion_matrix

        return dict(table=confusion_matrix(y, label))

    def sklearn(y, label):
        from sklearn.metrics import confusion_matrix

        return dict(table=confusion_matrix(y, label))


class threshold_curve(Case):
    """Precision and recall at every threshold."""

    size, quick = dict(n=1_000_000), dict(n=200)
    goal = dict(sklearn=1)
    data = staticmethod(scored_rows)

    def quality(fit, y, score):
        return dict(recall_at_end=abs(fit.recall[-1] - 1.0))

    def statlearn(y, score):
        from statlearn.assess import metrics_at_threshold

        curve = metrics_at_threshold(y, score)
        return dict(precision=curve["precision"], recall=curve["recall"])

    def sklearn(y, score):
        from sklearn.metrics import precision_recall_curve

        precision, recall, _ = precision_recall_curve(y, score)
        return dict(precision=precision[::-1], recall=recall[::-1])


class reliability(Case):
    """Reliability curve in ten bins; statlearn with confidence bands."""

    size, quick = dict(n=1_000_000), dict(n=200)
    goal = dict(sklearn=1)

    def data(n):
        rows = scored_rows(n)
        return dict(y=rows["y"], p=1 / (1 + np.exp(0.5 - rows["score"])))

    def quality(fit, y, p):
        return dict(bins=len(fit.observed))

    def statlearn(y, p):
        from statlearn.assess import reliability_curve

        curve = reliability_curve(y, p)
        return dict(observed=curve.observed, predicted=curve.predicted)

    def sklearn(y, p):
        from sklearn.calibration import calibration_curve

        observed, predicted = calibration_curve(y, p, n_bins=10)
        return dict(observed=observed, predicted=predicted)


class calibrate(Case):
    """Isotonic and sigmoid calibration of a fitted classifier's scores; the classifier itself costs nothing here."""

    size, quick = dict(n=200_000), dict(n=200)
    goal = dict(sklearn=1)
    data = staticmethod(scored_rows)

    def quality(fit, y, score):
        return dict(brier=np.mean((fit.p - y) ** 2))

    def _run(make, y, score):
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.frozen import FrozenEstimator

        class Given(ClassifierMixin, BaseEstimator):
            classes_, n_features_in_ = np.array([0, 1]), 1

            def fit(self, X, y):
                return self

            def __sklearn_is_fitted__(self):
                return True

            def decision_function(self, X):
                return X[:, 0]

            def predict(self, X):
                return (X[:, 0] > 0).astype(int)

        X = score[:, None]
        models = [make(FrozenEstimator(Given()), method=m).fit(X, y) for m in ("sigmoid", "isotonic")]
        return dict(p=models[1].predict_proba(X)[:, 1])

    def statlearn(y, score):
        from statlearn.assess import CalibratedClassifier

        return calibrate._run(CalibratedClassifier, y, score)

    def sklearn(y, score):
        from sklearn.calibration import CalibratedClassifierCV

        return calibrate._run(CalibratedClassifierCV, y, score)
