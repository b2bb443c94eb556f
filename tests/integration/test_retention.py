"""What is kept, the backup of a store at work and its way back, and the file
that is made smaller; killed at any instant, one whole store is there."""

import os
import random
import signal
import subprocess
import threading
import time

import harness

PAGES = 60
# Those keep their bodies that methods learn from, the sample that the template
# is watched by, which may be among them, and the index.
KEPT = range(32, 32 + 16 + 2)
ROUNDS = 20
NOTES = 500  # pages of an archive


def write_site(folder):
    """PAGES pages of one template, and one that leads to all of them."""
    links = "".join(f"<li><a href=/p/{i}.html>Page {i}</a></li>"
                    for i in range(PAGES))
    (folder / "p").mkdir()
    (folder / "index.html").write_text(
        f"<html><title>All</title><body><h1>All pages</h1><ul>{links}</ul>")
    for i in range(PAGES):
        words = " ".join(f"word{i * 31 + k}" for k in range(120))
        (folder / "p" / f"{i}.html").write_text(
            f"<html><head><title>Page {i}</title></head><body>"
            f"<nav class=menu><a href=/>Home</a></nav><article><h1>Page {i}"
            f"</h1><p>The text of page {i}: {words}.</p></article>"
            f"<footer><p>Printed by the same press</p></footer></body></html>")
    return folder


def archive(count):
    """A WARC file of `count` pages of a site that nobody crawls."""
    records = []
    for i in range(count):
        body = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
                b"<html><title>Note %d</title><body><div class=note><h1>Note "
                b"%d</h1><p>What the note %d says.</p></div></body></html>"
                % (i, i, i))
        records.append(
            b"WARC/1.0\r\nWARC-Type: response\r\n"
            b"WARC-Target-URI: http://notes.test/%d\r\n"
            b"WARC-Date: 2026-01-01T00:00:00Z\r\n"
            b"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
            b"Content-Type: application/http; msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n"
            % (i, i, len(body), body))
    return b"".join(records)


def tool(*arguments):
    return [str(harness.PROGRAMS / "templatectl"), *map(str, arguments)]


def kill_later(arguments, pause_s):
    """Run, and kill -9 after a while; the exit status."""
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        return process.wait(pause_s)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait(30)


