"""templatectl partition: what one daemon has learned, for a cluster."""

import json
import pathlib
import shutil
import socket
import subprocess
import sys

import harness

CTL = harness.PROGRAMS / "templatectl"
# It has nothing to do by itself.
CALM = {"watch": {"check_interval": "0 s"}}


class Partitions(harness.Case):
    @classmethod
    def setUpClass(cls):
        # names of different partitions, or of one: whatever they hash to
        port = harness.free_port()
        web = harness.Web(harness.SITE, "".join(
            f"listen 127.0.0.{n}:{port};" for n in (2, 3, 4)))
        cls.addClassCleanup(web.stop)
        cls.hosts = [f"127.0.0.{n}:{port}" for n in (2, 3, 4)]
        old = harness.Daemon(CALM)
        cls.addClassCleanup(old.remove)
        cls.old, cls.before = old.store, cls.crawl(old.start())
        old.stop()

    def setUp(self):
        self.depot = self.folder()
        self.keys = harness.secret_file(self.folder(), 0xc0)

    def ctl(self, *arguments, status=0):
        """(what it prints as JSON, what it says)."""
        done = harness.run([CTL, "--json", "partition", *arguments])
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout) if done.stdout else None, done.stderr

    @classmethod
    def known(cls, daemon):
        """All that the daemon answers about its sites."""
        sites = {}
        for host in cls.hosts:
            site = daemon.json(f"/v1/sites/{host}")
            pages = [page for cluster in daemon.clusters(host)
                     for page in daemon.pages(cluster["id"])]
            sites[host] = (
                site["pages"], site["templates"], site["threshold"],
                daemon.clusters(host), daemon.partition(host),
                {page: daemon.text(page, method="df+")
                 for page in sorted(pages)[::7]})
        events = [{k: v for k, v in json.loads(line).items() if k != "seq"}
                  for line in daemon.get("/v1/events").text.splitlines()]
        return sites, events

    def assert_known(self, daemon, known):
        sites, events = self.known(daemon)
        for host in self.hosts:
            self.assertTrue(sites[host] == known[0][host], host)
        self.assertEqual(events[:len(known[1])], known[1])

    @classmethod
    def crawl(cls, daemon):
        """What the daemon knows of three sites."""
        # nobody is there: all events wait, in each of the partitions
        daemon.post("/v1/hooks", {"target": "http://127.0.0.1:1/x",
                                  "kinds": "*", "secret": "k"})
        for host in cls.hosts:
            daemon.watch(f"http://{host}/", max_pages=30,
                         headers={"X-Key": "mine"} if host == cls.hosts[1]
                         else {})
        for host in cls.hosts:
            daemon.wait_for(host)
            daemon.wait_for_names(host)
        daemon.wait_for_calm()
        known = [None]

        def is_settled():
            before, known[0] = known[0], cls.known(daemon)
            return before == known[0] and \
                daemon.json("/v1/hooks/1")["queued"] > 0
        harness.wait_until(is_settled, "an end of what it finds")
        return known[0]

    def restored(self, depot, *more):
        """A store of what is in the depot, checked."""
        store = self.folder() / "store"
        self.ctl("import", "--store", store, "--snapshot-store", depot, *more)
        done = harness.run([CTL, "--json", "verify", "--store", store])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return store

    def start_on(self, store):
        daemon = harness.Daemon({"store": {"path": str(store)}, **CALM})
        daemon.store = str(store)
        self.addCleanup(daemon.remove)
        harness.give(store.parent)
        return daemon.start()

    def broker(self):
        """A server of NATS for one node; its URL, or None where there is none.
        """
        program = shutil.which("nats-server")
        if program is None or not (harness.PROGRAMS /
                                   "templated-nats.so").exists():
            return None
        place, port = self.folder(), harness.free_port()
        conf = place / "nats.conf"
        conf.write_text(f'listen: 127.0.0.1:{port}\n'
                        f'jetstream {{ store_dir: "{place}" }}\n')
        server = subprocess.Popen([program, "-c", conf],
                                  stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.terminate)

        def is_there():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", port)) == 0
        harness.wait_until(is_there, "the broker")
        return f"nats://127.0.0.1:{port}"

    def test_a_cluster_starts_from_a_depot(self):
        servers = self.broker()
        if servers is None:
            self.skipTest("nats-server, or our module for it, is not there")
        old, known = self.old, self.before
        self.ctl("migrate", "--store", old, "--snapshot-store", self.depot,
                 "--with-secrets", "--encryption-key-file", self.keys)
        harness.give(self.depot)
        daemon = self.daemon({**CALM, "nodes": {
            "broker_urls": f'"{servers}"', "name": "one", "replicas": 1,
            "log_replicas": 1, "snapshot_store": f'"{self.depot}"',
            "encryption_key_file": self.keys}})
        harness.wait_until(
            lambda: len(daemon.json("/v1/sites")["sites"]) == 3, "the sites")
        sites = harness.wait_until(lambda: self.answered(daemon), "answers")
        for host in self.hosts:
            self.assertTrue(sites[host] == known[0][host], host)

    def test_a_cluster_does_not_start_on_the_store_of_one(self):
        daemon = harness.Daemon({
            "store": {"path": self.old}, **CALM, "nodes": {
                "broker_urls": '"nats://127.0.0.1:1"', "name": "one"}})
        self.addCleanup(daemon.remove)
        harness.give(pathlib.Path(self.old).parent)
        daemon.launch()
        self.assertEqual(daemon.process.wait(30), 1)
        self.assertIn("templatectl partition migrate", daemon.messages())

    def answered(self, daemon):
        """What known() says, or None while a partition has no owner."""
        try:
            return self.known(daemon)[0]
        except AssertionError:
            return None

    def test_a_store_becomes_a_depot_and_a_store_again(self):
        old, known = self.old, self.before
        before = self.ctl("list", "--store", old)[0]
        self.assertFalse(before["is_of_cluster"])
        self.assertGreater(len(before["partitions"]), 2)
        report, said = self.ctl("migrate", "--store", old, "--snapshot-store",
                                self.depot)
        self.assertEqual(report["sites"], 3)
        self.assertGreaterEqual(report["events"], len(known[1]))
        self.assertEqual((report["secrets"], report["secrets_copied"]), (3, 0))
        self.assertIn("omitted", said)
        # the old one is what it was
        self.assertFalse(self.ctl("list", "--store",
                                  old)[0]["is_of_cluster"])
        store = self.restored(self.depot)
        after = self.ctl("list", "--store", store)[0]
        self.assertTrue(after["is_of_cluster"])
        self.assertEqual(after["partitions"], before["partitions"])
        daemon = self.start_on(store)
        self.assertEqual(daemon.json(f"/v1/sites/{self.hosts[1]}")["state"],
                         "no_credentials")
        self.assert_known(daemon, known)
        daemon.stop()
        # a cluster that has begun is not begun again
        said = self.ctl("migrate", "--store", old, "--snapshot-store", self.depot,
                        status=1)[1]
        self.assertIn("already", said)
        self.assertIn("already", self.ctl(
            "import", "--store", store, "--snapshot-store", self.depot, status=1)[1])

    def test_secrets_and_single_partitions(self):
        old, known = self.old, self.before
        report = self.ctl("migrate", "--store", old, "--snapshot-store",
                          self.depot, "--with-secrets", "--encryption-key-file",
                          self.keys)[0]
        self.assertEqual(report["secrets_copied"], 3)
        self.assert_sealed()
        first = self.restored(self.depot, "--encryption-key-file", self.keys)
        second = self.folder() / "store"
        files = self.folder()
        for row in self.ctl("list", "--store", first)[0]["partitions"]:
            number = str(row["partition"])
            self.ctl("export", number, files / number, "--store", first,
                     "--with-secrets", "--encryption-key-file", self.keys)
            self.ctl("import", files / number, "--store", second,
                     "--encryption-key-file", self.keys)
            self.assertIn("--force", self.ctl(
                "import", files / number, "--store", second, status=1)[1])
            self.ctl("import", files / number, "--store", second, "--force",
                     "--encryption-key-file", self.keys)
        daemon = self.start_on(second)
        self.assertEqual(daemon.json(f"/v1/sites/{self.hosts[1]}")["state"],
                         "exhausted")
        self.assert_known(daemon, known)
        # it is in use
        self.assertIn("stop the", self.ctl("import", files / number, "--store",
                                          second, status=1)[1])
        daemon.stop()
        daemon.verify_store()
        # a file that is cut, and a store without partitions
        whole = (files / number).read_bytes()
        (files / number).write_bytes(whole[:-1])
        self.assertIn("damaged", self.ctl("import", files / number, "--store",
                                          second, "--force", status=1)[1])
        (files / number).write_bytes(whole)
        for words in (("import", files / number, "--force"),
                      ("export", number, files / "x")):
            self.assertIn("not a store of a node", self.ctl(
                *words, "--store", old, status=1)[1])
        self.assertFalse((files / "x").exists())

    def assert_sealed(self):
        """What the depot has can be read with the key alone."""
        for path in self.depot.rglob("*.tpl"):
            bytes_ = path.read_bytes()
            frame = bytes_[bytes_.index(b"\x28\xb5\x2f\xfd"):]
            # behind the frame are bytes of the depot, which it complains of
            rows = subprocess.run(["zstd", "-dc"], input=frame, check=False,
                                  capture_output=True).stdout
            self.assertGreater(len(rows), 60)
            self.assertNotIn(b"X-Key: mine", rows)
        store = self.folder() / "store"
        other = harness.secret_file(self.folder(), 0xc1)
        for words in ((), ("--encryption-key-file", other)):
            self.assertIn("--encryption-key-file", self.ctl(
                "import", "--store", store, "--snapshot-store", self.depot, "--force",
                *words, status=1)[1])

    def test_what_is_wrong_is_said(self):
        store = self.folder() / "none"
        for words, status, said in (
                (("list",), 2, "--store"),
                (("list", "--store", store), 1, "no store"),
                (("export", "999", "x", "--store", store), 2, "0 to 256"),
                (("import", "--store", store), 2, "--snapshot-store"),
                (("migrate", "--store", store), 2, "--snapshot-store"),
                (("export", "9", "x", "--store", store, "--with-secrets"), 2,
                 "--encryption-key-file"),
                (("import", "/nowhere", "--store", store), 1, "not found"),
                (("migrate", "--store", store, "--snapshot-store", "/nowhere"), 1,
                 "nodes.snapshot_store /nowhere"),
                (("migrate", "--store", store, "--snapshot-store", self.depot), 1,
                 "no store")):
            with self.subTest(words):
                self.assertIn(said, self.ctl(*words, status=status)[1])


if __name__ == "__main__":
    sys.exit(harness.main())
