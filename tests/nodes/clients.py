"""Who asks a cluster, tells it things, and remembers what it said."""

import http.client
import http.server
import json
import random
import socketserver
import threading
import time
import urllib.parse

PATIENCE_S = 15
# What is handed in and is not among the pages of the report: another node owns
# it, or the log had it and the disk had no room.
NOT_SURE = 503


def archive(url, body):
    """The WARC record of a page."""
    block = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
             + body.encode())
    date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:x:{random.random()}>\r\n"
            f"WARC-Date: {date}\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


class Client(threading.Thread):
    """Tells any node things about `hosts`, which are its own: so of a site one
    thing is told after the other."""

    def __init__(self, number, seed, nodes, farm, hosts, recorder):
        super().__init__(daemon=True)
        self.source = random.Random(f"{seed} client {number}")
        self.nodes = nodes
        self.farm = farm
        self.hosts = hosts
        self.recorder = recorder
        self.number = number
        self.count = 0
        self.kept = {}  # URL: host
        self.given = {}  # those of jobs
        self.history = []
        self.asked = []  # (seconds, status) of questions; 0: none
        self.is_ended = False

    def run(self):
        acts = [self.set_site, self.hand_in, self.hand_in, self.forget,
                self.ask, self.ask, self.ask]
        if len(self.nodes) > 1:  # jobs are of clusters
            acts += [self.have_handed_in, self.have_forgotten]
        for host in self.hosts:
            self.set_site(host)
        while not self.is_ended:
            self.source.choice(acts)(self.source.choice(self.hosts))
            time.sleep(self.source.uniform(0.02, 0.3))

    def request(self, *arguments):
        """The status; 0: no answer, or that to one that was repeated, it was
        done or not; -1: it was not."""
        node = self.source.choice(self.nodes)
        try:
            answer = node.request(*arguments, timeout_s=PATIENCE_S)
        except (ConnectionRefusedError, FileNotFoundError):
            return -1
        except (OSError, http.client.HTTPException):
            return 0
        if arguments[1] == "/v1/ingest" and answer.status == 200:
            return 200 if answer.json["pages"] == 1 else NOT_SURE
        if 400 <= answer.status < 500 and \
                "X-Templated-Repeated" in answer.headers:
            return 0
        return answer.status

    def tell(self, key, value, *arguments):
        start = self.recorder.now()
        status = self.request(*arguments)
        if 200 <= status < 300:
            outcome = "ok"
        elif status == -1 or 400 <= status < 500:
            outcome = "failed"
        else:
            outcome = "unknown"
        row = {"key": key, "value": value, "start": start,
               "end": self.recorder.now(), "outcome": outcome,
               "status": status}
        self.history.append(row)
        self.recorder.tell("operation", **row)

    def set_site(self, host):
        """max_bytes is so large that its value does not matter."""
        self.count += 1
        self.tell(f"site {host}", self.count, "POST", "/v1/sites", {
            "url": f"http://{host}/", "allow_private": True,
            "max_bytes": 10 ** 12 + self.count})

    def new_page(self, host):
        """Its URL, its mark and what it is."""
        self.count += 1
        name = f"kept/{self.number}-{self.count}.html"
        mark = f"mark{self.number}x{self.count}"
        body = (f"<html><head><title>{name}</title></head><body><main><h1>"
                f"Kept</h1><p>This page says {mark}, and that it was handed in "
                "by one who remembers it very well.</p></main></body></html>")
        self.farm.put(host, name, body)
        return f"http://{host}/{name}", mark, body

    def take_page(self, pages, host):
        """One of the host's, or None; it is no longer in `pages`."""
        of_host = [url for url, own in pages.items() if own == host]
        url = self.source.choice(of_host) if of_host else None
        pages.pop(url, None)
        return url

    def hand_in(self, host):
        url, mark, body = self.new_page(host)
        self.kept[url] = host
        self.tell(url, mark, "POST", "/v1/ingest", archive(url, body))

    def forget(self, host):
        url = self.take_page(self.kept, host)
        if url is not None:
            self.tell(url, None, "DELETE",
                      "/v1/pages?" + urllib.parse.urlencode({"url": url}))

    def give_job(self, url, mark, **job):
        """Acknowledged is that it will be done."""
        self.tell(url, mark, "POST", "/v1/imports",
                  {"jobs": [{"url": url, **job}]})

    def have_handed_in(self, host):
        url, mark, body = self.new_page(host)
        self.given[url] = host
        self.give_job(url, mark, verb="ingest", html=body)

    def have_forgotten(self, host):
        url = self.take_page(self.given, host)
        if url is not None:
            self.give_job(url, None, verb="delete")

    def ask(self, host):
        page = self.source.randrange(self.farm.pages)
        url = f"http://{host}/{page or ''}" + (".html" if page else "")
        begin = time.monotonic()
        status = self.request("GET", "/v1/text?" + urllib.parse.urlencode(
            {"url": url}))
        self.asked.append((time.monotonic() - begin, max(0, status)))


class Poller(threading.Thread):
    """Asks a node all the time what it owns; see checks.owners()."""

    def __init__(self, node, recorder):
        super().__init__(daemon=True)
        self.node = node
        self.recorder = recorder
        self.open = {}  # partition: [epoch, first, last]
        self.closed = []
        self.latest = None
        self.is_ended = False

    def run(self):
        while not self.is_ended:
            start = self.recorder.now()
            try:
                answer = self.node.request("GET", "/v1/nodes", timeout_s=2)
                self.latest = answer.json if answer.status == 200 else None
            except (OSError, ValueError, http.client.HTTPException):
                self.latest = None
            if self.latest:
                self.note(self.latest, start)
            time.sleep(0.2)

    def note(self, facts, start):
        owned = {row["partition"]: row["epoch"] for row in facts["partitions"]
                 if row["state"] == "own" and facts["has_lease"]}
        for partition, (epoch, first, last) in list(self.open.items()):
            if owned.get(partition) != epoch:
                self.closed.append((partition, epoch, self.node.name, first,
                                    last))
                del self.open[partition]
        for partition, epoch in owned.items():
            if partition in self.open:
                self.open[partition][2] = start
            else:
                self.open[partition] = [epoch, self.recorder.now(), start]

    def claims(self):
        return self.closed + [
            (partition, epoch, self.node.name, first, last)
            for partition, (epoch, first, last) in list(self.open.items())]


class Editor(threading.Thread):
    """Has the web change."""

    def __init__(self, seed, farm):
        super().__init__(daemon=True)
        self.source = random.Random(f"{seed} editor")
        self.farm = farm
        self.is_ended = False

    def run(self):
        while not self.is_ended:
            if self.source.random() < 0.03:
                self.farm.redesign(self.source)
            else:
                self.farm.edit(self.source)
            time.sleep(self.source.uniform(0.1, 0.6))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # before the answer, behind which the next one may come to another
        # thread
        self.server.taken.append((event["site"], event["seq"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


class Webhook(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Takes all that comes to 10.77.0.1:8088."""

    daemon_threads = True
    request_queue_size = 64
    allow_reuse_address = True

    def __init__(self):
        self.taken = []
        super().__init__(("10.77.0.1", 8088), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that was killed
