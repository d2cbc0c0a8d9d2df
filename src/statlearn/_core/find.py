"""Search of the public names: by word, by synonym, by what a docstring says in its first sentence."""

import difflib
import functools
import importlib
import inspect
import re
from collections import Counter
from dataclasses import dataclass

from .public_names import public_names
from .synonyms import SYNONYMS, bare, entries_of, place

_MOST = 12  # names that match a heading word by word
_FEW = 8  # names that the rarest word of a heading may match if no two words meet
_FILLERS = re.compile(
    r"a|an|the|of|for|to|in|on|with|by|and|or|from|into|as|is|are|its|why|when|how|what|algorithms?|examples?|methods?|"
    r"models?|procedure|introduction|definition|properties|problem|approach|case|using|use|simple|general|basic|notes|"
    r"remarks|\d+",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[A-Z]|\d+")


@dataclass(frozen=True)
class Match:
    """A public name that a search has found.

    Parameters
    ----------
    name : str
        As it is imported, such as ``"KMeans"``.
    package : str
        Where it is imported from, such as ``"statlearn.cluster"``.
    summary : str
        First sentence of its docstring.
    call : str
        The name with the parameters that the word stands for, such as ``"SVC(kernel='rbf')"``.
    """

    name: str
    package: str
    summary: str
    call: str


class Matches(list):
    """Result of :func:`statlearn.find`: a list of matches that prints as a table."""

    def __init__(self, word, matches, close=()):
        super().__init__(matches)
        self.word = word
        self.close = tuple(close)

    def __repr__(self):
        if not self:
            hint = f" Similar words: {', '.join(self.close)}." if self.close else ""
            return f"Nothing in statlearn matches {self.word!r}.{hint}"
        rows = [(f"{match.package}.{match.call}", match.summary) for match in self]
        width = max(len(address) for address, _ in rows)
        return "\n".join(f"{address:{width}}  {summary}".rstrip() for address, summary in rows)

    __str__ = __repr__


def find(word):
    """Search of classes and functions by a word of a book, a course or other software.

    Parameters
    ----------
    word : str
        Such as ``"softmax"``, ``"market basket"`` or ``"XGBoost"``. Case, spaces and punctuation do not matter.

    Returns
    -------
    Matches
        A list of matches with `name`, `package`, `summary` and `call`, which prints as a table. First what the word is
        another word for, then names that contain it, then names whose first sentence contains it. A heading of several
        words that is found nowhere is searched word by word. If nothing matches, `close` has words with a similar
        spelling.

    Examples
    --------
    >>> import statlearn
    >>> statlearn.find("market basket")
    statlearn.rules.AssociationRules  Association rules of baskets or of a table, with recommendations for new baskets.
    statlearn.rules.apriori           Frequent item sets by Apriori, level by level.
    statlearn.rules.fpgrowth          Frequent item sets by FP-growth.
    >>> [match.name for match in statlearn.find("POMDP")]
    ['QMDPPolicy', 'CollisionAvoidance']
    """
    if not isinstance(word, str) or not bare(word):
        raise ValueError(f"`word` must be a text with letters or digits, got {word!r}.")
    catalog = _catalog()
    shorter = _without_fillers(word)
    forms = dict.fromkeys(form for form in (word, _singular(word), shorter, _singular(shorter)) if bare(form))
    matches = next(filter(None, (_matches(form, catalog) for form in forms)), [])
    matches = matches or _word_by_word(word, catalog) or _known_words(word, catalog)
    return Matches(word, matches, () if matches else _close(word, catalog))


def _matches(word, catalog):
    """Names that the word stands for, that contain it, or whose first sentence contains it."""
    key, begins = bare(word), _beginning_of(word)
    by_synonym = [(place(entry), entry) for entry in _synonyms(word)]
    by_name = sorted((n for n in catalog if _has_part(n[1], key)), key=lambda n: (bare(n[1]) != key, len(n[1]), n))
    by_text = sorted(known for known, (_, summary) in catalog.items() if begins.search(summary))
    matches, seen = [], set()
    for (package, name), entry in (*by_synonym, *((known, known[1]) for known in (*by_name, *by_text))):
        item, summary = catalog[package, name]
        if id(item) not in seen:  # a class that two families have is found once
            seen.add(id(item))
            matches.append(Match(name, package, summary, name + entry.partition(name)[2]))
    return matches


def _without_fillers(word):
    """A heading without numbers, brackets and words that headings add, such as "6.3 ... algorithm (continued)"."""
    outside = re.sub(r"\([^)]*\)", " ", word)
    parts = [part for part in re.split(r"[\W_]+", outside if bare(outside) else word) if part]
    return " ".join(part for part in parts if not _FILLERS.fullmatch(part))


def _singular(word):
    """A heading without the s of plurals, such as "dendrograms"; "bias", "basis", "loss" and "radius" keep theirs."""
    return re.sub(r"(?<=[a-z][b-hj-rtv-z])s\b", "", word)


def _word_by_word(word, catalog):
    """The names that match most words of a heading, at least half of them and two; else those of its rarest word.

    A name matches a word by its synonyms, its parts, its package or its first sentence.
    """
    wanted = [_stem(part) for part in _without_fillers(word).split()]
    if len(wanted) < 2:
        return []
    hits = {part: [known for known, text in _texts().items() if _begins(text, part)] for part in wanted}
    counts = Counter(known for part in wanted for known in hits[part])
    top = max(counts.values(), default=0)
    if top < max(2, len(wanted) / 2):
        few = min((part for part in wanted if hits[part]), key=lambda part: len(hits[part]), default=None)
        best = hits[few] if few is not None and len(hits[few]) <= _FEW else []
    else:
        best = [known for known, count in counts.items() if count == top]

    def order(known):  # those whose names have the words first
        parts = {part.lower() for part in _PARTS.findall(known[1])}
        return -sum(_begins(parts, part) for part in wanted), len(_texts()[known]), known

    places = sorted(best, key=order)[:_MOST]
    return [Match(name, package, catalog[package, name][1], name) for package, name in places]


def _known_words(word, catalog):
    """The names of the parts of a heading, such as "missing values, class weights", else of its words in the table."""
    parts = [part for part in re.split(r"[,;:–]| and ", word) if bare(part)]
    groups = [_matches(part, catalog) for part in parts] if len(parts) > 1 else []
    if not any(groups):
        known = [part for part in _without_fillers(word).split() if entries_of(part)]
        groups = [_matches(part, catalog)[: len(entries_of(part))] for part in known]
    return list(dict.fromkeys(match for matches in groups for match in matches))[:_MOST]


def _stem(part):
    """The beginning of a word that its other forms share: optimisation, optimizer."""
    part = part.lower().replace("isation", "ization").rstrip("s")
    return part[: max(4, round(0.6 * len(part)))]


def _begins(text, part):
    return any(word.startswith(part) for word in text)


@functools.cache
def _texts():
    """The words under which each public name is found: ``{("statlearn.cluster", "KMeans"): {"k", "means", ...}}``."""
    texts = {}
    for (package, name), (_, summary) in _catalog().items():
        texts[package, name] = _words(name, *_PARTS.findall(name), package.rpartition(".")[2], summary)
    for known, entries in SYNONYMS.items():
        for entry in entries:
            if place(entry) in texts:
                texts[place(entry)] |= _words(known)
    return texts


def _words(*parts):
    """The words of some texts in small letters, with one spelling of "-isation"."""
    text = " ".join(parts).lower().replace("isation", "ization")
    return {word for word in re.split(r"[\W_]+", text) if word}


def _synonyms(word):
    """Entries of the table of synonyms for a word: its own, then those of the phrases that contain it."""
    key, begins = bare(word), _beginning_of(word)
    exact = [entry for known, entries in SYNONYMS.items() if bare(known) == key for entry in entries]
    part = [entry for known, entries in SYNONYMS.items() if begins.search(known) for entry in entries]
    return [*exact, *part]


def _has_part(name, key):
    """Whether a part of a name, such as ``Means`` in ``MiniBatchKMeans``, begins with the key."""
    return any(bare(name[part.start() :]).startswith(key) for part in _PARTS.finditer(name))


def _beginning_of(word):
    """Pattern of a text that contains the word, or a longer word that begins with it; of "SMO" only the word itself."""
    parts = [re.escape(part) for part in re.split(r"[\W_]+", word) if part]
    end = r"s?(?![^\W_])" if len(bare(word)) <= 3 else ""
    return re.compile(rf"(?<![^\W_]){'[^a-zA-Z0-9]*'.join(parts)}{end}", re.IGNORECASE)


def _close(word, catalog):
    spellings = {bare(known): known for known in (*(name for _, name in catalog), *SYNONYMS)}
    return [spellings[key] for key in difflib.get_close_matches(bare(word), spellings, n=3, cutoff=0.6)]


@functools.cache
def _catalog():
    """Public names with their first sentence: ``{("statlearn.cluster", "KMeans"): (KMeans, "k-means ..."), ...}``."""
    catalog = {}
    for name, packages in public_names().items():
        for package in packages:
            item = getattr(importlib.import_module(package), name)
            catalog[package, name] = (item, first_sentence(item))
    return catalog


def first_sentence(item, *, markup=False):
    """First sentence of a docstring; empty for values that are neither classes nor functions."""
    if not callable(item):
        return ""
    head = " ".join((inspect.getdoc(item) or "").partition("\n\n")[0].split())
    head = re.split(r"(?<=\.) (?=[A-Z])", head)[0]
    if markup:
        return head
    return re.sub(r"`+([^`]*)`+", r"\1", re.sub(r":\w+:`~?([^`]*)`", r"\1", head))
