"""Every request that the studio's own pages would not send is refused."""

import asyncio
import time

import pytest

from statlearn.app.studio import security

from .conftest import HOST, PORT

PAGES = ("/", "/look?data=sales.csv", "/look/rows?data=sales.csv", "/static/style.css", "/nothing")


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:80", f"127.0.0.1.evil.example:{PORT}", ""]
)
def test_unknown_hosts_are_refused(client, path, host):
    answer = client.ask("GET", path, headers={"host": host})
    assert answer.status_code == 421
    assert "sales" not in answer.text


def test_two_hosts_are_refused(client):
    found = raw(client, headers=[(b"host", HOST.encode()), (b"host", b"evil.example"), own_cookie(client)])
    assert found["status"] == 421


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://" + HOST, "http://127.0.0.1:1", "file://"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_foreign_origins_are_refused(client, origin, method):
    assert client.ask(method, "/", headers={"origin": origin}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site", "something"])
def test_requests_of_other_sites_are_refused(client, site):
    assert client.ask("GET", "/", headers={"sec-fetch-site": site}).status_code == 403
    assert client.ask("GET", "/", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_the_token_of_the_address_becomes_a_strict_cookie(client):
    answer = client.ask("GET", "/", params={"token": client.secrets.token}, cookie=False)
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 200
    assert "samesite=strict" in cookie
    assert "httponly" in cookie
    assert client.secrets.token not in answer.headers["set-cookie"]
    assert "sales.csv" not in answer.text


@pytest.mark.parametrize("token", ["", "wrong", "ü", "x" * 5000])
def test_wrong_tokens_and_cookies_are_refused(client, token):
    assert client.ask("GET", "/", params={"token": token}, cookie=False).status_code == 403
    header = {"cookie": f"{client.secrets.cookie}={token}".encode()}
    assert client.ask("GET", "/look?data=sales.csv", cookie=False, headers=header).status_code == 403


def test_the_session_is_not_the_token_of_the_address_and_differs_between_starts(client, folder):
    from statlearn.app.studio.server import Studio

    one, other = client.secrets, Studio(folder, PORT).secrets
    assert len({one.token, one.session, one.form, other.token, other.session, other.form}) == 6


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"])
def test_methods_that_are_not_used_are_refused(client, method):
    assert client.ask(method, "/").status_code == 405


def test_reading_pages_cannot_be_written_to_and_actions_cannot_be_read(client):
    assert client.post("/look", {}).status_code == 405
    assert client.ask("GET", "/look/choose").status_code == 405


def test_actions_need_the_token_of_the_form(client):
    fields = {"data": "sales.csv", "column": "revenue", "role": "target"}
    for token in ({}, {"token": "wrong"}, {"token": client.secrets.session}, {"token": client.secrets.token}):
        assert client.ask("POST", "/look/choose", data={**fields, **token}).status_code == 403
    assert client.studio.memory.load("sales.csv").roles == {}
    assert client.post("/look/choose", fields).status_code == 303
    assert client.studio.memory.load("sales.csv").roles == {"revenue": "target"}


def test_uploads_need_the_token(client, folder):
    answer = client.ask("POST", "/upload", params={"name": "new.csv"}, content=b"a,b\n1,2\n")
    assert answer.status_code == 403
    assert not (folder / "new.csv").exists()


@pytest.mark.parametrize("path", PAGES)
def test_answers_have_the_security_headers(client, path):
    headers = client.ask("GET", path).headers
    policy = headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "default-src 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == ("private, max-age=600" if "static" in path else "no-store")


def test_pages_have_no_inline_scripts(client):
    for path in PAGES:
        text = client.ask("GET", path).text
        assert "<script>" not in text
        assert " onclick=" not in text


@pytest.mark.parametrize("name", ["../security.py", "..%2fsecurity.py", "%2e%2e/security.py", "studio.css", "."])
def test_static_files_are_a_closed_list(client, name):
    assert client.ask("GET", f"/static/{name}").status_code == 404


def test_large_forms_are_refused(client):
    answer = client.ask("POST", "/look/choose", content=b"a=" + b"x" * security.MAX_FORM_BYTES)
    assert answer.status_code == 400
    many = "&".join(f"a{k}=1" for k in range(security.MAX_FIELDS + 1))
    assert client.ask("POST", "/look/choose", content=many.encode()).status_code == 400


def own_cookie(client):
    return b"cookie", f"{client.secrets.cookie}={client.secrets.session}".encode()


def raw(client, *, method="GET", path="/", headers, receive=None):
    """The answer to a request that no library would write."""
    found = {"body": b""}

    async def nothing():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        if message["type"] == "http.response.start":
            found["status"] = message["status"]
        found["body"] += message.get("body", b"")

    scope = {
        "type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": b"",
        "headers": headers, "http_version": "1.1", "scheme": "http", "server": ("127.0.0.1", PORT), "root_path": "",
    }  # fmt: skip
    asyncio.run(client.app(scope, receive or nothing, send))
    return found


def test_slow_bodies_end(client, monkeypatch):
    monkeypatch.setattr(security, "SLOWEST", 0.05)

    async def slowly():
        await asyncio.sleep(10)

    began = time.monotonic()
    headers = [(b"host", HOST.encode()), own_cookie(client)]
    found = raw(client, method="POST", path="/look/choose", headers=headers, receive=slowly)
    assert found["status"] == 408
    assert time.monotonic() - began < 9


def test_web_sockets_are_closed(client):
    sent = []

    async def send(message):
        sent.append(message)

    asyncio.run(client.app({"type": "websocket", "headers": []}, None, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_ten_thousand_requests_are_answered(client):
    headers = [(b"host", b"evil.example")]

    async def all_of_them():
        codes = []

        async def send(message):
            codes.append(message.get("status"))

        for _ in range(10_000):
            scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
            await client.app(scope, None, send)
        return codes

    assert asyncio.run(all_of_them()).count(421) == 10_000
    assert client.ask("GET", "/").status_code == 200
