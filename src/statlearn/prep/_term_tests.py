"""Tests of the terms of a model by formula, by fits without them."""

import warnings

import numpy as np
from sklearn.base import clone

from statlearn._core.summary import Summary, Table
from statlearn._core.warnings import RankWarning


def term_tests(model, terms, X, y, sample_weight, kind, test, dispersion="auto"):
    """The table behind `FormulaModel.term_tests`, from the complete rows."""
    from statlearn.linear import deviance_test

    design, numbers = model.design_.transform(X), model.design_.term_numbers_
    fitted = {}

    def without(dropped):
        """The fit without some terms."""
        left = np.array([term not in dropped for term in numbers])
        key = left.tobytes()
        if key not in fitted:
            # A model without any column is that of a column of zeros.
            columns = design[:, left] if left.any() else np.zeros((len(design), 1))
            weights = {} if sample_weight is None else {"sample_weight": sample_weight}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RankWarning)
                fitted[key] = clone(model.estimator_).fit(columns, y, **weights, **model._offset(X))
        return fitted[key]

    full, tests, tested, aliased = without(()), [], [], []
    names = [":".join(terms.ordered(term)) for term in terms.terms]
    for k, term in enumerate(terms.terms):
        # Both models leave out the terms that come later, or that contain this one; the smaller one this one, too.
        if kind == "sequential":
            left_out = list(range(k + 1, len(terms.terms)))
        else:
            left_out = [j for j, other in enumerate(terms.terms) if term < other]
        models = [without([*left_out, k]), without(left_out)]
        ranks = [_rank(each) for each in (*models, full)]
        if ranks[0] == ranks[1] != 0:  # as R, which has no row for it
            aliased.append(names[k])
            continue
        largest = [full] if ranks[2] > ranks[1] else []
        tests.append(deviance_test(*models, *largest, test=test, dispersion=dispersion))
        tested.append(names[k])
    if not tests:
        raise ValueError("`formula`: no term can be tested, since all of them depend linearly on the others.")
    statistic = next(name for name in ("F", "chi2") if name in tests[0].table.columns)
    columns = {name: np.array([table[name][1] for table in tests]) for name in ("df", "deviance_drop", statistic, "p")}
    title = "Tests of terms, " + ("each given all others" if kind == "partial" else "added one by one")
    facts = {"dispersion": tests[0].facts["dispersion"], "df_residual": tests[0]["df_residual"][-1]}
    labels = {"dispersion": "dispersion", "df_residual": "residual df"}
    notes = [f"Left out because of linear dependence: {', '.join(aliased)}."] if aliased else []
    return Summary(title, Table(tested, columns), facts, labels, notes=notes)


def _rank(model):
    """Identified coefficients of a maximum-likelihood fit; 0 for other models, which `deviance_test` refuses."""
    return model._nested_fit().rank if hasattr(model, "_nested_fit") else 0
