"""crawl.py [PAGES [HOSTS [ROUNDS]]]: the crawl beside a bare loop of libcurl.

nginx serves PAGES pages, copies of the sample site, on each of HOSTS ports of
loopback. In each round the daemon crawls them all, without robots.txt and
delay, and then bench_crawl fetches the same URLs in the same order, over as
many connections, and throws the bodies away. Printed are the rates, the medians
of their ratios, and what a page costs each of them in CPU. With `gzip` or
`rtt=MS` among the arguments the server packs pages, or loopback is as far away
as that (tc netem, in a network namespace).
"""

import collections
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)
import pipeline  # noqa: E402

BARE = harness.PROGRAMS.parent / "tests" / "bench" / "bench_crawl"
PRESETS = [2000, 8, 5]
GZIP = "gzip on; gzip_min_length 1; gzip_comp_level 1;"

Run = collections.namedtuple("Run", "pages seconds user system")


def rate(run):
    return run.pages / run.seconds


def cpu_us(run):
    return (run.user + run.system) / run.pages * 1e6


def serve(root, hosts, extra):
    """nginx on `hosts` ports, and its hosts."""
    ports = [harness.free_port() for _ in range(hosts - 1)]
    listens = "".join(f"listen 127.0.0.1:{port};" for port in ports)
    web = harness.Web(root, listens + extra + "keepalive_requests 1000000;")
    return web, [web.host] + [f"127.0.0.1:{port}" for port in ports]


def finished(daemon, hosts):
    states = {site["host"]: site["state"]
              for site in daemon.json("/v1/sites")["sites"]}
    return all(states[host] in ("watching", "exhausted") for host in hosts)


def crawl(hosts, count):
    """The daemon's Run, and the pages that it has of each host."""
    daemon = harness.Daemon({"crawl": {"robots": "ignore"}}).start()
    try:
        before = pipeline.cpu_seconds(daemon.process.pid)
        begin = time.monotonic()
        for host in hosts:
            daemon.watch(f"http://{host}/", max_pages=count + 1000,
                         max_depth=100)
        harness.wait_until(lambda: finished(daemon, hosts), "the crawl")
        seconds = time.monotonic() - begin
        after = pipeline.cpu_seconds(daemon.process.pid)
        pages = sum(site["pages"]
                    for site in daemon.json("/v1/sites")["sites"])
        return Run(pages, seconds, after[0] - before[0], after[1] - before[1])
    finally:
        daemon.remove()


def fetch(urls):
    """The bare loop's Run."""
    done = subprocess.run([str(BARE)], input="\n".join(urls) + "\n",
                          text=True, capture_output=True, check=True)
    fetched, failed, _, *times = done.stdout.split()
    assert failed == "0", done.stdout
    return Run(int(fetched), *map(float, times))


def measure(root, count, hosts, extra):
    """A round: both Runs. A server of its own, so that its log is theirs."""
    web, names = serve(root, hosts, extra)
    try:
        crawled = crawl(names, count)
        targets = [target for target in dict.fromkeys(web.targets())
                   if target != "/robots.txt"]
        urls = [f"http://{name}{target}" for target in targets
                for name in names]
        return crawled, fetch(urls)
    finally:
        web.stop()


def report(rounds):
    print(f"{'':<12}{'pages/s':>9}{'CPU us/page':>13}{'user':>8}{'system':>8}")
    for name, runs in (("daemon", [r[0] for r in rounds]),
                       ("bare loop", [r[1] for r in rounds])):
        columns = [statistics.median(column) for column in zip(
            *((rate(run), cpu_us(run), run.user / run.pages * 1e6,
               run.system / run.pages * 1e6) for run in runs))]
        print("{:<12}{:>9.0f}{:>13.0f}{:>8.0f}{:>8.0f}".format(name, *columns))
    ratios = [rate(crawled) / rate(bare) for crawled, bare in rounds]
    print("ratio of the rates: {:.2f} (median of {}; {})".format(
        statistics.median(ratios), len(ratios),
        " ".join(f"{ratio:.2f}" for ratio in ratios)))


def main():
    is_packed = "gzip" in sys.argv[1:]
    numbers = [int(a) for a in sys.argv[1:] if a != "gzip"]
    count, hosts, rounds = (numbers + PRESETS[len(numbers):])[:3]
    root = pathlib.Path(tempfile.mkdtemp(prefix="td-bench-"))
    try:
        pipeline.copy_site(root, count)
        print(f"{count} pages on each of {hosts} hosts"
              + (", packed" if is_packed else ""), flush=True)
        report([measure(root, count, hosts, GZIP if is_packed else "")
                for _ in range(rounds)])
    finally:
        shutil.rmtree(root, ignore_errors=True)


if __name__ == "__main__":
    main()
