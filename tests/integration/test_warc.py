"""Archives of the web: in by POST /v1/ingest and templatectl, out by crawl.warc_dir.

What is crawled is archived, what is archived can be ingested, and then the
clusters are those of the crawl. The archives that we write are judged by
warc_check.py, which shares nothing with our reader.
"""

import gzip
import http.client
import io
import json
import os
import shutil
import signal
import socket
import time
import urllib.parse
import uuid

import harness
import warc_check

HOST = "archived.example"
MIB = 1 << 20


def record(kind, url, block, length=None, date="2020-01-02T03:04:05Z"):
    """A record of WARC 1.0, as its bytes."""
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\n"
            f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\n"
            f"WARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block) if length is None else length}"
            "\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def page(url, body, kind="text/html", **options):
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n"
    return record("response", url, head.encode() + body, **options)


def sample_pages():
    """(path, body) of all pages of the sample site."""
    for path in sorted(harness.SITE.rglob("*.html")):
        name = "/" + str(path.relative_to(harness.SITE))
        yield name.removesuffix("index.html"), path.read_bytes()


def sample_archive(host=HOST):
    return b"".join(gzip.compress(page(f"http://{host}{path}", body))
                    for path, body in sample_pages())


def peak_bytes(daemon):
    with open(f"/proc/{daemon.process.pid}/status", encoding="utf-8") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    raise AssertionError("no VmHWM")


