"""What the figures and variables of single pages of the gallery must show."""

import numpy as np


def texts(labels):
    return [label.get_text() for label in labels]


def titles(axes):
    return [ax.get_title() or ax.get_title("left") for ax in axes]


def cross_terms(page, figures):
    # y = 2 x1 + x2 + .5 x1² - .8 x1 x2, with 200 rows and noise of standard deviation .5
    np.testing.assert_allclose(page["bent"].coef_, [2, 1, 0.5, -0.8, 0], atol=0.05)
    assert [model.terms[-1] for model in page["chain"][1:3]] == ["x1 x2", "x1^2"]
    assert page["errors"][0] > 25 * page["errors"][2]
    assert texts(figures[1].axes[0].get_xticklabels())[:3] == ["x1 + x2", "+ x1 x2", "+ x1^2"]


def iris_boundaries(page, figures):
    pairs = figures[0].axes
    assert titles(pairs) == ["setosa and versicolor: 100% correct", "versicolor and virginica: 95% correct"]
    assert all(any(t.arrow_patch is not None for t in ax.texts) for ax in pairs)  # into the half-plane of a class


def gaussian_classes(page, figures):
    # Second differences along the rows of a grid are 0 for a plane; for a quadric they are constant.
    for name, order in (("common covariance: planes", 2), ("own covariances: quadrics", 3)):
        rows = page["heights"][name].reshape(200, 200, 3)[::40]
        assert np.abs(np.diff(rows, order, axis=1)).max() < 1e-8 < np.abs(np.diff(rows, order - 1, axis=1)).max()


def housing_pairs(page, figures):
    heat, pairs = figures[0].axes[0], figures[1].axes
    assert {"0.70", "-0.74"} <= set(texts(heat.texts))  # medv with rm and lstat
    assert len(pairs) == 16
    assert [ax.get_xlabel() for ax in pairs[-4:]] == ["medv", "rm", "lstat", "ptratio"]


def heart_pairs(page, figures):
    assert len(figures[0].axes[0].texts) == 49
    assert texts(figures[1].legends[0].get_texts()) == ["control", "heart attack"]


def housing_tree(page, figures):
    for ax in figures[0].axes:
        bars = [bar.get_width() for bar in ax.patches]
        np.testing.assert_allclose(bars[0], 100)
        assert bars == sorted(bars, reverse=True)
        assert texts(ax.get_yticklabels())[:2] == ["rm", "lstat"]
    assert page["noise"][0] > page["noise"][1] == 0


def multiway_splits(page, figures):
    roots = {
        title.split(":")[0]: ax.texts[0].get_text().split("\n")[0]
        for title, ax in zip(titles(figures[1].axes), figures[1].axes)
    }
    assert roots == {"ID3": "job", "C4.5": "house", "CART": "job in {none, worker}"}
    assert (
        page["doctor"].score(page["patients"], page["diagnosis"])
        == 1
        == page["binary"].score(page["table"], page["diagnosis"])
    )


def svd_blocks(page, figures):
    frames = [[p for p in ax.patches if p.get_linestyle() == "--"] for ax in figures[0].axes]
    assert [(p.get_width(), p.get_height()) for found in frames for p in found] == [
        *[(2, 6), (2, 2), (4, 2)],  # U, S and V' of the tall matrix
        *[(2, 4), (2, 2), (6, 2)],
    ]


def isomap_spectrum(page, figures):
    spectrum = figures[0].axes[0].lines[0].get_ydata()
    assert len(spectrum) == 12
    assert (np.diff(spectrum) < 0).all()
    assert spectrum[2] - spectrum[3] > 10 * (spectrum[3] - spectrum[4])  # three dimensions stand out


# Properties of a page's variables and of the figures that it has drawn.
CHECKS = {
    "linear/plot_cross_terms.py": cross_terms,
    "linear/plot_iris_boundaries.py": iris_boundaries,
    "discriminant/plot_gaussian_classes.py": gaussian_classes,
    "linear/plot_housing_inference.py": housing_pairs,
    "linear/plot_heart_disease.py": heart_pairs,
    "trees/plot_housing_tree.py": housing_tree,
    "trees/plot_multiway_splits.py": multiway_splits,
    "decomposition/plot_svd_blocks.py": svd_blocks,
    "manifold/plot_digits_isomap.py": isomap_spectrum,
}
