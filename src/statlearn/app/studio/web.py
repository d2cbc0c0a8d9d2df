"""Requests and answers: one place where pages are rendered, forms are read and failures become messages."""

import functools
from pathlib import Path
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from statlearn.app import names
from statlearn.app.errors import AppError, UsageError
from statlearn.app.files import explain
from statlearn.app.report.html import environment
from statlearn.app.setting_names import in_studio
from statlearn.app.studio.security import read_form

HERE = Path(__file__).parent
NAV = [("results", "/results", "Results"), ("learn", "/learn", "Learn")]  # of every page: key, address, words
TABS = [
    ("look", "/look", "Look"), ("compare", "/compare", "Compare"), ("cluster", "/cluster", "Clusters"),
    ("embed", "/embed", "Map"), ("rules", "/rules", "Rules"),
]  # fmt: skip  # of a table
LONGEST = 2000  # characters of one value of a query


class Web:
    """What the pages of one studio share.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio = studio

    def get(self, path, handler):
        """A page or a part of one: `handler(request)` returns an answer or HTML and runs in a thread."""

        async def endpoint(request):
            return await run_in_threadpool(self._answer, handler, request)

        return Route(path, endpoint, methods=["GET"])

    def post(self, path, handler):
        """An action: `handler(request, fields)` is called with the fields of a form whose token is right."""

        async def endpoint(request):
            try:
                fields = await read_form(request, self.studio.secrets)
            except ClientDisconnect:
                return PlainTextResponse("The request was too slow.\n", status_code=408)
            except UsageError as error:
                return self.problem(request, str(error))
            if fields is None:
                return PlainTextResponse("The form has no valid token; reload the page.\n", status_code=403)
            return await run_in_threadpool(self._answer, handler, request, fields)

        return Route(path, endpoint, methods=["POST"])

    def stream(self, path, handler):
        """A stream of events: `handler(request)` returns the streaming answer and runs in the event loop."""

        async def endpoint(request):
            return self._answer(handler, request)

        return Route(path, endpoint, methods=["GET"])

    def _answer(self, handler, request, *fields):
        try:
            with in_studio():
                found = handler(request, *fields)
        except AppError as error:
            return self.problem(request, str(error))
        except MemoryError as error:
            return self.problem(request, f"out of memory: {error}")
        except OSError as error:
            return self.problem(request, explain(error))
        return found if isinstance(found, Response) else HTMLResponse(found)

    def problem(self, request, words, status=400):
        """A message: a part of the page that asked for a part, else a page."""
        words = f"{words[:1].upper()}{words[1:]}"
        words += "" if words.endswith((".", "?", "!")) else "."
        if is_part(request):
            return HTMLResponse(self.render("problem_part.html.j2", words=words), status_code=status)
        return HTMLResponse(self.render("problem.html.j2", title="This did not work", words=words), status_code=status)

    def render(self, template, **content):
        """A page from a template of the studio; everything in the content is escaped but what is `Markup`."""
        common = {
            "form_token": self.studio.secrets.form, "folder": self.studio.folder.root.name, "data": None, "at": "",
            "nav_items": NAV, "tab_items": TABS,
        }  # fmt: skip
        return templates().get_template(template).render(**{**common, **content})


@functools.cache
def templates():
    """The templates of the studio and of the report, with the ways to write numbers and addresses."""
    found = environment(HERE / "templates")
    found.globals |= {"url": url, "names": names}
    found.filters |= {"count": lambda n: f"{n:,}", "size": names.size, "duration": names.duration}
    return found


def url(path, **query):
    """An address of the studio; values that are None are left out."""
    shown = {key: value for key, value in query.items() if value is not None}
    return Markup(f"{path}?{urlencode(shown)}".replace("&", "&amp;")) if shown else path


def see(path, **query):
    """The answer that leads to another page of the studio."""
    shown = {key: value for key, value in query.items() if value is not None}
    return RedirectResponse(f"{path}?{urlencode(shown)}" if shown else path, status_code=303)


def is_part(request):
    """Whether a page asks for a part of itself."""
    return request.headers.get("hx-request") == "true"


def asked(request, name, default=None):
    """A value of the query; UsageError if it is needed or too long."""
    value = request.query_params.get(name, default)
    if value is None:
        raise UsageError(f"the address lacks `{name}`")
    if len(value) > LONGEST:
        raise UsageError(f"`{name}` is too long")
    return value


def number(text, name, least, most, default=None, *, whole=False):
    """A number of a form or query within limits; UsageError for anything else."""
    if text in (None, "") and default is not None:
        return default
    try:
        value = int(text) if whole else float(text)
    except (TypeError, ValueError):
        value = None
    if value is None or not least <= value <= most:
        raise UsageError(f"`{name}` must be a number from {least:g} to {most:g}, got {str(text)[:40]!r}")
    return value
