"""streams.py [PAGES=100000 [FOLDER [CACHE=2 GiB]]]: the texts of a large site.

PAGES copies of the HTML files below FOLDER (the sample site), each with words
of its own, are handed in as one site. Then all texts are read as lines of JSON,
twice, and as WET, by a daemon whose `text.cache_size` is CACHE, and in the end 2000 pages are extracted in one batch. Printed
are, ten times on the way, pages a second, what each of them cost the daemon in
microseconds of CPU, and the resident memory of the main and of all workers, in
MiB and without mapped files, such as the store. The reader is as fast as Python's
sockets are.
"""

import json
import pathlib
import sys
import time

import pipeline

harness = pipeline.harness
HOST = "streams.invalid"
PART = 500  # pages in one archive
BATCH = 2000
LOOKS = 10


def copies(folder, begin, end):
    """(number, page) of each; `n` stands behind each paragraph."""
    sources = [path.read_bytes() for path in sorted(folder.rglob("*.html"))]
    for number in range(begin, end):
        body = sources[number % len(sources)]
        yield number, body.replace(b"</p>", b" In copy %d.</p>" % number)


def record(number, body):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (f"WARC/1.0\r\nWARC-Type: response\r\n"
            f"WARC-Target-URI: http://{HOST}/{number}\r\n"
            f"WARC-Record-ID: <urn:x:{number}>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


def resident(daemon):
    """MiB of the main, and of all workers together, without mapped files."""
    sums = [0, 0]
    for pid in pipeline.below(daemon.process.pid):
        folder = pathlib.Path(f"/proc/{pid}")
        words = (folder / "cmdline").read_bytes().split(b"\0")
        rows = dict(line.split(":", 1) for line in
                    (folder / "status").read_text().splitlines())
        is_worker = words[1:3] == [b"--role", b"worker"]
        if is_worker or words[1:2] != [b"--role"]:
            sums[is_worker] += int(rows["RssAnon"].split()[0]) / 1024
    return sums


def now(daemon):
    """Seconds by the clock, and of the daemon's CPU."""
    return time.monotonic(), sum(pipeline.cpu_seconds(daemon.process.pid))


def tell(name, pages, begin, daemon):
    main, workers = resident(daemon)
    seconds, cpu = [b - a for a, b in zip(begin, now(daemon))]
    print(f"| {name} | {pages} | {seconds:.1f} | {pages / seconds:.0f} "
          f"| {cpu / pages * 1e6:.0f} | {main:.0f} | {workers:.0f} |",
          flush=True)


def fill(daemon, folder, count):
    begin = now(daemon)
    for first in range(0, count, PART):
        last = min(first + PART, count)
        answer = daemon.post("/v1/ingest", b"".join(
            record(*copy) for copy in copies(folder, first, last)))
        if answer.json["pages"] != last - first:
            raise AssertionError(answer.text)
        if last * LOOKS // count > first * LOOKS // count:
            tell("handed in", last, begin, daemon)


def stream(daemon, name, count, mark, **arguments):
    """Read the texts; `mark` stands once in each."""
    query = "&".join(f"{key}={value}" for key, value in arguments.items())
    connection = harness.UnixConnection(daemon.socket, 600)
    connection.request("GET", f"/v1/sites/{HOST}/texts?{query}")
    answer = connection.getresponse()
    begin = now(daemon)
    pages = size = looks = 0
    tail = b""
    while block := answer.read(1 << 20):
        size += len(block)
        block = tail + block
        pages += block.count(mark)
        tail = block[-len(mark) + 1:] if len(mark) > 1 else b""
        if pages * LOOKS // count > looks:
            looks = pages * LOOKS // count
            tell(name, pages, begin, daemon)
    connection.close()
    if pages != count:
        raise AssertionError(f"{name}: {pages} of {count} pages")
    return size


def batch(daemon, folder, count):
    body = "\n".join(json.dumps({
        "url": f"http://{HOST}/{number}", "html": page.decode()})
        for number, page in copies(folder, count, count + BATCH)).encode()
    begin = now(daemon)
    answer = daemon.post("/v1/extract/batch", body)
    lines = answer.text.splitlines()
    if len(lines) != BATCH or '"error"' in answer.text:
        raise AssertionError(answer.text[:1000])
    tell("batch", BATCH, begin, daemon)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else harness.SITE
    cache = sys.argv[3] if len(sys.argv) > 3 else "2 GiB"
    daemon = harness.Daemon({"crawl": {"max_pages": count + 1},
                             "text": {"cache_size": cache}}).start()
    print("| what | pages | seconds | pages/s | CPU us | main | workers |\n"
          "|-|-:|-:|-:|-:|-:|-:|")
    try:
        fill(daemon, folder, count)
        daemon.wait_for(HOST)
        size = stream(daemon, "cold", count, b'{"sequence":')
        stream(daemon, "warm", count, b'{"sequence":')
        stream(daemon, "WET", count, b"WARC-Type: conversion\r\n",
               format="wet")
        batch(daemon, folder, count)
        used = daemon.json("/v1/status")["store"]["file_bytes"]
        print(f"\n{size >> 20} MiB of lines, {used >> 20} MiB in the store")
    finally:
        daemon.remove()


if __name__ == "__main__":
    main()
