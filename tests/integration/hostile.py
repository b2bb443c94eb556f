"""A web server that means harm, each persona by one script of bytes.

Every persona is a host of its own: a port of 127.0.0.1 with a robots.txt that
allows all, a first page, three innocent pages, and what the persona is there
for. What is sent does not depend on anything but the path that is asked for, so
that a run can be repeated; nothing is random, nothing reads a clock.

A script is a generator of steps: bytes are sent, a number is waited for in
seconds, RESET ends the connection by RST, KEEP leaves it open for the next
request; at the end of a script the connection is closed.
"""

import base64
import random
import socket
import struct
import threading
import time
import zlib

RESET = "reset"
KEEP = "retention"
STOP_S = 600.0
INNOCENT = ("/a.html", "/b.html", "/c.html")
GIB = 1 << 30
# 1 GiB of spaces behind "<html><body><p>", by brotli -q 9 -w 24: 821 bytes.
BROTLI_BOMB = zlib.decompress(base64.b85decode(
    b"c-lMv|9?Hhl3Is~2WpBvd%`@jJWqVt@apgW*dPD@^Ea?K$cQz(`)mLI|9{2_3>}A=F6{mP"
    b"{QrM@1|f#R2!>tX|Nr^_pWT5;fsfna`@i`>RSX^sM-mxd-24Ce|9^P~&ISt|hP%J(|NZ~Z"
    b"tiUMH&bpxb|9OywDh!V{FqFLi|8vxmQA>t`C16!BOZWjrc(vd"))
PERSONAS = {}


def persona(name, path="/hostile.html"):
    """The script is what `name` answers at `path`."""
    def add(script):
        PERSONAS.setdefault(name, {})[path] = script
        return script
    return add


def reply(body=b"", *headers, status="200 OK", kind="text/html"):
    """A whole answer; a Content-Length in `headers` replaces the true one."""
    lines = [f"HTTP/1.1 {status}"]
    if kind:
        lines.append(f"Content-Type: {kind}")
    if not any(h.lower().startswith(("content-length", "transfer-encoding"))
               for h in headers):
        lines.append(f"Content-Length: {len(body)}")
    if not any(h.lower().startswith("connection") for h in headers):
        lines.append("Connection: close")
    return "\r\n".join([*lines, *headers, "", ""]).encode("latin-1") + body


def page(title, body=b"", *headers, **options):
    return reply(b"<html><head><title>%s</title></head><body><h1>%s</h1>\n"
                 b"<p>What stands on %s alone.</p>\n%s</body></html>"
                 % ((title.encode(),) * 3 + (body,)), *headers, **options)


