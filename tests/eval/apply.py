#!/usr/bin/python3
"""Does a bundle answer as the daemon does, and how fast?

usage: apply.py [BUILD] [--site NAME]... [--pages N] [--quick]

For each site four fifths of its pages are handed to a daemon as an archive;
the rest it never sees. Its bundle is exported, and then both are asked:
stored pages by GET /v1/text, all by POST /v1/extract, as txt and as json; some
by every method and in every format; and some at the address of another page,
which they replace in the counts. Everything must be the same, byte for byte
(of GET's json but the time of the fetch, which a page that is handed in has
not).
"""

import argparse
import collections
import gzip
import json
import os
import pathlib
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import common  # noqa: E402 (nothing is written beside the sources)
import libtemplated  # noqa: E402

sys.path.insert(0, str(common.ROOT / "tests" / "integration"))

SITES = ("90minutos", "abc-lang-archive", "blankj", "dunkerskulturhus.se",
         "flink.apache.org", "flowtype", "foretagare.helsingborg.se",
         "hidemiyoshi.jp", "jmeter.apache.org", "rapidjson")
HELD_OUT = 5  # one in so many
FORMATS = ("txt", "md", "json", "html", "xml", "explain")
QUIET_S = 3  # so long nothing moves any more

Page = collections.namedtuple("Page", "url body")


def record(page):
    """Of WARC 1.0, in a gzip member of its own."""
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
             + page.body)
    head = ("WARC/1.0\r\nWARC-Type: response\r\n"
            "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-"
            f"{abs(hash(page.url)) % 10**12:012d}>\r\n"
            f"WARC-Target-URI: {page.url}\r\nWARC-Date: 2020-01-02T03:04:05Z"
            "\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return gzip.compress(head.encode() + block + b"\r\n\r\n", 1)


def load(name, limit):
    """(host, stored pages, held-out pages)."""
    folder = common.unpack(name)
    host = name if "." in name else f"{name}.test"
    pages = [Page(f"http://{host}/{path.relative_to(folder)}",
                  path.read_bytes())
             for path in sorted(folder.rglob("*.html"))][:limit]
    stored = [p for i, p in enumerate(pages) if i % HELD_OUT != HELD_OUT - 1]
    held = [p for i, p in enumerate(pages) if i % HELD_OUT == HELD_OUT - 1]
    return host, stored, held


def wait_until_quiet(daemon, host):
    """Until its threshold is chosen, and nothing moves for a while."""
    last = None
    since = time.monotonic()
    while time.monotonic() - since < QUIET_S:
        site = daemon.json(f"/v1/sites/{host}")
        now = (site["pages"], site["threshold"], len(daemon.clusters(host)))
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.2)


class Count:
    """Of one thing: how many were asked, how many are the same."""

    def __init__(self):
        self.asked = 0
        self.same = 0
        self.first = None

    def add(self, is_same, what):
        self.asked += 1
        self.same += is_same
        if not is_same and self.first is None:
            self.first = what

    def __str__(self):
        return f"{self.same} of {self.asked}"


class Both:
    """The daemon and its bundle, asked the same."""

    def __init__(self, daemon, bundle):
        self.daemon = daemon
        self.bundle = bundle
        self.counts = collections.defaultdict(Count)
        self.seconds = collections.Counter()
        self.times = collections.Counter()

    def timed(self, who, call, *arguments, **more):
        begin = time.perf_counter()
        result = call(*arguments, **more)
        self.seconds[who] += time.perf_counter() - begin
        self.times[who] += 1
        return result

    def by_bundle(self, page, method=None, form="txt", url=None):
        try:
            return self.timed(f"bundle {form}", self.bundle.extract, page.body,
                              url or page.url, method, form).text
        except libtemplated.Refused:
            return None

    def by_daemon(self, page, method=None, form="txt", url=None):
        more = {"method": method} if method else {}
        answer = self.timed(f"POST {form}", self.daemon.post, "/v1/extract",
                            page.body, url=url or page.url, format=form,
                            **more)
        return answer.body if answer.status == 200 else None

    def compare_stored(self, page, form):
        answer = self.timed(f"GET {form}", self.daemon.get, "/v1/text",
                            url=page.url, format=form)
        told = answer.body if answer.status == 200 else None
        mine = self.by_bundle(page, form=form)
        if form == "json" and told and mine:
            told, mine = json.loads(told), json.loads(mine)
            told["fetched"] = None
        self.counts[f"stored, GET {form}"].add(told == mine, page.url)

    def compare(self, what, page, method=None, form="txt", url=None):
        told = self.by_daemon(page, method, form, url)
        mine = self.by_bundle(page, method, form, url)
        if told is None and mine is None:
            what += " (refused by both)"
        self.counts[what].add(told == mine,
                              f"{url or page.url} {method} {form}")


