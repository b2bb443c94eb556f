"""Pages that the daemon renders in a browser without a network.

The pages and what they load come from a server on loopback. The daemon fetches
for the browser, under the rules of the site.
"""

import base64
import concurrent.futures
import ctypes
import http.server
import os
import signal
import subprocess
import threading
import time
import unittest

import browser
import harness
import test_render
from test_render import BROWSER

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

REDESIGN = """
fetch("/data" + location.pathname + ".json").then((r) => r.json())
    .then((data) => {
        document.body.innerHTML = `<header style="background: navy"><nav><ul>
            ${data.links.map((url) => `<li><a href=${url}>${url}</a>`)
              .join("")}</ul></nav></header><main><article><h2>${data.title}
            </h2><section>${data.texts.map((text) => `<div><em>${text}`)
              .join("</em></div>")}</section></article></main>
            <footer><small>All new</small></footer>`;
    });
"""


def ancestors(pid):
    while pid > 1:
        try:
            with open(f"/proc/{pid}/stat", encoding="ascii",
                      errors="replace") as stat:
                pid = int(stat.read().rpartition(")")[2].split()[1])
        except OSError:
            return
        yield pid


def children(pid):
    return [other for other in map(int, filter(str.isdigit,
                                               os.listdir("/proc")))
            if next(ancestors(other), 0) == pid]


def is_command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as line:
            return line.read().split(b"\0")[0].endswith(b"templatectl")
    except OSError:
        return False


def browsers():
    """The browsers that no templatectl has started."""
    return {pid for pid in test_render.browsers()
            if not any(map(is_command, ancestors(pid)))}


def shell(title="Shop"):
    return HTML, SHELL.format(title=title)


def data(title, links=(), count=4):
    texts = [f"{title} {i}: {WORDS}" for i in range(count)]
    return "application/json", harness.json.dumps(
        {"title": title, "texts": texts, "links": list(links)})


class Server:
    """Serves {path: (type, body)}; `log` has the requested paths.

    `bodies` has those of POST requests, `asked` the paths of OPTIONS. `delays` has seconds before an answer;
    `most` of these waited at a time. They wait no longer than until there were `gather`, if that is set.
    """

    def __init__(self, pages):
        self.pages = pages
        self.log = []
        self.headers = []
        self.bodies = []
        self.asked = []
        self.delays = {}
        self.change = threading.Condition()
        self.running = self.most = self.gather = 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path in outer.delays:
                    self.wait()
                try:
                    self.answer()
                except OSError:  # the client has left
                    pass

            def wait(self):
                with outer.change:
                    outer.running += 1
                    outer.most = max(outer.most, outer.running)
                    outer.change.notify_all()
                    outer.change.wait_for(
                        lambda: 0 < outer.gather <= outer.most,
                        outer.delays[self.path])
                    outer.running -= 1

            def answer(self):
                outer.log.append(self.path)
                outer.headers.append((self.path, dict(self.headers)))
                kind, body, *more = outer.pages.get(
                    self.path, ("text/plain", "missing", 404))
                status, headers = (*more, 200, {})[:2] if len(more) != 1 \
                    else (more[0], {})
                tag = headers.get("ETag")
                if tag and self.headers.get("If-None-Match") == tag:
                    status, body = 304, ""
                body = body.encode()
                self.send_response(status)
                for header, value in headers.items():
                    self.send_header(header, value)
                if kind.startswith("/"):
                    self.send_header("Location", kind)
                else:
                    self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                size = int(self.headers["Content-Length"])
                outer.bodies.append(self.rfile.read(size))
                self.do_GET()

            def do_OPTIONS(self):
                outer.asked.append(self.path)
                self.send_response(204)
                if self.path.endswith("/open"):
                    self.send_header("Access-Control-Allow-Origin", "*")
                    self.send_header("Access-Control-Allow-Headers",
                                     "content-type")
                self.end_headers()

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


