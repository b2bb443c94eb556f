"""templatectl render: pages whose scripts run in a browser without a network.

The pages come from archives that the tests write. Hostile pages try to reach a
listener on this machine, files, and the browser itself; nothing may arrive, and
nothing may be left when the command has ended.
"""

import ctypes
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

import browser
import harness

CTL = harness.PROGRAMS / "templatectl"
BROWSER = browser.PROGRAM
HOME = "https://shop.test/"
HTML = "text/html; charset=utf-8"
REPLAYS = 20
BROWSERS = 3  # that replay
NOBODY = 65534
PR_SET_CHILD_SUBREAPER = 36

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


# A page that tries to reach a host by every way, in vain.
REACH = """<html><head>
<link rel=dns-prefetch href=http://dns.test>
<link rel=preconnect href=http://HOST>
<link rel=prefetch href=http://HOST/prefetch>
<link rel=stylesheet href=http://HOST/style>
<script type=speculationrules>{"prerender": [{"source": "list",
    "urls": ["http://HOST/prerender"]}]}</script>
</head><body><img src=http://HOST/image>
<iframe src=file:///etc/passwd></iframe>
<iframe src=chrome://version></iframe>
<iframe src=view-source:file:///etc/passwd></iframe>
<iframe src=http://HOST/frame></iframe>
<object data=file:///etc/passwd></object>
<a id=a download href=http://HOST/download>x</a>
<script>
const say = (text) => document.body.append(" [" + text + "]");
const attempt = async (name, f) => {
    try { say(name + " " + await f()); }
    catch (error) { say(name + " failed"); }
};
const get = (url) => () => fetch(url).then((r) => r.text());
attempt("http", get("http://HOST/"));
attempt("file", get("file:///etc/passwd"));
attempt("chrome", get("chrome://version/"));
attempt("beacon", () => {
    navigator.sendBeacon("http://HOST/beacon", "x"); throw 1; });
attempt("socket", () => new Promise((yes, no) => {
    const s = new WebSocket("ws://HOST/");
    s.onopen = yes; s.onerror = no; }));
attempt("worker", () => navigator.serviceWorker.register("/sw.js"));
attempt("rtc", () => new Promise((yes, no) => {
    const c = new RTCPeerConnection({iceServers: [
        {urls: "stun:HOST"}]});
    c.onicecandidate = (e) => e.candidate
        ? yes(e.candidate.candidate) : no();
    c.createDataChannel("x");
    c.createOffer().then((o) => c.setLocalDescription(o)); }));
const w = new Worker(URL.createObjectURL(new Blob([
    'fetch("http://HOST/worker").then(() => postMessage("ok"),'
    + '() => postMessage("failed"))'])));
w.onmessage = (e) => say("thread " + e.data);
attempt("popup", () => open("http://HOST/popup").location.href);
document.getElementById("a").click();
</script></body></html>"""
FILES = ("file:///etc/passwd", "chrome://version", "chrome://crash",
         "data:text/html,<p>root:</p>", "view-source:" + HOME)
GROWING = """<body><script>setInterval(() => {
    const p = document.createElement("p");
    p.className = "n" + document.body.childElementCount;
    document.body.append(p); }, 100);</script>"""
