"""What moved single predictions: Shapley values of tree models, by column of the table."""

import numpy as np

LOG_LINK = ("poisson", "gamma", "tweedie")


def reasons_for(pipeline, X, predicted, n=3):
    """The columns that moved each prediction most.

    Parameters
    ----------
    pipeline : fitted pipeline
        A `TableTransformer` and a model.
    X : table
        The rows.
    predicted : array of labels, or None for regression
        A class is explained for the rows it was predicted for.
    n : int
        Columns for each row.

    Returns
    -------
    reasons : list of lists of (str, float), or None
        For each row columns and how far they move the prediction, the largest first. None if the model is not a
        tree model.
    unit : str
        The quantity that the numbers refer to.
    """
    from statlearn.ensemble import is_sum_of_trees, tree_shap

    if not hasattr(pipeline, "steps"):  # a stack: a mean of several models, on several tables
        return None, ""
    prepare, model = pipeline[:-1], pipeline[-1]
    table = prepare[0]
    if not is_sum_of_trees(model) or not hasattr(table, "get_source_names_out"):
        return None, ""
    design = prepare.transform(X)
    sources = table.get_source_names_out()
    if design.shape[1] != len(sources):  # another step has changed the columns
        return None, ""
    shap = tree_shap(model, design)
    values = shap.values
    if predicted is not None:
        values = _of_predicted(values, np.searchsorted(model.classes_, predicted))
    columns, code = np.unique(sources.astype(str), return_inverse=True)
    moves = np.zeros((len(values), len(columns)))
    np.add.at(moves.T, code, values.T)
    found = []
    for row in moves:
        largest = np.argsort(-np.abs(row), kind="stable")[:n]
        found.append([(str(columns[j]), float(row[j])) for j in largest if row[j] != 0.0])
    return found, _unit(model, predicted)


def _of_predicted(values, classes):
    """The values for the class that was predicted; the only output of two classes is that of the second."""
    if values.ndim == 2:
        return np.where(classes[:, None] == 1, values, -values)
    return np.take_along_axis(values, classes[:, None, None], axis=2)[:, :, 0]


def _unit(model, predicted):
    loss = getattr(model, "loss_", getattr(model, "loss", None))  # the loss that was fitted: "auto" is none
    if predicted is None:
        return "the log of the prediction" if loss in LOG_LINK else "the prediction"
    if not hasattr(model, "decision_function"):
        return "the share of the predicted class"
    odds = loss == "log_loss" and len(model.classes_) == 2
    return f"the {'log-odds' if odds else 'score'} of the predicted class"
