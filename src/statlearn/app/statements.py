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
    # A model of the logarithm.
    "LOG-TARGET": (
        "The errors of least squares are nearer to normal errors of constant size on log({target}) (likelihood ratio "
        "{ratio}), so some models are fitted on it too. Their predictions are transformed back and judged on the "
        "original scale."
    ),
    # A column of frequencies.
    "FREQUENCIES": "Each of the {rows} rows counts as often as {column} says: {total} rows in all.",
    # Decisions with costs.
    "COST": (
        "{model}: if a wrong {positive} costs {fp} and a missed one {fn}, predicting {positive} at probabilities of at "
        "least {threshold} costs {cost} per row, on rows that were not used to choose the threshold. At a threshold of "
        "one half it would cost {half}."
    ),
    # Residuals of a regression.
    "RESIDUALS-NORMAL": "No evidence against normal errors.",
    "RESIDUALS-NOT-NORMAL": (
        "The errors are not normal. Intervals that assume it may not hold; those of predict do not assume it."
    ),
    "SPREAD-EVEN": "No evidence that the size of the errors goes with the prediction.",
    "SPREAD-GROWS": (
        "The errors grow with the prediction: in the third with the largest predictions their median size is {ratio} "
        "times that in the third with the smallest."
    ),
    "SPREAD-SHRINKS": (
        "The errors shrink as the prediction grows: in the third with the largest predictions their median size is "
        "{ratio} times that in the third with the smallest."
    ),
    "NEIGHBOURS-UNCORRELATED": "No evidence that the errors of neighbouring rows go together (over {lags} lags).",
    "NEIGHBOURS-CORRELATED": (
        "The errors of neighbouring rows go together (over {lags} lags), so the rows are not independent: standard "
        "errors and intervals that take them as independent do not hold."
    ),
    # Two comparisons.
    "REPORTS-SAME-ROWS": "Both were scored on the same rows, so the errors of the changes are paired by row.",
    "REPORTS-OTHER-ROWS": "They were scored on different rows, so a change may come from the rows.",
    "REPORTS-OTHER-METRIC": "They have no metric in common, so scores cannot be compared.",
    "REPORTS-OTHER-TARGET": "They predict different targets, so scores cannot be compared.",
    # A new table against the training rows.
    "DRIFT": ("{moved} of {columns} {have} moved since training (false-alarm rate {level} for the whole table):"),
    "DRIFT-VALUES": (
        "{column} has moved: its median is {here}, in the training rows {before}. The share of rows up to the same "
        "value differs by as much as {share} percentage points."
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
