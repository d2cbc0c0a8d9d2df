"""The public names of the family and the modules that hold them."""

from ._aleph import Aleph
from ._answer_sets import answer_sets
from ._aspal import ASPAL
from ._automaton import FiniteAutomaton
from ._bottom_clause import bottom_clause
from ._candidate_elimination import CandidateElimination
from ._errors import PrologError, PrologSyntaxError, SearchBudgetExceeded, UnknownPredicateError
from ._find_s import FindS
from ._formula import Formula
from ._hypothesis import ConjunctiveHypothesis, VersionSpace
from ._metagol import Metagol
from ._metagol_r import MetagolR
from ._metarules import MetaRule
from ._modes import ModeB, ModeH
from ._normal_forms import horn_program, to_clauses, to_cnf, to_dnf
from ._parser import parse
from ._popper import Popper
from ._printer import format_clause
from ._program_classifier import ProgramClassifier
from ._prolog import Prolog
from ._proof import Proof
from ._relational import RelationalClassifier
from ._subsumption import entails, more_general, subsumes_atom, theta_subsumes
from ._task import ILPTask
from ._terms import Atom, Clause, Compound, Constant, Literal, Program, Term, Variable
from ._unify import Substitution, rename_apart, unify

__all__ = [
    "ASPAL",
    "Aleph",
    "Atom",
    "CandidateElimination",
    "Clause",
    "Compound",
    "ConjunctiveHypothesis",
    "Constant",
    "FindS",
    "FiniteAutomaton",
    "Formula",
    "ILPTask",
    "Literal",
    "MetaRule",
    "Metagol",
    "MetagolR",
    "ModeB",
    "ModeH",
    "Popper",
    "Program",
    "ProgramClassifier",
    "Prolog",
    "PrologError",
    "PrologSyntaxError",
    "Proof",
    "RelationalClassifier",
    "SearchBudgetExceeded",
    "Substitution",
    "Term",
    "UnknownPredicateError",
    "Variable",
    "VersionSpace",
    "answer_sets",
    "bottom_clause",
    "entails",
    "format_clause",
    "horn_program",
    "more_general",
    "parse",
    "rename_apart",
    "subsumes_atom",
    "theta_subsumes",
    "to_clauses",
    "to_cnf",
    "to_dnf",
    "unify",
]
