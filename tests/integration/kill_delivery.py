"""Kill the daemon during delivery: kill_delivery.py [KILLS=200 [notifier]].

Pages are handed in and sites come and go while three hooks are told of it: one
takes all, one is slow, one fails now and then. The daemon, or its notifier alone,
is killed with -9 at any time. Then what was delivered is compared with the journal: every event must
have come, in the order of the journal but for repetitions, and only the last
ones before a kill may be repeated.
"""

import http.client
import json
import os
import random
import signal
import sys
import threading
import time

import harness
from receiver import Receiver, first_times

PAGES = 20  # in an archive
MAX_UNSAVED = 64  # daemon/engine/commit_event.h: HOOK_REPORT_EVENTS
KINDS = "page.*,site.*,cluster.*"
HOOKS = ("/all", "/slow", "/flaky")


def behave(delivery, tries):
    if delivery.target == "/slow":
        return (0.003, 204)
    if delivery.target == "/flaky" and random.random() < 0.003:
        return random.choice((500, "drop"))
    return 204


def page(number):
    body = (f"<html><title>{number}</title><body><div class=a{number % 3}>"
            f"<p>Text of page {number}.</p></div></body></html>").encode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    url = f"http://s{number // PAGES % 5}.invalid/{number}"
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:x:{number}>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


class Producer(threading.Thread):
    """Has something happen all the time, whatever becomes of the daemon."""

    def __init__(self, daemon):
        super().__init__()
        self.source = daemon
        self.is_ended = False
        self.failures = 0

    def produce(self, turn):
        if turn % 7 == 6:
            self.source.request("DELETE", f"/v1/sites/s{turn % 5}.invalid")
            return
        first = turn * PAGES
        self.source.request("POST", "/v1/ingest", b"".join(
            page(first + i) for i in range(PAGES)), timeout_s=10)

    def run(self):
        turn = 0
        while not self.is_ended:
            try:
                self.produce(turn)
            except (OSError, http.client.HTTPException):
                self.failures += 1
                time.sleep(0.02)
            turn += 1
            time.sleep(0.03)


def kill_all(daemon, kills):
    """Returns the longest time without an answer after a kill."""
    slowest = 0.0
    for _ in range(kills):
        time.sleep(random.uniform(0.05, 0.5))
        daemon.kill()
        begin = time.monotonic()
        daemon.start()
        slowest = max(slowest, time.monotonic() - begin)
    return slowest


def kill_couriers(daemon, kills):
    """Returns the longest time without a notifier after a kill."""
    slowest = 0.0
    for _ in range(kills):
        time.sleep(random.uniform(0.05, 0.5))
        pid = harness.wait_until(lambda: daemon.process_of("notifier"),
                                 "a notifier")
        os.kill(pid, signal.SIGKILL)
        begin = time.monotonic()
        harness.wait_until(
            lambda gone=pid: daemon.process_of("notifier") not in (None, gone),
            "another notifier")
        slowest = max(slowest, time.monotonic() - begin)
    return slowest


def journal(daemon):
    """(number, site) of all events of KINDS."""
    rows = []
    while True:
        since = rows[-1][0] if rows else 0
        lines = daemon.get("/v1/events", since=since, limit=100000,
                           kinds=KINDS).text.splitlines()
        if not lines:
            return rows
        for line in lines:
            event = json.loads(line)
            rows.append((event["seq"], event["site"]))


def judge(path, seqs, wanted, sites):
    """Problems of one hook, and how many deliveries were repeated."""
    problems = []
    once = first_times(seqs)
    missing = set(wanted) - set(once)
    strange = set(once) - set(wanted)
    if missing:
        problems.append(f"{path}: {len(missing)} lost, {sorted(missing)[:5]}")
    if strange:
        problems.append(f"{path}: {len(strange)} of no event")
    if once != sorted(once):
        problems.append(f"{path}: not in order")
    for site in set(sites.values()):
        mine = [s for s in once if sites.get(s) == site]
        if mine != sorted(mine):
            problems.append(f"{path}: {site}: not in order")
    place = {seq: i for i, seq in enumerate(wanted)}
    furthest = 0
    for seq in seqs:
        furthest = max(furthest, place.get(seq, 0))
        if furthest - place.get(seq, 0) > MAX_UNSAVED:
            problems.append(f"{path}: {seq} was repeated too late")
    return problems, len(seqs) - len(once)


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    kill = kill_couriers if sys.argv[2:] == ["notifier"] else kill_all
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    random.seed(seed)
    print(f"SEED={seed}", flush=True)
    receiver = Receiver(behave)
    daemon = harness.Daemon({"watch": {"check_interval": "0 s", "stale_after": "0 s"}})
    producer = Producer(daemon)
    begin = time.monotonic()
    try:
        daemon.start()
        hooks = [daemon.post("/v1/hooks", {
            "target": receiver.url(path), "kinds": KINDS, "secret": "k",
        }).json["id"] for path in HOOKS]
        producer.start()
        slowest = kill(daemon, kills)
        producer.is_ended = True
        producer.join()
        harness.wait_until(
            lambda: all(daemon.json(f"/v1/hooks/{hook}")["queued"] == 0
                        for hook in hooks), "everything to be delivered")
        rows = journal(daemon)
        problems = daemon.json("/v1/verify")["report"]
        daemon.stop()
    finally:
        producer.is_ended = True
        if producer.is_alive():
            producer.join()
        daemon.remove()
        receiver.close()
    wanted = [seq for seq, _ in rows]
    for path in HOOKS:
        more, repeated = judge(path, receiver.seqs(path), wanted, dict(rows))
        problems += more
        print(f"{path}: {len(wanted)} events of {len(set(dict(rows).values()))}"
              f" sites, {len(receiver.seqs(path))} delivered, {repeated} "
              f"repeated ({repeated / max(kills, 1):.1f} a kill)")
    if receiver.overlaps:
        print(f"{receiver.overlaps} came while a killed daemon's request was "
              "being answered")
    unsigned = sum(not d.is_signed("k") for d in receiver.taken)
    if unsigned:
        problems.append(f"{unsigned} were not signed")
    print(f"{kills} kills in {time.monotonic() - begin:.0f} s, the slowest "
          f"start {slowest:.2f} s; lost: none, order: kept"
          if not problems else "\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
