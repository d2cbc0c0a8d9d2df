"""Predictions depend on what `fit` has learned, not on parameters that are changed after it."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import get_tags

from statlearn import all_estimators
from statlearn._core.params import Options
from statlearn.cluster import ColorQuantizer, KernelKMeans, KMedoids
from statlearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ForwardStagewise,
    GradientBooster,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestRegressor,
    StackingClassifier,
)
from statlearn.linear import (
    FactorizationMachineClassifier,
    LeastSquaresClassifier,
    LogisticRegression,
    Perceptron,
    RegularizedLinearClassifier,
)
from statlearn.mixture import (
    BayesianGaussianMixture,
    GaussianMixture,
    HierarchicalMixtureOfExperts,
    StudentTMixture,
)
from statlearn.neighbors import NearestCentroid
from statlearn.prep import ModelImputer
from statlearn.smooth import (
    GAM,
    AdditiveModel,
    BasisRegressor,
    PiecewisePolynomialBasis,
    SplineTransformer,
    VaryingCoefficientModel,
    lin,
    s,
)
from statlearn.trees import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor, ObliqueTreeClassifier
from tests.contract.instances import SETTINGS, make_problem, name_of, outputs
from tests.helpers import assert_close, assert_same_state

# Parameters that act when predictions are made, by estimator, each with the reason.
_VOTES = "votes are counted when they are asked for, as in scikit-learn"
_SEARCH = "neighbours are searched and averaged when they are asked for, as in scikit-learn"
_OPTION = "an option of the transformation, not of what was learned, as in scikit-learn's class of this name"
_OWN_OPTION = "an option of the transformation, not of what was learned; scikit-learn has no such class or parameter"
_METHODS = "decides which methods there are, as in scikit-learn"
_NEIGHBORS = {
    **dict.fromkeys(("n_neighbors", "radius", "weights", "mode", "metric"), _SEARCH),
    "aggregate": "neighbours are averaged when they are asked for; scikit-learn has no such parameter",
}
_WORDS = dict.fromkeys(
    ("analyzer", "binary", "dtype", "encoding", "input", "lowercase", "ngram_range", "norm", "preprocessor",
     "stop_words", "strip_accents", "sublinear_tf", "token_pattern", "tokenizer"),
    _OPTION,
)  # fmt: skip
_BINARY_WORDS = dict.fromkeys(_WORDS, "an option of the encoding, not of the vocabulary, as in CountVectorizer")
_CODING = dict.fromkeys(
    ("positive_code", "split_sign", "transform_algorithm", "transform_alpha", "transform_max_iter",
     "transform_n_nonzero_coefs"),
    _OPTION,
)  # fmt: skip
_PENALTY = dict.fromkeys(("alpha_W", "l1_ratio", "max_iter"), "rows are coded when asked for, as in scikit-learn")
_PAIRS = {"columns": "names the columns of the table of pairs that is asked for"}
_NEIGHBORHOOD = {**_PAIRS, "aggregate": "neighbours are averaged when they are asked for, as by KNeighborsRegressor"}
_CUT = "the threshold is applied to the probabilities of the fit when classes are asked for"
_WINDOWS = (
    "fit keeps the rows; windows are chosen and fitted when they are asked for, as neighbours are in scikit-learn"
)
_LOCAL = dict.fromkeys(("bandwidth", "degree", "kernel", "n_neighbors"), _WINDOWS)
_LOCAL_LIKELIHOOD = {**_LOCAL, **dict.fromkeys(("alpha", "span", "tol"), _WINDOWS)}
AT_PREDICTION: dict[str, dict[str, str]] = {
    "AdditiveChi2Sampler": dict.fromkeys(("sample_steps", "sample_interval"), _OPTION),
    "BayesSearchCV": {"refit": _METHODS},
    "BernoulliNB": {"binarize": _OPTION},
    "BinarizeDataset": {"missing": _OWN_OPTION},
    "ContentRecommender": _PAIRS,
    "DictionaryLearning": _CODING,
    "ImplicitFactorization": _PAIRS,
    "IncrementalPCA": {"whiten": _OPTION},
    "ItemKNNRecommender": _NEIGHBORHOOD,
    "KSVD": {**_CODING, "n_nonzero_coefs": "the default of `transform_n_nonzero_coefs`"},
    "LSA": {**_WORDS, **dict.fromkeys(("scaled", "weighting"), _OWN_OPTION)},
    "MatrixFactorization": _PAIRS,
    "MiniBatchDictionaryLearning": _CODING,
    "MiniBatchNMF": {**_PENALTY, "transform_max_iter": _OPTION},
    "MiniBatchSparsePCA": {"ridge_alpha": _OPTION},
    "NMF": _PENALTY,
    "NuSVC": {"probability": _METHODS},
    "OnlineDictionaryLearning": {**_CODING, "alpha": "the default of `transform_alpha`, as in DictionaryLearning"},
    "PCA": {"whiten": _OPTION},
    "PolynomialCountSketch": dict.fromkeys(("gamma", "n_components"), _OPTION),
    "SVC": {"probability": _METHODS},
    "SkewedChi2Sampler": {"skewedness": _OPTION},
    "SparseCoder": {**_CODING, "dictionary": "the class learns nothing, as in scikit-learn"},
    "SparsePCA": {"ridge_alpha": _OPTION},
    "SpectrumVectorizer": dict.fromkeys(("m", "normalize"), _OWN_OPTION),
    "TransactionEncoder": dict.fromkeys(("basket", "item", "sep"), _OWN_OPTION),
    "UserKNNRecommender": _NEIGHBORHOOD,
    "LocalLikelihood": _LOCAL_LIKELIHOOD,
    "LocalLogistic": _LOCAL_LIKELIHOOD,
    "LocalPolynomialRegressor": _LOCAL,
    "NadarayaWatson": _LOCAL,
    "SplineTransformer": {"order": "memory layout, not results"},
    "LeastSquaresClassifier": {"threshold_rule": _CUT},
    "LogisticRegression": {"threshold": _CUT, "threshold_rule": _CUT},
    "LogisticRegressionCV": {"threshold": _CUT, "threshold_rule": _CUT},
    "BinaryVectorizer": _BINARY_WORDS,
    "DensitySimilaritySelector": {"threshold": _OWN_OPTION},
    "DropMissing": {"max_share": _OWN_OPTION},
    "FeatureAgglomeration": {"pooling_func": _OPTION},
    "FeatureCrosses": {"keep": _OWN_OPTION},
    "FunctionTransformer": {**dict.fromkeys(("func", "validate", "kw_args"), _OPTION), "exponent": _OWN_OPTION},
    "GridSearchCV": {"refit": _METHODS},
    "ImageFlattener": {"features": _OWN_OPTION},
    "ImagePatches": {"positions": _OWN_OPTION, "stride": _OWN_OPTION},
    "KBinsDiscretizer": {"encode": _OPTION, "dtype": _OPTION},
    "KNeighborsClassifier": _NEIGHBORS,
    "KNeighborsRegressor": _NEIGHBORS,
    "KNeighborsTransformer": _NEIGHBORS,
    "LocalOutlierFactor": {"novelty": _METHODS},
    "Normalizer": {"norm": _OPTION, "copy": _OPTION, "p": _OWN_OPTION},
    "OneHotEncoder": {"dtype": _OPTION},
    "OutlierFilter": {"action": _OWN_OPTION},
    "PolynomialFeatures": {
        **dict.fromkeys(("include_bias", "interaction_only", "order"), _OPTION),
        "form": _OWN_OPTION,
    },
    "RadiusNeighborsClassifier": _NEIGHBORS,
    "RadiusNeighborsRegressor": _NEIGHBORS,
    "RadiusNeighborsTransformer": _NEIGHBORS,
    "RandomizedSearchCV": {"refit": _METHODS},
    "RobustScaler": dict.fromkeys(("copy", "with_centering", "with_scaling"), _OPTION),
    "SamplingPipeline": {"steps": "the steps are fitted in place, as in scikit-learn's Pipeline"},
    "SeriesFeatures": dict.fromkeys(("families", "n_lags", "radius"), _OWN_OPTION),
    "StandardScaler": dict.fromkeys(("copy", "with_mean", "with_std"), _OPTION),
    "TfidfTransformer": _WORDS,
    "TfidfVectorizer": _WORDS,
    "VotingClassifier": {"voting": _VOTES, "weights": _VOTES, "flatten_transform": _VOTES},
    "VotingRegressor": {"weights": _VOTES},
    "WordIndexer": {"token_pattern": _OWN_OPTION},
}
EVERYWHERE = {"n_jobs": "threads, not results", "verbose": "messages, not results"}

DEFAULTS = [cls(**SETTINGS.get(name, {})) for name, cls in all_estimators()]
_LOSSES = [[0.0, 1.0], [5.0, 0.0]]
# Settings other than the defaults under which more of a parameter is left to do after the fit.
OTHERS = [
    AdaBoostClassifier(LogisticRegression(), algorithm="real", learning_rate=0.5, n_estimators=3, random_state=0),
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), algorithm="real", n_estimators=5, random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=1), vote="hard", random_state=0),
    BaggingClassifier(DecisionTreeClassifier(max_depth=1), random_state=0),
    C45Classifier(smoothing=1.0),
    DecisionTreeClassifier(max_depth=3, loss_matrix=_LOSSES, smoothing=1.0),
    DecisionTreeClassifier(max_depth=3, missing="surrogate"),
    DecisionTreeRegressor(max_depth=3, missing="category"),
    DecisionTreeRegressor(max_depth=3, missing="fractional"),
    FactorizationMachineClassifier(pairwise="full"),
    ForwardStagewise(basis="column"),
    ColorQuantizer(4, position_weight=0.5, random_state=0),
    GradientBooster(DecisionTreeRegressor(max_depth=2), line_search="leaf", n_estimators=5, random_state=0),
    GradientBoostingClassifier(loss="exponential", n_estimators=5),
    GradientBoostingClassifier(init=DecisionTreeClassifier(max_depth=2), n_estimators=5),
    GradientBoostingRegressor(init=DecisionTreeRegressor(max_depth=2), loss="quantile", alpha=0.3, n_estimators=5),
    GradientBoostingRegressor(loss="huber", dropout=0.5, n_estimators=5, random_state=0),
    LeastSquaresClassifier(degree=2),
    LeastSquaresClassifier(coding="half", degree=2, interaction_only=True),
    KernelKMeans(3, kernel="rbf", gamma=0.5, random_state=0),
    KMedoids(3, metric="seuclidean", random_state=0),
    ModelImputer("knn", n_neighbors=3),
    NearestCentroid(metric="manhattan"),
    NearestCentroid(priors="empirical"),
    ObliqueTreeClassifier(max_depth=2, smoothing=1.0),
    RandomForestRegressor(5, criterion="absolute_error", random_state=0),
    RegularizedLinearClassifier("log_loss"),
    RegularizedLinearClassifier("modified_huber"),
    StackingClassifier(weights="simplex"),
    StackingClassifier(passthrough=True),
]


# The same in the families of smoothers and mixtures.
OTHERS += [
    BasisRegressor([("power", 2)], model="ridge"),
    BayesianGaussianMixture(n_components=2, covariance_type="tied", random_state=0),
    GaussianMixture(2, covariance_type="diag", random_state=0),
    HierarchicalMixtureOfExperts((3, 2), random_state=0, n_init=1, tol=1e-3),
    PiecewisePolynomialBasis(2, continuity=1, include_bias=False),
    SplineTransformer(basis="natural", include_bias=False),
    SplineTransformer(basis="truncated_power", include_bias=False),
    StudentTMixture(2, covariance_type="spherical", random_state=0),
    VaryingCoefficientModel(1, n_neighbors=30, fit_intercept=False),
]


def problem(estimator):
    """Rows to learn from, with missing values where the estimator takes them."""
    X, y = make_problem(estimator)
    if get_tags(estimator).input_tags.allow_nan:
        X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return X, y


def other_values(model, name):
    """Values that the parameter does not have: the other options, the other truth value, None, what no code can use."""
    now = getattr(model, name)
    found = [None, object()]
    if name in ("estimator", "estimators"):  # the tags of an ensemble are those of its members
        other = DummyClassifier() if hasattr(model, "classes_") else DummyRegressor()
        found[1] = [("other", other)] if name == "estimators" else other
    for rule in model._constraints[name]:
        if isinstance(rule, Options):
            found += rule.options
        elif isinstance(rule, str) and rule == "boolean":
            found += [True, False]
    if isinstance(now, (int, float)) and not isinstance(now, bool):
        found.append(now + 1)
    return [value for value in found if not (type(value) is type(now) and value == now)]


@pytest.mark.parametrize(
    "estimator", [*DEFAULTS, *OTHERS], ids=lambda e: name_of(e) if e in DEFAULTS else " ".join(repr(e).split())
)
def test_parameters_changed_after_fit_leave_predictions_alone(estimator):
    X, y = problem(estimator)
    model = clone(estimator).fit(X, y)
    before = outputs(model, X)
    legal = {**EVERYWHERE, **AT_PREDICTION.get(name_of(estimator), {})}
    acting = {}
    for name, now in model.get_params(deep=False).items():
        for value in other_values(model, name) if name not in legal else []:
            setattr(model, name, value)
            try:
                assert_same_state(outputs(model, X), before)
            except Exception as error:
                acting[f"{name}={value!r}"] = error
            finally:
                setattr(model, name, now)
    assert not acting, acting


def test_a_loss_set_after_the_fit_leaves_every_prediction_alone(rng):
    X = rng.normal(size=(80, 3))
    classifier = GradientBoostingClassifier(n_estimators=5).fit(X, X[:, 0] > 0)
    regressor = GradientBoostingRegressor(n_estimators=5).fit(X, X[:, 0])
    shares, values = classifier.predict_proba(X), regressor.predict(X)
    classifier.set_params(loss="exponential")
    regressor.set_params(loss="poisson")
    np.testing.assert_array_equal(classifier.predict_proba(X), shares)
    np.testing.assert_array_equal(list(classifier.staged_predict_proba(X))[-1], shares)
    assert_close(classifier.fast_predictor().predict_proba(X[0]), shares[0], rtol=1e-12, atol=0)
    np.testing.assert_array_equal(regressor.predict(X), values)
    np.testing.assert_array_equal(list(regressor.staged_predict(X))[-1], values)
    assert regressor.fast_predictor().predict(X[0]) == values[0]


def test_a_formula_set_after_the_fit_leaves_predictions_alone(rng):
    import pandas

    table = pandas.DataFrame(rng.uniform(size=(80, 3)), columns=["a", "b", "y"])
    model = GAM("y ~ s(a, k=5) + b").fit(table)
    before = model.predict(table)
    model.set_params(terms="y ~ b")
    np.testing.assert_array_equal(model.predict(table), before)


@pytest.mark.parametrize(
    "model",
    [
        AdditiveModel(family="poisson"),
        GAM([s(0, 5), lin(1)], family="poisson"),
        GAM([s(0, 5), lin(1)], family="gamma", link="power", link_power=0.5),
    ],
    ids=["AdditiveModel", "GAM", "GAM with a power link"],
)
def test_a_link_or_family_set_after_the_fit_leaves_predictions_alone(model, rng):
    X = rng.uniform(size=(80, 2))
    model = clone(model).fit(X, 1.0 + rng.poisson(2.0 + 5.0 * X[:, 0]))
    before = model.predict(X)
    model.set_params(link="identity", family="gaussian")
    np.testing.assert_array_equal(model.predict(X), before)


def test_an_update_rule_set_after_the_fit_leaves_scores_of_zero_alone():
    X, y = np.array([[-1.0], [1.0]]), ["lower", "upper"]
    for update, other in (("sign", "margin"), ("margin", "sign")):
        model = Perceptron(update=update, fit_intercept=False, shuffle=False, tol=None).fit(X, y)
        before = model.predict([[0.0]])
        assert model.set_params(update=other).predict([[0.0]]) == before
