"""One instance of every registered estimator, and data that suits it.

A new estimator is tested here by being exported from its family. It needs an entry below only when its defaults are
slow on small data, or when one of scikit-learn's checks cannot hold for it.
"""

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from statlearn import all_estimators
from statlearn.gp import RBF, Matern
from statlearn.linear import LogisticRegression, Ridge
from statlearn.prep import RandomOverSampler, StandardScaler
from statlearn.svm import SVC
from statlearn.trees import DecisionTreeClassifier, DecisionTreeRegressor

# Members that are fitted at once; the default has boosted trees.
TWO_CLASSIFIERS = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
TWO_REGRESSORS = [("linear", Ridge()), ("tree", DecisionTreeRegressor(max_depth=3))]

# Settings under which an estimator is tested, where the defaults would be slow or refuse the data of the checks.
SETTINGS: dict[str, dict] = {
    "LatentDirichletAllocation": {"n_components": 2, "max_iter": 5, "random_state": 0},
    "TSNE": {"perplexity": 2, "max_iter": 250, "random_state": 0},
    "PLSCanonical": {"n_components": 1},
    "PLSSVD": {"n_components": 1},
    "AdaBoostClassifier": {"n_estimators": 10, "random_state": 0},  # its members keep their seeds
    "AdaBoostRegressor": {"n_estimators": 4, "random_state": 0},
    "ArchetypalAnalysis": {"n_archetypes": 2, "random_state": 0, "n_init": 1},
    "CCA": {"n_components": 1},  # one target has one pair
    "ContentRecommender": {"item_features": np.eye(12) + 0.1},
    "DictionaryLearning": {"n_components": 3, "max_iter": 20, "random_state": 0},
    "ImplicitFactorization": {"n_components": 2, "max_iter": 100, "random_state": 0},
    "KSVD": {"n_components": 3, "max_iter": 20, "tol": 1e-2, "random_state": 0},
    "MatrixFactorization": {"n_components": 2, "max_iter": 200, "random_state": 0},
    "MiniBatchDictionaryLearning": {"n_components": 3, "max_iter": 5, "batch_size": 20, "random_state": 0},
    "MiniBatchNMF": {"n_components": 2, "max_iter": 500, "tol": 1e-2, "fresh_restarts": True, "random_state": 0},
    "NMF": {"n_components": 2, "max_iter": 2000, "random_state": 0},
    "OnlineDictionaryLearning": {"n_components": 3, "max_iter": 2, "random_state": 0},
    "SparseCoder": {"dictionary": "cosine"},  # atoms of the length of any signals
    "AdditiveModel": {"max_iter": 5, "tol": 0.05},  # backfitting never settles with 30 columns for 15 rows
    "AffinityPropagation": {"damping": 0.9, "max_iter": 1000, "random_state": 0},  # on one cloud messages swing
    "AssociationRules": {"max_len": 3},  # some checks have 30 columns: tens of thousands of sets of five
    "BaggingClassifier": {"n_estimators": 3, "random_state": 0},
    "BayesianSplineRegressor": {"sigma2": 1.0, "tau": 1.0},  # some checks have 30 columns and 15 rows: no noise is left
    "BaggingRegressor": {"n_estimators": 3, "random_state": 0},
    "GentleBoostClassifier": {"n_estimators": 5, "random_state": 0},
    "IsolationForest": {"n_estimators": 10, "random_state": 0},
    "GradientBooster": {"n_estimators": 4, "learning_rate": 0.5, "random_state": 0},
    "LogitBoostClassifier": {"n_estimators": 5, "random_state": 0},
    "BayesSearchCV": {
        "error_score": "raise",
        "search_spaces": {"alpha": (0.1, 1.0)},
        "n_iter": 2,
        "cv": 2,
        "random_state": 0,
    },
    "BernoulliRBM": {"n_components": 3, "n_iter": 3, "random_state": 0},
    "BoltzmannMachine": {"n_hidden": 1, "n_iter": 5, "binarize": 0.0, "random_state": 0},
    "BestSubsetRegressor": {"max_size": 2},  # some checks have 30 columns of noise and fewer rows
    "CandidateElimination": {"on_empty": "skip"},  # the labels of the checks are noisy
    "CalibratedClassifier": {"cv": 3},  # some checks have classes of four rows
    "COPKMeans": {"n_clusters": 3, "random_state": 0},
    "ColorQuantizer": {"n_colors": 3, "random_state": 0},
    "ConditionalGGM": {"penalize_diagonal": True},  # some checks have responses without noise
    "ConformalClassifier": {"random_state": 0},  # the calibration rows are drawn
    "ConformalRegressor": {"random_state": 0},
    "EllipticEnvelope": {"random_state": 0},  # subsets are drawn
    "ExtraTreeClassifier": {"random_state": 0},  # thresholds are drawn
    "ExtraTreeRegressor": {"random_state": 0},
    "ExtraTreesClassifier": {"n_estimators": 5, "random_state": 0},
    "ExtraTreesRegressor": {"n_estimators": 5, "random_state": 0},
    "FactorizationMachineClassifier": {"n_components": 2, "alpha_pairs": 5.0},
    "FactorizationMachineRegressor": {"n_components": 2, "tol": 1e-10},  # weights = copies to 7 digits
    "FlexibleDiscriminantAnalysis": {"regressor": Ridge()},  # some checks have 30 columns for 15 rows
    # A broken row fails some folds only, which is but a warning by default.
    "ComponentClassifier": {"random_state": 0},
    "ComponentRegressor": {"random_state": 0},
    "FactorAnalysis": {"n_components": 2, "tol": 1e-6},
    "FastICA": {"n_components": 2, "random_state": 0, "max_iter": 1000},  # by default one per row: white noise
    "ProDenICA": {"n_components": 2, "random_state": 0, "n_init": 0, "n_grid": 60, "tol": 1.0},  # normal data
    "PrincipalCurve": {"tol": 1.0},  # one step
    "PrincipalSurface": {"tol": 1.0, "grid_size": 8},
    "RANSACPCA": {"random_state": 0, "max_trials": 10},
    "GridSearchCV": {"error_score": "raise", "param_grid": {"alpha": [0.1, 1.0]}, "cv": 2},
    "GeneralizedRules": {"random_state": 0, "holdout": 0.0, "min_ratio": 0.0},  # some checks have few rows
    "GraphicalLassoCV": {"alphas": [0.05, 0.2], "cv": 2},  # with fewer rows than columns the refined grid is slow
    # Points and orders are drawn; targets without noise would lead the noise to its bound.
    "SparseGaussianProcessRegressor": {"n_inducing": 200, "kernel": 1.0 * RBF(), "alpha": 0.1, "random_state": 0},
    "StateSpaceGaussianProcessRegressor": {"column": 0, "kernel": 1.0 * Matern(), "alpha": 0.1},
    "VecchiaGaussianProcessRegressor": {"n_neighbors": 5, "kernel": 1.0 * RBF(), "alpha": 0.1, "random_state": 0},
    "GaussianProcessRegressor": {"alpha": 0.1},  # without noise the likelihood takes many steps
    "GradientBoostingClassifier": {"n_estimators": 20},
    "GradientBoostingRegressor": {"n_estimators": 20},
    "BisectingKMeans": {"n_clusters": 3, "random_state": 0},
    "FuzzyCMeans": {"n_clusters": 3, "random_state": 0},
    "ImageFeatures": {"cell": 2, "block": 1},  # the images are small
    "IsingModel": {"method": "pseudo", "binarize": 0.0, "l2": 0.1},  # some checks have columns of one sign
    "KMeans": {"n_clusters": 3, "random_state": 0},  # some checks have few rows
    "KMedoids": {"n_clusters": 3, "method": "clara", "random_state": 0},  # no matrix of 10,000 x 10,000
    "KModes": {"n_clusters": 3, "random_state": 0},
    "KPrototypes": {"n_clusters": 3, "random_state": 0},
    "KernelRidgeCV": {"alphas": 10, "criterion": "gcv"},  # leave-one-out removes all copies of a row
    "Nystroem": {"n_components": 5, "random_state": 0},
    "PolynomialCountSketch": {"n_components": 10, "random_state": 0},
    "RBFSampler": {"n_components": 10, "random_state": 0},
    "SkewedChi2Sampler": {"n_components": 10, "skewedness": 100.0, "random_state": 0},  # entries above -100
    "KernelKMeans": {"n_clusters": 3, "kernel": "linear", "random_state": 0},  # rbf takes half a minute on 10,000 rows
    "LocalLikelihood": {"alpha": 0.01},  # windows of small problems are singular
    "LocalLogistic": {"alpha": 0.1},  # windows of small problems are separated
    "LogisticRegressionCV": {"Cs": 3, "cv": 3},  # some checks have classes of four rows
    **{
        name: {"n_units": 2, "solver": "lbfgs", "alpha": 1.0, "tol": 1e-2, "random_state": 0}
        for name in ("AttentionClassifier", "RecurrentClassifier", "RecurrentRegressor")
    },
    "Autoencoder": {
        "n_components": 1,
        "hidden_layer_sizes": (),
        "solver": "lbfgs",
        "alpha": 1.0,
        "tol": 1e-8,
        "random_state": 0,
    },
    "ContrastiveEncoder": {"n_components": 2, "hidden_layer_sizes": 4, "tol": 10.0, "random_state": 0},  # 12 epochs
    "Conv2dClassifier": {
        "filters": 2,
        "hidden_layer_sizes": (),
        "solver": "lbfgs",
        "alpha": 1.0,
        "strict": False,
        "tol": 1e-2,
        "random_state": 0,
    },
    "MLPClassifier": {
        "hidden_layer_sizes": (5,),
        "activation": "tanh",
        "solver": "lbfgs",
        "alpha": 1.0,
        "random_state": 0,
    },
    # With more units rounding chooses among the minima.
    "MLPRegressor": {
        "hidden_layer_sizes": (2,),
        "activation": "tanh",
        "solver": "lbfgs",
        "alpha": 5.0,
        "tol": 1e-7,
        "random_state": 0,
    },
    "MinCovDet": {"random_state": 0},  # subsets are drawn
    "DiffusionMap": {"random_state": 0},  # the eigensolver starts at random vectors
    "KernelPCA": {"n_components": 2, "random_state": 0},
    "LocallyLinearEmbedding": {"random_state": 0},
    "MDS": {"random_state": 0},
    "MiniBatchSparsePCA": {"n_components": 2, "random_state": 0, "alpha": 0.1, "max_iter": 10},
    "ShardedClassifier": {"n_shards": 2, "random_state": 0},
    "ShardedRegressor": {"n_shards": 2, "random_state": 0},
    "SparsePCA": {"n_components": 2, "random_state": 0, "alpha": 0.1, "tol": 1e-4},
    "SpectralEmbedding": {"random_state": 0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "ObliqueTreeClassifier": {"max_depth": 6},  # grown fully on 10,000 rows it takes many seconds
    "ObliqueTreeRegressor": {"max_depth": 6},
    "PCA": {"n_components": 2, "random_state": 0},  # by default one per distinct row: copies would count
    "PRIM": {"max_boxes": 2, "cv": 2},
    "ProjectionPursuitRegressor": {"n_terms": 1, "n_starts": 1},
    "ProgramClassifier": {"program": "p(X) :- X mod 3 =:= 1."},  # its examples are atoms
    # Raises LinAlgError for singular covariances, as scikit-learn's; some checks have fewer rows than columns.
    "QuadraticDiscriminantAnalysis": {"solver": "eigen", "shrinkage": 0.1},
    "RadiusNeighborsClassifier": {"radius": 2.2},  # nobody is far from everybody
    "RadiusNeighborsRegressor": {"radius": 2.2},
    "RandomForestClassifier": {"n_estimators": 5, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 5, "random_state": 0},
    "RandomTreesEmbedding": {"n_estimators": 5, "random_state": 0},
    "RelationalClassifier": {"max_literals": 1, "n_thresholds": 2},
    "RandomizedSearchCV": {"error_score": "raise", "random_state": 0, "n_iter": 2, "cv": 2},
    "RegularizedDiscriminantAnalysis": {"alpha": [0.5, 1.0], "gamma": [0.1, 0.5]},
    "SequentialFeatureSelector": {"cv": 2, "n_features_to_select": 1},
    "ShrunkenCentroidsCV": {"n_thresholds": 5},
    "StabilityGGM": {"n_subsamples": 2, "alphas": 3, "min_ratio": 0.5, "random_state": 0},
    "StackingClassifier": {"estimators": TWO_CLASSIFIERS, "cv": 2},
    "StackingRegressor": {"estimators": TWO_REGRESSORS, "cv": 2},
    "SelfOrganizingMap": {"shape": (1, 3), "n_passes": 10, "random_state": 0},  # some checks look for three blobs
    "SpectralClustering": {"n_clusters": 3, "random_state": 0, "n_init": 2},  # some checks have few rows
    "SamplingPipeline": {
        "steps": [
            ("scale", StandardScaler()),
            ("more", RandomOverSampler(random_state=0)),
            ("model", LogisticRegression()),
        ]
    },
    "TruncatedSVD": {"random_state": 0},
    "TransactionEncoder": {"sep": " "},  # the checks bring documents
    "GAMClassifier": {"select": True},  # curves separate the classes of small problems
    # Curves separate the classes of small problems; a selection among 30 columns is 466 fits.
    "SplineLogistic": {"C": 100.0, "selection": None},
    "TensorProductSpline": {"df": 3},  # products of pairs of four columns would outnumber the rows
    "VotingClassifier": {"estimators": TWO_CLASSIFIERS},
    "VotingRegressor": {"estimators": TWO_REGRESSORS},
    "VectorQuantizer": {"n_codes": 3, "random_state": 0},
    "CategoricalHMM": {"random_state": 0, "n_init": 1, "tol": 1e-3},  # start tables are drawn
    "GaussianMixtureIC": {"n_components": [1, 2], "random_state": 0},
    "HierarchicalMixtureOfExperts": {"random_state": 0, "n_init": 1, "tol": 1e-3},
    # With a weak penalty the last digits of the checks take thousands of steps.
    "HierarchicalMixtureOfExpertsClassifier": {"random_state": 0, "n_init": 1, "tol": 1e-2, "alpha": 1.0},
    "LatentClassModel": {"random_state": 0, "n_init": 1, "tol": 1e-5},  # start tables are drawn
    "LinearRegressionMixture": {"random_state": 0, "n_init": 1, "tol": 1e-4},  # start lines are drawn
    "LogisticRegressionMixture": {"random_state": 0, "n_init": 1, "tol": 1e-4},
    "MixtureDiscriminantAnalysis": {"n_subclasses": 1, "random_state": 0},  # the starts of subclasses are drawn
    "MixtureOfExperts": {"random_state": 0, "n_init": 1, "tol": 1e-4},
    "MixtureOfExpertsClassifier": {"random_state": 0, "n_init": 1, "tol": 1e-4},
    "SoftKMeans": {"n_clusters": 3, "random_state": 0},  # some checks have few rows
    # Weights equal copies to seven digits only near the optimum.
    "NuSVC": {"nu": 0.2, "tol": 1e-10},  # the share of a class in some checks is small
    "NuSVR": {"tol": 1e-10},
    "HardMarginSVC": {"kernel": "rbf", "gamma": 5.0},  # the classes of the checks overlap
    "OneVsOneClassifier": {"estimator": SVC(tol=1e-10)},
    "SVCCV": {"Cs": [0.1, 1.0], "cv": 2, "tol": 1e-10},
    "LinearSVC": {"tol": 1e-10, "max_iter": 100_000, "C": 0.1, "random_state": 0},
    "LinearSVR": {"tol": 1e-10, "max_iter": 100_000, "C": 0.1, "random_state": 0},
    "OneClassSVM": {"tol": 1e-10},
    "SGDClassifier": {"random_state": 0},  # the order of the rows is drawn
    "SGDOneClassSVM": {"random_state": 0},
    "SGDRegressor": {"random_state": 0},
    "SVC": {"tol": 1e-10},
    "SVR": {"tol": 1e-10},
    "LassoLarsIC": {"noise_variance": 1.0},  # cannot be estimated from fewer rows than columns
}

# Rows of the tests that want many of them, where memory or time grows with their square.
MANY_ROWS: dict[str, int] = {
    "AffinityPropagation": 400,
    "ClassicalMDS": 800,
    "CondensedNearestNeighbors": 1200,
    "Conv2dClassifier": 500,
    "DiffusionMap": 800,
    "EmpiricalKernelMap": 500,  # a matrix is decomposed
    "GaussianProcessClassifier": 300,
    "GaussianProcessRegressor": 300,
    "ImageFeatures": 500,
    "Isomap": 600,
    "KernelCenterer": 500,
    "KernelPCA": 1000,
    "KernelRidge": 1000,
    "KernelRidgeCV": 500,
    "KNeighborsTransformer": 2000,  # a matrix of distances is compared
    "LabelPropagation": 600,
    "LabelSpreading": 600,
    "LocalLikelihood": 1000,
    "LocalLogistic": 500,
    "LocallyLinearEmbedding": 1000,
    "MDS": 500,
    "MeanShift": 1000,
    "MixedDistance": 2000,
    "NuSVC": 600,
    "RadiusNeighborsTransformer": 2000,
    "RelationalClassifier": 300,  # every row that no rule covers is searched
    "AttentionClassifier": 500,
    "RecurrentClassifier": 500,
    "RecurrentRegressor": 500,
    "RandomEffectBasis": 300,  # every number is a separate level
    "SpectralClustering": 1000,
    "SpectralEmbedding": 800,
    "SVCCV": 1000,
    "ThinPlateSpline": 1000,
    "VaryingCoefficientModel": 600,
}

# Checks that cannot pass, by estimator, each with the reason.
_EXACT = {"check_non_transformer_estimators_n_iter": "exact solvers do not iterate: n_iter_ is None"}
_ORDER = "rows are met one by one: a weight lengthens a step, copies are met at different times"
BY_ROUNDING = "30 columns for 15 rows: the criterion has many minima, and rounding chooses"  # it may pass, too
_EVERY_FIT = "every fit of the search warns of the column, the check expects one warning"
_DRAWN = "rows are drawn in proportion to their weights: the same trees in distribution, not one by one"
_BOOTSTRAP = {
    "check_sample_weight_equivalence_on_dense_data": _DRAWN,
    "check_sample_weight_equivalence_on_sparse_data": _DRAWN,
}
_ITEMS = "a sparse matrix holds items: values other than 0 and 1 are refused"
_NO_ESTIMATE = {
    "check_sample_weight_equivalence_on_dense_data": "30 columns for 15 rows: no maximum-likelihood estimate exists",
}
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "AssociationRules": {
        "check_estimator_sparse_array": _ITEMS,
        "check_estimator_sparse_matrix": _ITEMS,
        "check_sample_weight_equivalence_on_sparse_data": _ITEMS,
    },
    "BernoulliRBM": {
        "check_methods_sample_order_invariance": "score_samples flips a random unit of each row",
        "check_methods_subset_invariance": "score_samples flips a random unit of each row",
    },
    "GaussianGraphicalMLE": _NO_ESTIMATE,
    "StepwiseGGM": _NO_ESTIMATE,
    "ThresholdGGM": _NO_ESTIMATE,
    "BaggingClassifier": _BOOTSTRAP,
    "BaggingRegressor": _BOOTSTRAP,
    "IsolationForest": _BOOTSTRAP,
    "RandomForestClassifier": _BOOTSTRAP,
    "RandomForestRegressor": _BOOTSTRAP,
    "KModes": {"check_clustering": "every number is a level of its own: there are no blobs to find"},
    "MiniBatchKMeans": {
        "check_sample_weight_equivalence_on_dense_data": "batches and samples have sizes that count rows, not weights",
        "check_sample_weight_equivalence_on_sparse_data": "batches and samples have sizes that count rows, not weights",
    },
    "GAM": {
        "check_sample_weight_equivalence_on_dense_data": BY_ROUNDING,
    },
    "GAMClassifier": {
        "check_sample_weight_equivalence_on_dense_data": "the classes of its data are separated: no finite optimum",
    },
    "StepwiseLogistic": {
        "check_sample_weight_equivalence_on_dense_data": "the classes of its data are separated: no finite optimum",
    },
    "Perceptron": {
        "check_sample_weight_equivalence_on_dense_data": _ORDER,
        "check_sample_weight_equivalence_on_sparse_data": _ORDER,
    },
    "SGDClassifier": {
        "check_sample_weight_equivalence_on_dense_data": _ORDER,
        "check_sample_weight_equivalence_on_sparse_data": _ORDER,
    },
    "SGDOneClassSVM": {
        "check_sample_weight_equivalence_on_dense_data": _ORDER,
        "check_sample_weight_equivalence_on_sparse_data": _ORDER,
    },
    "SGDRegressor": {
        "check_sample_weight_equivalence_on_dense_data": _ORDER,
        "check_sample_weight_equivalence_on_sparse_data": _ORDER,
    },
    "FormulaModel": {
        "check_dataframe_column_names_consistency": "columns are found by name: any order, others are ignored",
    },
    "FormulaTransformer": {
        "check_dataframe_column_names_consistency": "columns are found by name: any order, others are ignored",
    },
    "TableTransformer": {
        "check_dataframe_column_names_consistency": "columns are found by name: any order, others are ignored",
    },
    "QuadraticDiscriminantAnalysis": {
        "check_sample_weight_equivalence_on_dense_data": "a class of its data has one distinct row: no covariance",
    },
    "SamplingPipeline": {
        "check_estimators_overwrite_params": "the steps are fitted in place, as in scikit-learn's pipelines",
    },
    "BayesSearchCV": {"check_supervised_y_2d": _EVERY_FIT},
    "GridSearchCV": {"check_supervised_y_2d": _EVERY_FIT},
    "RandomizedSearchCV": {"check_supervised_y_2d": _EVERY_FIT},
    "HardMarginSVC": {
        name: "its labels are random, also for equal rows: there is no hard margin"
        for name in ("check_estimator_sparse_tag", "check_estimator_sparse_array", "check_estimator_sparse_matrix")
    },
    "NuSVC": {"check_class_weight_classifiers": "no nu is feasible where one class has a weight near zero"},
    "SelfTrainingClassifier": {
        "check_non_transformer_estimators_n_iter": "all rows have labels: there is no round",
    },
    "SemiSupervisedNB": {
        "check_classifiers_classes": "-1, a class of the check, marks unlabelled rows",
        "check_non_transformer_estimators_n_iter": "all rows have labels: there is no step",
    },
    "Ridge": _EXACT,
    "RidgeClassifier": _EXACT,
}

