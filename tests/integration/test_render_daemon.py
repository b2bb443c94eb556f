"""Pages that the daemon renders in a browser without a network.

The pages and what they load come from a server on loopback. The daemon fetches
for the browser, under the rules of the site.
"""

import http.server
import os
import signal
import subprocess
import threading
import time
import unittest

import harness
from test_render import BROWSER, browsers

HTML = "text/html; charset=utf-8"
WORDS = "The harbour of the town opens at six, and the first boats leave."

SHELL = """<!doctype html><html lang=en><head><title>{title}</title>
<script src=/app.js defer></script></head>
<body><div id=root></div></body></html>
"""
APP = """
const root = document.getElementById("root");
const put = (name, text) => {
    const element = document.createElement(name);
    element.textContent = text;
    root.append(element);
    return element;
};
fetch("/data" + location.pathname + ".json").then((r) => r.json())
    .then((data) => {
        put("h1", data.title);
        for (const text of data.texts)
            put("p", text);
        for (const link of data.links)
            put("a", link).href = link;
    });
"""


def shell(title="Shop"):
    return HTML, SHELL.format(title=title)


def data(title, links=(), count=4):
    texts = [f"{title} {i}: {WORDS}" for i in range(count)]
    return "application/json", harness.json.dumps(
        {"title": title, "texts": texts, "links": list(links)})


class Server:
    """Serves {path: (type, body)}; `log` has the requested paths."""

    def __init__(self, pages):
        self.pages = pages
        self.log = []
        self.headers = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.log.append(self.path)
                outer.headers.append((self.path, dict(self.headers)))
                kind, body, *status = outer.pages.get(
                    self.path, ("text/plain", "missing", 404))
                body = body.encode()
                self.send_response(status[0] if status else 200)
                if kind.startswith("/"):
                    self.send_header("Location", kind)
                else:
                    self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.host = f"127.0.0.1:{self.server.server_port}"
        self.url = f"http://{self.host}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def count(self, path):
        return self.log.count(path)

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Case(harness.Case):
    def serve(self, pages):
        server = Server(pages)
        self.addCleanup(server.stop)
        return server


class WithoutBrowser(Case):
    def test_the_message_names_the_package(self):
        daemon = self.daemon()
        answer = daemon.request("POST", "/v1/render?url=http://a.test/", b"<p>")
        error = self.error_of(answer, 422, "not_rendered")
        self.assertIn("install chromium-headless-shell", error["message"])

    def test_a_missing_browser_is_named(self):
        daemon = self.daemon({"render": {"browser": "/nonexistent"}})
        answer = daemon.request("POST", "/v1/render?url=http://a.test/", b"<p>")
        error = self.error_of(answer, 422, "not_rendered")
        self.assertIn("install the package chromium", error["message"])


