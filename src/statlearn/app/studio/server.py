"""The studio as a web application, and its server on this machine.

Nothing heavy is imported until the first page is asked for, or until the address has been printed.
"""

import asyncio
import socket
import threading
from functools import cached_property
from pathlib import Path
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from statlearn.app.errors import AppError
from statlearn.app.studio.folder import Folder
from statlearn.app.studio.security import Guard, Secrets

PORT = 8421  # the first one that is tried, so that addresses stay the same after a restart
TRIED = 20
STATIC = Path(__file__).parent / "static"
FILES = {"htmx.min.js": "text/javascript", "studio.js": "text/javascript", "htmx.LICENSE.txt": "text/plain"}


class Studio:
    """One studio: its folder, its secrets and what it has open.

    Parameters
    ----------
    root : path
    port : int
    data : str or None
        The table to begin with.
    """

    def __init__(self, root=".", port=PORT, data=None):
        self.folder = Folder(root)
        self.secrets = Secrets(port)
        self.start = "/" if data is None else f"/look?{urlencode({'data': data})}"

    @cached_property
    def memory(self):
        """What the user has said about tables."""
        from statlearn.app.studio.choices import Memory

        return Memory(self.folder)

    @cached_property
    def tables(self):
        """The tables that are open."""
        from statlearn.app.studio.tables import Tables

        return Tables(self.folder)

    @cached_property
    def jobs(self):
        """The work in processes of its own."""
        from statlearn.app.studio.jobs import Jobs

        return Jobs(self.folder)

    @cached_property
    def reports(self):
        """The comparisons that are open."""
        from statlearn.app.studio.results import Reports

        return Reports(self.folder)

    @cached_property
    def web(self):
        """How pages are rendered and forms are read."""
        from statlearn.app.studio.web import Web

        return Web(self)

    @cached_property
    def pages(self):
        """The application with all pages, without the guard."""
        from statlearn.app.studio import compare_page, explore_page, home, learn, look, results, use

        routes = [Route("/static/{name}", _static, methods=["GET"])]
        for part in (home, look, compare_page, results, use, explore_page, learn):
            routes += part.routes(self)
        return Starlette(routes=routes)

    def application(self):
        """The ASGI application, with every request guarded; its pages are loaded when the first one is asked for."""
        lock = threading.Lock()

        def load():
            with lock:
                return self.pages

        async def app(scope, receive, send):
            pages = self.__dict__.get("pages") or await run_in_threadpool(load)
            await pages(scope, receive, send)

        return Guard(app, self.secrets, self.start)


def _static(request):
    name = request.path_params["name"]
    if name == "style.css":
        from statlearn.app.report.html import css

        text = str(css()) + (STATIC / "studio.css").read_text(encoding="utf-8")
        return Response(text, media_type="text/css", headers={"cache-control": "private, max-age=600"})
    if name not in FILES:
        return Response("No such file.\n", status_code=404, media_type="text/plain")
    kept = {"cache-control": "private, max-age=600"}
    return FileResponse(STATIC / name, media_type=FILES[name], headers=kept)


def check_table(data, root="."):
    """Refuse a table that the studio could not open: one that is not there, or is in another folder."""
    folder = Folder(root)
    if (folder.root / data).is_file():
        folder.path(data)
        return
    from statlearn.app.studio.tables import Tables

    Tables(folder).source(data)


def listen(port=None):
    """A socket of this machine only, at that port or at the first free one.

    Parameters
    ----------
    port : int or None
        0 for any port that is free.
    """
    ports = range(PORT, PORT + TRIED) if port is None else [port]
    for candidate in ports:
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", candidate))
        except OSError as error:
            listener.close()
            reason = error.strerror
            continue
        return listener
    where = f"port {port}" if port is not None else f"ports {PORT} to {PORT + TRIED - 1}"
    raise AppError(f"{where} cannot be used ({reason}); choose another one with --port, or 0 for any free one")


def serve(studio, listener, ready=None):
    """Answer requests until Ctrl-C; work that was started continues.

    Parameters
    ----------
    studio : Studio
    listener : socket
    ready : callable or None
        Called when requests are answered.
    """
    make_server(studio, ready).run(sockets=[listener])


def make_server(studio, ready=None):
    """The server of a studio, which is not running yet; see `serve`."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets)
            if ready is not None:
                ready()
            asyncio.get_running_loop().run_in_executor(None, lambda: studio.pages)  # while the browser opens

    config = uvicorn.Config(
        studio.application(), log_level="error", access_log=False, server_header=False, date_header=False,
        proxy_headers=False, ws="none", lifespan="off", timeout_keep_alive=5, timeout_graceful_shutdown=1,
        limit_concurrency=200, h11_max_incomplete_event_size=65536, http="h11", loop="asyncio",
    )  # fmt: skip
    return Server(config)
