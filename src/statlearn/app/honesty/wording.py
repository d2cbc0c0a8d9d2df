"""Every sentence that the verdict of a comparison can contain, as a template under a code.

The verdict is written with :func:`say` only. So its statements can be listed, read back from a printed verdict
(:func:`spoken`), and held against the truth where that is known: the package ``truth`` measures how often each of them
is false.
"""

import re
import string

VERDICT = {
    # The first sentence: a beginning and an end.
    "NOTHING-BEATS-BASELINE": (
        "Nothing beats the baseline ({model}, {score}). No model has learned to predict {target} from this "
        "table. Look for better columns or more rows before choosing a model."
    ),
    "NO-MODEL-FOR-SIGNAL": (
        "Nothing beats the baseline ({model}, {score}), although an F test of all columns together finds that they are "
        "related to {target} ({signal}). Look for wild cells and for other models."
    ),
    "BEST": "{model} is best, with {metric} of {number} over {folds}",
    "STACK-PREFERRED": (
        "The stack, which averages several models, is preferred to {model}, whose better {metric} ({other}) may be due "
        "to luck. That of the stack is {number} over {folds}"
    ),
    "NO-BASELINE": ". The baseline has no score to compare with.",
    "BETTER-THAN-BASELINE": ", significantly better than the baseline ({number}, {p}).",
    "SIGNAL-BY-TEST": (
        ". The baseline has {number}; over the folds the difference is not significant ({p}), but an F test of all "
        "columns together is ({signal})."
    ),
    "TOO-FEW-FOLDS": ". The baseline has {number}, but {folds} folds are too few to test the difference ({p}).",
    "NOT-BETTER-THAN-BASELINE": ", but not significantly better than the baseline ({number}, {p}).",
    # The second sentence: which other model would do.
    "ALONE": "No other model was compared with it.",
    "ONLY-OTHER-TIED": "{model}, the only other model compared, is not significantly worse.",
    "ONLY-OTHER-OPEN": (
        "Whether {model}, the only other model compared, is better or worse cannot be told from these rows ({p})."
    ),
    "ONLY-OTHER-WORSE": "{model}, the only other model compared, is significantly worse.",
    "ALL-OTHERS-WORSE": "{none} is within one standard error of it, and {others} are {worse}.",
    "OTHERS-TIED": "{none} is within one standard error of it, but {which} significantly worse{few}.",
    "BASELINE-NEAR": "The baseline is within one standard error of it.",
    "SIMPLEST-TIED": (
        "{model} is the simplest model within one standard error of it, and not significantly worse{p}."
    ),
    "SIMPLEST-WORSE": (
        "{model} is the simplest model within one standard error of it, though significantly worse{p}."
    ),
    # What else has to be known.
    "HELD-OUT": (
        "On the {rows} held-out rows, {model} has {metric} of {number} (95 % interval {low} to {high})."
    ),
    "HELD-OUT-ROUGH": (
        "On the {rows} held-out rows, {model} has {metric} of {number}; a few rows hold much of the error, so that of "
        "other rows may be very different."
    ),
    "HELD-OUT-LATEST": (
        "On the {rows} held-out rows, the latest ones, {model} has {metric} of {number}; later rows may differ by more."
    ),
    "HELD-OUT-FEW-GROUPS": (
        "On the {rows} held-out rows, {model} has {metric} of {number}; they belong to too few groups for an interval."
    ),
    "COPIES": "These errors are too small: {share} of the rows have an exact copy among the training rows.",
    "GROUP-FOLDS": "All folds keep the rows of one {column} together, because these resemble each other.",
    "TIME-FOLDS": (
        "All folds test on later rows than they train on, in the order of {column}; the ± is about these stretches of "
        "time, and the next one may differ by more."
    ),
    "RANDOM-FOLDS": "With random folds, {model} would have {metric} of {number} instead of {other}.",
    "OUT-OF-TIME": "Not compared because time ran out: {models}.",
    "LEFT-OUT": "Columns left out: {columns}.",
    # The sentences around it where a column gives the target away.
    "RESTS-ON-LEAK": "The score rests on {columns}, {what} the target in disguise.",
    "NOTHING-WITHOUT-LEAK": "Without {pronoun} there was nothing to compare ({error}).",
    "LEAK-LEFT-OUT": "Left out as the target in disguise: {columns}.",
    "WITH-LEAK": "With {columns}, {model} has {metric} of {number}.",
    "LEAK-DOUBT": "The score rests mostly on one column, which may be a leak; see LEAK in the honesty box.",
    "WILD-FOLD": "One fold dominates these scores; see WILD-FOLD in the honesty box.",
}  # fmt: skip


def say(code, **words):
    """The sentence of that code with its words filled in.

    Examples
    --------
    >>> from statlearn.app.honesty.wording import say
    >>> say("OUT-OF-TIME", models="lasso and ridge")
    'Not compared because time ran out: lasso and ridge.'
    """
    return VERDICT[code].format_map(words)


def spoken(verdict):
    """The statements of a printed verdict, and what is left of it that no template explains.

    Parameters
    ----------
    verdict : str

    Returns
    -------
    said : list of (str, dict)
        Codes in the order of the verdict, with the words that were filled in.
    rest : str
        Empty if the templates explain the whole verdict.

    Examples
    --------
    >>> from statlearn.app.honesty.wording import spoken
    >>> spoken("Not compared because time ran out: lasso. It is late.")
    ([('OUT-OF-TIME', {'models': 'lasso'})], 'It is late.')
    """
    said, rest, at = [], [], 0
    while at < len(verdict):
        hits = [(found.end(), code, found) for code, p in _PATTERNS.items() if (found := p.match(verdict, at))]
        if hits:
            end, code, found = min(hits, key=lambda hit: hit[:2])
            said.append((code, found.groupdict()))
        else:
            end = verdict.find(". ", at) + 1 or len(verdict)
            rest.append(verdict[at:end])
        at = end + verdict.startswith(" ", end)
    return said, " ".join(rest)


def _pattern(template):
    parts = []
    for text, name, _, _ in string.Formatter().parse(template):
        # No sentence ends inside of the words that another one begins with.
        words = r".*?" if parts else r"(?:(?!\. ).)*?"
        parts.append(re.escape(text) + ("" if name is None else f"(?P<{name}>{words})"))
    # The end of the first sentence follows its beginning.
    after = r"(?=$| )" if template[-1] in ".:" else r"(?=\. The baseline has|, (?:but not )?significantly better)"
    return re.compile("".join(parts) + after)


_PATTERNS = {code: _pattern(template) for code, template in VERDICT.items()}
