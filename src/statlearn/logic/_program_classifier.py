"""Programs as classifiers over example atoms."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import HasMethods, Instance, check_params
from statlearn._core.validation import check_same_length, encode_classes

from ._categorical import LABEL
from ._learner import background_program, covered_by
from ._prolog import Prolog
from ._terms import Atom, Program


class ProgramClassifier(ClassifierMixin, BaseEstimator):
    """A logic program as a classifier of ground atoms.

    An atom that background and program prove is assigned to the positive class, any other to the negative one (closed
    world).

    Parameters
    ----------
    learner : Aleph, Metagol, ASPAL, Popper or None, default=None
        Learns the program in `fit`. None requires `program`.
    program : Program, str or None, default=None
        A given program, if there is no learner.
    background : Program, Prolog or str, default=""
        Facts and rules.
    positive : label or None, default=None
        The class of atoms that are proved. None means the last of the sorted classes.

    Attributes
    ----------
    rules_ : list of str
        The clauses of the program.
    program_ : Program
        The same as a program that answers queries.
    classes_ : ndarray of shape (2,)

    See Also
    --------
    RelationalClassifier : the same for rows of several tables.

    Examples
    --------
    >>> from statlearn.logic import Aleph, ProgramClassifier
    >>> modes = "modeh(1, happy(+p)). modeb(1, builder(+p)). modeb(1, enjoys(+p))."
    >>> facts = "builder(alice). builder(bob). enjoys(alice). enjoys(claire). builder(eve). enjoys(eve)."
    >>> model = ProgramClassifier(Aleph(modes), background=facts)
    >>> model.fit(["happy(alice)", "happy(bob)", "happy(claire)"], [True, False, False]).rules_
    ['happy(A) :- builder(A), enjoys(A).']
    >>> model.predict(["happy(eve)", "happy(claire)"]).tolist()
    [True, False]
    >>> print(model.explain("happy(eve)"))
    happy(eve)
    ├─ builder(eve)
    └─ enjoys(eve)
    """

    _constraints = {
        "learner": [HasMethods("fit", "learn"), None],
        "program": [Instance(Program, str), None],
        "background": [Instance(Program, Prolog, str), "array-like"],
        "positive": LABEL,
    }

    def __init__(self, learner=None, *, program=None, background="", positive=None):
        self.learner = learner
        self.program = program
        self.background = background
        self.positive = positive

    def fit(self, X, y):
        """Learn the program, or take the given one.

        Parameters
        ----------
        X : sequence of Atom or str
            Ground atoms of one predicate.
        y : array-like of shape (n_samples,)
            Two classes.

        Returns
        -------
        self
        """
        check_params(self)
        atoms = _atoms(X)
        check_same_length(atoms, y)
        y = np.asarray(y)
        self.classes_, codes = encode_classes(y, minimum=2, owner="ProgramClassifier")
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. y has {len(self.classes_)} classes.")
        if self.positive is not None and self.positive not in self.classes_.tolist():
            raise ValueError(f"`positive`={self.positive!r} is not among the classes {self.classes_.tolist()} of y.")
        self._at = 1 if self.positive is None else int(np.flatnonzero(self.classes_ == self.positive)[0])
        if self.learner is None and self.program is None:
            raise ValueError("ProgramClassifier needs a `learner` or a `program`.")
        if self.learner is None:
            program = Program(self.program)
        else:
            yes = codes == self._at
            positives = [atom for atom, is_yes in zip(atoms, yes) if is_yes]
            negatives = [atom for atom, is_yes in zip(atoms, yes) if not is_yes]
            program = clone(self.learner).learn(self.background, positives, negatives)
        self.rules_ = [repr(clause) for clause in program]
        self._background = [repr(clause) for clause in background_program(self.background)]
        return self

    @property
    def program_(self):
        """The program."""
        check_is_fitted(self)
        return Program(self.rules_)

    def predict(self, X):
        """Classes of ground atoms.

        Parameters
        ----------
        X : sequence of Atom or str

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        proved = covered_by(self.program_, Program("\n".join(self._background)), _atoms(X))
        return self.classes_[np.where(proved, self._at, 1 - self._at)]

    def explain(self, atom):
        """The proof of an atom, or None if there is none.

        Parameters
        ----------
        atom : Atom or str

        Returns
        -------
        Proof or None
        """
        check_is_fitted(self)
        theory = Program("\n".join([*self._background, *self.rules_]))
        return Prolog(theory, unknown="fail").prove(Atom.of(atom))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.no_validation = True
        return tags


def _atoms(X):
    if isinstance(X, (str, Atom)):
        raise TypeError("X must be a sequence of atoms, got one; put it into a list.")
    atoms = [Atom.of(each) for each in X]
    if not atoms:
        raise ValueError("X must contain at least one atom.")
    for atom in atoms:
        if not atom.is_ground:
            raise ValueError(f"X must contain ground atoms, got {atom}.")
    return atoms
