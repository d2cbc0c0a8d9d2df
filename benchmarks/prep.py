"""The preparation family: what scikit-learn has no class for is raced against what a user would write with it."""

import numpy as np

from benchmarks.case import Case


class mixed_table(Case):
    """Numbers with gaps and levels to a standardised design; the peer is told the kinds, we find them out."""

    size, quick = dict(n=1_000_000, p=20), dict(n=300, p=4)
    grow = dict(n=[62_500, 250_000, 1_000_000], p=[10, 20, 40])
    goal = dict(sklearn=1)
    accept = dict(error=1e-8)

    def data(n, p):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, p))
        X[rng.random((n, p)) < 0.02] = np.nan
        return dict(X=X, levels=rng.choice(np.array(["north", "south", "west", "east"]), size=n))

    def quality(fit, X, levels):
        filled = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
        expected = (filled - filled.mean(axis=0)) / filled.std(axis=0)
        return dict(error=np.abs(fit.numbers - expected).max() + np.abs(fit.share - np.mean(levels == "north")))

    def statlearn(X, levels):
        import polars as pl

        from statlearn.prep import TableTransformer

        table = pl.DataFrame({**{f"x{j}": column for j, column in enumerate(X.T)}, "region": levels})
        transformer = TableTransformer(scale=True, indicator=False)
        design = transformer.fit_transform(table)
        north = list(transformer.get_feature_names_out()).index("region_north")
        return dict(numbers=design[:, : X.shape[1]], share=design[:, north].mean())

    def sklearn(X, levels):
        import polars as pl
        from sklearn.compose import ColumnTransformer
        from sklearn.impute import SimpleImputer
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        table = pl.DataFrame({**{f"x{j}": column for j, column in enumerate(X.T)}, "region": levels})
        numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
        columns = ColumnTransformer(
            [
                ("numbers", numbers, [f"x{j}" for j in range(X.shape[1])]),
                ("levels", OneHotEncoder(sparse_output=False), ["region"]),
            ]
        )
        design = columns.fit_transform(table)
        north = list(columns.get_feature_names_out()).index("levels__region_north")
        return dict(numbers=design[:, : X.shape[1]], share=design[:, north].mean())


class gaussian_imputation(Case):
    """Missing cells by their conditional means; the peer fits a regression per column and round."""

    size, quick = dict(n=20_000, p=10), dict(n=300, p=4)
    grow = dict(n=[5_000, 20_000, 80_000], p=[5, 10, 20])
    goal = dict(sklearn=1)

    def data(n, p):
        rng = np.random.default_rng(0)
        mixing = rng.normal(size=(p, p))
        truth = rng.normal(size=(n, p)) @ mixing
        X = truth.copy()
        X[rng.random((n, p)) < 0.1] = np.nan
        return dict(X=X, truth=truth)

    def quality(fit, X, truth):
        gaps = np.isnan(X)
        return dict(objective=np.sqrt(np.mean((fit.filled[gaps] - truth[gaps]) ** 2)))

    def statlearn(X, truth):
        from statlearn.prep import ModelImputer

        return dict(filled=ModelImputer(tol=1e-4).fit_transform(X))

    def sklearn(X, truth):
        import warnings

        from sklearn.experimental import enable_iterative_imputer  # noqa: F401
        from sklearn.impute import IterativeImputer

        with warnings.catch_warnings(action="ignore"):
            return dict(filled=IterativeImputer(random_state=0).fit_transform(X))
