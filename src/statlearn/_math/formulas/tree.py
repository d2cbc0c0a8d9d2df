"""The tree of a formula: names, constants, calls and operators."""

from dataclasses import dataclass, field

from .limits import shortened


@dataclass(frozen=True)
class Node:
    """A part of a formula; `span` is the text that it was read from, and its start and end there."""

    span: tuple = field(default=("", 0, 0), kw_only=True, compare=False, repr=False)

    @property
    def source(self):
        """The part of the text that this node was read from."""
        text, start, end = self.span
        return text[start:end]

    @property
    def parts(self):
        return ()


@dataclass(frozen=True)
class Name(Node):
    name: str


@dataclass(frozen=True)
class Constant(Node):
    """A number, a string, TRUE, FALSE or NULL."""

    value: object


@dataclass(frozen=True)
class Sequence(Node):
    """Values in brackets, ``(5, 8)`` or ``[5, 8]``; R writes ``c(5, 8)``."""

    items: tuple

    @property
    def parts(self):
        return self.items


@dataclass(frozen=True)
class Call(Node):
    """A call of `function`; `named` contains pairs of keyword and argument."""

    function: str
    arguments: tuple
    named: tuple = ()

    @property
    def parts(self):
        return (*self.arguments, *(value for _, value in self.named))


@dataclass(frozen=True)
class Unary(Node):
    sign: str
    operand: Node

    @property
    def parts(self):
        return (self.operand,)


@dataclass(frozen=True)
class Binary(Node):
    sign: str
    left: Node
    right: Node

    @property
    def parts(self):
        return (self.left, self.right)


@dataclass(frozen=True)
class Brackets(Node):
    """``( ... )`` around a part."""

    inner: Node

    @property
    def parts(self):
        return (self.inner,)


def bare(node):
    """The node without brackets around it."""
    while isinstance(node, Brackets):
        node = node.inner
    return node


def left_operands(node):
    """The innermost left operand of a chain of operators, and its binary nodes from there to `node`.

    A sum of n terms is a tree of depth n; what walks a tree follows such chains in a loop and recurses into right
    operands only, whose depth is limited.
    """
    chain = []
    while isinstance(node, Binary):
        chain.append(node)
        node = node.left
    return node, chain[::-1]


def walk(node):
    """The node and everything below it."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node.parts)


def plain_value(node, *, names=False):
    """Value of numbers, strings, TRUE, FALSE and NULL, and of sequences of them; a ValueError otherwise.

    With `names`, a name stands for itself.
    """
    node = bare(node)
    if isinstance(node, Constant):
        return node.value
    if names and isinstance(node, Name):
        return node.name
    if (
        isinstance(node, Unary)
        and node.sign in "+-"
        and isinstance(node.operand, Constant)
        and type(node.operand.value) in (int, float)
    ):
        return -node.operand.value if node.sign == "-" else node.operand.value
    if isinstance(node, Sequence) or (isinstance(node, Call) and node.function == "c" and not node.named):
        return tuple(plain_value(each, names=names) for each in node.parts)
    raise ValueError(f"{shortened(node.source)} is not a constant")
