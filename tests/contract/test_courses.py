"""The indexes of the courses: every name, page and picture that they promise exists."""

import importlib
import importlib.util
import itertools
import re
from pathlib import Path

import pytest

import statlearn

ROOT = Path(__file__).parents[2]


def load_extension():
    spec = importlib.util.spec_from_file_location("courses", ROOT / "docs" / "_extensions" / "courses.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


courses = load_extension()
# Sections with content of their own, counted in the tables of contents of the courses.
SECTIONS = {
    "supervised_and_unsupervised": 143,
    "introduction": 14,
    "regression_to_boosting": 33,
    "classification": 37,
    "machine_learning_slides": 167,
}


@pytest.mark.spec("CRS-165", "CRS-166", "CRS-167", "CRS-168", "CRS-169")
@pytest.mark.parametrize("course", SECTIONS)
def test_every_section_leads_to_things_that_exist(course):
    _, sections = courses.courses()[course]
    filled = [section for section in sections if section.names]
    assert len(filled) == SECTIONS[course]
    for section in filled:
        for name in section.names:
            family, _, attribute = name.partition(".")
            module = importlib.import_module(f"statlearn.{family}")
            assert hasattr(module, attribute), f"{section.title}: {name}"
        assert section.pages, section.title
        for page in section.pages:
            assert (ROOT / "docs" / f"{page}.rst").exists(), f"{section.title}: {page}"
        for example in section.examples:
            family, _, picture = example.partition("/")
            assert (ROOT / "examples" / family / f"plot_{picture}.py").exists(), f"{section.title}: {example}"


def mentioned(section, text):
    return [name for name in section.names if re.search(rf"\b{name.rpartition('.')[2]}\b", text)]


@pytest.mark.spec("CRS-165", "CRS-166", "CRS-167", "CRS-168", "CRS-169")
@pytest.mark.parametrize("course", SECTIONS)
def test_pages_and_pictures_have_something_of_the_section(course):
    """A page that names no class of the section, or a picture drawn without one, is a dead end."""
    _, sections = courses.courses()[course]
    for section in sections:
        for page in section.pages:
            text = (ROOT / "docs" / f"{page}.rst").read_text(encoding="utf-8")
            assert mentioned(section, text), f"{section.title}: {page}"
        for example in section.examples:
            family, _, picture = example.partition("/")
            text = (ROOT / "examples" / family / f"plot_{picture}.py").read_text(encoding="utf-8")
            assert mentioned(section, text), f"{section.title}: {example}"


def test_only_headings_and_bibliographies_lead_nowhere():
    for _, sections in courses.courses().values():
        for section, following in itertools.pairwise(sections):
            if not section.names and "bibliography" not in section.title:
                number = section.title.split()[0]
                assert following.names or following.title.startswith(f"{number}."), section.title
        assert sections[-1].names or "bibliography" in sections[-1].title


def test_pages_list_the_courses():
    index = (ROOT / "docs" / "courses" / "index.rst").read_text()
    for name, (title, sections) in courses.courses().items():
        assert f"    {name}\n" in index
        text = courses.page(title, sections)
        assert text.startswith(f"{title}\n====")
        assert text.count("   * - ") == len(sections) + 1


def test_most_estimators_belong_to_a_section():
    """The courses are where this package comes from: a family that none of them names would be a hole in the index."""
    named = {name.split(".")[0] for _, sections in courses.courses().values() for s in sections for name in s.names}
    families = {cls.__module__.split(".")[1] for _, cls in statlearn.all_estimators()}
    assert families <= named
