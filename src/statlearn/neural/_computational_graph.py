"""Computational graphs of scalars and arrays, and reverse-mode differentiation on them."""

import numpy as np

from ._activations import activation


def _unbroadcast(adjoint, shape):
    """Adjoint of an operand that was broadcast: summed over the added and stretched axes."""
    added = adjoint.ndim - len(shape)
    if added:
        adjoint = adjoint.sum(axis=tuple(range(added)))
    stretched = tuple(k for k, size in enumerate(shape) if size == 1 and adjoint.shape[k] != 1)
    return adjoint.sum(axis=stretched, keepdims=True) if stretched else adjoint


class Value:
    r"""Node of a computational graph that remembers how it was computed.

    Arithmetic on nodes builds the graph and computes values forward. `backward` visits the nodes once in reverse
    topological order: the output has the adjoint 1, and every other node

    .. math:: \bar v_i = \sum_{j \in \mathrm{children}(i)} \bar v_j \, \frac{\partial v_j}{\partial v_i} ,

    so that contributions of all uses of a shared node add up. One sweep gives the derivatives with respect to all
    inputs, at a small constant multiple of the cost of the forward computation.

    Parameters
    ----------
    data : float or array-like
        The value. Arrays broadcast as in numpy.
    label : str, default=""
        Name in drawings.

    Attributes
    ----------
    data : ndarray of float64
    grad : ndarray of the shape of `data`, or None
        The adjoint, after `backward`.
    operation : str
        Operation that computed the node; empty for inputs.
    parents : tuple of Value
        Operands.

    Notes
    -----
    Operations: ``+ - * / **`` (constant exponent), ``@``, ``exp``, ``log``, ``sum``, ``mean``, ``reshape``, ``T``,
    indexing, and ``apply`` for every function of :func:`activation`. It is made for looking at small graphs; networks
    are trained by :class:`MLPClassifier` and its relatives.

    See Also
    --------
    draw_graph : Picture of the graph with values and adjoints.
    check_gradient : Comparison with finite differences.

    Examples
    --------
    >>> from statlearn.neural import Value
    >>> w, x, b, y = (Value(v, label=k) for k, v in {"w": 2, "x": 3, "b": 1, "y": 5}.items())
    >>> f = (w * x + b - y) ** 2
    >>> f.backward()
    >>> float(f.data), [float(v.grad) for v in (w, x, b, y)]
    (4.0, [12.0, 8.0, 4.0, -4.0])
    """

    __array_priority__ = 1000  # numpy arrays leave `array * Value` to the Value

    def __init__(self, data, label=""):
        try:
            self.data = np.array(data, dtype=np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"`data` must be a number or an array of numbers, got {data!r}.") from None
        self.label = label
        self.grad = None
        self.operation = ""
        self.parents = ()
        self._pull = ()  # per parent: adjoint of this node -> contribution to the adjoint of the parent

    @staticmethod
    def _node(data, operation, *edges):
        node = Value(data)
        node.operation = operation
        node.parents = tuple(parent for parent, _ in edges)
        node._pull = tuple(pull for _, pull in edges)
        return node

    @staticmethod
    def _of(other):
        return other if isinstance(other, Value) else Value(other)

    def _fitting(self, other, operation):
        """Second operand of an element-wise operation as a node whose shape can be broadcast."""
        other = self._of(other)
        try:
            np.broadcast_shapes(self.shape, other.shape)
        except ValueError:
            raise ValueError(f"Shapes {self.shape} and {other.shape} do not fit together in {operation}.") from None
        return other

    @property
    def shape(self):
        """Shape of the value."""
        return self.data.shape

    def __repr__(self):
        name = f"{self.label}: " if self.label else ""
        grad = "" if self.grad is None else f", grad={np.array2string(self.grad, precision=4)}"
        return f"Value({name}{np.array2string(self.data, precision=4)}{grad})"

    # ---- Arithmetic ----

    def __add__(self, other):
        other = self._fitting(other, "+")
        return self._node(self.data + other.data, "+", (self, lambda g: g), (other, lambda g: g))

    def __sub__(self, other):
        other = self._fitting(other, "-")
        return self._node(self.data - other.data, "-", (self, lambda g: g), (other, lambda g: -g))

    def __mul__(self, other):
        other = self._fitting(other, "*")
        a, b = self.data, other.data
        return self._node(a * b, "*", (self, lambda g: g * b), (other, lambda g: g * a))

    def __truediv__(self, other):
        other = self._fitting(other, "/")
        a, b = self.data, other.data
        return self._node(a / b, "/", (self, lambda g: g / b), (other, lambda g: -g * a / (b * b)))

    def __pow__(self, exponent):
        if isinstance(exponent, Value):
            raise TypeError("The exponent must be a constant; write x**y as (y * x.log()).exp().")
        a = self.data
        return self._node(a**exponent, f"**{exponent}", (self, lambda g: g * exponent * a ** (exponent - 1)))

    def __neg__(self):
        return self._node(-self.data, "-", (self, lambda g: -g))

    def __radd__(self, other):
        return self._of(other) + self

    def __rsub__(self, other):
        return self._of(other) - self

    def __rmul__(self, other):
        return self._of(other) * self

    def __rtruediv__(self, other):
        return self._of(other) / self

    def __rmatmul__(self, other):
        return self._of(other) @ self

    def __matmul__(self, other):
        other = self._of(other)
        a, b = self.data, other.data
        if not (1 <= a.ndim <= 2 and 1 <= b.ndim <= 2):
            raise ValueError(f"@ needs vectors or matrices, got shapes {a.shape} and {b.shape}.")
        if a.shape[-1] != b.shape[0]:
            raise ValueError(f"Shapes {a.shape} and {b.shape} do not fit together in @.")
        rows, columns = np.atleast_2d(a), b.reshape(len(b), -1)  # as matrices
        full = (rows.shape[0], columns.shape[1])
        return self._node(
            a @ b,
            "@",
            (self, lambda g: (g.reshape(full) @ columns.T).reshape(a.shape)),
            (other, lambda g: (rows.T @ g.reshape(full)).reshape(b.shape)),
        )

    # ---- Functions ----

    def exp(self):
        """Exponential."""
        e = np.exp(self.data)
        return self._node(e, "exp", (self, lambda g: g * e))

    def log(self):
        """Natural logarithm."""
        a = self.data
        return self._node(np.log(a), "log", (self, lambda g: g / a))

    def apply(self, name):
        """An activation by its name; see :func:`activation`."""
        function = activation(name)
        a = self.data
        return self._node(function(a), function.name, (self, lambda g: g * function.derivative(a)))

    def relu(self):
        """max(x, 0)."""
        return self.apply("relu")

    def tanh(self):
        """Hyperbolic tangent."""
        return self.apply("tanh")

    def sigmoid(self):
        """Logistic function."""
        return self.apply("logistic")

    def softplus(self):
        """log(1 + exp(x))."""
        return self.apply("softplus")

    # ---- Shapes and sums ----

    def sum(self, axis=None):
        """Sum over all entries or an axis."""
        shape = self.shape

        def spread(g):
            return np.broadcast_to(g if axis is None else np.expand_dims(g, axis), shape)

        return self._node(self.data.sum(axis=axis), "sum", (self, spread))

    def mean(self, axis=None):
        """Mean over all entries or an axis."""
        total = self.sum(axis)
        return total / (self.data.size / max(total.data.size, 1))

    def reshape(self, *shape):
        """The entries in another shape."""
        old = self.shape
        return self._node(self.data.reshape(*shape), "reshape", (self, lambda g: g.reshape(old)))

    @property
    def T(self):
        """Transpose."""
        return self._node(self.data.T, "T", (self, lambda g: g.T))

    def __getitem__(self, index):
        shape = self.shape

        def scatter(g):
            full = np.zeros(shape)
            np.add.at(full, index, g)
            return full

        return self._node(self.data[index], "[]", (self, scatter))

    # ---- Differentiation ----

    def nodes(self):
        """All nodes that this one depends on and itself, each after its operands."""
        order, seen, stack = [], set(), [(self, False)]
        while stack:  # without recursion: graphs may be deeper than Python's stack
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif id(node) not in seen:
                seen.add(id(node))
                stack.append((node, True))
                stack += [(parent, False) for parent in reversed(node.parents)]
        return order

    def backward(self):
        """Compute the adjoints of all nodes of the graph; this node must be a scalar."""
        if self.data.size != 1:
            raise ValueError(
                f"backward() needs a scalar, but the value has shape {self.shape}; call it on a sum or mean."
            )
        order = self.nodes()
        for node in order:
            node.grad = np.zeros(node.shape)
        self.grad = np.ones(self.shape)
        for node in reversed(order):
            for parent, pull in zip(node.parents, node._pull):
                parent.grad = parent.grad + _unbroadcast(pull(node.grad), parent.shape)

    def to_dot(self):
        """The graph in the language of Graphviz, with values and adjoints."""
        order = self.nodes()
        number = {id(node): k for k, node in enumerate(order)}
        lines = ["digraph {", "  rankdir=LR;"]
        for node in order:
            text = "\\n".join(_lines_of(node)).replace('"', "'")
            shape = "ellipse" if node.parents else "box"
            lines.append(f'  n{number[id(node)]} [label="{text}", shape={shape}];')
        for node in order:
            lines += [f"  n{number[id(parent)]} -> n{number[id(node)]};" for parent in node.parents]
        return "\n".join([*lines, "}"])


