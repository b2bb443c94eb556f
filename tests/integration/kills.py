"""Kill the daemon at any moment: kills.py [SECONDS=60 [FOLDER]].

Pages are handed in, a site whose pages change is crawled, two hooks are told of
it, the store is compacted, backed up and verified, and it grows from nothing,
while the daemon is killed with -9, also in its first moments. After each kill
nothing of it is left, the store is whole, a backup is absent or whole, and what
was acknowledged is there; each event was delivered once at least. How often it
was killed while what was under way is kept in FOLDER, and added to; a store
with a problem stays there.
"""

import collections
import http.client
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import threading
import time

import harness
from kill_delivery import journal
from receiver import Receiver

PAGES = 8            # in an archive
MAX_BYTES = 24 << 20  # then another store begins with nothing
SITES = 4
SAMPLE = 20          # acknowledged pages asked for after a kill
KINDS = "page.*,site.*,cluster.*"
HOOKS = ("/one", "/two")
LEFT_S = 2
FAILURES = (OSError, http.client.HTTPException)


def page(url):
    words = " ".join(random.randbytes(4).hex() for _ in range(300))
    body = (f"<html><title>{url}</title><body><div class=main><h1>{url}</h1>"
            f"<p>{words}</p></div></body></html>").encode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:x:{random.randbytes(8).hex()}>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


class Site:
    """A site whose pages change."""

    COUNT = 40

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-site-"))
        for number in range(self.COUNT):
            self.write(number)
        self.web = harness.Web(self.folder)

    def write(self, number):
        links = " ".join(f'<a href="/{n}.html">{n}</a>'
                         for n in range(self.COUNT))
        name = f"{number or 'index'}.html"
        new = self.folder / (name + ".new")
        new.write_text(f"<html><body><div class=k{number % 3}>{links}</div>"
                       f"<p>{random.randbytes(64).hex()}</p></body></html>")
        new.replace(self.folder / name)

    def close(self):
        self.web.stop()
        shutil.rmtree(self.folder)


class Counts:
    """What is under way at a kill, and what was wrong, kept on the disk."""

    def __init__(self, folder):
        self.path = folder / "counts.json"
        self.rows = {}
        if self.path.exists():
            self.rows = json.loads(self.path.read_text())

    def add(self, names, problems):
        for name in ["all", *names]:
            row = self.rows.setdefault(name, [0, 0])
            row[0] += 1
            row[1] += bool(problems)

    def add_sum(self, name, number):
        self.rows[name] = [self.rows.get(name, [0])[0] + number]

    def save(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self.rows))
        new.replace(self.path)

    def print(self):
        print("| killed during | kills | with a problem |\n|-|-:|-:|")
        for name, row in sorted(self.rows.items()):
            if len(row) == 2:
                print(f"| {name} | {row[0]} | {row[1]} |")
        for name, row in sorted(self.rows.items()):
            if len(row) == 1:
                print(f"{name}: {row[0]}")


