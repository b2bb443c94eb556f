"""Cookies outlive the daemon: sealed, no longer than they are valid, and only
while the site may have them."""

import http.server
import pathlib
import threading
import time

import harness

MARK = "s3same"
COUNT = 6


class Server:
    """A page has variant A or B, by a cookie that the first response sets."""

    def __init__(self):
        self.seen = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                cookie = self.headers.get("Cookie", "")
                if self.path != "/robots.txt":
                    outer.seen.append(cookie)
                links = "".join(f'<a href="/{i}.html">Page {i}</a>'
                                for i in range(COUNT))
                body = (f"<html><body><nav>{links}</nav><p>The text of "
                        f"{self.path} stands here.</p></body></html>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                if "ab=" not in cookie:
                    self.send_header("Set-Cookie",
                                     f"ab={MARK}; Path=/; Max-Age=3600")
                    self.send_header("Set-Cookie", "short=1; Max-Age=1")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        self.url = f"http://{self.host}/"
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def holders(folder):
    return {path.name for path in pathlib.Path(folder).rglob("*")
            if path.is_file() and MARK.encode() in path.read_bytes()}


class Cookies(harness.Case):
    def setUp(self):
        self.server = Server()
        self.addCleanup(self.server.stop)
        self.daemon_ = self.daemon()
        self.daemon_.crawl(self.server.url, revisit_interval_s=1)

    def restarted(self, end):
        end()
        del self.server.seen[:]
        time.sleep(2.5)  # the other cookie expires
        self.daemon_.start()
        harness.wait_until(lambda: len(self.server.seen) > COUNT,
                           "visits after the restart")
        return self.server.seen[:]

    def test_they_outlive_the_daemon(self):
        for end in (self.daemon_.stop, self.daemon_.kill):
            for cookie in self.restarted(end):
                # The other one has expired.
                self.assertEqual(cookie, f"ab={MARK}")
        self.daemon_.stop()
        self.assertEqual(holders(self.daemon_.store), {"secrets"})
        self.daemon_.verify_store()

    def test_without_them_nothing_remains(self):
        self.daemon_.watch(self.server.url, cookies=False)
        for cookie in self.restarted(self.daemon_.stop):
            self.assertEqual(cookie, "")
        self.daemon_.stop()
        self.assertEqual(holders(self.daemon_.store), set())

    def test_deleted_site_leaves_none(self):
        self.daemon_.request("DELETE", f"/v1/sites/{self.server.host}")
        self.daemon_.stop()
        self.assertEqual(holders(self.daemon_.store), set())
        self.daemon_.verify_store()


if __name__ == "__main__":
    harness.main()
