"""The index of concepts: its words, classes and pages exist, and the words that courses use are in it."""

import importlib.util
from pathlib import Path

import pytest

from statlearn._core.synonyms import SYNONYMS

DOCS = Path(__file__).parents[2] / "docs"
WORDS = (
    "POMDP", "market basket", "masking", "Wald test", "backfitting", "local scoring", "wavelet", "SOM", "XGBoost",
    "LightGBM", "GOSS", "EFB", "LS-Boost", "LAD-Boost", "softmax versus one-vs-all", "ordinary kriging",
    "universal kriging", "word2vec", "Gower", "GUHA",
)  # fmt: skip
PLACES = {
    "entropy": "trees",
    "index of a clustering": "cluster",
    "kernel PCA": "manifold",
    "one-vs-rest": "linear",
    "one-vs-one": "svm",
    "Bayesian network": "graphical",
}


def load_extension():
    spec = importlib.util.spec_from_file_location("concepts", DOCS / "_extensions" / "concepts.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


concepts = load_extension()


@pytest.mark.spec("CRS-170")
def test_terms_of_the_courses_are_in_the_index():
    rows = {word: (places, pages) for word, places, pages, _ in concepts.entries()}
    assert set(rows) == set(SYNONYMS)
    assert set(WORDS) <= set(rows)
    for word, family in PLACES.items():
        assert any(place.startswith(f"{family}.") for place in rows[word][0]), word
    for word, (_, pages) in rows.items():
        assert len(pages) <= 2
        for page in pages:
            assert (DOCS / f"{page}.rst").exists(), f"{word}: {page}"
    assert sum(not pages for _, pages in rows.values()) < 10


@pytest.mark.spec("CRS-170")
def test_the_index_is_a_glossary_with_links_and_other_names():
    text = concepts.page()
    assert text.count("\n        :obj:`~statlearn.") == len(SYNONYMS)
    assert "    one-vs-all\n        :obj:`~statlearn.linear.OneVsRestClassifier`" in text
    assert "Also called one-vs-all." in text
    assert "Guide: :doc:`/linear/more_than_two_classes`" in text


def test_the_index_is_listed():
    assert "    concepts\n" in (DOCS / "find.rst").read_text(encoding="utf-8")