class Life:
    """A store from nothing until it is large, and the daemons on it."""

    def __init__(self, counts):
        self.counts = counts
        self.problems = []
        self.acknowledged = []
        self.under_way = collections.Counter()
        self.lock = threading.Lock()
        self.backup = None
        self.receiver = Receiver(lambda delivery, tries: (
            random.choice((0, 0, 0.003)), 500 if random.random() < .002
            else 204))
        self.site = Site()
        # The changes are the site's own: it is visited all the time.
        self.daemon = harness.Daemon({
            "watch": {"check_interval": "1 s", "stale_after": "0 s"},
            "retention": {"events_count": 0},
        })
        self.backup = self.daemon.folder / "backup"

    def begin(self):
        self.daemon.start()
        self.hooks = [self.daemon.post("/v1/hooks", {
            "target": self.receiver.url(path), "kinds": KINDS,
        }).json["id"] for path in HOOKS]
        self.daemon.watch(self.site.web.url, delay_ms=5, revisit_interval_s=60)

    def end(self):
        for what in (self.daemon.remove, self.receiver.close, self.site.close):
            what()

    # What may be under way at a kill. Each ends when the daemon is gone.

    def run(self, name):
        with self.lock:
            self.under_way[name] += 1
        try:
            getattr(self, "do_" + name)()
        except FAILURES:
            pass  # the daemon was killed
        finally:
            with self.lock:
                self.under_way[name] -= 1

    def do_ingest(self):
        while True:
            host = f"s{random.randrange(SITES)}.invalid"
            urls = [f"http://{host}/{random.randbytes(6).hex()}"
                    for _ in range(PAGES)]
            answer = self.daemon.request(
                "POST", "/v1/ingest", b"".join(page(url) for url in urls))
            if answer.status == 200 and answer.json["complete"] \
                    and answer.json["pages"] == PAGES:
                self.acknowledged += urls

    def do_crawl(self):
        """The site has changed, and is visited from its beginning."""
        for number in random.sample(range(Site.COUNT), 10):
            self.site.write(number)
        self.daemon.request("DELETE", f"/v1/sites/{self.site.web.host}")
        self.daemon.watch(self.site.web.url, delay_ms=5, revisit_interval_s=60)
        while self.daemon.json(f"/v1/sites/{self.site.web.host}")["state"] \
                != "watching":
            time.sleep(0.01)

    def do_compact(self):
        self.daemon.request("POST", "/v1/compact")

    def do_verify(self):
        answer = self.daemon.get("/v1/verify")
        if answer.status != 200 or answer.json["problems"] != 0:
            self.problems.append(f"verify of the daemon: {answer.text}")

    def do_backup(self):
        self.daemon.ctl("backup", "--force", "--no-verify", self.backup)

    # After a kill.

    def is_left(self):
        """Whether a process of the daemon's session is there."""
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(stat[3]) == self.daemon.process.pid and stat[0] != "Z":
                return True
        return False

    def kill(self):
        self.daemon.process.kill()  # the main process alone
        self.daemon.process.wait(30)
        try:
            harness.wait_until(lambda: not self.is_left(), "its end", LEFT_S)
        except AssertionError:
            self.problems.append("a process of it is left")
            os.killpg(self.daemon.process.pid, 9)

    def check_store(self, path):
        done = harness.run([harness.PROGRAMS / "templatectl", "--json",
                            "verify", "--store", path])
        if done.returncode != 0:
            self.problems.append(f"{path}: {done.stdout}{done.stderr}")

    def check_backup(self):
        if (self.backup / "data.mdb").exists():
            self.check_store(self.backup)
            self.counts.add_sum("backups that are whole", 1)
            shutil.rmtree(self.backup)

    def check_acknowledged(self):
        urls = self.acknowledged[-PAGES * 2:]
        if len(self.acknowledged) > len(urls):
            urls = urls + random.choices(self.acknowledged, k=SAMPLE)
        for url in urls:
            answer = self.daemon.get("/v1/text", url=url, method="plain")
            if answer.status != 200 or url not in answer.text:
                self.problems.append(f"{url}: {answer.status}")
        self.counts.add_sum("acknowledged pages asked for", len(urls))

    def check_deliveries(self):
        """Every event until now has come to every hook."""
        wanted = {seq for seq, _ in journal(self.daemon)}
        harness.wait_until(lambda: all(
            self.daemon.json(f"/v1/hooks/{hook}")["queued"] == 0
            for hook in self.hooks), "everything to be delivered")
        for path in HOOKS:
            missing = wanted - set(self.receiver.seqs(path))
            if missing:
                self.problems.append(
                    f"{path}: {len(missing)} of {len(wanted)} are lost")
        self.counts.add_sum("events at every hook", len(wanted))

    def start(self):
        """The daemon, which may be killed before it answers."""
        self.daemon.launch()
        if random.random() < 0.25:
            time.sleep(random.uniform(0, 0.06))
            self.kill()
            self.check_store(self.daemon.store)
            self.count(["start"])
            self.daemon.launch()
        harness.wait_until(self.daemon._answers, "the daemon's answer")

    def count(self, names):
        self.counts.add(names, self.problems)
        self.counts.save()

    def waiting(self):
        return any(self.daemon.json(f"/v1/hooks/{hook}")["queued"] > 0
                   for hook in self.hooks)

    def round(self):
        names = [name for name in ("ingest", "crawl", "compact", "verify",
                                   "backup") if random.random() < .6]
        threads = [threading.Thread(target=self.run, args=(name,))
                   for name in names]
        for thread in threads:
            thread.start()
        time.sleep(random.uniform(0, 0.4))
        try:
            is_delivering = self.waiting()
        except (*FAILURES, AssertionError):
            is_delivering = False
        with self.lock:
            names = [name for name, count in self.under_way.items() if count]
        self.kill()
        for thread in threads:
            thread.join()
        self.check_store(self.daemon.store)
        self.check_backup()
        self.count(names + ["delivery"] * is_delivering)
        self.start()
        self.check_acknowledged()

    def is_large(self):
        used = self.daemon.json("/v1/status")["store"]["file_bytes"]
        return used > MAX_BYTES


def keep(life, folder):
    """What has a problem."""
    name = folder / f"problem-{int(time.time())}"
    shutil.copytree(life.daemon.folder, name,
                    ignore=lambda path, names: [n for n in names if n == "s"])
    (name / "problems").write_text("\n".join(life.problems))


def live(counts, folder, is_over):
    """Kill until the store is large or time is over; the problems."""
    life = Life(counts)
    try:
        life.begin()
        while not is_over() and not life.is_large() and not life.problems:
            life.round()
        if not life.problems:
            life.check_deliveries()
        counts.add_sum("stores from nothing", 1)
    finally:
        if life.problems:
            keep(life, folder)
        life.end()
        counts.save()
    return life.problems


def run(folder, is_over):
    """Returns the problems."""
    counts = Counts(folder)
    problems = []
    while not is_over(counts):
        problems += live(counts, folder, lambda: is_over(counts))
    counts.print()
    return problems


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 \
        else pathlib.Path(tempfile.mkdtemp(prefix="td-kills-"))
    folder.mkdir(parents=True, exist_ok=True)
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    random.seed(seed)
    print(f"SEED={seed}, counts in {folder}", flush=True)
    end = time.monotonic() + seconds
    problems = run(folder, lambda counts: time.monotonic() > end)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