LAYERS = """<main><p>The text</main>
<div role=dialog id=layer1>We use cookies. <button>Accept</button></div>
<div class=cookie-bar style=position:fixed id=layer2>Privacy <a href=x>ok</a>
</div><div id=host></div>
<div role=dialog id=dialog>Choose a fruit <button>apple</button></div>
<p id=about-cookies>Cookies are tasty. <a href=x>Bake</a>
<script>document.getElementById("host").attachShadow({mode: "open"}).innerHTML =
    "<div role=dialog id=layer3>Your privacy <button>ok</button></div>";
</script>"""
# A list that grows at its end, and a button.
LIST_PAGE = """<body><button id=more>more</button><ul id=list></ul><p id=end>
<script>
let count = 0;
const add = () => {
    for (let i = 0; i < 10 && count < 40; i++, count++) {
        const item = document.createElement("li");
        item.style.height = "300px";
        item.id = "item" + count;
        document.getElementById("list").append(item);
    }
};
new IntersectionObserver((entries) => {
    if (entries[0].isIntersecting)
        setTimeout(add, 50);
}, {rootMargin: "0px 0px 10%"}).observe(document.getElementById("end"));
addEventListener("scroll", () => { document.body.className = "scrolled"; });
document.getElementById("more").onclick = () => setTimeout(() =>
    document.body.append("clicked"), 200);
</script>"""
# Pages that one browser renders, one after another: {name: HTML}.
PAGES = {
    "dialogs": """<body><script>alert(1); confirm(2); prompt(3);
        onbeforeunload = () => "stay";
        Document.prototype.querySelectorAll = Element.prototype.getHTML =
            () => { throw 1; };
        Object.defineProperty(Node.prototype, "cloneNode", {value: null});
        document.body.append("done \\0 \\ud800 end");</script>
        <img name=documentElement><img name=URL><img name=readyState>
        <form><input name=shadowRoot></form>""",
    "synchronous": """<body><script>
        const get = (url) => {
            const request = new XMLHttpRequest();
            request.open("GET", url, false);
            try { request.send(); }
            catch (error) { document.body.append("[" + url + "]"); }
        };
        fetch("/0").catch(() => document.body.append("[/0]"));
        get("/1");
        setTimeout(() => get("/2"), 30);
        onload = () => get("/3");</script>""",
    "layers": LAYERS,
    "popups": """<body><script>
        const all = [];
        for (let i = 0; i < 100; i++)
            all.push(open("about:blank"));
        document.body.append(all.filter((one) => one).length + " opened");
        print();</script>""",
    "fragment": """<body><script>document.body.append(location.hash)
        </script>""",
    **{f"file{i}": f"<p>start<script>location.href = {json.dumps(url)}</script>"
       for i, url in enumerate(FILES)},
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

    They descend from one whose profile is in the /tmp of its own root folder,
    and from this process, to which the kernel also gives orphans.
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
        is_browser = False
        while pid in commands and pid != os.getpid():
            is_browser |= "--user-data-dir=/tmp/profile " in commands[pid]
            pid = parents[pid]
        return is_browser and pid == os.getpid()

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


@browser.needed
class Rendered(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
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

    def render_pages(self, pages, *arguments, status=0, base=HOME):
        """The results of pages that are rendered by one command, by name."""
        paths = [self.write(html, name + ".html")
                 for name, html in pages.items()]
        return dict(zip(pages, self.render(*paths, "--base", base, *arguments,
                                           status=status), strict=True))

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
        rows = []
        for count in (REPLAYS - BROWSERS + 1, *[1] * (BROWSERS - 1)):
            rows += self.render(*[HOME] * count, "--archive", archive)
        self.assertEqual(len(rows), REPLAYS)
        self.assertEqual(len({row["html"] for row in rows}), 1)
        self.assertTrue(all(row["complete"] for row in rows))

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
        row = self.render_page(GROWING, "--wait", ".n12")
        self.assertTrue(row["complete"])
        self.assertIn('class="n12"', row["html"])
        rows = self.render_pages({"grow": GROWING, "end": "<p>end"},
                                 "--time", 2)
        self.assertFalse(rows["grow"]["complete"])
        self.assertIn("did not settle", rows["grow"]["end"])
        self.assertIn('class="n12"', rows["grow"]["html"])
        self.assertTrue(rows["end"]["complete"])
        row = self.render_page(GROWING, "--wait", ">>", status=1)
        self.assertIn("selector", row["end"])

    def test_pages_of_one_browser(self):
        rows = self.render_pages(PAGES, base=HOME + "#/part")
        for name, row in rows.items():
            self.assertTrue(row["complete"], name)
        self.assertIn("done \ufffd \ufffd end", rows["dialogs"]["html"])
        self.assertEqual(rows["dialogs"]["url"], HOME + "#/part")
        # a script that waits for its answer is not delayed until the timeout
        self.assertIn("[/1][/2]", rows["synchronous"]["html"]
                      .split("</script>")[-1].replace("[/3]", "")
                      .replace("[/0]", ""))
        self.assertIn("[/3]", rows["synchronous"]["html"])
        self.assertNotIn("layer", rows["layers"]["html"].split("<script>")[0])
        for text in ("The text", "Choose a fruit", "Cookies are tasty"):
            self.assertIn(text, rows["layers"]["html"])
        self.assertNotIn("Your privacy <button>ok</button></div></template>",
                         rows["layers"]["html"])
        self.assertIn("0 opened", rows["popups"]["html"])
        self.assertIn("</script>#/part", rows["fragment"]["html"]
                      .replace("\n", "").replace(" ", ""))
        for i, url in enumerate(FILES):
            row = rows[f"file{i}"]
            self.assertIn("start", row["html"], url)
            self.assertEqual(row["url"], HOME + "#/part", url)

    def test_lists_are_scrolled_and_buttons_clicked(self):
        rows = self.render_pages({"list": LIST_PAGE, "layers": LAYERS},
                                 "--scroll", "--consent")
        self.assertIn('id="item39"', rows["list"]["html"])
        self.assertIn('class="scrolled"', rows["list"]["html"])
        self.assertNotIn("clicked", rows["list"]["html"]
                         .split("</script>")[-1])
        for name in ("layer1", "layer2", "layer3"):
            self.assertIn(f'id="{name}"', rows["layers"]["html"])
        rows = self.render_pages({"list": LIST_PAGE, "none": "<p>x"},
                                 "--click", "#more", "--time", 2)
        self.assertTrue(rows["list"]["complete"])
        self.assertIn("clicked", rows["list"]["html"].split("</script>")[-1])
        self.assertIn('id="item9"', rows["list"]["html"])
        self.assertNotIn('id="item39"', rows["list"]["html"])
        self.assertFalse(rows["none"]["complete"])

    def test_screenshots_are_limited(self):
        path = self.folder / "page.webp"
        self.render_page("<h1>Harbour", "--screenshot", path)
        picture = path.read_bytes()
        self.assertEqual((picture[:4], picture[8:12]), (b"RIFF", b"WEBP"))
        # 1280 by 1600, as the head of the file states
        self.assertEqual(picture[24:30], b"\xff\x04\0\x3f\x06\0")
        path.unlink()
        page = self.write("""<canvas id=a width=1280 height=1600></canvas>
<script>const pen = a.getContext("2d");
const all = pen.createImageData(1280, 1600);
for (let i = 0; i < all.data.length; i++)
    all.data[i] = i % 4 === 3 ? 255 : Math.random() * 256;
pen.putImageData(all, 0, 0);</script>""", "noise.html")
        done = self.ctl("render", page, "--base", HOME, "--browser", BROWSER,
                        "--screenshot", path, status=1)
        self.assertIn("no screenshot: it is larger than allowed", done.stderr)
        self.assertIn("</canvas>", done.stdout)
        self.assertFalse(path.exists())

    def test_nothing_leaves_the_browser(self):
        listener = Listener()
        self.addCleanup(listener.close)
        row = self.render_page(REACH.replace("HOST",
                                             f"127.0.0.1:{listener.port}"))
        dom = row["html"]
        for name in ("http", "file", "chrome", "socket", "worker"):
            self.assertIn(f"[{name} failed]", dom)
        self.assertNotIn("[rtc candidate", dom)
        self.assertNotIn("root:", row["html"])
        self.assertFalse([line for line in row["requests"]
                          if line["fate"] == "answered" and
                          line["url"] != HOME])
        self.assertEqual(listener.count(), 0)

    def test_pages_are_given_up_and_others_go_on(self):
        good = "<p>good"
        rows = self.render_pages({
            "good1": good,
            "requests": """<script>for (let i = 0; i < 10000; i++)
                fetch("/" + i).catch(() => 0);</script>""",
            "good2": good,
            # 32 MiB
            "large": """<body><script>
                const p = document.createElement("p");
                p.hidden = true; p.textContent = "x".repeat(1 << 25);
                document.body.append(p);</script>""",
            "good3": good,
            # 4 GiB
            "memory": """<p>start<script>
                const all = [];
                try {
                    for (let i = 0; i < 64; i++)
                        all.push(new Uint8Array(1 << 26).fill(1));
                    document.body.append("all of it");
                }
                catch (error) { document.body.append("no more memory"); }
                </script>""",
            "good4": good,
        }, "--timeout", 60, "--memory", 512, status=4)
        for i in range(1, 5):
            self.assertIn("good", rows[f"good{i}"]["html"])
        for name, reason in (("requests", "too many requests"),
                             ("large", "DOM is too large")):
            self.assertIn(reason, rows[name]["end"])
            self.assertNotIn("html", rows[name])
        memory = rows["memory"]
        self.assertNotIn("all of it", memory.get("html", "")
                         .split("</script>")[-1])
        self.assertTrue("no more memory" in memory.get("html", "") or
                        "crashed" in memory["end"] or
                        "browser" in memory["end"], memory)

    def test_endless_loops_are_given_up(self):
        begin = time.monotonic()
        rows = self.render_pages({
            "loop": "<script>for (;;);</script>", "good": "<p>good",
            "alerts": "<script>for (;;) alert(1);</script>",
        }, "--timeout", 5, status=4)
        self.assertIn("good", rows["good"]["html"])
        for name in ("loop", "alerts"):
            self.assertIn("longer than allowed", rows[name]["end"])
            self.assertNotIn("html", rows[name])
        self.assertLess(time.monotonic() - begin, 60)

    def start(self):
        """Render a page that tries to reach us again and again, and wait for
        its renderer."""
        listener = Listener()
        self.addCleanup(listener.close)
        # the last line of REACH leaves the page, and ends the parser
        html = REACH.replace("<head>", """<head><script>
            let i = 0;
            setInterval(() => {
                new WebSocket("ws://HOST/");
                document.title = i++;
                if (i % 20 === 0)
                    fetch("http://HOST/", {mode: "no-cors"}).catch(() => 0);
            }, 100);</script>""")
        page = self.write(html.replace("HOST", f"127.0.0.1:{listener.port}"),
                          "loop.html")
        process = subprocess.Popen([CTL, "render", page, "--timeout", "60",
                                    "--time", "600", "--browser", BROWSER],
                                   stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        harness.wait_until(lambda: [c for c in browsers().values()
                                    if "--type=renderer" in c], "a renderer")
        return process, listener

    def test_the_browser_has_no_network_and_dies_with_its_parent(self):
        ours = os.readlink("/proc/self/ns/net")
        parent, listener = self.start()
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
        # while the page tried it
        time.sleep(1)
        counted = 0
        for pid in browsers():
            try:
                lines = pathlib.Path("/proc", str(pid), "net/dev").read_text()
            except OSError:
                continue
            counted += 1
            self.assertEqual(set(lines.split("lo:")[1].split()), {"0"})
        self.assertGreater(counted, 0)
        self.assertEqual(listener.count(), 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        harness.wait_until(lambda: not browsers(), "the end of the browser")


if __name__ == "__main__":
    if not CTL.exists():
        print("skipped: templatectl is not built")
        sys.exit(77)
    unittest.main(verbosity=2)
