"""A real browser for the journeys: chromium, driven over a pipe by its own protocol; no package is needed for it."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time

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
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--remote-debugging-pipe",
)


# The browser reads from file 3 and writes to file 4, whatever the pipes are called here.
PASS_ON = """
import os, sys
ask, answer = (os.dup(os.dup(os.dup(int(n)))) for n in sys.argv[1:3])
os.dup2(ask, 3)
os.dup2(answer, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """A chromium process with one page.

    Parameters
    ----------
    profile : path
        A folder for its files.
    width, height : int
    dark : bool
    scripts : bool
        Whether pages may run scripts.
    """

    def __init__(self, profile, *, width=1280, height=900, dark=False, scripts=True):
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        assert program, "these tests need chromium (Debian: apt-get install chromium)"
        ask, self._to = os.pipe()
        self._from, answer = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", PASS_ON, str(ask), str(answer), program, *QUIET,
             f"--user-data-dir={profile}", "about:blank"],
            pass_fds=(ask, answer), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(ask)
        os.close(answer)
        self._count, self._rest, self._session, self.messages = 0, b"", None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.look(width, height, dark)
        if not scripts:
            self.call("Emulation.setScriptExecutionDisabled", value=True)

    def look(self, width=1280, height=900, dark=False, scale=1):
        """Change the size of the window and the theme."""
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def call(self, method, **params):
        """Ask the browser for something and wait for the answer."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": params}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            answer = self._next(deadline)
            if answer is not None and answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
        raise TimeoutError(method)

    def _next(self, deadline):
        """The next message of the browser; words of its console are kept."""
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                return None
            self._rest += os.read(self._from, 2**20)
        line, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(line)
        if message.get("method") == "Log.entryAdded":
            self.messages.append(message["params"]["entry"]["text"])
        elif message.get("method") == "Runtime.exceptionThrown":
            self.messages.append(str(message["params"]["exceptionDetails"]))
        return message

    def open(self, address):
        """Go to an address and wait until its page is there."""
        found = self.call("Page.navigate", url=address)
        assert "errorText" not in found, found
        self.wait("document.readyState === 'complete'")

    def run(self, script):
        """The value of a JavaScript expression on the page."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition, seconds=60):
        """Wait until an expression is true; the page may change meanwhile."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                if self.run(f"Boolean({condition})"):
                    return
            except AssertionError:
                pass  # the page has just gone
            time.sleep(0.03)
        raise TimeoutError(f"{condition}; the page shows: {self.text()[:1500]}")

    def text(self, selector="body"):
        """The words that are shown."""
        return self.run(f"(document.querySelector({selector!r}) || {{innerText: ''}}).innerText")

    def settle(self, seconds=60):
        """Wait until the page has waited for no answer for a while: an answer may replace what is clicked."""
        deadline = time.monotonic() + seconds
        quiet = time.monotonic()
        while time.monotonic() < min(quiet + 0.2, deadline):
            with contextlib.suppress(AssertionError):  # the page has just gone
                if self.run("document.querySelector('.htmx-request') !== null"):
                    quiet = time.monotonic()
            time.sleep(0.03)

    def click(self, selector):
        """A click of the mouse into the middle of an element."""
        self.wait(f"document.querySelector({selector!r})")
        self.settle()
        x, y = self.run(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center', behavior: "
            "'instant'}); const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.drag((x, y), (x, y))

    def drag(self, start, end):
        """Press the mouse at a place, move it to another one and release it."""
        common = {"button": "left", "clickCount": 1, "buttons": 1}
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], **common)
        if start != end:
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=end[0], y=end[1], **common)
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], **common)

    def key(self, name, code=0, text=""):
        """Press a key such as Tab, Enter or a letter."""
        common = {"key": name, "windowsVirtualKeyCode": code or ord(name[0])}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def choose(self, selector, value):
        """Choose an option of a select, or set the value of a field, as a person would: the page is informed."""
        self.wait(f"document.querySelector({selector!r})")
        self.run(
            f"(() => {{ const e = document.querySelector({selector!r}); e.value = {json.dumps(value)}; for (const n of "
            "['input', 'change']) e.dispatchEvent(new Event(n, {bubbles: true})); })()"
        )

    def picture(self, path, whole=True):
        """Write a picture of the page."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(found["data"]))

    def close(self):
        """End the browser."""
        self._session = None
        try:
            self.call("Browser.close")
        except (OSError, TimeoutError, AssertionError):
            self._process.kill()
        self._process.wait(timeout=30)
        os.close(self._to)
        os.close(self._from)