@browser.needed
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
        before = browsers()
        self.addCleanup(harness.wait_until,
                        lambda: not browsers() - before,
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
                if renderers.intersection(ancestors(pid))}


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
        self.assertEqual(reasons["post"],
                         "POST is sent only with JSON or GraphQL")

    def test_queries_are_sent_and_other_posts_are_not(self):
        other = self.serve({})
        server = self.serve({
            "/robots.txt": ("text/plain", "User-agent: *\nDisallow: /closed"),
            "/graphql": data("Harbour"), "/closed": data("Closed"),
            "/form": (HTML, "<p>sent"), "/beacon": ("text/plain", "sent")})
        daemon = self.daemon()
        daemon.watch(server.url, allow_private=True, max_pages=1)
        daemon.wait_for(server.host)
        away = other.url.replace("127.0.0.1", "localhost") + "graphql"
        html = f"""<form id=f method=post action=/form><input name=a></form>
<iframe name=i></iframe><script>
const query = (url, type) => fetch(url, {{method: "POST",
        headers: {{"Content-Type": type}}, body: '{{"query": "{{all}}"}}'}})
    .then((r) => r.json()).then((d) => document.body.append(d.texts[1]))
    .catch((e) => document.body.append("[no]"));
query("/graphql", "application/json");
query("/closed", "application/json");
query("{away}", "application/json");
query("/form", "application/x-www-form-urlencoded");
navigator.sendBeacon("/beacon", new Blob(["{{}}"],
                                         {{type: "application/json"}}));
document.getElementById("f").target = "i";
document.getElementById("f").submit();
</script>"""
        result = self.render(daemon, server.url + "x", html)
        self.assertIn(f"Harbour 1: {WORDS}", result["html"])
        self.assertEqual(result["html"].count("[no]"), 3 + html.count("[no]"))
        self.assertEqual(server.bodies, [b'{"query": "{all}"}'])
        self.assertEqual(other.log, [])
        for path in ("closed", "form", "beacon"):
            self.assertEqual(server.count("/" + path), 0)
        row = next(row for row in result["requests"]
                   if row["url"] == server.url + "graphql")
        self.assertEqual((row["method"], row["fate"]), ("POST", "answered"))
        self.assertEqual(server.count("/graphql"), 1)

    def test_another_host_of_the_site_must_agree_to_a_query(self):
        free = {"Access-Control-Allow-Origin": "*"}
        api = "http://api.a.test/"
        # the server is the proxy of all hosts
        server = self.serve({api + "open": (*data("Harbour"), 200, free),
                             api + "shut": (*data("Closed"), 200, free)})
        daemon = self.daemon({"crawl": {"proxy": server.url,
                                        "proxy_trusted": "yes"}})
        html = f"""<body><script>
for (const path of ["open", "shut"])
    fetch("{api}" + path, {{method: "POST", body: '{{"query": "a"}}',
            headers: {{"Content-Type": "application/json"}}}})
        .then((r) => r.json()).then((d) => document.body.append(d.texts[1]))
        .catch((e) => document.body.append("[no]"));
</script>"""
        result = self.render(daemon, "http://www.a.test/", html)
        self.assertIn(f"Harbour 1: {WORDS}", result["html"],
                      result["requests"])
        self.assertEqual(sorted(server.asked), [api + "open", api + "shut"])
        self.assertEqual(server.bodies, [b'{"query": "a"}'])
        self.assertEqual(result["html"].count("[no]"), 2)

    def test_pages_are_clicked_scrolled_and_waited_for(self):
        daemon = self.daemon()
        page = """<button id=more>more</button><div style=height:9000px></div>
<script>
document.getElementById("more").onclick = () => setTimeout(() => {
    document.body.append(Object.assign(document.createElement("p"),
        {id: "late", textContent: "Clicked"})); }, 2000);
addEventListener("scroll", () => { document.body.id = "scrolled"; });
</script>"""
        result = self.render(daemon, "http://a.test/", page, offline=1)
        self.assertNotIn("Clicked</p>", result["html"])
        self.assertNotIn('id="scrolled"', result["html"])
        result = self.render(daemon, "http://a.test/", page, offline=1,
                             click="#more", wait="#late", scroll=1)
        self.assertIn("Clicked</p>", result["html"])
        self.assertIn('id="scrolled"', result["html"])
        self.assertNotIn("screenshot", result)
        result = self.render(daemon, "http://a.test/", "<p>x", offline=1,
                             screenshot=1)
        picture = base64.b64decode(result["screenshot"], validate=True)
        self.assertEqual((picture[:4], picture[8:12]), (b"RIFF", b"WEBP"))
        self.assertNotIn("screenshot_error", result)
        for selector in ("", "#a[", "x" * 513, "a\nb"):
            answer = daemon.post("/v1/render", page.encode(), offline=1,
                                 url="http://a.test/", click=selector)
            self.assertIn("click: ",
                          self.error_of(answer, 400, "bad_request")["message"])
        answer = daemon.post("/v1/render", page.encode(), offline=1,
                             url="http://a.test/", click=":hoover")
        error = self.error_of(answer, 422, "not_rendered")
        self.assertIn("selector is invalid", error["message"])

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
        harness.wait_until(lambda: not daemon.processes_of("renderer"),
                           "the end of the browser")
        self.render(daemon, "http://a.test/", "<p>x", offline=1)


