"""The mathematics has one vocabulary: step lengths and positive definite systems are not solved by hand.

`_math.solvers.step.backtrack` shortens steps and `_math.linalg.positive` factorises. What does either itself is listed
with its reason.
"""

import re
from pathlib import Path

import pytest

import statlearn

ROOT = Path(statlearn.__file__).parent

PATTERNS = {
    "a positive definite system": r"\b(cho_factor|cho_solve|dpotr[si]|dposv)\b|assume_a=.pos",
    "a shortened step": r"^\s+\w+ (/= ?(2|10)(\.0)?|\*= ?0\.\d+)\s*(#.*)?$",
}

ELSEWHERE = {
    "_math/linalg/positive.py": "the one factor",
    "_math/linalg/nonnegative.py": "many small systems of subsets, known to be positive definite",
    "graphical/_glasso_dual.py": "the inverse and the determinant at every step, of a matrix that is scaled already",
    "smooth/gam/_factor.py": "a factor of blocks, one of them diagonal",
    "trees/_oblique_grow.py": "a much larger ridge, which is part of the method",
    "decomposition/factors/_rotation.py": "compares exact differences, below the rounding of the criterion",
    "decomposition/nmf/_solvers.py": "Lin's rule, which also lengthens the step",
    "_math/solvers/newton.py": "damping, not a step",
    "_math/solvers/smooth.py": "the Lipschitz constant, which may fall again",
    "linear/robust/_huber.py": "a scale",
    "linear/robust/_quantile_covariance.py": "a bandwidth, as in R's quantreg",
    "neural/_activations.py": "half of a sum",
    "svm/_linear.py": "a tolerance",
}


def lines_with(pattern):
    """(file, line, text) of the lines of code with a pattern."""
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(pattern, text, re.MULTILINE):
            number = text.count("\n", 0, match.start()) + 1
            yield path.relative_to(ROOT).as_posix(), number, match.group().strip()


@pytest.mark.parametrize("what", PATTERNS)
def test_solvers_by_hand_are_listed_with_a_reason(what):
    unlisted = [f"{file}:{line}: {text}" for file, line, text in lines_with(PATTERNS[what]) if file not in ELSEWHERE]
    assert not unlisted, f"{what} outside of _math; use its function, or say why not:\n" + "\n".join(unlisted)


def test_listed_files_have_a_solver_by_hand():
    used = {file for pattern in PATTERNS.values() for file, *_ in lines_with(pattern)}
    assert not set(ELSEWHERE) - used