def compare_all(both, stored, held, options):
    for form in ("txt", "json"):
        for page in stored:
            both.compare_stored(page, form)
        for page in stored:
            both.compare(f"stored, POST {form}", page, form=form)
        for page in held:
            both.compare(f"new, POST {form}", page, form=form)
    step = max(1, len(held) // options.few)
    few = held[::step][:options.few] + stored[::step][:options.few]
    for page in few:
        for method in options.methods:
            for form in FORMATS:
                both.compare("every method and format", page, method, form)
    for at, page in enumerate(held):
        both.compare("at another's address", page,
                     url=stored[at * (HELD_OUT - 1) % len(stored)].url)


def measure_open(library, path):
    begin = time.perf_counter()
    bundle = libtemplated.Bundle(library, path)
    return bundle, time.perf_counter() - begin


def run_verb(ctl, path, host, pages, folder):
    """Apply the bundle to a folder of the pages: (what it wrote, seconds)."""
    source, out = folder / "pages", folder / "out"
    for page in pages:
        file = source / page.url.removeprefix(f"http://{host}/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(page.body)
    begin = time.perf_counter()
    subprocess.run([ctl, "apply", path, source, "--out", out], check=True)
    return out, time.perf_counter() - begin


def check_verb(out, host, pages, bundle, counts):
    for page in pages:
        name = page.url.removeprefix(f"http://{host}/")
        file = out / (name.removesuffix(".html") + ".txt")
        try:
            # the verb unpacks files, and one page was stored as it was sent
            body = (gzip.decompress(page.body)
                    if page.body.startswith(b"\x1f\x8b") else page.body)
            text = bundle.extract(body, page.url).text
        except libtemplated.Refused:
            text = None
        counts["templatectl apply --out"].add(
            (file.read_bytes() if file.exists() else None) == text, page.url)


def run_site(name, library, options, harness):
    host, stored, held = load(name, options.pages)
    daemon = harness.Daemon({"extract": {"model_cache_size": "64 MiB"}}).start()
    try:
        done = daemon.post("/v1/ingest", b"".join(map(record, stored)))
        assert done.status == 200 and done.json["complete"], done.text
        wait_until_quiet(daemon, host)
        path = daemon.folder / "site.tpl"
        begin = time.perf_counter()
        exported = daemon.ctl("export", host, "-o", path)
        export_s = time.perf_counter() - begin
        assert exported.returncode == 0, exported.stderr
        bundle, open_s = measure_open(library, path)
        both = Both(daemon, bundle)
        compare_all(both, stored, held, options)
        out, verb_s = run_verb(options.ctl, path, host, held, daemon.folder)
        check_verb(out, host, held, bundle, both.counts)
        about = json.loads(bundle.describe())
        bundle.close()
        warm = warm_seconds(library, path, stored + held)
        return {
            "name": name, "stored": len(stored), "held": len(held),
            "templates": sum(t["learned"] for t in about["templates"]),
            "clusters": len(about["templates"]),
            "bytes": path.stat().st_size,
            "source": sum(len(p.body) for p in stored),
            "open_s": open_s, "export_s": export_s, "both": both,
            "warm_s": warm, "verb_s": verb_s,
        }
    finally:
        daemon.remove()


def warm_seconds(library, path, pages):
    """A page as txt, the second time that all of them are asked for."""
    bundle = libtemplated.Bundle(library, path)
    for _ in range(2):
        begin = time.perf_counter()
        for page in pages:
            try:
                bundle.extract(page.body, page.url)
            except libtemplated.Refused:
                pass
        seconds = time.perf_counter() - begin
    bundle.close()
    return seconds / len(pages)


def micro(both, who):
    return round(both.seconds[who] / max(1, both.times[who]) * 1e6)


def tables(report, rows):
    report.table("Bundles", "site", "pages", "clusters", "with template",
                 "bundle", "bytes a page", "of the source", "export",
                 "open")
    for r in rows:
        report.row(r["name"], r["stored"], r["clusters"], r["templates"],
                   f"{r['bytes'] / 1e6:.2f} MB", round(r["bytes"] / r["stored"]),
                   f"{100 * r['bytes'] / r['source']:.1f} %",
                   f"{1e3 * r['export_s']:.0f} ms",
                   f"{1e3 * r['open_s']:.1f} ms")
    report.table("Microseconds a page", "site", "bundle, warm", "GET txt",
                 "POST txt", "bundle json", "POST json")
    for r in rows:
        both = r["both"]
        report.row(r["name"], round(r["warm_s"] * 1e6), micro(both, "GET txt"),
                   micro(both, "POST txt"), micro(both, "bundle json"),
                   micro(both, "POST json"))
    total = collections.defaultdict(Count)
    for r in rows:
        for what, count in r["both"].counts.items():
            total[what].asked += count.asked
            total[what].same += count.same
            total[what].first = total[what].first or count.first
    report.table("The same as the daemon", "what", "same", "first that is not")
    for what, count in total.items():
        report.row(what, str(count), count.first or "")
    return all(count.asked == count.same for count in total.values())


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path,
                        default=common.ROOT / "build" / "release")
    parser.add_argument("--site", action="append", choices=SITES)
    parser.add_argument("--pages", type=int, default=10**9,
                        help="at most so many of each site")
    parser.add_argument("--quick", action="store_true",
                        help="two small sites")
    options = parser.parse_args()
    if not common.has_data():
        return 0
    options.ctl = options.build / "daemon" / "templatectl"
    options.few = 3
    options.methods = list(common.methods(options.ctl))
    os.environ["TEMPLATED_PROGRAMS"] = str(options.build / "daemon")
    import harness  # reads it
    library = libtemplated.load(
        options.build / "template" / "libtemplated.so.0")
    sites = options.site or (("flowtype", "abc-lang-archive")
                             if options.quick else SITES)
    report = common.Report()
    rows = []
    for name in sites:
        rows.append(run_site(name, library, options, harness))
        both = rows[-1]["both"]
        print(name, {k: str(v) for k, v in both.counts.items()},
              [v.first for v in both.counts.values() if v.first],
              file=sys.stderr, flush=True)
    is_same = tables(report, rows)
    common.OUT.mkdir(parents=True, exist_ok=True)
    report.write(common.OUT / "APPLY.md")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
