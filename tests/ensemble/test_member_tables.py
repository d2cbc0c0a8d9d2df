"""Data frames with categories in ensembles whose members are fitted to arrays."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from statlearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    BayesianModelAveraging,
    ExclusiveFeatureBundler,
    ForwardStagewise,
    GentleBoostClassifier,
    GradientBooster,
    GradientBoostingClassifier,
    LogitBoostClassifier,
    RandomForestClassifier,
    RandomTreesEmbedding,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
    partial_dependence,
    tree_shap,
)
from statlearn.linear import LinearRegression, LogisticRegression, Ridge
from statlearn.prep import TableTransformer
from statlearn.trees import C45Classifier, DecisionTreeClassifier, DecisionTreeRegressor
from tests.helpers import assert_close

BOOSTED = [
    AdaBoostClassifier(n_estimators=15, random_state=0),
    AdaBoostClassifier(algorithm="real", n_estimators=15, random_state=0),
    AdaBoostRegressor(n_estimators=5, random_state=0),
    LogitBoostClassifier(n_estimators=15, random_state=0),
    GentleBoostClassifier(n_estimators=15, random_state=0),
    GradientBooster(n_estimators=15, random_state=0),
]
BAGGED = [
    BaggingClassifier(random_state=0),
    BaggingClassifier(vote="hard", random_state=0),
    BaggingRegressor(random_state=0),
]
SETS = ["b", "d", "f"]  # levels of one kind: no cut of the letters in their order tells them from the others


def problem(kind="pandas", n=300, seed=0):
    """A frame with letters, whole numbers that are names, and sizes; a target that depends on sets of letters."""
    rng = np.random.default_rng(seed)
    letters, codes, x = rng.choice(list("abcdef"), n), rng.integers(1, 5, n), rng.normal(size=n)
    x[::17] = np.nan
    y = 2.0 * np.isin(letters, SETS) + np.isin(codes, [1, 4]) + 0.3 * rng.normal(size=n)
    if kind == "pandas":
        X = pd.DataFrame({"letter": pd.Categorical(letters), "x": x, "code": pd.Categorical(codes)})
    else:
        X = pl.DataFrame({"letter": letters, "x": x, "code": codes.astype(str)}).with_columns(
            pl.col("letter").cast(pl.Categorical), pl.col("code").cast(pl.Categorical)
        )
    return X, y


def target_for(model, y):
    return np.where(y > 1.5, "high", "low") if is_classifier(model) else y


def as_codes(X):
    return np.column_stack([X["letter"].cat.codes, X["x"], X["code"].cat.codes]).astype(float)


@pytest.mark.parametrize("model", BOOSTED + BAGGED, ids=str)
def test_categories_of_a_frame_match_an_array_whose_columns_the_members_name(model):
    X, y = problem()
    t = target_for(model, y)
    own = model.fit(X, t).estimator_
    assert own.categorical_features == [0, 2]
    told = type(own)(**{**own.get_params(), "categorical_features": [0, 2]})
    other = type(model)(**{**model.get_params(deep=False), "estimator": told}).fit(as_codes(X), t)
    np.testing.assert_array_equal(model.predict(X), other.predict(as_codes(X)))
    assert model.score(X, t) > 0.8


@pytest.mark.parametrize("model", BOOSTED + BAGGED, ids=str)
def test_pandas_and_polars_give_equal_results(model):
    frames = [problem(kind)[0] for kind in ("pandas", "polars")]
    t = target_for(model, problem()[1])
    a, b = (model.fit(X, t).predict(X) for X in frames)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("model", BOOSTED + BAGGED, ids=str)
def test_unseen_levels_are_missing_values(model):
    X, y = problem()
    model.fit(X, target_for(model, y))
    unknown, missing = X.head(5).copy(), X.head(5).copy()
    unknown["letter"] = pd.Categorical(["z"] * 5)
    missing["letter"] = pd.Categorical([None] * 5, categories=list("abcdef"))
    np.testing.assert_array_equal(model.predict(unknown), model.predict(missing))
    turned = X.copy()
    turned["letter"] = turned["letter"].cat.reorder_categories(list("fedcba"))  # other codes, same letters
    np.testing.assert_array_equal(model.predict(turned), model.predict(X))


@pytest.mark.parametrize("model", [m for m in BOOSTED if not isinstance(m, AdaBoostRegressor)] + BAGGED, ids=str)
def test_shapley_values_add_up_with_categories(model):
    X, y = problem()
    model.fit(X, target_for(model, y))
    found = tree_shap(model, X)
    said = model.predict(X)
    if is_classifier(model):
        said = model.predict_proba(X)[:, 1] if isinstance(model, BaggingClassifier) else model.decision_function(X)
    assert_close(found.base_value + found.values.sum(axis=1), said)
    curve = partial_dependence(model, X, ["letter"])
    assert list(curve["grid_values"][0]) == list("abcdef")
    assert np.ptp(curve["average"]) > 0


@pytest.mark.parametrize("model", BOOSTED[:1] + BAGGED[:1], ids=str)
def test_members_may_name_columns_of_the_frame_and_text_raises_with_advice(model):
    X, y = problem()
    t = target_for(model, y)
    text = X.assign(letter=X["letter"].astype(object))
    own = model.fit(X, t).estimator_
    plain = own.set_params(categorical_features=["letter", "code"])
    named = type(model)(**{**model.get_params(deep=False), "estimator": plain}).fit(text, t)
    np.testing.assert_array_equal(named.predict(text), model.predict(X))
    with pytest.raises(ValueError, match=r"'letter' contains text .* categorical data type"):
        type(model)().fit(text, t)


def test_bagged_subspaces_pass_each_member_its_columns():
    X, y = problem()
    t = target_for(BAGGED[0], y)
    model = BaggingClassifier(max_features=2, n_estimators=20, random_state=1, oob_score=True).fit(X, t)
    shares, table = np.zeros((len(X), 2)), as_codes(X)
    for member, columns, rows in zip(model.estimators_, model.estimators_features_, model.estimators_samples_):
        own = [k for k, j in enumerate(columns) if j != 1]
        assert member.categorical_features == own
        copied = DecisionTreeClassifier(categorical_features=own, random_state=member.random_state)
        copied.fit(table[:, columns], (t == "low").astype(int), sample_weight=np.bincount(rows, minlength=len(X)))
        shares += copied.predict_proba(table[:, columns])
    assert_close(model.predict_proba(X), shares / 20)
    assert model.oob_score_ > 0.7
    more = model.set_params(oob_score=False, warm_start=True, n_estimators=23).fit(X, t)
    assert len(more.estimators_) == 23
    assert np.isfinite(more.predict_proba(X)).all()


def test_bagged_boosting_has_scores_and_logarithms():
    X, y = problem()
    t = target_for(BAGGED[0], y)
    model = BaggingClassifier(GradientBoostingClassifier(n_estimators=5), n_estimators=3, random_state=0).fit(X, t)
    own = [m.decision_function(as_codes(X)) for m in model.estimators_]
    assert_close(model.decision_function(X), np.mean(own, axis=0))
    assert_close(np.exp(model.predict_log_proba(X)), model.predict_proba(X))
    assert not hasattr(BaggingClassifier(DecisionTreeClassifier()), "decision_function")


def test_trees_that_accept_text_receive_it_unchanged():
    X, y = problem()
    model = AdaBoostClassifier(C45Classifier(), n_estimators=3, random_state=0)
    t = target_for(model, y)
    assert model.fit(X, t).score(X, t) > 0.8


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_voting_and_stacking_hand_frames_on(kind):
    X, y = problem(kind)
    members = [
        ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
        ("forest", RandomForestClassifier(10, random_state=0)),
        ("boosting", GradientBoostingClassifier(n_estimators=10, random_state=0)),
        ("stumps", AdaBoostClassifier(n_estimators=10, random_state=0)),
    ]
    t = target_for(members[0][1], y)
    vote = VotingClassifier(members, voting="soft").fit(X, t)
    assert_close(vote.predict_proba(X), np.mean([m.fit(X, t).predict_proba(X) for _, m in members], axis=0))
    stack = StackingClassifier(members, LogisticRegression()).fit(X, t)
    assert stack.score(X, t) > 0.8


NUMBERS_ONLY = [
    VotingClassifier(),
    VotingRegressor(),
    StackingClassifier(),
    StackingRegressor(),
    StackingClassifier([("tree", DecisionTreeClassifier(max_depth=2))], passthrough=True),
    StackingRegressor([("tree", DecisionTreeRegressor(max_depth=2))], passthrough=True),
    BaggingClassifier(LogisticRegression()),
    BaggingRegressor(LinearRegression(), max_features=2),
    AdaBoostClassifier(LogisticRegression()),
    AdaBoostRegressor(LinearRegression()),
    GradientBooster(LinearRegression()),
    BayesianModelAveraging(),
    ForwardStagewise(),
    RandomTreesEmbedding(),
    ExclusiveFeatureBundler(),
]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("model", NUMBERS_ONLY, ids=str)
def test_members_that_require_numbers_name_the_text_column(model, kind):
    X, y = problem(kind)
    X = X[["letter", "code"]]
    with pytest.raises(ValueError, match=r"Column 'letter' contains text .* put a TableTransformer before it"):
        model.fit(X, target_for(model, y))


def test_errors_about_other_things_are_unchanged():
    X, y = problem()
    with pytest.raises(ValueError, match="contains NaN"):
        BaggingRegressor(LinearRegression()).fit(X[["x"]], y)
    words = np.where(y > 1, "much", "little")
    for model in (BaggingRegressor(), StackingRegressor([("tree", DecisionTreeRegressor())]), AdaBoostRegressor()):
        with pytest.raises(ValueError, match=r"(could not convert string|y must contain numbers).*(much|little)"):
            model.fit(X, words)
    dated = X.assign(letter=pd.Timestamp("2020-01-01"))
    with pytest.raises(ValueError, match="'letter' contains dates"):
        VotingRegressor([("plane", LinearRegression())]).fit(dated, y)


FINAL = [
    (StackingClassifier, RandomForestClassifier(10, random_state=0)),
    (StackingClassifier, GradientBoostingClassifier(n_estimators=5)),
    (StackingClassifier, C45Classifier()),
    (StackingClassifier, make_pipeline(TableTransformer(), LogisticRegression())),
    (StackingClassifier, BaggingClassifier(random_state=0)),
    (StackingRegressor, DecisionTreeRegressor(max_depth=4, random_state=0)),
]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(("stack", "final"), FINAL, ids=str)
def test_columns_passed_through_reach_the_final_estimator_unchanged(stack, final, kind):
    """The final estimator gets the frame with the out-of-fold predictions before its columns."""
    X, y = problem(kind)
    classify = stack is StackingClassifier
    member = DecisionTreeClassifier(max_depth=1) if classify else DecisionTreeRegressor(max_depth=1)
    t = target_for(member, y)
    model = stack([("stump", member)], final, passthrough=True, cv=3).fit(X, t)
    name = f"{stack.__name__.lower()}_stump"
    known = cross_val_predict(member, X, t, cv=3, method="predict_proba" if classify else "predict")
    own = member.fit(X, t).predict_proba(X) if classify else member.fit(X, t).predict(X)
    frames = []
    for p in (known, own):
        p = p[:, 1] if classify else p
        new = pd.DataFrame({name: p}) if kind == "pandas" else pl.DataFrame({name: p})
        frames.append(pd.concat([new, X], axis=1) if kind == "pandas" else pl.concat([new, X], how="horizontal"))
    codes = np.unique(t, return_inverse=True)[1] if classify else t
    judge = clone(final).fit(frames[0], codes)
    said = np.unique(t)[judge.predict(frames[1])] if classify else judge.predict(frames[1])
    np.testing.assert_array_equal(model.predict(X), said)
    assert type(model.final_estimator_) is type(final)
    assert list(model.get_feature_names_out()) == [name, "letter", "x", "code"]
    found = model.transform(X)
    assert type(found) is type(X)
    assert list(found.columns) == [name, "letter", "x", "code"]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), said)


def test_passing_through_a_frame_keeps_to_its_index_and_its_gaps():
    X, y = problem()
    X = X.assign(whole=pd.array([None if k % 7 == 0 else k % 3 for k in range(len(X))], dtype="Int64"))
    turned = X.set_axis(np.arange(len(X))[::-1] * 3, axis=0)
    members = [("a", DecisionTreeRegressor(max_depth=1)), ("b", DecisionTreeRegressor(max_depth=2))]
    final = DecisionTreeRegressor(max_depth=5, random_state=0)
    first, second = (StackingRegressor(members, final, passthrough=True).fit(A, y) for A in (X, turned))
    np.testing.assert_array_equal(first.predict(X), second.predict(turned))
    assert first.transform(turned).index.equals(turned.index)
    assert first.score(X, y) > 0.9
    counted = X[["letter", "x"]].set_axis([0, 1], axis=1)
    assert StackingRegressor(members, final, passthrough=True).fit(counted, y).score(counted, y) > 0.8
    numbers = X[["x", "whole"]]
    assert StackingRegressor(members, final, passthrough=True).fit(numbers, y).score(numbers, y) > 0.1


@pytest.mark.parametrize("algorithm", ["samme", "real"])
def test_joined_trees_vote_as_their_members_do(algorithm):
    """Losses and smoothing of a member count in the ensemble's prediction as in its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    kind = DecisionTreeClassifier(max_depth=3, smoothing=2.0, loss_matrix=[[0, 1], [3, 0]])
    model = AdaBoostClassifier(kind, n_estimators=4, algorithm=algorithm, random_state=0).fit(X, y)
    votes = list(model._member_votes(X))[-1]
    assert_close(model.decision_function(X), (votes[:, 1] - votes[:, 0]) / model.estimator_weights_.sum())


