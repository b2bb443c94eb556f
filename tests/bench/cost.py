"""cost.py OLD NEW [ROUNDS=8 [FOLDER]]: what two builds cost, by turns.

OLD and NEW are folders with `templated`. Each crawls the same sites over
loopback: copies of the sample site, pages of FOLDER of 40 to 60 KB (such of
the sample site's, repeated, when there is none), generated pages of 168 KB;
CPU is that of the daemon and all that it has started. Then clients ask for
text, and hand pages in, two at a time. Medians, and the load of the machine.
"""

import concurrent.futures
import os
import pathlib
import random
import shutil
import statistics
import sys
import tempfile
import time

import pipeline

harness = pipeline.harness
SITES = ("sample", "50KB", "168KB")
CLIENTS = 2
REQUESTS = 200


class Build(harness.Daemon):
    """A daemon of one of them, without the rows that it does not know."""

    def __init__(self, folder):
        super().__init__()
        self.program = pathlib.Path(folder) / "templated"
        known = set()
        section = None
        for line in harness.run([self.program,
                                 "--print-config"]).stdout.splitlines():
            name, mark, _ = line.partition(":")
            if mark and not line.startswith((" ", "#")):
                section = name
            known.add((section, name.strip()))
        self.configure({section: {key: None for key in rows
                                  if (section, key) not in known}
                        for section, rows in self.sections.items()})


def write_flat(root, bodies):
    """Pages, and one that links to all of them."""
    for i, body in enumerate(bodies):
        # links of their own would lead nowhere
        body = body.replace(b'href="', b'href="#')
        (root / f"p{i}.html").write_bytes(body + b"<!-- %d -->" % i)
    (root / "index.html").write_text(
        "<html><body>" + "".join(f"<a href=/p{i}.html>{i}</a> "
                                 for i in range(len(bodies)))
        + "</body></html>")


def real_bodies(folder, count):
    """Files of 40 to 60 KB; such of pages that are repeated, where there are
    none."""
    files = sorted(folder.rglob("*.html"))
    found = [p.read_bytes() for p in files
             if 40_000 <= p.stat().st_size <= 60_000][:count]
    for path in [] if found else files:
        body = path.read_bytes()
        found.append(body * (50_000 // len(body) + 1))
    return [found[i % len(found)] for i in range(count)]


def large_body(source):
    words = "".join(f"<p>{source.randbytes(100).hex()} "
                    f"{source.randbytes(100).hex()}</p>"
                    for _ in range(412))
    return f"<html><body><div>{words}</div></body></html>".encode()


def make_sites(folder, real):
    source = random.Random(18)
    for name in SITES:
        (folder / name).mkdir()
    pipeline.copy_site(folder / "sample", 500)
    write_flat(folder / "50KB", real_bodies(real, 300))
    write_flat(folder / "168KB", [large_body(source) for _ in range(300)])


def crawl(build, web):
    """(ms of CPU a page, pages a second)."""
    daemon = Build(build).start()
    try:
        before = sum(pipeline.cpu_seconds(daemon.process.pid))
        begin = time.monotonic()
        daemon.watch(web.url, max_pages=5000, max_depth=100)
        pages = daemon.wait_for(web.host)["pages"]
        seconds = time.monotonic() - begin
        used = sum(pipeline.cpu_seconds(daemon.process.pid)) - before
        return used * 1e3 / pages, pages / seconds
    finally:
        daemon.remove()


def ask(daemon, url, body):
    begin = time.monotonic()
    answer = daemon.post("/v1/extract", body) if body else \
        daemon.get("/v1/text", url=url)
    if answer.status != 200:
        raise AssertionError(f"{url}: {answer.status} {answer.text}")
    return (time.monotonic() - begin) * 1e3


def ask_all(daemon, urls, bodies):
    """(requests a second, p50, p99, CPU ms a request)."""
    before = sum(pipeline.cpu_seconds(daemon.process.pid))
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(CLIENTS) as clients:
        took = sorted(clients.map(lambda pair: ask(daemon, *pair),
                                  zip(urls, bodies)))
    seconds = time.monotonic() - begin
    used = sum(pipeline.cpu_seconds(daemon.process.pid)) - before
    return (len(took) / seconds, took[len(took) // 2],
            took[len(took) * 99 // 100], used * 1e3 / len(took))


def answers(build, web, root):
    daemon = Build(build).start()
    try:
        daemon.crawl(web.url, max_pages=5000)
        names = [f"p{i}.html" for i in range(100)]
        urls = [web.url + name for name in names] * (REQUESTS // 100)
        bodies = [(root / name).read_bytes() for name in names] * \
            (REQUESTS // 100)
        ask_all(daemon, urls[:100], [None] * 100)  # what it learns once
        return (ask_all(daemon, urls, [None] * REQUESTS),
                ask_all(daemon, urls, bodies))
    finally:
        daemon.remove()


def median(rows, column):
    return statistics.median(row[column] for row in rows)


def load():
    return os.getloadavg()[0]


def compare_crawls(builds, webs, rounds):
    print("| pages | CPU before, ms | after | more, % (pairs: quartiles) | "
          "pages/s before | after | load |\n|-|-:|-:|-:|-:|-:|-:|", flush=True)
    for name, web in webs.items():
        rows = {build: [] for build in builds}
        loads = []
        for i in range(rounds):
            for build in builds if i % 2 == 0 else builds[::-1]:
                rows[build].append(crawl(build, web))
            loads.append(load())
        old, new = (rows[build] for build in builds)
        more = [(n[0] / o[0] - 1) * 100 for o, n in zip(old, new)]
        low, middle, high = statistics.quantiles(more, n=4)
        print(f"| {name} | {median(old, 0):.2f} | {median(new, 0):.2f} | "
              f"{middle:+.0f} ({low:+.0f} to {high:+.0f}) | "
              f"{median(old, 1):.0f} | {median(new, 1):.0f} | "
              f"{statistics.mean(loads):.1f} |", flush=True)


def compare_answers(builds, web, root, rounds):
    rows = {build: [] for build in builds}
    for i in range(rounds):
        for build in builds if i % 2 == 0 else builds[::-1]:
            rows[build].append(answers(build, web, root))
    print("\n| request | build | a second | p50, ms | p99 | CPU, ms |\n"
          "|-|-|-:|-:|-:|-:|")
    for number, what in enumerate(("GET /v1/text", "POST /v1/extract")):
        for build, label in zip(builds, ("before", "after")):
            part = [row[number] for row in rows[build]]
            print(f"| {what} | {label} | {median(part, 0):.0f} | "
                  f"{median(part, 1):.1f} | {median(part, 2):.1f} | "
                  f"{median(part, 3):.1f} |", flush=True)


def main():
    builds = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    real = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else harness.SITE
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-cost-"))
    webs = {}
    try:
        make_sites(folder, real)
        for name in SITES:
            webs[name] = harness.Web(folder / name)
        compare_crawls(builds, webs, rounds)
        compare_answers(builds, webs["50KB"], folder / "50KB",
                        max(2, rounds // 2))
    finally:
        for web in webs.values():
            web.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
