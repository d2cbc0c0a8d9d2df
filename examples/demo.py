"""The main job in small: fit, look at the inference table, and compare linear models honestly on built-in data.

Run by ``make demo``. Prints tables and writes a figure to ``build/demo``.
"""

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from statlearn.linear import (
    BestSubsetRegressor,
    ElasticNetCV,
    HuberRegressor,
    LassoCV,
    LinearRegression,
    PrincipalComponentRegression,
    RidgeCV,
    lasso_path,
)

OUT = Path("build/demo")


def compare(models, X, y):
    """Ten-fold cross-validation of every model on the same folds; the table as text, best model first."""
    folds = KFold(10, shuffle=True, random_state=0)
    rows = []
    for name, model in models.items():
        start = time.perf_counter()
        losses = -cross_validate(model, X, y, cv=folds, scoring="neg_mean_squared_error")["test_score"]
        rows.append((losses.mean(), losses.std(ddof=1) / np.sqrt(len(losses)), name, time.perf_counter() - start))
    rows.sort()
    lines = [f"{'model':34}{'test MSE':>10}{'± SE':>8}{'seconds':>10}"]
    lines += [f"{name:34}{mean:10.1f}{error:8.1f}{seconds:10.2f}" for mean, error, name, seconds in rows]
    return "\n".join(lines)


def main():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    print(f"diabetes: {len(y)} patients, {X.shape[1]} measurements, target: disease progression after a year\n")

    print(LinearRegression().fit(X, y).summary(), "\n")

    models = {
        "least squares": LinearRegression(),
        "ridge, leave-one-out": RidgeCV(alphas=np.logspace(-3, 3, 50)),
        "lasso, smallest CV error": LassoCV(cv=10),
        "lasso, one-standard-error rule": LassoCV(cv=10, rule="one_se"),
        "elastic net": ElasticNetCV(l1_ratio=[0.2, 0.5, 0.9], cv=10),
        "best subset by BIC": BestSubsetRegressor(criterion="bic"),
        "principal components, CV": PrincipalComponentRegression(n_components="cv"),
        "Huber": HuberRegressor(max_iter=1000),
    }
    scaled = {name: make_pipeline(StandardScaler(), model) for name, model in models.items()}
    print("Ten-fold cross-validation, tuning inside the folds:\n")
    print(compare(scaled, X, y), "\n")

    Z = StandardScaler().fit_transform(X)
    choice = LassoCV(cv=10, rule="one_se").fit(Z, y)
    kept = X.columns[choice.coef_ != 0]
    print(f"The lasso's one-standard-error model keeps {len(kept)} of {X.shape[1]} measurements: {', '.join(kept)}")
    draw(Z, y, X.columns, choice)


def draw(X, y, names, choice):
    """Coefficient profiles beside the cross-validation curve."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    from statlearn.plot import plot_path

    fig, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
    alphas, coefs, _ = lasso_path(X, y - y.mean())
    plot_path(alphas, coefs, feature_names=names, chosen=choice.alpha_, ax=axes[0])
    choice.cv_curve_.plot(ax=axes[1])
    OUT.mkdir(parents=True, exist_ok=True)
    fig.savefig(OUT / "lasso_path.png", dpi=120)
    print(f"Figure: {OUT / 'lasso_path.png'}")


if __name__ == "__main__":
    main()