# What would be broken data elsewhere (test_bad_input.py) and is legal here, each with the reason.
LEGAL_DATA: dict[str, dict[str, str]] = {
    "HDBSCAN": {"infinity in X": "such rows get a label of their own"},
    "OneHotEncoder": {"infinity in X": "a number is a level like any other"},
}

# Weights that would be broken elsewhere.
_LEFT_OUT = "the row is left out with a warning, as scikit-learn's machines leave it out"
LEGAL_WEIGHTS: dict[str, dict[str, str]] = {
    name: {"negative": _LEFT_OUT} for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "HardMarginSVC", "SVCCV")
}

# Learn from classes, though they are no classifiers.
CLASS_TARGETS = {
    "CondensedNearestNeighbors",
    "DensitySimilaritySelector",
    "EditedNearestNeighbors",
    "RandomOverSampler",
    "RandomUnderSampler",
    "SMOTE",
    "SimilarityUnderSampler",
}


# Take y of NaN, None or -1 for a row without a label.
PARTIAL_LABELS = {"LabelPropagation", "LabelSpreading", "SelfTrainingClassifier", "SemiSupervisedNB"}

# Learn from symbols or categories, here whole numbers.
CODED = {"CategoricalHMM", "CategoricalNB", "DiscreteBayesianNetwork", "ID3Classifier", "LatentClassModel"}

