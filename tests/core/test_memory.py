"""Memory is estimated before it is taken."""

import pytest

from statlearn._core import memory


def test_available_memory_is_positive_and_bounded():
    assert 10**6 < memory.available_memory() < 10**16


def test_an_impossible_size_raises_with_the_size_and_a_remedy():
    with pytest.raises(MemoryError, match=r"the matrix would take 8e\+06 TB.* available\. Use fewer rows\."):
        memory.require_memory(8 * 10**18, "the matrix", "Use fewer rows.")
    memory.require_memory(1000, "a few numbers", "")


def test_unknown_memory_allows_every_size(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    memory.require_memory(10**30, "anything", "")


@pytest.mark.parametrize(
    "size, words", [(12, "12 bytes"), (1500, "1.5 KB"), (2_000_000_000, "2 GB"), (3.21e13, "32.1 TB")]
)
def test_sizes_in_words(size, words):
    assert memory.size_words(size) == words
