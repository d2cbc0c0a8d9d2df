"""Sentences on explanations, new data, costs and residuals, as templates under a code.

As with the verdict of a comparison (`statlearn.app.honesty.wording`), nothing is said that has no template here, and a
test holds every template against a table whose truth is known (`tests/app/test_statements.py`).
"""

STATEMENTS = {
    # How reasons were computed.
    "SHAPLEY-TREES": "Shapley values, exact for a sum of trees.",
    "SHAPLEY-LINEAR": "Shapley values, exact for a linear model.",
    "SHAPLEY-SAMPLED": (
        "Shapley values, sampled with {orders} orders of the columns per row; their standard errors are at most "
        "{error}."
    ),
    "NO-BACKGROUND": (
        "What moved the prediction is not shown: this needs a table with at least {rows} other rows, or a model file "
        "that stores training rows."
    ),
    # A changed row.
    "OUTSIDE-RANGE": "{column} = {value} is outside the range of the training rows, {low} to {high}.",
    "UNKNOWN-LEVEL": "{column} = {value} does not occur in the training rows.",
    # Decisions with costs.
    "COST": (
        "{model}: if a wrong {positive} costs {fp} and a missed one {fn}, predicting {positive} from a probability of "
        "{threshold} on costs {cost} per row on rows that were not used to choose the threshold; at one half it would "
        "cost {half}."
    ),
    # A new table against the training rows.
    "DRIFT": ("{moved} of {columns} {have} moved since training (false-alarm rate {level} for the whole table):"),
    "DRIFT-VALUES": (
        "{column} has moved: its median is {here}, in the training rows {before}. The shares of rows below a value "
        "differ by up to {share}."
    ),
    "DRIFT-LEVELS": "{column} has moved: {here} of its values are {level}, in the training rows {before}.",
    "DRIFT-MISSING": "{column} is missing in {here} of the rows, in the training rows in {before}.",
    "NEW-LEVELS": "{column} has values that do not occur in the training rows: {levels} ({rows}).",
}


def say(code, **words):
    """The sentence of that code with its words filled in.

    Examples
    --------
    >>> from statlearn.app.statements import say
    >>> say("SHAPLEY-TREES")
    'Shapley values, exact for a sum of trees.'
    """
    return STATEMENTS[code].format_map(words)
