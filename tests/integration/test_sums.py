"""A copy that is damaged: that is found when copies are compared, said, and
mended."""

import pathlib
import re
import unittest

import broker
import harness

CHANGES = 1000  # of a partition, until its copies are compared
HOST = "127.0.0.2:9"
SEED = f"http://{HOST}/mark-1"


class Sums(unittest.TestCase):

    def setUp(self):
        servers = broker.Broker(count=1)
        self.addCleanup(servers.remove)
        self.cluster = broker.Cluster(servers, count=2, log_replicas=1,
                                      lease_duration="4 s")
        self.addCleanup(self.cluster.remove)
        self.cluster.start().settle()

    def guards(self, node):
        """As this node's own copy has them."""
        answer = node.get(f"/v1/sites/{HOST}/guards", stale="ok")
        return [guard["selector"] for guard in answer.json.get("guards", [])]

    def facts(self, node):
        return node.json("/v1/nodes")

    def falsify(self, node, pattern):
        """The last byte of each that is in its store, which it has mapped."""
        with open(pathlib.Path(node.store) / "data.mdb", "r+b") as file:
            found = list(re.finditer(pattern, file.read()))
            self.assertTrue(found, pattern)
            for match in found:
                file.seek(match.end() - 1)
                file.write(b"2")

    def change_often(self, node):
        for i in range(CHANGES):
            answer = node.post("/v1/sites", {"url": SEED,
                                             "max_bytes": 10 ** 9 + i})
            self.assertIn(answer.status, (200, 201), answer.text)

    def watch(self):
        """The owner of the site, and the node with a copy."""
        self.cluster.watch(SEED)
        self.cluster.must("POST", f"/v1/sites/{HOST}/guards",
                          {"css": "p.mark-1"})
        name = self.cluster.nodes[0].get(f"/v1/sites/{HOST}").headers.get(
            "X-Templated-Node") or self.facts(self.cluster.nodes[0])["name"]
        owner, copy = sorted(self.cluster.nodes, key=lambda n: n.name != name)
        harness.wait_until(lambda: self.guards(copy) == ["p.mark-1"], "a copy")
        return owner, copy

    def test_a_copy_with_a_damaged_row(self):
        owner, copy = self.watch()
        self.falsify(copy, b"p.mark-1")
        self.cluster.settle()
        self.assertEqual(self.guards(copy), [])  # its checksum is wrong
        self.change_often(owner)
        harness.wait_until(lambda: self.facts(copy)["divergences"] == 1,
                           "that the copies are compared")
        self.assertIn("some rows are damaged",
                      copy.messages())
        harness.wait_until(lambda: self.guards(copy) == ["p.mark-1"],
                           "the copy that is made anew")
        self.change_often(owner)
        self.assertEqual([self.facts(node)["divergences"]
                          for node in (owner, copy)], [0, 1])

    def test_a_partition_with_a_damaged_site_is_taken(self):
        """That fails: the other one keeps it until the copy is made anew."""
        owner, copy = self.watch()
        self.falsify(copy, b"9/mark-1")
        self.assertEqual(owner.ctl("node", "drain", owner.name).returncode, 0)

        def has_moved():
            answer = owner.get(f"/v1/sites/{HOST}")
            return answer.status == 200 and \
                answer.headers.get("X-Templated-Node") == copy.name
        harness.wait_until(has_moved, "another owner")
        self.assertIn("some rows are damaged", copy.messages())
        answer = copy.post("/v1/sites", {"url": SEED})
        self.assertEqual(answer.status, 200, answer.text)
        for node in (owner, copy):
            harness.wait_until(lambda: self.guards(node) == ["p.mark-1"],
                               "two copies")
        self.assertEqual([self.facts(node)["divergences"]
                          for node in (owner, copy)], [0, 1])

    def test_an_owner_with_a_damaged_row(self):
        """It gives the site away, and makes its own copy anew: a counter of
        the partition, too, which goes with no other row."""
        owner, copy = self.watch()
        self.falsify(owner, b"p.mark-1")
        self.falsify(owner, rb"site\.\d\d\d\x01")
        self.assertEqual(self.guards(owner), [])
        self.change_often(owner)
        harness.wait_until(lambda: self.facts(owner)["divergences"] == 1,
                           "that the owner finds it")
        harness.wait_until(
            lambda: self.cluster.owner_of(HOST) is copy, "another owner")
        for node in (owner, copy):
            harness.wait_until(lambda: self.guards(node) == ["p.mark-1"],
                               "two copies")
        self.cluster.settle()
        self.assertEqual([self.facts(node)["divergences"]
                          for node in (owner, copy)], [1, 0])

    def test_a_damaged_hook(self):
        """A node gives away all that is its own before it reads hooks anew."""
        for i in range(20):
            self.cluster.watch(f"http://127.0.0.{i + 2}:9/")
        hook = {"target": "http://127.0.0.1:9/", "site": "mark-1.example"}
        self.cluster.must("POST", "/v1/hooks", hook)

        def hooks(node):
            return [hook["id"] for hook in
                    node.get("/v1/hooks", stale="ok").json.get("hooks", [])]
        for node in self.cluster.nodes:
            harness.wait_until(lambda: hooks(node) == [1], "the hook")
        name = self.cluster.ask("GET", "/v1/hooks").node.name
        owner, copy = sorted(self.cluster.nodes, key=lambda n: n.name != name)
        self.falsify(copy, b"mark-1")
        self.assertEqual(hooks(copy), [])
        for _ in range(CHANGES // 2):
            added = owner.post("/v1/hooks", {**hook, "site": "x.example"})
            self.assertEqual(added.status, 201, added.text)
            owner.request("DELETE", f"/v1/hooks/{added.json['id']}")
        harness.wait_until(lambda: self.facts(copy)["divergences"] == 1,
                           "that the copies are compared")
        harness.wait_until(lambda: hooks(copy) == [1],
                           "hooks that are read anew")
        self.assertIn("other nodes own the sites of this node", copy.messages())
        self.assertEqual(self.facts(owner)["divergences"], 0)

    def test_no_copy_is_without_damage(self):
        """Then it stays where it is, and none is thrown away."""
        owner, copy = self.watch()
        before = [self.facts(node)["handovers"] for node in (owner, copy)]
        for node in (owner, copy):
            self.falsify(node, b"p.mark-1")
        self.change_often(owner)

        def have_found_it():
            return [self.facts(node)["divergences"]
                    for node in (owner, copy)] == [1, 1]
        harness.wait_until(have_found_it, "that each finds its damage")
        self.cluster.settle()
        self.change_often(owner)
        self.assertEqual([self.facts(node)["handovers"]
                          for node in (owner, copy)], before)
        for node in (owner, copy):
            answer = node.get(f"/v1/sites/{HOST}", stale="ok")
            self.assertNotIn("X-Templated-Node", answer.headers)
            self.assertEqual(self.guards(node), [])
            # A copy applies the last change a moment after the owner.
            harness.wait_until(
                lambda: node.get(f"/v1/sites/{HOST}", stale="ok").json[
                    "max_bytes"] == 10 ** 9 + CHANGES - 1, "the last change")


if __name__ == "__main__":
    broker.needed()
    harness.main()
