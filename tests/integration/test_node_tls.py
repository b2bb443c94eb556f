"""Nodes on servers with the configuration, the users and the certificates that
conf/nodes has for them, and with TLS between the nodes, too."""

import http.client
import shutil
import signal
import ssl
import sys

import broker
import harness

SITES = 6
PAGES = 12
TOKEN = "a-token-of-the-nodes"


class ClusterTls(harness.Case):
    def setUp(self):
        self.servers = broker.SecureBroker()
        self.addCleanup(self.servers.remove)

    def node(self, name, user=None, **rows):
        port = harness.free_port()
        secrets = self.servers.secrets
        # one copy of the log: those of three are placed for seconds
        rows = {"log_replicas": 1, **self.servers.rows(user or name),
                "certificate_file": f'"{secrets}/localhost.pem"',
                "key_file": f'"{secrets}/localhost.key"',
                "advertise_address": f'"https://localhost:{port}"', **rows}
        node = broker.Node(name, self.servers, {
            "listen": {"address": f'"127.0.0.1:{port}"',
                       "certificate": f'"{secrets}/localhost.pem"',
                       "key": f'"{secrets}/localhost.key"'},
            "nodes": rows})
        node.port = port
        self.addCleanup(node.remove)
        return node

    def make_streams(self):
        """As the operator, once."""
        node = self.node("a", "operator").start()
        harness.wait_until(lambda: node.json("/v1/nodes")["has_joined"],
                           "the streams")
        node.stop()

    def start_two(self, **rows):
        nodes = [self.node(name, **rows).start() for name in ("a", "b")]

        def share():
            rows = nodes[0].json("/v1/nodes")
            return (len(rows["nodes"]) == 2 and
                    min(row["owned"] for row in rows["nodes"]) > 90 and
                    sum(row["owned"] for row in rows["nodes"]) == 257)
        try:
            harness.wait_until(share, "two nodes that share all", 60)
        except AssertionError as late:
            raise AssertionError(f"{late}\n" + "\n".join(
                node.messages() for node in nodes)) from None
        return nodes

    def token(self):
        path = self.folder() / "token"
        path.write_text(TOKEN + "\n", "utf-8")
        harness.give(path.parent)
        return str(path)

    def crawl(self, nodes, port):
        """{host: its node}; both have some."""
        owners = {}
        for i in range(SITES):
            host = f"site{i}.localhost:{port}"
            answer = nodes[0].post("/v1/sites", {"url": f"http://{host}/",
                                                 "max_pages": PAGES})
            self.assertEqual(answer.status, 201, answer.text)
            owners[host] = answer.headers.get("X-Templated-Node", "a")
        for host in owners:
            nodes[1].wait_for(host)
        self.assertEqual(set(owners.values()), {"a", "b"})
        return owners

    def expect_answers(self, nodes, owners):
        for host, owner in owners.items():
            other = nodes[1 if owner == "a" else 0]
            text = other.get("/v1/text", url=f"http://{host}/")
            texts = other.get(f"/v1/sites/{host}/texts")
            for answer in (text, texts):
                self.assertEqual(answer.status, 200, answer.text)
                self.assertEqual(answer.headers["X-Templated-Node"], owner)
            self.assertGreater(len(texts.body.splitlines()), PAGES - 4)

    def others(self):
        """A certificate for the same name, which another authority signed."""
        folder = self.folder() / "others"
        harness.run(["sh", self.servers.CONF / "make-secrets", folder,
                     "localhost"])
        return folder

    def server_only(self):
        """One of our own authority, which is no client's."""
        folder = self.folder()
        (folder / "use").write_text("extendedKeyUsage=serverAuth\n")
        shutil.copy(self.servers.secrets / "localhost.key", folder)
        secrets = self.servers.secrets
        for arguments in (
                ("req", "-new", "-key", "localhost.key", "-subj",
                 "/CN=localhost", "-out", "request"),
                ("x509", "-req", "-in", "request", "-CA", secrets / "ca.pem",
                 "-CAkey", secrets / "ca.key", "-set_serial", "99", "-days",
                 "2", "-extfile", "use", "-out", "localhost.pem")):
            done = harness.run(["openssl", *arguments], cwd=folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        return folder

    def ask(self, node, secrets, token):
        """The status for who says to be a node, with these."""
        context = ssl.create_default_context(
            cafile=self.servers.secrets / "ca.pem")
        if secrets is not None:
            context.load_cert_chain(secrets / "localhost.pem",
                                    secrets / "localhost.key")
        connection = http.client.HTTPSConnection("localhost", node.port,
                                                 timeout=30, context=context)
        headers = {"X-Templated-Right": "write"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            connection.request("GET", "/v1/sites", headers=headers)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def expect_strangers(self, node, token):
        """Whoever lacks one of both is not taken for a node."""
        own = self.servers.secrets
        self.assertEqual(
            [self.ask(node, own, token), self.ask(node, None, token),
             self.ask(node, self.others(), token),
             self.ask(node, self.server_only(), token),
             self.ask(node, own, "not-" + TOKEN)],
            [200, 401, 401, 401, 401 if token else 200])

    def change_passwords(self, nodes):
        """As operators do: first the nodes' files, then those of the servers,
        which end the connections. Nobody starts a node again."""
        for name in ("a", "b", "c"):
            path = self.servers.secrets / f"password.{name}"
            path.write_text(path.read_text()[::-1].strip() + "\n")
        for i in range(3):
            path = self.servers.folder / f"c{i}" / "passwords.conf"
            path.write_text("".join(
                f'{variable} "{word[-2:0:-1]}"\n'
                for variable, word in map(str.split,
                                          path.read_text().splitlines())))
            self.servers.processes[i].send_signal(signal.SIGHUP)
        for node in nodes:
            harness.wait_until(
                lambda: "Authorization Violation" in node.messages() and
                node.json("/v1/nodes")["has_lease"],
                "the node to have a lease by its new password")

    def is_answered(self, nodes, owners):
        for host, owner in owners.items():
            other = nodes[1 if owner == "a" else 0]
            answer = other.get(f"/v1/sites/{host}")
            if answer.status != 200 or "X-Templated-Stale" in answer.headers:
                return False
            self.assertEqual(answer.headers["X-Templated-Node"], owner)
        return True

    def test_nodes_with_the_secrets_that_are_made(self):
        port = self.web().port
        self.make_streams()
        nodes = self.start_two(token_file=self.token())
        owners = self.crawl(nodes, port)
        self.expect_answers(nodes, owners)
        for node in nodes:  # they may do all that they do
            self.assertNotIn("error of the NATS server", node.messages())
        self.change_passwords(nodes)
        harness.wait_until(lambda: self.is_answered(nodes, owners),
                           "the nodes to ask each other")
        self.expect_strangers(nodes[0], TOKEN)
        # certificates are enough, where there is no token
        self.expect_strangers(self.node("c").start(), "")


if __name__ == "__main__":
    broker.needed()
    if shutil.which("openssl") is None:
        print("skipped: openssl is not installed")
        sys.exit(77)
    harness.main()
