#!/usr/bin/env python3
"""Build twelve front ends of the npm registry, serve them on loopback, and compare their text before and after rendering.

usage: front_ends.py build FOLDER [APP]...
       front_ends.py measure FOLDER [--programs DIR] [--browser PROGRAM] [--replays N] [APP]...
       front_ends.py serve FOLDER APP

`build` copies the sources to FOLDER, installs their packages with npm, and builds them there. `measure` renders each app
with `templatectl render`: the browser has no network, so the command loads what the page has requested, adds it to an
archive, and renders again, until the archive has an answer for each request. The figures are those of the last archive.
"""
import argparse
import base64
import hashlib
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
CONTENT = json.loads((HERE / "content.json").read_text())
MAX_ROUNDS = 20
PAGE_SIZE = 12
PRODUCTS = 48


def products():
    """Names, texts and prices of the shop; the same in each run."""
    tools = ("spade", "rake", "hoe", "shears", "saw", "trowel", "fork", "can")
    makers = ("Aldric", "Bremer", "Corvina", "Dorset", "Elmwood", "Fagus")
    uses = ("cutting back old roses", "loosening heavy soil",
            "gathering leaves in autumn", "planting bulbs under grass",
            "weeding between narrow rows", "watering young trees")
    rows = []
    for i in range(PRODUCTS):
        tool, maker = tools[i % 8], makers[i // 8]
        rows.append({
            "id": i + 1, "name": f"{maker} {tool} no. {i + 1}",
            "price": f"{14 + 3 * i % 71}.{10 * i % 100:02}",
            "text": f"The {tool} of {maker} number {i + 1} is made for {uses[(i + i // 8) % 6]}, and weighs {400 + 17 * i} "
                    f"grams with its handle of ash wood."})
    return rows


ITEMS = products()
ARTICLE = [CONTENT["title"]] + [text for section in CONTENT["sections"]
                                for text in [section["heading"], *section["paragraphs"]]]
FIRST_PAGE = [text for item in ITEMS[:PAGE_SIZE] for text in (item["name"], item["text"])]
ALL_PAGES = [text for item in ITEMS for text in (item["name"], item["text"])]

# The package, the folder with the built files, the path, the text that a reader sees, options of `render`.
APPS = {
    "react": ("vite", "dist/react", "/", ARTICLE, []),
    "vue": ("vite", "dist/vue", "/", FIRST_PAGE, []),
    "svelte": ("vite", "dist/svelte", "/", ARTICLE, []),
    "angular": ("angular", "dist", "/", FIRST_PAGE, []),
    "next": ("next", "dist", "/", ARTICLE, []),
    "nuxt": ("nuxt", ".output/public", "/", FIRST_PAGE, []),
    "docusaurus": ("docusaurus", "build", "/", ARTICLE, []),
    "shop": ("vite", "dist/shop", "/", ALL_PAGES, ["--scroll"]),
    "hash": ("vite", "dist/hash", "/#/rivers/repaired", ARTICLE, []),
    "poll": ("vite", "dist/poll", "/", ARTICLE + [CONTENT["status"]], []),
    "worker": ("vite", "dist/worker", "/", ARTICLE + [CONTENT["notes"]], []),
    "socket": ("vite", "dist/socket", "/", ARTICLE + [CONTENT["quote"]], []),
}
VITE = [name for name, app in APPS.items() if app[0] == "vite"]
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
         ".json": "application/json", ".svg": "image/svg+xml", ".txt": "text/plain", ".webp": "image/webp",
         ".woff2": "font/woff2", ".ico": "image/x-icon", ".png": "image/png"}


def npm(folder, *words):
    subprocess.run(["npm", *words], cwd=folder, check=True, stdin=subprocess.DEVNULL, timeout=1800,
                   env=dict(os.environ, NEXT_TELEMETRY_DISABLED="1", NG_CLI_ANALYTICS="false", CI="1"))


def write_docs(folder):
    """The article as Markdown, because Docusaurus has no other source."""
    lines = ["---", "slug: /", "---", "", "# " + CONTENT["title"]]
    for section in CONTENT["sections"]:
        lines += ["", "## " + section["heading"]]
        lines += [line for text in section["paragraphs"] for line in ("", text)]
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/river.md").write_text("\n".join(lines) + "\n")


