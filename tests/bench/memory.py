"""memory.py [REQUESTS=8 [BYTES=9500000]]: what large pages leave behind.

As many large bodies are handed in at the same time; printed is the resident
memory of each process of the daemon, in MiB: before, at its peak, and one
second after the last answer. What is shared is counted in each.
"""

import collections
import concurrent.futures
import pathlib
import random
import sys
import time

import pipeline

harness = pipeline.harness
BOUND_MIB = 64


def body_of(size):
    source = random.Random(18)
    paragraph = "".join(f"<p>{source.randbytes(40).hex()} "
                        f"<b>{source.randbytes(30).hex()}</b></p>\n"
                        for _ in range(1000))
    count = size // len(paragraph)
    return f"<html><body><div>{paragraph * count}</div></body></html>".encode()


def look(daemon):
    """{(role, pid): (MiB resident, at most)}."""
    found = {}
    for pid in pipeline.below(daemon.process.pid):
        folder = pathlib.Path(f"/proc/{pid}")
        words = (folder / "cmdline").read_bytes().split(b"\0")
        role = words[2].decode() if words[1:2] == [b"--role"] else "main"
        rows = dict(line.split(":", 1) for line in
                    (folder / "status").read_text().splitlines())
        found[role, pid] = tuple(int(rows[name].split()[0]) / 1024
                                 for name in ("VmRSS", "VmHWM"))
    return found


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    body = body_of(int(sys.argv[2]) if len(sys.argv) > 2 else 9_500_000)
    daemon = harness.Daemon().start()
    try:
        before = look(daemon)
        with concurrent.futures.ThreadPoolExecutor(count) as clients:
            statuses = collections.Counter(
                answer.status for answer in clients.map(
                    lambda _: daemon.post("/v1/extract", body), range(count)))
        time.sleep(1)
        after = look(daemon)
    finally:
        daemon.remove()
    print(f"{count} bodies of {len(body)} bytes; answers: {dict(statuses)}")
    print("| process | before | peak | after |\n|-|-:|-:|-:|")
    for (role, pid), (now, peak) in sorted(after.items()):
        old = before.get((role, pid), ("-",))[0]
        print(f"| {role} | {old if old == '-' else round(old)} | {peak:.0f} | "
              f"{now:.0f} |")
    print(f"| all | {sum(row[0] for row in before.values()):.0f} | "
          f"{sum(row[1] for row in after.values()):.0f} | "
          f"{sum(row[0] for row in after.values()):.0f} |")
    bound = BOUND_MIB + len(body) / 2**20
    sys.exit(any(now > bound for (role, _), (now, _) in after.items()
                 if role == "worker"))


if __name__ == "__main__":
    main()
