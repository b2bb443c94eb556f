"""cold.py OLD NEW [ROUNDS=8 [FOLDER]]: what a text costs that no cache has.

OLD and NEW are folders with `templated`. Each daemon crawls up to 200 pages of
FOLDER; without it, copies of the pages of the sample site. Then clients request
the text of each page, from the two builds by turns. Each request has another
argument that changes nothing, so that no cache has the text. The table shows
medians of the rounds: CPU time in ms for each text, of the main process and of
the workers; the CPU time that `auto` alone needs for these pages (bench_auto);
and how often threads of the main process waited, for each text.
"""

import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import cost
import pipeline
import texts

harness = pipeline.harness
PAGES = 200
CLIENTS = (1, 8, 64)
AUTO = texts.LOAD.parent / "bench_auto"


def bodies_of(folder):
    found = [p.read_bytes() for p in sorted(folder.rglob("*.html"))][:PAGES]
    return [found[i % len(found)] for i in range(PAGES)]


def auto_ms(folder):
    """CPU of `auto` alone a page, from bytes to text."""
    out = subprocess.run([str(AUTO), str(folder), "1"], capture_output=True,
                         text=True, check=True).stdout
    row = next(line for line in out.splitlines() if "+ text (all)" in line)
    return float(row.split()[3])


def spent(pid):
    """(CPU ms, switches) of the main process and of all others."""
    rows = [[0, 0], [0, 0]]
    for process in pipeline.below(pid):
        row = rows[process != pid]
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            row[0] += int((task / "schedstat").read_text().split()[0]) / 1e6
            row[1] += next(int(line.split()[1]) for line in
                           (task / "status").read_text().splitlines()
                           if line.startswith("voluntary"))
    return rows


def settle(daemon):
    """Wait until the daemon has compressed what it has crawled."""
    def is_idle():
        before = sum(row[0] for row in spent(daemon.process.pid))
        time.sleep(2)
        return sum(row[0] for row in spent(daemon.process.pid)) - before < 40
    harness.wait_until(is_idle, "the end of the work after the crawl")


def ask(daemon, targets, clients):
    """[main ms, workers ms, all ms, main switches, workers'] a text."""
    before = spent(daemon.process.pid)
    done = subprocess.run(
        [str(texts.LOAD), daemon.socket, str(targets), "--connections",
         str(clients), "--once"], capture_output=True, text=True, check=False)
    row = json.loads(done.stdout) if done.returncode == 0 else {"failed": 1}
    if row["failed"] != 0:
        raise AssertionError(done.stderr + done.stdout)
    main, others = ([(b - a) / row["answers"] for a, b in zip(*pair)]
                    for pair in zip(before, spent(daemon.process.pid)))
    return [main[0], others[0], main[0] + others[0], main[1], others[1]]


def compare(daemons, web, folder, rounds):
    pages = folder / "pages"
    targets = folder / "targets"
    rows = {(clients, i): [] for clients in CLIENTS for i in range(2)}
    auto = []
    for novelty in range(rounds):
        for clients in CLIENTS:
            targets.write_text("".join(
                texts.target(web, i, "txt", 1000 * clients + novelty) + "\n"
                for i in range(PAGES)))
            turn = (0, 1) if novelty % 2 == 0 else (1, 0)
            for i in turn:
                rows[clients, i].append(ask(daemons[i], targets, clients))
        auto.append(auto_ms(pages))
    own = statistics.median(auto)
    print(f"auto alone: {own:.3f} ms a page\n\n"
          "| clients | build | main, ms | workers | all | over auto, % | "
          "switches, main | workers |\n|-:|-|-:|-:|-:|-:|-:|-:|")
    for (clients, i), some in rows.items():
        mid = [statistics.median(column) for column in zip(*some)]
        over = statistics.median(row[2] / a for row, a in zip(some, auto))
        print(f"| {clients} | {('before', 'after')[i]} | {mid[0]:.3f} | "
              f"{mid[1]:.3f} | {mid[2]:.3f} | {(over - 1) * 100:+.0f} | "
              f"{mid[3]:.1f} | {mid[4]:.1f} |", flush=True)


def main():
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    source = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else harness.SITE
    folder = pathlib.Path(tempfile.mkdtemp(prefix="td-cold-"))
    daemons = []
    web = None
    try:
        (folder / "pages").mkdir()
        cost.write_flat(folder / "pages", bodies_of(source))
        web = harness.Web(folder / "pages")
        for build in sys.argv[1:3]:
            daemons.append(cost.Build(build))
            daemons[-1].start()
            daemons[-1].crawl(web.url, max_pages=5000)
        for daemon in daemons:
            settle(daemon)
        compare(daemons, web, folder, rounds)
    finally:
        for daemon in daemons:
            daemon.remove()
        if web is not None:
            web.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