def simple(name, *steps, path="/hostile.html"):
    """A persona whose steps are known beforehand."""
    persona(name, path)(lambda request: iter(steps))


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def squeezed(block, count, head=b""):
    """gzip of `head` and `count` times `block`, made without all of it.

    A full flush makes what follows independent of what was before: the same
    packed block can be sent again and again.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    last = packer.flush(zlib.Z_FINISH)
    total, crc = len(head), zlib.crc32(head)
    for _ in range(count):
        total, crc = total + len(block), zlib.crc32(block, crc)
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + first + packed * count + last
            + struct.pack("<II", crc, total & 0xffffffff))


GZIP_BOMB = squeezed(b" " * (GIB // 64), 64, b"<html><body><p>")
NESTED_BOMB = squeezed(GZIP_BOMB, 1)


# --- bombs -------------------------------------------------------------------

simple("gzip bomb", reply(GZIP_BOMB, "Content-Encoding: gzip"))
simple("nested gzip bomb", reply(NESTED_BOMB, "Content-Encoding: gzip, gzip"))
simple("brotli bomb", reply(BROTLI_BOMB, "Content-Encoding: br"))
simple("many codings", reply(
    b"x", "Content-Encoding: " + ", ".join(["gzip"] * 1000)))
simple("gzip that is none", reply(b"<html>plain</html>" * 100,
                                  "Content-Encoding: gzip"))
simple("gzip cut short", reply(squeezed(b"<p>words</p>", 1000)[:60],
                               "Content-Encoding: gzip"))
simple("coding nobody knows", page("secret", b"",
                                   "Content-Encoding: x-secret"))
simple("coding nobody decodes", page("compress", b"",
                                     "Content-Encoding: compress"))


# --- slow, endless, broken off ------------------------------------------------

@persona("slow headers")
def slow_headers(request):
    yield b"HTTP/1.1 200 OK\r\nX: "
    while True:
        yield b"x"
        yield 1.0


@persona("silence")
def silence(request):
    yield STOP_S


@persona("slow body")
def slow_body(request):
    yield reply(b"<html><body>", "Content-Length: 1000000")
    while True:
        yield b"x"
        yield 1.0


@persona("body just not slow")
def lingering_body(request):
    """Over the limit of stalling, 64 bytes a second."""
    yield reply(b"<html><body>", "Content-Length: 1000000")
    while True:
        yield b"word " * 40
        yield 0.5


@persona("endless headers")
def endless_headers(request):
    yield b"HTTP/1.1 200 OK\r\n"
    while True:
        yield b"X-More: of it\r\n" * 100


@persona("endless header line")
def endless_line(request):
    yield b"HTTP/1.1 200 OK\r\nX-Long: "
    while True:
        yield b"long " * 1000


@persona("endless status line")
def endless_status(request):
    yield b"HTTP/1.1 200 "
    while True:
        yield b"fine " * 1000


@persona("endless body")
def endless_body(request):
    yield reply(b"", "Transfer-Encoding: chunked")
    while True:
        yield chunk(b"<p>words without end</p>\n" * 400)


@persona("endless body without a length")
def endless_plain(request):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    while True:
        yield b"<p>words without end</p>\n" * 400


@persona("endless body of an error")
def endless_error(request):
    yield reply(b"", "Transfer-Encoding: chunked", status="404 Not Found")
    while True:
        yield chunk(b"<p>not there, not there</p>\n" * 400)


@persona("endless trailers")
def endless_trailers(request):
    yield reply(b"", "Transfer-Encoding: chunked") + chunk(b"<p>x</p>")
    yield b"0\r\n"
    while True:
        yield b"X-More: of it\r\n" * 100


@persona("endless chunk extension")
def endless_extension(request):
    yield reply(b"", "Transfer-Encoding: chunked") + b"5;x="
    while True:
        yield b"y" * 5000


@persona("1xx for ever")
def informational(request):
    while True:
        yield b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" * 50


simple("no answer")
simple("reset before an answer", RESET)
simple("reset after the headers",
       reply(b"", "Content-Length: 5000"), 0.1, RESET)
simple("reset in the body", reply(b"<html><body><p>half",
                                  "Content-Length: 5000"), 0.1, RESET)
simple("half a header", b"HTTP/1.1 200 OK\r\nContent-Ty")


# --- wrong lengths ------------------------------------------------------------

SMUGGLED = page("smuggled", b'<a href="/smuggled.html">x</a>')
simple("length too long", page("long", b"", "Content-Length: 5000"))
# The rest must not be taken for the answer to the next request.
simple("length too short", page("short", b"", "Content-Length: 20",
                                "Connection: keep-alive") + SMUGGLED, KEEP)
simple("length negative", page("negative", b"", "Content-Length: -1"))
simple("length twice", page("twice", b"", "Content-Length: 20",
                            "Content-Length: 90"))
simple("length over 2^64", page("huge", b"",
                                "Content-Length: 99999999999999999999"))
simple("length and chunks", reply(chunk(b"<html>both</html>") + b"0\r\n\r\n",
                                  "Content-Length: 3",
                                  "Transfer-Encoding: chunked"))
simple("chunk of 2^64 bytes", reply(b"FFFFFFFFFFFFFFFFF\r\nx",
                                    "Transfer-Encoding: chunked"))
simple("chunk of words", reply(b"many\r\nx", "Transfer-Encoding: chunked"))


# --- redirects ----------------------------------------------------------------

def redirect(name, location, path="/hostile.html"):
    simple(name, reply(b"", f"Location: {location}", status="302 Found"),
           path=path)


redirect("redirect to itself", "/hostile.html")
redirect("redirects in a pair", "/other.html")
redirect("redirects in a pair", "/hostile.html", "/other.html")
redirect("redirect to file", "file:///etc/passwd")
redirect("redirect to metadata", "http://169.254.169.254/latest/")
redirect("redirect to gopher", "gopher://127.0.0.1:6379/_FLUSHALL")
redirect("redirect to a script", "javascript:alert(1)")
redirect("redirect with a line end", "/x%0d%0aSet-Cookie:%20a=b")
redirect("redirect to a long URL", "/" + "x" * 60000)
redirect("redirect to nothing", "")


redirect("ten redirects", "/hop1")
for hop in range(1, 10):
    redirect("ten redirects", f"/hop{hop + 1}", f"/hop{hop}")
simple("ten redirects", page("end"), path="/hop10")
redirect("redirect with blanks", " /hop end ")
simple("redirect with blanks", page("end"), path="/hop%20end")


@persona("redirect to another port")
def to_other_port(request):
    yield reply(b"", f"Location: http://127.0.0.1:{request.other_port}/",
                status="302 Found")


@persona("ever new redirects")
def ever_new(request):
    steps = len(request.path)
    yield reply(b"", f"Location: /hostile.html?{'x' * steps}",
                status="302 Found")


@persona("page that refreshes itself")
def refreshes(request):
    yield page("refresh", b'<meta http-equiv="refresh" content="0;'
               b'url=/hostile.html?%d">' % len(request.path))


# --- what is no page, or says that it is another one --------------------------

WORDS = "これは日本語の文章です。文字の符号が何であるかを偽っている。" * 9
simple("lying charset", page("lie", WORDS.encode("shift_jis"),
                             kind="text/html; charset=utf-8"))
simple("charset not said", page("none", WORDS.encode("euc-jp")))
simple("charset nobody knows", page("odd", "ä".encode("latin-1") * 99,
                                    kind='text/html; charset="x-\x01odd"'))
simple("UTF-16 not said", reply("<html><p>wide words</p></html>".encode(
    "utf-16-le")))
simple("binary as HTML", reply(random.Random(1).randbytes(200000)))
simple("picture as HTML", reply(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 99))
simple("NUL bytes everywhere", reply(b"\0".join(
    bytes([b]) for b in b"<html><body><p>words</p></body></html>" * 2000)))
simple("only NUL bytes", reply(bytes(1 << 20)))
simple("nothing at all", reply(b""))
simple("HTTP/0.9", b"<html><body><p>no headers at all</p></body></html>")
simple("another protocol", b"SSH-2.0-OpenSSH_9.2\r\n")
simple("status 999", page("denied", status="999 Request denied"))
simple("status 0", page("zero", status="000 Nothing"))
simple("status of words", page("words", status="OK fine"))
simple("HTTP/9.9", b"HTTP/9.9 200 OK\r\n\r\n<p>later</p>")


# As servers err; browsers show all of it.
simple("coding is none", page("none", b"", "Content-Encoding: none"))
simple("coding is a charset", page("charset", b"", "Content-Encoding: UTF-8"))
simple("type is no type", page("type", kind="html; charset=utf-8"))
simple("type named twice", page("types", kind="text/html, text/html"))


# --- pages that cost ----------------------------------------------------------

simple("200,000 deep", reply(b"<div>" * 200000 + b"deep"))
simple("200,000 deep in tables", reply(b"<table><tr><td>" * 66666 + b"deep"))
simple("40,000 attributes", reply(b"<html><body><p " + b" ".join(
    b"a%d=%d" % (i, i) for i in range(40000)) + b">words</p></body></html>"))
simple("40,000 attributes on each of many", reply((b"<p " + b" ".join(
    b"a%d" % i for i in range(40000)) + b">words</p>") * 20))
simple("tag of 8 MB", reply(b"<p class=\"" + b"x " * 4000000 + b"\">words"))
simple("comments never closed", reply(b"<!--" * 500000))
simple("8 MB of <", reply(b"<" * 8000000))
simple("8 MB of &", reply(b"<p>" + b"&amp" * 2000000))
simple("formats never closed", reply(
    b"".join(b"<b><i><a href=%d><p>" % i for i in range(50000))))
simple("100,000 links", page("links", b"".join(
    b'<a href="/l%d.html">x</a>\n' % i for i in range(100000))))
simple("link of 1 MB", page("link", b'<a href="/%s">x</a>' % (b"x" * 1000000)))
simple("base that leads away", page(
    "base", b'<base href="http://169.254.169.254/"><a href="x.html">x</a>'))


@persona("100,000 links", "/l0.html")
def first_of_many(request):
    yield page("first")


# --- headers ------------------------------------------------------------------

simple("header injection", page(
    "injected", b"", "X-A: a\r\nSet-Cookie: a=b\r\nLocation: file:///x",
    "X-Robots-Tag: \x00\x01", "X-B: a\r folded", " X-C: folded"))
simple("Set-Cookie flood", page("cookies", b"", *(
    f"Set-Cookie: c{i}={'v' * 40}" for i in range(700))))
simple("Set-Cookie flood of 1 MB", page("cookies", b"", *(
    f"Set-Cookie: c{i}={'v' * 4000}" for i in range(250))))
simple("429 with Retry-After", reply(b"", "Retry-After: 86400",
                                     status="429 Too Many Requests"))
simple("429 for ever and ever", reply(
    b"", "Retry-After: 99999999999999999999", status="429 Too Many Requests"))
simple("503 storm", reply(b"busy", status="503 Service Unavailable"))


# --- robots.txt and sitemaps --------------------------------------------------

def robots(name, *steps):
    simple(name, *steps, path="/robots.txt")


robots("robots.txt of 10 MB", reply(
    b"User-agent: *\nAllow: /\n" + b"Disallow: /no/\n" * 700000,
    kind="text/plain"))
robots("robots.txt of one line", reply(
    b"User-agent: *\nAllow: /\nDisallow: /" + b"x*" * 200000 + b"\n",
    kind="text/plain"))
robots("robots.txt of stars", reply(
    b"User-agent: *\n" + b"Disallow: /*" + b"a*" * 500 + b"b$\n" * 1,
    kind="text/plain"))
robots("robots.txt is HTML", page("welcome"))
robots("robots.txt is binary", reply(random.Random(2).randbytes(100000)))
robots("robots.txt coded as a charset", reply(
    b"User-agent: *\nDisallow: /hostile.html", "Content-Encoding: UTF-8",
    kind="text/plain"))
robots("robots.txt is a gzip bomb", reply(
    GZIP_BOMB, "Content-Encoding: gzip", kind="text/plain"))
robots("robots.txt in circles", reply(b"", "Location: /robots.txt",
                                      status="301 Moved"))
robots("robots.txt at metadata", reply(
    b"", "Location: http://169.254.169.254/robots.txt", status="301 Moved"))
robots("robots.txt forbidden", reply(b"", status="403 Forbidden"))
robots("robots.txt delays by a year", reply(
    b"User-agent: *\nCrawl-delay: 31536000\n", kind="text/plain"))


@persona("robots.txt without end", "/robots.txt")
def robots_without_end(request):
    yield (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
           b"User-agent: *\nAllow: /\n")
    while True:
        yield b"Disallow: /no/\n" * 1000


@persona("robots.txt that is silent", "/robots.txt")
def robots_silent(request):
    yield STOP_S


MAP = ('<?xml version="1.0"?><{0} xmlns="http://www.sitemaps.org/schemas/'
       'sitemap/0.9">')


def sitemap(name, script):
    """`name` offers a sitemap by its robots.txt."""
    @persona(name, "/robots.txt")
    def offer(request):
        yield reply(f"Sitemap: http://127.0.0.1:{request.port}/map.xml\n"
                    .encode(), kind="text/plain")
    persona(name, "/map.xml")(script)


@persona("sitemaps in circles", "/map2.xml")
def index_of_itself(request):
    yield reply((MAP.format("sitemapindex") + "".join(
        f"<sitemap><loc>http://127.0.0.1:{request.port}/map{i}.xml</loc>"
        "</sitemap>" for i in ("", 2)) + "</sitemapindex>").encode(),
        kind="application/xml")


def ever_more_sitemaps(request):
    yield reply((MAP.format("sitemapindex") + "".join(
        f"<sitemap><loc>http://127.0.0.1:{request.port}{request.path}"
        f"?{i}</loc></sitemap>" for i in range(50000)) + "</sitemapindex>")
        .encode(), kind="application/xml")


def sitemap_without_end(request):
    yield b"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\n\r\n"
    yield MAP.format("urlset").encode()
    i = 0
    while True:
        yield "".join(
            f"<url><loc>http://127.0.0.1:{request.port}/m{i + k}.html</loc>"
            "</url>" for k in range(1000)).encode()
        i += 1000


def sitemap_bomb(request):
    yield reply(squeezed(b" " * (GIB // 64), 64,
                         MAP.format("urlset").encode()),
                kind="application/gzip")


def sitemap_elsewhere(request):
    yield reply((MAP.format("urlset") + "".join(
        f"<url><loc>{url}</loc></url>" for url in (
            "file:///etc/passwd", "http://169.254.169.254/", "javascript:x",
            "http://127.0.0.1:1/", "//127.0.0.1:2/", "x" * 100000))
        + "</urlset>").encode(), kind="application/xml")


def sitemap_of_entities(request):
    """Billion laughs."""
    names = "abcdefghij"
    entities = '<!ENTITY a "laughter">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip(names, names[1:]))
    yield reply((f'<?xml version="1.0"?><!DOCTYPE urlset [{entities}'
                 '<!ENTITY x SYSTEM "file:///etc/passwd">]><urlset><url><loc>'
                 f"http://127.0.0.1:{request.port}/&j;&x;</loc></url></urlset>")
                .encode(), kind="application/xml")


def sitemap_deep(request):
    yield reply(b"<urlset>" + b"<url>" * 200000, kind="application/xml")


def sitemap_coded(request):
    yield reply((MAP.format("urlset") + "<url><loc>http://127.0.0.1:"
                 f"{request.port}/of-map</loc></url></urlset>").encode(),
                "Content-Encoding: none", kind="application/xml")


sitemap("sitemap bomb", sitemap_bomb)
sitemap("sitemap without end", sitemap_without_end)
sitemap("sitemaps in circles", index_of_itself)
sitemap("ever more sitemaps", ever_more_sitemaps)
sitemap("sitemap that leads away", sitemap_elsewhere)
sitemap("sitemap of entities", sitemap_of_entities)
sitemap("sitemap 200,000 deep", sitemap_deep)
sitemap("sitemap coded as a charset", sitemap_coded)
simple("sitemap coded as a charset", page("end"), path="/of-map")


class Request:
    def __init__(self, path, server):
        self.path, self.port = path, server.port
        self.other_port = server.other_port


class Hostile:
    """A persona on a free port. `asked` is (path, second, seconds it took until
    either side had enough), in the order of their ends."""

    def __init__(self, name, other_port=1):
        self.name, self.scripts = name, PERSONAS[name]
        self.other_port = other_port
        self.asked, self.stopping = [], threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def times(self, *paths):
        """Seconds that each request for one of these (else: for what the
        persona is there for) took."""
        paths = paths or [p for p in self.scripts]
        return [took for path, _, took in self.asked
                if path.partition("?")[0] in paths]

    def stop(self):
        self.stopping.set()
        self.listener.close()

    def _accept(self):
        while True:
            try:
                connection = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection],
                             daemon=True).start()

    def _serve(self, connection):
        with connection:
            connection.settimeout(STOP_S)
            try:
                while self._answer(connection):
                    pass
            except OSError:
                pass

    def _answer(self, connection):
        """One request; true when the connection stays open."""
        head = b""
        while b"\r\n\r\n" not in head:
            more = connection.recv(65536)
            if not more:
                return False
            head += more
        path = head.split(b" ", 2)[1].decode("latin-1")
        begin = time.monotonic()
        try:
            return self._play(connection, path)
        finally:
            self.asked.append((path, begin, time.monotonic() - begin))

    def _play(self, connection, path):
        script = self.scripts.get(path.partition("?")[0], self._innocent)
        for step in script(Request(path, self)):
            if step == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                      struct.pack("ii", 1, 0))
                return False
            if step == KEEP:
                return True
            if isinstance(step, bytes):
                connection.sendall(step)
            elif self._wait(connection, step):
                return False
        return False

    def _wait(self, connection, seconds):
        """True when the other side has left meanwhile, or all ends."""
        end = time.monotonic() + seconds
        connection.settimeout(0.05)
        try:
            while time.monotonic() < end and not self.stopping.is_set():
                try:
                    if not connection.recv(1, socket.MSG_PEEK):
                        return True
                    time.sleep(0.05)  # it has sent something more
                except TimeoutError:
                    pass
            return self.stopping.is_set()
        finally:
            connection.settimeout(STOP_S)

    def _innocent(self, request):
        if request.path == "/robots.txt":
            yield reply(b"User-agent: *\nAllow: /\n", kind="text/plain")
        elif request.path == "/":
            yield page("first", b"".join(
                b'<p><a href="%s">go</a></p>\n' % path.encode()
                for path in (*INNOCENT, *self.scripts)
                if path.endswith(".html")))
        elif request.path in INNOCENT:
            yield page("innocent" + request.path[1:2])
        else:
            yield page("gone", status="404 Not Found")
