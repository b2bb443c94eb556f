"""Servers that give entries other numbers than they acknowledged, of the log
and of the rows: nobody loses a partition by it, and no copy an entry."""

import http.server
import sys
import threading
import time
import unittest

import broker
import harness
import jetstream

SITES = 8  # domains of their own
# Long enough that a busy machine loses none by itself.
LEASE_S = 4
# After a crawl, also where it waits for a busy disk.
QUIET_S = 2


class Page(http.server.BaseHTTPRequestHandler):
    """One page, so that the crawl of its site ends at once."""

    def do_GET(self):
        body = b"<html><body><p>Here.</p></body></html>"
        self.send_response(200 if self.path == "/" else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Renumbered(unittest.TestCase):

    def setUp(self):
        self.broker = broker.Broker(count=1)
        self.addCleanup(self.broker.remove)
        self.cluster = broker.Cluster(self.broker, count=2, log_replicas=1,
                                      lease_duration=f"{LEASE_S} s")
        self.addCleanup(self.cluster.remove)
        self.cluster.start().settle()
        self.hosts = [self.serve(f"127.0.0.{i + 2}") for i in range(SITES)]
        for host in self.hosts:
            self.cluster.watch(f"http://{host}/")

    def serve(self, address):
        server = http.server.ThreadingHTTPServer((address, 0), Page)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"{address}:{server.server_port}"

    def quiet_server(self):
        """When nothing is written: the crawls of the sites have ended. An entry
        that comes while its log is replaced would be lost with it."""
        server = jetstream.JetStream(self.broker.ports[0])
        self.addCleanup(server.close)
        last, since = None, 0

        def is_quiet():
            nonlocal last, since
            now = server.ask("INFO", "TPL_LOG")["state"]["last_seq"]
            if now != last:
                last, since = now, time.monotonic()
            return time.monotonic() - since > QUIET_S
        harness.wait_until(is_quiet, "a log that is quiet")
        return server

    def renumber(self, shift, stream="TPL_LOG"):
        self.quiet_server().renumber(stream, shift)

    def wait_for_owner(self, node):
        harness.wait_until(
            lambda: all(row["owner"] == node.name for row in
                        node.json("/v1/nodes")["partitions"]),
            f"all partitions at {node.name}")

    def epochs(self):
        return [row["epoch"] for row in
                self.cluster.nodes[0].json("/v1/nodes")["partitions"]]

    def guard_all(self, css):
        """Each is taken when it is asked for, not when somebody else owns the
        partition."""
        for host in self.hosts:
            answer = self.cluster.alive()[0].post(f"/v1/sites/{host}/guards",
                                                  {"css": css})
            self.assertIn(answer.status, (200, 201), answer.text)

    def expect_guards(self, count):
        """In all copies."""
        def are_there():
            return all(len(node.get(f"/v1/sites/{host}/guards",
                                    stale="ok").json.get("guards", [])) == count
                       for node in self.cluster.alive()
                       for host in self.hosts)
        harness.wait_until(are_there, f"{count} guards in all copies")

    def test_owners_and_copies_go_on(self):
        self.guard_all("p")
        self.expect_guards(1)
        before = self.epochs()
        for i, shift in enumerate((-1, 1, -2)):
            with self.subTest(shift=shift):
                self.renumber(shift)
                self.guard_all(f"p.no{i}")
                self.expect_guards(2 + i)
                self.assertEqual(self.epochs(), before, "\n".join(
                    node.messages() for node in self.cluster.nodes))

    def test_the_end_of_a_log_is_lost(self):
        """What it had is in the stores, and nobody has written behind it."""
        self.guard_all("p")
        self.expect_guards(1)
        for i, count in enumerate((1, SITES, 10 ** 6)):
            with self.subTest(count=count):
                self.quiet_server().cut("TPL_LOG", count)
                for host in self.hosts:
                    answer = self.cluster.must(
                        "POST", f"/v1/sites/{host}/guards",
                        {"css": f"p.no{i}"})
                    self.assertIn(answer.status, (200, 201), answer.text)
                self.expect_guards(2 + i)
        said = "".join(node.messages() for node in self.cluster.nodes)
        self.assertIn("have lost the end of its log", said)

    def test_rows_have_other_revisions(self):
        first, second = self.cluster.nodes
        before = self.epochs()
        for shift in (3, -2):
            with self.subTest(shift=shift):
                self.renumber(shift, "KV_tpl_facts")
                self.guard_all(f"p.no{shift}")
                time.sleep(LEASE_S)  # and two looks at the rows
                self.assertEqual(self.epochs(), before)
        said = first.messages().count("the broker does not respond")
        self.renumber(3, "KV_tpl_nodes")
        time.sleep(LEASE_S)
        self.assertEqual(self.epochs(), before)
        self.assertLess(first.messages().count("the broker does not respond"),
                        said + 2)
        self.assertEqual(second.ctl("node", "drain").returncode, 0)
        self.wait_for_owner(first)
        self.guard_all("i")

    def seed_sites(self, *names):
        """By jobs of one partition, and wait until they are there."""
        hosts = [f"{name}.jobs.localhost:{self.port}" for name in names]
        answer = self.cluster.alive()[0].post("/v1/imports", {"jobs": [
            {"verb": "seed", "url": f"http://{host}/"} for host in hosts]})
        self.assertEqual(answer.status, 202, answer.text)
        for host in hosts:
            harness.wait_until(lambda: self.status(host) == 200, host)
        return hosts

    def status(self, host):
        return self.cluster.must("GET", f"/v1/sites/{host}").status

    def test_jobs_take_the_numbers_of_those_that_are_done(self):
        """Each is done, by who did those before and by who comes after; none
        is done again, as that of a site that was deleted since."""
        self.port = harness.free_port()
        _, gone, last = self.seed_sites("a", "b", "c")
        self.cluster.must("DELETE", f"/v1/sites/{gone}")
        self.assertEqual(self.status(gone), 404)
        self.renumber(-1, "TPL_JOBS")
        self.seed_sites("d")
        self.renumber(-1, "TPL_JOBS")
        owner = self.cluster.owner_of(last)
        owner.kill()
        self.seed_sites("e", "f")
        self.renumber(2, "TPL_JOBS")
        self.seed_sites("g")
        self.assertEqual(self.status(gone), 404)

    def test_an_entry_takes_the_number_of_one_that_is_known(self):
        """What the copy knows as its last one is another entry now."""
        first, second = self.cluster.nodes
        self.assertEqual(second.ctl("node", "drain").returncode, 0)
        self.wait_for_owner(first)
        self.guard_all("p")
        self.expect_guards(1)
        second.kill()
        self.hosts.reverse()
        self.renumber(-1)
        self.guard_all("a")
        second.start()
        self.expect_guards(2)
        first.kill()
        self.wait_for_owner(second)
        for host in self.hosts:
            answer = self.cluster.must("GET", f"/v1/sites/{host}/guards")
            self.assertEqual(len(answer.json["guards"]), 2)
        self.guard_all("i")


if __name__ == "__main__":
    broker.needed()
    if "-v" not in sys.argv:
        sys.argv.append("-v")
    unittest.main()
