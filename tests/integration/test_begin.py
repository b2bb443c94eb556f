"""A node that starts while no server of the broker answers: it says so, answers
what it has, refuses what it cannot do, and joins when there is one."""

import time

import broker
import harness

STOPS_WITHIN_S = 5


class Begin(harness.Case):
    def setUp(self):
        self.servers = broker.Broker(1, starts=False)
        self.addCleanup(self.servers.remove)
        self.web_ = self.web()
        self.host = f"site.localhost:{self.web_.port}"

    def node(self, **rows):
        node = broker.Node("a", self.servers,
                           {"cluster": {"log_replicas": 1, **rows}})
        self.addCleanup(node.remove)
        return node

    def expect_alone(self, node):
        facts = node.json("/v1/cluster")
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
        self.assertEqual(node.post("/v1/cluster/jobs", jobs).status, 503)
        self.assertEqual(
            node.request("DELETE", "/v1/cluster/nodes/b").status, 503)

    def expect_joined(self, node):
        harness.wait_until(
            lambda: sum(row["owned"] for row in
                        node.json("/v1/cluster")["nodes"]) == 257,
            "the node to own all")
        self.assertIs(node.json("/v1/cluster")["has_joined"], True)
        self.assertIsNone(node.json("/v1/cluster")["trouble"])

    def expect_stale(self, node):
        for path, arguments in (
                (f"/v1/sites/{self.host}", {}),
                ("/v1/sites", {}),
                (f"/v1/sites/{self.host}/clusters", {}),
                ("/v1/text", {"url": f"http://{self.host}/"})):
            answer = node.get(path, **arguments)
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(answer.headers["X-Templated-Stale"], "true", path)
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

    def test_what_is_wrong_is_said(self):
        self.servers.start(0)
        self.expect_joined(self.node().start())
        wrong = self.node(lease="3 s")
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
            lambda: "max_age" in wrong.json("/v1/cluster")["trouble"],
            "the reason")
        self.assertEqual(wrong.messages()[len(begun):].count("max_age"), 1)


if __name__ == "__main__":
    broker.needed()
    harness.main()
