"""Secrets of a cluster: its nodes know them, its servers and its depot never."""

import pathlib
import shutil
import subprocess

import harness
import test_nodes
import test_secrets

SECRET = test_secrets.SECRET
ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(folder):
    """The bytes of all files, and of what is packed in them."""
    for path in pathlib.Path(folder).rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        yield data
        start = data.find(ZSTD)
        while start >= 0:
            end = data.find(ZSTD, start + 1)
            frame = data[start:end if end >= 0 else None]
            yield subprocess.run(["zstd", "-dcq"], input=frame, check=False,
                                 capture_output=True).stdout
            start = end


class Sealed(test_nodes.Pair):

    def server(self):
        server = test_secrets.Server()
        self.addCleanup(server.stop)
        return server

    def keys(self, *keys):
        return harness.secret_file(self.folder(), *keys)

    def fetch(self, node, server):
        """Have a page fetched that was not seen; what came with it."""
        before = len(server.seen)
        self.count = getattr(self, "count", 0) + 1
        node.get("/v1/text", url=f"{server.url}{self.count}", fetch="always")
        return server.seen[before:]

    def give(self, node, server):
        """A site with a header, and a hook with a secret."""
        node.watch(server.url, headers={"X-Key": SECRET})
        answer = node.post("/v1/hooks", {
            "target": server.url + SECRET, "kinds": "site.added",
            "secret": SECRET})
        self.assertEqual(answer.status, 201, answer.text)

    def state(self, node, name):
        """What the node says of the one of that name."""
        return {row["name"]: row for row in
                node.json("/v1/nodes")["nodes"]}.get(name, {})

    def seed(self, node):
        """The same for another site, by a job."""
        server = self.server()
        answer = node.post("/v1/imports", {"jobs": [
            {"verb": "seed", "url": server.url, "headers": {"X-Key": SECRET}}]})
        self.assertEqual(answer.status, 202, answer.text)
        harness.wait_until(lambda: SECRET in server.seen, "the job")

    def test_who_takes_over_knows_them(self):
        server, depot = self.server(), self.folder()
        harness.give(depot)
        nodes = self.nodes(self.broker(), lease_duration="1 s", snapshot_log_size="16 KiB",
                           snapshot_store=f'"{depot}"', encryption_key_file=self.keys(1))
        self.give(nodes[0], server)
        host = server.host
        harness.wait_until(lambda: SECRET in server.seen, "the header")
        self.seed(nodes[1])
        for _ in range(8):
            self.assertIn(SECRET, self.fetch(nodes[0], server))
        harness.wait_until(
            lambda: all(node.json("/v1/hooks", stale="ok")["hooks"]
                        for node in nodes) and any(depot.rglob("*.tpl")),
            "the hook everywhere, and a snapshot")
        for folder in (self.place, depot):
            bytes_ = b"".join(unpacked(folder))
            self.assertIn(host.encode(), bytes_)
            self.assertNotIn(SECRET.encode(), bytes_)
        owner = nodes[0].get("/v1/sites/" + host).headers.get(
            "X-Templated-Node") or "a"
        nodes[0 if owner == "a" else 1].kill()
        left = nodes[1 if owner == "a" else 0]
        harness.wait_until(
            lambda: left.json("/v1/nodes") and
            SECRET in self.fetch(left, server), "the header by the other")
        self.assertLessEqual(set(server.seen), {SECRET, "/" + SECRET, None})
        harness.wait_until(
            lambda: left.request("POST", "/v1/hooks/1/test", {}).status in (
                200, 202)
            and "/" + SECRET in server.seen, "the hook by the other")

    def refuse(self, node, server):
        """It has no key, and takes what needs none."""
        self.assertIn("nodes.encryption_key_file is not set", node.messages())
        for path, body in (
                ("/v1/sites", {"url": server.url,
                               "headers": {"X-Key": SECRET}}),
                ("/v1/sites", {"url": server.url,
                               "proxy": "http://me:word@127.0.0.1:1"}),
                ("/v1/hooks", {"target": server.url + SECRET}),
                ("/v1/imports", {"jobs": [
                    {"verb": "seed", "url": server.url,
                     "headers": {"X-Key": SECRET}}]})):
            with self.subTest(body):
                self.error_of(node.request("POST", path, body), 409,
                              "no_encryption_key")
        node.watch(server.url)
        self.assertEqual(set(self.fetch(node, server)), {None})

    def wait_for_all(self, node):
        harness.wait_until(lambda: self.state(node, "a").get("owned") == 257,
                           "all partitions")

    def restart(self, node, *keys):
        node.stop()
        node.configure({"nodes": {"encryption_key_file": self.keys(*keys)}})
        node.start()

    def test_nodes_with_no_key_and_with_another_one(self):
        server, servers = self.server(), self.broker()
        rows = {"lease_duration": "1 s", "snapshot_store": f'"{self.folder()}"'}
        harness.give(rows["snapshot_store"].strip('"'))
        first = self.node(servers, "a", **rows)
        self.wait_for_all(first)
        self.refuse(first, server)
        self.restart(first, 1)
        self.wait_for_all(first)
        self.give(first, server)
        harness.wait_until(lambda: SECRET in server.seen, "the header")
        other = self.node(servers, "b", encryption_key_file=self.keys(2), **rows)
        harness.wait_until(
            lambda: self.state(first, "b").get("has_strange_key") and
            self.state(first, "b")["is_draining"], "that it is told")
        self.assertRegex(other.messages(),
                         "missing.* nodes.encryption_key_file")
        self.assertIn("other key", first.ctl("node", "list").stdout)
        # what all share has a hook with a secret: its copy waits
        harness.wait_until(
            lambda: other.json("/v1/nodes")["partitions"][256]["is_undecryptable"],
            "that its copy waits")
        # as that of the site
        self.assertIn("\ntemplated_node_undecryptable_partitions 2\n",
                      other.get("/metrics").text)
        self.assertEqual(self.state(first, "b")["owned"], 0)
        self.assertEqual(self.fetch(first, server), [SECRET])
        # its key is put behind the one of the others: they are one cluster
        self.restart(other, 1, 2)
        harness.wait_until(lambda: self.state(first, "b").get("owned", 0) > 90,
                           "its share")
        self.assertFalse(self.state(first, "b")["has_strange_key"])
        self.replace_key(first, other)

    def replace_key(self, first, other):
        """One becomes two: both know both, then seal by two, then have two."""
        for node in (first, other):
            self.restart(node, 2, 1)

        def is_resealed():
            nodes = first.json("/v1/nodes")["nodes"]
            return (len({node["key"] for node in nodes}) == 1 and
                    sum(node["owned"] for node in nodes) == 257 and
                    not any(node["reseals"] for node in nodes))
        harness.wait_until(is_resealed, "snapshots by the new key")
        # one that begins with nothing and the new key alone
        other.stop()
        shutil.rmtree(other.store)
        other.configure({"nodes": {"encryption_key_file": self.keys(2)}})
        other.start()
        # a copy is whole when all of its secrets were opened
        harness.wait_until(lambda: self.state(first, "b").get("replicas") == 257,
                           "all of it again")


if __name__ == "__main__":
    harness.main()
