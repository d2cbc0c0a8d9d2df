"""Pictures of automata, search trees, proofs and lattices of hypotheses."""

import numpy as np

from statlearn._draw.axes import new_axes
from statlearn._draw.style import styled


def _places(children, root=0):
    """Leaves from left to right, a parent above the middle of its children: {node: (x, depth)}."""
    place, depth, width = {}, {root: 0}, 0
    stack = [(root, False)]
    while stack:
        node, done = stack.pop()
        below = children.get(node, [])
        if done:
            place[node] = float(np.mean([place[child] for child in below]))
        elif below:
            stack.append((node, True))
            for child in reversed(below):
                depth[child] = depth[node] + 1
                stack.append((child, False))
        else:
            place[node] = width
            width += 1
    return {node: (x, depth[node]) for node, x in place.items()}


@styled
def draw_tree(labels, children, *, colors=None, ax=None, fontsize=8):
    """Boxes with text, and lines from parents to children; node 0 is the root."""
    ax = new_axes(ax)
    places = _places(children)
    for node, below in children.items():
        for child in below:
            (x, y), (u, v) = places[node], places[child]
            ax.plot([x, u], [-y, -v], color="0.7", lw=1, zorder=1)
    for node, (x, y) in places.items():
        box = {"boxstyle": "round", "fc": (colors or {}).get(node, "white"), "ec": "0.4"}
        ax.text(x, -y, labels[node], ha="center", va="center", fontsize=fontsize, bbox=box, zorder=2)
    xs, ys = zip(*places.values())
    ax.set_xlim(min(xs) - 0.7, max(xs) + 0.7)
    ax.set_ylim(-max(ys) - 0.5, 0.5)
    ax.axis("off")
    return ax


def draw_search(nodes, *, ax=None):
    """The clauses that a search has visited, from the empty body down; the best one is filled."""
    children, labels = {}, {}
    best = max(range(len(nodes)), key=lambda k: (nodes[k].negatives == 0, nodes[k].score, -len(nodes[k].clause)))
    for k, node in enumerate(nodes):
        if node.parent is not None:
            children.setdefault(node.parent, []).append(k)
        body = ",\n".join(map(repr, node.clause.body)) or "(empty body)"
        labels[k] = f"{body}\n{node.positives}+ {node.negatives}\N{MINUS SIGN}"
    return draw_tree(labels, children, colors={best: "#cde8cd"}, ax=ax)


def draw_proof(proof, *, ax=None):
    """A proof tree."""
    labels, children = {}, {}

    def visit(node):
        k = len(labels)
        labels[k] = repr(node.goal) if node.goal is not None else "goal"
        for child in node.children:
            children.setdefault(k, []).append(visit(child))
        return k

    visit(proof)
    return draw_tree(labels, children, ax=ax)


@styled
def draw_automaton(automaton, ax=None):
    """States on a circle, accepting ones with a double ring; arrows with their symbols."""
    ax = new_axes(ax)
    n = len(automaton.states)
    angle = np.pi - 2 * np.pi * np.arange(n) / n
    radius = 0.0 if n == 1 else 1.0
    place = {q: np.array([radius * np.cos(a), radius * np.sin(a)]) for q, a in zip(automaton.states, angle)}
    size = 0.22 if n <= 6 else 0.14
    arrows = {}
    for q, symbol, p in automaton.transitions:
        arrows.setdefault((q, p), []).append(str(symbol))
    style = {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0, "color": "0.3", "lw": 1.2}
    for (q, p), symbols in arrows.items():
        _arrow(ax, place[q], place[p], ", ".join(symbols), size, style, both=(p, q) in arrows)
    for q, (x, y) in place.items():
        for r in (size, 0.8 * size) if q in automaton.accepting else (size,):
            ax.add_patch(_circle(x, y, r))
        ax.text(x, y, f"s{q}", ha="center", va="center")
    start = place[automaton.states[0]]
    ax.annotate("", start - [size, 0], start - [3 * size, 0], arrowprops=style)
    ax.set_xlim(-radius - 0.9, radius + 0.9)
    ax.set_ylim(-radius - 0.7, radius + 0.9)
    ax.set_aspect("equal")
    ax.axis("off")
    return ax


def _circle(x, y, r):
    from matplotlib.patches import Circle

    return Circle((x, y), r, fc="white", ec="0.2", lw=1.2, zorder=3)


def _arrow(ax, a, b, text, size, style, both):
    if np.allclose(a, b):  # a loop, away from the centre
        away = a / np.linalg.norm(a) if np.linalg.norm(a) > 0 else np.array([0.0, 1.0])
        away = np.array([0.0, 1.0]) if abs(away[1]) < 0.5 else away
        side = np.array([away[1], -away[0]])
        begin, end = a + size * (0.9 * away - 0.5 * side), a + size * (0.9 * away + 0.5 * side)
        ax.annotate("", end, begin, arrowprops={**style, "connectionstyle": "arc3,rad=-1.6"})
        ax.text(*(a + (2.6 * size) * away), text, ha="center", va="center")
        return
    way = (b - a) / np.linalg.norm(b - a)
    bend = np.array([-way[1], way[0]]) * (0.25 if both else 0.06)
    ax.annotate(
        "",
        b - size * way + 0.4 * size * bend / 0.25 * both,
        a + size * way + 0.4 * size * bend / 0.25 * both,
        arrowprops={**style, "connectionstyle": f"arc3,rad={-0.25 if both else 0.0}"},
    )
    ax.text(*((a + b) / 2 + 1.3 * bend + 0.1 * bend / np.linalg.norm(bend)), text, ha="center", va="center")


@styled
def draw_version_space(space, ax=None, *, all_hypotheses=()):
    """The lattice of hypotheses by number of fixed slots; members of the version space are filled."""
    ax = new_axes(ax)
    inside, general, specific = set(space), set(space.general), set(space.specific)
    rows = {}
    for h in all_hypotheses:
        rows.setdefault(sum(slot is not None for slot in h.slots), []).append(h)
    place = {}
    for level, hypotheses in rows.items():
        for k, h in enumerate(hypotheses):
            place[h] = ((k + 0.5) / len(hypotheses), -level)
    for h, (x, y) in place.items():
        for other, (u, v) in place.items():
            if v == y - 1 and h >= other and h in inside and other in inside:
                ax.plot([x, u], [y, v], color="0.6", lw=0.8, zorder=1)
    labelled = {}  # number of labels by level
    for h, (x, y) in place.items():
        color = "C0" if h in general and h in specific else "C2" if h in general else "C1" if h in specific else "0.5"
        ax.plot(x, y, "o", ms=8 if h in inside else 3, color=color if h in inside else "0.85", zorder=2)
        if h in general | specific:
            height = 7 + 10 * (labelled.get(y, 0) % 2)  # neighbours in two lines
            height = height if h in general else -height - 6  # away from the edges
            labelled[y] = labelled.get(y, 0) + 1
            ax.annotate(repr(h), (x, y), xytext=(0, height), textcoords="offset points", ha="center", fontsize=7)
    ax.set_yticks([-level for level in sorted(rows)], [f"{level} fixed" for level in sorted(rows)])
    ax.set_xticks([])
    ax.set_xlim(-0.05, 1.05)
    ax.set_ylim(-max(rows) - 0.4, 0.5)
    return ax
