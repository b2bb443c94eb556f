"""Real nats-servers on loopback, and daemons that are nodes on them.

Python's standard library alone; skips() says where nats-server is missing.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import harness

PROGRAM = shutil.which("nats-server", path="/usr/sbin:/usr/local/sbin:/usr/bin")

CONF = """
server_name: {name}
listen: "127.0.0.1:{port}"
max_payload: 8MB
jetstream {{ store_dir: "{folder}/{name}", max_file: 4GB, max_mem: 64MB }}
"""

ROUTES = """
cluster {{
	name: test
	listen: "127.0.0.1:{route}"
	routes: [{routes}]
}}
"""


def needed():
    """Leave with 77 where there is no server, or no module for it."""
    if PROGRAM is None:
        print("skipped: nats-server is not installed")
        sys.exit(77)
    if not (harness.PROGRAMS / "templated-nats.so").exists():
        print("skipped: built without libnats")
        sys.exit(77)


class Broker:
    """Servers that are one JetStream, in a folder of their own; `words` stand
    before those that start one."""

    def __init__(self, count=3, starts=True, words=()):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-nats-"))
        self.ports = [harness.free_port() for _ in range(2 * count)]
        self.processes = [None] * count
        self.words = words
        routes = ", ".join(f'"nats://127.0.0.1:{port}"'
                           for port in self.ports[count:])
        for i in range(count):
            self._conf(i).write_text(CONF.format(
                name=f"s{i}", port=self.ports[i], folder=self.folder) +
                (ROUTES.format(route=self.ports[count + i], routes=routes)
                 if count > 1 else ""))
        self.urls = ", ".join(f"nats://127.0.0.1:{port}"
                              for port in self.ports[:count])
        for i in range(count if starts else 0):
            self.start(i)

    def _conf(self, i):
        return self.folder / f"s{i}.conf"

    def start(self, i):
        with open(self.folder / f"s{i}.log", "a", encoding="utf-8") as log:
            self.processes[i] = subprocess.Popen(
                [*self.words, PROGRAM, "-c", str(self._conf(i))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def kill(self, i):
        self.processes[i].kill()
        self.processes[i].wait(30)

    def messages(self):
        return "".join(path.read_text("utf-8", "replace")[-3000:]
                       for path in sorted(self.folder.glob("*.log")))

    def remove(self):
        for process in self.processes:
            if process is not None and process.poll() is None:
                process.kill()
                process.wait(30)
        shutil.rmtree(self.folder, ignore_errors=True)


class Node(harness.Daemon):
    """A daemon that is a node; its store outlives kill() until remove()."""

    def __init__(self, name, broker, sections=None):
        super().__init__({"nodes": {"broker_urls": f'"{broker.urls}"',
                                      "name": name, "lease_duration": "2 s"}})
        self.configure({"nodes": {
            "encryption_key_file": harness.secret_file(self.folder, 0xc0)}})
        self.configure(sections or {})
        self.name = name

    def is_up(self):
        """Start it; again when it has ended since its servers were not ready,
        as systemd would."""
        if self.process is None or self.process.poll() is not None:
            self.launch()
        try:
            return self.get("/v1/status").status == 200
        except OSError:
            return False

    def start(self):
        try:
            harness.wait_until(self.is_up, f"node {self.name}")
        except AssertionError as late:
            raise AssertionError(f"{late}\n{self.messages()}") from None
        return self


class Cluster:
    """Nodes n0, n1 and so on; `rows` are of nodes: in their configuration."""

    def __init__(self, broker, count=3, sections=None, **rows):
        self.nodes = [Node(f"n{i}", broker, sections) for i in range(count)]
        for node in self.nodes:
            node.configure({"nodes": rows})

    def start(self):
        for node in self.nodes:
            node.launch()
        for node in self.nodes:
            node.start()
        return self

    def alive(self):
        return [node for node in self.nodes if node.process.poll() is None]

    def ask(self, method, target, body=None):
        """The answer of a node, its `node` the one that owns what was asked
        for; None while none gives it but from an old copy."""
        for node in self.alive():
            try:
                answer = node.request_once(method, target, body, 2)
            except OSError:
                continue
            if answer.status < 500 and answer.status != 421 and \
                    "X-Templated-Stale" not in answer.headers:
                name = answer.headers.get("X-Templated-Node", node.name)
                answer.node = next(n for n in self.nodes if n.name == name)
                return answer
        return None

    def must(self, method, target, body=None):
        return harness.wait_until(lambda: self.ask(method, target, body),
                                  f"an answer to {method} {target}")

    def watch(self, url, **options):
        """Add a site, as soon as somebody owns it."""
        answer = self.must("POST", "/v1/sites", {"url": url, **options})
        if answer.status not in (200, 201):
            raise AssertionError(f"{url}: {answer.status} {answer.text}")

    def owner_of(self, host):
        answer = self.must("GET", f"/v1/sites/{host}")
        if answer.status != 200:
            raise AssertionError(f"{host}: {answer.status} {answer.text}")
        return answer.node

    def is_settled(self):
        """Is each node there, and has what it shall have?"""
        for node in self.alive():
            facts = node.json("/v1/nodes")
            if len(facts["nodes"]) != len(self.alive()):
                return False
            for row in facts["partitions"]:
                if row["owner"] is None or row["owner"] != row["wanted"]:
                    return False
        return True

    def settle(self):
        harness.wait_until(self.is_settled, "each partition at its owner")

    def wait_for(self, host):
        """Until it is crawled, by whomever; the site as it is then."""
        def crawled():
            answer = self.ask("GET", f"/v1/sites/{host}")
            return answer is not None and answer.status == 200 and \
                answer.json["state"] in ("watching", "exhausted") and \
                answer.json
        return harness.wait_until(crawled, f"the crawl of {host}")

    def remove(self):
        """All of them at once, so that nobody takes what another leaves."""
        for node in self.alive():
            node.process.terminate()
        for node in self.nodes:
            node.remove()


class SecureBroker(Broker):
    """Three servers with the files of conf/nodes and what make-secrets makes
    for `localhost`, whose names nobody but they and their users know."""

    CONF = harness.ROOT / "conf" / "nodes"

    def __init__(self):
        super().__init__(starts=False)
        self.secrets = self.folder / "secrets"
        done = harness.run(["sh", self.CONF / "make-secrets", self.secrets,
                            "localhost"])
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        routes = "".join(f'"nats://localhost:{port}"\n'
                         for port in self.ports[3:])
        self.urls = ", ".join(f"tls://localhost:{port}"
                              for port in self.ports[:3])
        for i in range(3):
            self.install(i, f"routes: [\n{routes}]\n")
            self.start(i)
        # the daemons become another user, who reads these
        harness.give(self.secrets)
        self.folder.chmod(0o711)

    def install(self, i, routes):
        folder = self.folder / f"c{i}"
        folder.mkdir()
        for name in ("nats-server.conf", "users.conf"):
            shutil.copy(self.CONF / name, folder)
        for name, target in (("passwords.conf",) * 2, ("ca.pem",) * 2,
                             ("localhost.pem", "server.pem"),
                             ("localhost.key", "server.key")):
            shutil.copy(self.secrets / name, folder / target)
        (folder / "routes.conf").write_text(routes, "utf-8")

    def start(self, i):
        environment = {
            "NATS_NAME": "abc"[i],
            "NATS_CLIENTS": f"127.0.0.1:{self.ports[i]}",
            "NATS_SERVERS": f"127.0.0.1:{self.ports[3 + i]}",
            "NATS_STORE": str(self.folder / f"s{i}")}
        with open(self.folder / f"s{i}.log", "a", encoding="utf-8") as log:
            self.processes[i] = subprocess.Popen(
                [PROGRAM, "-c", "nats-server.conf"],
                cwd=self.folder / f"c{i}", env={**os.environ, **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True)

    def rows(self, user):
        """Of nodes: in the configuration of a node of this user."""
        return {"broker_user": user, "broker_password_file":
                f'"{self.secrets}/password.{user}"',
                "ca_file": f'"{self.secrets}/ca.pem"'}
