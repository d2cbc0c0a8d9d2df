"""Messages, docstrings, comments and names are plain English: patterns that read as translated are kept out.

The lists are short on purpose. They hold what has been written here before and no native speaker would write; taste is
for the reader of a change.
"""

import ast
import io
import re
import tokenize
from functools import cache
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


# Beginnings of docstrings that need another docstring to be understood.
DANGLING = re.compile(r"(The same\b|As `|Its |Those |These )")

# Names of local variables that do not say what the variable is, such as `solution`, `mask` or `limit`.
VAGUE = {"found", "own", "given", "kept", "made", "most", "told"}

# What a source with a vague name or a dangling docstring contains: most have none and need not be parsed.
NAMES = "|".join(sorted(VAGUE))
MAY_BE_VAGUE = re.compile(
    rf'"""{DANGLING.pattern}|\bfor\b[^\n]*\b({NAMES})\b[^\n]* in |^[^\n#"=]*\b({NAMES})\b[^\n#"=]*=[^=]', re.MULTILINE
)

# In names of tests, and what to write: test_<subject>_<expected behaviour>.
STIFF_NAMES = {
    r"_(is|are)_told(_|$)": "raises, warns or is reported",
    r"_refusals": "raises",
    r"_(is|are)_no_(?!longer|more|worse|better|larger|smaller)": "is not a",
    r"^test_what_": "the subject: invalid_labels",
    r"_goes_on(_|$)|_go_on(_|$)": "continues",
    r"_of_(its|their)_own(_|$)": "separate",
    r"_(are_those|is_that)_of_": "matches",
    r"_anew(_|$)": "again",
    r"^test_[a-z0-9]+$": "the subject and what is expected of it",
    r"_in_the_place_of_|_in_place_of_": "instead of",
}

# Rooms whose inner words are being revised; what users read there is checked all the same.
UNREVISED = ("app",)


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


def test_messages_docstrings_and_comments_are_plain_english():
    stiff = []
    for path in sorted(ROOT.rglob("*.py")):
        source, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT)
        if may_have(source):
            texts = [*sentences(ast.parse(source)), *(() if name.parts[0] in UNREVISED else comments(source))]
            stiff += [
                f"{name}:{line}: {words!r}; write {better!r}" for line, text in texts for words, better in found(text)
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


@cache
def revised(folder):
    """(path, source) of the files of "src/statlearn" or "tests", without this one and the rooms that are unrevised."""
    base = ROOT.parents[1] / folder
    files = [path for path in sorted(base.rglob("*.py")) if path != Path(__file__)]
    names = [path.relative_to(base) for path in files]
    return [(name, (base / name).read_text(encoding="utf-8")) for name in names if name.parts[0] not in UNREVISED]


def comments(source):
    """(line, text) of the comments, with those on successive lines joined."""
    joined: list[tuple[int, int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, text = token.start[0], token.string.lstrip("# ")
        if joined and joined[-1][1] == line - 1:
            first, _, before = joined.pop()
            joined.append((first, line, f"{before} {text}"))
        else:
            joined.append((line, line, text))
    return [(first, text) for first, _, text in joined]


def vague_names(tree):
    """(line, name) of the local variables with a vague name; arguments may be `given`, in the sense of statistics."""
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        arguments = {argument.arg for argument in ast.walk(function.args) if isinstance(argument, ast.arg)}
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VAGUE - arguments:
                yield node.lineno, node.id


def test_comments_and_docstrings_of_tests_are_plain_english():
    stiff = []
    for name, source in revised("tests"):
        if may_have(source):
            nodes = ast.walk(ast.parse(source))
            documented = (node for node in nodes if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)))
            texts = [(getattr(node, "lineno", 1), ast.get_docstring(node) or "") for node in documented]
            texts += comments(source)
            stiff += [f"{name}:{line}: {words!r}" for line, text in texts for words, _ in found(text)]
    assert not stiff, "\n".join(stiff)


def test_docstrings_stand_alone_and_variables_say_what_they_are():
    stiff = []
    for name, source in revised("src/statlearn"):
        if not MAY_BE_VAGUE.search(source):
            continue
        tree = ast.parse(source)
        stiff += [f"{name}:{line}: the variable `{word}` does not say what it is" for line, word in vague_names(tree)]
        stiff += [
            f"{name}:{node.lineno}: the docstring of `{node.name}` does not stand alone"
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and DANGLING.match(ast.get_docstring(node) or "")
        ]
    assert not stiff, "\n".join(stiff)


def test_names_of_tests_state_the_expected_behaviour():
    stiff = [
        f"{name}: {test}; write {better!r}"
        for name, source in revised("tests")
        for test in re.findall(r"^\s*def (test_\w+)", source, re.MULTILINE)
        for rule, better in STIFF_NAMES.items()
        if re.search(rule, test)
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


def test_comments_names_and_dangling_docstrings_are_detected():
    assert comments("x = 1  # the rows go\n# on\n\n# alone\n") == [(1, "the rows go on"), (4, "alone")]
    assert list(vague_names(ast.parse("def f(x):\n    found = x\n    return found"))) == [(2, "found")]
    assert DANGLING.match("The same for further tables.")
    assert not DANGLING.match("Mask of the rows used.")
    names = [rule for rule in STIFF_NAMES if re.search(rule, "test_what_is_no_label_is_told")]
    assert len(names) == 3
    assert any(re.search(rule, "test_arguments") for rule in STIFF_NAMES)
    assert not any(re.search(rule, "test_a_line_is_no_longer_drawn") for rule in STIFF_NAMES)
