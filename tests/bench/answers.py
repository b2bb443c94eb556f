"""answers.py [SECONDS=20 [KEY=VALUE...]]: how long clients wait for an answer.

Three clients ask for text, sites and metrics all the time, in processes of
their own, while pages are handed in and crawled, so that the store grows from
nothing, and while in turn nothing else goes on, backups are made, the store is
verified, it is compacted, and all of it. KEY=VALUE are rows of the
configuration's section store. Printed for each of these are the answers, what
they took in ms, and how far the store grew; behind "(machine)", how late one
wakes up who asks for nothing.
"""

import multiprocessing
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

PAGES = 40        # in an archive
WORDS = 1500      # of 8 bytes, in a page
KNOWN = "http://known.invalid/0"
QUESTIONS = {
    "text": f"/v1/text?url={KNOWN}",
    "sites": "/v1/sites",
    "metrics": "/metrics",
}
MACHINE = "(machine)"
ASKED = [*QUESTIONS, MACHINE]
LOADS = {
    "growth": [],
    "backup": [("GET", "/v1/backup")],
    "verify": [("GET", "/v1/verify")],
    "compact": [("POST", "/v1/compact")],
    "all": [("GET", "/v1/backup"), ("GET", "/v1/verify"),
            ("POST", "/v1/compact")],
}


def record(url, body, name):
    """The page as an archive of one record."""
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:x:{name}>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


def page(url, source):
    words = " ".join(source.randbytes(4).hex() for _ in range(WORDS))
    body = (f"<html><title>{url}</title><body><div class=main><p>{words}</p>"
            "</div></body></html>").encode()
    return record(url, body, source.randbytes(16).hex())


def hand_in(daemon, end):
    source = random.Random()
    while time.monotonic() < end:
        site = f"http://s{source.randrange(8)}.invalid/"
        daemon.request("POST", "/v1/ingest", b"".join(
            page(site + source.randbytes(6).hex(), source)
            for _ in range(PAGES)))


def repeat(daemon, method, target, end):
    while time.monotonic() < end:
        daemon.request(method, target)
        time.sleep(0.05)


def ask(daemon, name, end, results):
    took = []
    while time.monotonic() < end:
        begin = time.monotonic()
        answer = daemon.get(QUESTIONS[name])
        took.append((time.monotonic() - begin) * 1e3)
        if answer.status != 200:
            raise AssertionError(f"{name}: {answer.status} {answer.text}")
        time.sleep(0.005)
    results.put((name, took))


def sleep_on(end, results):
    """How late the machine wakes up one who asks for nothing."""
    late = []
    while time.monotonic() < end:
        begin = time.monotonic()
        time.sleep(0.005)
        late.append((time.monotonic() - begin) * 1e3 - 5)
    results.put((MACHINE, late))


def measure(daemon, load, seconds):
    """{question: ms of each answer} under the load."""
    results = multiprocessing.Queue()
    end = time.monotonic() + seconds
    work = [(hand_in, (daemon, end))]
    work += [(repeat, (daemon, *what, end)) for what in LOADS[load]]
    work += [(ask, (daemon, name, end, results)) for name in QUESTIONS]
    work += [(sleep_on, (end, results))]
    processes = [multiprocessing.Process(target=function, args=arguments)
                 for function, arguments in work]
    for process in processes:
        process.start()
    took = dict(results.get(timeout=seconds + 60) for _ in ASKED)
    for process in processes:
        process.join()
    return took


def quantile(values, share):
    return values[min(len(values) - 1, int(len(values) * share))]


def print_row(load, name, took, used):
    took.sort()
    print(f"| {load} | {name} | {len(took)} | {quantile(took, .5):.1f} | "
          f"{quantile(took, .99):.1f} | {took[-1]:.1f} | "
          f"{sum(t > 100 for t in took)} | {used / 2**20:.0f} |", flush=True)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    rows = dict(argument.split("=") for argument in sys.argv[2:])
    web = harness.Web(harness.SITE)
    print("| load | question | answers | p50, ms | p99 | max | over 100 | "
          "MiB used |\n|-|-|-:|-:|-:|-:|-:|-:|")
    daemon = harness.Daemon({"store": rows})
    try:
        daemon.start()
        daemon.request("POST", "/v1/ingest", b"".join(
            page(KNOWN[:-1] + str(i), random) for i in range(PAGES)))
        daemon.watch(web.url, delay_ms=500)
        for load in LOADS:
            took = measure(daemon, load, seconds)
            used = daemon.json("/v1/status")["store"]["file_bytes"]
            for name in ASKED:
                print_row(load, name, took[name], used)
    finally:
        daemon.remove()
        web.stop()


if __name__ == "__main__":
    main()
