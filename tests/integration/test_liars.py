"""Name servers and TLS servers that drip, stall or lie.

Each costs its own site a clear word within its time, and no other site
anything. In a network namespace of its own every address is this machine.
"""

import collections
import ipaddress
import pathlib
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

import harness
from test_tls import Authority, OPENSSL

PUBLIC = "93.184.216.34"
PRIVATE = "10.0.0.1"
IP = shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin")
TIMEOUT_S = 3
CHAIN_BYTES = 16 << 20
PAGE = (b"<html><head><title>%b</title></head><body><h1>One</h1><p>The text of "
        b"this page is of some length.</p>%b</body></html>")
A, CNAME = 1, 5


def answer(body, *headers):
    return b"\r\n".join((b"HTTP/1.1 200 OK", b"Content-Type: text/html",
                         *headers, b"", body))


def whole(body):
    return answer(body, b"Content-Length: %d" % len(body),
                  b"Connection: close")


def drip(connection, data, pause_s=1.0):
    """A byte now and then, for as long as the other side wants them."""
    for byte in data:
        connection.sendall(bytes([byte]))
        time.sleep(pause_s)


# --- names --------------------------------------------------------------------

class Names:
    """DNS by UDP and TCP on 127.0.0.1:53. What a name has is a list of records
    (type, data), or a word for how it lies."""

    def __init__(self):
        self.table = {}
        self.asked = collections.Counter()
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 53))
        self.tcp = socket.create_server(("127.0.0.1", 53))
        for target in (self._serve_udp, self._serve_tcp):
            threading.Thread(target=target, daemon=True).start()

    def _serve_udp(self):
        while True:
            query, client = self.udp.recvfrom(4096)
            reply = self.reply(query, 512)
            if reply:
                self.udp.sendto(reply, client)

    def _serve_tcp(self):
        while True:
            connection = self.tcp.accept()[0]
            threading.Thread(target=self._serve_one, args=[connection],
                             daemon=True).start()

    def _serve_one(self, connection):
        try:
            with connection, connection.makefile("rb") as queries:
                while size := queries.read(2):
                    query = queries.read(struct.unpack("!H", size)[0])
                    reply = self.reply(query, 65535)
                    reply = struct.pack("!H", len(reply)) + reply
                    if self.name_of(query)[0].startswith("drip"):
                        drip(connection, reply, 0.3)
                    connection.sendall(reply)
        except (OSError, struct.error):
            pass

    @staticmethod
    def name_of(query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1:at + 1 + query[at]])
            at += 1 + query[at]
        return b".".join(labels).decode("latin-1").lower(), at + 1

    def records(self, name):
        rows = self.table.get(name, [])
        self.asked[name] += 1
        if rows == "rebind":  # public once for A and AAAA, then inside
            rows = [(A, PUBLIC if self.asked[name] <= 2 else PRIVATE)]
        return rows

    def reply(self, query, room):
        name, at = self.name_of(query)
        kind = struct.unpack("!H", query[at:at + 2])[0]
        rows = self.records(name)
        if rows == "silent":
            return None
        if rows == "drip":
            rows = [(A, PUBLIC)] * 100
        if rows == "garbage":
            return query[:2] + b"\xff" * 200
        rows = [(t, d) for t, d in rows if t in (kind, CNAME)]
        head = query[:2] + struct.pack(
            "!HHHHH", 0x8580 | (0 if name in self.table else 3), 1,
            len(rows), 0, 0) + query[12:at + 4]
        body = b"".join(self.record(t, d) for t, d in rows)
        if len(head) + len(body) > room:  # "come by TCP"
            return query[:2] + struct.pack("!HHHHH", 0x8780, 1, 0, 0, 0) \
                + query[12:at + 4]
        return head + body

    @staticmethod
    def record(kind, data):
        if kind == A:
            data = ipaddress.ip_address(data).packed
        else:
            data = b"".join(bytes([len(label)]) + label.encode()
                            for label in data.split(".")) + b"\0"
        return b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 0,
                                         len(data)) + data


# --- servers ------------------------------------------------------------------

