"""Rules over several tables, as a classifier."""

import inspect
from dataclasses import replace

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core.frames import as_frame
from statlearn._core.params import HasMethods, Instance, Int, Options, Real, check_params
from statlearn._core.validation import check_weights, encode_classes, validate_data

from ._aleph import Aleph
from ._errors import SearchBudgetExceeded
from ._modes import ModeH
from ._popper import Popper
from ._prolog import Prolog
from ._tables import add_table, columns_of, example_atoms, identifiers, make_schema
from ._terms import Clause, Program

_MOST_FAILURES = 25  # rows in a row without a rule after which the rest is taken for noise
_MANY_ROWS = 50  # with fewer, no rule of two or three literals saves its own bits


class Explanation:
    """Why a row has its prediction: the rule that decided, its record in training, and its proof."""

    def __init__(self, prediction, rule, positives, negatives, proof):
        self.prediction, self.rule = prediction, rule
        self.positives, self.negatives, self.proof = positives, negatives, proof

    def __repr__(self):
        if self.rule is None:
            return f"{self.prediction}: no rule covers the row, so it has the most frequent class among such rows."
        total = self.positives + self.negatives
        head = (
            f"{self.prediction}, by the rule\n  {self.rule}\nwhich is right for {self.positives:g} of {total:g} rows."
        )
        return f"{head} Proof:\n" + "\n".join(f"  {line}" for line in repr(self.proof).split("\n"))


