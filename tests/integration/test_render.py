"""templatectl render: pages whose scripts run in a browser without a network.

The pages come from archives that the tests write. Hostile pages try to reach a
listener on this machine, files, and the browser itself; nothing may arrive, and
nothing may be left when the command has ended.
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

import harness

CTL = harness.PROGRAMS / "templatectl"
# BROWSER=PROGRAM selects another one.
BROWSER = next((path for path in (os.environ.get("BROWSER", ""),
                                  "/usr/bin/chromium-headless-shell",
                                  "/usr/bin/chromium")
                if os.access(path, os.X_OK)), None)
HOME = "https://shop.test/"
HTML = "text/html; charset=utf-8"
REPLAYS = 20
NOBODY = 65534

LIST = """<!doctype html><html lang=en><head><title>Shop</title>
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
const later = [30, 10, 20].map((ms) => new Promise((done) =>
    setTimeout(() => { put("i", ms + " " + Date.now()); done(); }, ms)));
put("p", [Math.random(), crypto.randomUUID(), performance.now(),
          new Date().toISOString(),
          crypto.getRandomValues(new Uint8Array(4))].join(" "));
requestAnimationFrame((t) => put("em", t));
for (const name of ["a", "b", "c"])
    fetch("/" + name + ".json").then((r) => r.json()).then((items) => {
        for (const item of items)
            put("li", item);
    });
Promise.all(later).then(() => fetch("/last.json")).then((r) => r.json())
    .then((items) => {
        const host = put("x-card", "");
        host.attachShadow({mode: "open"}).innerHTML = "<b>" + items[0] + "</b>";
    });