@unittest.skipIf(BROWSER is None, "no browser: install the package chromium")
class Rendered(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        done = subprocess.run(
            ["unshare", "-Urpmnfiu", "--mount-proc", "unshare", "-Ur", "true"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False, user=harness.USER)
        if done.returncode != 0:
            raise unittest.SkipTest(f"no namespaces: {done.stderr}")

    def setUp(self):
        super().setUp()
        before = set(browsers())
        self.addCleanup(harness.wait_until,
                        lambda: not set(browsers()) - before,
                        "the end of the browsers", 10)

    def daemon(self, sections=None, **render):
        sections = dict(sections or {})
        sections["render"] = {"browser": BROWSER, "timeout": "20 s", **render}
        return super().daemon(sections)

    def render(self, daemon, url, html, **arguments):
        answer = daemon.post("/v1/render", html.encode(), url=url, **arguments)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def fates(self, result):
        return {row["url"]: row["fate"] for row in result["requests"]}

    def our_browsers(self, daemon):
        renderers = daemon.processes_of("renderer")
        return {pid for pid in browsers()
                if renderers and self.is_below(pid, renderers)}

    def is_below(self, pid, parents):
        while pid > 1 and pid not in parents:
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii",
                          errors="replace") as stat:
                    pid = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                return False
        return pid in parents


class Api(Rendered):
    def test_scripts_build_the_page_with_data_of_the_server(self):
        server = self.serve({"/app.js": ("text/javascript", APP),
                             "/data/a.json": data("Harbour")})
        daemon = self.daemon()
        # The address is private, so nothing is loaded before it is allowed.
        page = SHELL.format(title="A")
        result = self.render(daemon, server.url + "a", page)
        self.assertEqual(server.log, [])
        self.assertEqual(self.fates(result)[server.url + "app.js"], "refused")
        daemon.watch(server.url, allow_private=True, max_pages=1)
        daemon.wait_for(server.host)
        result = self.render(daemon, server.url + "a", page)
        self.assertIn(f"<p>Harbour 3: {WORDS}</p>", result["html"])
        self.assertTrue(result["complete"])
        self.assertEqual(self.fates(result)[server.url + "data/a.json"],
                         "answered")
        # offline, no request leaves
        seen = server.count("/data/a.json")
        result = self.render(daemon, server.url + "a", page, offline=1)
        self.assertNotIn("Harbour", result["html"])
        self.assertEqual(server.count("/data/a.json"), seen)
        # the role of the browser is listed, with what holds
        row = next(row for row in daemon.json("/v1/status")["processes"]
                   if row["role"] == "renderer")
        self.assertEqual(len(row["running"]), 1)
        self.assertIn("system calls", row["enforced"])

    def test_what_is_forbidden_is_refused(self):
        other = self.serve({"/secret.json": ("text/plain", "secret")})
        server = self.serve({
            "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /closed"),
            "/closed": (HTML, "<p>closed"), "/open": (HTML, "<p>open"),
            "/hop": ("/closed", "", 302),
            "/post": ("text/plain", "posted"),
            "/away": (other.url + "secret.json", "", 302)})
        daemon = self.daemon()
        daemon.watch(server.url, allow_private=True, max_pages=1)
        daemon.wait_for(server.host)
        html = f"""<iframe src=/closed></iframe><iframe src=/open></iframe>
<iframe src=/hop></iframe><script>
for (const url of ["{other.url}secret.json", "/away", "file:///etc/passwd",
                   "http://169.254.169.254/", "http://localhost/"])
    fetch(url).then((r) => r.text()).then((t) => document.body.append(t))
        .catch((e) => document.body.append("[no]"));
fetch("/post", {{method: "POST", body: "x"}})
    .catch((e) => document.body.append("[no post]"));
</script>"""
        result = self.render(daemon, server.url + "x", html)
        self.assertEqual(server.count("/closed"), 0)
        self.assertEqual(server.count("/post"), 0)
        self.assertEqual(server.count("/open"), 1)
        self.assertEqual(other.log, [])
        self.assertEqual(result["html"].count("[no]"), 5)
        self.assertIn("[no post]", result["html"])
        self.assertNotIn("secret<", result["html"])
        reasons = {row["url"].removeprefix(server.url): row.get("reason")
                   for row in result["requests"]}
        self.assertIn("robots.txt", reasons["closed"])
        self.assertEqual(reasons["post"], "only GET is sent")

    def test_an_endless_page_is_given_up_and_others_go_on(self):
        daemon = self.daemon(timeout="10 s")
        begin = time.monotonic()
        answer = daemon.post("/v1/render", b"<script>for (;;);</script>",
                             url="http://a.test/", offline=1)
        error = self.error_of(answer, 422, "not_rendered")
        self.assertIn("longer than allowed", error["message"])
        self.assertLess(time.monotonic() - begin, 90)
        result = self.render(daemon, "http://a.test/", "<p>next", offline=1)
        self.assertIn("<p>next", result["html"])

    def test_killed_processes_are_replaced(self):
        daemon = self.daemon()
        page = "<script>document.write('<p>made')</script>"
        for kill in (lambda: daemon.processes_of("renderer"),
                     lambda: self.our_browsers(daemon)):
            self.render(daemon, "http://a.test/", page, offline=1)
            victims = kill()
            self.assertTrue(victims)
            for pid in victims:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            statuses = [daemon.post("/v1/render", page.encode(),
                                    url="http://a.test/", offline=1)
                        for _ in range(2)]
            # the page that finds the end of the browser may fail
            self.assertEqual(statuses[1].status, 200, statuses[1].text)
            self.assertIn("<p>made", statuses[1].json["html"])

    def test_an_idle_browser_is_stopped(self):
        daemon = self.daemon(idle_timeout="1 s")
        self.render(daemon, "http://a.test/", "<p>x", offline=1)
        self.assertTrue(daemon.processes_of("renderer"))
        harness.wait_until(lambda: not daemon.processes_of("renderer"),
                           "the end of the idle renderer")
        self.render(daemon, "http://a.test/", "<p>x", offline=1)

    def test_a_browser_is_replaced_after_its_pages(self):
        daemon = self.daemon(max_pages=1)
        self.render(daemon, "http://a.test/", "<p>x", offline=1)
        self.assertFalse(daemon.processes_of("renderer"))
        self.render(daemon, "http://a.test/", "<p>x", offline=1)


if __name__ == "__main__":
    harness.main()
