"""The API over TCP: tokens, roles, rates, TLS, and those who try without."""

import http.client
import os
import pathlib
import re
import signal
import socket
import ssl
import stat
import subprocess
import time
import warnings

import harness

# What a token may have open: the head of a request, and what it sends of its
# body.
OPEN = {
    "events": ("GET /v1/events?since=0", "Accept: text/event-stream", b""),
    "long poll": ("GET /v1/events?since=0&wait=600", "", b""),
    "body": ("POST /v1/extract", "Content-Length: 1000", b"<p>x"),
    "batch": ("POST /v1/extract/batch", "Transfer-Encoding: chunked",
              b"2\r\n{\"\r\n"),
    "ingest": ("POST /v1/ingest", "Transfer-Encoding: chunked",
               b"4\r\nWARC\r\n"),
}
HOSTILE_TOKENS = ("", "x", "td_", "td_" + "0" * 64, "td_" + "f" * 100000)


class Listen(harness.Case):
    def listening(self, **rows):
        """A daemon that listens, and a token of each role."""
        self.port = harness.free_port()
        daemon = self.daemon({"listen": {
            "address": f'"127.0.0.1:{self.port}"', **rows}})
        self.read = self.token(daemon, "reader")
        self.write = self.token(daemon, "writer", "--write")
        return daemon

    def token(self, daemon, *arguments):
        done = daemon.ctl("token", "add", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Atd_[0-9a-f]{64}\n\Z")
        return done.stdout.strip()

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def ask(self, target, token=None, method="GET", body=None, **headers):
        """One request; `Sec_Fetch_Site` stands for Sec-Fetch-Site."""
        connection = self.connection()
        sent = {name.replace("_", "-"): value
                for name, value in headers.items()}
        if token is not None:
            sent["Authorization"] = "Bearer " + token
        try:
            connection.request(method, target, body=body, headers=sent)
            return harness.Answer(connection.getresponse())
        finally:
            connection.close()

    def log_in(self, token):
        """What a browser sends from then on: templated=..."""
        answer = self.ask("/login", None, "POST", b"token=" + token.encode(),
                          Origin=f"http://127.0.0.1:{self.port}")
        self.assertEqual(answer.status, 303, answer.text)
        return answer.headers["Set-Cookie"].partition(";")[0]

    def raw(self, data, patience_s=20):
        """What comes for these bytes until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port),
                                      patience_s) as client:
            client.sendall(data)
            answer = b""
            while more := client.recv(65536):
                answer += more
            return answer

    def test_nobody_listens_unless_told_so(self):
        if not harness.may_look():
            self.skipTest("only root may look into the daemon's process")
        daemon = self.daemon()
        tables = "".join(
            pathlib.Path(f"/proc/{daemon.process.pid}/net/{name}").read_text()
            for name in ("tcp", "tcp6"))
        ours = set()
        for file in pathlib.Path(f"/proc/{daemon.process.pid}/fd").iterdir():
            try:
                ours |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(file)))
            except OSError:
                continue
        rows = [line.split() for line in tables.splitlines()]
        self.assertEqual([row for row in rows if row[9:] and row[9] in ours],
                         [])

    def test_roles_and_their_ends(self):
        """Who may what; none may what only the owner of the socket may."""
        daemon = self.listening()
        for token, status in ((self.read, 403), (self.write, 200)):
            self.assertEqual(self.ask("/metrics", token).status, 200)
            self.assertEqual(self.ask("/v1/events", token).status, 200)
            self.assertEqual(self.ask("/v1/sites", token).status, 200)
            self.assertEqual(self.ask("/v1/hooks", token).status, status)
            for method in ("GET", "POST"):
                self.error_of(self.ask("/v1/tokens", token, method, b"{}"),
                              403, "forbidden")
            self.error_of(self.ask("/v1/tokens/reader", token, "DELETE"),
                          403, "forbidden")
        self.error_of(self.ask("/v1/text?url=http://a.test/&fetch=missing",
                               self.read), 403, "forbidden")
        rows = daemon.json("/v1/tokens")["tokens"]
        self.assertEqual([(row["name"], row["role"]) for row in rows],
                         [("reader", "read"), ("writer", "write")])
        self.assertEqual(daemon.ctl("token", "add", "reader").returncode, 1)
        self.assertNotEqual(daemon.ctl("token", "add", "a b").returncode, 0)
        self.assertIn("reader", daemon.ctl("token", "list").stdout)
        self.assertEqual(daemon.ctl("token", "rm", "reader").returncode, 0)
        self.error_of(self.ask("/metrics", self.read), 401, "unauthorized")
        self.outlives_a_restart(daemon)

    def open(self, token, name):
        head, header, body = OPEN[name]
        client = socket.create_connection(("127.0.0.1", self.port), 20)
        self.addCleanup(client.close)
        client.sendall(f"{head} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                       f"Authorization: Bearer {token}\r\n"
                       f"{header}\r\n\r\n".encode() + body)
        return client

    @staticmethod
    def rest_of(client, patience_s):
        """(what comes until it is closed, or until then; is it closed)"""
        client.settimeout(patience_s)
        came = b""
        try:
            while more := client.recv(65536):
                came += more
        except ConnectionError:
            pass
        except TimeoutError:
            return came, False
        return came, True

    def test_a_removed_token_has_nothing_open(self):
        """Streams, long polls, uploads: all of it ends at once, and nothing
        of what happens later is told."""
        daemon = self.listening()
        gone = self.token(daemon, "gone", "--write")
        clients = {name: self.open(gone, name) for name in OPEN}
        # of the places for uploads the second token gets the third one
        others = {name: self.open(self.write, name) for name in OPEN
                  if name != "ingest"}
        clients["idle"] = self.open(gone, "events")
        for row in (clients, others):
            self.assertIn(b"200 OK", row["events"].recv(65536))
        time.sleep(0.5)
        self.assertEqual(daemon.ctl("token", "rm", "gone").returncode, 0)
        begin = time.monotonic()
        daemon.watch("http://127.0.0.1:9/")
        for name, client in clients.items():
            came, is_closed = self.rest_of(client, 5)
            self.assertTrue(is_closed, f"{name} is open")
            self.assertNotIn(b"\ndata: {", came, name)
            self.assertNotIn(b"200 OK" if name != "idle" else b"\ndata: {", came)
        self.assertLess(time.monotonic() - begin, 1)
        print(f"closed within {time.monotonic() - begin:.3f} s")
        self.assertIn(b"\ndata: {", self.rest_of(others["events"], 1)[0])
        self.assertIn(b"200 OK", others["long poll"].recv(65536))
        for name in ("body", "batch"):
            self.assertEqual(self.rest_of(others[name], 0.2), (b"", False))
        self.error_of(self.ask("/v1/events", gone), 401, "unauthorized")

    def test_a_browser_that_signs_out_has_nothing_open(self):
        daemon = self.listening()
        cookies = [self.ask("/login", method="POST",
                            body="token=" + self.read).headers[
                                "Set-Cookie"].split(";")[0]
                   for _ in range(2)]
        clients = []
        for cookie in cookies:
            client = socket.create_connection(("127.0.0.1", self.port), 20)
            self.addCleanup(client.close)
            client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           b"Accept: text/event-stream\r\nCookie: "
                           + cookie.encode() + b"\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(65536))
            clients.append(client)
        self.ask("/logout", method="POST", body="", Cookie=cookies[0])
        daemon.watch("http://127.0.0.1:9/")
        came, is_closed = self.rest_of(clients[0], 1)
        self.assertTrue(is_closed)
        self.assertNotIn(b"\ndata: {", came)
        came, is_closed = self.rest_of(clients[1], 1)
        self.assertFalse(is_closed)
        self.assertIn(b"\ndata: {", came)

    def test_a_session_that_makes_room_has_nothing_open(self):
        daemon = self.listening()
        first = self.log_in(self.read)
        with socket.create_connection(("127.0.0.1", self.port), 20) as client:
            client.sendall(b"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                           b"Accept: text/event-stream\r\nCookie: "
                           + first.encode() + b"\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(65536))
            for _ in range(16):
                self.log_in(self.read)
            daemon.watch("http://127.0.0.1:9/")
            came, is_closed = self.rest_of(client, 1)
        self.assertTrue(is_closed)
        self.assertNotIn(b"\ndata: {", came)
        self.error_of(self.ask("/v1/events", Cookie=first), 401)

    def test_a_token_that_asks_too_fast_begins_no_session(self):
        self.listening(rate_limit=2)
        for _ in range(20):
            answer = self.ask("/login", None, "POST",
                              b"token=" + self.read.encode())
            if answer.status != 303:
                break
        self.assertEqual(answer.status, 429)
        self.assertEqual(answer.headers["Retry-After"], "1")
        self.assertIn("listen.rate_limit", answer.text)
        self.assertIsNone(answer.headers["Set-Cookie"])

    def outlives_a_restart(self, daemon):
        daemon.stop()
        path = pathlib.Path(daemon.store) / "tokens"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.assertNotIn(self.write[3:], path.read_text())
        daemon.start()
        self.assertEqual(self.ask("/v1/sites", self.write).status, 200)
        self.error_of(self.ask("/metrics", self.read), 401, "unauthorized")

    def test_strangers_get_nothing(self):
        daemon = self.listening()
        for token in (None, *HOSTILE_TOKENS[:4], self.read + "0",
                      self.read[:-1], self.read.upper()):
            answer = self.ask("/metrics", token)
            self.error_of(answer, 401, "unauthorized")
            self.assertTrue(answer.headers["WWW-Authenticate"]
                            .startswith("Bearer "))
        self.error_of(self.ask("/metrics", Authorization="Basic eDp5"), 401)
        # too much of a head is refused by the server itself
        self.assertIn(b" 431 ", self.raw(
            b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
            + HOSTILE_TOKENS[4].encode() + b"\r\n\r\n"))
        # no byte of a body is awaited, and none is held
        for head in (b"Content-Length: 9000000", b"Transfer-Encoding: chunked"):
            self.assertIn(b"HTTP/1.1 401 ", self.raw(
                b"POST /v1/ingest HTTP/1.1\r\nHost: 127.0.0.1\r\n" + head
                + b"\r\n\r\n"))
        chunked = b"Transfer-Encoding: chunked"
        for method, head, status in (
                (b"POST", b"Content-Length: 5000", b"413"),
                (b"GET", b"Content-Length: 5000", b"413"),
                (b"POST", b"X: " + b"x" * 5000, b"431"),
                (b"POST", b"Content-Length: 10\r\n" + chunked, b"411"),
                (b"POST", chunked + b"\r\nContent-Length: 10", b"411"),
                (b"POST", b"Transfer-Encoding: identity", b"411"),
                (b"POST", b"Content-Length: 10\r\nContent-Length: 10",
                 b"400"),
                (b"POST", chunked, b"411"), (b"GET", chunked, b"411"),
                (b"HEAD", chunked, b"411"), (b"PUT", chunked, b"411")):
            answer = self.raw(method + b" /login HTTP/1.1\r\n"
                              b"Host: 127.0.0.1\r\nConnection: close\r\n"
                              + head + b"\r\n\r\n")
            self.assertIn(b"HTTP/1.1 " + status, answer, (method, head))
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1)
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_bodies_of_others_shut_nobody_out(self):
        """What strangers and readers send is not held: writers have room."""
        daemon = self.listening()
        daemon.stop()
        daemon.configure({"socket": {"max_upload": "64KiB"}})
        daemon.start()
        reader = b"Authorization: Bearer " + self.read.encode() + b"\r\n"
        body = b"ff00\r\n" + b"a" * 0xff00 + b"\r\n"
        for number in range(48):
            client = socket.create_connection(("127.0.0.1", self.port), 5)
            self.addCleanup(client.close)
            line, more = ((b"POST /login", b"Content-Length: 10\r\n"),
                          (b"GET /login", b""),
                          (b"POST /v1/extract", reader),
                          (b"GET /v1/events", reader),
                          (b"POST /none", reader))[number % 5]
            try:
                client.sendall(line + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                               + more + b"Transfer-Encoding: chunked\r\n\r\n"
                               + body)
            except OSError:
                pass  # it is refused already
        answer = self.ask("/v1/extract?url=http://a.test/&format=txt",
                          self.write, "POST", b"<p>some words" * 4000)
        self.assertEqual(answer.status, 200, answer.text)
        for method, target, status in (("POST", "/v1/extract", 403),
                                       ("GET", "/v1/events", 413),
                                       ("POST", "/none", 413)):
            self.error_of(self.ask(target, self.read, method, b"x"), status)
        self.assertEqual(self.ask("/v1/events", self.read, "GET", b"").status,
                         200)

    def test_pages_of_other_sites_get_nothing(self):
        """DNS rebinding, forged requests, cookies that come unasked."""
        self.listening(allowed_hosts='"texts.test"')
        here = f"127.0.0.1:{self.port}"
        for host, status in (("evil.test", 421), ("127.0.0.1.evil.test", 421),
                             ("", 421), ("texts.test", 200),
                             ("localhost:1", 200), ("[::1]", 200)):
            self.assertEqual(self.ask("/metrics", self.read, Host=host).status,
                             status, host)
        self.assertIn(b" 4", self.raw(b"GET /metrics HTTP/1.0\r\n"
                                      b"Authorization: Bearer "
                                      + self.read.encode() + b"\r\n\r\n")[:13])
        cookie = "other=1; " + self.log_in(self.write)
        forged = (
            {"Origin": "http://evil.test"}, {"Origin": "null"},
            {"Origin": "http://127.0.0.1:9"}, {"Origin": f"ftp://{here}"},
            {"Cookie": cookie},
            {"Cookie": cookie, "Sec_Fetch_Site": "none"},
            {"Cookie": cookie, "Origin": "http://evil.test",
             "Sec_Fetch_Site": "same-origin"})
        for headers in forged:
            token = None if "Cookie" in headers else self.write
            answer = self.ask("/v1/sites", token, "POST", b"{}", **headers)
            self.error_of(answer, 403, "wrong_origin")
        for site in ("same-site", "cross-site"):
            self.error_of(self.ask("/v1/sites", Cookie=cookie,
                                   Sec_Fetch_Site=site), 401)
        self.error_of(self.ask("/v1/sites", method="OPTIONS",
                               Origin="http://evil.test"), 403)
        for headers in ({"Origin": f"http://{here}"},
                        {"Sec_Fetch_Site": "same-origin"}):
            # it gets through to who reads the body
            self.error_of(self.ask("/v1/sites", None, "POST", b"{}",
                                   Cookie=cookie, **headers), 400)
        answer = self.ask("/v1/sites", Cookie=cookie, Origin="http://evil.test")
        self.assertEqual(answer.status, 200)
        self.assertEqual([name for name in answer.headers
                          if name.lower().startswith("access-control")], [])
        self.assertIn("sandbox", answer.headers["Content-Security-Policy"])
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")

    def test_a_browser_logs_in(self):
        self.listening()
        page = self.ask("/")
        self.assertEqual((page.status, page.type),
                         (401, "text/html; charset=utf-8"))
        self.assertIn('action="/login"', page.text)
        here = f"http://127.0.0.1:{self.port}"
        form = b"token=" + self.read.encode()
        answer = self.ask("/login", None, "POST", form, Origin=here)
        self.assertEqual((answer.status, answer.headers["Location"]),
                         (303, "/"))
        self.assertEqual(answer.headers["Cache-Control"], "no-store")
        cookie, *rest = answer.headers["Set-Cookie"].split("; ")
        self.assertEqual(set(rest), {"Path=/", "HttpOnly", "SameSite=Strict"})
        self.assertRegex(cookie, r"\Atemplated=[0-9a-f]{64}\Z")
        self.assertNotIn(cookie.partition("=")[2], self.read)
        self.assertEqual(self.ask("/metrics", Cookie=cookie).status, 200)
        for answer in (self.ask("/login", None, "POST", b"token=x"),
                       self.ask("/login", None, "POST", b"\0" * 73),
                       self.ask("/metrics", Cookie="templated=" + self.read)):
            self.assertEqual(answer.status, 401)
            self.assertIsNone(answer.headers["Set-Cookie"])
        for headers in ({"Origin": "http://evil.test"}, {"Origin": "null"},
                        {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "same-site"}):
            for target in ("/login", "/logout"):
                answer = self.ask(target, None, "POST", form, **headers)
                self.error_of(answer, 403, "wrong_origin")
                self.assertIsNone(answer.headers["Set-Cookie"])

    def test_a_link_signs_nobody_in(self):
        """Who has a token of theirs could have others work with it."""
        self.listening()
        for headers in ({}, {"Sec_Fetch_Site": "cross-site"},
                        {"Sec_Fetch_Site": "none"}):
            answer = self.ask("/login?token=" + self.read, **headers)
            self.assertEqual(answer.status, 200)
            self.assertIsNone(answer.headers["Set-Cookie"])
            self.assertIn('action="/login"', answer.text)

    def test_a_session_ends(self):
        """By signing out, with its token, and with the daemon."""
        daemon = self.listening()
        first, second = self.log_in(self.read), self.log_in(self.read)
        other = self.log_in(self.write)
        self.assertNotEqual(first, second)
        answer = self.ask("/logout", None, "POST", b"", Cookie=first,
                          Origin=f"http://127.0.0.1:{self.port}")
        self.assertEqual(answer.status, 303)
        self.error_of(self.ask("/metrics", Cookie=first), 401)
        self.assertEqual(self.ask("/metrics", Cookie=second).status, 200)
        self.assertEqual(daemon.ctl("token", "rm", "reader").returncode, 0)
        self.error_of(self.ask("/metrics", Cookie=second), 401)
        # a token of the same name is another one
        self.token(daemon, "reader", "--write")
        self.error_of(self.ask("/metrics", Cookie=second), 401)
        self.assertEqual(self.ask("/metrics", Cookie=other).status, 200)
        daemon.stop()
        daemon.start()
        self.error_of(self.ask("/metrics", Cookie=other), 401)

    def test_a_removal_that_cannot_be_written(self):
        """It holds at once, is told, and is written when that is possible."""
        daemon = self.listening()
        store = pathlib.Path(daemon.store)
        away = store.with_name("away")
        before = (store / "tokens").read_text()
        store.rename(away)
        try:
            answer = daemon.request("DELETE", "/v1/tokens/reader")
            self.assertEqual(answer.status, 202, answer.text)
            self.assertIn("restart", answer.json["warning"])
            self.error_of(self.ask("/metrics", self.read), 401, "unauthorized")
            done = daemon.ctl("token", "rm", "writer")
            self.assertEqual(done.returncode, 0)
            self.assertIn("restart", done.stderr)
            self.assertEqual(daemon.json("/v1/tokens")["tokens"], [])
            daemon.process.send_signal(signal.SIGHUP)  # it looks around then
        finally:
            away.rename(store)
        self.assertIn("token writer: removed, but ",
                      daemon.messages())
        daemon.process.send_signal(signal.SIGHUP)
        harness.wait_until(
            lambda: (store / "tokens").read_text() != before, "the writing")
        daemon.kill()
        daemon.start()
        self.assertEqual(daemon.json("/v1/tokens")["tokens"], [])
        for token in (self.read, self.write):
            self.error_of(self.ask("/metrics", token), 401, "unauthorized")

    def test_clients_do_not_fill_the_log(self):
        """Of each kind a line a minute, with the number of the others."""
        daemon = self.listening()
        before = daemon.messages().count("\n")
        for data in (b"GET / HTTP/1.1\r\nX", b"\0\r\n\r\n",
                     b"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
                     b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
            for _ in range(100):
                with socket.create_connection(("127.0.0.1", self.port), 5) \
                        as client:
                    client.sendall(data)
        self.assertEqual(self.ask("/metrics", self.read).status, 200)
        self.assertLess(daemon.messages().count("\n") - before, 12)
        daemon.stop()
        self.assertRegex(daemon.messages(),
                         r"the last of \d+ lines of this kind left out")

    def test_rate_of_a_token(self):
        daemon = self.listening(rate_limit=20)
        connection = self.connection()
        self.addCleanup(connection.close)
        counts = {}
        started = time.monotonic()
        for _ in range(60):
            connection.request("GET", "/v1/events", headers={
                "Authorization": "Bearer " + self.read})
            answer = harness.Answer(connection.getresponse())
            counts[answer.status] = counts.get(answer.status, 0) + 1
            if answer.status == 429:
                self.error_of(answer, 429, "too_fast")
                self.assertEqual(answer.headers["Retry-After"], "1")
        seconds = time.monotonic() - started
        self.assertLessEqual(counts[200], 20 * (1 + seconds) + 1)
        self.assertGreaterEqual(counts[200], 20)
        # nobody else has to wait
        self.assertEqual(self.ask("/v1/events", self.write).status, 200)
        self.assertEqual(daemon.get("/v1/events").status, 200)

    def test_slow_clients_keep_nobody_out(self):
        daemon = self.listening()
        daemon.stop()
        daemon.configure({"socket": {"max_connections": 8}})
        daemon.start()
        slow = []
        for number in range(12):
            client = socket.create_connection(("127.0.0.1", self.port), 5)
            self.addCleanup(client.close)
            if number % 2:
                client.sendall(b"POST /v1/extract HTTP/1.1\r\nHost: localhost"
                               b"\r\nAuthorization: Bearer "
                               + self.write.encode()
                               + b"\r\nContent-Length: 5000\r\n\r\n<p>")
            else:
                client.sendall(b"GET / HT")
            slow.append(client)
        started = time.monotonic()
        self.assertEqual(self.ask("/metrics", self.read).status, 200)
        self.assertLess(time.monotonic() - started, 15)
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def certify(self, folder):
        """A certificate of its own for localhost, and its key."""
        certificate, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
             "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
             "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
        # root alone may read it, when it is root who starts the daemon
        os.chmod(key, 0o600)
        return certificate, key

    def test_tls(self):
        folder = pathlib.Path(self.folder())
        certificate, key = self.certify(folder)
        daemon = self.listening(certificate=f'"{certificate}"',
                                key=f'"{key}"')
        context = ssl.create_default_context(cafile=certificate)
        address = ("127.0.0.1", self.port)
        with socket.create_connection(address, 20) as plain, \
                context.wrap_socket(plain, server_hostname="localhost") as tls:
            head = (f"Host: localhost\r\nAuthorization: Bearer {self.write}"
                    "\r\n")
            # pipelined, with a body, and one that waits
            body = b"<html><body><p>" + b"word " * 20000
            tls.sendall(f"GET /metrics HTTP/1.1\r\n{head}\r\nPOST /v1/extract"
                        f" HTTP/1.1\r\n{head}Connection: close\r\n"
                        f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = b""
            while more := tls.recv(65536):
                answer += more
        self.assertEqual(answer.count(b"HTTP/1.1 200 OK"), 2, answer[-500:])
        self.assertIn(b"word word", answer)
        old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            old.minimum_version = ssl.TLSVersion.TLSv1
            old.maximum_version = ssl.TLSVersion.TLSv1_1
        old.set_ciphers("ALL:@SECLEVEL=0")
        with socket.create_connection(address, 20) as plain, \
                self.assertRaises(OSError):
            old.wrap_socket(plain)
        self.secure_cookie(context)
        # who speaks no TLS gets no HTTP
        try:
            self.assertNotIn(b"HTTP", self.raw(b"GET / HTTP/1.1\r\n\r\n"))
        except OSError:
            pass
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def secure_cookie(self, context):
        connection = http.client.HTTPSConnection(
            "localhost", self.port, timeout=20, context=context)
        self.addCleanup(connection.close)
        connection.request("POST", "/login", "token=" + self.read)
        self.assertIn("; Secure", harness.Answer(connection.getresponse())
                      .headers["Set-Cookie"])

    def test_a_stop_ends_it(self):
        """Also with clients that wait; and the place is free at once."""
        daemon = self.listening()
        waiting = self.connection()
        self.addCleanup(waiting.close)
        waiting.request("GET", "/v1/events?wait=20&since=99", headers={
            "Authorization": "Bearer " + self.read})
        daemon.stop()
        with self.assertRaises(OSError):
            socket.create_connection(("127.0.0.1", self.port), 5)
        daemon.start()
        self.assertEqual(self.ask("/metrics", self.read).status, 200)

    def test_what_is_wrong_is_told(self):
        daemon = self.daemon()
        port = harness.free_port()
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            other = taken.getsockname()[1]
            for rows, part in (
                    ({"address": f'"0.0.0.0:{port}"'}, "not a loopback address"),
                    ({"address": "8481"}, "an address and a port"),
                    ({"address": f'"127.0.0.1:{port}"', "key": "/k"},
                     "belong together"),
                    ({"address": f'"127.0.0.1:{port}"', "key": "/none",
                      "certificate": "/none"}, "/none"),
                    ({"address": f'"127.0.0.1:{other}"'}, "already in use")):
                conf = pathlib.Path(self.folder()) / "c.yaml"
                conf.write_text(harness.yaml({
                    "socket": {"path": str(conf.parent / "s")},
                    "store": {"path": str(conf.parent / "store")},
                    "listen": rows, **harness.ACCOUNT}))
                done = harness.run([harness.PROGRAMS / "templated", "-c",
                                    conf])
                self.assertNotEqual(done.returncode, 0, rows)
                self.assertIn(part, done.stderr)
        self.assertEqual(daemon.get("/v1/status").status, 200)


if __name__ == "__main__":
    harness.main()
