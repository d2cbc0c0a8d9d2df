"""Documents as lists of words."""

import re

import numpy as np
from scipy import sparse

# Words of at least one or two letters or digits.
_WORD = {1: re.compile(r"(?u)\b\w+\b"), 2: re.compile(r"(?u)\b\w\w+\b")}


def are_documents(X):
    """Whether X holds texts, or lists of words, and not a matrix."""
    if (
        not hasattr(X, "__iter__")
        or sparse.issparse(X)
        or hasattr(X, "columns")
        or (isinstance(X, np.ndarray) and X.ndim != 1)
    ):
        return False
    first = next(iter(X), None)
    if isinstance(first, str):
        return True
    return isinstance(first, (list, tuple)) and len(first) > 0 and isinstance(first[0], str)


def tokens_of(document, lowercase, tokenizer, shortest=2):
    """The words of a document; a list is taken as it is."""
    if not isinstance(document, str):
        if isinstance(document, (list, tuple)) and all(isinstance(word, str) for word in document):
            return list(document)
        raise ValueError(f"X must contain texts or lists of words, got {type(document).__name__}.")
    text = document.lower() if lowercase else document
    return tokenizer(text) if tokenizer is not None else _WORD[shortest].findall(text)


def tokenize(X, lowercase=True, tokenizer=None, shortest=2):
    """Lists of words of all documents, by default of `shortest` characters or more."""
    if isinstance(X, str):
        raise ValueError("X must be a list of documents, got a single text; pass [text].")
    if sparse.issparse(X) or not hasattr(X, "__iter__"):
        raise ValueError("X must be a list of documents.")
    return [tokens_of(document, lowercase, tokenizer, shortest) for document in X]


def build_vocabulary(documents, min_count=1, max_words=None, vocabulary=None, shortest=2):
    """Sorted words that occur at least `min_count` times, the most frequent `max_words` of them."""
    if vocabulary is not None:
        words = list(vocabulary)
        if len(set(words)) < len(words):
            raise ValueError("`vocabulary` contains duplicates.")
        return np.array(words, dtype=str)
    counts: dict = {}
    for document in documents:
        for word in document:
            counts[word] = counts.get(word, 0) + 1
    words = [word for word, count in counts.items() if count >= min_count]
    if max_words is not None:
        words = sorted(words, key=lambda word: (-counts[word], word))[:max_words]
    if not words:
        raise ValueError(
            f"The vocabulary is empty: X contains no words{' of at least two characters' if shortest == 2 else ''}"
            + (f" that occur {min_count} times; lower `min_count`." if min_count > 1 else ".")
        )
    return np.array(sorted(words), dtype=str)


def encode(documents, vocabulary):
    """Word numbers of each document; other words are left out."""
    number = {word: k for k, word in enumerate(vocabulary.tolist())}
    return [np.array([number[w] for w in document if w in number], dtype=np.intp) for document in documents]


def count_matrix(documents, vocabulary):
    """Documents by words: how often each occurs."""
    codes = encode(documents, vocabulary)
    rows = np.repeat(np.arange(len(codes)), [len(c) for c in codes])
    cols = np.concatenate(codes) if codes else np.empty(0, dtype=np.intp)
    matrix = sparse.csr_matrix((np.ones(len(cols)), (rows, cols)), shape=(len(codes), len(vocabulary)))
    matrix.sum_duplicates()
    return matrix