def test_a_regression_member_sees_numbers_where_columns_have_different_types():
    X, y = problem()
    mixed = X.assign(flag=X["x"] > 0)
    model = GradientBooster(DecisionTreeRegressor(max_depth=3), n_estimators=5).fit(mixed, y)
    assert_close(model.predict(mixed), list(model.staged_predict(mixed))[-1])


def test_a_pipeline_judges_missing_values_itself():
    X, y = problem()
    model = AdaBoostClassifier(make_pipeline(TableTransformer(), LogisticRegression()), n_estimators=2, random_state=0)
    t = target_for(model, y)
    assert model.fit(X, t).score(X, t) > 0.6
    with pytest.raises(ValueError, match="NaN"):
        AdaBoostClassifier(make_pipeline(LogisticRegression())).fit(X[["x"]], t)


READERS = [
    AdaBoostClassifier(C45Classifier(), n_estimators=3, random_state=0),
    AdaBoostClassifier(make_pipeline(TableTransformer(), LogisticRegression()), n_estimators=2, random_state=0),
    BaggingClassifier(C45Classifier(), n_estimators=3, random_state=0),
    BaggingClassifier(make_pipeline(TableTransformer(), LogisticRegression()), n_estimators=2, random_state=0),
    GradientBooster(make_pipeline(TableTransformer(), Ridge()), n_estimators=9, random_state=0),
    BayesianModelAveraging(
        [
            ("tree", DecisionTreeRegressor(max_depth=2)),
            ("plane", make_pipeline(TableTransformer(), Ridge())),
        ],
        df={"tree": 7, "plane": 10},
    ),
]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize("model", READERS, ids=str)
def test_members_that_read_names_get_booleans_and_nullable_integers(model, kind):
    """Types that scikit-learn's validation does not convert beside categories."""
    X, y = problem(kind)
    flags, whole = [k % 5 > 1 for k in range(len(y))], [None if k % 7 == 0 else k % 3 for k in range(len(y))]
    if kind == "pandas":
        X = X.assign(flag=flags, whole=pd.array(whole, dtype="Int64"))
    else:
        X = X.with_columns(pl.Series("flag", flags), pl.Series("whole", whole))
    t = target_for(model, y) if hasattr(model, "predict_proba") and is_classifier(model) else y
    assert model.fit(X, t).score(X, t) > 0.2


def test_the_settings_of_transform_do_not_reach_the_final_estimator():
    """It has seen arrays without names (a warning is an error here), or a frame."""
    X, y = problem()
    members = [("a", DecisionTreeClassifier(max_depth=2)), ("b", DecisionTreeClassifier(max_depth=3))]
    t = target_for(members[0][1], y)
    for columns, passthrough in ((["letter", "x"], False), (["x"], True), (["letter", "x"], True)):
        plain = StackingClassifier(members, RandomForestClassifier(5, random_state=0), passthrough=passthrough)
        said = plain.fit(X[columns], t).predict_proba(X[columns])
        for kind, frame in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
            model = clone(plain).set_output(transform=kind).fit(X[columns], t)
            np.testing.assert_array_equal(model.predict_proba(X[columns]), said)
            np.testing.assert_array_equal(model.predict(X[columns]), plain.predict(X[columns]))
            assert isinstance(model.transform(X[columns]), frame)