class Ingest(harness.Case):
    def ingest(self, daemon, body, query=""):
        answer = daemon.post("/v1/ingest" + query, body)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def begin(self, daemon, part=b"WARC/1.0\r\n", length=1000):
        """A client that has sent a part of an archive, and stays."""
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(30)
        client.connect(daemon.socket)
        client.sendall(b"POST /v1/ingest HTTP/1.1\r\nHost: x\r\n"
                       b"Content-Length: %d\r\n\r\n%s" % (length, part))
        return client

    def test_the_same_pages_give_the_same_templates(self):
        web = self.web()
        daemon = self.daemon()
        host = daemon.crawl(web.url)["host"]
        found = {urllib.parse.urlsplit(url).path
                 for cluster in daemon.clusters(host)
                 for url in daemon.pages(cluster["id"])}
        archive = b"".join(page(f"http://{HOST}{path}", body)
                           for path, body in sample_pages() if path in found)
        self.assertEqual(self.ingest(daemon, archive)["pages"], len(found))
        daemon.wait_for(HOST)  # until its threshold is chosen, too
        self.assertEqual(daemon.partition(HOST), daemon.partition(host))
        url = f"http://{HOST}{min(found)}"
        self.assertEqual(daemon.text(url, fetch="never"),
                         daemon.text(web.url.rstrip("/") + min(found)))
        daemon.stop()
        daemon.verify_store()

    def test_the_newest_of_many_events_are_found(self):
        """More than one read of the last events; a rare kind, too."""
        daemon = self.daemon()
        pages = 400
        self.ingest(daemon, b"".join(
            page(f"http://{HOST}/{i}", b"<p>page %d</p>" % i)
            for i in range(pages)))
        daemon.wait_for(HOST)

        def events(**query):
            answer = daemon.get("/v1/events", **query)
            return ([json.loads(line)["seq"] for line in
                     answer.text.splitlines()],
                    int(answer.headers["X-Templated-Last"]))
        queries = ({}, {"newest": 1, "limit": 5}, {"newest": 1, "limit": 300},
                   {"newest": 1}, {"newest": 1, "kinds": "site.added"},
                   {"kinds": "site.added"}, {"newest": 1, "since": 4},
                   {"newest": 1, "kinds": "hook.test"})
        def answers_without_news():
            """The choice of thresholds may add events meanwhile."""
            answers = [events(**query) for query in queries]
            return answers if answers[0][1] == events()[1] else None

        answers = harness.wait_until(answers_without_news, "no new events")
        self.assertEqual({last for _, last in answers}, {answers[0][1]})
        everything, *others = (seqs for seqs, _ in answers)
        self.assertGreater(len(everything), pages)
        self.assertEqual(others, [
            everything[-5:], everything[-300:], everything, others[4],
            others[4], [seq for seq in everything if seq > 4], []])
        self.assertEqual(len(others[4]), 1)

    def test_archives_come_with_a_length_in_pieces_and_by_curl(self):
        daemon = self.daemon()
        archive = sample_archive()
        pages = len(list(sample_pages()))
        self.assertEqual(self.ingest(daemon, archive)["pages"], pages)
        pieces = io.BytesIO(archive)
        report = self.ingest(daemon, iter(lambda: pieces.read(1000), b""))
        self.assertEqual(report["pages"], pages)
        self.assertEqual(report["bytes"], len(archive))
        if shutil.which("curl") is None:
            return
        file = self.folder() / "a.warc.gz"
        file.write_bytes(archive)
        for options in (["--data-binary", f"@{file}"],
                        ["-X", "POST", "-T", str(file)]):
            done = harness.run(["curl", "-s", "--unix-socket", daemon.socket,
                                *options, "http://localhost/v1/ingest"])
            self.assertIn(f'"pages":{pages},', done.stdout)

    def test_every_record_is_told(self):
        daemon = self.daemon()
        moved = b"HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\n"
        archive = (
            page("http://a.example/", b"<p>one word</p>")
            + record("response", "http://a.example/old", moved)
            + record("revisit", "http://a.example/",
                     b"HTTP/1.1 200 OK\r\n\r\n")
            + record("request", "http://a.example/", b"GET / HTTP/1.1\r\n\r\n")
            + page("http://a.example/i", b"GIF89a", "image/gif")
            + record("response", "http://a.example/404",
                     b"HTTP/1.1 404 Not Found\r\n\r\n")
            + record("response", "http://a.example/bad", b"<html>")
            + page("http://[bad/", b"<p>x</p>")
            + page("http://a.example/" + "x" * 3000, b"<p>x</p>"))
        report = self.ingest(daemon, archive)
        self.assertEqual(
            {k: report[k] for k in ("records", "pages", "revisits",
                                    "redirects", "rejected", "complete")},
            {"records": 9, "pages": 1, "revisits": 1, "redirects": 1,
             "rejected": 3, "complete": True})
        self.assertEqual(report["skipped"],
                         {"not-html": 1, "error-status": 1, "other": 1,
                          "other-host": 0, "no-site": 0})
        self.assertEqual([e["error"] for e in report["errors"]],
                         ["malformed", "malformed", "too_large"])
        self.assertEqual(report["errors"][0]["url"], "http://a.example/bad")
        at = report["errors"][0]["offset"]
        self.assertEqual(archive[at:at + 5], b"WARC/")

    def test_an_archive_adds_a_few_sites_and_those_that_are_named(self):
        daemon = self.daemon({"crawl": {"max_sites": 20}})
        file = self.folder() / "hosts.warc"
        file.write_bytes(b"".join(
            page(f"http://h{i:02}.example/{j}", b"<p>some words of a page</p>")
            for j in range(2) for i in range(25)))
        report = self.ingest(daemon, file.read_bytes(), "?new_sites=3")
        self.assertEqual((report["pages"], report["new_sites"],
                          report["skipped"]["no-site"]), (6, 3, 44))
        self.assertEqual(
            report["hosts"], [{"host": f"h{i:02}.example", "pages": 2,
                               "error": "no_site"} for i in range(3, 25)])
        done = daemon.ctl("ingest", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("skipped 24 pages of unknown sites: "
                      "h13.example (2), ", done.stderr)
        self.assertIn("--host", done.stderr)
        self.assertEqual(len(daemon.json("/v1/sites")["sites"]), 13)
        # none, where only those that exist are wanted
        report = self.ingest(daemon, file.read_bytes(), "?new_sites=0")
        self.assertEqual((report["pages"], report["new_sites"]), (26, 0))
        done = daemon.ctl("--json", "ingest", "--host", "H2*.example",
                          "--host", "h13.example", file)
        report = json.loads(done.stdout)
        self.assertEqual((report["pages"], report["new_sites"],
                          report["skipped"]["other-host"]), (12, 6, 38))
        # no place is left for one of them
        done = daemon.ctl("ingest", "--host=*", file)
        self.assertIn("beyond crawl.max_sites: ", done.stderr)
        self.assertEqual(len(daemon.json("/v1/sites")["sites"]), 20)
        for wrong in ("?host=a/b", "?host=", "?replace=2", "?new_sites=x",
                      "?" + "&".join(["host=a"] * 65)):
            answer = daemon.post("/v1/ingest" + wrong, b"")
            self.assertEqual(answer.status, 400, wrong)

    def test_what_was_fetched_is_kept(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        text = daemon.get("/v1/text?fetch=never&url=" + web.url).text
        fetched = self.fetched_pages(daemon, web)
        self.assertGreater(len(fetched), 3)
        file = self.folder() / "owned.warc"
        file.write_bytes(b"".join(
            page(url, b"<p>owned by an archive</p>", date=date)
            for url in [*fetched, web.url + "none"]
            for date in ("2035-01-01T00:00:00Z",
                         time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()))))
        done = daemon.ctl("ingest", file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"kept {2 * len(fetched)} pages that the daemon "
                      "fetched itself", done.stderr)
        self.assertEqual(
            daemon.get("/v1/text?fetch=never&url=" + web.url).text, text)
        done = daemon.ctl("--json", "ingest", "--replace", file)
        self.assertEqual(json.loads(done.stdout)["kept"], 0)
        self.assertEqual(
            daemon.get("/v1/text?fetch=never&url=" + web.url).text.strip(),
            "owned by an archive")
        # what was asked to be fetched is fetched, and is the daemon's again
        self.assertEqual(
            daemon.get("/v1/text?fetch=always&url=" + web.url).text, text)

    def fetched_pages(self, daemon, web):
        host = urllib.parse.urlsplit(web.url).netloc
        return [url for cluster in daemon.clusters(host)
                for url in daemon.pages(cluster["id"])]

    def test_a_date_in_the_future_replaces_nothing(self):
        daemon = self.daemon()
        url = f"http://{HOST}/"
        for date, words, stands in (
                ("2020-01-01T00:00:00Z", "first", "first"),
                ("2035-01-01T00:00:00Z", "future", "first"),
                ("never", "undated", "first"),
                ("2021-01-01T00:00:00Z", "second", "second")):
            self.ingest(daemon, page(url, b"<p>the %s words</p>" % (
                words.encode()), date=date))
            self.assertEqual(
                daemon.get("/v1/text?fetch=never&url=" + url).text.strip(),
                f"the {stands} words")

    def test_what_is_no_archive_is_refused(self):
        daemon = self.daemon()
        report = self.ingest(daemon, b"<html>\n" * 10000)
        self.assertFalse(report["complete"])
        self.assertEqual(report["pages"], 0)
        self.assertTrue(report["reason"])
        self.assertTrue(self.ingest(daemon, b"")["complete"])

    def test_a_cut_archive_gives_what_it_has(self):
        daemon = self.daemon()
        report = self.ingest(daemon, sample_archive()[:-20])
        self.assertFalse(report["complete"])
        self.assertGreaterEqual(report["pages"],
                                len(list(sample_pages())) - 1)

    def test_the_client_says_what_became_of_files(self):
        daemon = self.daemon()
        folder = self.folder()
        (folder / "good.warc.gz").write_bytes(sample_archive())
        (folder / "cut.warc.gz").write_bytes(sample_archive()[:-20])
        done = daemon.ctl("ingest", folder / "good.warc.gz")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("good.warc.gz", done.stdout)
        done = daemon.ctl("ingest", folder / "good.warc.gz",
                          folder / "cut.warc.gz")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stopped before the end", done.stderr)
        done = daemon.ctl("ingest", folder / "missing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("missing", done.stderr)
        done = daemon.ctl("--json", "ingest", folder / "good.warc.gz")
        self.assertIn('"complete":true', done.stdout)
        daemon.stop()
        self.assertEqual(daemon.ctl("ingest", folder / "good.warc.gz")
                         .returncode, 3)

    def test_clients_that_stall_or_leave(self):
        daemon = self.daemon({"socket": {"idle_timeout": "1 s"}})
        stalled = self.begin(daemon)
        self.begin(daemon).close()
        self.assertEqual(daemon.get("/v1/status").status, 200)
        self.assertEqual(stalled.recv(1), b"", "it is not left")
        self.assertTrue(self.ingest(daemon, sample_archive())["complete"])

    def test_a_few_at_the_same_time(self):
        daemon = self.daemon()
        waiting = [self.begin(daemon) for _ in range(4)]
        harness.wait_until(
            lambda: self.error_is(daemon, 503), "the fifth is refused")
        self.assertEqual(daemon.get("/v1/status").status, 200)
        for client in waiting:
            client.close()
        harness.wait_until(
            lambda: daemon.post("/v1/ingest", b"").status == 200,
            "a place is free")

    def error_is(self, daemon, status):
        try:
            return daemon.post("/v1/ingest", b"").status == status
        except OSError:
            return False

    def test_memory_does_not_grow_with_the_archive(self):
        daemon = self.daemon()
        self.ingest(daemon, sample_archive())
        before = peak_bytes(daemon)
        size = 200 * MIB
        head, tail = record("response", "http://a.example/film",
                            b"@").split(b"@")
        answer = b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n"
        head = head.replace(b"Content-Length: 1\r",
                            b"Content-Length: %d\r" % (size + len(answer)))

        def pieces():
            yield head + answer
            for _ in range(size // MIB):
                yield bytes(MIB)
            yield tail + page("http://a.example/", b"<p>one word</p>")

        report = self.ingest(daemon, pieces())
        self.assertEqual((report["records"], report["pages"]), (2, 1))
        # sanitizers keep 256 MiB of what was freed: each piece of the archive
        most = 350 * MIB if os.environ.get("SANITIZER") else 100 * MIB
        self.assertLess(peak_bytes(daemon) - before, most)

    def test_killed_in_the_middle(self):
        daemon = self.daemon()
        client = self.begin(daemon, sample_archive(), 10 * MIB)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["counts"]["pages"] > 5,
            "the first pages")
        daemon.kill()
        client.close()
        daemon.verify_store()
        daemon.start()
        self.assertTrue(self.ingest(daemon, sample_archive())["complete"])
        daemon.stop()
        daemon.verify_store()

    def test_a_worker_that_ends_costs_its_upload(self):
        daemon = self.daemon()
        before = self.workers(daemon)
        archive = sample_archive()
        client = self.begin(daemon, archive, 10 * MIB)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["counts"]["pages"] > 5,
            "the first pages")
        unpacker, = self.workers(daemon) - before
        os.kill(unpacker, signal.SIGKILL)
        client.sendall(bytes(10 * MIB - len(archive)))
        answer = http.client.HTTPResponse(client)
        answer.begin()
        report = json.loads(answer.read())
        self.assertEqual((answer.status, report["complete"]), (200, False))
        self.assertIn("signal 9", report["reason"])
        self.assertGreater(report["pages"], 5)
        self.assertEqual(daemon.get("/v1/quarantine").json["pages"], [])
        self.assertTrue(self.ingest(daemon, archive)["complete"])

    def workers(self, daemon):
        return {one["pid"] for row in daemon.json("/v1/status")["processes"]
                if row["role"] == "worker" for one in row["running"]}

    def test_stopped_in_the_middle(self):
        daemon = self.daemon()
        self.begin(daemon, sample_archive(), 10 * MIB)
        time.sleep(0.2)
        daemon.stop()
        daemon.verify_store()


class Archive(harness.Case):
    def records(self, folder):
        names = sorted(os.listdir(folder))
        self.assertTrue(names)
        for name in names:
            self.assertRegex(name, r"^templated-\d{14}-\d{5}\.warc\.gz$")
            self.assertEqual(warc_check.check(folder / name), [], name)
        return [r for name in names for r in warc_check.read(folder / name)]

    def test_what_is_fetched_is_archived_and_can_be_ingested(self):
        web = self.web()
        folder = self.folder() / "warc"
        daemon = self.daemon({"crawl": {"warc_dir": str(folder)}})
        host = daemon.crawl(web.url)["host"]
        daemon.stop()
        daemon.start()
        pages = {url for cluster in daemon.clusters(host)
                 for url in daemon.pages(cluster["id"])}
        partition = daemon.partition(host)
        records = self.records(folder)
        kept = {r.url for r in records if r.type == "response"}
        self.assertLessEqual(pages, kept)
        self.texts_refer_to(daemon, host, records)
        other = self.daemon()
        done = other.ctl("ingest", *sorted(folder.iterdir()))
        self.assertEqual(done.returncode, 0, done.stderr)
        other.wait_for(host)  # the threshold is chosen after the last page
        self.assertEqual(other.partition(host), partition)

    def texts_refer_to(self, daemon, host, records):
        """Each text to the answer that its page was; nobody else has its id."""
        path = self.folder() / "site.wet.gz"
        self.assertEqual(daemon.ctl("texts", host, "-o", path).returncode, 0)
        ids = {r.fields["warc-record-id"]: r for r in records}
        self.assertEqual(len(ids), len(records))
        texts = [r for r in warc_check.read(path) if r.type == "conversion"]
        self.assertGreater(len(texts), 3)
        for text in texts:
            source = ids[text.fields["warc-refers-to"]]
            self.assertEqual((source.type, source.url), ("response", text.url))

    def test_archives_keep_no_credentials(self):
        """Unless they are to; and they are for nobody else to read."""
        web = self.web(extra='add_header Set-Cookie "session=s3same";')
        for keeps in ("no", "yes"):
            folder = self.folder() / "warc"
            daemon = self.daemon({"crawl": {
                "warc_dir": str(folder), "warc_credentials": keeps}})
            daemon.crawl(web.url, max_pages=4, headers={
                "Authorization": "Bearer s3same", "X-Key": "s3same"})
            daemon.stop()
            records = self.records(folder)
            self.assertEqual(any(b"Set-Cookie:" in r.block for r in records
                                 if r.type == "response"), keeps == "yes")
            heads = [r.block for r in records if r.type == "request"]
            self.assertGreater(len(heads), 2)
            for name in (b"Authorization:", b"X-Key:", b"Cookie:"):
                self.assertEqual(any(name in head for head in heads),
                                 keeps == "yes", heads)
            self.assertTrue(all(b"User-Agent: " in head for head in heads))
            for path in folder.iterdir():
                self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_a_killed_daemon_leaves_whole_records(self):
        web = self.web()
        folder = self.folder() / "warc"
        daemon = self.daemon({"crawl": {"warc_dir": str(folder)}})
        daemon.crawl(web.url)
        daemon.kill()
        name = os.listdir(folder)[0]
        self.assertTrue(name.endswith(".open"))
        with open(folder / name, "ab") as file:
            file.write(gzip.compress(b"WARC/1.1\r\n")[:15])
        daemon.start()
        daemon.stop()
        self.assertGreater(len(self.records(folder)), 2)


if __name__ == "__main__":
    harness.main()
