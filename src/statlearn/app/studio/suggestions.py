"""What a finding suggests to click: a role or a kind of the columns that it names."""

# Codes of findings, the field that changes, its new value, and the words of the button.
_ROLES = {
    "TARGET-IN-DISGUISE": ("role", "drop", "Ignore"),
    "LEAK": ("role", "drop", "Ignore"),
    "STRONG-COLUMN": ("role", "drop", "Ignore"),
    "IDENTIFIER": ("role", "drop", "Ignore"),
    "REPEATED-COLUMN": ("role", "drop", "Ignore"),
    "GROUPS": ("role", "group", "Keep together by"),
    "GROUP-FOLDS": ("role", "group", "Keep together by"),
    "TIME-FOLDS": ("role", "time", "Order by"),
    "TIME-ORDER": ("role", "time", "Order by"),
    "WRONG-KIND": ("kind", "number", "Read as a number:"),
}
MOST = 4


def suggestions(finding, columns):
    """Buttons for a finding: the column, the field, its value, and the words.

    Parameters
    ----------
    finding : Finding
    columns : sequence of str
        Names of the columns of the table; a finding quotes those that it is about.

    Returns
    -------
    list of (str, str, str, str)

    Examples
    --------
    >>> from statlearn.app.compare.result import Finding
    >>> from statlearn.app.studio.suggestions import suggestions
    >>> suggestions(Finding("LEAK", "", "'gross': on its own ...", "", ""), ["net", "gross"])
    [('gross', 'role', 'drop', 'Ignore gross')]
    """
    if finding.code not in _ROLES:
        return []
    field, value, words = _ROLES[finding.code]
    named = [(finding.detail.find(repr(name)), name) for name in columns if repr(name) in finding.detail]
    if finding.code == "REPEATED-COLUMN":  # "'b' repeats 'a'": the first of a pair can go
        named = [(at, name) for at, name in named if finding.detail[at + len(repr(name)) :].startswith(" repeats")]
    return [(name, field, value, f"{words} {name}") for _, name in sorted(named)[:MOST]]
