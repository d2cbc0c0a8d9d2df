"""Reading and writing of networks in the Bayesian interchange format (BIF)."""

import math
import os
import re
from pathlib import Path

import numpy as np

from statlearn._core.memory import require_memory

_TOKEN = re.compile(r'"[^"]*"|[{}()\[\];,|]|[^\s{}()\[\];,|"]+')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)  # one without an end is read once
MAX_PARENTS = 60  # numpy's arrays have at most 64 axes


class _Tokens:
    def __init__(self, text):
        self.items = [t[1:-1] if t.startswith('"') else t for t in _TOKEN.findall(_COMMENT.sub(" ", text))]
        self.at = 0

    def peek(self):
        return self.items[self.at] if self.at < len(self.items) else None

    def take(self, expected=None):
        token = self.peek()
        if token is None or (expected is not None and token != expected):
            wanted = "more text" if expected is None else repr(expected)
            got = "the end of the text" if token is None else repr(token)
            raise ValueError(f"`source` is not valid BIF: expected {wanted}, got {got}.")
        self.at += 1
        return token

    def until(self, *ends):
        """Tokens up to one of the ends, without commas; the end is consumed."""
        words = []
        while self.peek() not in ends:
            token = self.take()
            if token != ",":
                words.append(token)
        return words, self.take()

    def skip_block(self):
        depth = 0
        while True:
            token = self.take()
            depth += (token == "{") - (token == "}")
            if depth == 0 and token == "}":
                return


def _numbers(tokens, node):
    try:
        return [float(t) for t in tokens]
    except ValueError:
        raise ValueError(f"`source`: the table of {node!r} contains {tokens!r}, which are not numbers.") from None


def read_bif(source):
    """Tables, states and parents of the network in a BIF file or text."""
    text = str(source)
    if not text.strip():
        raise ValueError("`source` must be the path or the text of a BIF file, got an empty string.")
    if isinstance(source, os.PathLike) or "{" not in text:
        text = Path(source).read_text(encoding="utf-8")
    tokens = _Tokens(text)
    states, parents, entries = {}, {}, {}
    while tokens.peek() is not None:
        word = tokens.take()
        if word == "network":
            while tokens.peek() != "{":
                tokens.take()
            tokens.skip_block()
        elif word == "variable":
            node = tokens.take()
            if node in states:
                raise ValueError(f"`source`: the variable {node!r} is declared twice.")
            states[node] = _variable(tokens, node)
        elif word == "probability":
            node, node_parents, rows = _probability(tokens)
            if node in entries:
                raise ValueError(f"`source`: {node!r} has two probability tables.")
            parents[node], entries[node] = node_parents, rows
        else:
            raise ValueError(f"`source` is not valid BIF: unexpected {word!r}.")
    undeclared = [node for node in entries if node not in states]
    if undeclared:
        raise ValueError(f"`source`: {undeclared[0]!r} has a probability table, but is not declared as a variable.")
    tables = {}
    for node in states:
        if node not in entries:
            raise ValueError(f"`source`: the table of {node!r} is missing.")
        for other in (node, *parents[node]):
            if other not in states:
                raise ValueError(f"`source`: {other!r} in the table of {node!r} is not a variable.")
        tables[node] = _table(node, parents[node], entries[node], states)
    return tables, states, parents


def _variable(tokens, node):
    tokens.take("{")
    names = None
    while tokens.peek() != "}":
        word = tokens.take()
        if word == "type":
            tokens.take("discrete")
            head = []
            while (token := tokens.take()) != "{":
                head.append(token)
            names, _ = tokens.until("}")
            for size in filter(str.isdigit, head):
                if int(size) != len(names):
                    raise ValueError(f"`source`: {node!r} is declared with {size} states, but has {len(names)}.")
            if tokens.peek() == ";":
                tokens.take()
        else:
            tokens.until(";")
    tokens.take("}")
    if names is None:
        raise ValueError(f"`source`: the variable {node!r} has no states.")
    return names


def _probability(tokens):
    tokens.take("(")
    head, end = tokens.until("|", ")")
    if len(head) != 1:
        raise ValueError(f"`source` is not valid BIF: expected the table of one variable, got {head!r}.")
    node_parents = tokens.until(")")[0] if end == "|" else []
    tokens.take("{")
    rows = []
    while tokens.peek() != "}":
        word = tokens.take()
        if word == "table":
            rows.append(("table", _numbers(tokens.until(";")[0], head[0])))
        elif word == "default":
            rows.append(("default", _numbers(tokens.until(";")[0], head[0])))
        elif word == "(":
            key, _ = tokens.until(")")
            rows.append((tuple(key), _numbers(tokens.until(";")[0], head[0])))
        else:
            tokens.until(";")
    tokens.take("}")
    return head[0], node_parents, rows


def _table(node, parents, rows, states):
    if len(parents) > MAX_PARENTS or len(set(parents)) < len(parents) or node in parents:
        raise ValueError(f"`source`: {node!r} must have at most {MAX_PARENTS} different parents, got {parents!r}.")
    shape = tuple(len(states[u]) for u in (*parents, node))
    require_memory(8 * math.prod(shape), f"`source`: the table of {node!r}", "Use fewer parents per node.")
    table = np.full(shape, np.nan)
    for key, numbers in rows:
        if key == "table":
            # All numbers at once: the node's own state varies slowest, the last parent fastest.
            if len(numbers) != table.size:
                raise ValueError(f"`source`: the table of {node!r} needs {table.size} numbers, got {len(numbers)}.")
            table = np.moveaxis(np.reshape(numbers, (shape[-1], *shape[:-1])), 0, -1)
            continue
        if len(numbers) != shape[-1]:
            raise ValueError(f"`source`: a row of {node!r} needs {shape[-1]} numbers, got {len(numbers)}.")
        if key == "default":
            table[np.isnan(table[..., 0])] = numbers
            continue
        try:
            at = tuple(states[u].index(state) for u, state in zip(parents, key, strict=True))
        except ValueError:
            raise ValueError(f"`source`: {key!r} are not states of the parents {parents!r} of {node!r}.") from None
        table[at] = numbers
    if np.any(np.isnan(table)):
        raise ValueError(f"`source`: the table of {node!r} is incomplete.")
    return table


def _word(value):
    text = str(value)
    return text if re.fullmatch(r"[^\s{}()\[\];,|\"]+", text) else '"' + text.replace('"', "'") + '"'


def write_bif(network, path=None):
    """The text of a network, with probabilities that read back exactly."""
    lines = ["network unknown {", "}"]
    for node in network.nodes_:
        states = network.states_[node]
        names = ", ".join(map(_word, states))
        lines += [f"variable {_word(node)} {{", f"  type discrete [ {len(states)} ] {{ {names} }};", "}"]
    for node in network.nodes_:
        parents, table = network.parents_[node], network.tables_[node]
        condition = " | " + ", ".join(map(_word, parents)) if parents else ""
        lines.append(f"probability ( {_word(node)}{condition} ) {{")
        for at in np.ndindex(*table.shape[:-1]):
            numbers = ", ".join(repr(float(p)) for p in table[at])
            key = ", ".join(_word(network.states_[u][k]) for u, k in zip(parents, at))
            lines.append(f"  ({key}) {numbers};" if parents else f"  table {numbers};")
        lines.append("}")
    text = "\n".join(lines) + "\n"
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
