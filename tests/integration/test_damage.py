"""Damage of the store is noticed, said, and survived.

`test_damage.py table [FLIPS]` turns over that many single bits of each table,
one at a time, and prints how many of them verify finds; `test_damage.py values
[FLIPS]` those of each table's values, and how many are found by reading them;
`test_damage.py cuts [CUTS]` cuts the file at that many sizes.
"""

import json
import os
import pathlib
import random
import shutil
import sys
import unittest

import harness
import test_packing
from pages_of_store import Pages

FLIPS = 4       # of each table
CUTS = 10
DAEMON_CUTS = 5
ROUNDS = 8
ADVICE = "templatectl restore"
FLIP_TABLE = harness.PROGRAMS.parent / "tests" / "eval" / "flip_table"
# Of the store, and those that may be empty here: no page has ended a worker, and
# nothing has changed, and there is no browser.
TABLES = 42
EMPTY = ("quarantine", "waiting", "health", "incidents", "cookies",
         "renders", "screenshots", "incident_screenshots",
         "incident_comments", "text_changes",
         "refused")


def ctl(*arguments):
    return harness.run([harness.PROGRAMS / "templatectl", *arguments])


class Damage(harness.Case):
    def setUp(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)
        web = self.web()
        self.old = self.daemon()
        self.host = self.old.crawl(web.url)["host"]
        self.old.stop()
        self.data = pathlib.Path(self.old.store) / "data.mdb"
        self.whole = self.data.read_bytes()

    def flip(self, offset, bit):
        with open(self.data, "r+b") as file:
            file.seek(offset)
            byte = self.whole[offset] ^ 1 << bit
            file.write(bytes([byte]))

    def assertSaid(self, done, *words):
        """It says what is wrong, and has not been killed by a signal."""
        self.assertEqual(done.returncode, 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)

    def try_flips(self, table, count):
        """How many of so many single bits of the table verify finds."""
        pages = Pages(self.data)
        found = 0
        for _ in range(count):
            offset, bit = pages.random_bit(table)
            self.flip(offset, bit)
            done = ctl("verify", "--store", self.old.store)
            self.assertIn(done.returncode, (0, 1),
                          f"{table}: {offset} bit {bit}: {done.stderr}")
            if done.returncode == 1:
                found += 1
                self.assertIn("table ", done.stdout + done.stderr)
            else:
                page = offset // pages.size
                print(f"{table}: not seen: page {page}, byte "
                      f"{offset % pages.size}, bit {bit}")
            self.data.write_bytes(self.whole)
        return found

    def test_bits_that_turned_over_are_found(self):
        # That a free page is thought to be used, or to be free since another
        # transaction, loses nothing, and is not seen.
        for table in Pages(self.data).spans.keys() - {"free"}:
            self.assertEqual(self.try_flips(table, FLIPS), FLIPS, table)

    def fill_all_tables(self):
        folder = test_packing.write_site(self.folder(), 60, 0)
        for i in range(10):
            self.write_large(folder / "p" / f"{i}.html", 300 + 50 * i)
        web = self.web(folder)
        self.old.start().crawl(web.url)
        self.assertEqual(self.old.post(
            f"/v1/sites/{web.host}/guards",
            {"name": "title", "css": "h1"}).status, 201)
        template = max(self.old.clusters(web.host), key=lambda row: row["pages"])
        self.assertEqual(self.old.post(
            harness.template_path(template["id"]) + "/fields",
            {"find": True}).status, 200)
        self.old.post("/v1/hooks", {"target": "http://127.0.0.1:9/",
                                    "kinds": "site.*"})
        self.old.post("/v1/silences", {"event": 1})
        self.old.request("DELETE", f"/v1/sites/{self.host}")
        harness.wait_until(
            lambda: all(test_packing.table(self.old, name) > 0 for name in
                        ("dictionaries", "outbox", "field_values", "body_pieces",
                         "record_pieces")), "all tables to be used")
        self.old.stop()

    def write_large(self, path, paragraphs):
        """A page whose body and record may be divided."""
        texts = (random.randbytes(8).hex() for _ in range(paragraphs))
        path.write_text("<html><title>Large</title><body><h1>Large</h1>" +
                        "".join(f"<p>{text}</p>" for text in texts))

    def flip_values(self, count):
        """The table of what is found, as text."""
        self.fill_all_tables()
        done = harness.run([FLIP_TABLE, self.old.store, count])
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    @unittest.skipUnless(FLIP_TABLE.exists(), "flip_table is not built")
    def test_bits_of_values_are_found_by_reading(self):
        rows = [line.split(" | ") for line in
                self.flip_values(FLIPS).splitlines()[2:]]
        self.assertEqual(len(rows), TABLES)
        for name, *_, flips, read, verified, unseen in rows:
            if name.endswith(EMPTY):
                continue
            self.assertEqual((flips, read, verified, unseen),
                             (str(FLIPS),) * 3 + ("0 |",), name)

    def cut(self, size):
        self.data.write_bytes(self.whole)
        os.truncate(self.data, size)

    def try_cut(self, size):
        self.cut(size)
        self.assertSaid(ctl("verify", "--store", self.old.store))
        to = self.folder() / "to"
        self.assertSaid(ctl("restore", self.old.store, "--store", to))
        self.assertFalse((to / "data.mdb").exists())
        shutil.rmtree(to.parent)

    def try_start(self):
        """The daemon says what is wrong, ends, and has written nothing."""
        before = self.data.read_bytes()
        self.old.log.write_text("")
        self.old.launch()
        self.assertEqual(self.old.process.wait(harness.PATIENCE_S), 1)
        self.assertIn(ADVICE, self.old.messages())
        self.assertEqual(self.data.read_bytes(), before)

    def test_a_file_that_is_cut_short_is_an_answer(self):
        sizes = random.choices(range(len(self.whole) * 9 // 10), k=CUTS)
        for size in [0, *sizes]:
            self.try_cut(size)
        for size in [0, *sizes[:DAEMON_CUTS]]:
            self.cut(size)
            self.try_start()

    def test_a_check_that_hangs_is_an_answer(self):
        # To open a pipe nobody writes to is to wait for ever.
        self.data.unlink()
        os.mkfifo(self.data)
        self.addCleanup(self.data.unlink)
        words = ("more than 1 s", ADVICE, "recover")
        self.assertSaid(ctl("verify", "--store", self.old.store, "--time",
                            "1"), *words)
        to = self.folder() / "to"
        self.assertSaid(ctl("restore", self.old.store, "--store", to,
                            "--time", "1"), *words)
        self.assertFalse(to.exists())
        self.old.configure({"store": {"check_timeout": "1 s"}})
        with open(pathlib.Path(self.old.store) / "lock", "r+b") as lock:
            lock.truncate(2)  # as one that was killed leaves it
        self.old.log.write_text("")
        self.old.launch()
        self.assertEqual(self.old.process.wait(harness.PATIENCE_S), 1)
        for word in words:
            self.assertIn(word, self.old.messages())

    def test_an_unclean_stop_is_looked_at_once(self):
        self.old.start()
        self.old.kill()
        for _ in range(2):  # the second start is behind a clean stop
            self.old.start()
            self.assertEqual(
                self.old.messages().count("checking all pages"), 1)
            self.old.stop()

    # Salvage, to a store of its own.

    def salvage(self, to):
        done = ctl("--json", "recover", self.old.store, to)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def daemon_on(self, store):
        harness.give(pathlib.Path(store).parent)
        daemon = harness.Daemon({"store": {"path": str(store)}})
        self.addCleanup(daemon.remove)
        return daemon.start()

    def test_of_a_whole_store_all_is_saved(self):
        to = self.folder() / "new"
        report, lost = self.salvage(to)
        self.assertEqual((report["sites_saved"], report["sites_learned"],
                          report["bodies_lost"], lost), (1, 0, 0, ""))
        self.assertEqual(self.data.read_bytes(), self.whole)
        host = self.old.start().json("/v1/sites")["sites"][0]["host"]
        self.assertEqual(self.daemon_on(to).partition(host),
                         self.old.partition(host))
        again = ctl("recover", self.old.store, to.parent / "again")
        self.assertSaid(again, "uses it")
        self.old.stop()
        self.assertSaid(ctl("recover", self.old.store, to), "already")

    def test_a_damaged_body_is_lost_alone(self):
        pages = Pages(self.data)
        # the last byte of a value is of its checksum
        offset, size = max(pages.spans["bodies"], key=lambda span: span[1])
        self.flip(offset + size - 1, 0)
        to = self.folder() / "new"
        report, lost = self.salvage(to)
        self.assertEqual((report["sites_saved"], report["bodies_lost"]),
                         (1, 1))
        self.assertIn("table bodies, row ", lost)
        daemon = self.daemon_on(to)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_a_damaged_site_is_learned_anew_and_the_other_saved(self):
        self.data.write_bytes(self.whole)
        other = self.web()
        self.old.start().crawl(other.url)
        hosts = {s["host"] for s in self.old.json("/v1/sites")["sites"]}
        before = {host: self.old.partition(host) for host in hosts}
        self.old.stop()
        self.whole = self.data.read_bytes()
        pages = Pages(self.data)
        first = min(pages.rows["records"])
        # A value, or where it begins elsewhere: far behind the end of the
        # file, because a page of the other site's would be lost, too.
        self.flip(pages.rows["records"][first] + len(first) + 7, 6)
        to = self.folder() / "new"
        report, lost = self.salvage(to)
        self.assertEqual((report["sites_saved"], report["sites_learned"],
                          report["pages_lost"]), (1, 1, 0))
        hurt = (hosts - {other.host}).pop()
        self.assertIn(f"site {hurt}: damaged", lost)
        self.assertIn(f"site {hurt}: rebuilt from", lost)
        self.assertIn("table records, ", lost)
        daemon = self.daemon_on(to)
        for host in hosts:
            daemon.wait_for(host)  # the daemon chooses its threshold
            self.assertEqual(daemon.partition(host), before[host])
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def flip_row(self, pages, table):
        """A bit of the value of a row, as it is in a page of a leaf."""
        key, at = random.choice(sorted(pages.rows[table].items()))
        self.flip(at + len(key), random.randrange(8))

    def check_salvage_of(self, table, sites, others):
        """What is saved although a row of the table is damaged."""
        to = self.folder() / "new"
        report, lost = self.salvage(to)
        self.assertIn(f"table {table}, ", lost)
        self.assertEqual(report["sites_saved"] + report["sites_learned"],
                         sites, lost)
        daemon = self.daemon_on(to)
        for host, before in others.items():
            self.assertEqual(daemon.partition(host), before, lost)
        daemon.remove()

    def test_of_each_table_the_rest_is_saved(self):
        self.fill_all_tables()
        hosts = [s["host"] for s in self.old.start().json("/v1/sites")["sites"]]
        before = {host: self.old.partition(host) for host in hosts}
        self.old.stop()
        self.whole = self.data.read_bytes()
        pages = Pages(self.data)
        self.assertEqual(len(pages.rows.keys() - {"main", "free"}), TABLES - len(EMPTY))
        for table in pages.rows.keys() - {"main", "free"}:
            with self.subTest(table=table):
                self.flip_row(pages, table)
                # With a body, what the template is learned from is lost.
                less = table in ("bodies", "body_pieces", "dictionaries",
                                 "pages", "sites")
                try:
                    self.check_salvage_of(table, len(hosts),
                                          {} if less else before)
                finally:
                    self.data.write_bytes(self.whole)

    def test_salvage_of_any_damage_gives_a_whole_store(self):
        pages = Pages(self.data)
        for _ in range(ROUNDS):
            self.data.write_bytes(self.whole)
            damage = bytearray(self.whole)
            page = random.randrange(2, len(self.whole) // pages.size)
            damage[page * pages.size:(page + 1) * pages.size] = bytes(
                random.randbytes(pages.size))
            self.data.write_bytes(damage)
            to = self.folder() / "new"
            done = ctl("recover", self.old.store, to)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            if done.returncode == 0:
                verified = ctl("verify", "--store", to)
                self.assertEqual(verified.returncode, 0, verified.stdout)
            else:
                self.assertIn("damaged", done.stderr)


def print_cuts(count):
    """The file cut at so many sizes: verify, restore and the daemon."""
    case = Damage("setUp")
    case.setUp()
    try:
        sizes = random.choices(range(len(case.whole) * 9 // 10), k=count)
        for size in sizes:
            case.try_cut(size)
            case.cut(size)
            case.try_start()
        print(f"{count} of {count} cuts are answers of verify, restore and "
              "the daemon")
    finally:
        case.doCleanups()


def print_table(count):
    case = Damage("setUp")
    case.setUp()
    try:
        pages = Pages(case.data)
        print("| table | live bytes | flips | found |\n|-|-:|-:|-:|")
        total = 0
        for table in pages.spans:
            found = case.try_flips(table, count)
            total += found
            print(f"| {table} | {pages.live_bytes(table)} | {count} | "
                  f"{found} |", flush=True)
        print(f"| all | | {count * len(pages.spans)} | {total} |")
    finally:
        case.doCleanups()


def print_values(count):
    case = Damage("setUp")
    case.setUp()
    try:
        print(case.flip_values(count), end="")
    finally:
        case.doCleanups()


if __name__ == "__main__":
    COMMANDS = {"table": (print_table, 1000), "cuts": (print_cuts, 100),
                "values": (print_values, 1000)}
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        run, default = COMMANDS[sys.argv[1]]
        run(int(sys.argv[2]) if len(sys.argv) > 2 else default)
    else:
        harness.main()
