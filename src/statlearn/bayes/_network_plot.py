"""Drawing of directed graphs in layers."""

import numpy as np


def layers(graph):
    """Positions (x, y) of the nodes: parents above children, crossings reduced by sweeps of barycentres."""
    depth = {}
    for node in graph.topological_order():
        depth[node] = 1 + max((depth[p] for p in graph.parents[node]), default=-1)
    rows = [[v for v in graph.nodes if depth[v] == d] for d in range(max(depth.values(), default=-1) + 1)]
    x = {v: k - (len(row) - 1) / 2 for row in rows for k, v in enumerate(row)}
    for sweep in range(12):
        down = sweep % 2 == 0
        for row in rows if down else rows[::-1]:
            near = graph.parents if down else graph.children
            wish = {v: np.mean([x[u] for u in near[v]]) if near[v] else x[v] for v in row}
            row.sort(key=wish.__getitem__)
            middle = np.mean(list(wish.values())) if row else 0.0
            for k, v in enumerate(row):
                x[v] = middle + k - (len(row) - 1) / 2
    return {v: (x[v], -float(depth[v])) for v in graph.nodes}


def plot_graph(graph, ax=None, *, node_size=1600, dashed=()):
    """Draw the graph; latent nodes have a dashed outline."""
    from statlearn._draw.axes import new_axes

    ax = new_axes(ax)
    place = layers(graph)
    shrink = np.sqrt(node_size / np.pi) + 1
    for parent, child in graph.edges():
        far = abs(place[parent][1] - place[child][1]) > 1
        ax.annotate(
            "",
            xy=place[child],
            xytext=place[parent],
            arrowprops={
                "arrowstyle": "-|>",
                "shrinkA": shrink,
                "shrinkB": shrink,
                "color": "0.35",
                "connectionstyle": "arc3,rad=0.15" if far else "arc3",
            },
        )
    for node, (x, y) in place.items():
        style = "--" if node in dashed else "-"
        ax.scatter([x], [y], s=node_size, color="white", edgecolors="C0", linestyles=style, zorder=2)
        ax.text(x, y, str(node), ha="center", va="center", zorder=3, fontsize="small")
    xs, ys = zip(*place.values()) if place else ((0,), (0,))
    ax.set_xlim(min(xs) - 0.7, max(xs) + 0.7)
    ax.set_ylim(min(ys) - 0.5, max(ys) + 0.5)
    ax.set_axis_off()
    return ax
