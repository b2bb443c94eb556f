"""Chromium, driven by its DevTools protocol over a pipe.

The pipe needs neither a port nor a websocket: messages are JSON, each ended by
a NUL, on descriptors 3 (to the browser) and 4 (from it).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
import unittest

import harness

# BROWSER=PROGRAM selects another one.
PROGRAM = (os.environ.get("BROWSER") or shutil.which("chromium-headless-shell")
           or shutil.which("chromium"))
needed = unittest.skipIf(
    PROGRAM is None, "no browser: install chromium-headless-shell")


class Browser:
    """A headless browser with a profile of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="td-browser-")
        to_read, self.out = os.pipe()
        self.back, to_write = os.pipe()
        self.log = open(os.path.join(self.folder, "log"), "wb")
        self.process = subprocess.Popen(
            [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--mute-audio",
             "--disable-background-networking", "--disable-sync",
             "--disable-component-update", "--disable-default-apps",
             "--disable-extensions", "--hide-scrollbars",
             "--force-color-profile=srgb", "--remote-debugging-pipe",
             f"--user-data-dir={self.folder}/profile", "about:blank"],
            preexec_fn=lambda: (os.dup2(os.dup(to_read), 3),
                                os.dup2(os.dup(to_write), 4)),
            close_fds=False, stdin=subprocess.DEVNULL, stdout=self.log,
            stderr=self.log, start_new_session=True)
        os.close(to_read)
        os.close(to_write)
        self.rest = b""
        self.number = 0
        self.events = []

    def _receive(self, end):
        """The next message; None at `end`."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [],
                                        max(0, end - time.monotonic()))
            if not ready:
                return None
            more = os.read(self.back, 1 << 20)
            if not more:
                raise AssertionError("the browser has ended")
            self.rest += more
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def send(self, method, session=None, **parameters):
        """The result of a command; events that come before are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        end = time.monotonic() + harness.PATIENCE_S
        while True:
            answer = self._receive(end)
            if answer is None:
                raise AssertionError(f"{method}: no answer")
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise AssertionError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def listen(self, seconds):
        """Take events for so long."""
        end = time.monotonic() + seconds
        while (message := self._receive(end)) is not None:
            if "method" in message:
                self.events.append(message)

    def stop(self):
        try:
            self.send("Browser.close")
        except (AssertionError, OSError):
            self.process.kill()
        self.process.wait(30)
        os.close(self.out)
        os.close(self.back)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class Tab:
    """A page of the browser. What it asks for, and what runs in it, is kept."""

    def __init__(self, browser):
        self.browser = browser
        target = browser.send("Target.createTarget", url="about:blank")
        self.session = browser.send(
            "Target.attachToTarget", targetId=target["targetId"],
            flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.send(f"{domain}.enable")

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def run(self, code):
        """The value of an expression in the page."""
        result = self.send("Runtime.evaluate", expression=code,
                           returnByValue=True, awaitPromise=True,
                           userGesture=True)
        if "exceptionDetails" in result:
            raise AssertionError(f"{code}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def wait(self, code, what=None):
        """Until the expression is true."""
        def look():
            try:
                return self.run(f"!!({code})")
            except AssertionError:  # the page is just going away
                return None
        harness.wait_until(look, what or code, 20)

    def go(self, url):
        self.send("Page.navigate", url=url)
        self.loaded()

    def loaded(self):
        self.wait("document.readyState == 'complete' && "
                  "location.href != 'about:blank'")

    def source(self, url):
        """The page at the address as HTML; without any script of ours."""
        seen = len(self.took("Page.loadEventFired"))
        self.send("Page.navigate", url=url)
        harness.wait_until(
            lambda: self.browser.listen(0.02) or
            len(self.took("Page.loadEventFired")) > seen, url, 20)

        def html():
            node = self.send("DOM.getDocument", depth=-1)["root"]["nodeId"]
            try:
                return self.send("DOM.getOuterHTML", nodeId=node)["outerHTML"]
            except AssertionError:  # the page has replaced the document
                return None
        return harness.wait_until(html, url, 20)

    def click(self, selector):
        """A real click in the middle of an element."""
        box = self.run(
            f"(() => {{ const e = document.querySelector({selector!r});"
            "e.scrollIntoView({block: 'center'});"
            "const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()")
        self.press(*box)

    def press(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y,
                      button="left", clickCount=1)

    def key(self, name, text=None):
        more = {"text": text} if text else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=name,
                  code=name, windowsVirtualKeyCode={"Tab": 9, "Enter": 13}
                  .get(name, 0), **more)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=name, code=name)

    def size(self, width, height=900):
        self.send("Emulation.setDeviceMetricsOverride", width=width,
                  height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": name}])

    def picture(self, path, is_whole=True):
        data = self.send("Page.captureScreenshot", format="png",
                         captureBeyondViewport=is_whole)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def took(self, method):
        """The parameters of all events with that name, of this tab."""
        return [e["params"] for e in self.browser.events
                if e["method"] == method and e.get("sessionId") == self.session]

    def requested(self):
        """The addresses that were asked for, but for data: and about:."""
        urls = [p["request"]["url"]
                for p in self.took("Network.requestWillBeSent")]
        return [u for u in urls if not u.startswith(("data:", "about:"))]

    def complaints(self):
        """What the console says: policies that were broken, errors."""
        said = [p["entry"]["text"] for p in self.took("Log.entryAdded")]
        said += [str(p["args"]) for p in self.took("Runtime.consoleAPICalled")]
        return said + [str(p["exceptionDetails"])
                       for p in self.took("Runtime.exceptionThrown")]
