"""Docstrings made ready for Sphinx: plain text stays plain, and scikit-learn's own links do not dangle.

Docstrings are written to be read in a terminal: ``|beta|`` is an absolute value and ``n_components_`` a name. In
reStructuredText these are a substitution and a link. What is inherited or re-exported from scikit-learn refers to pages
and glossary terms of its own documentation, which are not part of this one.
"""

import re

PLAIN = re.compile(r"(``.*?``|:\w+:`[^`]*`|`[^`]*`_?)")
ENTRY = re.compile(r"\s*[\w*, ]+ : ")
GUIDE = re.compile(
    r"\s*(?:Read more|See more|For more|More details|Further)[^.]*?(?:in|see|to) the\s+:ref:`User\s+Guide[^`]*`\.?"
    r"|\s*See(?: also)?(?: the)? :ref:`User\s+Guide[^`]*`(?: for [^.]*)?\."
)


def plain(line):
    """A line of prose in which bars and final underscores are characters, not markup."""
    parts = PLAIN.split(line)
    for k in range(0, len(parts), 2):
        parts[k] = re.sub(r"(?<!\\)\|", r"\\|", parts[k])
        parts[k] = re.sub(r"(?<=\w)_(?=[\s,.;:)\]'\"]|$)", r"\\_", parts[k])
    return "".join(parts)


def readable(lines):
    """The lines of a docstring; code, formulas and tables are left as they are."""
    verbatim, result = None, []  # indentation of the directive whose block we are in
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if verbatim is not None and line.strip() and indent <= verbatim:
            verbatim = None
        if re.match(r"\s*\.\. (math|code-block|plot|doctest)::", line) or line.rstrip().endswith("::"):
            verbatim = indent
        code = line.lstrip().startswith((">>>", "...", "=", "|", "+", "..")) or verbatim is not None
        entry = ENTRY.match(line)
        cut = entry.end() if entry else 0
        result.append(line if code else line[:cut] + plain(line[cut:]))
    return result


def without_foreign_links(text):
    """scikit-learn's text without links to its own guide and glossary; papers are linked to their publishers."""
    text = GUIDE.sub("", text)
    text = re.sub(r":ref:`([^`<]*?)\s*<[^`>]*>`", r"\1", text)
    text = re.sub(r":(?:ref|term|doc):`([^`<]*?)(?:\s*<[^`>]*>)?`", r"\1", text)
    text = re.sub(r":doi:`([^`<]*?)\s*<([^`>]*)>`", r"`\1 <https://doi.org/\2>`__", text)
    text = re.sub(r":doi:`([^`]*)`", r"`doi:\1 <https://doi.org/\1>`__", text)
    return re.sub(r":arxiv:`([^`<]*?)\s*<([^`>]*)>`", r"`\1 <https://arxiv.org/abs/\2>`__", text)


def process(app, what, name, obj, options, lines):
    text = without_foreign_links("\n".join(lines))
    text = re.sub(r"(?<!\\)\\\n\s+", "", text)  # a line that goes on, in a docstring with raw backslashes
    lines[:] = readable(text.split("\n"))


def setup(app):
    app.connect("autodoc-process-docstring", process, priority=400)  # before numpydoc
    return {"parallel_read_safe": True}
