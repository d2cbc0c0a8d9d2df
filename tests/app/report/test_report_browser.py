"""The report in a real browser: nothing from outside, no errors, no scripts, light and dark, narrow, on paper."""

import copy
import re
import shutil
import subprocess
from dataclasses import replace

import matplotlib.image
import numpy as np
import pytest

from statlearn.app.report.html import report_html

SECTIONS = ("verdict", "leaderboard", "honesty", "data", "models", "reproduce")
QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr",
)


OWN_CALLS = re.compile(r"//[\w.-]*(google\.com|googleapis\.com|gvt1\.com)/")  # chromium's, whatever the page


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Run chromium on a file; the process and the messages of the page's console."""
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert program, "these tests need chromium (Debian: apt-get install chromium)"
    profile = tmp_path_factory.mktemp("profile")

    def run(path, *options):
        command = [program, *QUIET, f"--user-data-dir={profile}", *options, path.as_uri()]
        done = subprocess.run(command, capture_output=True, timeout=240, check=True)
        messages = [line for line in done.stderr.decode(errors="replace").splitlines() if ":CONSOLE" in line]
        return done.stdout.decode(errors="replace"), messages

    return run


@pytest.fixture(scope="module")
def page(regression, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(report_html(regression), encoding="utf-8")
    return path


def picture(browser, path, out, *options):
    browser(path, f"--screenshot={out}", *options)
    return matplotlib.image.imread(out)[..., :3]


def background(image):
    """The most frequent shade, and the share of pixels that differ from it."""
    grey = np.round(image.mean(axis=2) * 50).astype(int).ravel()
    shade = np.bincount(grey).argmax()
    return shade / 50, float(np.mean(np.abs(grey - shade) > 3))


def asked(log):
    """Addresses beyond files that were asked for, from chromium's log of the network."""
    urls = re.findall(r'"url":"((?:https?|ftp|wss?):[^"]*)"', log.read_text(errors="replace"))
    return {url for url in urls if not OWN_CALLS.search(url)}


def test_no_errors_and_nothing_asked_from_outside(browser, page, tmp_path):
    log = tmp_path / "network.json"
    _, messages = browser(page, "--dump-dom", f"--log-net-log={log}")
    assert messages == []
    assert asked(log) == set()


def test_errors_and_questions_would_be_noticed(browser, tmp_path):
    log, leaky = tmp_path / "network.json", tmp_path / "leaky.html"
    leaky.write_text('<img src="http://somewhere.example/x.png"><script>undefined_function()</script>')
    _, messages = browser(leaky, "--dump-dom", f"--log-net-log={log}")
    assert asked(log) == {"http://somewhere.example/x.png"}
    assert any("undefined_function" in line for line in messages)


def test_every_section_is_in_the_browser(browser, page, regression):
    dom, _ = browser(page, "--dump-dom")
    for section in SECTIONS:
        assert f'id="{section}"' in dom
    for model in regression.models:
        assert model.label in dom
    assert dom.count("<svg") > 30


def test_the_page_runs_no_scripts(browser, page, tmp_path):
    text = page.read_text(encoding="utf-8")
    assert "<script" not in text
    path = tmp_path / "with.html"  # its policy stops even one that was put in
    path.write_text(text.replace("</body>", "<script>document.title = 'ran'</script></body>"), encoding="utf-8")
    dom, messages = browser(path, "--dump-dom")
    assert "<title>Predicting price" in dom
    assert any("Content Security Policy" in line for line in messages)


def test_hostile_names_stay_words(browser, regression, tmp_path):
    evil = "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
    hostile = replace(copy.deepcopy(regression), target=evil, verdict=evil)
    for column in hostile.profile.columns:
        column.name = evil
    for model in hostile.models:
        model.label = evil
        if model.inspection is not None:
            model.inspection.importance.columns = [evil] * len(model.inspection.importance.columns)
            model.inspection.dependence[0].column = evil
    path = tmp_path / "hostile.html"
    # Even without the policy that forbids scripts.
    path.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", report_html(hostile)), encoding="utf-8")
    dom, messages = browser(path, "--dump-dom")
    assert messages == []
    title = re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]
    assert title.startswith("Predicting &lt;img")
    assert "<script" not in dom


def test_light_and_dark(browser, page, tmp_path):
    light = picture(browser, page, tmp_path / "light.png", "--window-size=1300,1600")
    dark = picture(
        browser, page, tmp_path / "dark.png", "--window-size=1300,1600", "--blink-settings=preferredColorScheme=0"
    )
    shade, ink = background(light)
    assert shade > 0.95
    assert 0.02 < ink < 0.4
    shade, ink = background(dark)
    assert shade < 0.15
    assert 0.02 < ink < 0.4


