"""Law 5: a store that may not grow pauses the crawl, and serves on."""

import http.client
import os
import random
import subprocess

import harness

PAGES = 300
SECRET = b"a-secret-of-a-hook"


class Full(harness.Case):
    def site(self):
        """Pages that do not compress well, and link to the next ones."""
        folder = self.folder()
        source = random.Random(1)
        for number in range(PAGES):
            links = " ".join(f'<a href="/{n}.html">{n}</a>'
                             for n in range(number + 1, number + 5)
                             if n < PAGES)
            words = " ".join(f"<p>{source.randbytes(32).hex()}</p>"
                             for _ in range(500))
            name = f"{number or 'index'}.html"
            (folder / name).write_text(
                f"<html><body>{links}{words}</body></html>")
        return folder

    def failed_commits(self, daemon):
        return daemon.json("/v1/status")["pipeline"]["commit_failures"]

    def test_full_store_pauses_and_goes_on_with_more_room(self):
        web = self.web(self.site())
        daemon = self.daemon({"store": {"max_size": "4 MiB"}})
        daemon.watch(web.url, max_depth=PAGES)
        reason = harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["paused"],
            "the pause")
        self.assertTrue(reason)
        site = daemon.json(f"/v1/sites/{web.host}")
        self.assertGreater(site["pages"], 0)
        self.assertLess(site["pages"], PAGES)
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)
        self.assertTrue(daemon.text(web.url, method="plain"))
        store = daemon.json("/v1/status")["store"]
        self.assertLessEqual(store["live_bytes"] + store["free_bytes"],
                             store["max_bytes"])

        def rests():
            """Packing may have made room for some more pages."""
            harness.wait_until(lambda: daemon.json("/v1/status")["pipeline"]
                               ["fetches_in_progress"] == 0, "the last fetch")
            count = len(web.targets())
            # Each is a turn of the thread that gives out work.
            turns = self.failed_commits(daemon)
            harness.wait_until(lambda: self.failed_commits(daemon) >= turns + 3,
                               "three more attempts to write")
            return len(web.targets()) == count
        harness.wait_until(rests, "that it fetches no more while it is paused")
        self.assertLess(len(web.targets()), PAGES)
        daemon.stop()
        daemon.verify_store()

        daemon.configure({"store": {"max_size": "1 GiB"}})
        daemon.start()
        site = daemon.wait_for(web.host)
        self.assertEqual(site["pages"], PAGES)
        self.assertIsNone(daemon.json("/v1/status")["pipeline"]["paused"])
        self.assertEqual(daemon.json("/v1/verify")["problems"], 0)

    def test_a_full_disk_is_named_and_waited_for(self):
        disk = self.folder() / "disk"
        disk.mkdir()
        done = harness.run(["mount", "-t", "tmpfs", "-o", "size=3m,mode=0777",
                            "tmpfs", disk])
        if done.returncode != 0:
            self.skipTest("nobody but root may mount a small disk")
        self.addCleanup(harness.run, ["umount", disk])
        web = self.web(self.site())
        daemon = self.daemon({"store": {"path": str(disk / "store")}})
        self.addCleanup(daemon.stop)
        wait = subprocess.Popen(
            [harness.PROGRAMS / "templatectl", "-s", daemon.socket, "watch",
             web.url, "--allow-private", "--wait", "--max-depth", str(PAGES)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(wait.stdout.close)
        self.addCleanup(wait.stderr.close)
        self.addCleanup(wait.wait)
        self.addCleanup(wait.kill)
        said = wait.stderr.readline()
        self.assertIn("the crawl is paused: ", said)
        for text in (said, daemon.messages()):
            self.assertIn(f"{disk}/store/data.mdb: ", text)
            self.assertRegex(
                text, "No space left on device|0 KiB are free on its disk")
        self.assertEqual(harness.run(["mount", "-o", "remount,size=256m",
                                      disk]).returncode, 0)
        self.assertIn("the crawl continues", wait.stderr.readline())
        self.assertIsNone(daemon.json(f"/v1/sites/{web.host}")["paused"])
        self.assertEqual(wait.wait(harness.PATIENCE_S), 0)

    def test_site_can_be_deleted_from_a_full_store(self):
        web = self.web(self.site())
        daemon = self.daemon({"store": {"max_size": "4 MiB"}})
        daemon.watch(web.url, max_depth=PAGES)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["paused"],
            "the pause")
        answer = daemon.request("DELETE", f"/v1/sites/{web.host}")
        self.assertEqual(answer.status, 200, answer.text)
        harness.wait_until(
            lambda: not daemon.json("/v1/status")["pipeline"]["paused"],
            "the end of the pause")

    def full_disk(self):
        """A folder on a disk of its own, of which the rest can be filled."""
        folder = self.folder() / "disk"
        folder.mkdir()
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0777", "none",
                 folder], check=False, capture_output=True).returncode != 0:
            self.skipTest("no file system can be mounted")
        self.addCleanup(subprocess.run, ["umount", "-l", folder], check=True)
        return folder

    def test_what_was_set_up_is_taken_away_on_a_full_disk(self):
        disk = self.full_disk()
        port = harness.free_port()
        daemon = self.daemon({"store": {"path": str(disk / "store")},
                              "hooks": {"allowed_networks": ["127.0.0.0/8"]},
                              "listen": {"address": f'"127.0.0.1:{port}"'}})
        daemon.watch("http://127.0.0.1:9/")
        for path, body in (
                ("/v1/hooks", {"target": "http://127.0.0.1:9/x",
                               "secret": SECRET.decode()}),
                ("/v1/hooks", {"target": "http://127.0.0.1:9/y"}),
                ("/v1/sites/127.0.0.1:9/guards", {"css": "p"}),
                ("/v1/tokens", {"name": "leaked", "role": "write"})):
            answer = daemon.post(path, body)
            self.assertEqual(answer.status, 201, answer.text)
        token = answer.json["token"]
        answer = daemon.post("/v1/silences", {"event": 1})
        self.assertEqual(answer.status, 200, answer.text)
        self.fill(disk)
        self.assertEqual(daemon.post("/v1/tokens", {"name": "x"}).status, 507)
        for path in ("/v1/tokens/leaked", "/v1/hooks/1", "/v1/silences/1",
                     "/v1/sites/127.0.0.1:9/guards/1",
                     "/v1/sites/127.0.0.1:9", "/v1/hooks/2"):
            answer = daemon.request("DELETE", path)
            self.assertEqual(answer.status, 200, path + answer.text)
            self.fill(disk)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/v1/hooks", headers={
            "Authorization": "Bearer " + token})
        self.assertEqual(connection.getresponse().status, 401)
        connection.close()
        self.assertEqual(daemon.json("/v1/hooks")["hooks"], [])
        self.assertNotIn(SECRET, (disk / "store/secrets").read_bytes())
        daemon.stop()
        daemon.start()
        self.assertEqual(daemon.json("/v1/tokens")["tokens"], [])
        self.assertEqual(daemon.json("/v1/sites")["sites"], [])

    def fill(self, disk):
        """Somebody else takes every byte that is free."""
        with open(disk / "fill", "ab", buffering=0) as file:
            for size in (65536, 4096):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass


if __name__ == "__main__":
    harness.main()
