"""The power fails: what was acknowledged is there, and the store is whole.

tests/fault/power.c keeps what LMDB writes to its file, and when it waits for
the disk. A cut is what the disk may have at an instant: all that was waited
for, and of the sectors written since any, in any order. `test_power.py N` makes
N cuts.
"""

import json
import os
import pathlib
import random
import struct
import sys
import unittest

import harness

CUTS = 25
POWER = os.environ.get("TEMPLATED_POWER", "")
HEAD = struct.Struct("<IIQ")
WRITE, SYNC, SYNCED_WRITE, HOLE = 1, 2, 3, 4
PAGES = 160
SECTOR = 512


def read_log(path):
    """[(what, offset, bytes, where the record ends)]."""
    log = path.read_bytes()
    at, records = 0, []
    while at < len(log):
        what, size, offset = HEAD.unpack_from(log, at)
        at += HEAD.size
        data = log[at:at + size]
        at += size
        if what == HOLE:
            data = bytes(*struct.unpack("<Q", data))
        records.append((what, offset, data, at))
    return records


def put(image, offset, data):
    if len(image) < offset + len(data):
        image.extend(bytes(offset + len(data) - len(image)))
    image[offset:offset + len(data)] = data


class Disk:
    """What is surely on it after so many records, and what may be."""

    def __init__(self, records):
        self.records = records
        self.done = 0
        self.image = bytearray()
        self.waiting = []

    def go_to(self, count):
        for what, offset, data, _ in self.records[self.done:count]:
            if what in (WRITE, HOLE):
                self.waiting.append((offset, data))
            elif what == SYNC:
                for write in self.waiting:
                    put(self.image, *write)
                self.waiting = []
            else:
                put(self.image, offset, data)
        self.done = count

    def cut(self):
        """One of the images that there may be before the next record."""
        image = bytearray(self.image)
        waiting = list(self.waiting)
        if self.done < len(self.records):
            what, offset, data, _ = self.records[self.done]
            if what != SYNC:
                waiting.append((offset, data))
        sectors = [(offset + i, data[i:i + SECTOR])
                   for offset, data in waiting
                   for i in range(0, len(data), SECTOR)]
        for sector in random.sample(sectors,
                                    random.randint(0, len(sectors))):
            put(image, *sector)
        return image


class Power(harness.Case):
    cuts = CUTS

    def start(self, daemon, log):
        os.environ.update(LD_PRELOAD=POWER, POWER_LOG=str(log))
        try:
            daemon.start()
        finally:
            del os.environ["LD_PRELOAD"], os.environ["POWER_LOG"]
        return daemon

    def crawl(self):
        """The log, and [(its size, pages acknowledged by then)]."""
        log = self.folder() / "log"
        daemon = harness.Daemon()
        self.addCleanup(daemon.remove)
        self.start(daemon, log)
        web = self.web()
        host = daemon.watch(web.url, delay_ms=10)["host"]
        acknowledged = []

        def is_done():
            site = daemon.json(f"/v1/sites/{host}")
            acknowledged.append((log.stat().st_size, site["pages"]))
            return site["state"] == "watching"
        harness.wait_until(is_done, "the crawl")
        daemon.stop()
        return read_log(log), acknowledged

    def check(self, image, least, where):
        store = self.folder() / "store"
        store.mkdir()
        (store / "data.mdb").write_bytes(image)
        done = harness.run([harness.PROGRAMS / "templatectl", "--json",
                            "verify", "--store", store])
        self.assertEqual(done.returncode, 0,
                         f"{where}: {done.stdout}{done.stderr}")
        pages = json.loads(done.stdout)["pages"]
        self.assertGreaterEqual(pages, least,
                                f"{where}: an acknowledged page is gone")
        (store / "data.mdb").unlink()

    def setUp(self):
        if not POWER:
            self.skipTest("the layer is not built")
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)

    def test_a_loss_of_power_loses_nothing_acknowledged(self):
        records, acknowledged = self.crawl()
        first = next(end for end, pages in acknowledged if end > 0)
        self.cut(records, acknowledged, first)

    def crawl_into_holes(self):
        """What crawl() returns, after a large site was deleted."""
        log = self.folder() / "log"
        daemon = harness.Daemon()
        self.addCleanup(daemon.remove)
        self.start(daemon, log)
        large, small = self.web(self.large_site(PAGES)), self.web()
        daemon.crawl(large.url)
        host = daemon.watch(small.url, delay_ms=100)["host"]
        daemon.request("DELETE", f"/v1/sites/{large.host}")
        acknowledged = []

        def is_done():
            site = daemon.json(f"/v1/sites/{host}")
            acknowledged.append((log.stat().st_size, site["pages"]))
            return site["state"] == "watching"
        daemon.stop()  # it makes holes at its start
        acknowledged.append((log.stat().st_size, 0))
        self.start(daemon, log)
        harness.wait_until(is_done, "the crawl")
        daemon.stop()
        return read_log(log), acknowledged

    def test_a_loss_of_power_amid_holes_loses_nothing_acknowledged(self):
        records, acknowledged = self.crawl_into_holes()
        holes = [r for r in records if r[0] == HOLE]
        self.assertTrue(holes, "no holes were made")
        print(f"{len(holes)} holes of {sum(len(r[2]) for r in holes)} bytes")
        self.cut(records, acknowledged, holes[0][3])

    def cut(self, records, acknowledged, first):
        """Check cuts after the byte `first` of the log."""
        places = [i for i, r in enumerate(records) if r[3] >= first]
        disk = Disk(records)
        for count in sorted(random.choices(places, k=self.cuts)):
            disk.go_to(count)
            end = records[count - 1][3]
            least = max((pages for size, pages in acknowledged
                         if size <= end), default=0)
            self.check(disk.cut(), least, f"record {count}")
        print(f"{self.cuts} cuts among {len(records)} records, "
              f"{sum(r[0] == SYNC for r in records)} of which wait for the "
              "disk: all whole, nothing acknowledged is gone")


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].isdigit():
        Power.cuts = int(sys.argv.pop())
    harness.main()