def build(folder, names):
    for package in dict.fromkeys(APPS[name][0] for name in names):
        target = folder / package
        shutil.copytree(HERE / package, target, dirs_exist_ok=True)
        if package == "docusaurus":
            write_docs(target)
        npm(target, "install", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error")
        if package != "vite":
            npm(target, "run", "build")
            continue
        for name in [name for name in names if name in VITE]:
            npm(target, "exec", "--", "vite", "build", name, "--config", "vite.config.js", "--outDir",
                str(target / "dist" / name))


def api(path):
    """What the server computes; None = there is no such path."""
    page = re.fullmatch(r"/api/products\.json\?page=(\d+)", path)
    if path == "/api/article.json":
        return {key: CONTENT[key] for key in ("title", "author", "published", "sections")}
    if path == "/api/status.json":
        return {"text": CONTENT["status"]}
    if page is None:
        return None
    end = PAGE_SIZE * int(page[1])
    return {"products": ITEMS[end - PAGE_SIZE:end], "next": int(page[1]) + 1 if end < PRODUCTS else None}


class Handler(http.server.BaseHTTPRequestHandler):
    def reply(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if kind in (TYPES[".js"], TYPES[".css"]):
            self.send_header("Cache-Control", "max-age=3600")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.count += 1
        time.sleep(self.server.delay)
        path = self.path.split("?")[0]
        answer = api(self.path)
        file = self.server.folder / path.lstrip("/")
        if path == "/socket" and "Sec-WebSocket-Key" in self.headers:
            self.send_quote()
        elif answer is not None:
            self.reply(200, TYPES[".json"], json.dumps(answer).encode())
        elif ".." in path:
            self.reply(400, TYPES[".txt"], b"bad path")
        else:
            file = next((f for f in (file, file / "index.html", file.with_suffix(".html")) if f.is_file()), None)
            if file is None:
                self.reply(404, TYPES[".txt"], b"not found")
            else:
                self.reply(200, TYPES.get(file.suffix, "application/octet-stream"), file.read_bytes())

    def send_quote(self):
        """One message over a WebSocket (RFC 6455)."""
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        text = CONTENT["quote"].encode()
        self.send_response(101)
        self.send_header("Upgrade", "websocket")
        self.send_header("Connection", "Upgrade")
        self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
        self.end_headers()
        self.wfile.write(bytes([0x81, len(text)]) + text)

    def log_message(self, *_):
        pass


def serve(folder, name):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.folder = folder / APPS[name][0] / APPS[name][1]
    server.count = 0
    server.delay = 0
    if not server.folder.is_dir():
        sys.exit(f"front_ends.py: {name} is not built: run `front_ends.py build {folder} {name}`")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def record(url):
    """A WARC record of the response to a URL."""
    try:
        response = urllib.request.urlopen(url, timeout=20)
    except urllib.error.HTTPError as error:
        response = error
    with response:
        head = f"HTTP/1.1 {response.status} \r\nContent-Type: {response.headers['Content-Type']}\r\n\r\n"
        block = head.encode() + response.read()
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\nWARC-Target-URI: {url}\r\n"
            "WARC-Date: 2024-06-01T12:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


class Meter(threading.Thread):
    """The CPU time of a process and its descendants, the most memory that they have at a time (PSS), and the interfaces
    and packets of network namespaces other than ours: {interface: packets}.
    """

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid = pid
        self.ended = threading.Event()
        self.ticks = {}
        self.kib = 0
        self.packets = {}
        self.start()

    def processes(self):
        rows = {}
        for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                text = path.read_text()
            except OSError:
                continue
            fields = text.rpartition(")")[2].split()
            rows[int(text.split()[0])] = int(fields[1]), int(fields[11]) + int(fields[12])
        found = [self.pid]
        for pid in found:
            found += [child for child, row in rows.items() if row[0] == pid]
        return {pid: rows[pid][1] for pid in found if pid in rows}

    def memory(self):
        total = 0
        for pid in self.ticks:
            try:
                text = pathlib.Path("/proc", str(pid), "smaps_rollup").read_text()
            except OSError:
                continue
            total += int(re.search(r"^Pss:\s+(\d+)", text, re.M)[1])
        return total

    def count_packets(self):
        for pid in self.ticks:
            folder = pathlib.Path("/proc", str(pid))
            try:
                if os.readlink(folder / "ns/net") == os.readlink("/proc/self/ns/net"):
                    continue
                lines = (folder / "net/dev").read_text().splitlines()[2:]
            except OSError:
                continue
            for line in lines:
                name, *values = line.replace(":", " ").split()
                self.packets[name] = max(self.packets.get(name, 0), int(values[1]) + int(values[9]))

    def run(self):
        count = 0
        while not self.ended.wait(0.05):
            self.ticks.update(self.processes())
            if count % 10 == 0:
                self.kib = max(self.kib, self.memory())
                self.count_packets()
            count += 1

    def end(self):
        self.ended.set()
        self.join()
        return sum(self.ticks.values()) / os.sysconf("SC_CLK_TCK"), self.kib / 1024


class Programs:
    def __init__(self, arguments):
        self.ctl = str(arguments.programs / "templatectl")
        self.browser = ["--browser", arguments.browser] if arguments.browser else []

    def run(self, *words, text=None):
        done = subprocess.run([self.ctl, *map(str, words)], input=text, capture_output=True, text=True, check=False,
                              timeout=600)
        if done.returncode not in (0, 4) and not done.stdout:
            sys.exit(f"front_ends.py: templatectl {words[0]}: {done.stderr}")
        return done.stdout

    def render(self, urls, archive, options):
        """The results, and seconds, CPU seconds and MiB."""
        begin = time.monotonic()
        with subprocess.Popen([self.ctl, "render", "--json", *self.browser, *options, "--archive", archive, *urls],
                              stdout=subprocess.PIPE, text=True) as process:
            meter = Meter(process.pid)
            lines = process.stdout.read().splitlines()
        seconds = time.monotonic() - begin
        return [json.loads(line) for line in lines], (seconds, *meter.end())

    def extract(self, html, url):
        return self.run("extract", "--url", url, "--scope", "page", "-", text=html)


def plain(text):
    return " ".join(text.split())


def share(known, text):
    """The share of the known pieces that a text contains."""
    text = plain(text)
    return sum(plain(piece) in text for piece in known) / len(known)


def archive_of(programs, server, url, options, path):
    """Render until the archive has an answer for each request. Return the number of rounds."""
    host = f"http://127.0.0.1:{server.server_port}/"
    urls = {url.split("#")[0]}
    path.write_bytes(record(url.split("#")[0]))
    for count in range(1, MAX_ROUNDS + 1):
        row = programs.render([url], path, options)[0][0]
        missing = {line["url"].split("#")[0] for line in row["requests"]
                   if line["fate"] == "refused" and line["method"] == "GET"}
        missing = sorted(one for one in missing - urls if one.startswith(host))
        if not missing:
            break
        urls.update(missing)
        with path.open("ab") as archive:
            for one in missing:
                archive.write(record(one))
    return count


def measure_app(programs, folder, name, replays):
    known, options = APPS[name][3:]
    server = serve(folder, name)
    url = f"http://127.0.0.1:{server.server_port}{APPS[name][2]}"
    with tempfile.TemporaryDirectory(prefix="templated-") as temporary:
        archive = pathlib.Path(temporary, "a.warc")
        rounds = archive_of(programs, server, url, options, archive)
        loaded = server.count
        raw = urllib.request.urlopen(url.split("#")[0], timeout=20).read().decode()
        rows, first = programs.render([url], archive, options)
        more, all_ = programs.render([url] * (replays + 1), archive, options)
    server.shutdown()
    server.server_close()
    row = rows[0]
    html = row.get("html", "")
    before, after = programs.extract(raw, url), programs.extract(html, url)
    return {
        "app": name, "end": row["end"], "rounds": rounds, "loaded": loaded,
        "words_before": len(before.split()), "words_after": len(after.split()),
        "dom_before": share(known, raw), "dom_after": share(known, html),
        "text_before": share(known, before), "text_after": share(known, after),
        "links_before": len(re.findall(r"<a\s[^>]*href", raw)), "links_after": len(re.findall(r"<a\s[^>]*href", html)),
        "requests": len(row["requests"]), "answered": sum(r["fate"] == "answered" for r in row["requests"]),
        "bytes": row["bytes"], "time_ms": row["time_ms"], "first_s": first[0], "first_cpu": first[1],
        "page_s": (all_[0] - first[0]) / replays, "page_cpu": (all_[1] - first[1]) / replays, "mib": all_[2],
        "doms": len({one.get("html") for one in rows + more}), "pages": len(rows + more),
        "refused": sorted({r["url"].split("/", 3)[-1] for r in row["requests"] if r["fate"] == "refused"}),
        "missing": [plain(piece)[:60] for piece in known if plain(piece) not in plain(after)],
    }


HEAD = ("app", "end", "words", "text", "DOM", "links", "requests", "KiB", "virtual s", "s/page", "CPU s/page", "MiB", "DOMs")


def table_row(row):
    return (row["app"], row["end"], f"{row['words_before']} → {row['words_after']}",
            f"{row['text_before']:.2f} → {row['text_after']:.2f}", f"{row['dom_before']:.2f} → {row['dom_after']:.2f}",
            f"{row['links_before']} → {row['links_after']}", f"{row['answered']} of {row['requests']}",
            f"{row['bytes'] / 1024:.0f}", f"{row['time_ms'] / 1000:.2f}", f"{row['page_s']:.2f}", f"{row['page_cpu']:.2f}",
            f"{row['mib']:.0f}", f"{row['doms']} of {row['pages']}")


def measure(arguments):
    programs = Programs(arguments)
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    for name in arguments.apps:
        row = measure_app(programs, arguments.folder, name, arguments.replays)
        print("| " + " | ".join(table_row(row)) + " |", flush=True)
        if arguments.json:
            print(json.dumps(row), file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("build", "measure", "serve"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("apps", nargs="*", metavar="APP", help=", ".join(APPS))
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/release/daemon")
    parser.add_argument("--browser", help="default: that of templatectl render")
    parser.add_argument("--replays", type=int, default=4, help="default: 4")
    parser.add_argument("--json", action="store_true", help="also all figures, as JSON, to standard error")
    arguments = parser.parse_args()
    arguments.folder = arguments.folder.resolve()
    arguments.apps = arguments.apps or list(APPS)
    for name in arguments.apps:
        if name not in APPS:
            parser.error(f"{name}: not one of {', '.join(APPS)}")
    if arguments.verb == "build":
        build(arguments.folder, arguments.apps)
    elif arguments.verb == "measure":
        measure(arguments)
    else:
        server = serve(arguments.folder, arguments.apps[0])
        print(f"http://127.0.0.1:{server.server_port}{APPS[arguments.apps[0]][2]}", flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
