"""Law 6: no packet goes to an address that is not public, whoever names it.

In a network namespace of its own every address there is, is this machine: a
server answers on all of them, a name server says what it is told to, and all
that is sent over the only device is written down. So a guard that fails is
seen, and nothing leaves the machine.
"""

import http.server
import ipaddress
import json
import pathlib
import shutil
import socket
import socketserver
import struct
import subprocess
import sys
import tempfile
import threading
import time

import harness

PUBLIC = "93.184.216.34"
OTHER = "93.184.216.35"
PUBLIC6 = "2606:2800:220:1:248:1893:25c8:1946"
IP = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
PORTS = (80, 8080, 9000, 9001)

# Every range of IANA's special registries that is not global, by an address.
FORBIDDEN = (
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.2", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255",
    "::", "::1", "fd00::1", "fc00::1", "fe80::1", "ff02::1", "2001:db8::1",
    "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1",
    "64:ff9b:1::a00:1", "2002:a00:1::1", "2002:7f00:1::1", "::7f00:1",
    "100::1", "fec0::1",
)
# Ways to write what must not be reached.
SPELLINGS = (
    "169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376",
    "0xa9.0xfe.0xa9.0xfe", "169.254.43518", "169.16689662", "10.1", "127.1",
    "0x7f.1", "017700000001", "localhost", "LOCALHOST.", "0", "0x0",
    "[::1]", "[::]", "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]",
    "[64:ff9b::a9fe:a9fe]", "[64:ff9b::169.254.169.254]",
    "[2002:a9fe:a9fe::1]", "[fd00:ec2::254]", "[fe80::1]",
    "%31%36%39.254.169.254", "169。254。169。254", "①⑥⑨.254.169.254",
    "inside.test", "user@10.0.0.1", "93.184.216.34@10.0.0.1",
)
PAGE = """<html><head><title>{0}</title></head><body><h1>{0}</h1>
<p>What stands on {0} alone.</p>{1}</body></html>"""


class Names(socketserver.BaseRequestHandler):
    """DNS (RFC 1035) of one question: what server.table says, TTL 0."""

    def handle(self):
        query, out = self.request
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]])
            at += 1 + query[at]
        kind = struct.unpack("!H", query[at + 1:at + 3])[0]
        name = b".".join(labels).decode("latin-1").lower()
        answers = [ipaddress.ip_address(a)
                   for a in self.server.table.get(name, ())]
        answers = [a.packed for a in answers
                   if kind == {4: 1, 6: 28}[a.version]]
        code = 0 if name in self.server.table else 3
        self.server.asked.append(name)
        out.sendto(query[:2] + struct.pack(
            "!HHHHH", 0x8580 | code, 1, len(answers), 0, 0)
            + query[12:at + 5] + b"".join(
                b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0, len(a)) + a
                for a in answers), self.client_address)


