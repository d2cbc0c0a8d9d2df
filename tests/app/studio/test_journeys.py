"""Journeys in a real browser: from a table with a wrong kind and a hidden group to an honest model, and what if."""

import os
import shutil
import threading
from pathlib import Path

import pytest

from statlearn.app.studio.server import Studio, listen, make_server

from .browser import Browser
from .conftest import sales

AXE = Path(__file__).parent / "axe.min.js"
PAGES = (
    "/", "/look?data=sales.csv", "/compare?data=sales.csv", "/cluster?data=sales.csv", "/rules?data=sales.csv",
    "/results", "/report?folder=sales-report",
    "/understand?folder=loans-report&model=logistic-l2", "/whatif?folder=sales-report",
    "/predict?folder=sales-report", "/results/two?first=sales-report&second=loans-report", "/learn",
    "/learn/demo?name=least-squares", "/learn/demo?name=k-means",
)  # fmt: skip
READY = (
    "![...document.querySelectorAll('.waiting')].some(e => !e.closest('details:not([open])'))"
    " && !document.querySelector('.htmx-request')"
)


@pytest.fixture(scope="module")
def running(made, tmp_path_factory):
    """The address of a studio that serves a copy of the folder with finished comparisons."""
    place = tmp_path_factory.mktemp("journeys") / "shop"
    shutil.copytree(made.studio.folder.root, place)
    sales(300, seed=1).write_csv(place / "fresh.csv")
    listener = listen(0)
    studio = Studio(place, listener.getsockname()[1])
    ready = threading.Event()
    server = make_server(studio, ready.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    assert ready.wait(60)
    yield studio
    server.should_exit = True
    thread.join(30)
    listener.close()


@pytest.fixture(scope="module")
def browser(running, tmp_path_factory):
    """A browser that has opened the printed address."""
    found = Browser(tmp_path_factory.mktemp("profile"))
    found.base = running.secrets.address.partition("/?")[0]
    found.open(running.secrets.address)
    found.wait("location.search === '' && document.title.includes('studio')")
    yield found
    found.close()


@pytest.fixture
def page(browser):
    """The browser at its usual size; afterwards its console must be empty."""
    browser.look()
    browser.messages.clear()
    yield browser
    assert browser.messages == []


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    """Where pictures of the pages go: a folder that STATLEARN_PICTURES names, or a temporary one."""
    wanted = os.environ.get("STATLEARN_PICTURES")
    return Path(wanted) if wanted else tmp_path_factory.mktemp("pictures")


def picture(page, path, height=860):
    """A picture of the top of the page, which must show something."""
    page.look(1180, height)
    page.picture(path, whole=False)
    assert path.stat().st_size > 10_000


def test_from_a_table_to_an_honest_model(page, running, pictures):
    page.open(page.base + "/look?data=fresh.csv")
    page.wait(READY)
    page.choose("#target", "revenue")
    page.wait("document.querySelector('#warnings').innerText.includes('TARGET-IN-DISGUISE')")
    picture(page, pictures / "look.png", 1500)
    page.click("#warnings form:has(input[value='number']) button")  # read as a number
    page.wait("!document.querySelector('#warnings').innerText.includes('WRONG-KIND')")
    page.click("#warnings form:has(input[value='drop']) button")  # leave the leak out
    page.wait("!document.querySelector('#warnings').innerText.includes('TARGET-IN-DISGUISE')")
    page.click("#warnings form:has(input[value='group']) button")
    page.wait("document.querySelector('#warnings pre').textContent.includes('--group shop_id')")
    choices = running.memory.load("fresh.csv")
    assert choices.roles == {"revenue": "target", "gross": "drop", "shop_id": "group"}
    assert choices.kinds == {"stock": "number"}
    page.click("#warnings a.button")
    page.wait("document.querySelector('#f-folds')")
    page.choose("#f-folds", "3")
    page.choose("#f-models", "ridge, least-squares")
    page.wait("document.querySelector('#command').textContent.includes('--folds 3')")
    picture(page, pictures / "compare.png")
    page.click("form.settings button.main")
    page.wait("location.pathname === '/job'")
    page.open(page.run("location.href"))  # a reload in the middle loses nothing
    page.wait("document.querySelectorAll('.board.live tbody tr').length === 3", 120)
    picture(page, pictures / "board.png")
    page.wait("document.querySelector('h1').innerText === 'Finished'", 120)
    page.click("a.button")
    page.wait("location.pathname === '/report'")
    assert "outer folds" in page.text(".verdict")
    picture(page, pictures / "verdict.png", 1300)


def test_a_changed_cell_changes_the_prediction(page, pictures):
    page.open(page.base + "/whatif?folder=sales-report")
    page.wait("document.querySelector('#answer figure')")
    before = page.text("#answer .value")
    page.click("input[data-column='area']")
    page.run("document.activeElement.select()")
    for letter in "201":
        page.key(letter, text=letter)
    page.wait("document.querySelector('#answer').innerText.includes('with 1 change')")
    assert page.text("#answer .value") != before
    page.click("#answer button[hx-get]")
    page.wait("document.querySelector('#answer table')")
    page.choose("input[data-column='staff']", "11")
    page.wait("document.querySelector('#answer').innerText.includes('with 2 changes')")
    assert "area = 201" in page.text("#answer table")
    page.click("details.more > summary")
    page.wait("document.querySelector('details.more table')")
    picture(page, pictures / "what_if.png", 1250)


def test_a_point_is_dragged_and_a_dial_is_turned_by_keys(page, pictures):
    page.open(page.base + "/learn/demo?name=least-squares")
    before = page.text("#picture .facts")
    x, y, width, height = page.run(
        "(() => { const b = document.querySelector('#picture svg.fig').getBoundingClientRect();"
        " return [b.x, b.y, b.width, b.height]; })()"
    )
    page.drag((x + 0.8 * width, y + 0.7 * height), (x + 0.5 * width, y + 0.3 * height))
    page.wait(f"document.querySelector('#picture .facts').innerText !== {before!r}")
    assert float(page.run("document.querySelector('#d-px').value")) == pytest.approx(6.8, abs=0.5)
    page.open(page.base + "/learn/demo?name=k-means")
    page.run("document.querySelector('#d-steps').focus()")
    page.key("ArrowRight", 39)
    page.wait("document.querySelector('#picture .facts dd').innerText === '3'")
    assert page.text("output[for='d-steps']") == "3"
    picture(page, pictures / "learn.png")


def test_a_dropped_file_opens(page, tmp_path):
    path = tmp_path / "dropped.csv"
    sales(50).write_csv(path)
    page.open(page.base + "/")
    root = page.call("DOM.getDocument")["root"]["nodeId"]
    field = page.call("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
    page.call("DOM.setFileInputFiles", files=[str(path)], nodeId=field)
    page.wait("location.search === '?data=dropped.csv'")
    page.wait(READY)


def test_the_skip_link_and_the_navigation_are_reached_by_keys(page):
    page.open(page.base + "/look?data=sales.csv")
    page.wait(READY)
    page.key("Tab", 9)
    assert page.run("document.activeElement.className") == "skip"
    for _ in range(3):
        page.key("Tab", 9)
    assert page.run("document.activeElement.closest('nav') !== null")


@pytest.mark.parametrize("width, dark", [(420, True), (1280, False)])
def test_pages_fit_their_window_in_both_themes(page, width, dark):
    page.look(width, 900, dark)
    for path in PAGES[1:9:2]:
        page.open(page.base + path)
        page.wait(READY)
        assert page.run("document.documentElement.scrollWidth") <= width, path
        shade = page.run("getComputedStyle(document.documentElement).backgroundColor")
        assert shade == ("rgb(20, 23, 27)" if dark else "rgb(251, 250, 247)")


def test_accessibility_rules_pass(page):
    for path in PAGES:
        page.open(page.base + path)
        page.wait(READY)
        page.run(AXE.read_text(encoding="utf-8") + "; 1")
        found = page.run(
            "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + "
            "v.nodes.map(n => n.html.slice(0, 160)).slice(0, 3).join(' | ')))"
        )
        assert found == [], f"{path}: {found}"


def test_pages_can_be_read_without_scripts(page):
    page.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        page.call("Page.navigate", url=page.base + "/look?data=sales.csv")
        page.call("Emulation.setScriptExecutionDisabled", value=False)
        page.wait("document.querySelector('#rows tbody tr')")
        assert page.run("document.querySelector('noscript') !== null")
    finally:
        page.call("Emulation.setScriptExecutionDisabled", value=False)


def test_another_browser_is_refused(running, tmp_path):
    other = Browser(tmp_path / "other")
    try:
        other.open(running.secrets.address.partition("/?")[0] + "/look?data=sales.csv")
        assert "Open the address" in other.text()
    finally:
        other.close()