# Learn from ratings: a user, an item and a rating per row.
RATINGS = {
    "ContentRecommender",
    "ImplicitFactorization",
    "ItemKNNRecommender",
    "MatrixFactorization",
    "UserKNNRecommender",
}


def all_instances(type_filter=None, *, tables=False):
    """A fresh instance of every estimator; with `tables` only of those that take tables, not documents or kernels."""
    instances = [cls(**SETTINGS.get(name, {})) for name, cls in all_estimators(type_filter)]
    tags = [get_tags(e).input_tags for e in instances]
    return [e for e, t in zip(instances, tags) if not tables or (t.two_d_array and not t.pairwise)]


def instance_of(name):
    """A fresh instance of the estimator of this name."""
    return dict(all_estimators())[name](**SETTINGS.get(name, {}))


def name_of(estimator):
    return type(estimator).__name__


def takes_vectors(estimator):
    """Whether a vector X is read as one column: all smoothers and kernel densities."""
    return type(estimator).__module__.startswith("statlearn.smooth.") or name_of(estimator) == "KernelDensity"


def expected_failures(estimator):
    expected = EXPECTED_FAILURES.get(name_of(estimator), {})
    if takes_vectors(estimator) and get_tags(estimator).input_tags.two_d_array:
        expected = {**expected, "check_fit1d": "a vector is one column"}
    return expected