class Keep(harness.Case):
    def setUp(self):
        seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
        print(f"SEED={seed}")
        random.seed(seed)

    def site(self):
        return self.web(write_site(self.folder()))

    def bodies(self, daemon):
        for line in daemon.get("/metrics").text.splitlines():
            if line.startswith('templated_rows{table="bodies"} '):
                return int(line.split()[-1])
        raise AssertionError("no rows of bodies")

    def without_body(self, daemon, web):
        """A page that was dropped, and the answer that says so."""
        for i in range(PAGES):
            url = f"{web.url}p/{i}.html"
            answer = daemon.get("/v1/text", url=url)
            if answer.status != 200:
                return url, answer
        raise AssertionError("every page has its body")

    def copy(self, daemon, *options):
        """A backup in a new folder."""
        folder = self.folder() / "copy"
        done = daemon.ctl("--json", "backup", *options, folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return folder

    # Bodies.

    def test_bodies_that_are_dropped_come_back(self):
        web = self.site()
        daemon = self.daemon({"retention": {"bodies_count": 1}})
        daemon.crawl(web.url)
        daemon.stop()
        daemon.start()
        harness.wait_until(lambda: self.bodies(daemon) in KEPT,
                           "the gc at the start")
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        url, answer = self.without_body(daemon, web)
        error = self.error_of(answer, 404, "body_expired")
        self.assertIn("fetch=always", error["message"])
        self.assertIn("retention.bodies_count", error["message"])
        number = url.split("/")[-1].split(".")[0]
        self.assertIn(f"The text of page {number}:",
                      daemon.text(url, fetch="always"))
        self.assertIn(f"The text of page {number}:", daemon.text(url))
        url, _ = self.without_body(daemon, web)
        self.assertIn("The text of page", daemon.text(url, fetch="missing"))
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_limits_count_from_a_reload_on(self):
        web = self.site()
        daemon = self.daemon()
        daemon.crawl(web.url)
        self.assertEqual(self.bodies(daemon), PAGES + 1)
        daemon.configure({"retention": {"bodies_age": "1 ms",
                                   "events_count": 7}})
        os.kill(daemon.process.pid, signal.SIGHUP)
        harness.wait_until(lambda: self.bodies(daemon) in KEPT,
                           "the gc behind a reload")
        harness.wait_until(
            lambda: len(daemon.get("/v1/events").text.splitlines()) == 7,
            "the oldest events behind a reload")
        self.assertNotIn("need a restart", daemon.messages())

    def test_a_page_without_body_is_asked_for_with_its_etag(self):
        web = self.site()
        daemon = self.daemon({"retention": {"bodies_age": "1 ms"}})
        daemon.crawl(web.url, revisit_interval_s=1)
        harness.wait_until(
            lambda: sum(row[2] == 304 for row in web.requests()) > PAGES,
            "the second visits")
        daemon.configure({"retention": {"bodies_age": "2 ms"}})
        os.kill(daemon.process.pid, signal.SIGHUP)
        harness.wait_until(lambda: self.bodies(daemon) in KEPT,
                           "the gc behind a reload")
        # Visits go on as before, and cost next to nothing.
        count = len(web.requests())
        harness.wait_until(lambda: len(web.requests()) > count + PAGES,
                           "more visits")
        later = web.requests()[count + 5:]
        self.assertEqual({row[2] for row in later
                          if row[1].startswith("/p/")}, {304})
        url, _ = self.without_body(daemon, web)
        self.assertIn("The text of page", daemon.text(url, fetch="always"))

    # Backup and restore.

    def test_backup_while_it_crawls_and_ingests(self):
        web = self.web()
        other = self.site()
        daemon = self.daemon()
        daemon.crawl(other.url)
        daemon.watch(web.url, delay_ms=10)
        notes = []
        ingest = threading.Thread(
            target=lambda: notes.append(daemon.post("/v1/ingest",
                                                    archive(NOTES))))
        ingest.start()
        folder = self.copy(daemon)
        ingest.join()
        self.assertEqual(notes[0].json["pages"], NOTES, notes[0].text)
        self.assertEqual(oct(folder.stat().st_mode & 0o777), "0o700")
        self.assertEqual(
            oct((folder / "data.mdb").stat().st_mode & 0o777), "0o600")
        daemon.wait_for(web.host)
        wanted = daemon.partition(other.host)

        restored = harness.Daemon()
        self.addCleanup(restored.remove)
        done = harness.run(tool("--json", "restore", folder, "--config",
                                restored.conf))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        restored.verify_store()
        restored.start()
        self.assertEqual(restored.partition(other.host), wanted)
        restored.wait_for(web.host)  # and the crawl goes on from there
        self.assertEqual(restored.partition(web.host),
                         daemon.partition(web.host))

    def test_backups_are_not_mixed_up(self):
        web = self.site()
        daemon = self.daemon()
        daemon.crawl(web.url)
        folder = self.copy(daemon, "--no-verify")
        again = daemon.ctl("backup", folder)
        self.assertEqual(again.returncode, 1)
        self.assertIn("--force", again.stderr)
        self.assertEqual(
            daemon.ctl("backup", "--force", folder).returncode, 0)
        self.assertEqual(sorted(p.name for p in folder.iterdir()),
                         ["data.mdb", "lock", "lock.mdb"])
        # Not into the folder of the store itself, whatever is said.
        own = daemon.ctl("backup", "--force", daemon.store)
        self.assertEqual(own.returncode, 1)
        self.assertIn("uses it", own.stderr)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_restore_asks_before_it_replaces(self):
        web = self.site()
        daemon = self.daemon()
        daemon.crawl(web.url)
        folder = self.copy(daemon)
        store = ["--store", daemon.store]
        busy = harness.run(tool("restore", folder, "--force", *store))
        self.assertEqual(busy.returncode, 1)
        self.assertIn("uses it", busy.stderr)
        daemon.request("DELETE", f"/v1/sites/{web.host}")
        daemon.stop()
        there = harness.run(tool("restore", folder, *store))
        self.assertEqual(there.returncode, 1)
        self.assertIn("--force", there.stderr)
        done = harness.run(tool("restore", folder, "--force", *store))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("data.mdb.before-", done.stdout)
        names = os.listdir(daemon.store)
        self.assertEqual(
            len([n for n in names if n.startswith("data.mdb.before-")]), 1)
        self.assertEqual(daemon.verify_store()["pages"], PAGES + 1)
        daemon.start()
        self.assertEqual(len(daemon.clusters(web.host)), 2)

    def test_what_is_no_backup_is_refused(self):
        folder = self.folder()
        target = folder / "target"
        (folder / "data.mdb").write_bytes(b"no store" * 4096)
        for source in (folder, folder / "nothing"):
            done = harness.run(tool("restore", source, "--store", target))
            self.assertEqual(done.returncode, 1)
            self.assertTrue(done.stderr)
            self.assertFalse((target / "data.mdb").exists())

    def test_killed_restore_leaves_the_old_or_the_new_store(self):
        web = self.site()
        daemon = self.daemon()
        daemon.crawl(web.url)
        folder = self.copy(daemon)
        daemon.request("DELETE", f"/v1/sites/{web.host}")
        daemon.stop()
        restore = tool("restore", folder, "--force", "--store", daemon.store)
        begin = time.monotonic()
        subprocess.run(restore, check=True, stdout=subprocess.DEVNULL)
        whole_s = time.monotonic() - begin
        seen = set()
        for _ in range(ROUNDS):
            empty = self.daemon()
            empty.stop()
            kill_later(tool("restore", folder, "--force", "--store",
                            empty.store), random.uniform(0, whole_s * 1.2))
            pages = empty.verify_store()["pages"]
            self.assertIn(pages, (0, PAGES + 1))
            seen.add(pages)
            empty.start()
            self.assertEqual(empty.json("/v1/verify")["pages"], pages)
            self.assertFalse(os.path.exists(f"{empty.store}/data.mdb.new"))
            empty.remove()
        print(f"pages left by killed restores: {sorted(seen)}")

    # Compaction.

    def test_compact_gives_room_back(self):
        web = self.site()
        daemon = self.daemon()
        daemon.crawl(web.url)
        other = self.web()
        daemon.crawl(other.url)
        daemon.request("DELETE", f"/v1/sites/{other.host}")
        wanted = daemon.partition(web.host)
        size = os.path.getsize(f"{daemon.store}/data.mdb")
        done = daemon.ctl("--json", "compact")
        self.assertEqual(done.returncode, 0, done.stderr)
        after = os.path.getsize(f"{daemon.store}/data.mdb")
        self.assertLess(after, size / 2)
        self.assertIn(f'"after_bytes":{after}', done.stdout)
        self.assertEqual(daemon.partition(web.host), wanted)
        daemon.crawl(other.url)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        daemon.stop()
        daemon.verify_store()
        offline = harness.run(tool("compact", "--store", daemon.store))
        self.assertEqual(offline.returncode, 0, offline.stderr)
        daemon.verify_store()

    def test_compact_without_a_store(self):
        folder = self.folder()
        done = harness.run(tool("compact", "--store", folder / "none"))
        self.assertEqual(done.returncode, 1)
        self.assertFalse((folder / "none").exists())
        daemon = self.daemon()
        busy = harness.run(tool("compact", "--store", daemon.store))
        self.assertEqual(busy.returncode, 1)
        self.assertIn("uses it", busy.stderr)

    def test_compact_while_questions_are_asked(self):
        web = self.web()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=10)
        is_over = threading.Event()
        failures = []

        def ask():
            while not is_over.is_set():
                answer = daemon.get(f"/v1/sites/{web.host}")
                if answer.status != 200:
                    failures.append(answer.text)
        askers = [threading.Thread(target=ask) for _ in range(3)]
        for asker in askers:
            asker.start()
        for _ in range(20):
            done = daemon.ctl("compact")
            self.assertEqual(done.returncode, 0, done.stderr)
        daemon.wait_for(web.host)
        is_over.set()
        for asker in askers:
            asker.join()
        self.assertEqual(failures, [])
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_killed_while_it_compacts(self):
        web = self.web()
        calm = self.daemon()
        calm.crawl(web.url)
        wanted = calm.partition(web.host)
        calm.stop()
        daemon = self.daemon()
        daemon.watch(web.url, delay_ms=15)
        for _ in range(ROUNDS):
            process = subprocess.Popen(
                tool("-s", daemon.socket, "compact"),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.06))
            daemon.kill()
            process.wait(30)
            daemon.verify_store()
            daemon.start()
        daemon.wait_for(web.host)
        self.assertEqual(daemon.partition(web.host), wanted)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)


if __name__ == "__main__":
    harness.main()
