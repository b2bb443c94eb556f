"""The texts of a site as a stream, and many pages in one request.

Each text is that of GET /v1/text; a stream that its client or the daemon ends
goes on behind what has come; WET is judged by warc_check.py, which shares
nothing with our writer.
"""

import base64
import collections
import csv
import gzip
import io
import itertools
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import threading
import time

import harness
import warc_check
from pages_of_store import Pages

HOST = "texts.example"
PAGES = 200
GROWN = 200   # pages that come while they are read
WORDS = 2500  # of 8 letters: together more than sockets hold


def html(number):
    words = " ".join(f"word{number * WORDS + i:08d}" for i in range(WORDS))
    return (f"<html><head><title>Page {number}</title></head><body><ul>"
            f"<li>Home<li>News</ul><div class=main><h1>Page {number}</h1>"
            f"<p>{words}</p></div></body></html>").encode()


def record(url, body):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + body
    return (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:x:{len(block)}>\r\n"
            "WARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block \
        + b"\r\n\r\n"


def url_of(number):
    return f"http://{HOST}/{number}"


def cpu_ticks(daemon):
    """What the workers have used so far."""
    total = 0
    for pid in daemon.processes_of("worker"):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total


def begin(daemon):
    """A client that has read the beginning, and waits: its pipe is full."""
    client = subprocess.Popen(
        [harness.PROGRAMS / "templatectl", "-s", daemon.socket, "texts", HOST],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return client, client.stdout.read(100000)


class Texts(harness.Case):
    """One daemon for all of them: its pages do not change."""

    @classmethod
    def setUpClass(cls):
        cls.site = harness.Daemon()
        cls.addClassCleanup(cls.site.remove)
        cls.site.start()
        answer = cls.site.post("/v1/ingest", b"".join(
            record(url_of(i), html(i)) for i in range(PAGES)))
        assert answer.json["pages"] == PAGES, answer.text
        cls.site.wait_for(HOST)

    def stream(self, **arguments):
        answer = self.site.get(f"/v1/sites/{HOST}/texts", **arguments)
        self.assertEqual(answer.status, 200, answer.text)
        return answer

    def lines(self, **arguments):
        return [json.loads(line)
                for line in self.stream(**arguments).text.splitlines()]

    def check_all(self, lines):
        """Each page once, in the order of the sequences."""
        self.assertEqual({line["url"] for line in lines},
                         {url_of(i) for i in range(PAGES)})
        self.assertEqual(len(lines), PAGES)
        places = [line["sequence"] for line in lines]
        self.assertEqual(places, sorted(places))

    def test_each_text_is_that_of_its_page(self):
        lines = self.lines()
        self.check_all(lines)
        for line in lines[::25]:
            answer = self.site.get("/v1/text", url=line["url"])
            self.assertEqual(line["text"], answer.text)
            self.assertEqual(line["cluster"],
                             answer.headers["X-Templated-Cluster"])
            self.assertEqual(line["quality"],
                             answer.headers["X-Templated-Quality"])

    def test_a_client_that_is_killed_goes_on(self):
        texts = self.folder() / "texts.jsonl"
        command = [harness.PROGRAMS / "templatectl", "-s", self.site.socket,
                   "texts", HOST, "-o", texts, "--resume"]
        client, some = begin(self.site)
        with client:
            client.send_signal(signal.SIGKILL)
        self.assertFalse(some.endswith(b"\n"))
        texts.write_bytes(some)
        self.assertEqual(harness.run(command).returncode, 0)
        self.check_all([json.loads(line)
                        for line in texts.read_text().splitlines()])
        self.assertTrue(texts.read_bytes().startswith(
            some[:some.rfind(b"\n") + 1]))
        # nothing has come since
        size = texts.stat().st_size
        self.assertEqual(harness.run(command).returncode, 0)
        self.assertEqual(texts.stat().st_size, size)

    def test_a_client_that_reads_nothing_stops_the_work(self):
        client, some = begin(self.site)
        with client:
            time.sleep(0.2)
            before = cpu_ticks(self.site)
            time.sleep(0.3)
            self.assertEqual(cpu_ticks(self.site), before)
            # and it goes on as soon as it is read
            some += client.stdout.read()
        self.assertEqual(some.count(b"\n"), PAGES)
        self.assertEqual(client.returncode, 0)

    def test_wet(self):
        path = self.folder() / "site.wet.gz"
        done = self.site.ctl("texts", HOST, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(warc_check.check(path), [])
        records = warc_check.read(path)
        self.assertEqual(records[0].type, "warcinfo")
        lines = self.lines()
        self.assertEqual(
            [(row.url, row.fields["templated-sequence"], row.block.decode())
             for row in records[1:]],
            [(row["url"], row["sequence"], row["text"]) for row in lines])
        self.assertEqual(records[1].fields["warc-date"],
                         "2020-01-02T03:04:05Z")
        # no archive of ours has them
        self.assertNotIn("warc-refers-to", records[1].fields)
        # the same, not packed
        plain = self.stream(format="wet", since="0").body
        self.assertEqual(plain, b"".join(list(
            warc_check.members(path.read_bytes()))[1:]))

    def test_csv(self):
        text = self.stream(format="csv").text
        rows = list(csv.DictReader(io.StringIO(text, newline="")))
        self.assertEqual(
            [(row["url"], row["sequence"], row["text"]) for row in rows],
            [(row["url"], row["sequence"], row["text"])
             for row in self.lines()])

    def test_a_spreadsheet_runs_no_cell(self):
        daemon = self.daemon()
        page = ("<html><head><title>x</title></head><body><div><p>"
                "=HYPERLINK(A1) and +1 and so on, of many words that stand "
                "here alone, so that it is content.</p></div></body></html>")
        daemon.post("/v1/ingest", record("http://cells.example/1",
                                         page.encode()))
        daemon.wait_for("cells.example")

        def text(*options):
            done = daemon.ctl("texts", "--format", "csv", *options,
                              "cells.example")
            self.assertEqual(done.returncode, 0, done.stderr)
            return list(csv.DictReader(io.StringIO(
                done.stdout, newline="")))[0]["text"]

        self.assertTrue(text().startswith("'=HYPERLINK(A1)"), text())
        self.assertEqual(text("--raw"), text()[1:])

    def test_a_batch_is_as_each_page_by_itself(self):
        pages = [html(i) for i in range(PAGES, PAGES + 40)]
        rows = [json.dumps({"url": url_of(i), "html": page.decode()})
                for i, page in enumerate(pages)]
        rows[7] = '{"html": '
        rows[9] = json.dumps({"body": base64.b64encode(pages[9]).decode()})
        rows[11] = json.dumps({"url": "ftp://x/", "html": "<p>x"})
        body = "\n".join(rows).encode()
        lines = [json.loads(line) for line in self.site.post(
            "/v1/extract/batch", body).text.splitlines()]
        self.assertEqual([line["position"] for line in lines],
                         list(range(1, 41)))
        self.assertEqual([i for i, line in enumerate(lines)
                          if "error" in line], [7, 11])
        for i in (0, 9, 39):
            about = {} if i == 9 else {"url": url_of(i)}
            alone = self.site.post("/v1/extract", pages[i], **about)
            self.assertEqual(lines[i]["text"], alone.text)

    def test_a_batch_from_an_archive(self):
        body = b"".join(gzip.compress(record(url_of(i), html(i)))
                        for i in range(30))
        body += gzip.compress(b"WARC/1.0\r\nno record\r\n\r\n")
        answer = self.site.post("/v1/extract/batch", body)
        lines = [json.loads(line) for line in answer.text.splitlines()]
        self.assertEqual([line["url"] for line in lines[:30]],
                         [url_of(i) for i in range(30)])
        texts = {line["url"]: line["text"] for line in self.lines()}
        self.assertEqual([line["text"] for line in lines[:30]],
                         [texts[url_of(i)] for i in range(30)])
        self.assertEqual(["error" in line for line in lines[30:]], [True])

    def test_a_client_that_leaves_its_batch(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.site.socket)
            client.sendall(b"POST /v1/extract/batch HTTP/1.1\r\nHost: x\r\n"
                           b"Content-Length: 1000\r\n\r\n{\"html\":\"<p>")
        self.assertEqual(self.site.post("/v1/extract/batch", b"").body, b"")
        names = os.listdir(self.site.store)
        self.assertFalse([name for name in names if "spool" in name], names)


class Titles(harness.Case):
    """The pages of a template show what of their titles is not the title."""

    HOST = "titles.example"

    def page(self, number):
        words = " ".join(f"word{number * 40 + i:04d}" for i in range(40))
        return (f"<html><head><title>Hat {number} - nwin</title></head><body>"
                f"<ul><li>Home<li>News</ul><div class=main><p>{words}</p>"
                "</div></body></html>").encode()

    def test_the_name_of_the_site_is_cut_from_titles(self):
        daemon = self.daemon()
        answer = daemon.post("/v1/ingest", b"".join(
            record(f"http://{self.HOST}/{i}", self.page(i)) for i in range(9)))
        self.assertEqual(answer.json["pages"], 9, answer.text)
        daemon.wait_for(self.HOST)
        for number in range(9):
            page = daemon.get("/v1/text", format="json",
                              url=f"http://{self.HOST}/{number}").json
            self.assertEqual(page["metadata"]["title"]["value"],
                             f"Hat {number}")

    def test_a_page_of_no_template_keeps_its_title(self):
        page = self.daemon().post(
            "/v1/extract", self.page(1), format="json",
            url=f"http://{self.HOST}/1").json
        self.assertEqual(page["metadata"]["title"]["value"], "Hat 1 - nwin")


class Grows(harness.Case):
    def test_nothing_is_missed_while_pages_come(self):
        daemon = self.daemon()

        def hand_in(begin, end):
            for first in range(begin, end, 20):
                daemon.post("/v1/ingest", b"".join(
                    record(url_of(i), html(i)[:500])
                    for i in range(first, min(end, first + 20))))
        hand_in(0, 10)
        writer = threading.Thread(target=hand_in, args=(10, GROWN))
        writer.start()
        found, since, is_last = [], "0", False
        while not is_last:
            is_last = not writer.is_alive()
            lines = daemon.get(f"/v1/sites/{HOST}/texts",
                               since=since).text.splitlines()
            found += [json.loads(line) for line in lines]
            since = found[-1]["sequence"] if found else since
        writer.join()
        self.assertEqual(sorted(line["url"] for line in found),
                         sorted(url_of(i) for i in range(GROWN)))


class Shares(harness.Case):
    """What one token takes of the places leaves room for others."""

    def ask(self, token, head, accept="*/*"):
        """The client and the status; what follows is not read."""
        client = socket.socket()
        self.addCleanup(client.close)
        client.settimeout(30)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        client.connect(("127.0.0.1", self.port))
        client.sendall(f"{head} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       f"Authorization: Bearer {token}\r\n"
                       f"Accept: {accept}\r\n\r\n".encode())
        answer = client.recv(1000)
        status = int(answer.split()[1])
        if status != 200:
            self.assertIn(b"\nRetry-After: ", answer)
        return client, status

    def take(self, token, *arguments):
        """As many as it gets, and what it is told then."""
        clients = []
        while True:
            client, status = self.ask(token, *arguments)
            if status != 200:
                return clients, status
            clients.append(client)

    def test_a_token_leaves_room(self):
        self.port = harness.free_port()
        daemon = self.daemon({
            "socket": {"max_streams": 16},
            "listen": {"address": f'"127.0.0.1:{self.port}"'}})
        first, second, third = (
            daemon.ctl("token", "add", "--write", name).stdout.strip()
            for name in ("first", "second", "third"))
        daemon.post("/v1/ingest", b"".join(
            record(url_of(i), html(i)) for i in range(PAGES)))
        daemon.wait_for(HOST)
        texts = f"GET /v1/sites/{HOST}/texts"
        # places: four for streams of texts, one of them for the socket
        slow, status = self.take(first, texts)
        self.assertEqual((len(slow), status), (2, 429))
        more, status = self.take(second, texts)
        self.assertEqual((len(more), status), (1, 503))
        self.assertEqual(self.ask(third, texts)[1], 503)
        self.assertEqual(
            daemon.get(f"/v1/sites/{HOST}/texts", limit=1).status, 200)
        # three of sixteen listen
        events = "GET /v1/events", "text/event-stream"
        found = [self.take(token, *events) for token in (first, second)]
        self.assertEqual([(len(clients), status) for clients, status in found],
                         [(6, 429), (3, 429)])
        self.assertEqual(self.ask(third, *events)[1], 200)
        for client in slow:
            client.close()
        harness.wait_until(lambda: self.ask(third, texts)[1] == 200,
                           "a stream of texts")

    def test_uploads_and_workers(self):
        """Who uploads slowly has half of the places at most, and leaves
        workers to others."""
        self.port = harness.free_port()
        daemon = self.daemon({
            "listen": {"address": f'"127.0.0.1:{self.port}"'}})
        first, second = (
            daemon.ctl("token", "add", "--write", name).stdout.strip()
            for name in ("first", "second"))
        statuses = []
        for token in (first, first, first, second):
            for path in ("/v1/extract/batch", "/v1/ingest"):
                client = socket.create_connection(("127.0.0.1", self.port))
                self.addCleanup(client.close)
                client.sendall(f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                               f"Authorization: Bearer {token}\r\n"
                               "Content-Length: 100\r\n\r\n{".encode())
                client.settimeout(0.5)
                try:
                    statuses.append(int(client.recv(100).split()[1]))
                except TimeoutError:
                    statuses.append(0)  # the rest is awaited
        self.assertEqual(statuses, [0, 0, 429, 429, 429, 429, 0, 429])
        self.assertEqual(self.ask(second, "GET /v1/sites")[1], 200)


class Changes(harness.Case):
    """A site whose templates change all the time is no damage."""

    SECONDS = 3
    THRESHOLDS = (0.05, 0.1, 0.2, 0.4, 0.8, "auto")

    def setUp(self):
        web = self.web()
        self.site = self.daemon()
        self.host = self.site.crawl(web.url)["host"]
        self.pages = [url for cluster in self.site.clusters(self.host)
                      for url in self.site.pages(cluster["id"])]
        self.end = time.monotonic() + self.SECONDS

    def change(self):
        for value in itertools.cycle(self.THRESHOLDS):
            if time.monotonic() > self.end:
                return
            self.site.watch(f"http://{self.host}/", threshold=value)

    def test_nobody_is_told_that_it_is_damaged(self):
        found = collections.Counter()

        def read(first):
            for url in itertools.cycle(self.pages[first:]):
                if time.monotonic() > self.end:
                    return
                answer = self.site.get("/v1/text", url=url)
                found[answer.status, answer.headers["Retry-After"]] += 1

        def stream():
            while time.monotonic() < self.end:
                answer = self.site.get(f"/v1/sites/{self.host}/texts")
                errors = [line for line in answer.text.splitlines()
                          if '"error"' in line]
                found["stream", *errors] += 1

        def batch():
            rows = "\n".join(json.dumps({"url": url, "html": "<p>a<p>b"})
                             for url in self.pages).encode()
            while time.monotonic() < self.end:
                answer = self.site.post("/v1/extract/batch", rows)
                found["batch", answer.headers["X-Templated-Failed"]] += 1

        threads = [threading.Thread(target=target, args=arguments)
                   for target, arguments in (
                       (read, (0,)), (read, (20,)), (read, (40,)),
                       (stream, ()), (batch, ()), (self.change, ()))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(set(found), {
            (200, None), (503, "1"), ("stream",), ("batch", "0")}, found)
        self.assertGreater(found[200, None], 50 * found[503, "1"], found)


class Fails(harness.Case):
    """Of a stream it is said how many pages have failed."""

    def ctl(self, *arguments):
        done = self.site.ctl("texts", self.host, *arguments)
        return done.returncode, done.stdout, done.stderr

    def trailer(self):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(self.site.socket)
            client.sendall(f"GET /v1/sites/{self.host}/texts?quality=js-only "
                           "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                           "\r\n".encode())
            with client.makefile("rb") as answer:
                return answer.read().decode()

    def test_a_damaged_page(self):
        self.site = self.daemon()
        self.host = self.site.crawl(self.web().url)["host"]
        whole = self.trailer()
        self.assertIn("\r\nTrailer: X-Templated-Failed\r\n", whole)
        self.assertTrue(whole.endswith("0\r\nX-Templated-Failed: 0\r\n\r\n"))
        self.site.stop()
        data = pathlib.Path(self.site.store) / "data.mdb"
        # the last byte of a value is of its checksum
        offset, size = max(Pages(data).spans["bodies"],
                           key=lambda span: span[1])
        with open(data, "r+b") as file:
            file.seek(offset + size - 1)
            byte = file.read(1)[0]
            file.seek(offset + size - 1)
            file.write(bytes([byte ^ 1]))
        self.site.start()
        status, lines, said = self.ctl()
        self.assertEqual(status, 4, said)
        self.assertIn("1 page failed", said)
        failed = [json.loads(line) for line in lines.splitlines()
                  if '"error"' in line]
        self.assertEqual([line["error"]["code"] for line in failed],
                         ["corrupt"])
        path = self.folder() / "site.wet.gz"
        status, _, said = self.ctl("-o", path)
        self.assertEqual(status, 4, said)
        records = [record for record in warc_check.read(path)
                   if record.type == "metadata"]
        self.assertEqual([record.url for record in records],
                         [failed[0]["url"]])
        self.assertTrue(records[0].block.startswith(b"error: corrupt\r\n"))
        # also when it is of no quality
        self.assertIn("\r\nX-Templated-Failed: 1\r\n", self.trailer())


class Reads(harness.Case):
    def test_who_reads_slowly_goes_on_and_who_reads_nothing_does_not(self):
        daemon = self.daemon({"socket": {"idle_timeout": "1 s"}})
        daemon.post("/v1/ingest", b"".join(
            record(url_of(i), html(i)) for i in range(PAGES)))
        daemon.wait_for(HOST)
        idle, slow = socket.socket(socket.AF_UNIX), begin(daemon)
        with idle, slow[0]:
            idle.connect(daemon.socket)
            idle.sendall(f"GET /v1/sites/{HOST}/texts HTTP/1.1\r\n"
                         "Host: x\r\n\r\n".encode())
            start, some = time.monotonic(), slow[1]
            watched = select.poll()
            watched.register(idle, select.POLLRDHUP)
            while time.monotonic() - start < 4:
                time.sleep(0.05)
                some += slow[0].stdout.read1(1000)
                if watched.poll(0):
                    self.assertGreater(time.monotonic() - start, 1)
                    break
            else:
                self.fail("who reads nothing is not cut off")
            while time.monotonic() - start < 4:
                time.sleep(0.05)
                some += slow[0].stdout.read1(1000)
            some += slow[0].stdout.read()
        self.assertEqual(some.count(b"\n"), PAGES)
        self.assertEqual(slow[0].returncode, 0)


class Stops(harness.Case):
    def test_a_daemon_that_stops_cuts_streams_off(self):
        daemon = self.daemon()
        daemon.post("/v1/ingest", b"".join(
            record(url_of(i), html(i)) for i in range(60)))
        daemon.wait_for(HOST)
        client, some = begin(daemon)
        with client, socket.socket(socket.AF_UNIX) as batch:
            batch.connect(daemon.socket)
            batch.sendall(b"POST /v1/extract/batch HTTP/1.1\r\nHost: x\r\n"
                          b"Content-Length: 1000\r\n\r\n"
                          b"{\"html\":\"<p>One\"}\n")
            daemon.stop()
            some += client.stdout.read()
            try:
                self.assertNotIn(b" 200 ", batch.recv(100))
            except ConnectionError:
                pass  # it had no time for the answer
        self.assertLess(some.count(b"\n"), 60)
        self.assertEqual(client.returncode, 1)


if __name__ == "__main__":
    harness.main()
