"""What users read is plain English: a few patterns that read as translated are kept out.

The list is short on purpose. It holds what has been written here before and no native speaker would write; taste is
for the reader of a change.
"""

import ast
import re
from pathlib import Path

import statlearn

ROOT = Path(statlearn.__file__).parent

# The pattern, and what to write.
STIFF = {
    r"\b(is|are) told\b": "is reported",
    r"\bsays itself\b": "is reported",
    r"(?<!there )\bis no (number|label|column|row|table|hierarchy|linear|integer|valid)\b": "must be a number, got ...",
    r"(?<!there )\bare no (numbers|labels|columns|tables|integers)\b": "must be numbers, got ...",
    r"\bgoes on\b|\bgo on\b": "continues",
    r"\b(all|so) many as\b|\bso many (rows|rounds|columns|steps|trees|iterations)\b": "this many",
    r"\bwhere there are none\b": "if there are none",
    r"\bwhat is missing\b": "missing values",
    r"\bin the place of\b": "instead of",
    r"\bin place of\b": "instead of",
    r"\bmade if (it|they) (is|are) not there\b|\bif it is not there\b": "created if it does not exist",
    r"\b(level|density|cluster|grid|identity) of (its|their) own\b": "its own level",
    r"\b(noise|needs|report|keys|added to \w+ \w+) beside\b": "in addition to",
    r"\bdo(es)? not know\b": "does not store, is not given",
    r"\banew\b": "again",
    r"\bmissing cells?\b": "missing values",
    r"\b(which|that) \w+ has not[.,;:]": "does not have",
    r"\botherwise than\b": "differently from",
    r": (shapes|lengths) differ\b": "the shapes of the arrays do not match",
    r"; use another\.": "name what to use: another link",
    r", as it could \w+ it\b": "because ...",
    r"^\w+: \w+ are 0 and 1$": "must be 0 or 1",
}


def sentences(tree):
    """(line, text) of the docstrings and of every string with words in it; parts of f-strings are joined."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.lineno, node.value


ANY = re.compile("|".join(f"(?:{rule})" for rule in STIFF))
SEAM = re.compile(r'"\s*\n\s*[rf]*"')  # of a string that is written in pieces


def may_have(source):
    """Whether a file can have a stiff pattern: most have none, also in their comments, and need not be parsed."""
    return ANY.search(" ".join(SEAM.sub("", source).split())) is not None


def found(text):
    """The stiff patterns of a text, whatever its line breaks."""
    text = " ".join(text.split())
    return [(match.group(), better) for rule, better in STIFF.items() if (match := re.search(rule, text))]


def test_messages_and_docstrings_are_plain_english():
    stiff = [
        f"{path.relative_to(ROOT)}:{line}: {words!r}; write {better!r}"
        for path in sorted(ROOT.rglob("*.py"))
        if may_have(source := path.read_text(encoding="utf-8"))
        for line, text in sentences(ast.parse(source))
        for words, better in found(text)
    ]
    assert not stiff, "\n".join(stiff)


def test_messages_of_the_core_are_plain_english():
    native = ROOT.parents[1] / "native"
    assert native.is_dir()
    stiff = [
        f"{path.relative_to(native)}: {words!r}; write {better!r}"
        for path in sorted(native.rglob("*.[ch]pp"))
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', SEAM.sub("", path.read_text(encoding="utf-8")))
        for words, better in found(text)
    ]
    assert not stiff, "\n".join(stiff)


def test_patterns_match_their_examples():
    assert found("'abc' is no\n  number")
    assert found("the rows go on")
    assert found("mine: lengths differ")
    assert found("a separate model in place of the mean")
    assert found("missing values became a level of their own")
    assert found("groups: labels are 0 and 1")
    assert not found("there is no convergence")
    assert may_have('raise ValueError(f"{x} is no "\n    f"number")')
    assert not may_have("there is no convergence")
