"""A copy that is damaged: that is found when copies are compared, said, and
mended."""

import pathlib
import unittest

import broker
import harness

CHANGES = 1000  # of a partition, until its copies are compared
HOST = "127.0.0.2:9"


class Sums(unittest.TestCase):

    def setUp(self):
        servers = broker.Broker(count=1)
        self.addCleanup(servers.remove)
        self.cluster = broker.Cluster(servers, count=2, log_replicas=1)
        self.addCleanup(self.cluster.remove)
        self.cluster.start().settle()

    def guards(self, node):
        """As this node's own copy has them."""
        answer = node.get(f"/v1/sites/{HOST}/guards", stale="ok")
        return [guard["selector"] for guard in answer.json.get("guards", [])]

    def facts(self, node):
        return node.json("/v1/cluster")

    def falsify(self, node):
        """One byte of a row in its store, while it is stopped."""
        node.stop()
        path = pathlib.Path(node.store) / "data.mdb"
        before = path.read_bytes()
        self.assertIn(b"p.mark-1", before)
        path.write_bytes(before.replace(b"p.mark-1", b"p.mark-2"))
        node.start()

    def change_often(self, node):
        for i in range(CHANGES):
            answer = node.post("/v1/sites", {"url": f"http://{HOST}/",
                                             "max_bytes": 10 ** 9 + i})
            self.assertIn(answer.status, (200, 201), answer.text)

    def test_a_copy_with_a_damaged_row(self):
        self.cluster.watch(f"http://{HOST}/")
        self.cluster.must("POST", f"/v1/sites/{HOST}/guards",
                          {"css": "p.mark-1"})
        name = self.cluster.nodes[0].get(f"/v1/sites/{HOST}").headers.get(
            "X-Templated-Node") or self.facts(self.cluster.nodes[0])["name"]
        owner, copy = sorted(self.cluster.nodes, key=lambda n: n.name != name)
        harness.wait_until(lambda: self.guards(copy) == ["p.mark-1"], "a copy")
        self.falsify(copy)
        self.cluster.settle()
        self.assertEqual(self.guards(copy), [])  # its checksum is wrong
        self.change_often(owner)
        harness.wait_until(lambda: self.facts(copy)["divergences"] == 1,
                           "that the copies are compared")
        self.assertIn("its copy here has rows that are damaged",
                      copy.messages())
        harness.wait_until(lambda: self.guards(copy) == ["p.mark-1"],
                           "the copy that is made anew")
        self.change_often(owner)
        self.assertEqual([self.facts(node)["divergences"]
                          for node in (owner, copy)], [0, 1])


if __name__ == "__main__":
    broker.needed()
    harness.main()
