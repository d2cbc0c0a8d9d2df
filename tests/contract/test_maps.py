"""The maps from other software: every name here exists, and every public name of scikit-learn has a place."""

import importlib
import importlib.util
import inspect
from pathlib import Path

import pytest

from statlearn._core.synonyms import place

DOCS = Path(__file__).parents[2] / "docs"
LIBRARIES = (
    "gensim", "imbalanced_learn", "lightgbm", "mlxtend", "pgmpy", "pytorch", "statsmodels", "xgboost",
)  # fmt: skip


def load_extension():
    spec = importlib.util.spec_from_file_location("maps", DOCS / "_extensions" / "maps.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


maps = load_extension()


def resolved(name):
    """A public name such as ``assess.losses.Huber``; a family alone is its module."""
    package, attribute = place(name)
    return getattr(importlib.import_module(package), attribute)


@pytest.mark.spec("CRS-180")
@pytest.mark.parametrize("library", LIBRARIES)
def test_every_name_of_a_map_exists_with_its_parameters(library):
    title, intro, rows = maps.maps()[library]
    assert title.startswith("From ")
    assert intro.endswith(".")
    assert len(rows) >= 10
    for row in rows:
        assert row.theirs
        assert row.ours
        for entry in row.ours:
            item = resolved(entry)
            options = entry.partition("(")[2].rstrip(")")
            wanted = {part.partition("=")[0].strip() for part in options.split(",") if part}
            assert wanted <= set(inspect.signature(item).parameters), entry
    page = maps.page(title, intro, rows)
    assert page.count("    * - ") == len(rows) + 1


@pytest.mark.spec("CRS-180")
def test_the_methods_that_the_notes_name_exist():
    for _, _, rows in maps.maps().values():
        for row in rows:
            for method in row.note.split("``")[1::2]:
                if method.isidentifier() and len(row.ours) == 1 and inspect.isclass(resolved(row.ours[0])):
                    assert hasattr(resolved(row.ours[0]), method), f"{row.ours[0]}.{method}"


def test_every_map_is_listed():
    assert set(maps.maps()) == set(LIBRARIES)
    index = (DOCS / "find.rst").read_text(encoding="utf-8")
    for name in (*LIBRARIES, "scikit_learn"):
        assert f"    maps/{name}\n" in index


@pytest.mark.spec("CRS-177")
@pytest.mark.parametrize("module", maps.sklearn_modules())
def test_every_public_name_of_scikit_learn_has_a_place(module):
    advice = maps.elsewhere().get(module, [])
    listed = {name for names, _ in advice for name in names}
    names = maps.sklearn_names(module)
    if listed == {"*"}:
        return
    lost = [name for name in names if not maps.homes(name) and name not in listed]
    assert not lost, f"neither here nor in docs/maps/scikit_learn.txt: {lost}"
    here = [name for name in listed if maps.homes(name)]
    assert not here, f"in statlearn by now: {here}"


@pytest.mark.spec("CRS-177")
def test_the_advice_leads_to_public_names():
    modules = maps.sklearn_modules()
    for module, advice in maps.elsewhere().items():
        assert module in modules
        for _, text in advice:
            for name in maps.roles(text):
                assert resolved(name) is not None


@pytest.mark.spec("CRS-177")
def test_the_page_has_a_row_for_every_module_with_its_exceptions():
    text = maps.sklearn_page()
    for module in maps.sklearn_modules():
        assert f"    * - ``{module}``\n" in text
    assert "**manifold**: :obj:`~statlearn.manifold.KernelPCA`" in text
    assert "**smooth**: :obj:`~statlearn.smooth.SplineTransformer`" in text
    assert ":obj:`~statlearn.kernels.KernelCenterer`" in text
    assert ":obj:`~statlearn.assess.KFold` ↺" in text
