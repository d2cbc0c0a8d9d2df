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


def sigmoid(page, figures):
    curve, probability, log_odds = (ax.lines[0 if k != 1 else 1] for k, ax in enumerate(figures[0].axes))
    np.testing.assert_allclose(curve.get_ydata(), 1 / (1 + np.exp(-curve.get_xdata())), rtol=1e-12)
    np.testing.assert_allclose(np.interp(page["boundary"], *probability.get_data()), 0.5, atol=1e-3)
    assert np.ptp(np.diff(log_odds.get_ydata())) < 1e-6  # a line


def landmarks(page, figures):
    assert titles(figures[0].axes)[:3] == [f"similarity, σ = {width:g}" for width in (0.3, 1.0, 3.0)]
    correct = [int(title.split("%")[0]) for title in titles(figures[0].axes)[3:]]
    assert correct[1] > 95 > max(correct[0], correct[2])
    inner, outer = page["weights"][1.0][:2], page["weights"][1.0][2]
    assert np.ptp(np.sign(inner)) == 0
    assert abs(outer) < 0.3 * np.abs(inner).min()


def representatives(page, figures):
    points = page["points"]
    gaps = np.linalg.norm(points[:, None] - points, axis=2)[np.triu_indices(3, 1)]
    np.testing.assert_allclose(gaps, gaps[0])  # each is as far from the others
    count, hinge, logistic = (page["losses"][name] for name in ("Neyman-Pearson", "hinge", "logistic"))
    assert (hinge >= count).all()
    assert (logistic / np.log(2) >= count - 1e-12).all()
    place, d = page["image"], page["distance"]
    assert all(d(place, points[page["own"]], points[k]) < 0 for k in range(3) if k != page["own"])


def thresholds(page, figures):
    miss, alarm, crossing = figures[1].axes[0].lines[:3]
    (threshold,), (rate,) = crossing.get_data()
    for line in (miss, alarm):  # the rates are steps, and the mark is on both of them but for a step
        np.testing.assert_allclose(np.interp(threshold, *line.get_data()), rate, atol=0.03)
    assert titles(figures[2].axes) == ["perfect: area 1.0", "useless: area 0.5", "reversed: area 0.0"]


def fuzzy_memberships(page, figures):
    memberships = {name: values for name, (values, _) in page["panels"].items()}
    assert all(np.allclose(values.sum(axis=1), 1) for values in memberships.values())
    np.testing.assert_allclose(memberships["m = 1.05"], memberships["k-means"], atol=0.5)
    sharpness = [values.max(axis=1).mean() for values in memberships.values()]
    assert sharpness[0] == 1
    assert sharpness == sorted(sharpness, reverse=True)
    assert sharpness[-1] < 0.5


def slanted_boundaries(page, figures):
    assert figures[1].axes[0].texts[0].get_text().split("\n")[0] == "1.5 x1 - 1.7 x2 <= -0.07"


def eigenfaces(page, figures):
    pictures, model = page["pictures"], page["model"]
    assert titles(figures[0].axes)[0] == f"mean {page['what']}"
    np.testing.assert_allclose(figures[0].axes[0].images[0].get_array().ravel(), pictures.mean(axis=0), rtol=1e-5)
    if model.n_components_ == pictures.shape[1]:  # all components give the picture back
        np.testing.assert_allclose(page["rebuilt"][model.n_components_], pictures[:4], atol=1e-8)
    errors = [np.linalg.norm(page["rebuilt"][k] - pictures[:4]) for k in page["counts"]]
    assert errors == sorted(errors, reverse=True)


def basis_functions(page, figures):
    assert titles(figures[0].axes) == [f"order {k}: {8 + k} functions" for k in (1, 2, 3, 4)]
    for order, total in page["sums"].items():
        np.testing.assert_allclose(total, 1, err_msg=f"order {order}")
    for order, ax in enumerate(figures[0].axes, start=1):  # nonzero on as many intervals as the order
        functions = np.column_stack([line.get_ydata() for line in ax.lines[:-2]])
        assert (np.nan_to_num(functions) > 1e-12).sum(axis=1).max() == order
    assert (
        page["conditions"]["B-splines"] < 10 < 1e3 < min(page["conditions"][k] for k in ("natural", "truncated powers"))
    )


def bootstrap(page, figures):
    assert texts(figures[0].axes[0].get_yticklabels()) == ["Z", *(f"Z*{b}" for b in range(1, 7))]
    expected = [(1 - 1 / n) ** n for n in page["sizes"]]
    np.testing.assert_allclose(page["shares"], expected, atol=0.03)  # 400 samples each: 4 standard errors at n = 2


def leave_one_out(page, figures):
    alone, folds, *_ = page["right"].values()
    assert alone == [0] * 5
    assert folds == [0.5] * 5
    assert [bar.get_height() for bar in figures[0].axes[0].patches] == [49, 50]


def storks(page, figures):
    assert page["europe"].loc["Poland"].tolist() == [30000, 610]
    assert [round(page["correlation"], 3), round(page["published"].summary()["p"][1], 4)] == [0.620, 0.0079]
    assert len(figures[0].axes[0].collections[0].get_offsets()) == 17


def time_warping(page, figures):
    path = page["path"]
    assert path[0].tolist() == [0, 0]
    assert path[-1].tolist() == [79, 94]
    assert (np.diff(path, axis=0) >= 0).all()
    np.testing.assert_allclose((path[:, 1] / 94) ** 1.8, path[:, 0] / 79, atol=0.03)  # the pace is found again


def encounters(page, figures):
    nearest = page["nearest"]
    for name in ("random headings", "hovering"):
        assert nearest[name].min() > nearest[f"{name}, idle"].min() + 0.5
    # What is drawn are positions: the dotted lines are as long as the closest approach.
    for ax, name in zip(figures[0].axes, ("random headings", "hovering")):
        dotted = [line.get_xydata() for line in ax.lines if line.get_linestyle() == ":"]
        np.testing.assert_allclose([np.linalg.norm(a - b) for a, b in dotted], nearest[name])


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
    "linear/plot_sigmoid.py": sigmoid,
    "svm/plot_landmarks.py": landmarks,
    "linear/plot_representatives.py": representatives,
    "assess/plot_thresholds.py": thresholds,
    "cluster/plot_fuzzy_memberships.py": fuzzy_memberships,
    "trees/plot_slanted_boundaries.py": slanted_boundaries,
    "decomposition/plot_eigenfaces.py": eigenfaces,
    "smooth/plot_basis_functions.py": basis_functions,
    "assess/plot_bootstrap.py": bootstrap,
    "assess/plot_leave_one_out.py": leave_one_out,
    "linear/plot_spurious_correlation.py": storks,
    "neighbors/plot_time_warping.py": time_warping,
    "decision/plot_encounters.py": encounters,
}
