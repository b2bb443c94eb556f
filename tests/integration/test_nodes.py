"""Two nodes and a broker: whatever is asked of the one is answered by the owner."""

import json
import os
import random
import re
import shutil
import socket
import signal
import subprocess
import sys
import threading
import time
import unittest

import harness
import receiver

BROKER = shutil.which("nats-server") or shutil.which("nats-server",
                                                     path="/usr/sbin")
if BROKER is None:
    print("skipped: nats-server is not installed")
    sys.exit(77)
if not (harness.PROGRAMS / "templated-nats.so").exists():
    print("skipped: this build has no broker's module")
    sys.exit(77)

PAGES = 60  # of each in an archive: several batches
PAGE = ("<html><head><title>%s</title></head><body><h1>Of it</h1><p>Some text of "
        "this page, which is long enough to be one.</p></body></html>")
NO_PAGE = "\x00\x01\x02" * 40
SITES = 6  # of 127.0.0.2 and up: domains of their own


def record(url, html):
    """A record of WARC with the page."""
    answer = ("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
              f"\r\n{html}")
    return ("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: "
            "<urn:uuid:00000000-0000-4000-8000-000000000000>\r\nWARC-Date: "
            f"2026-11-20T10:00:00Z\r\nWARC-Target-URI: {url}\r\nContent-Type:"
            " application/http; msgtype=response\r\nContent-Length: "
            f"{len(answer)}\r\n\r\n{answer}\r\n\r\n").encode()


class Pair(harness.Case):
    """Two nodes, "a" and "b"."""

    def broker(self):
        folder = self.place = self.folder()
        port = harness.free_port()
        with open(folder / "log", "w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [BROKER, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd",
                 str(folder)], stdout=log, stderr=log)
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)
        harness.wait_until(
            lambda: "Server is ready" in (folder / "log").read_text("utf-8"),
            "the broker")
        return f'"nats://127.0.0.1:{port}"'

    def node(self, servers, name, **rows):
        return self.daemon({"nodes": {
            "broker_urls": servers, "name": name, "lease_duration": "2 s",
            "log_replicas": 1, **rows}})

    def nodes(self, servers, **rows):
        """Two that own a part of all partitions each."""
        token = self.folder() / "token"
        token.write_text("a-token-of-the-nodes\n", "utf-8")
        harness.give(token.parent)
        nodes = []
        for name in ("a", "b"):
            port = harness.free_port()
            nodes.append(self.daemon({
                "listen": {"address": f'"127.0.0.1:{port}"'},
                "hooks": {"retry_backoff": "3 s"},
                "nodes": {"broker_urls": servers, "name": name, "lease_duration": "2 s",
                            "log_replicas": 1, "token_file": str(token),
                            "advertise_address": f'"http://127.0.0.1:{port}"', **rows}}))

        def share():
            rows = nodes[0].json("/v1/nodes")
            return (len(rows["nodes"]) == 2 and
                    min(row["owned"] for row in rows["nodes"]) > 90 and
                    sum(row["owned"] for row in rows["nodes"]) == 257)
        harness.wait_until(share, "two nodes that share all partitions")
        return nodes