class Page(http.server.BaseHTTPRequestHandler):
    """Five pages on every host and address, and what server.moved and
    server.robots say beside."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers.get("Host", "")
        self.server.world.requests.append((host, self.path))
        moved = self.server.world.moved.get((host, self.path))
        if moved:
            self.answer(302, "text/html", "", moved)
        elif self.path == "/robots.txt":
            self.answer(200, "text/plain",
                        self.server.world.robots.get(host, ""))
        elif self.path == "/sitemap.xml":
            self.answer(404, "text/html", "nothing")
        else:
            links = [f"/{i}.html" for i in range(5)] + sorted(
                path for at, path in self.server.world.moved if at == host)
            self.answer(200, "text/html", PAGE.format(
                host + self.path,
                "".join(f'<a href="{link}">x</a> ' for link in links)))

    def answer(self, status, kind, body, location=None):
        body = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if location:
            # As it is: http.server's own would be Latin-1.
            self.send_header("Location",
                             location.encode().decode("latin-1"))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def __init__(self, world, family, port):
        self.address_family = family
        self.world = world
        super().__init__(("::" if family == socket.AF_INET6 else "", port),
                         Page)

    def server_bind(self):
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        super().server_bind()

    def handle_error(self, request, client_address):
        pass  # the daemon may leave at any time


class World:
    """All addresses there are: servers, names, and what was sent."""

    def __init__(self):
        self.requests, self.moved, self.robots = [], {}, {}
        self.sent = set()
        for route in (["-4", "0.0.0.0/0"], ["-6", "::/0"]):
            subprocess.run([IP, route[0], "route", "add", "local", route[1],
                            "dev", "lo"], check=True, capture_output=True)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="td-world-"))
        conf = self.folder / "resolv.conf"
        conf.write_text("nameserver 127.0.0.1\noptions timeout:2\n")
        subprocess.run(["mount", "--bind", str(conf), "/etc/resolv.conf"],
                       check=True)
        self.names = socketserver.ThreadingUDPServer(("127.0.0.1", 53), Names)
        self.names.table, self.names.asked = {}, []
        servers = [Server(self, family, port) for port in PORTS
                   for family in (socket.AF_INET, socket.AF_INET6)]
        for server in [self.names, *servers]:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM,
                                  socket.htons(3))
        self.wire.bind(("lo", 3))
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            packet, origin = self.wire.recvfrom(65536)
            if origin[1] == 0x0800:
                header, kind = (packet[0] & 15) * 4, packet[9]
                target = packet[16:20]
            elif origin[1] == 0x86dd:
                header, kind, target = 40, packet[6], packet[24:40]
            else:
                continue
            port = struct.unpack("!H", packet[header + 2:header + 4])[0]
            # TCP: only who begins. UDP: only who asks.
            if kind == 6 and packet[header + 13] & 0x12 == 2 or \
                    kind == 17 and port < 32768:
                self.sent.add((str(ipaddress.ip_address(target)), port))

    def close(self):
        subprocess.run(["umount", "/etc/resolv.conf"], check=True)
        shutil.rmtree(self.folder, ignore_errors=True)


class Guard(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.addClassCleanup(cls.world.close)

    def setUp(self):
        world = self.world
        for table in (world.sent, world.names.table, world.moved,
                      world.robots, world.requests):
            table.clear()
        world.names.table["inside.test"] = ["10.0.0.1"]
        self.daemon_ = self.daemon()

    def crawl(self, *urls, **options):
        """Watch them all; the sites as they are at the end, by host."""
        hosts = [self.daemon_.watch(url, **options)["host"] for url in urls]
        return {host: self.daemon_.wait_for(host) for host in hosts}

    def watch_without_robots(self, names):
        """Watch hosts whose robots.txt cannot be had: nothing of them is asked
        for until it can."""
        names = list(names)
        for name in names:
            self.daemon_.watch(f"http://{name}/")
        harness.wait_until(
            lambda: all(f"//{name}/robots.txt: " in self.daemon_.messages()
                        for name in names), "word of every robots.txt", 60)

    def assert_sent_only_to(self, *targets):
        allowed = {("127.0.0.1", 53), *targets}
        time.sleep(0.05)  # what is on its way to the one who writes it down
        self.assertEqual(self.world.sent - allowed, set(),
                         self.daemon_.messages())
        self.assertEqual(set(targets) - self.world.sent, set(),
                         "the test itself reached nothing")

    def test_names_of_private_addresses(self):
        table = self.world.names.table
        table["public.test"] = [PUBLIC]
        table["public6.test"] = [PUBLIC6]
        for i, address in enumerate(FORBIDDEN):
            table[f"private{i}.test"] = [address]
        sites = self.crawl(*(f"http://{name}/" for name in table))
        pages = {host: site["pages"] for host, site in sites.items()
                 if site["pages"]}
        self.assertEqual(pages, {"public.test": 6, "public6.test": 6})
        # the seed of a site without pages is tried again and again
        refused = {line.split(": ")[1] for line in
                   self.daemon_.messages().splitlines()
                   if "is a private or reserved address" in line}
        self.assertEqual(len(refused), len(FORBIDDEN) + 1, refused)
        self.assert_sent_only_to((PUBLIC, 80), (PUBLIC6, 80))

    def test_private_address_beside_a_public_one(self):
        table = self.world.names.table
        for i, address in enumerate(FORBIDDEN):
            table[f"before{i}.test"] = [address, PUBLIC]
            table[f"behind{i}.test"] = [PUBLIC, address]
        self.crawl(*(f"http://{name}/" for name in table))
        self.assert_sent_only_to((PUBLIC, 80))

    def test_pages_that_redirect_to_private_addresses(self):
        self.world.names.table["public.test"] = [PUBLIC]
        for i, host in enumerate(SPELLINGS):
            self.world.moved["public.test", f"/away{i}"] = \
                f"http://{host}/latest/"
        for i, url in enumerate((
                "file:///etc/passwd", "gopher://10.0.0.1:6379/_x",
                "dict://10.0.0.1/", "ftp://10.0.0.1/", "//10.0.0.1/",
                "https://169.254.169.254/", "http:\\\\10.0.0.1\\",
                f"http://{OTHER}:22/", "http://public.test:25/")):
            self.world.moved["public.test", f"/odd{i}"] = url
        sites = self.crawl("http://public.test/")
        self.assertEqual(sites["public.test"]["pages"], 6)
        for path in {path for _, path in self.world.moved}:
            self.assertIn(("public.test", path), self.world.requests)
        self.assert_sent_only_to((PUBLIC, 80))

    def test_a_seed_that_redirects_to_a_private_address_makes_no_site(self):
        """Nor does its next visit; one to a public address does."""
        table = self.world.names.table
        leads = {"away.test": "inside.test", "literal.test": "169.254.169.254",
                 "odd.test": "93.184.216.34:22", "moved.test": "public.test"}
        for name, host in leads.items():
            table[name] = [PUBLIC]
            self.world.moved[name, "/"] = f"http://{host}/"
        table["public.test"] = [PUBLIC]
        for name in leads:
            self.daemon_.watch(f"http://{name}/")
        expected = {*leads, "public.test"}
        harness.wait_until(
            lambda: {s["host"] for s in self.daemon_.json("/v1/sites")["sites"]}
            == expected and self.daemon_.messages().count("robots.txt: ") >= 3,
            "the sites to be judged")
        self.daemon_.wait_for_calm()
        visits = self.world.requests.count(("literal.test", "/"))
        for i in range(3):
            self.daemon_.get("/v1/text", url="http://literal.test/",
                             fetch="always")
            self.assertEqual(self.world.requests.count(("literal.test", "/")),
                             visits + i + 1)
        self.daemon_.wait_for_calm()
        self.assertEqual({s["host"] for s in
                          self.daemon_.json("/v1/sites")["sites"]}, expected)
        added = [json.loads(line) for line in
                 self.daemon_.get("/v1/events").text.splitlines()]
        added = [e["site"] for e in added if e["kind"] == "site.added"]
        self.assertEqual(len(added), len(set(added)))
        self.assert_sent_only_to((PUBLIC, 80))

    def test_robots_txt_that_redirects_to_private_addresses(self):
        """It may lie on any host (RFC 9309, 2.3.1.2), but not on any."""
        names = [f"robots{i}.test" for i in range(len(SPELLINGS))]
        for name, host in zip(names, SPELLINGS):
            self.world.names.table[name] = [PUBLIC]
            self.world.moved[name, "/robots.txt"] = f"http://{host}/robots.txt"
        self.watch_without_robots(names)
        self.assert_sent_only_to((PUBLIC, 80))

    def test_ports(self):
        table = self.world.names.table
        ports = {8080: True, 22: False, 25: False, 6379: False, 9001: False,
                 11211: False}
        for port in ports:
            table[f"port{port}.test"] = [PUBLIC]
            self.world.moved[f"port{port}.test", "/robots.txt"] = \
                f"http://{OTHER}:{port}/robots.txt"
        self.watch_without_robots(f"port{port}.test" for port, is_open
                                  in ports.items() if not is_open)
        self.crawl("http://port8080.test/")
        self.assert_sent_only_to((PUBLIC, 80), (OTHER, 8080))

    def test_port_that_the_operator_named(self):
        self.world.moved[f"{PUBLIC}:9000", "/away"] = f"http://{PUBLIC}:9001/"
        self.world.robots[f"{PUBLIC}:9000"] = (
            f"Sitemap: http://{PUBLIC}:9001/sitemap.xml\n")
        sites = self.crawl(f"http://{PUBLIC}:9000/")
        self.assertEqual(sites[f"{PUBLIC}:9000"]["pages"], 6)
        self.assert_sent_only_to((PUBLIC, 9000))

    def test_sitemaps_at_private_addresses(self):
        self.daemon_.stop()
        self.daemon_.configure({"crawl": {"sitemaps": "yes"}})
        self.daemon_.start()
        self.world.names.table["public.test"] = [PUBLIC]
        self.world.names.table["moved.test"] = [PUBLIC]
        self.world.robots["public.test"] = "".join(
            f"Sitemap: http://{host}/sitemap.xml\n" for host in SPELLINGS)
        self.world.moved["moved.test", "/sitemap.xml"] = \
            "http://169.254.169.254/latest/"
        sites = self.crawl("http://public.test/", "http://moved.test/")
        self.assertEqual(sites["public.test"]["pages"], 6)
        self.assertIn(("moved.test", "/sitemap.xml"), self.world.requests)
        self.assert_sent_only_to((PUBLIC, 80))

    def test_who_asks_for_text_opens_nothing(self):
        self.world.names.table["public.test"] = [PUBLIC]
        for host in SPELLINGS:
            answer = self.daemon_.get("/v1/text", url=f"http://{host}/x",
                                      fetch="always")
            self.assertGreaterEqual(answer.status, 400, host)
        answer = self.daemon_.get("/v1/text", url="http://public.test/1.html",
                                  fetch="always")
        self.assertEqual(answer.status, 200, answer.text)
        self.assert_sent_only_to((PUBLIC, 80))

    def test_name_that_changes_between_robots_txt_and_the_page(self):
        """Between two runs, since libcurl remembers a name for a minute."""
        table = self.world.names.table
        table["rebind.test"] = [PUBLIC]
        self.daemon_.watch("http://rebind.test/", delay_ms=3000)
        harness.wait_until(
            lambda: ("rebind.test", "/robots.txt") in self.world.requests,
            "robots.txt")
        time.sleep(0.3)  # it is stored
        self.daemon_.kill()
        table["rebind.test"] = ["10.0.0.1"]
        before = len(self.world.requests)
        self.daemon_.start()
        self.daemon_.wait_for("rebind.test")
        self.assertEqual(self.world.requests[before:], [])
        self.assert_sent_only_to((PUBLIC, 80))

    def test_name_that_changes_while_its_connection_is_open(self):
        table = self.world.names.table
        table["rebind.test"] = [PUBLIC]
        self.daemon_.watch("http://rebind.test/", delay_ms=200)
        harness.wait_until(
            lambda: ("rebind.test", "/0.html") in self.world.requests, "/0")
        table["rebind.test"] = ["127.0.0.1", "10.0.0.1"]
        self.daemon_.wait_for("rebind.test")
        self.assert_sent_only_to((PUBLIC, 80))

    def test_host_that_the_operator_named_opens_itself(self):
        for i, host in enumerate(("10.0.0.2", "10.0.0.1:22", "inside.test",
                                  "127.0.0.1")):
            self.world.moved["10.0.0.1", f"/away{i}"] = f"http://{host}/"
        self.world.moved["10.0.0.5", "/robots.txt"] = "http://10.0.0.6/"
        self.world.moved["172.16.0.1", "/robots.txt"] = \
            "http://172.16.0.1:22/"
        sites = self.crawl("http://10.0.0.1/", "http://10.0.0.5/",
                           "http://172.16.0.1/", "http://0xc0.168.1/")
        self.assertEqual(sites["10.0.0.1"]["pages"], 6)
        self.assertEqual(sites["192.168.0.1"]["pages"], 6)
        self.assert_sent_only_to(("10.0.0.1", 80), ("10.0.0.5", 80),
                                 ("172.16.0.1", 80), ("192.168.0.1", 80))

    def test_name_that_the_operator_calls_private(self):
        self.world.names.table["outside.test"] = ["10.0.0.1"]
        sites = self.crawl("http://inside.test/", allow_private=True)
        self.assertEqual(sites["inside.test"]["pages"], 6)
        sites = self.crawl("http://outside.test/")
        self.assertEqual(sites["outside.test"]["pages"], 0)
        self.assert_sent_only_to(("10.0.0.1", 80))

    def test_network_that_the_configuration_allows(self):
        self.daemon_.stop()
        self.daemon_.configure(
            {"crawl": {"allowed_networks": '["10.0.0.0/24", "fd00::/16"]'}})
        self.daemon_.start()
        table = self.world.names.table
        table.update({"inner6.test": ["fd00::7"], "near.test": ["10.0.1.1"],
                      "mapped.test": ["64:ff9b::a00:101"]})
        sites = self.crawl(*(f"http://{name}/" for name in table))
        self.assertEqual(sites["inside.test"]["pages"], 6)
        self.assertEqual(sites["inner6.test"]["pages"], 6)
        self.assertEqual(sites["near.test"]["pages"], 0)
        self.assert_sent_only_to(("10.0.0.1", 80), ("fd00::7", 80))

    def test_allowed_network_is_closed_to_public_pages(self):
        """Only a site that was added opens it, and no port but the usual."""
        self.daemon_.stop()
        self.daemon_.configure({"crawl": {"allowed_networks": '["10.0.0.0/8"]',
                                          "sitemaps": "yes"}})
        self.daemon_.start()
        inner = ("inside.test", "10.0.0.1", "10.0.0.1:9000",
                 "inside.test:9000")
        names = [f"{kind}{i}.test" for kind in ("seed", "robots", "page",
                                                "map")
                 for i in range(len(inner))]
        for name in names:
            self.world.names.table[name] = [PUBLIC]
        for i, host in enumerate(inner):
            self.world.moved[f"seed{i}.test", "/"] = f"http://{host}/secret"
            self.world.moved[f"robots{i}.test", "/robots.txt"] = \
                f"http://{host}/secret"
            self.world.moved[f"page{i}.test", "/away"] = \
                f"http://{host}/secret"
            self.world.robots[f"map{i}.test"] = \
                f"Sitemap: http://{host}/secret\n"
        self.watch_without_robots(n for n in names if n[:2] == "ro")
        self.crawl(*(f"http://{n}/" for n in names if n[:2] != "ro"))
        self.daemon_.wait_for_calm()
        self.assertEqual([r for r in self.world.requests
                          if r[0] in inner], [])
        self.assert_sent_only_to((PUBLIC, 80))
        sites = self.crawl("http://inside.test/", "http://10.0.0.7:9001/")
        self.assertEqual([site["pages"] for site in sites.values()], [6, 6])

    def test_proxies_of_the_environment_are_not_asked(self):
        self.daemon_.stop()
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            harness.os.environ[name] = "http://10.0.0.1:9000/"
            self.addCleanup(harness.os.environ.pop, name)
        self.daemon_.start()
        self.world.names.table["public.test"] = [PUBLIC]
        self.crawl("http://public.test/")
        self.assert_sent_only_to((PUBLIC, 80))

    def test_other_schemes_are_no_sites(self):
        for url in ("file:///etc/passwd", "gopher://10.0.0.1/",
                    "ftp://10.0.0.1/", "javascript:alert(1)", "data:,x"):
            self.error_of(self.daemon_.post("/v1/sites", {"url": url}), 400)
        self.assertEqual(self.world.sent, set())


if __name__ == "__main__":
    harness.in_namespace("-m")
    if IP is None or subprocess.run([IP, "-6", "addr"], check=False,
                                    capture_output=True).returncode != 0:
        print("skipped: ip of iproute2 is not installed")
        sys.exit(77)
    harness.main()