const image = new Image();
image.onerror = () => put("p", "image failed");
image.onload = () => put("p", "image loaded");
image.src = "/picture.png";
"""
SHOP = {
    "/": (HTML, LIST),
    "/app.js": ("text/javascript", APP),
    "/a.json": ("application/json", '["apple", "avocado"]'),
    "/b.json": ("application/json", '["banana"]'),
    "/c.json": ("application/json", '["cherry"]'),
    "/last.json": ("application/json", '["in the shadow"]'),
}


def record(url, body, kind=HTML, status="200 OK", headers=()):
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", *headers]
    block = ("\r\n".join(lines) + "\r\n\r\n" + body).encode()
    head = ("WARC/1.0\r\nWARC-Type: response\r\n"
            f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\n"
            f"WARC-Target-URI: {url}\r\nWARC-Date: 2024-02-29T12:00:00Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def shop(pages):
    return b"".join(record(HOME[:-1] + path, body, kind)
                    for path, (kind, body) in pages.items())


def browsers():
    """The processes of our browsers that are running: {pid: command line}.

    They descend from one whose profile is in the /tmp of its own root folder.
    """
    commands = {}
    parents = {}
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                command = (folder / "cmdline").read_bytes()
                status = (folder / "status").read_text()
            except OSError:
                continue
            pid = int(folder.name)
            commands[pid] = command.replace(b"\0", b" ").decode()
            parents[pid] = int(status.split("PPid:")[1].split()[0])

    def is_ours(pid):
        while pid in commands:
            if "--user-data-dir=/tmp/profile " in commands[pid]:
                return True
            pid = parents[pid]
        return False

    return {pid: command for pid, command in commands.items() if is_ours(pid)}


def folders():
    return {str(path) for top in ("/tmp", "/dev/shm", "/var/tmp")
            for path in pathlib.Path(top).iterdir()
            if "chrom" in path.name.lower() and
            path.stat().st_uid == (os.geteuid() or NOBODY)}


class Listener:
    """Counts the connections and packets that reach a port of this machine."""

    def __init__(self):
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.heard = 0
        for sock in (self.tcp, self.udp):
            sock.settimeout(0.1)

    def count(self):
        for take in (self.tcp.accept, lambda: self.udp.recvfrom(1)):
            try:
                while take():
                    self.heard += 1
            except TimeoutError:
                pass
        return self.heard

    def close(self):
        self.tcp.close()
        self.udp.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="templated-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, content, name="a.warc"):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes)
                         else content.encode())
        return path

    def ctl(self, *arguments, status=0, text=None):
        done = subprocess.run([CTL, *map(str, arguments)], text=True,
                              input=text, capture_output=True, check=False,
                              timeout=120)
        if status is not None:
            self.assertEqual(done.returncode, status, done.stderr)
        return done


class WithoutBrowser(Case):
    def test_a_missing_browser_is_named(self):
        page = self.write("<p>x", "x.html")
        done = self.ctl("render", page, "--browser", "/nonexistent", status=1)
        self.assertIn("install the package chromium", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_url_needs_an_archive_that_has_it(self):
        done = self.ctl("render", HOME, status=1)
        self.assertIn("--archive", done.stderr)
        archive = self.write(shop(SHOP))
        done = self.ctl("render", HOME + "other", "--archive", archive,
                        status=1)
        self.assertIn("no response to this URL", done.stderr)


@unittest.skipIf(BROWSER is None, "no browser: install the package chromium")
class Rendered(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # as the browser's own namespaces, and the one of its sandbox
        done = subprocess.run(
            ["unshare", "-Urpmnfiu", "--mount-proc", "unshare", "-Ur", "true"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            check=False)
        if done.returncode != 0:
            raise unittest.SkipTest(f"no namespaces: {done.stderr}")

    def setUp(self):
        super().setUp()
        before = folders()
        self.addCleanup(lambda: self.assertEqual(folders() - before, set()))
        self.addCleanup(harness.wait_until, lambda: not browsers(),
                        "the end of the browsers", 10)

    def render(self, *arguments, status=0):
        """The results of `templatectl render`, and its messages."""
        done = self.ctl("render", "--json", "--browser", BROWSER, *arguments,
                        status=status)
        self.assertEqual(browsers(), {})
        return [json.loads(line) for line in done.stdout.splitlines()]

    def render_page(self, html, *arguments, status=0):
        page = self.write(html, "page.html")
        return self.render(page, "--base", HOME, *arguments, status=status)[0]

    def test_scripts_build_the_page(self):
        archive = self.write(shop(SHOP))
        done = self.ctl("render", HOME, "--archive", archive, "--browser",
                        BROWSER)
        for part in ("<li>apple</li>", "<li>banana</li>", "<li>cherry</li>",
                     '<template shadowrootmode="open"><b>in the shadow</b>',
                     "2024-02-29T12:00:00", "<p>image loaded</p>",
                     '<html lang="en">'):
            self.assertIn(part, done.stdout)
        self.assertTrue(done.stdout.startswith("<!DOCTYPE html>\n"))
        text = self.ctl("extract", "--url", HOME, "--method", "plain", "-",
                        text=done.stdout).stdout
        self.assertIn("avocado", text)

    def test_the_same_archive_gives_the_same_dom(self):
        archive = self.write(shop(SHOP))
        half = [HOME] * (REPLAYS // 2)
        rows = self.render(*half, "--archive", archive)
        # a browser for each page
        for _ in range(REPLAYS - len(rows)):
            rows += self.render(HOME, "--archive", archive)
        self.assertEqual(len(rows), REPLAYS)
        self.assertEqual(len({row["html"] for row in rows}), 1)
        self.assertTrue(all(row["complete"] for row in rows))

    def test_requests_are_listed(self):
        rows = self.render(HOME, "--archive", self.write(shop(SHOP)))
        fates = {line["url"].removeprefix(HOME): line["fate"]
                 for line in rows[0]["requests"]}
        self.assertEqual(fates[""], "answered")
        self.assertEqual(fates["a.json"], "answered")
        self.assertEqual(fates["picture.png"], "blocked")

    def test_redirects_and_headers_of_the_archive_hold(self):
        body = """<script>
            const get = (url) => fetch(url).then((r) => r.text())
                .then((t) => document.body.append(t + ";"))
                .catch(() => document.body.append("failed " + url + ";"));
            onload = () => {
                get("https://open.test/");
                get("https://shut.test/");
            };
            </script><body>"""
        archive = self.write(
            record("https://old.test/", "", status="302 Found",
                   headers=["Location: https://shop.test/"]) +
            record(HOME, body) +
            record("https://open.test/", "open",
                   headers=["Access-Control-Allow-Origin: *"]) +
            record("https://shut.test/", "shut"))
        row = self.render("https://old.test/", "--archive", archive)[0]
        self.assertEqual(row["url"], HOME)
        self.assertIn("open;", row["html"].split("<body>")[-1])
        self.assertIn("failed https://shut.test/;", row["html"])

    def test_a_selector_ends_the_wait(self):
        page = """<body><script>setInterval(() => {
            const p = document.createElement("p");
            p.className = "n" + document.body.childElementCount;
            document.body.append(p); }, 100);</script>"""
        row = self.render_page(page, "--wait", ".n12")
        self.assertTrue(row["complete"])
        self.assertIn('class="n12"', row["html"])
        row = self.render_page(page, "--time", 2)
        self.assertFalse(row["complete"])
        self.assertIn("did not settle", row["end"])
        self.assertIn('class="n12"', row["html"])
        row = self.render_page(page, "--wait", ">>", status=1)
        self.assertIn("selector", row["end"])

    def test_dialogs_and_clobbered_properties_do_not_stop_a_page(self):
        row = self.render_page("""<body><script>alert(1); confirm(2); prompt(3);
            onbeforeunload = () => "stay";
            Document.prototype.querySelectorAll = Element.prototype.getHTML =
                () => { throw 1; };
            Object.defineProperty(Node.prototype, "cloneNode", {value: null});
            document.body.append("done \\0 \\ud800 end");</script>
            <img name=documentElement><img name=URL><img name=readyState>
            <form><input name=shadowRoot></form>""")
        self.assertTrue(row["complete"])
        self.assertIn("done \ufffd \ufffd end", row["html"])
        self.assertEqual(row["url"], HOME)

    def test_nothing_leaves_the_browser(self):
        listener = Listener()
        self.addCleanup(listener.close)
        host = f"127.0.0.1:{listener.port}"
        row = self.render_page(f"""<html><head>
            <link rel=dns-prefetch href=http://dns.test>
            <link rel=preconnect href=http://{host}>
            <link rel=prefetch href=http://{host}/prefetch>
            <link rel=stylesheet href=http://{host}/style>
            <script type=speculationrules>{{"prerender": [{{"source": "list",
                "urls": ["http://{host}/prerender"]}}]}}</script>
            </head><body><img src=http://{host}/image>
            <iframe src=file:///etc/passwd></iframe>
            <iframe src=chrome://version></iframe>
            <iframe src=view-source:file:///etc/passwd></iframe>
            <iframe src=http://{host}/frame></iframe>
            <object data=file:///etc/passwd></object>
            <a id=a download href=http://{host}/download>x</a>
            <script>
            const say = (text) => document.body.append(" [" + text + "]");
            const attempt = async (name, f) => {{
                try {{ say(name + " " + await f()); }}
                catch (error) {{ say(name + " failed"); }}
            }};
            const get = (url) => () => fetch(url).then((r) => r.text());
            attempt("http", get("http://{host}/"));
            attempt("file", get("file:///etc/passwd"));
            attempt("chrome", get("chrome://version/"));
            attempt("beacon", () => {{
                navigator.sendBeacon("http://{host}/beacon", "x"); throw 1; }});
            attempt("socket", () => new Promise((yes, no) => {{
                const s = new WebSocket("ws://{host}/");
                s.onopen = yes; s.onerror = no; }}));
            attempt("worker", () => navigator.serviceWorker.register("/sw.js"));
            attempt("rtc", () => new Promise((yes, no) => {{
                const c = new RTCPeerConnection({{iceServers: [
                    {{urls: "stun:{host}"}}]}});
                c.onicecandidate = (e) => e.candidate
                    ? yes(e.candidate.candidate) : no();
                c.createDataChannel("x");
                c.createOffer().then((o) => c.setLocalDescription(o)); }}));
            const w = new Worker(URL.createObjectURL(new Blob([
                'fetch("http://{host}/worker").then(() => postMessage("ok"),'
                + '() => postMessage("failed"))'])));
            w.onmessage = (e) => say("thread " + e.data);
            attempt("popup", () => open("http://{host}/popup").location.href);
            document.getElementById("a").click();
            </script></body></html>""")
        dom = row["html"]
        for name in ("http", "file", "chrome", "socket", "worker"):
            self.assertIn(f"[{name} failed]", dom)
        self.assertNotIn("[rtc candidate", dom)
        self.assertNotIn("root:", row["html"])
        self.assertFalse([line for line in row["requests"]
                          if line["fate"] == "answered" and
                          line["url"] != HOME])
        self.assertEqual(listener.count(), 0)

    def test_a_page_cannot_navigate_to_files(self):
        for url in ("file:///etc/passwd", "chrome://version", "chrome://crash",
                    "data:text/html,<p>root:</p>", "view-source:" + HOME):
            row = self.render_page(
                f"<p>start<script>location.href = {json.dumps(url)}</script>")
            self.assertIn("start", row["html"], url)
            self.assertEqual(row["url"], HOME)

    def give_up(self, html, reason, *arguments):
        begin = time.monotonic()
        row = self.render_page(html, *arguments, status=1)
        self.assertIn(reason, row["end"])
        self.assertNotIn("html", row)
        return time.monotonic() - begin

    def test_an_endless_loop_is_given_up(self):
        took = self.give_up("<script>for (;;);</script>", "longer than allowed",
                            "--timeout", 4)
        self.assertLess(took, 40)

    def test_ten_thousand_requests_are_given_up(self):
        self.give_up("""<script>for (let i = 0; i < 10000; i++)
            fetch("/" + i).catch(() => 0);</script>""", "too many requests")

    def test_memory_is_limited(self):
        row = self.render_page("""<p>start<script>
            const all = [];
            try { for (;;) all.push(new Uint8Array(1 << 26).fill(1)); }
            catch (error) { document.body.append("no more memory"); }
            </script>""", "--timeout", 60, "--memory", 512, status=None)
        self.assertTrue("no more memory" in row.get("html", "") or
                        "crashed" in row["end"] or "browser" in row["end"],
                        row)

    def test_a_large_dom_is_given_up(self):
        self.give_up("""<body><script>
            const p = document.createElement("p");
            p.hidden = true; p.textContent = "x".repeat(1 << 25);
            document.body.append(p);</script>""",
                     "DOM is too large")

    def test_other_pages_go_on_after_one_was_given_up(self):
        bad = self.write("<script>for (;;);</script>", "bad.html")
        good = self.write("<p>good", "good.html")
        rows = self.render(good, bad, good, "--timeout", 4, status=4)
        self.assertEqual([row.get("html", "").count("good") for row in rows],
                         [1, 0, 1])

    def start(self):
        """Start the rendering of an endless page; wait for its renderer."""
        page = self.write("<script>for (;;);</script>", "loop.html")
        process = subprocess.Popen([CTL, "render", page, "--timeout", "60",
                                    "--browser", BROWSER],
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        harness.wait_until(lambda: [c for c in browsers().values()
                                    if "--type=renderer" in c], "a renderer")
        return process

    def test_the_browser_has_no_network(self):
        ours = os.readlink("/proc/self/ns/net")
        self.start()
        found = browsers()
        self.assertGreater(len(found), 3)
        renderers = 0
        for pid, command in found.items():
            process = pathlib.Path("/proc", str(pid))
            try:
                lines = (process / "net/dev").read_text().splitlines()[2:]
                status = dict(line.split(":\t", 1) for line in
                              (process / "status").read_text().splitlines())
                if os.access(process / "ns/net", os.R_OK):
                    self.assertNotEqual(os.readlink(process / "ns/net"), ours)
                addresses = (process / "net/if_inet6").read_text()
            except (FileNotFoundError, PermissionError):
                continue
            self.assertEqual([line.split()[0] for line in lines], ["lo:"])
            self.assertEqual(set(lines[0].split()[1:]), {"0"})
            # an interface that is up has an address
            self.assertEqual(addresses, "")
            self.assertNotEqual(status["Uid"].split()[0], "0")
            self.assertEqual(int(status["CapEff"], 16) if
                             "--type=" not in command else 0, 0)
            self.assertEqual(status["NoNewPrivs"], "1")
            if "--type=renderer" in command:
                renderers += 1
                # one that begins enters it before it gets a page
                harness.wait_until(
                    lambda file=process / "status": not file.exists() or
                    "Seccomp:\t2" in file.read_text(), command, 10)
        self.assertGreater(renderers, 0)

    def test_the_browser_dies_with_its_parent(self):
        process = self.start()
        process.send_signal(signal.SIGKILL)
        process.wait()
        harness.wait_until(lambda: not browsers(), "the end of the browser")


if __name__ == "__main__":
    if not CTL.exists():
        print("skipped: templatectl is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
