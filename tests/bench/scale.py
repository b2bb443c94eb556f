"""scale.py [options] [PAGES=10000]: what grows with pages and with sites.

Generated pages (generated.py) are handed in, first as one site, then as sites
of 100 pages, of which 100 arrive at the same time; each with a new daemon.
Printed are, for each tenth: pages a second of the time in which the client
waits; CPU ms of the daemon a page, and thereof what its other processes and the
busiest threads of the main process took; and the memory of each kind of process
without mapped files. Background threads take up to a tenth of a core each, so
they take more CPU a page the slower pages arrive. Then what one request of each kind takes: a start, lists,
a text, verify, backup, gc, the choice of a threshold, and a round of the
watcher over a server on loopback, which waits for its interval too. CPU is that
of all processes of the daemon.
With --save the figures are written as JSON, for docs/images/growth.py.

A round of 10,000 sites takes 1,000,000 pages: `scale.py --sites 1000000`.
"""

import argparse
import contextlib
import http.server
import itertools
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import socket
import sys
import tempfile
import time

import generated
import pipeline

harness = pipeline.harness
PART = 500        # pages in one archive
PER_SITE = 100    # pages of a site, if there are many
AT_ONCE = 100     # sites that grow at the same time
PORT = 8000       # of the server, in a network namespace of its own
LOOKS = 10
TEXTS = 50
CALM_S = 60       # that background work may take before the requests
GC_S = 10
ROUND_S = 60      # shortest interval of the watcher
BUSIEST = 5       # threads of the main process that are printed
ROLES = ("main", "worker", "fetcher", "notifier", "spawner")


