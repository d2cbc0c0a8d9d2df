"""Index pages of courses: from each section to the classes, pages and pictures that belong to it.

One text file per course in ``docs/courses``: the title behind ``#``, then one line per section,

    section | public names | guide pages | gallery examples | differences of convention

with names as ``family.name``, pages as ``folder/page`` and examples as ``family/picture``, separated by spaces.
Headings without content are lines without ``|``. The pages are written when the documentation is built.
"""

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "courses"


@dataclass(frozen=True)
class Section:
    """A section of a course and where to find its content."""

    title: str
    names: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    note: str = ""


def read(path):
    """Title and sections of a course."""
    first, *lines = Path(path).read_text(encoding="utf-8").splitlines()
    sections = []
    for line in filter(None, lines):
        fields = [field.strip() for field in line.split("|")]
        fields += [""] * (5 - len(fields))
        title, *lists, note = fields
        sections.append(Section(title, *(tuple(field.split()) for field in lists), note))
    return first.removeprefix("# "), sections


def courses():
    """The courses by the names of their files."""
    return {path.stem: read(path) for path in sorted(FOLDER.glob("*.txt"))}


def page(title, sections):
    """The index of a course as reStructuredText."""
    lines = [title, "=" * len(title), "", ".. list-table::", "   :header-rows: 1", "   :widths: 28 36 36", ""]
    lines += ["   * - section", "     - classes and functions", "     - guide and pictures"]
    for section in sections:
        if not section.names:
            lines += [f"   * - **{section.title}**", "     -", "     -"]
            continue
        names = ", ".join(f":obj:`~statlearn.{name}`" for name in section.names)
        links = [f":doc:`/{name}`" for name in section.pages]
        links += [f":ref:`sphx_glr_gallery_{name.replace('/', '_plot_')}.py`" for name in section.examples]
        note = f" *{section.note}*" if section.note else ""
        lines += [f"   * - {section.title}", f"     - {names}{note}", f"     - {', '.join(links)}"]
    return "\n".join(lines) + "\n"


def write_pages(app=None):
    """Write the page of every course beside its text file."""
    for name, (title, sections) in courses().items():
        target = FOLDER / f"{name}.rst"
        text = page(title, sections)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def setup(app):
    app.connect("builder-inited", write_pages, priority=100)
    return {"parallel_read_safe": True}
