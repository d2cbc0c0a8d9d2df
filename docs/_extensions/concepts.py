"""Index of concepts: from a word of a book, a course or other software to classes, pages and other names.

The words are those of ``statlearn._core.synonyms``, which `statlearn.find` and the messages of wrong imports use.
The pages are those of the guide that mention the class or the word.
"""

import functools
import importlib
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
INTRO = """\
Concepts
========

Words of books, courses and other software, and what they are called here. The same table answers in Python and in a
shell:

>>> import statlearn
>>> [match.name for match in statlearn.find("POMDP")]
['QMDPPolicy', 'CollisionAvoidance']

.. code-block:: shell

    statlearn find "market basket"

.. glossary::
"""


@functools.cache
def guide():
    """Text of the pages of the guide, by name."""
    families = importlib.import_module("statlearn._core.families").FAMILIES
    pages = [page for family in families for page in sorted((DOCS / family).glob("*.rst"))]
    return {f"{page.parent.name}/{page.stem}": page.read_text(encoding="utf-8") for page in pages}


def pages_of(word, entries):
    """Up to two pages of the guide about a concept: those with the word or the name, those of its families first."""
    families = [entry.partition(".")[0] for entry in entries]
    names = [re.escape(entry.partition("(")[0].rpartition(".")[2]) for entry in entries]
    pattern = re.compile(rf"\b(?:{'|'.join(names)})\b")
    counts = {}
    for page, text in guide().items():
        family, _, stem = page.partition("/")
        if family in families and stem != "index":
            count = len(pattern.findall(text)) + 3 * (word.lower() in text.lower())
            if count:
                counts[page] = count
    best = sorted(counts, key=lambda page: -counts[page])[:2]
    return best or [f"{family}/index" for family in dict.fromkeys(families) if f"{family}/index" in guide()][:1]


def entries():
    """The concepts: word, entries, pages, other names of the same things."""
    synonyms = importlib.import_module("statlearn._core.synonyms").SYNONYMS
    same = {}
    for word, places in synonyms.items():
        same.setdefault(places, []).append(word)
    for word in sorted(synonyms, key=str.lower):
        places = synonyms[word]
        yield word, places, pages_of(word, places), [other for other in same[places] if other != word]


def link(entry):
    name, bracket, options = entry.partition("(")
    return f":obj:`~statlearn.{name}`" + (f" ``{bracket}{options}``" if bracket else "")


def page():
    """The index as reStructuredText."""
    find = importlib.import_module("statlearn._core.find")
    synonyms = importlib.import_module("statlearn._core.synonyms")
    lines = [INTRO]
    for word, places, pages, others in entries():
        package, name = synonyms.place(places[0])
        summary = find.first_sentence(getattr(importlib.import_module(package), name), markup=True)
        summary = re.sub(r"(?<!\\)\|", r"\|", summary)
        text = f"{', '.join(map(link, places))}. {summary}".rstrip()
        if pages:
            text += f" Guide: {', '.join(f':doc:`/{page}`' for page in pages)}."
        if others:
            text += f" Also called {', '.join(others)}."
        lines += [f"    {word}", f"        {text}", ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def write_page(app=None):
    """Write the index beside the pages of the guide."""
    target, text = DOCS / "concepts.rst", page()
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write_page, priority=100)
    return {"parallel_read_safe": True}
