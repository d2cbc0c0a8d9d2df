"""A studio in a folder of its own, asked through ASGI without a socket."""

import asyncio
import time

import httpx
import numpy as np
import polars as pl
import pytest

from statlearn.app.studio.server import Studio

PORT = 8421
HOST = f"127.0.0.1:{PORT}"


class Client:
    """What a browser would send to a studio, and what comes back.

    Parameters
    ----------
    studio : Studio
    """

    def __init__(self, studio):
        self.studio, self.secrets = studio, studio.secrets
        self.app = studio.application()

    def ask(self, method, path, *, headers=None, cookie=True, **options):
        """One request, with the cookie of a browser that has opened the printed address."""
        own = {"cookie": f"{self.secrets.cookie}={self.secrets.session}"} if cookie else {}

        async def send():
            transport = httpx.ASGITransport(app=self.app)
            async with httpx.AsyncClient(transport=transport, base_url=f"http://{HOST}") as client:
                return await client.request(method, path, headers={**own, **(headers or {})}, **options)

        return asyncio.run(send())

    def get(self, path, **query):
        """The text of a page that must be there."""
        answer = self.ask("GET", path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.text

    def part(self, path, **query):
        """The answer to a request for a part of a page."""
        return self.ask("GET", path, params=query, headers={"hx-request": "true"})

    def post(self, path, fields, **options):
        """Send a form with its token."""
        return self.ask("POST", path, data={"token": self.secrets.form, **fields}, **options)


def sales(n=400, seed=0):
    """A table with a wrongly read column, groups, a leak and a stand-in for missing values."""
    rng = np.random.default_rng(seed)
    shop = rng.integers(0, 40, n)
    area, staff = rng.normal(120, 30, n).round(1), rng.integers(2, 12, n)
    revenue = (300 + 1.9 * area + 21 * staff + rng.normal(0, 60, 40)[shop] + rng.normal(0, 30, n)).round(2)
    temperature = rng.normal(12, 6, n).round(1)
    temperature[:9] = -999
    stock = [f"{v:.0f}" for v in rng.normal(500, 80, n)]
    stock[3::5] = ["about a lot"] * len(stock[3::5])
    return pl.DataFrame(
        {
            "shop_id": [f"shop-{s:02d}" for s in shop],
            "zip": rng.choice([10115, 20095, 50667], n),
            "size": rng.choice(["S", "M", "L"], n),
            "area": area,
            "staff": staff,
            "temperature": temperature,
            "stock": stock,
            "revenue": revenue,
            "gross": (revenue * 1.19).round(2),
        }
    )


SETTINGS = {
    "folds": "3", "repeats": "1", "holdout": "0.2", "metric": "", "limit": "", "jobs": "1", "rule": "min",
    "search": "grid", "cost": "", "quick": "1",
}  # fmt: skip


def run_job(client, answer, seconds=120):
    """The name and the state of a job that an answer leads to, once it has ended."""
    assert answer.status_code == 303, answer.text
    name = answer.headers["location"].partition("name=")[2]
    deadline = time.monotonic() + seconds
    while client.studio.jobs.state(client.studio.jobs.get(name)) == "running" and time.monotonic() < deadline:
        time.sleep(0.05)
    return name, client.studio.jobs.state(client.studio.jobs.get(name))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A client whose folder holds a finished comparison of each task, which no test changes."""
    place = tmp_path_factory.mktemp("made")
    sales(200).write_csv(place / "sales.csv")
    found = Client(Studio(place, PORT))
    for column, fields in (
        ("revenue", {"role": "target"}), ("shop_id", {"role": "group"}), ("stock", {"kind": "number"}),
        ("size", {"kind": "ordered"}),
    ):  # fmt: skip
        assert found.post("/look/choose", {"data": "sales.csv", "column": column, **fields}).status_code == 303
    settings = {**SETTINGS, "models": "least-squares, ridge", "rows": "1", "data": "sales.csv", "out": "sales-report"}
    loans = {**SETTINGS, "models": "logistic-l2", "data": "loans", "out": "loans-report", "cost": "fp=1,fn=3"}
    names = [found.post("/compare/start", fields) for fields in (settings, loans)]
    found.jobs = [run_job(found, answer) for answer in names]
    for name, state in found.jobs:
        assert state == "done", found.studio.jobs.log(found.studio.jobs.get(name))
    return found


@pytest.fixture
def folder(tmp_path):
    """A folder with one table."""
    sales().write_csv(tmp_path / "sales.csv")
    return tmp_path


@pytest.fixture
def client(folder):
    """A client of a studio in that folder."""
    return Client(Studio(folder, PORT))