class Nodes(Pair):

    def owners(self, node, hosts):
        """{host: the name of its owner, as `node`, which is "a", finds it}."""
        return {host: node.get("/v1/sites/" + host).headers.get(
            "X-Templated-Node") or "a" for host in hosts}

    @unittest.skipIf(os.geteuid() != 0, "only root can")
    def test_program_may_be_in_a_folder_that_only_root_enters(self):
        folder = self.folder()
        os.chown(folder, 0, 0)
        folder.chmod(0o700)
        for name in ("templated", "templated-nats.so"):
            shutil.copy(harness.PROGRAMS / name, folder)
        node = harness.Daemon({"nodes": {"broker_urls": self.broker(),
                                           "name": "a", "log_replicas": 1}})
        self.addCleanup(node.remove)
        node.program = folder / "templated"
        node.start()
        self.assertEqual(node.json("/v1/nodes")["nodes"][0]["name"], "a")

    def cut_off(self, node, owner, host):
        """A stream of the owner's events ends with the token at the other."""
        def listeners():
            found = re.search(r"^templated_http_open_streams (\d+)$",
                              owner.get("/metrics").text, re.M)
            return int(found[1])
        token = node.ctl("token", "add", "gone").stdout.strip()
        place = node.sections["listen"]["address"].strip('"').split(":")
        before = listeners()
        with socket.create_connection((place[0], int(place[1])), 10) as client:
            client.sendall(f"GET /v1/events?site={host}&since=0 HTTP/1.1\r\n"
                           f"Host: {place[0]}\r\nAccept: text/event-stream\r\n"
                           f"Authorization: Bearer {token}\r\n\r\n".encode())
            self.assertIn(b" 200 ", client.recv(100))
            harness.wait_until(lambda: listeners() > before, "the stream")
            node.ctl("token", "rm", "gone")
            client.settimeout(1)
            while client.recv(65536):
                pass
        harness.wait_until(lambda: listeners() == before, "its end")

    def test_any_node_answers(self):
        nodes = self.nodes(self.broker())
        ports = {f"127.0.0.{i + 2}:{harness.free_port()}" for i in range(SITES)}
        seeds = self.folder() / "seeds"
        seeds.write_text("".join(f"http://{host}/\n" for host in ports), "utf-8")
        said = nodes[0].ctl("--json", "site", "import", "--async", str(seeds))
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(json.loads(said.stdout)["taken"], SITES)
        for node in nodes:
            harness.wait_until(
                lambda: {site["host"] for site in
                         node.json("/v1/sites")["sites"]} == ports,
                "the sites of both, from each")
        status = nodes[1].json("/v1/status")
        self.assertEqual(status["nodes"]["sites"], SITES)
        owners = self.owners(nodes[0], ports)
        rows = nodes[0].json("/v1/nodes")["nodes"]
        # each has said that it is there in the time of a lease, or so
        self.assertLess(max(row["silent_ms"] for row in rows), 20000)
        harness.wait_until(
            lambda: [row["lag"] for row in
                     nodes[0].json("/v1/nodes")["nodes"]] == [0, 0],
            "copies that lack nothing")
        for host, owner in owners.items():
            other = nodes[1 if owner == "a" else 0]
            with self.subTest(host=host, owner=owner):
                answer = other.get("/v1/sites/" + host)
                self.assertEqual(answer.headers["X-Templated-Node"], owner)
                self.assertEqual(answer.json["host"], host)
                texts = other.get(f"/v1/sites/{host}/texts")
                self.assertEqual((texts.status, texts.body), (200, b""))
                self.assertEqual(texts.headers["X-Templated-Node"], owner)
        self.ingest_pages(nodes, owners)
        self.silence_an_event(nodes)
        host, owner = owners.popitem()
        self.cut_off(nodes[1 if owner == "a" else 0],
                     nodes[0 if owner == "a" else 1], host)
        gone = nodes[0 if owner == "a" else 1]
        left = nodes[1 if owner == "a" else 0]
        self.stop_short(gone)
        before = time.monotonic()
        harness.wait_until(
            lambda: any(row["name"] == owner and row["silent_ms"] > 500
                        for row in left.json("/v1/nodes")["nodes"]),
            "a node that is silent")
        # it hears of these, and says nothing
        answer = left.post(f"/v1/sites/{host}/guards", {"css": "p"})
        self.assertEqual(answer.status, 504, answer.text)
        self.assertEqual(left.get("/v1/sites/" + host).status, 200)
        answer = left.request("DELETE", "/v1/sites/" + host)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertLess(time.monotonic() - before, 10)
        harness.wait_until(
            lambda: [node["name"] for node in
                     left.json("/v1/nodes")["away"]] == [owner],
            "a node that is away")
        said = left.ctl("node", "status").stdout
        self.assertRegex(said, rf"AWAY +WEIGHT +SILENT\n{owner} ")

    def test_a_node_whose_store_is_full(self):
        """It gives what it owns to the other one, which goes on."""
        full, other = self.nodes(self.broker())
        full.stop()
        full.configure({"store": {"max_size": "3 MiB"}})
        full.start()

        def owned():
            return {node["name"]: node["owned"]
                    for node in other.json("/v1/nodes")["nodes"]}
        harness.wait_until(lambda: owned().get("a", 0) > 90, "its share")
        host = next(host for host in
                    (f"127.0.0.{i}:9" for i in range(2, 250))
                    if self.names_owner(other, host) == "a")
        source = random.Random(21)

        def fill():
            words = source.randbytes(20000).hex()
            url = f"http://{host}/{source.random()}"
            try:
                full.request("POST", "/v1/ingest", record(
                    url, f"<html><body><p>{words}</p></body></html>"), 5)
            except OSError:
                pass  # it waits for room
            return owned().get("a") == 0
        harness.wait_until(fill, "that all of it is the other's")
        harness.wait_until(
            lambda: other.post("/v1/ingest", record(
                f"http://{host}/more", PAGE % host)).json.get("pages") == 1,
            "that the other one goes on")
        self.assertIn("cannot write the store", full.messages())

    def test_an_event_that_another_node_has_told(self):
        """Who had it told in vain, and gave it away, tells it no more."""
        is_well = threading.Event()
        hook = receiver.Receiver(lambda *_: 204 if is_well.is_set() else 500)
        self.addCleanup(hook.close)
        secrets = harness.secret_file(self.folder(), 0xc0)
        nodes = self.nodes(self.broker(), encryption_key_file=secrets)
        answer = nodes[0].post("/v1/hooks", {"target": hook.url(),
                                             "kinds": "site.added"})
        self.assertEqual(answer.status, 201, answer.text)
        common = nodes[0].json("/v1/nodes")["partitions"][256]["owner"]
        owner, other = nodes if common == "a" else reversed(nodes)
        host = next(host for host in
                    (f"127.0.0.{i}:9" for i in range(2, 250))
                    if self.names_owner(other, host) == common)
        harness.wait_until(lambda: any(d.event["site"] == host
                                       for d in hook.deliveries),
                           "a hook that fails")
        self.assertEqual(owner.ctl("node", "drain", common).returncode, 0)
        is_well.set()
        harness.wait_until(
            lambda: set(hook.seqs()) == {d.seq for d in hook.deliveries},
            "the other one to tell it")
        time.sleep(4.5)  # the first one's pause is over
        self.assertCountEqual(hook.seqs(), set(hook.seqs()))

    def names_owner(self, node, host):
        """Who has the partition of a site; it is made."""
        harness.wait_until(lambda: node.post(
            "/v1/sites", {"url": f"http://{host}/"}).status in (200, 201),
            "a site")
        return node.get("/v1/sites/" + host).headers.get(
            "X-Templated-Node") or node.json("/v1/nodes")["name"]

    def ingest_pages(self, nodes, owners):
        """An archive of all sites; that of a page that is none comes last."""
        self.assertEqual(set(owners.values()), {"a", "b"})
        urls = [f"http://{host}/{i}" for i in range(PAGES) for host in owners]
        archive = b"".join(record(url, PAGE % url) for url in urls)
        late = next(host for host, owner in owners.items() if owner == "b")
        last = record(f"http://{late}/none", NO_PAGE)
        archive += last
        answer = nodes[0].post("/v1/ingest", archive)
        self.assertEqual(answer.status, 200, answer.text)
        report = answer.json
        self.assertEqual((report["pages"], report["rejected"]),
                         (len(urls), 1), report)
        self.assertEqual(report["records"], len(urls) + 1)
        for error in report["errors"]:
            self.assertEqual((error["url"], error["offset"]),
                             (f"http://{late}/none",
                              len(archive) - len(last)))
        for host in owners:
            self.assertEqual(
                nodes[0].json("/v1/sites/" + host)["pages"], PAGES)

        self.ingest_strangers(nodes)

    def ingest_strangers(self, nodes):
        """An archive adds a few sites in all, whoever owns them."""
        urls = [f"http://h{i}.example/" for i in range(30)]
        archive = b"".join(record(url, PAGE % url) for url in urls)
        report = nodes[0].post("/v1/ingest", archive).json
        self.assertEqual((report["records"], report["pages"],
                          report["new_sites"], report["rejected"]),
                         (30, 10, 10, 0), report)
        self.assertEqual(report["skipped"]["no-site"], 20)
        self.assertEqual(len({row["host"] for row in report["hosts"]}), 20)
        report = nodes[0].post("/v1/ingest?host=h1*.example&host=h7.example",
                               archive).json
        self.assertEqual((report["pages"], report["rejected"],
                          report["skipped"]["other-host"]), (12, 0, 18), report)
        for host in ("h1.example", "h10.example", "h7.example"):
            self.assertEqual(
                nodes[1].json("/v1/sites/" + host)["pages"], 1)

    def silence_an_event(self, nodes):
        """One of a node that does not own what concerns all sites."""
        common = nodes[0].json("/v1/nodes")["partitions"][256]["owner"]
        web = self.web()
        hosts = [f"site{i}.localhost:{web.port}" for i in range(SITES)]
        host = next(host for host, owner in self.owners(nodes[0], hosts).items()
                    if owner != common)
        nodes[0].watch(f"http://{host}/", max_pages=25)

        def found():
            lines = nodes[0].get("/v1/events", site=host,
                                 kinds="template.added").text.splitlines()
            return [json.loads(line) for line in lines]
        event = harness.wait_until(found, "a template")[0]
        for i, node in enumerate(nodes):
            answer = node.post("/v1/silences",
                               {"event": event["seq"]})
            self.assertEqual(answer.status, 200, answer.text)
            self.assertEqual(answer.json["silence"], i + 1)
            self.assertTrue(answer.json["acknowledged"])
        silences = nodes[0].json("/v1/silences")["silences"]
        self.assertEqual([(s["event"], s["kind"], s["site"]) for s in silences],
                         2 * [(event["seq"], event["kind"], host)])
        self.assertTrue(found()[0]["acknowledged"])

    def stop_short(self, node):
        os.kill(node.process.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, node.process.pid, signal.SIGCONT)


if __name__ == "__main__":
    harness.main()