def _lines_of(node):
    """Lines of text of a node in a drawing: name or operation, value, adjoint."""

    def short(array):
        return f"{array:.4g}" if array.ndim == 0 else "×".join(map(str, array.shape))

    head = " ".join(filter(None, (node.label, f"({node.operation})" if node.operation else "")))
    lines = [head] if head else []
    lines.append(f"v = {short(node.data)}")
    if node.grad is not None:
        lines.append(f"adj = {short(node.grad)}")
    return lines


def draw_graph(value, ax=None):
    """Drawing of a computational graph: inputs on the left, the output on the right.

    Parameters
    ----------
    value : Value
        Output node. After ``value.backward()`` the drawing also shows the adjoints.
    ax : matplotlib Axes or None, default=None

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    A node is placed one column to the right of its last operand. For large graphs use ``value.to_dot()`` with Graphviz.

    Examples
    --------
    >>> from statlearn.neural import Value, draw_graph
    >>> f = (Value(2.0, "w") * Value(3.0, "x")).tanh()
    >>> f.backward()
    >>> axes = draw_graph(f)
    """
    from statlearn._draw.axes import new_axes

    if not isinstance(value, Value):
        raise TypeError(f"`value` must be a Value, got {type(value).__name__}.")
    order = value.nodes()
    depth: dict[int, int] = {}
    for node in order:
        depth[id(node)] = 1 + max((depth[id(parent)] for parent in node.parents), default=-1)
    for node in reversed(order):  # inputs move next to their first use
        for parent in node.parents:
            if not parent.parents:
                uses = [depth[id(child)] for child in order if parent in child.parents]
                depth[id(parent)] = min(uses) - 1
    columns: dict[int, list] = {}
    for node in order:
        columns.setdefault(depth[id(node)], []).append(node)
    tallest = max(map(len, columns.values()))
    place = {
        id(node): (2.4 * column, (tallest - 1) / 2 - (k - (len(nodes) - 1) / 2))
        for column, nodes in columns.items()
        for k, node in enumerate(nodes)
    }
    ax = new_axes(ax, figsize=(1.9 * len(columns) + 1, 1.1 * tallest + 1))
    for node in order:
        for parent in node.parents:
            ax.annotate(
                "",
                xy=place[id(node)],
                xytext=place[id(parent)],
                arrowprops={"arrowstyle": "-|>", "color": "0.5", "shrinkA": 24, "shrinkB": 32},
            )
    for node in order:
        ax.text(
            *place[id(node)],
            "\n".join(_lines_of(node)),
            ha="center",
            va="center",
            fontsize=9,
            bbox={"boxstyle": "round", "facecolor": "white" if node.parents else "#dbe9f6", "edgecolor": "0.4"},
        )
    ax.set_xlim(2.4 * min(columns) - 1.1, 2.4 * max(columns) + 1.1)
    ax.set_ylim(-0.7, tallest - 0.3)
    ax.axis("off")
    return ax