class Pages:
    """The pages of the run in their order: (site, page)."""

    def __init__(self, seed, count, per_site):
        self.count, self.per_site = count, min(per_site, count)
        self.site_count = -(-count // self.per_site)
        self.seed = seed
        self.made = {}

    def site(self, number):
        if number not in self.made:
            if len(self.made) > 2 * AT_ONCE:
                self.made.clear()
            self.made[number] = generated.Site(self.seed, number, self.per_site)
        return self.made[number]

    def host(self, number):
        return "127.%d.%d.%d:%d" % (1 + (number >> 16), number >> 8 & 255,
                                    number & 255, PORT)

    def url(self, number, page):
        return f"http://{self.host(number)}{self.site(number).path(page)}"

    def __iter__(self):
        for first in range(0, self.site_count, AT_ONCE):
            last = min(first + AT_ONCE, self.site_count)
            for page in range(self.per_site):
                for number in range(first, last):
                    yield number, page

    def record(self, number, page):
        block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                 + self.site(number).body(page))
        return (f"WARC/1.0\r\nWARC-Type: response\r\n"
                f"WARC-Target-URI: {self.url(number, page)}\r\n"
                f"WARC-Record-ID: <urn:x:{number}-{page}>\r\n"
                "WARC-Date: 2020-01-02T03:04:05Z\r\n"
                "Content-Type: application/http; msgtype=response\r\n"
                f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
            + b"\r\n\r\n"


def cpu(daemon):
    """CPU seconds of the daemon, with those of its processes that ended."""
    ticks = 0
    for process in pipeline.below(daemon.process.pid):
        with contextlib.suppress(OSError):
            stat = pathlib.Path(f"/proc/{process}/stat").read_text()
            ticks += sum(map(int, stat.rsplit(")", 1)[1].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def threads(daemon):
    """{thread of the main process: CPU ms}; all other processes are None."""
    main = daemon.process.pid
    times = {}
    for stat in pathlib.Path(f"/proc/{main}/task").glob("*/stat"):
        with contextlib.suppress(OSError):
            ticks = stat.read_text().rsplit(")", 1)[1].split()[11:13]
            times[stat.parent.name] = 10 * sum(map(int, ticks))
    times[None] = 1e3 * cpu(daemon) - sum(times.values())
    return times


def busiest(before, after, pages):
    """CPU ms a page of the other processes, and of the threads that did most."""
    spent = {name: (after[name] - before.get(name, 0)) / pages
             for name in after}
    others = spent.pop(None)
    return [others, *sorted(spent.values(), reverse=True)[:BUSIEST]]


def resident(daemon):
    """{role: MiB without mapped files} of all processes of the role."""
    sums = dict.fromkeys(ROLES, 0)
    for pid in pipeline.below(daemon.process.pid):
        folder = pathlib.Path(f"/proc/{pid}")
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            role = words[2].decode() if words[1:2] == [b"--role"] else "main"
            for line in (folder / "status").read_text().splitlines():
                if line.startswith("RssAnon:"):
                    sums[role] = (sums.get(role, 0)
                                  + int(line.split()[1]) / 1024)
    return sums


def disk_mib(daemon):
    return sum(path.stat().st_blocks * 512
               for path in pathlib.Path(daemon.store).rglob("*")
               if path.is_file()) / 2**20


def fill(daemon, pages):
    """Hand in all pages. Return a row for each tenth."""
    rows = []
    order = iter(pages)
    waited = used = 0
    before, running = cpu(daemon), threads(daemon)
    for last in range(PART, pages.count + PART, PART):
        last = min(last, pages.count)
        part = list(itertools.islice(order, PART))
        body = b"".join(pages.record(*page) for page in part)
        begin = time.monotonic()
        answer = daemon.request("POST", "/v1/ingest?new_sites=1000", body, 600)
        waited += time.monotonic() - begin
        used += len(part)
        if answer.status != 200 or answer.json["pages"] != len(part):
            raise AssertionError(answer.text)
        if last * LOOKS // pages.count > len(rows):
            spent = cpu(daemon) - before
            rows.append({"pages": last, "rate": used / waited,
                         "cpu_ms": 1e3 * spent / used, "disk": disk_mib(daemon),
                         "busy": busiest(running, threads(daemon), used),
                         **resident(daemon)})
            print_fill(rows[-1])
            waited = used = 0
            before, running = before + spent, threads(daemon)
    return rows


def print_fill(row):
    print(f"| {row['pages']} | {row['rate']:.0f} | {row['cpu_ms']:.2f} | "
          + " ".join(f"{ms:.2f}" for ms in row.get("busy", [])) + " | "
          + " | ".join(f"{row[role]:.0f}" for role in ROLES)
          + f" | {row['disk']:.0f} |", flush=True)


def timed(daemon, what, times=1):
    """(wall ms, CPU ms) of one call, from the mean of `times`."""
    before, begin = cpu(daemon), time.monotonic()
    for _ in range(times):
        what()
    return [1e3 * (time.monotonic() - begin) / times,
            1e3 * (cpu(daemon) - before) / times]


def drain(daemon, path):
    """GET without keeping the answer; its size."""
    connection = harness.UnixConnection(daemon.socket, 3600)
    connection.request("GET", path)
    answer = connection.getresponse()
    size = 0
    while block := answer.read(1 << 20):
        size += len(block)
    connection.close()
    if answer.status != 200:
        raise AssertionError(f"{path}: {answer.status}")
    return size


def wait_for_calm(daemon, patience_s=CALM_S):
    """Wait until the daemon has used almost no CPU for 3 s."""
    daemon.wait_for_calm()
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        before = cpu(daemon)
        time.sleep(3)
        if cpu(daemon) - before < 0.1:
            return


def collect(daemon):
    """A collection that deletes nothing: CPU beyond that of an equal time."""
    def spent():
        before = cpu(daemon)
        time.sleep(GC_S)
        return cpu(daemon) - before

    rest = spent()
    daemon.configure({"retention": {"bodies_age": "3650 d",
                                    "versions_age": "3650 d"}})
    harness.give(daemon.folder)
    os.kill(daemon.process.pid, signal.SIGHUP)
    return [0, 1e3 * (spent() - rest)]


def restart(daemon):
    daemon.stop()
    begin = time.monotonic()
    daemon.start()
    return [1e3 * (time.monotonic() - begin), 1e3 * cpu(daemon)]


def requests(daemon, pages):
    """{what: (wall ms, CPU ms)} of one request of each kind."""
    source = random.Random(pages.seed)
    number = pages.site_count // 2
    host = pages.host(number)
    urls = iter([pages.url(at, source.randrange(pages.per_site)) for at in
                 source.choices(range(pages.site_count), k=TEXTS)])
    new = itertools.count()
    rows = {"start": restart(daemon)}
    wait_for_calm(daemon, 20)

    def get(name, path, times=10):
        rows[name] = timed(daemon, lambda: drain(daemon, path), times)

    get("sites, 100", "/v1/sites?limit=100")
    get("sites, all", "/v1/sites", 1)
    get("site", f"/v1/sites/{host}")
    get("templates", f"/v1/sites/{host}/templates")
    get("pages of a template", f"/v1/sites/{host}/templates/1/pages?limit=50")
    rows["text"] = timed(daemon, lambda: daemon.text(next(urls)), TEXTS)
    get("status", "/v1/status")
    get("metrics", "/metrics")
    get("events, newest", "/v1/events?newest=1&limit=50")
    rows["add a site"] = timed(daemon, lambda: daemon.watch(
        f"http://n{next(new)}.invalid/"), 10)
    rows["one page more"] = timed(daemon, lambda: daemon.request(
        "POST", "/v1/ingest", pages.record(number, 0), 600), 5)
    get("threshold", f"/v1/sites/{host}/thresholds", 1)
    get("verify", "/v1/verify", 1)
    get("backup", "/v1/backup", 1)
    rows["gc"] = collect(daemon)
    return rows


class Server(http.server.ThreadingHTTPServer):
    """Serve the pages. `seen` is a file with a line for each request."""

    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, pages, seen):
        self.pages, self.seen = pages, open(seen, "a", encoding="utf-8",
                                            buffering=1)
        super().__init__(("0.0.0.0", PORT), Handler)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        pages = self.server.pages
        number = socket.inet_aton(self.headers["Host"].split(":")[0])
        number = int.from_bytes(number, "big") - (127 << 24) - (1 << 16)
        page = self.path.rpartition("/")[2]
        status, body = 404, b""
        if self.path == "/":
            page = "0"
        if page.isdigit() and int(page) < pages.per_site:
            status, body = 200, pages.site(number).body(int(page))
        self.server.seen.write(f"{number} {self.path}\n")
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(pages, seen):
    Server(pages, seen).serve_forever()


def sampled(seen):
    """{site: requests for other pages than its first one}."""
    counts = {}
    for line in seen.read_text().splitlines():
        site, _, path = line.partition(" ")
        counts[site] = counts.get(site, 0) + (path.count("/") > 1)
    return counts


def watch_round(daemon, pages):
    """Watch every site, which fetches all pages; then a round.

    {what: (wall ms, CPU ms)}
    """
    rows = {}
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-scale-"))
    seen = folder / "seen"
    seen.touch()
    server = multiprocessing.Process(target=serve, args=(pages, seen))
    server.start()
    interval_s = max(ROUND_S, pages.site_count // 20)

    def watch_all(interval_s):
        for number in range(pages.site_count):
            daemon.watch(f"http://{pages.host(number)}/",
                         check_interval_s=interval_s, revisit_interval_s=0,
                         max_pages=2 * pages.per_site)

    def wait_for_requests(least, patience_s):
        harness.wait_until(
            lambda: sum(count >= least for count in sampled(seen).values())
            == pages.site_count, "requests to every site", patience_s)

    try:
        rows["watch all sites"] = timed(daemon, lambda: (
            watch_all(10**6), wait_for_requests(0, 3600),
            wait_for_calm(daemon, 3600)))
        time.sleep(interval_s)
        seen.write_text("")
        rows["round"] = timed(daemon, lambda: (
            watch_all(interval_s), wait_for_requests(3, 6 * interval_s)))
        rows["pages of the round"] = [sum(sampled(seen).values()), 0]
    finally:
        server.terminate()
        server.join()
        shutil.rmtree(folder)
    return rows


def measure(name, pages, options):
    daemon = harness.Daemon({
        "crawl": {"max_pages": 10_000_000, "max_urls": 100_000_000,
                  "max_sites": 1_000_000, "max_ingested_sites": 1000,
                  "retry_backoff": None},
        "store": {"max_size": "200 GiB"}})
    print(f"\n{pages.count} pages, {pages.site_count} sites\n\n"
          "| pages | pages/s | CPU ms | others, threads | " + " | ".join(ROLES)
          + " | disk, MiB |\n" + "|-:" * (5 + len(ROLES)) + "|", flush=True)
    try:
        daemon.start()
        rows = fill(daemon, pages)
        begin = cpu(daemon)
        wait_for_calm(daemon)
        later = [0, 1e3 * (cpu(daemon) - begin)]
        answers = {"afterwards": later, **requests(daemon, pages)}
        if not options.no_watch:
            answers.update(watch_round(daemon, pages))
        print("\n| request | ms | CPU ms |\n|-|-:|-:|")
        for what, (wall, spent) in answers.items():
            print(f"| {what} | {wall:.1f} | {spent:.1f} |", flush=True)
        print_fill({"pages": pages.count, "rate": 0, "cpu_ms": 0,
                    "disk": disk_mib(daemon), **resident(daemon)})
        return {"name": name, "pages": pages.count, "sites": pages.site_count,
                "tenths": rows, "requests": answers}
    finally:
        daemon.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one", action="store_true", help="only one site")
    parser.add_argument("--sites", action="store_true", help="only many sites")
    parser.add_argument("--no-watch", action="store_true",
                        help="without the round of the watcher")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", type=pathlib.Path, help="a JSON file")
    parser.add_argument("pages", type=int, nargs="*", default=[10_000])
    options = parser.parse_args()
    if not options.no_watch:
        harness.in_namespace()
    runs = []
    for count in options.pages:
        if not options.sites:
            runs.append(measure("one", Pages(options.seed, count, count),
                                options))
        if not options.one:
            runs.append(measure("sites", Pages(options.seed, count, PER_SITE),
                                options))
        if options.save:
            options.save.write_text(json.dumps(runs, indent=1) + "\n")


if __name__ == "__main__":
    main()
