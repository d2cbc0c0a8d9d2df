"""The page: template, style and content put together, and kept small."""

import functools
import re
from pathlib import Path

from markupsafe import Markup

from statlearn.plot import THEMES

from .content import page

MAX_BYTES = 3_000_000
_HERE = Path(__file__).parent


def report_html(comparison, max_bytes=MAX_BYTES):
    """The report as one HTML file without scripts and outside resources, of at most `max_bytes`.

    Where all figures would make it larger, the models at the end of the leaderboard go without theirs.
    """
    ranked = [m.name for m in comparison.models]
    always = [comparison.best, comparison.simplest]
    keep = len(ranked)
    while True:
        detailed = None if keep == len(ranked) else {*ranked[:keep], *always} if keep else set()
        text = render("page.html.j2", **page(comparison, detailed))
        if len(text.encode()) <= max_bytes or keep == 0:
            return text
        keep //= 2


def render(template, **content):
    """A page from a template of this folder; everything in the content is escaped but what is `Markup`."""
    return environment().get_template(template).render(css=css(), **content).strip() + "\n"


@functools.cache
def environment(*folders):
    """The templates of these folders and of the report; everything in them is escaped but what is `Markup`."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("The report needs jinja2: pip install 'statlearn[app]'") from error
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*folders, _HERE]),
        autoescape=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable(name):
    """A name that may be broken after its signs and before its capitals, and nowhere else if it fits.

    Examples
    --------
    >>> from statlearn.app.report.html import breakable
    >>> print(breakable("bill_length<mm>"))
    bill_<wbr>length&lt;mm&gt;
    """
    pieces = re.split(r"(?<=[_./:;,)-])(?=\w)|(?<=[a-z])(?=[A-Z][a-z])", str(name))
    return Markup("<wbr>").join(pieces)


@functools.cache
def css():
    """The style of every page: the colours of the series, light and dark, and the style sheet of the report."""
    light, dark = (_series(THEMES[name].cycle) for name in ("light", "dark"))
    # Series colours as text need more contrast than as marks.
    light += "--c1-text:#005d91;"
    dark += f"--c1-text:{THEMES['dark'].cycle[0]};"
    colours = f":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}@media print{{:root{{{light}}}}}\n"
    return Markup(colours + (_HERE / "style.css").read_text(encoding="utf-8"))


def _series(cycle):
    return "".join(f"--c{k + 1}:{colour};" for k, colour in enumerate(cycle))