@pytest.mark.parametrize("width", [500, 900, 1400])
def test_nothing_is_wider_than_the_window(browser, binary, tmp_path, width):
    measure = (
        "<script>document.querySelectorAll('details').forEach(d => d.open = true);"
        "document.title = document.documentElement.scrollWidth + ' of ' + window.innerWidth</script></body>"
    )
    text = re.sub(r"<meta http-equiv=[^>]*>", "", report_html(binary)).replace("</body>", measure)
    path = tmp_path / "measured.html"
    path.write_text(text, encoding="utf-8")
    dom, _ = browser(path, f"--window-size={width},900", "--dump-dom")
    needed, given = map(int, re.search(r"<title>(\d+) of (\d+)</title>", dom).groups())
    assert needed <= given <= width


def pages(browser, path, out):
    browser(path, f"--print-to-pdf={out}", "--no-pdf-header-footer")
    content = out.read_bytes()
    assert content.startswith(b"%PDF")
    return len(re.findall(rb"/Type\s*/Page\b", content))


def test_at_most_six_pages_are_printed_with_the_best_model_among_them(browser, page, multiclass, tmp_path):
    text = page.read_text(encoding="utf-8")
    opened, without = tmp_path / "opened.html", tmp_path / "without.html"
    opened.write_text(text.replace('<details class="model', '<details open class="model'), encoding="utf-8")
    without.write_text(re.sub(r"<details.*?</details>", "", text, flags=re.DOTALL), encoding="utf-8")
    whole = pages(browser, page, tmp_path / "page.pdf")
    assert whole <= 6
    assert whole == pages(browser, opened, tmp_path / "opened.pdf")  # whatever is open on the screen
    assert whole > pages(browser, without, tmp_path / "without.pdf")
    wide = tmp_path / "wide.html"
    wide.write_text(report_html(replace(multiclass, findings=4 * multiclass.findings)), encoding="utf-8")
    assert pages(browser, wide, tmp_path / "wide.pdf") <= 6


MEASURE = """<script>
document.querySelectorAll('details').forEach(d => d.open = true);
const found = [];
document.querySelectorAll('svg.fig').forEach(figure => {
  const frame = figure.getBoundingClientRect(), room = 4 * frame.width / figure.viewBox.baseVal.width;
  figure.querySelectorAll('path, circle, text').forEach(mark => {
    const outer = mark.closest('svg.clip');
    if (outer !== null && getComputedStyle(outer).overflow === 'hidden') return;
    const box = mark.getBoundingClientRect();
    if (box.left < frame.left - room || box.right > frame.right + room || box.top < frame.top - room ||
        box.bottom > frame.bottom + room)
      found.push(figure.getAttribute('aria-label') + ': ' + mark.outerHTML);
  });
});
document.querySelectorAll('.board').forEach(board => {
  const around = board.closest('.scroll');
  if (around.scrollWidth > around.clientWidth + 1) found.push(`board ${around.scrollWidth} > ${around.clientWidth}`);
});
document.title = `${found.length} outside: ${found.slice(0, 3).join(' | ')}`;
</script></body>"""


def outside(browser, text, path, width=1200):
    """What lies outside of its figure or page, as the browser measures it."""
    path.write_text(re.sub(r"<meta http-equiv=[^>]*>", "", text).replace("</body>", MEASURE), encoding="utf-8")
    dom, _ = browser(path, f"--window-size={width},900", "--dump-dom")
    return re.search(r"<title>(.*?)</title>", dom, re.DOTALL)[1]


@pytest.mark.parametrize("width", [700, 1130, 1400])
@pytest.mark.parametrize("which", ["regression", "binary", "multiclass"])
def test_figures_and_board_stay_in_their_frames(browser, which, width, request, tmp_path):
    text = report_html(request.getfixturevalue(which))
    assert outside(browser, text, tmp_path / "measured.html", width) == "0 outside: "


def test_wild_curves_are_clipped(browser, regression, tmp_path):
    wild = copy.deepcopy(regression)
    for model in wild.models:
        for found in model.inspection.dependence if model.inspection is not None else ():
            found.mean = found.mean + np.linspace(0, 1e16, len(found.mean))[:, None]
            found.column = "a_column_with_WWWWWWWW_a_long_name"
            found.lower[0], found.upper[-1] = -1e30, 1e30
    text = report_html(wild)
    assert max(abs(float(v)) for v in re.findall(r"[MLHV ](-?\d+\.?\d*)", text)) <= 1e5
    assert outside(browser, text, tmp_path / "wild.html") == "0 outside: "
    assert "2e+04" not in text
