"""snapshots.py STORE: what a snapshot of a store's partitions takes and costs.

STORE is the folder of one daemon's store, as stored.py --keep leaves one. Its
copy is migrated into a depot, a folder, and read into a new store; the largest
partition is exported to a file and imported. Told are bytes, seconds, CPU
seconds, and the most memory: of its own, and with the pages of mapped files.
"""

import argparse
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "integration"))
import harness  # noqa: E402 (the folder must be on the path before)

POLL_S = 0.005


def own_memory(pid):
    """KiB that are of no file; 0 when the process has ended."""
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def run(name, *words):
    """Run templatectl partition; its answer."""
    command = [str(harness.PROGRAMS / "templatectl"), "--json", "partition",
               *map(str, words)]
    read, write = os.pipe()
    start = time.monotonic()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=[
        (os.POSIX_SPAWN_DUP2, write, 1)])
    os.close(write)
    own = 0
    while True:
        own = max(own, own_memory(pid))
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            break
        time.sleep(POLL_S)
    seconds = time.monotonic() - start
    with os.fdopen(read) as output:
        answer = output.read()
    if status != 0:
        sys.exit(f"{name}: {status}")
    print(f"{name:24} {seconds:6.2f} s  {usage.ru_utime + usage.ru_stime:6.2f} "
          f"s CPU  {own / 1024:6.1f} MiB own  {usage.ru_maxrss / 1024:6.1f} "
          "MiB with maps")
    return json.loads(answer)


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*")
               if path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("store", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="td-bench-") as name:
        place = pathlib.Path(name)
        old, depot, new = (place / part for part in ("old", "depot", "new"))
        shutil.copytree(options.store, old)
        depot.mkdir()
        report = run("migrate", "migrate", "--store", old, "--depot", depot)
        run("import of all", "import", "--store", new, "--depot", depot)
        rows = run("list", "list", "--store", new)["partitions"]
        largest = max(rows, key=lambda row: row["bytes"])
        run("export of the largest", "export", largest["partition"],
            place / "file", "--store", new)
        run("import of the largest", "import", place / "file", "--store",
            place / "one")
        print(f"{sum(row['pages'] for row in rows)} pages, "
              f"{report['rows']} rows, {report['partitions']} partitions; "
              f"bytes: store {size_of(old)}, rows "
              f"{sum(row['bytes'] for row in rows)}, unpacked "
              f"{report['unpacked_bytes']}, snapshots {size_of(depot)}")
        print(f"the largest: {largest['pages']} pages, {largest['rows']} rows; "
              f"bytes: rows {largest['bytes']}, snapshot "
              f"{(place / 'file').stat().st_size}")


if __name__ == "__main__":
    main()
