"""arrival.py [--pages N] [--later S] [--small N] FOLDER...: file size per page.

The daemon crawls all folders at the same time as sites; then it takes N small
pages of one more site from an archive. Each part has its own store. Printed
are the KB a page of the whole file after the last page, S seconds later, and
after `compact`; the KB a page of each table; CPU ms a page.
"""

import argparse
import gzip
import pathlib
import random
import shutil
import sys
import tempfile
import time

import pipeline
import stored

harness = pipeline.harness
SMALL_BYTES = 4000


def words_of(source, count):
    return " ".join("".join(source.choices("abcdefghijklmnoprstu", k=6))
                    for _ in range(count))


def write_archive(path, count):
    """Pages of one template: a third of each is its own text."""
    source = random.Random(4)
    menu = "".join(f'<li class="m{i}"><a href="/menu/{i}">'
                   f"{words_of(source, 2)}</a></li>" for i in range(24))
    foot = f'<div class="foot"><p>{words_of(source, 90)}</p></div>'
    with gzip.open(path, "wb", compresslevel=1) as file:
        for i in range(count):
            text = words_of(source, 150)
            body = (f"<html><head><title>Item {i}</title></head><body><ul>"
                    f"{menu}</ul><h1>Item {i}</h1><p>{text}</p>{foot}"
                    "</body></html>").encode()
            http = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                    b"Content-Length: %d\r\n\r\n" % len(body)) + body
            file.write((f"WARC/1.0\r\nWARC-Type: response\r\n"
                        f"WARC-Target-URI: http://small.test/item/{i}\r\n"
                        f"WARC-Date: 2026-01-01T00:00:00Z\r\n"
                        f"WARC-Record-ID: <urn:uuid:0-{i}>\r\n"
                        f"Content-Type: application/http\r\n"
                        f"Content-Length: {len(http)}\r\n\r\n").encode()
                       + http + b"\r\n\r\n")


def kilobytes(daemon, pages):
    size = daemon.json("/v1/status")["store"]["file_bytes"]
    return size / pages / 1000


def report(daemon, name, pages, cpu, later_s):
    first = kilobytes(daemon, pages)
    rows = stored.table_bytes(daemon)
    tables = sum(rows.values()) / pages / 1000
    time.sleep(later_s)
    second = kilobytes(daemon, pages)
    whole = sum(pipeline.cpu_seconds(daemon.process.pid)) * 1e3 / pages
    after = stored.table_bytes(daemon)
    daemon.ctl("compact")
    third = kilobytes(daemon, pages)
    print(f"{name}: {pages} pages; KB a page of the file: {first:.2f}, "
          f"{later_s} s later {second:.2f}, compacted {third:.2f}; CPU "
          f"{cpu:.2f} ms a page, with what follows {whole:.2f}")
    for table, size in sorted(rows.items(), key=lambda row: -row[1])[:12]:
        print(f"  {table:<14}{size / pages / 1000:7.2f} "
              f"{after[table] / pages / 1000:7.2f}")
    print(f"  {'all tables':<14}{tables:7.2f} "
          f"{sum(after.values()) / pages / 1000:7.2f}", flush=True)


def crawl(options):
    webs, roots, daemon = [], [], harness.Daemon()
    try:
        daemon.start()
        before = sum(pipeline.cpu_seconds(daemon.process.pid))
        for folder in options.folders:
            root, _, count = stored.serve(folder, options.pages)
            roots.append(root)
            webs.append(harness.Web(root))
            daemon.watch(webs[-1].url, max_pages=count + 1, max_depth=1)
        pages = sum(daemon.wait_for(web.host)["pages"] for web in webs)
        cpu = sum(pipeline.cpu_seconds(daemon.process.pid)) - before
        report(daemon, "crawl", pages, cpu * 1e3 / pages, options.later)
    finally:
        daemon.stop()
        if options.keep:
            shutil.copytree(daemon.store, options.keep, dirs_exist_ok=True)
        daemon.remove()
        for web in webs:
            web.stop()
        for root in roots:
            shutil.rmtree(root, ignore_errors=True)


def ingest(options):
    daemon = harness.Daemon()
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "small.warc.gz"
        write_archive(archive, options.small)
        try:
            daemon.start()
            before = sum(pipeline.cpu_seconds(daemon.process.pid))
            done = daemon.ctl("ingest", archive)
            if done.returncode:
                raise AssertionError(done.stderr)
            pages = daemon.json("/v1/sites/small.test")["pages"]
            cpu = sum(pipeline.cpu_seconds(daemon.process.pid)) - before
            report(daemon, "small", pages, cpu * 1e3 / pages, options.later)
        finally:
            daemon.remove()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--later", type=float, default=120)
    parser.add_argument("--small", type=int, default=0)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    harness.PATIENCE_S = 3600
    if options.folders:
        crawl(options)
    if options.small:
        ingest(options)


if __name__ == "__main__":
    sys.exit(main())
