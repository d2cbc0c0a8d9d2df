"""Search of the public names by word, synonym and first sentence."""

import importlib

import pytest

import statlearn
from statlearn import linear
from statlearn._core.find import first_sentence
from statlearn._core.synonyms import SYNONYMS, place


def calls(word):
    return [f"{match.package.removeprefix('statlearn.')}.{match.call}" for match in statlearn.find(word)]


@pytest.mark.spec("CRS-171")
def test_entropy_is_listed_for_every_family_that_has_it():
    found = statlearn.find("entropy")
    names = [match.name for match in found]
    assert names[:2] == ["entropy", "information_gain"]
    assert {"cross_entropy", "joint_entropy", "CrossEntropy"} <= set(names)
    assert len(set((match.package, match.name) for match in found)) == len(found)
    line = next(line for line in str(found).splitlines() if line.startswith("statlearn.trees.entropy "))
    assert line.endswith(first_sentence(statlearn.trees.entropy))
    for match in found:
        assert getattr(importlib.import_module(match.package), match.name).__doc__


@pytest.mark.spec("CRS-171")
def test_synonyms_come_first_with_their_parameters():
    assert calls("xgboost")[0] == "ensemble.GradientBoostingClassifier(reg_lambda=, gamma=)"
    assert calls("Market-Basket") == ["rules.AssociationRules", "rules.apriori", "rules.fpgrowth"]
    assert calls("kriging") == ["gp.GaussianProcessRegressor"]
    assert set(SYNONYMS["softmax"]) <= set(calls("softmax"))


@pytest.mark.spec("CRS-171")
def test_every_synonym_has_results():
    for word, entries in SYNONYMS.items():
        found = {(match.package, match.name) for match in statlearn.find(word)}
        assert {place(entry) for entry in entries} <= found, word


def test_names_that_contain_the_word_come_before_texts():
    names = [match.name for match in statlearn.find("Lasso")]
    assert names[0] == "Lasso"
    by_name = [k for k, name in enumerate(names) if "lasso" in name.lower()]
    assert by_name == list(range(len(by_name)))
    assert len(names) > len(by_name)


def test_words_match_at_the_beginning_of_parts():
    assert "PoissonRegressor" not in [match.name for match in statlearn.find("son")]
    assert "PoissonRegressor" in [match.name for match in statlearn.find("poisson regress")]
    assert {"KMeans", "k_means", "MiniBatchKMeans", "SoftKMeans"} <= {m.name for m in statlearn.find("kmeans")}
    assert "CategoricalHMM" in [match.name for match in statlearn.find("hmm")]


def test_short_words_match_whole_words():
    names = {match.name for match in statlearn.find("SMO")}
    assert {"smo_solve", "smo_step", "SVC"} <= names
    assert "CategoricalNB" not in names  # which smooths
    assert "partial_dependence" not in {match.name for match in statlearn.find("SOM")}  # of some columns


def test_a_class_of_two_families_is_listed_once():
    names = [match.name for match in statlearn.find("KernelDensity")]
    assert names.count("KernelDensity") == 1
    assert [m.package for m in statlearn.find("LeaveOneOut") if m.name == "LeaveOneOut"] == [
        "statlearn.assess",
        "statlearn.gp",
    ]


def test_a_word_without_match_gets_similar_ones():
    found = statlearn.find("gausian")
    assert found == []
    assert str(found).startswith("Nothing in statlearn matches 'gausian'. Similar words: ")
    assert found.close
    assert str(statlearn.find("qqqqqqqq")) == "Nothing in statlearn matches 'qqqqqqqq'."


@pytest.mark.spec("CRS-171")
@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("ID3 algorithm", "ID3Classifier"),
        ("6.3 Gradient Tree Boosting", "GradientBoostingRegressor"),
        ("SVM for Regression 2", "SVR"),
        ("The Covariance (Just for fun)", "covariance_df"),
        ("Smoothing splines solution", "SmoothingSpline"),
        ("Variable importance (Gini, RSS)", "plot_importance"),
        ("Adaboost Update", "AdaBoostClassifier"),
        ("Bayesian Optimization Algorithm", "BayesianOptimizer"),
        ("Bayes factor", "GaussianNB"),
        ("Marginal of a Gaussian distribution", "marginal"),
        ("Dendrograms", "dendrogram"),
        ("2) Univariate Trees:", "DecisionTreeClassifier"),
        ("Generalized Crossvalidation", "gcv_score"),
        ("Missing values, Class and Samples Weights", "SimpleImputer"),
        ("LARS Idea", "Lars"),
        ("SVM Complexity", "SVC"),
        ("Concentration matrix", "precision_matrix"),
        ("Ensemble Methods", "RandomForestClassifier"),
        ("Parallelization: The Constant Liar", "BayesianOptimizer"),
    ],
)
def test_headings_of_the_courses_find_their_method(heading, name):
    assert name in [match.name for match in statlearn.find(heading)][:5]


@pytest.mark.parametrize("word", ["", " - ", None, 3])
def test_a_word_must_be_a_text(word):
    with pytest.raises(ValueError, match="`word` must be a text"):
        statlearn.find(word)


def test_first_sentences_have_no_markup():
    assert first_sentence(linear.Ridge) == "Ridge regression: least squares with an L2 penalty on the slopes."
    assert first_sentence((1, 2)) == ""
    for match in statlearn.find("e"):
        assert "`" not in match.summary
