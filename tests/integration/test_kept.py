"""Texts that are kept: the same as those that are computed, by real workers,
also while the site changes; told by ETag; many of them on one connection; and
not behind questions that take long."""

import json
import socket
import threading
import urllib.parse

import harness

COUNT = 20
PAGE = """<html><head><title>Page {0}</title></head><body><div class="menu">
{1}</div><h1>Page {0}</h1><p>{2}</p></body></html>
"""


class Kept(harness.Case):
    def setUp(self):
        root = self.folder()
        links = " ".join(f'<a href="/{k}.html">Page {k}</a>'
                         for k in range(COUNT))
        for i in range(COUNT):
            name = root / ("index.html" if i == 0 else f"{i}.html")
            name.write_text(PAGE.format(i, links, f"Words of page {i}. " * 20))
        self.server = self.web(root)
        self.daemon_ = self.daemon()
        self.daemon_.crawl(self.server.url)
        self.urls = [self.server.url + (f"{i}.html" if i else "")
                     for i in range(COUNT)]

    def ask(self, url, headers=None, **arguments):
        """The answer, and its headers but for the time."""
        connection = harness.UnixConnection(self.daemon_.socket, 30)
        query = urllib.parse.urlencode({"url": url, **arguments})
        connection.request("GET", "/v1/text?" + query, headers=headers or {})
        answer = harness.Answer(connection.getresponse())
        connection.close()
        return answer, [(name, value) for name, value in answer.headers.items()
                        if name != "Date"]

    def hits(self):
        for line in self.daemon_.get("/metrics").text.splitlines():
            if line.startswith("templated_text_cache_hits_total "):
                return int(line.split()[1])
        raise AssertionError("no such metric")

    def check_all(self, form):
        for url in self.urls:
            first, headers = self.ask(url, format=form)
            again, same = self.ask(url, format=form)
            # an argument that changes no text is another question
            fresh, others = self.ask(url, format=form, exclude=".no" + form)
            self.assertEqual(first.status, 200)
            self.assertEqual((first.body, headers), (again.body, same))
            self.assertEqual((first.body, headers), (fresh.body, others))

    def test_they_are_what_would_be_computed_when_the_site_has_changed(self):
        self.check_all("json")
        self.assertGreaterEqual(self.hits(), COUNT)
        before = json.loads(self.ask(self.urls[3], format="json")[0].body)
        page = self.server.url + "new.html"
        html = PAGE.format("new", "", "Other words. " * 20).encode()
        block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
        self.daemon_.post("/v1/ingest", (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {page}\r\n"
            "WARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n").encode() + block
            + b"\r\n\r\n")
        self.daemon_.wait_for(self.server.host)
        after = json.loads(self.ask(self.urls[3], format="json")[0].body)
        self.assertGreater(after["generation"], before["generation"])
        self.check_all("json")
        self.check_all("txt")

    def test_a_tag_outlives_a_restart(self):
        first, _ = self.ask(self.urls[1])
        tag = first.headers["ETag"]
        self.daemon_.stop()
        self.daemon_.start()
        same, _ = self.ask(self.urls[1], {"If-None-Match": tag})
        self.assertEqual((same.status, same.body), (304, b""))
        self.assertEqual(same.headers["ETag"], tag)

    def test_many_on_one_connection_come_in_order(self):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(30)
        client.connect(self.daemon_.socket)
        for url in self.urls * 3:
            client.sendall(f"GET /v1/text?format=json&url={url} HTTP/1.1\r\n"
                           "Host: x\r\n\r\n".encode())
        stream = client.makefile("rb")
        for url in self.urls * 3:
            self.assertIn(b" 200 ", stream.readline())
            size = 0
            while (line := stream.readline().strip()):
                name, value = line.split(b": ", 1)
                if name == b"Content-Length":
                    size = int(value)
            self.assertEqual(json.loads(stream.read(size))["url"], url)
        stream.close()
        client.close()

    def test_they_stand_behind_no_text_that_takes_long(self):
        self.ask(self.urls[0])
        large = b"<p>" + b"<b>a</b> " * 400_000
        threads = [threading.Thread(target=self.daemon_.post,
                                    args=("/v1/extract", large))
                   for _ in range(10)]
        for thread in threads:
            thread.start()
        for _ in range(20):
            self.assertEqual(self.ask(self.urls[0])[0].status, 200)
            self.assertEqual(self.daemon_.get("/v1/status").status, 200)
        is_waiting = any(thread.is_alive() for thread in threads)
        for thread in threads:
            thread.join()
        self.assertTrue(is_waiting, "they were no questions that take long")


if __name__ == "__main__":
    harness.main()