class RelationalClassifier(ClassifierMixin, BaseEstimator):
    """Readable rules over one or several related tables.

    The rows of X are the examples. Their columns, and the tables that share a key with them, become facts. For each
    class, a relational learner finds rules; a row has the class of the most precise rule that covers it.

    Parameters
    ----------
    learner : {"aleph", "popper"} or learner, default="aleph"
        Finds the rules of a class: "aleph" is :class:`Aleph` with a beam and a tolerance for noise, "popper" is
        :class:`Popper` with ``noisy=True``. A learner of your own without `modes` gets those of the tables.
    key : str or None, default=None
        The column of X that identifies its rows in other tables. None if there are no other tables.
    tables : dict of str to data frame or None, default=None
        Further tables, by name. Columns that have the name of a key link their rows.
    keys : list of str or None, default=None
        Names of the columns that are keys. None means `key`, and every name that occurs in several tables.
    max_literals : int, default=3
        Largest number of body literals of a rule.
    criterion : {"auto", "mdl", "coverage"}, default="auto"
        How "aleph" judges rules. "mdl" asks for rules that shorten the description of the labels (minimum description
        length): a rule must save more bits than its own text takes, so that noise gets no rules. "coverage" prefers
        the rules with most right minus wrong rows, and continues until the rows are covered; for data without noise.
        "auto" is "mdl" from 50 rows on.
    noise : float or "auto", default="auto"
        Largest share of wrong rows among those that a rule covers. "auto" is 0.5 with "mdl" and 0.2 with "coverage".
    n_thresholds : int, default=5
        Number of thresholds that numeric columns are compared with.
    beam : int or None, default=10
        Number of clauses of each length that "aleph" refines. None means all, so that the time grows exponentially with
        `max_literals` up to `max_nodes` clauses per class.
    max_nodes : int or None, default=200_000
        Maximum number of clauses that are tried for each class; None means no limit.
    max_seconds : float or None, default=None
        Maximum time of the search for each class; None means no limit.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    rules_ : list of str
        The rules, by decreasing precision.
    rule_classes_ : ndarray of int
        Position of each rule's class in `classes_`.
    rule_counts_ : ndarray of shape (n_rules, 2)
        Rows of the class, and of other classes, that each rule covers in training; with `sample_weight`, their weights.
    default_ : ndarray of shape (n_classes,)
        Shares of the classes among the rows that no rule covers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Defined only if X has column names that are all strings.

    See Also
    --------
    Aleph, Popper : the learners.
    ProgramClassifier : classifies atoms.

    Notes
    -----
    A column of names gives literals ``color(A, red)``, one of numbers ``age_at_most(A, 30)`` and ``age_above(A, 30)``.
    A table with the keys of two entities gives a literal that links them. A table whose rows are identified by none of
    its keys gives each row its own identity. Missing values have no facts, so no literal about them holds.
    Rules depend on the training data as any selected rules do: judge them on other rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from statlearn.logic import RelationalClassifier
    >>> trains = pd.DataFrame({"train": ["t1", "t2", "t3", "t4"]})
    >>> cars = pd.DataFrame({
    ...     "train": ["t1", "t1", "t2", "t3", "t3", "t4"],
    ...     "length": ["short", "long", "short", "long", "short", "long"],
    ...     "roof": ["closed", "open", "closed", "open", "open", "closed"],
    ... })
    >>> model = RelationalClassifier(key="train", tables={"car": cars})
    >>> model.fit(trains, ["east", "east", "west", "west"]).rules_[0]
    'east(A) :- car(A, B), length(B, short), roof(B, closed).'
    >>> print(model.explain(trains.iloc[[1]]))
    east, by the rule
      east(A) :- car(A, B), length(B, short), roof(B, closed).
    which is right for 2 of 2 rows. Proof:
      east(t2)
      ├─ car(t2, car2)
      ├─ length(car2, short)
      └─ roof(car2, closed)
    """

    _constraints = {
        "learner": [Options("aleph", "popper"), HasMethods("fit", "learn")],
        "key": [Instance(str), None],
        "tables": [Instance(dict), None],
        "keys": ["array-like", None],
        "max_literals": [Int(1, None)],
        "criterion": [Options("auto", "mdl", "coverage")],
        "noise": [Options("auto"), Real(0, 1, closed="left")],
        "n_thresholds": [Int(1, 100)],
        "beam": [Int(1, None), None],
        "max_nodes": [Int(1, None), None],
        "max_seconds": [Real(0, None, closed="neither"), None],
    }

    def __init__(
        self,
        learner="aleph",
        *,
        key=None,
        tables=None,
        keys=None,
        max_literals=3,
        criterion="auto",
        noise="auto",
        n_thresholds=5,
        beam=10,
        max_nodes=200_000,
        max_seconds=None,
    ):
        self.learner = learner
        self.key = key
        self.tables = tables
        self.keys = keys
        self.max_literals = max_literals
        self.criterion = criterion
        self.noise = noise
        self.n_thresholds = n_thresholds
        self.beam = beam
        self.max_nodes = max_nodes
        self.max_seconds = max_seconds

    # Reading ----------------------------------------------------------------------------------------------------------

    def _read(self, X, *, reset, y=None):
        options = {"dtype": None, "ensure_all_finite": "allow-nan", "reset": reset}
        if reset:
            checked, y = validate_data(self, X, y, **options)
        else:
            checked = validate_data(self, X, **options)
        named = as_frame(X) is not None and all(isinstance(name, str) for name in X.columns)
        columns = columns_of(X if named else checked)
        return (columns, y) if reset else columns

    def _ids(self, columns, key):
        if key is None:
            return [f"row{k}" for k in range(len(next(iter(columns.values()))))]
        ids = identifiers(columns[key])
        if None in ids:
            raise ValueError(f"X has missing values in the key column {key!r}; drop these rows.")
        return ids

    def _key_columns(self, main, tables):
        if self.keys is not None:
            named = list(self.keys)
        else:
            every = [name for columns in (main, *tables.values()) for name in columns]
            named = [name for name in dict.fromkeys(every) if every.count(name) > 1] + [self.key]
        keys = {}
        for table, columns in tables.items():
            keys[table] = [name for name in columns if name in named]
            if not keys[table]:
                raise ValueError(
                    f"`tables`: the table {table!r} has no key column; its columns are {list(columns)}. Name its keys "
                    "in `keys`."
                )
        return keys

    def fit(self, X, y, sample_weight=None):
        """Find the rules of every class.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), float or None, default=None
            Weights of the rows in the counts of rules; a weight of 2 means two copies of the row. For the learner
            "aleph" and others whose `fit` takes weights.

        Returns
        -------
        self

        Raises
        ------
        SearchBudgetExceeded
            If a budget is used up; its attribute `best` has the rules of the class found so far.
        """
        check_params(self)
        main, y = self._read(X, reset=True, y=y)
        weights = check_weights(sample_weight, np.empty((len(y), 0)))
        if weights is not None and not np.all(weights > 0):
            used = weights > 0
            main = {name: replace(cells, values=cells.values[used]) for name, cells in main.items()}
            y, weights = y[used], weights[used]
        self.classes_, codes = encode_classes(y, minimum=1)
        if self.key is not None and self.key not in main:
            raise ValueError(f"`key`={self.key!r} is not a column of X; its columns are {list(main)}.")
        if self.tables and self.key is None:
            raise ValueError("`tables` needs `key`, the column of X that identifies its rows in them.")
        tables = {name: columns_of(table) for name, table in (self.tables or {}).items()}
        keys = self._key_columns(main, tables)
        schema = make_schema(main, self.key, tables, keys, self.n_thresholds)
        self._schema, self._keys, self._key = schema, keys, self.key
        self._tables = dict(self.tables or {})
        ids = self._ids(main, self.key)
        if len(set(ids)) < len(ids):
            raise ValueError(f"X has repeated values in the key column {self.key!r}.")
        prover = self._prover(main, ids, tables)
        each = np.ones(len(codes)) if weights is None else weights
        rules = []
        for k in range(len(self.classes_)) if len(self.classes_) > 1 else ():
            target = self._target(k)
            atoms = example_atoms(target, ids)
            words = prover.encode_examples(atoms)
            for clause in self._learn(prover, schema, target, atoms, codes == k, weights):
                covered = np.bincount(codes == k, prover.covers(clause, words) * each, minlength=2).tolist()
                rules.append((clause, k, covered[1], covered[0]))
        rules.sort(key=lambda r: (-(r[2] + 1) / (r[2] + r[3] + 2), -r[2], len(r[0])))
        self.rules_ = [repr(clause) for clause, *_ in rules]
        self.rule_classes_ = np.array([k for _, k, _, _ in rules], dtype=np.int64)
        counts = np.array([[p, n] for _, _, p, n in rules], dtype=np.float64).reshape(-1, 2)
        self.rule_counts_ = counts.astype(np.int64) if weights is None else counts
        open_ = self._first_rule(prover, ids) < 0
        left = np.bincount(codes[open_], each[open_], minlength=len(self.classes_))
        everywhere = np.bincount(codes, each, minlength=len(self.classes_)) / each.sum()
        self.default_ = (left + everywhere) / (left.sum() + 1.0)
        return self

    def _target(self, k):
        from ._tables import predicate_name

        taken = {c.predicate for c in self._schema.columns} | {link.predicate for link in self._schema.links}
        name = predicate_name(self.classes_[k])
        names = [predicate_name(each) for each in self.classes_]
        return name if name not in taken and names.count(name) == 1 and not name.startswith("c_") else f"class_{k}"

    def _prover(self, main, ids, tables):
        theory = Program(self._schema.declarations()) + Program(self._schema.rules())
        prover = Prolog(theory, unknown="fail", max_depth=1000, max_inferences=1_000_000)
        add_table(prover, self._schema, "", main, [], own_keys=ids)
        for name, columns in tables.items():
            add_table(prover, self._schema, name, columns, self._keys[name])
        return prover

    def _learn(self, prover, schema, target, atoms, positive, weights):
        """The rules for the rows of one class, which `positive` marks."""
        modes = [ModeH(f"{target}(+{schema.main})"), *schema.modes()]
        if len(modes) == 1:
            return Program()
        budget = {"max_nodes": self.max_nodes, "max_seconds": self.max_seconds}
        if self.learner == "aleph":
            total = len(atoms) if weights is None else weights.sum()
            by_bits = self.criterion == "mdl" or (self.criterion == "auto" and total >= _MANY_ROWS)
            learner = Aleph(
                modes,
                max_literals=self.max_literals,
                score="mdl" if by_bits else "coverage",
                noise=(0.5 if by_bits else 0.2) if self.noise == "auto" else float(self.noise),
                beam=self.beam,
                depth=self.max_literals,
                max_failures=_MOST_FAILURES,
                min_positives=1,
                **budget,
            )
        elif self.learner == "popper":
            learner = Popper(modes, max_literals=self.max_literals, noisy=True, **budget)
        else:
            learner = clone(self.learner)
            if getattr(learner, "modes", "none") is None:
                learner.set_params(modes=modes)
        options = {}
        if weights is not None:
            if "positive_weights" not in inspect.signature(learner.fit).parameters:
                raise ValueError(
                    f"`sample_weight` requires a learner whose fit takes weights; {type(learner).__name__} does not."
                )
            options = {"positive_weights": weights[positive], "negative_weights": weights[~positive]}
        examples = [[atom for atom, yes in zip(atoms, positive) if yes == flag] for flag in (True, False)]
        try:
            return learner.learn(prover, *examples, **options)
        except SearchBudgetExceeded as error:
            if str(error).startswith("No program"):  # nothing to be said about the class
                return Program() if error.best is None else error.best
            raise

    # Prediction -------------------------------------------------------------------------------------------------------

    def _first_rule(self, prover, ids):
        """Number of the first rule that covers each row, -1 for none."""
        first = np.full(len(ids), -1)
        words = prover.encode_examples(example_atoms("row", ids))
        for k, rule in enumerate(self.rules_):
            clause = Clause.of(rule)
            open_ = first < 0
            if not open_.any():
                break
            first[prover.covers(clause, words, mask=open_)] = k
        return first

    def _apply(self, X, tables):
        check_is_fitted(self)
        main = self._read(X, reset=False)
        ids = self._ids(main, self._key)
        passed = self._tables if tables is None else tables
        missing = sorted(set(self._tables) - set(passed))
        if missing:
            raise ValueError(f"`tables` lacks the table {missing[0]!r} of the training data.")
        others = {name: columns_of(passed[name]) for name in self._tables}
        # A row may occur twice: facts about it are the same.
        return self._prover(main, ids, others), ids

    def predict_proba(self, X, tables=None):
        """Class probabilities.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        tables : dict of str to data frame or None, default=None
            The tables that describe these rows. None means those of the constructor.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The rule's precision in training with one row added to each side; the rest is shared among the other
            classes. `default_` where no rule covers a row.
        """
        prover, ids = self._apply(X, tables)
        first = self._first_rule(prover, ids)
        shares = np.tile(self.default_, (len(ids), 1))
        for k in range(len(self.rules_)):
            p, n = self.rule_counts_[k]
            classes = self.rule_classes_[k]
            precision = (p + 1) / (p + n + 2)
            others = np.delete(self.default_, classes)
            total = others.sum()
            rest = others / total if total > 0 else np.full(len(others), 1 / max(1, len(others)))
            shares[first == k] = np.insert((1 - precision) * rest, classes, precision)
        return shares

    def predict(self, X, tables=None):
        """Classes of the rows.

        Parameters
        ----------
        X : data frame or array-like of shape (n_samples, n_features)
        tables : dict of str to data frame or None, default=None
            The tables that describe these rows. None means those of the constructor.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        prover, ids = self._apply(X, tables)
        first = self._first_rule(prover, ids)
        best = np.full(len(ids), int(np.argmax(self.default_)))
        best[first >= 0] = self.rule_classes_[first[first >= 0]]
        return self.classes_[best]

    def explain(self, row, tables=None):
        """Why a row has its prediction.

        Parameters
        ----------
        row : data frame or array-like of shape (1, n_features)
        tables : dict of str to data frame or None, default=None
            The tables that describe the row. None means those of the constructor.

        Returns
        -------
        Explanation
            Prints the rule, its record in training, and the proof.
        """
        prover, ids = self._apply(row, tables)
        if len(ids) != 1:
            raise ValueError(f"`row` must have one row, got {len(ids)}.")
        (first,) = self._first_rule(prover, ids)
        if first < 0:
            return Explanation(self.classes_[np.argmax(self.default_)], None, 0, 0, None)
        clause = Clause.of(self.rules_[first])
        proof = self._proof(prover, clause, ids[0])
        p, n = self.rule_counts_[first].tolist()
        return Explanation(self.classes_[self.rule_classes_[first]], self.rules_[first], p, n, proof)

    def _proof(self, prover, clause, key):
        # The rule has its thresholds: that they are among those tried belongs to the search, not to the proof.
        cuts = {f"{column.predicate}_cut" for column in self._schema.columns}
        rules = [Clause(c.head, [each for each in c.body if each.predicate not in cuts]) for c in prover.program]
        theory = Prolog(Program([*rules, clause]), unknown="fail")
        for predicate, rows in prover._tables:
            theory.add_facts(predicate, rows)
        return theory.prove(example_atoms(clause.head.predicate, [key])[0])

    def summary(self):
        """The rules with coverage and precision as a printed table."""
        check_is_fitted(self)
        lines = [f"{'right':>6} {'wrong':>6} {'precision':>9}  rule"]
        for (p, n), rule in zip(self.rule_counts_.tolist(), self.rules_):
            lines.append(f"{p:6g} {n:6g} {p / (p + n):9.3f}  {rule}")
        return "\n".join(lines)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.classifier_tags.poor_score = True  # a few rules over thresholds
        return tags
