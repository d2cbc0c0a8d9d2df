"""A studio in a folder of its own, asked through ASGI without a socket."""

import asyncio

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


@pytest.fixture
def folder(tmp_path):
    """A folder with one table."""
    sales().write_csv(tmp_path / "sales.csv")
    return tmp_path


@pytest.fixture
def client(folder):
    """A client of a studio in that folder."""
    return Client(Studio(folder, PORT))
