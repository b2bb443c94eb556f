"""Pages that end whoever parses them cost themselves and nothing else.

The daemon is one whose parser has bugs (tests/fault/faulty.c): a page can have
it crash, spin, eat memory, abort, exit or hang. `test_quarantine.py PAGES` crawls
as many pages with and without bad ones, 1 % of them, and prints what they cost.
"""

import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

import harness

FAULTS = {
    "crash": "signal 11 ",
    "abort": "signal 6 ",
    "memory": "signal 6 ",
    "exit": "exit status 3",
    "spin": "it took too long",
    "hang": "it took too long",
}
# A page that hangs takes ten times that by the clock.
CONFIG = {"workers": {"cpu_limit": "1 s", "memory_limit": "128 MiB"},
          "crawl": {"max_pages_per_pattern": 1000000}}
QUICK = ("crash", "abort", "memory", "exit")


class FaultyDaemon(harness.Daemon):
    program = pathlib.Path(os.environ.get(
        "TEMPLATED_FAULTY", harness.PROGRAMS.parent / "tests" / "fault" /
        "templated_faulty"))


def body_of(name, source, fault=None):
    words = " ".join(source.randbytes(4).hex() for _ in range(300))
    magic = f"<!--fault:{fault}-->" if fault else ""
    return (f"<html><head><title>{name}</title></head><body><div class=menu>"
            "<a href=/>home</a></div><div class=main><h1>About "
            f"{name}</h1><p>{words}</p>{magic}</div><div class=foot>the end"
            "</div></body></html>")


def make_site(root, count, faults):
    """`count` pages below root, of which some have faults: {path: fault}."""
    source = random.Random(18)
    bad = dict(zip(source.sample(range(count), len(faults)), faults))
    for begin in range(0, count, 200):
        rows = range(begin, min(count, begin + 200))
        links = "".join(f"<a href=/p{i}.html>{i}</a> " for i in rows)
        (root / f"list{begin}.html").write_text(
            f"<html><body class=list>{links}</body></html>")
        for i in rows:
            (root / f"p{i}.html").write_text(
                body_of(f"page {i}", source, bad.get(i)))
    lists = "".join(f"<a href=/list{i}.html>{i}</a> "
                    for i in range(0, count, 200))
    (root / "index.html").write_text(f"<html><body>{lists}</body></html>")
    return {f"p{i}.html": fault for i, fault in bad.items()}


def poisoned(daemon):
    """{path: reason} of the pages that are listed."""
    return {row["url"].rpartition("/")[2]: row["reason"]
            for row in daemon.json("/v1/quarantine")["pages"]}


class Poisoned(harness.Case):
    def faulty(self):
        daemon = FaultyDaemon(CONFIG)
        self.addCleanup(daemon.remove)
        return daemon.start()

    def test_a_bad_page_costs_itself(self):
        root = self.folder()
        bad = make_site(root, 200, list(FAULTS))
        web = self.web(root)
        daemon = self.faulty()
        before = daemon.processes_of("worker")
        daemon.watch(web.url, max_pages=1000)
        harness.wait_until(lambda: set(poisoned(daemon)) >= set(bad),
                           "the bad pages to be told")
        daemon.wait_for_calm()

        told = poisoned(daemon)
        self.assertEqual(set(told), set(bad))
        for path, fault in bad.items():
            self.assertIn(FAULTS[fault], told[path], path)
            self.assertEqual(
                daemon.get("/v1/quarantine", url=web.url + path).body,
                (root / path).read_bytes())
        # all the others, the lists and the first page
        self.assertEqual(daemon.json(f"/v1/sites/{web.host}")["pages"],
                         200 - len(bad) + 2)
        good = next(p for p in root.glob("p*.html") if p.name not in bad)
        self.assertIn("About page", daemon.text(web.url + good.name))
        self.assertEqual(len(daemon.processes_of("worker")), len(before))
        daemon.stop()
        daemon.verify_store()

    def test_a_guard_that_ends_the_worker_is_refused(self):
        root = self.folder()
        source = random.Random(7)
        (root / "index.html").write_text(body_of("it", source, "abort"))
        server = self.web(root)
        daemon = self.daemon(CONFIG)
        daemon.crawl(server.url, revisit_interval_s=0, check_interval_s=0)
        daemon.stop()
        daemon.program = FaultyDaemon.program
        daemon.start()
        path = f"/v1/sites/{server.host}/guards"
        message = self.error_of(daemon.post(path, {"css": "p"}), 422,
                                "quarantined")["message"]
        self.assertIn(server.url, message)
        self.assertIn("the worker crashed", message)
        self.assertEqual(daemon.json(path)["guards"], [])

    def test_a_bad_body_is_an_error_of_its_request(self):
        daemon = self.faulty()
        source = random.Random(1)
        for fault in (*QUICK, "spin"):
            answer = daemon.post(
                "/v1/extract", body_of("x", source, fault).encode())
            error = self.error_of(answer, 422, "quarantined")
            self.assertIn(FAULTS[fault], error["message"], fault)
            answer = daemon.post("/v1/extract", body_of("x", source).encode())
            self.assertEqual(answer.status, 200, answer.text)


def crawl(count, faults):
    """Seconds, pages, what was told, and what there was to tell."""
    root = pathlib.Path(tempfile.mkdtemp(prefix="td-poison-"))
    web = daemon = None
    try:
        bad = make_site(root, count, faults)
        web = harness.Web(root)
        daemon = FaultyDaemon(CONFIG).start()
        workers = len(daemon.processes_of("worker"))
        begin = time.monotonic()
        daemon.watch(web.url, max_pages=count * 2, max_depth=10)
        harness.wait_until(lambda: set(poisoned(daemon)) >= set(bad),
                           "the bad pages", 3600)
        lists = (count + 199) // 200
        wanted = count - len(bad) + lists + 1
        harness.wait_until(
            lambda: daemon.json(f"/v1/sites/{web.host}")["pages"] >= wanted,
            "the good pages", 3600)
        seconds = time.monotonic() - begin
        daemon.wait_for_calm()
        pages = daemon.json(f"/v1/sites/{web.host}")["pages"]
        told = poisoned(daemon)
        right = sum(FAULTS[fault] in told.get(path, "")
                    for path, fault in bad.items())
        print(f"| {count} | {len(bad)} | {pages - lists - 1} | {right} | "
              f"{len(told) - right} | {seconds:.1f} | {pages / seconds:.0f} | "
              f"{len(daemon.processes_of('worker'))} of {workers} |",
              flush=True)
        daemon.stop()
        daemon.verify_store()
    finally:
        if daemon:
            daemon.remove()
        if web:
            web.stop()
        shutil.rmtree(root, ignore_errors=True)


def measure(count):
    print("| pages | bad | stored | told with the right reason | otherwise | "
          "seconds | pages/s | workers after |\n|-:|-:|-:|-:|-:|-:|-:|-:|",
          flush=True)
    bad = count // 100
    crawl(count, [])
    crawl(count, [QUICK[i % len(QUICK)] for i in range(bad)])
    crawl(count, [list(FAULTS)[i % len(FAULTS)] for i in range(bad)])


def main():
    if not FaultyDaemon.program.exists():
        print("skipped: templated_faulty is not built")
        sys.exit(77)
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    else:
        harness.main()


if __name__ == "__main__":
    main()
