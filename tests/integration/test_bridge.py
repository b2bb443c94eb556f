"""render.endpoint: a browser that somebody else has started.

The bridge (templated-bridge) stands between two pipes and the WebSocket of the
browser. A false browser on loopback sends it whatever breaks the protocols; a
real one, which the test kills and starts again, renders pages of the daemon.
"""

import base64
import contextlib
import hashlib
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

import browser
import harness
import test_render
import test_render_daemon

BRIDGE = harness.PROGRAMS / "templated-bridge"
MAX_MESSAGE = 8 << 20
MAX_COMMAND = (64 << 20) // 3 * 4 + (1 << 20)
PAGE = "<script>document.write('<p>made')</script>"
needed = unittest.skipUnless(BRIDGE.exists(), "built without libwebsockets")


class FalseBrowser:
    """Accepts connections one after another, and handles each by `serve`."""

    def __init__(self, serve, tls=None):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.tls = tls
        self.host = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.heads = []
        self.serve = serve
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            peer.settimeout(harness.PATIENCE_S)
            with contextlib.ExitStack() as stack, \
                    contextlib.suppress(OSError):
                stack.enter_context(peer)
                if self.tls is not None:
                    peer = stack.enter_context(
                        self.tls.wrap_socket(peer, server_side=True))
                head = b""
                while b"\r\n\r\n" not in head:
                    more = peer.recv(65536)
                    if not more:
                        break
                    head += more
                if head:  # the bridge first tries whether it can connect
                    self.heads.append(head.decode())
                    self.serve(peer, head.decode())

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


