"""texts.py [SECONDS=5 [FOLDER]]: how fast texts are answered to 64 clients.

Up to 400 pages of FOLDER of 2 to 100 KB (copies of the sample site's when there
is none) are served by nginx and crawled. Then `load` asks for their text as
plain text and as JSON: each for the first time (cold), all of them again and
again (warm), with one new question in ten (mixed), warm ones while another site
is crawled, beside 1,000 clients that ask for nothing, and with 16 requests of a
connection under way. What is new about a cold question is an argument that
changes nothing of the text. CPU and memory are those of the daemon and all that
it has started.
"""

import json
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import cost
import pipeline

harness = pipeline.harness
PAGES = 400
CLIENTS = 64
IDLE = 1000
LOAD = harness.PROGRAMS.parent / "tests" / "bench" / "load"
FORMATS = ("txt", "json")
THRESHOLD = "0.58"  # the default of `auto`


def bodies_of(folder):
    found = [p for p in sorted(folder.rglob("*.html"))
             if 2_000 <= p.stat().st_size <= 100_000]
    if not found:
        raise SystemExit(f"{folder}: no pages of 2 to 100 KB")
    return [found[i % len(found)].read_bytes() for i in range(PAGES)]


def target(web, page, style, novelty=None):
    """A request; those of different numbers `novelty` are different for the
    cache, but their texts and costs are the same: the number is behind the
    digits that a double can hold."""
    query = {"url": f"{web.url}p{page}.html", "format": style}
    if novelty is not None:
        query["param"] = f"threshold={THRESHOLD}{'0' * 20}{novelty}"
    return "/v1/text?" + urllib.parse.urlencode(query)


def write_targets(folder, web):
    """{name: file}; all pages in each format, in turn."""
    warm = [target(web, i, style) for i in range(PAGES) for style in FORMATS]
    cold = [target(web, i, style, 0) for i in range(PAGES)
            for style in FORMATS]
    mixed = [target(web, i // 10 % PAGES, FORMATS[i % 2], 1 + i // 10)
             if i % 10 == 9 else warm[i % len(warm)]
             for i in range(40 * len(warm))]
    files = {}
    for name, lines in (("warm", warm), ("cold", cold), ("mixed", mixed)):
        files[name] = folder / name
        files[name].write_text("\n".join(lines) + "\n")
    return files


def memory(pid):
    """(resident MiB of the daemon itself, of all its processes)."""
    sizes = []
    for process in pipeline.below(pid):
        lines = pathlib.Path(f"/proc/{process}/status").read_text()
        sizes += [int(line.split()[1]) / 1024 for line in lines.splitlines()
                  if line.startswith("VmRSS:")]
    return sizes[0], sum(sizes)


def measure(daemon, name, targets, *options):
    before = sum(pipeline.cpu_seconds(daemon.process.pid))
    done = subprocess.run(
        [str(LOAD), daemon.socket, str(targets), "--connections", str(CLIENTS),
         *map(str, options)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    row = json.loads(done.stdout)
    used = sum(pipeline.cpu_seconds(daemon.process.pid)) - before
    own, every = memory(daemon.process.pid)
    print(f"| {name} | {row['answers']} | {row['failed']} | {row['rate']:.0f} "
          f"| {row['p50']:.1f} | {row['p90']:.1f} | {row['p99']:.1f} | "
          f"{row['max']:.1f} | {used * 1e3 / max(1, row['answers']):.3f} | "
          f"{own:.0f} | {every:.0f} |", flush=True)


def measure_all(daemon, files, other, seconds):
    print("| questions | answers | failed | a second | p50, ms | p90 | p99 | "
          "max | CPU, ms | main, MiB | all |\n"
          "|-|-:|-:|-:|-:|-:|-:|-:|-:|-:|-:|", flush=True)
    run = ("--seconds", seconds)
    subprocess.run([str(LOAD), daemon.socket, str(files["warm"]), "--once"],
                   check=True, capture_output=True)
    measure(daemon, "cold", files["cold"], "--once")
    measure(daemon, "warm", files["warm"], *run)
    measure(daemon, "mixed, 10 % cold", files["mixed"], "--once")
    measure(daemon, f"warm, {IDLE} idle", files["warm"], *run, "--idle", IDLE)
    measure(daemon, "warm, 16 under way", files["warm"], *run,
            "--pipeline", 16)
    daemon.watch(other.url, max_pages=100000, max_depth=100)
    measure(daemon, "warm, beside a crawl", files["warm"], *run)
    if daemon.json(f"/v1/sites/{other.host}")["pending"] == 0:
        print("(the crawl was over before)")


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    source = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else harness.SITE
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-texts-"))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    webs = []
    daemon = harness.Daemon({"socket": {"max_connections": 2048},
                             "crawl": {"max_pages_per_pattern": 1000000}})
    try:
        for name in ("asked", "other"):
            (folder / name).mkdir()
        cost.write_flat(folder / "asked", bodies_of(source))
        pipeline.copy_site(folder / "other", 2500 * seconds)
        webs = [harness.Web(folder / name) for name in ("asked", "other")]
        daemon.start()
        daemon.crawl(webs[0].url, max_pages=5000)
        measure_all(daemon, write_targets(folder, webs[0]), webs[1], seconds)
    finally:
        daemon.remove()
        for web in webs:
            web.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