class Tabs(Rendered):
    """Several pages in one browser."""

    def together(self, daemon, pages):
        """The answers to POST /v1/render for [(url, html)], at once."""
        with concurrent.futures.ThreadPoolExecutor(len(pages)) as pool:
            return list(pool.map(
                lambda page: daemon.post("/v1/render", page[1].encode(),
                                         url=page[0]), pages))

    def site(self, pages, **render):
        server = self.serve(pages)
        daemon = self.daemon(**render)
        daemon.watch(server.url, allow_private=True, max_pages=1)
        daemon.wait_for(server.host)
        return server, daemon

    def test_pages_are_rendered_at_once_and_stay_equal(self):
        script = """let i = 0;
const timer = setInterval(() => {
    const row = document.createElement("p");
    row.textContent = [i, Math.random(), Date.now() - start].join(" ");
    document.body.append(row);
    if (++i === 20)
        clearInterval(timer);
}, 30);
const start = Date.now();"""
        server, daemon = self.site({"/t.js": ("text/javascript", script)},
                                   tabs=4)
        # pages that need the same file would share a request
        pages = [(f"{server.url}{i}", f"<script src=/t.js?{i}></script>")
                 for i in range(12)]
        for i in range(12):
            server.pages[f"/t.js?{i}"] = ("text/javascript", script)
            server.delays[f"/t.js?{i}"] = 1
        self.together(daemon, pages[8:])  # the browser starts
        # the first answers wait until all four tabs have asked
        server.delays = dict.fromkeys(server.delays, 6)
        server.most, server.gather = 0, 4
        answers = self.together(daemon, pages[:8])
        self.assertEqual(server.most, 4)
        doms = {answer.json["html"].replace(f"t.js?{i}", "")
                for i, answer in enumerate(answers)}
        self.assertEqual(len(doms), 1, doms)
        self.assertIn("<p>19 ", doms.pop())

    def test_a_page_that_hangs_leaves_the_others(self):
        server, daemon = self.site({}, tabs=3, timeout="6 s")
        slow = ("<script type=module>for (let i = 0; i < 5; i++)"
                "await fetch('/slow' + i); document.body.append('made')"
                "</script><p>x")
        for i in range(5):
            server.delays[f"/slow{i}"] = 0.8
        self.render(daemon, server.url, "<p>x")
        renderers = daemon.processes_of("renderer")
        answers = self.together(daemon, [
            (server.url + "a", "<script>for (;;);</script>"),
            (server.url + "b", slow), (server.url + "c", slow)])
        self.error_of(answers[0], 422, "not_rendered")
        for answer in answers[1:]:
            self.assertEqual(answer.status, 200, answer.text)
            self.assertIn("made", answer.json["html"])
            self.assertTrue(answer.json["complete"])
        # the browser has closed the tab, and is replaced when it is free
        self.assertNotIn("the renderer", daemon.messages())
        self.render(daemon, server.url, "<p>x")
        self.assertTrue(daemon.processes_of("renderer") - renderers)

    def test_requests_are_fetched_ahead_and_answered_in_their_order(self):
        names = [f"/m{i}.js" for i in range(12)]
        server, daemon = self.site({
            name: ("text/javascript",
                   f"document.body.append('{name} ')") for name in names})
        for i, name in enumerate(names):
            server.delays[name] = 0.6 if i % 2 else 0.3
        self.render(daemon, server.url, "<p>x")
        server.most = 0
        begin = time.monotonic()
        result = self.render(daemon, server.url, "<body>" + "".join(
            f"<script async src={name}></script>" for name in names))
        self.assertLess(time.monotonic() - begin, sum(server.delays.values()))
        self.assertIn(" ".join(names), result["html"])
        self.assertLessEqual(server.most, 6)
        self.assertGreater(server.most, 3)

    def test_a_slow_request_and_a_stream_do_not_end_the_page(self):
        server, daemon = self.site({"/never.js": ("text/javascript", "")},
                                   timeout="9 s")
        server.delays["/never.js"] = 8
        result = self.render(daemon, server.url, """<p>x
<script>new EventSource("/events")</script>
<script src=/never.js onerror="document.body.append('too slow')"></script>
""")
        self.assertTrue(result["complete"])
        self.assertIn("too slow", result["html"])
        reasons = {row["url"].removeprefix(server.url): row.get("reason")
                   for row in result["requests"]}
        self.assertEqual(reasons["events"], "streams of events are not loaded")
        self.assertTrue(reasons["never.js"])
        self.assertEqual(server.count("/events"), 0)

    def test_waiting_clients_leave_the_workers_to_others(self):
        server, daemon = self.site({}, tabs=1)
        server.delays["/slow"] = 0.3
        page = (server.url + "a", "<script>fetch('/slow')</script><p>x")
        self.render(daemon, *page)
        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            answers = [pool.submit(daemon.post, "/v1/render",
                                   page[1].encode(), url=page[0])
                       for _ in range(40)]
            time.sleep(0.5)
            begin = time.monotonic()
            daemon.json("/v1/sites")
            daemon.get("/v1/text", url=server.url + "none", fetch="never")
            self.assertLess(time.monotonic() - begin, 4)
            answers = [answer.result() for answer in answers]
        statuses = {answer.status for answer in answers}
        self.assertEqual(statuses, {200, 503})
        refused = next(a for a in answers if a.status == 503)
        self.assertEqual(refused.headers["Retry-After"], "5")

    def test_a_browser_that_fails_at_its_start_is_not_tried_again_soon(self):
        daemon = super().daemon(browser="/bin/false")
        for _ in range(3):
            answer = daemon.post("/v1/render", b"<p>", url="http://a.test/")
            error = self.error_of(answer, 422, "not_rendered")
            self.assertIn("the browser ended at its start", error["message"])
        self.assertEqual(
            daemon.messages().count("the browser does not start"), 1)
        self.assertFalse(daemon.processes_of("renderer"))

    def test_a_browser_that_uses_too_much_memory_is_killed(self):
        daemon = self.daemon(total_memory="700 MiB", timeout="60 s")
        html = """<script>const a = [];
setInterval(() => a.push(new Uint8Array(1 << 25).fill(1)), 1);
setInterval(() => document.title = a.length, 1);</script>"""
        slow = """<script>let i = 0; const timer = setInterval(() => {
if (++i === 100) { document.body.append("made"); clearInterval(timer); }
}, 50);</script><p>x"""
        answers = self.together(daemon, [("http://a.test/", html)] +
                                2 * [("http://a.test/", slow)])
        error = self.error_of(answers[0], 422, "not_rendered")
        self.assertIn("too much memory", error["message"])
        # the others were rendered again
        for answer in answers[1:]:
            self.assertIn("made", answer.json["html"])

    def test_a_killed_renderer_leaves_no_zombies(self):
        """This process is what the first one of a container is."""
        prctl = ctypes.CDLL(None).prctl
        prctl(test_render.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.addCleanup(prctl, test_render.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
        daemon = self.daemon(timeout="5 s")
        launcher, = daemon.processes_of("launcher")
        for _ in range(2):
            self.render(daemon, "http://a.test/", "<p>x", offline=1)
            for pid in daemon.processes_of("renderer"):
                os.kill(pid, signal.SIGKILL)
        answer = daemon.post("/v1/render", b"<script>for (;;);</script>",
                             url="http://a.test/", offline=1)
        self.error_of(answer, 422, "not_rendered")
        harness.wait_until(lambda: not children(launcher),
                           "the end of the browsers")
        self.assertEqual(set(children(os.getpid())), {daemon.process.pid})


if __name__ == "__main__":
    harness.main()