def accept(peer, head):
    """Answer the request for a WebSocket."""
    key = next(line.split(": ")[1] for line in head.split("\r\n")
               if line.lower().startswith("sec-websocket-key"))
    digest = hashlib.sha1(
        (key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    peer.sendall(b"HTTP/1.1 101 Switching Protocols\r\n"
                 b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Accept: " + base64.b64encode(digest) +
                 b"\r\n\r\n")


def frame(data, code=1, last=True):
    head = bytes([(0x80 if last else 0) | code])
    if len(data) < 126:
        head += bytes([len(data)])
    elif len(data) < 65536:
        head += struct.pack(">BH", 126, len(data))
    else:
        head += struct.pack(">BQ", 127, len(data))
    return head + data


def exactly(peer, size):
    data = bytearray()
    while len(data) < size:
        more = peer.recv(min(size - len(data), 1 << 20))
        if not more:
            raise OSError("closed")
        data += more
    return bytes(data)


def read_frame(peer):
    """(opcode, is it the last one of its message, data)"""
    first, second = exactly(peer, 2)
    size = second & 0x7f
    if size == 126:
        size, = struct.unpack(">H", exactly(peer, 2))
    elif size == 127:
        size, = struct.unpack(">Q", exactly(peer, 8))
    mask = exactly(peer, 4)
    data = exactly(peer, size)
    whole = mask * (size // 4 + 1)
    return first & 0xf, bool(first & 0x80), (
        int.from_bytes(data, "big") ^
        int.from_bytes(whole[:size], "big")).to_bytes(size, "big")


class Bridge:
    """The program, with the other ends of its pipes."""

    def __init__(self, endpoint, **environment):
        to_read, self.commands = os.pipe()
        self.messages, to_write = os.pipe()
        self.process = subprocess.Popen(
            [BRIDGE], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, close_fds=False, text=True,
            env={"TEMPLATED_ENDPOINT": endpoint,
                 "http_proxy": "http://127.0.0.1:9", **environment},
            preexec_fn=lambda: (os.dup2(os.dup(to_read), 3),
                                os.dup2(os.dup(to_write), 4)))
        os.close(to_read)
        os.close(to_write)

    def send(self, data):
        while data:
            data = data[os.write(self.commands, data):]

    def read(self, size):
        data = b""
        while len(data) < size:
            ready, _, _ = select.select([self.messages], [], [],
                                        harness.PATIENCE_S)
            more = os.read(self.messages, size - len(data)) if ready else b""
            if not more:
                break
            data += more
        return data

    def end(self):
        """Its exit status and what it has written, when it ends itself."""
        _, text = self.process.communicate(timeout=harness.PATIENCE_S)
        return self.process.returncode, text

    def stop(self):
        self.process.kill()
        self.process.wait()
        if not self.process.stderr.closed:
            self.process.stderr.close()
        os.close(self.commands)
        os.close(self.messages)


@needed
class Protocol(unittest.TestCase):
    """The bridge and a false browser."""

    def browser(self, serve, tls=None):
        false = FalseBrowser(serve, tls)
        self.addCleanup(false.stop)
        return false

    def bridge(self, endpoint, **environment):
        bridge = Bridge(endpoint, **environment)
        self.addCleanup(bridge.stop)
        return bridge

    def socket(self, serve):
        """A bridge to a false browser whose WebSocket is open."""
        def run(peer, head):
            accept(peer, head)
            serve(peer)
        return self.bridge(f"ws://{self.browser(run).host}/devtools/x")

    def drain(self, bridge):
        """Read all that it writes."""
        thread = threading.Thread(target=bridge.read, args=[1 << 30])
        thread.start()
        self.addCleanup(thread.join)

    def assertEnds(self, bridge, text):
        status, message = bridge.end()
        self.assertEqual(status, 1, message)
        self.assertIn(text, message)
        return message

    def test_messages_of_any_size_arrive_whole(self):
        sizes = (0, 1, 125, 126, 65535, 65536, 200000, MAX_MESSAGE)
        sent = [b"x" * size for size in sizes]
        got = []

        def serve(peer):
            for data in sent:
                peer.sendall(frame(data))
            while len(got) < len(sent):
                got.append(read_frame(peer))
            peer.recv(1)
        bridge = self.socket(serve)
        for data in sent:
            self.assertEqual(bridge.read(len(data) + 1), data + b"\0")
        for data in sent[1:]:
            bridge.send(data + b"\0")
        bridge.send(b"last\0")
        harness.wait_until(lambda: len(got) == len(sent), "the commands")
        self.assertEqual(got, [(1, True, data)
                               for data in sent[1:] + [b"last"]])

    def test_the_largest_command_arrives(self):
        got = []

        def serve(peer):
            got.append(read_frame(peer))
            got.append(read_frame(peer))
            peer.recv(1)
        bridge = self.socket(serve)
        command = b"y" * MAX_COMMAND
        bridge.send(command + b"\0next\0")
        harness.wait_until(lambda: len(got) == 2, "the command")
        self.assertTrue(got[0] == (1, True, command))
        self.assertEqual(got[1], (1, True, b"next"))

    def test_a_longer_command_is_refused(self):
        bridge = self.socket(lambda peer: peer.recv(1))
        with self.assertRaises(BrokenPipeError):
            bridge.send(b"y" * (MAX_COMMAND + (1 << 20)))
        self.assertEnds(bridge, "a command has over")

    def test_fragments_are_joined(self):
        def serve(peer):
            peer.sendall(frame(b"one ", last=False) + frame(b"two ", 0, False))
            peer.sendall(frame(b"hello", 9))  # a ping in between
            peer.sendall(frame(b"three", 0))
            self.assertEqual(read_frame(peer), (10, True, b"hello"))
            peer.recv(1)
        self.assertEqual(self.socket(serve).read(14), b"one two three\0")

    def test_it_reads_only_what_is_read_from_it(self):
        """In both directions what nobody reads stops the other side."""
        sent = []

        def serve(peer):
            peer.settimeout(2)
            with contextlib.suppress(OSError):
                while len(sent) < 1000:
                    peer.sendall(frame(b"x" * 1000000))
                    sent.append(1)
            done.wait(harness.PATIENCE_S)
        done = threading.Event()
        bridge = self.socket(serve)
        self.addCleanup(done.set)
        os.set_blocking(bridge.commands, False)
        written = 0
        end = time.monotonic() + 3
        while time.monotonic() < end:
            try:
                written += os.write(bridge.commands, b"y" * 65535 + b"\0")
            except BlockingIOError:
                time.sleep(0.05)
        # what the kernel holds of each connection
        self.assertLess(len(sent), 30)
        self.assertLess(written, 30 << 20)
        status = pathlib.Path(f"/proc/{bridge.process.pid}/status")
        peak = next(line for line in status.read_text().splitlines()
                    if line.startswith("VmHWM"))
        self.assertLess(int(peak.split()[1]), 40 << 10)

    def test_it_gives_up_its_rights(self):
        def serve(peer):
            peer.sendall(frame(b"hello"))
            peer.recv(1)
        bridge = self.socket(serve)
        self.assertEqual(bridge.read(6), b"hello\0")
        status = pathlib.Path(f"/proc/{bridge.process.pid}/status")
        lines = dict(line.split(":\t") for line in
                     status.read_text().splitlines() if ":\t" in line)
        self.assertEqual(lines["NoNewPrivs"], "1")
        if os.environ.get("BUILD_TYPE") == "Release":
            self.assertEqual(lines["Seccomp"], "2")

    def test_it_ends_with_its_renderer(self):
        bridge = self.socket(lambda peer: peer.recv(1))
        os.close(bridge.commands)
        bridge.commands = os.open("/dev/null", os.O_RDONLY)
        self.assertEnds(bridge, "no longer needed")

    def test_a_browser_that_breaks_the_protocol(self):
        cases = {
            "a message of over": frame(b"x" * (MAX_MESSAGE + 1)),
            "an invalid message": frame(b"binary", 2),
            "invalid message": frame(b"with a \0 NUL"),
            "closed": b"\xff" * 100,        # reserved bits
            "has closed": frame(b"", 3),    # an opcode that does not exist
            "closed the": frame(b"x", 0),   # a continuation of nothing
            "it has closed": frame(b"x" * 200, 9),  # a ping that is too long
            "closed the connection": frame(struct.pack(">H", 1001), 8),
            "the connection": b"\x81\x7f" + b"\xff" * 8,   # 2^64 - 1 bytes
            "connection": frame(b"x" * 1000)[:500],  # and the end
        }
        for text, data in cases.items():
            with self.subTest(text):
                bridge = self.socket(
                    lambda peer, data=data: peer.sendall(data))
                self.drain(bridge)
                self.assertEnds(bridge, text)

    def test_endless_fragments_are_too_long(self):
        def serve(peer):
            peer.sendall(frame(b"x" * 1000, last=False))
            with contextlib.suppress(OSError):
                while True:
                    peer.sendall(frame(b"x" * 60000, 0, False))
        bridge = self.socket(serve)
        self.drain(bridge)
        self.assertEnds(bridge, "a message of over")

    def test_a_server_that_is_no_browser(self):
        def answer(data):
            return lambda peer, _head: peer.sendall(data)
        long = b"x" * 100000
        length = b"Content-Length: %d\r\n\r\n"
        cases = {
            "status 404": b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n",
            "status 302": b"HTTP/1.1 302 No\r\nLocation: http://127.0.0.1:1/\r\n"
                          b"Content-Length: 0\r\n\r\n",
            "cannot connect": b"\0\1\2\3" * 100,
            "connect": b"",
            "incomplete": b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{",
            "over 65536 bytes": b"HTTP/1.1 200 OK\r\n" + length % len(long) +
                                long,
            "no valid": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
            "valid": b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[[[[",
        }
        for text, data in cases.items():
            with self.subTest(text):
                false = self.browser(answer(data))
                self.assertEnds(self.bridge(f"http://{false.host}"), text)
        for text in ("status 200", "status 404"):
            with self.subTest(text):
                data = f"HTTP/1.1 {text[7:]} x\r\nContent-Length: 0\r\n\r\n"
                false = self.browser(answer(data.encode()))
                bridge = self.bridge(f"ws://{false.host}/x?token=secret")
                self.assertNotIn("secret", self.assertEnds(bridge, text))
                self.assertIn("GET /x?token=secret ", false.heads[0])

    def test_only_the_path_of_the_answer_is_used(self):
        """A browser cannot make the bridge connect to another server."""
        other = self.browser(lambda peer, head: None)
        done = threading.Event()

        def serve(peer, head):
            if head.startswith("GET /json/version "):
                text = json.dumps({"webSocketDebuggerUrl":
                                   f"ws://{other.host}/devtools/browser/1?a"})
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                             % len(text) + text.encode())
                return
            accept(peer, head)
            done.set()
            peer.recv(1)
        false = self.browser(serve)
        port = false.host.rpartition(":")[2]
        bridge = self.bridge(f"http://localhost:{port}")
        self.assertTrue(done.wait(harness.PATIENCE_S), bridge.process.poll())
        self.assertEqual(other.heads, [])
        head = false.heads[1]
        self.assertTrue(head.startswith("GET /devtools/browser/1?a "), head)
        # Chromium refuses names as Host, and other origins
        for head in false.heads:
            self.assertIn(f"\r\nHost: {false.host}\r\n", head)
            self.assertNotIn("Origin:", head)

    def test_tls(self):
        """Only with a certificate of an authority that the system trusts."""
        def serve(peer, head):
            if head.startswith("GET /json/version "):
                text = b'{"webSocketDebuggerUrl": "ws://x/devtools/1"}'
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n"
                             % len(text) + text)
                return
            accept(peer, head)
            for size in (5, 3000000):
                peer.sendall(frame(b"x" * size))
            got.append(read_frame(peer))
            peer.recv(1)
        got = []
        folder = pathlib.Path(tempfile.mkdtemp(prefix="td-tls-"))
        self.addCleanup(shutil.rmtree, folder)
        done = harness.run([
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=browser",
            "-addext", "subjectAltName=DNS:localhost", "-keyout",
            folder / "key", "-out", folder / "certificate"])
        self.assertEqual(done.returncode, 0, done.stderr)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(folder / "certificate", folder / "key")
        false = self.browser(serve, tls)
        port = false.host.rpartition(":")[2]
        trusted = {"SSL_CERT_FILE": str(folder / "certificate")}
        for url in (f"https://localhost:{port}", f"wss://localhost:{port}/x"):
            with self.subTest(url):
                got.clear()
                bridge = self.bridge(url, **trusted)
                for size in (5, 3000000):
                    self.assertEqual(bridge.read(size + 1),
                                     b"x" * size + b"\0")
                bridge.send(b"y" * 3000000 + b"\0")
                harness.wait_until(lambda: got, "the command")
                self.assertTrue(got[0] == (1, True, b"y" * 3000000))
                bridge.process.kill()
        self.assertIn(f"\r\nHost: localhost:{port}\r\n", false.heads[0])
        # another authority, and another name
        self.assertEnds(self.bridge(f"wss://localhost:{port}/"), "connect")
        self.assertEnds(self.bridge(f"wss://127.0.0.1:{port}/", **trusted),
                        "connect")

    def test_what_is_no_endpoint(self):
        for endpoint in ("", "file:///etc/passwd", "ftp://a.test/", "ws:"):
            with self.subTest(endpoint):
                self.assertEnds(self.bridge(endpoint), "not a URL of ws")
        self.assertEnds(self.bridge("http://a.invalid:1"), "a.invalid:1: ")

    def test_a_browser_that_starts_a_moment_later(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            host = "127.0.0.1:%d" % listener.getsockname()[1]
        begin = time.monotonic()
        self.assertEnds(self.bridge(f"ws://{host}/x"), "Connection refused")
        self.assertGreater(time.monotonic() - begin, 3)


class RunningBrowser:
    """A browser that listens on a port of loopback, which it keeps when it is
    started again."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="td-endpoint-")
        self.port = 0
        self.process = None
        self.start()

    def start(self):
        place = pathlib.Path(self.folder, "DevToolsActivePort")
        place.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [browser.PROGRAM, "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update",
             f"--remote-debugging-port={self.port}",
             f"--user-data-dir={self.folder}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        lines = harness.wait_until(
            lambda: place.exists() and place.read_text().split(),
            "the port of the browser")
        self.port = int(lines[0])
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"
        self.socket_url = f"ws://{self.host}{lines[1]}"

    def targets(self):
        """The pages and workers that it has."""
        with urllib.request.urlopen(self.url + "/json/list") as answer:
            return [row["url"] for row in json.load(answer)]

    def kill(self):
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


@needed
@browser.needed
class Rendered(test_render_daemon.Case):
    """A daemon and a browser that the test has started."""

    def setUp(self):
        super().setUp()
        self.browser = RunningBrowser()
        self.addCleanup(self.browser.stop)

    def daemon(self, **render):
        return super().daemon({"render": {
            "endpoint": self.browser.url, "timeout": "20 s", **render}})

    def render(self, daemon, html, status=200):
        answer = daemon.post("/v1/render", html.encode(),
                             url="http://a.test/", offline=1)
        self.assertEqual(answer.status, status, answer.text)
        return answer.json

    def test_a_browser_that_is_killed_and_started_again(self):
        before = self.browser.targets()
        daemon = self.daemon()
        self.assertIn("<p>made", self.render(daemon, PAGE)["html"])
        self.assertRegex(daemon.messages(),
                         r"pages are rendered by (Headless)?Chrome/\d")
        # nothing of the page is left
        harness.wait_until(lambda: self.browser.targets() == before,
                           "the end of the page", 20)
        self.browser.kill()
        # the page that finds the end, and a page without a browser
        for _ in range(2):
            error = self.render(daemon, PAGE, 422)["error"]
            self.assertEqual(error["code"], "not_rendered")
        self.assertIn("Connection refused", error["message"])
        self.browser.start()
        # after the pause that follows a failure
        answer = harness.wait_until(lambda: next((
            answer for answer in [daemon.post(
                "/v1/render", PAGE.encode(), url="http://a.test/", offline=1)]
            if answer.status == 200), None), "a page")
        self.assertIn("<p>made", answer.json["html"])

    def test_an_endless_page_is_given_up(self):
        before = self.browser.targets()
        daemon = self.daemon(endpoint=self.browser.socket_url, timeout="5 s")
        error = self.render(daemon, "<script>for (;;);</script>", 422)["error"]
        self.assertIn("longer than allowed", error["message"])
        harness.wait_until(lambda: self.browser.targets() == before,
                           "the end of the page", 20)
        self.assertIn("<p>made", self.render(daemon, PAGE)["html"])

    def test_a_page_is_loaded_by_the_daemon(self):
        server = self.serve({
            "/": test_render_daemon.shell(),
            "/app.js": ("text/javascript", test_render_daemon.APP),
            "/data/.json": test_render_daemon.data("Home")})
        daemon = self.daemon()
        daemon.crawl(server.url)
        self.assertIn("Home 1", daemon.text(server.url, method="plain"))
        for path, headers in server.headers:
            self.assertIn("templated", headers["User-Agent"], path)

    def test_what_reaches_the_network(self):
        """A browser with a network, and with frames in other processes: what
        DevTools does not see goes to a proxy that does not exist. Only packets
        of WebRTC leave."""
        listener = test_render.Listener()
        self.addCleanup(listener.close)
        host = f"127.0.0.1:{listener.port}"
        frame_of_other = """<iframe src="data:text/html,<script>
fetch('http://HOST/frame').catch(() => 0);
new Image().src = 'http://HOST/frame-image'</script>"></iframe>
<script>
open("about:blank").document.write("<img src=http://HOST/popup-image>");
attempt("transport", () => new WebTransport("https://HOST/").ready);
attempt("shared", () => new SharedWorker(URL.createObjectURL(new Blob([
    "fetch('http://HOST/shared')"]))));
</script></body>"""
        html = test_render.REACH.replace("</body>", frame_of_other)
        self.assertIn("stun:", html)
        html = html.replace("stun:HOST", "stun:0.0.0.0:9")
        file = self.folder() / "page.html"
        file.write_text(html.replace("HOST", host))
        for base in ("http://shop.test/", f"http://{host}/"):
            with self.subTest(base):
                done = harness.run([
                    test_render.CTL, "render", "--endpoint", self.browser.url,
                    "--base", base, file])
                self.assertEqual(done.returncode, 0, done.stderr)
                for name in ("http", "socket", "worker"):
                    self.assertIn(f"[{name} failed]", done.stdout)
                self.assertEqual(listener.count(), 0)

    def test_there_is_one_browser(self):
        daemon = harness.Daemon({"render": {"endpoint": self.browser.url,
                                            "browser": browser.PROGRAM}})
        self.addCleanup(daemon.remove)
        done = harness.run([harness.PROGRAMS / "templated", "--check", "-c",
                            daemon.conf])
        self.assertEqual(done.returncode, 2)
        self.assertIn("set either browser or endpoint", done.stderr)


@unittest.skipIf(BRIDGE.exists(), "built with libwebsockets")
class WithoutBridge(unittest.TestCase):
    def test_the_message_names_the_package(self):
        done = harness.run([test_render.CTL, "render", "--endpoint",
                            "http://127.0.0.1:1", "/dev/null"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("install the package templated-bridge", done.stderr)


if __name__ == "__main__":
    harness.main()
