"""Traps: places without end. Each ends at a stated budget, and the daemon says
which rule kept the next URL out."""

import http.server
import socketserver
import threading
import urllib.parse

import harness

BUDGET = 40  # crawl.max_pages_per_pattern
K = 5        # crawl.pattern_stop_after, where a test wants it
PAGE = ("<html><head><title>{0}</title></head><body><div class='menu'>"
        "<a href='/'>Home</a> <a href='/a.html'>A</a> <a href='/b.html'>B</a>"
        "</div><h1>{0}</h1>{1}</body></html>")


def calendar(path, query, count):
    year, month = (int(x) for x in (path.split("/")[2:4] or (2024, 1)))
    months = year * 12 + month - 1
    return [f"/cal/{m // 12}/{m % 12 + 1}" for m in
            (months + 1, months - 1, months + 12)]


def endless_path(path, query, count):
    return [f"{path.rstrip('/')}/{count % 7}/", f"{path.rstrip('/')}/x{count}/"]


def session(path, query, count):
    """A new one in every link, under a name that all know."""
    return [f"/s/{name}?PHPSESSID={count * 7919 + i:032x}"
            for i, name in enumerate(("one", "two", "three"))]


def own_session(path, query, count):
    return [link.replace("PHPSESSID", "visit")
            for link in session(path, query, count)]


def repeated(path, query, count):
    return [f"{path.rstrip('/')}/{name}/" for name in ("foo", "bar")]


def new_keys(path, query, count):
    return [f"{path}?{query + '&' if query else ''}k{count}_{i}=1"
            for i in range(3)]


def echo(path, query, count):
    """A relative link that was meant to be absolute."""
    return [f"{path.strip('/')}/more.html"]


def faceted(path, query, count):
    """Every selection of 12 filters."""
    chosen = {k for k, _ in urllib.parse.parse_qsl(query)}
    return [path + "?" + "&".join(f"{k}=1" for k in sorted(chosen | {f"f{i}"}))
            for i in range(12)]


def numbers(path, query, count):
    number = int(path.split("/")[2].split(".")[0])
    return [f"/n/{number + i}.html" for i in range(1, 9)]


TRAPS = {"calendar": ("/cal/2024/1", calendar),
         "endless path": ("/deep/", endless_path),
         "session": ("/s/one", session),
         "own session": ("/s/one", own_session),
         "repeated segments": ("/r/", repeated),
         "new keys": ("/k/", new_keys),
         "self-echo": ("/e/start/", echo),
         "facets": ("/f/list", faceted),
         "numbers": ("/n/1.html", numbers)}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        trap = self.server.trap
        path, _, query = self.path.partition("?")
        self.server.asked.append(self.path)
        status, links = 200, []
        if path == "/":
            links = [trap[0]]
        elif path.startswith("/" + trap[0].split("/")[1]):
            links = trap[1](path, query, len(self.server.asked))
        elif path not in ("/a.html", "/b.html"):
            status = 404
        body = PAGE.format(f"Page {len(self.server.asked)}", "".join(
            f"<p><a href='{link.replace('&', '&amp;')}'>on</a></p>"
            for link in links)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, trap):
        super().__init__(("127.0.0.1", 0), Handler)
        self.trap, self.asked = trap, []
        self.url = f"http://127.0.0.1:{self.server_port}/"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass


class Traps(harness.Case):
    def crawl(self, name, **crawl):
        server = Server(TRAPS[name])
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.daemon_ = self.daemon({"crawl": {
            "max_pages_per_pattern": BUDGET, "max_pages": 100000, "max_depth": 1000,
            **crawl}})
        self.site = self.daemon_.crawl(server.url)
        self.server = server
        self.assertEqual(len(set(server.asked)), len(server.asked),
                         "something was fetched twice")
        return [path for path in server.asked
                if path.startswith("/" + TRAPS[name][0].split("/")[1])]

    def rule(self, path):
        url = urllib.parse.urljoin(self.server.url, path)
        said = self.daemon_.ctl("page", "show", url)
        self.assertEqual(said.returncode, 0, said.stderr)
        explained = self.daemon_.json("/v1/pages", url=url)
        self.assertIn(explained["rule"], said.stdout)
        return explained["rule"]

    def ends(self, name, most, *rules, **crawl):
        """The trap took at most so many requests, and one of the rules keeps
        its next URL out; the pages beside it are there."""
        asked = self.crawl(name, **crawl)
        self.assertLessEqual(len(asked), most, asked[-5:])
        self.assertGreaterEqual(len(asked), 2)
        self.assertLessEqual({"/", "/a.html", "/b.html"},
                             set(self.server.asked))
        left = [link for path in asked[-8:] for link in
                TRAPS[name][1](*path.partition("?")[::2], 10 ** 6)]
        self.assertLessEqual({self.rule(urllib.parse.urljoin(
            self.server.url + asked[-1].lstrip("/"), link))
            for link in left if link not in asked}, set(rules))

    def test_calendar(self):
        self.ends("calendar", BUDGET, "pattern", "unknown", "link")

    def test_calendar_is_saturated_before(self):
        self.ends("calendar", 6 * K, "saturated", "unknown", "link",
                  pattern_stop_after=K)

    def test_numbers(self):
        self.ends("numbers", BUDGET, "pattern", "unknown", "link")

    def test_endless_path(self):
        # Five times the budget for all paths of as many segments, 1 to 16.
        self.ends("endless path", 16 * 5 * 4, "segments", "repeat",
                  "pattern", "unknown", "link", max_pages_per_pattern=4)

    def test_session_ids(self):
        self.ends("session", 3, "unknown", "link", "seed")

    def test_session_ids_under_a_name_that_nobody_knows(self):
        self.ends("own session", 3 * BUDGET, "pattern", "unknown", "link")

    def test_repeated_segments(self):
        self.ends("repeated segments", 4 * BUDGET, "repeat", "pattern",
                  "unknown", "link")

    def test_ever_new_keys(self):
        self.ends("new keys", 4 * BUDGET, "keys", "pattern", "unknown",
                  "link")

    def test_self_echo(self):
        self.ends("self-echo", BUDGET, "repeat", "segments", "unknown",
                  "link")

    def test_facets(self):
        self.ends("facets", 12 * BUDGET, "keys", "pattern", "unknown",
                  "link")

    def test_hosts_that_drip_make_room_for_a_good_one(self):
        """Each of them would hold its connection for ten minutes."""
        class Drip(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    self.request.recv(65536)
                    self.request.sendall(b"HTTP/1.1 200 OK\r\n"
                                         b"Content-Type: text/html\r\n\r\n")
                    while not self.server.is_over.wait(0.05):
                        self.request.sendall(b"dripping")
                except OSError:
                    pass
        drips = []
        for _ in range(4):
            server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Drip)
            server.is_over = threading.Event()
            threading.Thread(target=server.serve_forever,
                             args=(0.05,)).start()
            for end in (server.server_close, server.shutdown,
                        server.is_over.set):
                self.addCleanup(end)
            drips.append(f"http://127.0.0.1:{server.server_address[1]}/")
        web = self.web()
        daemon = self.daemon({"crawl": {
            "page_timeout": "10 min", "max_connections": 3,
            "retry_backoff": "10 min"}, "pipeline": {"shutdown_timeout": "100 ms"}})
        for url in drips:
            daemon.watch(url)
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"][
                "fetches_in_progress"] == 3, "all connections to be taken")
        site = daemon.crawl(web.url, max_pages=3)
        self.assertGreaterEqual(site["pages"], 2)


if __name__ == "__main__":
    harness.main()
