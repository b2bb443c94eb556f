"""Jobs that others publish to the stream: those that can never be done hold up
none, and none is done again when its partition is taken again."""

import json
import re
import signal
import struct
import subprocess
import time

import broker
import harness
import jetstream

PAGE = "<html><body><p>Some text of a page that has some.</p></body></html>"


class Jobs(harness.Case):

    def setUp(self):
        self.servers = broker.Broker(1)
        self.addCleanup(self.servers.remove)
        self.port = self.web().port
        self.node = broker.Node("a", self.servers, {
            "nodes": {"log_replicas": 1}, "crawl": {"max_sites": 2}})
        self.addCleanup(self.node.remove)
        self.begin()
        self.stream = jetstream.JetStream(self.servers.ports[0])
        self.addCleanup(self.stream.close)

    def begin(self):
        self.node.start()

        def owns_all():
            facts = self.node.json("/v1/nodes")
            return sum(row["owned"] for row in facts["nodes"]) == 257
        harness.wait_until(owns_all, "the node to own all")

    def host(self, name):
        """All of one domain, and so of one partition."""
        return f"{name}.jobs.localhost:{self.port}"

    def url(self, name, path=""):
        return f"http://{self.host(name)}/{path}"

    def publish(self, partition, *jobs):
        for job in jobs:
            self.stream.request(f"tpl.job.{partition:03}.{job['verb']}",
                                json.dumps(job).encode())
        hint = struct.pack("=QHxxxxxx", 0, partition)
        self.stream.socket.sendall(b"PUB tpl.hint.jobs %d\r\n%s\r\n" %
                                   (len(hint), hint))

    def wait_for_jobs(self, count):
        harness.wait_until(
            lambda: f"\ntemplated_node_import_jobs_total {count}\n" in
            self.node.get("/metrics").text, f"{count} jobs")

    def status(self, name):
        return self.node.get(f"/v1/sites/{self.host(name)}").status

    def find_partition(self):
        """As it is told of one that has another subject."""
        self.publish(0, {"verb": "seed", "url": self.url("a")})
        self.wait_for_jobs(1)
        said = re.search(r"another partition: publish it on tpl\.job\.(\d+)\."
                         r"seed; skipping it", self.node.messages())
        self.assertIsNotNone(said, self.node.messages())
        self.assertEqual(self.status("a"), 404)
        return int(said[1])

    def test_jobs(self):
        partition = self.find_partition()
        self.publish(
            partition,
            {"verb": "seed", "url": self.url("a")},
            {"verb": "seed", "url": "http://elsewhere.example/"},
            {"verb": "seed", "url": self.url("b")},
            {"verb": "seed", "url": self.url("c")},
            {"verb": "recrawl", "url": self.url("c")},
            {"verb": "ingest", "url": self.url("c"), "html": PAGE},
            {"verb": "ingest", "url": self.url("a", "own.html"), "html": PAGE},
            {"verb": "recrawl", "url": self.url("a")},
            {"verb": "delete", "host": self.host("b")})
        self.wait_for_jobs(10)
        self.assertEqual([self.status(name) for name in "abc"],
                         [200, 404, 404])
        self.assertEqual(self.node.get("/v1/pages", url=self.url(
            "a", "own.html")).status, 200)
        # one line a minute, whatever others publish
        messages = self.node.messages()
        self.assertEqual(messages.count("skipping it"), 1, messages)
        self.node.watch(self.url("b"))
        refused = self.node.post("/v1/sites", {"url": self.url("c")})
        self.assertIn("crawl.max_sites",
                      self.error_of(refused, 413, "too_large")["message"])
        # what was done is done once, by whoever has the partition
        self.node.stop()
        self.assertIn("(the last of 4 lines of this kind left out)",
                      self.node.messages())
        self.begin()
        self.publish(partition, {"verb": "recrawl", "url": self.url("b")})
        self.wait_for_jobs(1)
        self.assertEqual([self.status(name) for name in "abc"],
                         [200, 200, 404])

    def test_seeding_that_was_killed_goes_on(self):
        path = self.folder() / "seeds"
        urls = [self.url("a", i) for i in range(6000)]
        path.write_text("\n".join(urls) + "\n", "utf-8")
        place = path.with_name("seeds.seeded")
        command = [harness.PROGRAMS / "templatectl", "-s", self.node.socket,
                   "--json", "site", "import", "--async", path]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as seeding:
            while not place.exists() and seeding.poll() is None:
                time.sleep(0.002)
            seeding.kill()
        self.assertEqual(seeding.returncode, -signal.SIGKILL)
        taken = int(place.read_text("utf-8").split()[0])
        self.assertLess(taken, len(urls))
        told = json.loads(self.node.ctl("--json", "site", "import", "--async",
                                        str(path)).stdout)
        self.assertEqual(told["taken"], len(urls) - taken)  # known or not
        self.assertFalse(place.exists())
        self.assertEqual([json.loads(data)["url"] for _, data in
                          self.stream.entries("TPL_JOBS")], urls)

    def found(self, host):
        """Addresses of the site, by whoever answers, however old."""
        answer = self.node.get(f"/v1/sites/{host}", stale="ok")
        return answer.json["found"] if answer.status == 200 else 0

    def done(self):
        return int(re.search(r"\ntemplated_node_import_jobs_total (\d+)\n",
                             self.node.get("/metrics").text)[1])

    def test_a_node_that_is_killed_does_no_seed_twice(self):
        partition, count = self.find_partition(), 3000
        host = "a.jobs.localhost:9"  # nobody listens there
        for i in range(count):
            self.stream.request(
                f"tpl.job.{partition:03}.seed",
                json.dumps({"verb": "seed", "url": f"http://{host}/{i}"})
                .encode())
        self.publish(partition)  # a hint alone
        harness.wait_until(lambda: self.done() > 300, "some of them")
        self.node.kill()
        # what the store has, before anything else is done
        self.servers.kill(0)
        self.node.start()
        before = self.found(host)
        self.assertTrue(0 < before < count, before)
        self.servers.start(0)
        self.begin()
        harness.wait_until(lambda: self.found(host) == count, "all of them")
        # one group may be in the log alone: it is done, and not done again
        harness.wait_until(lambda: self.done() >= count - before - 256,
                           "the rest")
        self.assertLessEqual(self.done(), count - before)


if __name__ == "__main__":
    broker.needed()
    harness.main()
