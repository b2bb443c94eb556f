"""A node that starts while no server of the broker answers: it says so, answers
what it has, refuses what it cannot do, and joins when there is one."""

import socket
import threading
import time

import broker
import harness
import jetstream

STOPS_WITHIN_S = 5


class Doors:
    """Ways to servers, which slam behind each who comes in when that is set, or
    let no word out that a stream has taken something."""

    def __init__(self, *ports):
        self.slams = False
        self.muted = None  # b'"stream":"NAME", "seq"'
        self.came = 0
        self.doors = [socket.create_server(("127.0.0.1", 0))
                      for _ in ports]
        self.urls = ", ".join(f"nats://127.0.0.1:{door.getsockname()[1]}"
                              for door in self.doors)
        self.inside = []
        for door in zip(self.doors, ports):
            threading.Thread(target=self.open, args=door, daemon=True).start()

    def open(self, door, port):
        while True:
            try:
                guest = door.accept()[0]
            except OSError:
                return
            self.came += 1
            host = socket.create_connection(("127.0.0.1", port))
            self.inside += [guest, host]
            if self.slams:
                threading.Timer(0.01, self.part, (guest, host)).start()
            for way in ((self.carry, guest, host), (self.tell, host, guest)):
                threading.Thread(target=way[0], args=way[1:],
                                 daemon=True).start()

    @staticmethod
    def carry(source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        Doors.part(source, target)

    def tell(self, source, target):
        """What the server says, message by message."""
        lines = source.makefile("rb")
        try:
            while line := lines.readline():
                words = line.split()
                if words and words[0] in (b"MSG", b"HMSG"):
                    line += lines.read(int(words[-1]) + 2)
                if self.muted is None or self.muted not in line:
                    target.sendall(line)
        except OSError:
            pass
        Doors.part(source, target)

    @staticmethod
    def part(*ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def slam(self):
        self.slams = True
        self.part(*self.inside)

    def close(self):
        self.part(*self.inside)
        for end in self.doors + self.inside:
            end.close()


class Begin(harness.Case):
    def setUp(self):
        self.servers = broker.Broker(1, starts=False)
        self.addCleanup(self.servers.remove)
        self.web_ = self.web()
        self.host = f"site.localhost:{self.web_.port}"

    def node(self, **rows):
        node = broker.Node("a", self.servers,
                           {"nodes": {"log_replicas": 1, **rows}})
        self.addCleanup(node.remove)
        return node

    def expect_alone(self, node):
        node.waits_for_owner = False
        facts = node.json("/v1/nodes")
        self.assertEqual(
            (facts["has_joined"], facts["is_connected"], facts["has_lease"]),
            (False, False, False))
        self.assertIn("No server available", facts["trouble"])
        said = node.ctl("node", "status").stdout
        self.assertRegex(said, r"has_joined +no\n")
        self.assertIn("No server available", said)
        refused = node.post("/v1/sites",
                            {"url": f"http://new.localhost:{self.web_.port}/"})
        self.assertEqual((refused.status, refused.headers["Retry-After"]),
                         (503, "1"), refused.text)
        jobs = {"jobs": [{"verb": "seed", "url": self.web_.url}]}
        self.assertEqual(node.post("/v1/imports", jobs).status, 503)
        self.assertEqual(
            node.request("DELETE", "/v1/nodes/b").status, 503)

    def expect_joined(self, node):
        node.waits_for_owner = True
        def owns_all():
            facts = node.json("/v1/nodes")
            return (facts["has_joined"] and facts["trouble"] is None and
                    sum(row["owned"] for row in facts["nodes"]) == 257)
        harness.wait_until(owns_all, "the node to own all")

    def expect_stale(self, node):
        node.waits_for_owner = False
        for path, arguments in (
                (f"/v1/sites/{self.host}", {}),
                ("/v1/sites", {}),
                (f"/v1/sites/{self.host}/templates", {}),
                ("/v1/text", {"url": f"http://{self.host}/"})):
            answer = node.get(path, **arguments)
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(answer.headers["X-Templated-Stale"], "true", path)
        for words in (("site", "list"), ("text", f"http://{self.host}/")):
            said = node.ctl(*words)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual(said.stderr.count("warning: "), 1, said.stderr)
            self.assertIn("may be stale", said.stderr)
        self.assertEqual(
            node.request("DELETE", f"/v1/sites/{self.host}").status, 503)

    def stop_soon(self, node):
        begin = time.monotonic()
        node.stop()
        self.assertLess(time.monotonic() - begin, STOPS_WITHIN_S)

    def test_joins_when_there_is_a_server(self):
        node = self.node().start()
        self.expect_alone(node)
        self.servers.start(0)
        self.expect_joined(node)
        pages = node.crawl(f"http://{self.host}/", max_pages=20)["pages"]
        self.stop_soon(node)
        self.servers.kill(0)
        node.start()
        self.expect_alone(node)
        self.expect_stale(node)
        self.servers.start(0)
        self.expect_joined(node)
        harness.wait_until(
            lambda: "X-Templated-Stale" not in node.get(
                f"/v1/sites/{self.host}").headers, "an answer of its own")
        self.assertEqual(node.json(f"/v1/sites/{self.host}")["pages"], pages)
        self.servers.kill(0)
        self.stop_soon(node)
        node.start()
        self.stop_soon(node)
        node.verify_store()

    def test_a_drained_node_stays_so(self):
        self.servers.start(0)
        node = self.node().start()
        self.expect_joined(node)
        for verb in ("drain", "resume"):
            said = node.ctl("node", verb)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.stop_soon(node)
            node.start()
            self.expect_joined(node)  # what no other node can have is its own
            row, = node.json("/v1/nodes")["nodes"]
            self.assertEqual(row["is_draining"], verb == "drain")

    def test_a_connection_that_ends_again_and_again(self):
        """libnats goes from one server to the next without a pause."""
        self.servers.start(0)
        doors = Doors(*3 * self.servers.ports[:1])
        self.addCleanup(doors.close)
        node = broker.Node("a", doors, {"nodes": {"log_replicas": 1}})
        self.addCleanup(node.remove)
        self.expect_joined(node.start())
        doors.slam()
        time.sleep(2)
        before = doors.came
        time.sleep(3)
        self.assertLess(doors.came - before, 75)
        doors.slams = False
        self.expect_joined(node)

    def test_a_leader_that_acknowledges_nothing(self):
        servers = broker.Broker(3)
        self.addCleanup(servers.remove)
        doors = Doors(*servers.ports[:3])
        self.addCleanup(doors.close)
        node = broker.Node("a", doors, {"nodes": {"lease_duration": "6 s"}})
        self.addCleanup(node.remove)
        self.expect_joined(node.start())
        client = jetstream.JetStream(servers.ports[0])
        self.addCleanup(client.close)

        def leader():
            return client.ask("INFO", "KV_tpl_nodes")["cluster"].get("leader")
        before = leader()
        doors.muted = b'"stream":"KV_tpl_nodes", "seq"'
        harness.wait_until(lambda: "requesting another leader" in node.messages(),
                           "that it is said", 30)
        harness.wait_until(lambda: leader() not in (None, before),
                           "another leader", 60)

    def test_another_store_has_its_name(self):
        self.servers.start(0)
        first = self.node().start()
        self.expect_joined(first)
        second = self.node()
        second.launch()
        harness.wait_until(
            lambda: "another store uses this name" in second.messages(),
            "that it is said")
        time.sleep(2)  # a lease
        self.expect_joined(first)
        self.assertNotIn("another store", first.messages())
        first.stop()
        self.expect_joined(second)

    def test_a_log_that_cannot_be_shortened_is_refused(self):
        self.servers.start(0)
        node = self.node().start()
        self.expect_joined(node)
        self.stop_soon(node)
        client = jetstream.JetStream(self.servers.ports[0])
        self.addCleanup(client.close)
        config = client.ask("INFO", "TPL_LOG")["config"]
        client.ask("UPDATE", "TPL_LOG", **{**config, "deny_purge": True})
        node.launch()
        self.assertEqual(node.process.wait(30), 1)
        self.assertIn("deny_purge is 1, must be 0", node.messages())

    def test_what_is_wrong_is_said(self):
        self.servers.start(0)
        self.expect_joined(self.node().start())
        wrong = self.node(lease_duration="3 s")
        wrong.launch()
        self.assertEqual(wrong.process.wait(30), 1)
        self.assertIn("max_age in ns is 2000000000, must be 3000000000",
                      wrong.messages())
        # found later it ends nothing: somebody may mend it
        self.servers.kill(0)
        begun = wrong.messages()
        wrong.start()
        self.expect_alone(wrong)
        self.servers.start(0)
        harness.wait_until(
            lambda: "max_age" in wrong.json("/v1/nodes")["trouble"],
            "the reason")
        self.assertEqual(wrong.messages()[len(begun):].count("max_age"), 1)


if __name__ == "__main__":
    broker.needed()
    harness.main()
