"""The picture of the home page, drawn by the package itself, on light and dark ground."""

from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "images"


def draw(name):
    """Three panels: a lasso path, a boundary between two classes, and a curve with its interval."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt
    import numpy as np
    from sklearn.datasets import load_diabetes, make_moons

    from statlearn.linear import lasso_path
    from statlearn.plot import style
    from statlearn.smooth import GAM, s
    from statlearn.svm import SVC

    rng = np.random.default_rng(4)
    with style(name) as theme:
        figure, (path, plane, curve) = plt.subplots(1, 3, figsize=(13.5, 3.9), layout="constrained", dpi=130)

        X, y = load_diabetes(return_X_y=True)
        alphas, coefficients, *_ = lasso_path(X / X.std(axis=0), y - y.mean(), eps=1e-3)
        for row, colour in zip(coefficients, [*theme.cycle, *theme.cycle]):
            path.plot(-np.log10(alphas), row, color=colour, linewidth=2)
        path.set(title="Which columns matter", xlabel="penalty, from strong to weak", ylabel="coefficient")
        path.set_xticks([])

        points, label = make_moons(220, noise=0.22, random_state=3)
        machine = SVC(C=3.0, gamma=1.2).fit(points, label)
        grid = np.stack(np.meshgrid(np.linspace(-1.9, 2.9, 220), np.linspace(-1.4, 1.9, 160)), axis=-1)
        score = machine.decision_function(grid.reshape(-1, 2)).reshape(grid.shape[:2])
        colours = [theme.cycle[0], theme.cycle[1]]
        plane.contourf(*np.moveaxis(grid, -1, 0), score, levels=[-9, 0, 9], colors=colours, alpha=0.16)
        plane.contour(
            *np.moveaxis(grid, -1, 0), score, levels=[-1, 0, 1], colors=theme.ink, linestyles=["--", "-", "--"],
            linewidths=[0.8, 1.8, 0.8],
        )  # fmt: skip
        for value, colour in enumerate(colours):
            plane.scatter(*points[label == value].T, s=16, color=colour)
        plane.set(title="Where the classes part", xticks=[], yticks=[])

        x = np.sort(rng.uniform(0, 10, 140))
        response = np.sin(x) + 0.3 * x + rng.normal(scale=0.45, size=x.size)
        model = GAM([s(0)]).fit(x[:, None], response)
        at = np.linspace(0, 10, 300)
        lower, upper = model.confidence_interval(at[:, None]).T
        curve.scatter(x, response, s=14, color=theme.muted, alpha=0.7)
        curve.fill_between(at, lower, upper, color=theme.cycle[0], alpha=0.3, linewidth=0)
        curve.plot(at, model.predict(at[:, None]), color=theme.cycle[0], linewidth=2.4)
        curve.set(title="How sure the curve is", xticks=[], yticks=[])
        for axes in (path, plane, curve):
            axes.title.set_fontsize(14)
    return figure


def write_pictures(app=None):
    """Draw the pictures that are missing; a fresh clone has none."""
    import matplotlib.pyplot as plt

    for name in ("light", "dark"):
        target = FOLDER / f"home_{name}.png"
        if not target.exists():
            figure = draw(name)
            figure.savefig(target, facecolor=figure.get_facecolor())
            plt.close(figure)


def setup(app):
    app.connect("builder-inited", write_pictures, priority=100)
    return {"parallel_read_safe": True}