class Server:
    """Each connection on a port is `play`ed in a thread of its own."""

    def __init__(self, play, port=0):
        self.play = play
        self.to = set()  # the addresses that were connected to
        self.listener = socket.create_server(("0.0.0.0", port), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            connection = self.listener.accept()[0]
            self.to.add(connection.getsockname()[0])
            threading.Thread(target=self._serve, args=[connection],
                             daemon=True).start()

    def _serve(self, connection):
        try:
            with connection:
                connection.settimeout(30)
                self.play(connection)
        except (OSError, ssl.SSLError):
            pass


def read_path(connection):
    head = b""
    while b"\r\n\r\n" not in head:
        more = connection.recv(65536)
        if not more:
            raise OSError
        head += more
    return head.split(b" ", 2)[1]


def serve_page(connection):
    links = b"".join(b'<a href="/%d">x</a>' % i for i in range(10))
    path = read_path(connection)
    if path == b"/robots.txt":
        connection.sendall(b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n"
                           b"Connection: close\r\n\r\n")
    else:
        connection.sendall(whole(PAGE % (path, links)))


def by_tls(context, play=serve_page, says_goodbye=True):
    def serve(connection):
        with context.wrap_socket(connection, server_side=True) as inner:
            play(inner)
            if says_goodbye:
                inner.unwrap()
    return serve


def stall(connection):
    connection.recv(65536)
    time.sleep(30)


def drip_handshake(connection):
    connection.recv(65536)
    drip(connection, b"\x16\x03\x03\x40\x00" + b"\x02" * 100)


def drip_body(connection):
    if read_path(connection) == b"/robots.txt":
        connection.sendall(whole(b""))
    else:
        connection.sendall(answer(b"<html>", b"Content-Length: 1000"))
        drip(connection, b"x" * 60)


def cut_body(connection):
    """Without a length, and without the alert that says where it ends."""
    if read_path(connection) == b"/robots.txt":
        connection.sendall(whole(b""))
    else:
        connection.sendall(answer(PAGE % (b"cut", b""),
                                  b"Connection: close"))


def speak_plainly(connection):
    connection.recv(65536)
    connection.sendall(whole(b"no TLS here"))


class Renegotiator:
    """openssl s_server that begins the handshake anew before it answers."""

    def __init__(self, folder, files):
        self.port, self.answered = harness.free_port(), 0
        self.process = subprocess.Popen(
            ["stdbuf", "-oL", OPENSSL, "s_server", "-accept", str(self.port), "-tls1_2",
             "-crlf", "-cert", files[0], "-key", files[1]], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        threading.Thread(target=self._play, daemon=True).start()

    def _play(self):
        for line in self.process.stdout:
            if line.startswith(b"GET "):
                self._type(b"R\n")
            elif line.startswith(b"Host:"):
                time.sleep(0.3)
                self._type(b"HTTP/1.1 200 OK\nContent-Length: 0\n\n")
                self.answered += 1

    def _type(self, text):
        try:
            self.process.stdin.write(text)
            self.process.stdin.flush()
        except OSError:
            pass

    def stop(self):
        self.process.kill()
        self.process.communicate()


class Liars(harness.Case):
    @classmethod
    def setUpClass(cls):
        subprocess.run([IP, "-4", "route", "add", "local", "0.0.0.0/0", "dev",
                        "lo"], check=True, capture_output=True)
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="td-liars-"))
        conf = cls.place / "resolv.conf"
        conf.write_text("nameserver 127.0.0.1\noptions timeout:5\n")
        subprocess.run(["mount", "--bind", str(conf), "/etc/resolv.conf"],
                       check=True)
        cls.names = Names()
        cls.web = Server(serve_page, 80)

    @classmethod
    def tearDownClass(cls):
        subprocess.run(["umount", "/etc/resolv.conf"], check=True)
        shutil.rmtree(cls.place, ignore_errors=True)

    def impatient(self, **crawl):
        return self.daemon({"log": {"level": "debug"}, "crawl": {
            "connect_timeout": f"{TIMEOUT_S - 1} s",
            "page_timeout": f"{TIMEOUT_S} s", "stall_timeout": "2 s",
            "retry_backoff": "1 min", **crawl}})

    def word_about(self, daemon, name):
        """What the log says of the host first."""
        lines = harness.wait_until(
            lambda: [line for line in daemon.messages().splitlines()
                     if f"//{name}" in line], f"a word about {name}",
            TIMEOUT_S + 6)
        return lines[0]

    def check_good(self, daemon):
        """Another site is crawled as if there was nothing else."""
        self.names.table["good.test"] = [(A, PUBLIC)]
        begin = time.monotonic()
        self.assertEqual(daemon.crawl("http://good.test/")["pages"], 11)
        self.assertLess(time.monotonic() - begin, TIMEOUT_S + 2)

    def peak_bytes(self, daemon):
        status = pathlib.Path(f"/proc/{daemon.process.pid}/status")
        line, = [row for row in status.read_text().splitlines()
                 if row.startswith("VmHWM")]
        return int(line.split()[1]) << 10

    def check_all(self, daemon, words, scheme="http", ports=None):
        begin = time.monotonic()
        for name in words:
            port = f":{ports[name]}" if ports else ""
            daemon.watch(f"{scheme}://{name}{port}/")
        self.check_good(daemon)
        for name, wanted in words.items():
            said = self.word_about(daemon, name)
            self.assertTrue(any(word in said for word in wanted), said)
            host = f"{name}:{ports[name]}" if ports else name
            self.assertEqual(daemon.json(f"/v1/sites/{host}")["pages"], 0)
        self.assertLess(time.monotonic() - begin, TIMEOUT_S + 6)
        self.assertLess(self.peak_bytes(daemon), 256 << 20)

    def test_names(self):
        self.names.table.update({
            "silent.test": "silent",
            "drip.test": "drip",
            "garbage.test": "garbage",
            "private.test": [(A, PRIVATE)],
            "thousand.test": [(A, PRIVATE)] * 1000,
            "loop.test": [(CNAME, "pool.test")],
            "pool.test": [(CNAME, "loop.test")],
            "self.test": [(CNAME, "self.test")],
        })
        slow = ("timed out", "Resolving timed out", "resolve")
        self.check_all(self.impatient(), {
            "silent.test": slow, "drip.test": slow, "garbage.test": slow,
            "private.test": ("private or reserved",),
            "thousand.test": ("private or reserved",),
            "loop.test": slow, "self.test": slow, "nowhere.test": slow})
        self.assertNotIn(PRIVATE, self.web.to)

    def test_a_name_that_changes_between_two_answers(self):
        """The address that was judged is the one that is connected to."""
        self.names.table["rebind.test"] = "rebind"
        daemon = self.impatient()
        daemon.watch("http://rebind.test/", delay_ms=100)
        harness.wait_until(lambda: daemon.json("/v1/sites/rebind.test")
                           ["pages"] > 0, "a page")
        daemon.stop()
        daemon.start()
        daemon.get("/v1/text", url="http://rebind.test/1", fetch="always")
        self.assertGreater(self.names.asked["rebind.test"], 2)
        self.assertNotIn(PRIVATE, self.web.to)

    def context(self, authority, names="DNS:a.test", days=1, times=1):
        """(context, files) of a certificate; sent so many times."""
        lines = authority.sign(names, days).replace(";", " ").split()
        files = lines[1], lines[3]
        if times > 1:
            leaf = pathlib.Path(files[0]).read_bytes()
            many = pathlib.Path(files[0] + ".many")
            many.write_bytes(leaf * times)
            files = str(many), files[1]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
        return context, files

    def test_tls(self):
        authority = Authority(self.folder())
        names = ("good", "stall", "driphand", "dripbody", "plain", "wrong",
                 "expired", "unknown", "chain", "renegotiates")
        good, files = self.context(authority, ",".join(
            f"DNS:{name}.test" for name in names))
        leaf_bytes = pathlib.Path(files[0]).stat().st_size
        plays = {
            "stall": stall,
            "driphand": drip_handshake,
            "plain": speak_plainly,
            "dripbody": by_tls(good, drip_body),
            "wrong": by_tls(self.context(authority, "DNS:other.test")[0]),
            "expired": by_tls(self.context(authority, "DNS:expired.test",
                                           -1)[0]),
            "unknown": by_tls(self.context(
                Authority(self.folder(), "other"), "DNS:unknown.test")[0]),
            "chain": by_tls(self.context(
                authority, "DNS:chain.test",
                times=CHAIN_BYTES // leaf_bytes)[0]),
        }
        ports = {f"{n}.test": Server(p).port for n, p in plays.items()}
        for name in ports:
            self.names.table[name] = [(A, PUBLIC)]
        slow = ("timed out", "too slow", "timeout", "took longer")
        self.check_all(self.impatient(ca_file=f'"{authority.file}"'), {
            "stall.test": slow, "driphand.test": slow, "dripbody.test": slow,
            "plain.test": ("wrong version", "SSL"),
            "wrong.test": ("no alternative certificate subject name",),
            "expired.test": ("certificate has expired",),
            "unknown.test": ("certificate",),
            "chain.test": ("excessive message size", "SSL"),
        }, "https", ports)

    def test_a_handshake_that_begins_anew(self):
        """That is no lie: the answer behind it is taken."""
        authority = Authority(self.folder())
        files = self.context(authority, "DNS:again.test")[1]
        server = Renegotiator(self.folder(), files)
        self.addCleanup(server.stop)
        self.names.table["again.test"] = [(A, PUBLIC)]
        daemon = self.impatient(ca_file=f'"{authority.file}"')
        begin = time.monotonic()
        daemon.watch(f"https://again.test:{server.port}/")
        harness.wait_until(lambda: server.answered > 0 or "//again.test" in
                           daemon.messages(), "the answer", TIMEOUT_S + 3)
        self.check_good(daemon)
        daemon.wait_for_calm()
        self.assertLess(time.monotonic() - begin, TIMEOUT_S + 6)

    def test_an_end_that_is_not_said(self):
        """A length says where a page ends; without, only the alert does."""
        authority = Authority(self.folder())
        good = self.context(authority, "DNS:length.test,DNS:cut.test")[0]
        ports = {"length": Server(by_tls(good, serve_page, False)).port,
                 "cut": Server(by_tls(good, cut_body, False)).port}
        daemon = self.impatient(ca_file=f'"{authority.file}"')
        for name in ports:
            self.names.table[f"{name}.test"] = [(A, PUBLIC)]
        site = daemon.crawl(f"https://length.test:{ports['length']}/")
        self.assertEqual(site["pages"], 11)
        site = daemon.crawl(f"https://cut.test:{ports['cut']}/")
        self.assertEqual(site["pages"], 1)  # as far as it came


if __name__ == "__main__":
    harness.in_namespace("-m")
    if IP is None or OPENSSL is None:
        print("skipped: ip of iproute2 or openssl is not installed")
        sys.exit(77)
    harness.main()