def make_problem(estimator, *, n=60, p=4, dtype=np.float64, seed=0):
    """X and y that the estimator can learn from: two classes, or a noisy linear target, positive where it must be."""
    rng = np.random.default_rng(seed)
    if name_of(estimator) == "ProgramClassifier":
        return np.array([f"p({k})" for k in range(n)], dtype=object), np.arange(n) % 2
    X = rng.normal(size=(n, p)) + 1.0
    if name_of(estimator) == "BernoulliRBM":
        X = 1.0 / (1.0 + np.exp(-X))  # probabilities; it warns of other values
    if get_tags(estimator).input_tags.positive_only:
        X = np.abs(X)
    if name_of(estimator) == "OneHotEncoder":
        X = np.round(X, 1)  # a column per level: thousands of distinct numbers would fill the memory
    if name_of(estimator) in CODED:
        X = np.round(X)  # a symbol or category per distinct number
    score = X @ rng.normal(size=p) + 0.5 * rng.normal(size=n)
    tags = get_tags(estimator)
    if tags.input_tags.pairwise:
        X = np.einsum("ik,jk->ij", X, X)  # a kernel matrix, the same bits for any number of BLAS threads
    if tags.input_tags.one_d_array:
        return X[:, :1].astype(dtype), score.astype(dtype)
    if name_of(estimator) in RATINGS:
        at = rng.choice(144, size=min(n, 100), replace=False)
        return np.column_stack([at // 12, at % 12, rng.integers(1, 6, size=len(at))]).astype(dtype), None
    if not tags.input_tags.two_d_array:
        y = (score > np.median(score)).astype(int) if tags.estimator_type == "classifier" else score
        return (documents(n, rng) if tags.input_tags.string else rng.random((n, p, p)).astype(dtype)), y
    if tags.estimator_type == "classifier" or name_of(estimator) in CLASS_TARGETS:
        y = (score > np.median(score)).astype(int)
        flipped = rng.choice(n, size=n // 10, replace=False)  # no hyperplane separates the classes
        y[flipped] = 1 - y[flipped]
        return X.astype(dtype), y
    y = np.exp(0.3 * score) if tags.target_tags.positive_only else score
    if not tags.target_tags.single_output:
        y = np.column_stack([y, X[:, 0] - y])
    return X.astype(dtype), y.astype(dtype)


def documents(n, rng):
    """Short texts over a dozen words."""
    words = ["red", "green", "blue", "apple", "pear", "tree", "house", "river", "stone", "bird", "song"]
    texts = np.empty(n, dtype=object)
    texts[:] = [" ".join(rng.choice(words, size=rng.integers(2, 7))) for _ in range(n)]
    return texts


def outputs(estimator, X):
    """What the fitted estimator says about X, by method."""
    methods = ("predict", "decision_function", "predict_proba", "transform")
    found = {m: getattr(estimator, m)(X) for m in methods if hasattr(estimator, m)}
    return {m: said.toarray() if sparse.issparse(said) else said for m, said in found.items()}
