"""Who may ask the studio for what: checked for every request before any page sees it.

The studio reads files and starts processes of its user, and every page of the web that is open in the same browser can
send requests to it. So a request must name the studio as its host (against DNS rebinding), must come from the studio's
own pages, and must carry the secret of this start in a cookie. What changes anything carries it a second time.
"""

import asyncio
import hmac
import secrets
from html import escape
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, parse_qsl

from starlette.responses import HTMLResponse, PlainTextResponse

from statlearn.app.errors import UsageError

MAX_FORM_BYTES = 2**20
MAX_FIELDS = 5000
SLOWEST = 20.0  # seconds between two parts of the body of a request
METHODS = ("GET", "HEAD", "POST")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "SAMEORIGIN",
    "referrer-policy": "same-origin",  # without any, browsers hide the origin of forms
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
# The first page only leads to the second: a redirect would belong to the program that opened the address, and a browser
# does not send strict cookies with it.
LANDING = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={start}">'
    '<link rel="icon" href="data:,"><title>statlearn studio</title></head>'
    '<body><p><a href="{start}">Open the studio</a></p></body></html>'
)


class Secrets:
    """The secrets of one start: in the printed address, in the cookie, and in forms.

    Parameters
    ----------
    port : int
        Cookies are shared by all ports of a host, so its name holds the port.
    """

    def __init__(self, port):
        self.port = port
        self.token, self.session, self.form = (secrets.token_urlsafe(32) for _ in range(3))
        self.cookie = f"statlearn-studio-{port}"
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")

    @property
    def address(self):
        """The address that opens the studio."""
        return f"http://127.0.0.1:{self.port}/?token={self.token}"


def same(secret, guess):
    """Whether a guess is the secret, in a time that does not depend on where they differ."""
    return isinstance(guess, str) and hmac.compare_digest(secret.encode(), guess.encode("utf-8", "surrogatepass"))


class Guard:
    """Refuses every request that the studio's own pages would not send, and adds the security headers to all answers.

    Parameters
    ----------
    app : ASGI application
    secrets : Secrets
    start : str
        The page that the printed address leads to.
    """

    def __init__(self, app, secrets, start="/"):
        self.app, self.secrets, self.start = app, secrets, start

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # web sockets are not used
            await send({"type": "websocket.close", "code": 1008})
            return
        answer = self._answer(scope)
        send = _with_headers(send)
        if answer is None:
            await self.app(scope, _patient(receive), send)
        else:
            await answer(scope, receive, send)

    def _answer(self, scope):
        """What to answer instead of the application; None for a request that is in order."""
        headers = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        hosts, origins, sites = (
            [value for key, value in headers if key == name] for name in ("host", "origin", "sec-fetch-site")
        )
        if len(hosts) != 1 or hosts[0].lower() not in self.secrets.hosts:
            return _refused(421, "This host is unknown to statlearn studio.")
        if scope["method"] not in METHODS:
            return _refused(405, "This method is not used.", {"allow": ", ".join(METHODS)})
        if self._is_landing(scope):
            response = HTMLResponse(LANDING.format(start=escape(self.start)))
            response.set_cookie(self.secrets.cookie, self.secrets.session, path="/", httponly=True, samesite="strict")
            return response
        if any(origin.lower() not in {f"http://{host}" for host in self.secrets.hosts} for origin in origins):
            return _refused(403, "This request comes from another page.")
        if any(site not in ("same-origin", "none") for site in sites):
            return _refused(403, "This request comes from another page.")
        if not same(self.secrets.session, self._cookie(headers)):
            return _refused(
                403, "statlearn studio was restarted, or this is another browser. Open the address that it has printed."
            )
        return None

    def _is_landing(self, scope):
        if scope["method"] != "GET" or scope["path"] != "/":
            return False
        tokens = parse_qs(scope["query_string"][:1000].decode("latin-1")).get("token", [])
        return len(tokens) == 1 and same(self.secrets.token, tokens[0])

    def _cookie(self, headers):
        for key, value in headers:
            if key == "cookie":
                try:
                    found = SimpleCookie(value).get(self.secrets.cookie)
                except CookieError:
                    continue
                if found is not None:
                    return found.value
        return None


def _refused(status, words, headers=None):
    return PlainTextResponse(words + "\n", status_code=status, headers=headers)


def _with_headers(send):
    async def checked(message):
        if message["type"] == "http.response.start":
            names = {name.lower() for name, _ in message["headers"]}
            own = {**HEADERS, "cache-control": "no-store"}
            more = [(k.encode(), v.encode()) for k, v in own.items() if k.encode() not in names]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return checked


def _patient(receive):
    """Parts of the body, each within `SLOWEST` seconds: a slow client ends as one that has left."""
    waiting = True

    async def part():
        nonlocal waiting
        if not waiting:  # what comes after the body is the end of the connection, for which a stream may wait
            return await receive()
        try:
            message = await asyncio.wait_for(receive(), SLOWEST)
        except TimeoutError:
            return {"type": "http.disconnect"}
        waiting = message.get("more_body", False)
        return message

    return part


async def read_body(request, most=MAX_FORM_BYTES):
    """The body of a request of at most `most` bytes."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise UsageError(f"the request has more than {most:,} bytes")
        parts.append(part)
    return b"".join(parts)


async def read_form(request, secrets):
    """The fields of a form, each once, with its token checked; None if the token is wrong.

    Parameters
    ----------
    request : Request
    secrets : Secrets

    Returns
    -------
    dict of str to str, or None
    """
    body = await read_body(request)
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except (UnicodeDecodeError, ValueError) as error:
        raise UsageError("the form cannot be read") from error
    fields = dict(pairs)
    token = request.headers.get("x-statlearn-token") or fields.pop("token", None)
    fields.pop("token", None)
    return fields if same(secrets.form, token) else None
