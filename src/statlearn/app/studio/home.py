"""The first page: tables of the folder, built-in ones, a place to drop a file."""

import os
import re
import tempfile
import time
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.routing import Route

from statlearn import datasets
from statlearn.app.errors import AppError, UsageError
from statlearn.app.files import explain
from statlearn.app.studio.folder import TABLES
from statlearn.app.studio.security import same
from statlearn.app.studio.web import see

MAX_UPLOAD = 2**30  # bytes of a file that is dropped on the page
SHOWN = 60


def routes(studio):
    """Pages and actions of this module."""
    web = studio.web

    def show(request):
        tables = studio.folder.tables()
        return web.render(
            "home.html.j2", title="Tables", at="home",
            tables=[(e, _when(e.changed)) for e in tables[:SHOWN]], more=max(0, len(tables) - SHOWN),
            built_in=sorted(datasets.available().items()), endings=", ".join(TABLES[:12]),
        )  # fmt: skip

    def open_one(request, fields):
        data = fields.get("data", "").strip()
        studio.tables.source(data)
        return see("/look", data=data)

    async def upload(request):
        return await _upload(studio, request)

    return [
        web.get("/", show),
        web.post("/open", open_one),
        Route("/upload", upload, methods=["POST"]),
    ]


async def _upload(studio, request):
    """Take a file part by part; it gets a name that is free, and nothing is left of one that did not arrive."""
    if not same(studio.secrets.form, request.headers.get("x-statlearn-token")):
        return JSONResponse({"problem": "The form has no valid token; reload the page."}, status_code=403)
    try:
        wanted = _safe_name(request.query_params.get("name", ""))
        handle, part = tempfile.mkstemp(dir=studio.folder.own("uploads"), suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                await _copy(request, file)
            target = await run_in_threadpool(_place, studio.folder.root, Path(part), wanted)
        finally:
            Path(part).unlink(missing_ok=True)
    except AppError as error:
        return JSONResponse({"problem": str(error)}, status_code=400)
    except OSError as error:
        return JSONResponse({"problem": explain(error)}, status_code=400)
    except ClientDisconnect:
        return JSONResponse({"problem": "the file did not arrive"}, status_code=408)
    return JSONResponse({"data": target.name})


async def _copy(request, file):
    size = 0
    async for block in request.stream():
        size += len(block)
        if size > MAX_UPLOAD:
            raise UsageError(f"the file has more than {MAX_UPLOAD // 2**20:,} MB; put it into the folder instead")
        await run_in_threadpool(file.write, block)
    if size == 0:
        raise UsageError("the file is empty")


def _safe_name(name):
    """A file name without folders and control characters, of a kind that holds tables.

    Examples
    --------
    >>> from statlearn.app.studio.home import _safe_name
    >>> _safe_name("../../sales 2024.csv"), _safe_name(".hidden.csv")
    ('sales 2024.csv', 'hidden.csv')
    """
    plain = re.sub(r"[^\w .()+-]", "_", re.split(r"[/\\]", name)[-1]).strip().lstrip(". ")
    if not plain.lower().endswith(TABLES):
        raise UsageError(f"a table has one of the endings {', '.join(TABLES[:12])}; got {plain[-40:]!r}")
    return plain[-150:]


def _place(root, part, name):
    """The file under a name that no other file has."""
    stem, dot, suffix = name.partition(".")
    for k in range(1, 1000):
        target = root / (name if k == 1 else f"{stem}-{k}{dot}{suffix}")
        try:
            os.link(part, target)  # fails where the name is taken
        except FileExistsError:
            continue
        os.chmod(target, 0o644)
        return target
    raise UsageError(f"there are too many files named {name!r}")


def _when(seconds):
    """A moment as people say it."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
