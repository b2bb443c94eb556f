"""Depots: snapshots in folders, on WebDAV servers, in buckets; and kill -9.

The WebDAV server is nginx. Debian has no server of S3: the one below is small,
but computes each signature again, as Amazon's documentation of Signature
Version 4 says, and refuses what is not signed so.
"""

import base64
import hashlib
import hmac
import http.server
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import threading
import time

import harness
from test_tls import OPENSSL, Authority

WORK = os.environ.get(
    "TEMPLATED_SNAPSHOT_STORE", harness.PROGRAMS.parent /
    "tests/snapshot_store/snapshot_store_work")
USER, SECRET, REGION = "node", "s3cr+t/ABC", "eu-central-1"
ANY = 2 ** 64 - 1
SEED = int(os.environ.get("SEED", time.time_ns() % 10 ** 9))

DAV = """
    client_max_body_size 64m;
    client_body_temp_path {folder}/incoming;
    auth_basic depot;
    auth_basic_user_file {folder}/users;
    location /full/ {{ if ($request_method = PUT) {{ return 507; }} }}
    location /lesser/ {{ client_max_body_size 1k; dav_methods PUT MKCOL; }}
    location /mine/ {{ dav_methods PUT; deny all; }}
    location /moved/ {{ return 302 http://127.0.0.1:{other}$request_uri; }}
    location /s/ {{ dav_methods PUT DELETE MKCOL; }}
"""


def pattern(size, number=0):
    """Bytes that cannot be packed, the same ones for the same number."""
    return random.Random(number).randbytes(size)


def is_locked(path):
    """Whether a process has the file and holds its lock."""
    return path.exists() and re.search(
        rf"FLOCK .*:{path.stat().st_ino} ",
        pathlib.Path("/proc/locks").read_text()) is not None


class Depot:
    """snapshot_store_work on a location, with a folder of its own."""

    def __init__(self, location, folder, key=None, authority=None):
        self.location, self.folder = location, folder
        if key:
            (folder / "key").write_text(key + "\n")
        if authority:
            shutil.copy(authority.file, folder / "ca")

    def command(self, *words):
        return [WORK, self.location, self.folder, *map(str, words)]

    def run(self, *words, data=b""):
        """(standard output, code of the error or "", what the log says)."""
        done = subprocess.run(self.command(*words), input=data,
                              capture_output=True, check=False, timeout=60)
        said = done.stderr.decode()
        if done.returncode not in (0, 1):
            raise AssertionError(f"{done.returncode}: {said}")
        code = said.splitlines()[-1] if done.returncode else ""
        return done.stdout, code, said

    def put(self, number, data, partition=17):
        return self.run("put", partition, number, data=data)[1:]

    def get(self, number, partition=17):
        return self.run("get", partition, number)

    def latest(self, below=ANY, partition=17):
        out, code, said = self.run("latest", partition, below)
        return int(out) if not code else code


class S3(http.server.BaseHTTPRequestHandler):
    """A bucket in a folder, for who signs."""
    protocol_version = "HTTP/1.1"
    held = None  # requests with the method `holds` for snapshots wait for it
    holds = "PUT"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def refuse(self, code):
        self.close_connection = True
        self.answer(403, f"<Error><Code>{code}</Code></Error>".encode())

    def is_signed(self, digest):
        """AWS Signature Version 4, with all headers of x-amz signed."""
        match = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d+)/([\w-]+)/s3/aws4_request,"
            r" ?SignedHeaders=([\w;-]+), ?Signature=(\w+)",
            self.headers.get("Authorization", ""))
        if not match or match[1] != USER or match[3] != REGION:
            return False
        names = match[4].split(";")
        if names != sorted(names) or not {
                "host", "x-amz-date", "x-amz-content-sha256"} <= set(names):
            return False
        lines = "".join(f"{name}:{self.headers[name].strip()}\n"
                        for name in names)
        path, _, query = self.path.partition("?")
        request = "\n".join([self.command, path, query, lines, match[4],
                             digest])
        scope = f"{match[2]}/{REGION}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"],
                          scope, hashlib.sha256(request.encode()).hexdigest()])
        key = ("AWS4" + SECRET).encode()
        for part in (match[2], REGION, "s3", "aws4_request", text):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        return hmac.compare_digest(key.hex(), match[5])

    def handle_expect_100(self):
        # the signature is known before the body comes
        if not self.is_signed(self.headers["x-amz-content-sha256"]):
            self.refuse("SignatureDoesNotMatch")
            return False
        return super().handle_expect_100()

    def do(self):
        file = pathlib.Path(self.server.folder, self.path.lstrip("/"))
        if self.held and file.suffix == ".tpl" and self.command == self.holds:
            self.rfile.read(1000)
            self.held.set()
            time.sleep(harness.PATIENCE_S)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        digest = hashlib.sha256(body).hexdigest()
        if digest != self.headers["x-amz-content-sha256"]:
            return self.refuse("XAmzContentSHA256Mismatch")
        if not self.is_signed(digest):
            return self.refuse("SignatureDoesNotMatch")
        if self.command == "PUT":
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(body)
            return self.answer(200)
        if not file.is_file():
            return self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        if self.command == "DELETE":
            file.unlink()
            return self.answer(204)
        return self.answer(200, file.read_bytes())

    do_GET = do_PUT = do_DELETE = do


class Depots(harness.Case):
    def depot(self, location, **options):
        return Depot(location, self.folder(), **options)

    def in_folder(self):
        place = self.folder()
        return self.depot(str(place)), place

    def webdav(self, path="s/", key=SECRET, extra="", other=9):
        """(depot, the folder of its server)."""
        place, conf = self.folder(), self.folder()
        for name in ("s", "full", "lesser", "mine"):
            (place / name).mkdir()
        digest = base64.b64encode(hashlib.sha1(SECRET.encode()).digest())
        (conf / "users").write_text(f"{USER}:{{SHA}}{digest.decode()}\n")
        web = self.web(place, extra + DAV.format(folder=conf, other=other))
        location = web.url.replace("//", f"//{USER}@") + path
        return self.depot(location, key=key), place

    def bucket(self, secret=SECRET):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), S3)
        server.daemon_threads, server.folder = True, self.folder()
        threading.Thread(target=server.serve_forever, daemon=True,
                         args=(0.02,)).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return self.depot(
            f"s3+http://127.0.0.1:{server.server_port}/bucket/a-b/"
            f"?region={REGION}", key=f"{USER}:{secret}"), server.folder

    def kinds(self):
        return (self.in_folder(), self.webdav(), self.bucket())

    def has(self, depot, number, data):
        out, code, said = depot.get(number)
        self.assertEqual(code, "", said)
        self.assertTrue(out == data, f"{len(out)} bytes of {len(data)}")

    def fails(self, done, code, *words):
        self.assertEqual(done[-2], code, done[-1])
        for word in words:
            self.assertIn(word, done[-1])

    def files(self, place):
        return sorted(path.name for path in place.rglob("*.tpl"))

    def test_what_is_put_is_got_and_the_newest_are_kept(self):
        for depot, place in self.kinds():
            with self.subTest(depot.location):
                self.assertEqual(depot.latest(), "not_found")
                self.fails(depot.get(3), "not_found")
                for number, size in ((3, 0), (12345678, 1), (9, 3000000)):
                    code, said = depot.put(number, pattern(size))
                    self.assertEqual(code, "", said)
                    self.has(depot, number, pattern(size))
                self.assertEqual(depot.latest(), 12345678)
                self.assertEqual(depot.latest(12345678), 9)
                self.assertEqual(depot.latest(3), "not_found")
                self.assertEqual(depot.latest(partition=18), "not_found")
                # the same number again is the later one
                self.assertEqual(depot.put(9, b"again")[0], "")
                self.has(depot, 9, b"again")
                self.assertEqual(depot.run("keep", 17, 2)[1], "")
                self.assertEqual(depot.latest(9), "not_found")
                self.has(depot, 12345678, pattern(1))
                names = self.files(place)
                self.assertEqual(len(names), 2, names)
                self.assertTrue(names[1].startswith("0000000012345678."))

    def test_damage_is_found(self):
        for depot, place in self.kinds():
            with self.subTest(depot.location):
                self.assertEqual(depot.put(1, pattern(100000))[0], "")
                file = next(place.rglob("*.tpl"))
                whole = file.read_bytes()
                self.assertEqual(whole[:100000], pattern(100000))
                flipped = bytearray(whole)
                flipped[50000] ^= 1
                for bad in (bytes(flipped), whole[:-1], whole[:60000],
                            whole[:20], b"", whole + b"x"):
                    file.write_bytes(bad)
                    self.fails(depot.get(1), "corrupt", "truncated or damaged")
                file.unlink()
                self.fails(depot.get(1), "not_found", str(file.parent.name))

    def test_a_put_that_is_killed_changes_nothing(self):
        print(f"SEED={SEED}")
        chance = random.Random(SEED)
        for depot, place in (self.in_folder(), self.webdav()):
            with self.subTest(depot.location):
                last = 0
                for number in range(1, 9):
                    data = pattern(4 << 20, number)
                    process = subprocess.Popen(
                        depot.command("put", 17, number),
                        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL)
                    killer = threading.Timer(chance.uniform(0, 0.05),
                                             process.kill)
                    killer.start()
                    try:
                        process.communicate(data)
                    except BrokenPipeError:
                        pass
                    killer.cancel()
                    found = depot.latest()
                    found = 0 if found == "not_found" else found
                    if process.returncode == 0:
                        self.assertEqual(found, number)
                    # killed behind the last step it is there, too: at once,
                    # or when the server has come to it
                    self.assertTrue(last <= found <= number, found)
                    if found > last:
                        self.has(depot, found, data if found == number
                                 else pattern(4 << 20, found))
                    last = found
                # what the killed ones have left goes with the next one
                self.assertEqual(depot.put(99, b"x")[0], "")
                self.assertEqual(depot.run("keep", 17, 1)[1], "")
                self.assertEqual(len(self.files(place)), 1)
                self.assertFalse((place / "p017" / "new").exists())

    def test_a_put_that_is_killed_while_it_is_sent(self):
        depot, place = self.bucket()
        self.assertEqual(depot.put(1, b"first")[0], "")
        S3.held = threading.Event()
        process = subprocess.Popen(depot.command("put", 17, 2),
                                   stdin=subprocess.PIPE)
        process.stdin.write(pattern(4 << 20))
        process.stdin.close()
        self.assertTrue(S3.held.wait(harness.PATIENCE_S))
        S3.held = None
        process.kill()
        process.wait()
        self.assertIn("\n- ", (place / "bucket/a-b/p017/manifest").read_text())
        self.assertEqual(depot.latest(), 1)
        self.has(depot, 1, b"first")
        self.assertEqual(depot.put(2, b"second")[0], "")
        self.has(depot, 2, b"second")
        self.assertNotIn("\n- ",
                         (place / "bucket/a-b/p017/manifest").read_text())

    def kill_at_delete(self, depot, *words):
        """Kill the command when it has sent its first DELETE."""
        S3.held, S3.holds = threading.Event(), "DELETE"
        with subprocess.Popen(depot.command(*words), stdin=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:
            process.stdin.close()
            self.assertTrue(S3.held.wait(harness.PATIENCE_S))
            S3.held, S3.holds = None, "PUT"
            process.kill()

    def test_what_a_killed_deletion_leaves_goes_with_the_next_put(self):
        for words in (("keep", 17, 1), ("put", 17, 2), ("put", 17, 9)):
            with self.subTest(words):
                depot, place = self.bucket()
                for number in (1, 2):
                    self.assertEqual(depot.put(number, b"x")[0], "")
                # its writer was killed before it called the file complete
                lost = place / "bucket/a-b/p017" / ("0" * 15 + "3." + "7" * 16
                                                    + ".tpl")
                lost.write_bytes(b"lost")
                with open(lost.parent / "manifest", "a") as manifest:
                    manifest.write(f"- {lost.name}\n")
                self.kill_at_delete(depot, *words)
                self.assertIn(depot.latest(), (2, 9))
                self.has(depot, 2, b"x")
                self.assertEqual(depot.put(99, b"y")[0], "")
                self.assertEqual(depot.run("keep", 17, 1)[1], "")
                self.assertEqual(len(self.files(place)), 1)
                self.has(depot, 99, b"y")

    def test_two_do_not_write_one_partition(self):
        depot, place = self.in_folder()
        process = subprocess.Popen(depot.command("put", 17, 1),
                                   stdin=subprocess.PIPE)
        harness.wait_until(lambda: is_locked(place / "p017" / "new"),
                           "the lock")
        self.fails(depot.put(2, b"x"), "busy", "another process is writing")
        process.communicate(b"one")
        self.has(depot, 1, b"one")

    def test_full_disks(self):
        room = self.folder()
        command = ["unshare", "-m", "sh", "-c",
                   'mount -t tmpfs -o size=1m none "$1" && shift && exec "$@"',
                   "sh", room]
        if subprocess.run([*command, "true"], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("no mount namespace of our own is to be had")
        dav = self.webdav()[0]
        for location, spool in ((str(room), self.folder()),
                                (dav.location, room)):
            shutil.copy(dav.folder / "key", spool)
            # the folder is empty in there: the key is that of the other
            done = subprocess.run(
                [*command, "sh", "-c", 'cp "$1/key" "$4/"; shift; exec "$@"',
                 "sh", dav.folder, WORK, location, spool, "put", "1", "1"]
                if spool == room else
                [*command, WORK, location, spool, "put", "1", "1"],
                input=pattern(3 << 20), capture_output=True, check=False)
            self.assertEqual(done.stderr.decode().splitlines()[-1],
                             "store_full", done.stderr)
        self.assertEqual(dav.latest(partition=1), "not_found")

    def test_what_servers_refuse(self):
        self.fails(self.webdav(key="wrong")[0].put(1, b"x"), "address_forbidden", "401",
                   "nodes.snapshot_store_key_file")
        self.fails(self.bucket("wrong")[0].put(1, b"x"), "address_forbidden", "403",
                   "SignatureDoesNotMatch")
        depot = self.webdav()[0]
        place = depot.location
        for path, code, word in (
                ("full", "store_full", "507"), ("mine", "address_forbidden", "403"),
                ("lesser", "too_large", "413"), ("moved", "address_forbidden", "302")):
            depot.location = place.replace("/s/", f"/{path}/")
            self.fails(depot.put(1, pattern(9999)), code, word)
        # nginx has no such folder, and may not make one
        depot.location = place.replace("/s/", "/s/missing/above/")
        self.fails(depot.put(1, b"x"), "network", "that the folder exists")

    def test_nobody_follows_with_a_password(self):
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            depot = self.webdav("moved/", other=port)[0]
            self.fails(depot.get(1), "address_forbidden", "not followed",
                       f"http://127.0.0.1:{port}/")
            other.settimeout(0.1)
            with self.assertRaises(TimeoutError):
                other.accept()

    def test_a_server_that_does_not_answer_is_given_up(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            depot = self.depot("http://127.0.0.1:%d/"
                               % silent.getsockname()[1])
            start = time.monotonic()
            self.fails(depot.get(1), "timeout")
            self.assertLess(time.monotonic() - start, 10)
        self.fails(depot.get(1), "network")

    def test_a_server_that_drips_is_given_up(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def drip():
                peer = server.accept()[0]
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")
                try:
                    while True:
                        peer.sendall(b"t")
                        time.sleep(0.05)
                except OSError:
                    peer.close()
            thread = threading.Thread(target=drip)
            thread.start()
            depot = self.depot("http://127.0.0.1:%d/"
                               % server.getsockname()[1])
            self.fails(depot.get(1), "timeout")
            thread.join(harness.PATIENCE_S)

    def test_templatectl_has_a_key(self):
        depot, place = self.webdav()
        store, empty = self.folder() / "store", self.folder()
        ctl = [harness.PROGRAMS / "templatectl", "partition"]
        migrate = [*ctl, "migrate", "--store", store, "--snapshot-store",
                   depot.location, "--snapshot-store-key-file"]
        self.assertEqual(harness.run([*ctl, "import", "--store", store,
                                      "--snapshot-store", empty]).returncode, 0)
        (empty / "wrong").write_text("x")
        done = harness.run([*migrate, empty / "wrong"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("401", done.stderr)
        done = harness.run([*migrate, depot.folder / "key"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([path.parent.name for path in place.rglob("*.tpl")],
                         ["p256"])
        self.assertEqual(depot.latest(partition=256), 0)

    def test_certificates(self):
        if OPENSSL is None:
            self.skipTest("openssl is not installed")
        authority, port = Authority(self.folder()), harness.free_port()
        certificate = authority.sign("IP:127.0.0.1")
        self.webdav(extra=f"listen 127.0.0.1:{port} ssl;{certificate}")
        location = f"https://{USER}@127.0.0.1:{port}/s"
        self.fails(self.depot(location, key=SECRET).put(1, b"x"), "address_forbidden",
                   "certificate")
        depot = self.depot(location, key=SECRET, authority=authority)
        self.assertEqual(depot.put(1, b"x")[0], "")
        self.has(depot, 1, b"x")

    def test_locations_that_are_none(self):
        for location, key, word in (
                ("snapshots", None, "must be a folder"),
                ("ftp://a.test/", None, "must be a folder"),
                ("http://a:b@h.test/", "b", "snapshot_store_key_file"),
                ("http://a@h.test/", None, "snapshot_store_key_file"),
                ("http://h.test/?region=a", None, "only valid for s3+"),
                ("s3+http://h.test/b/", None, "snapshot_store_key_file"),
                ("s3+http://h.test/b/?region=a:b", "a:b", "region"),
                ("s3+http://h.test/b/", "secret", "NAME:SECRET"),
                ("http://h.test/", "two\nlines:x", "one line"),
                ("http://h.test/#a", None, "#")):
            with self.subTest(location):
                self.fails(self.depot(location, key=key).get(1), "malformed",
                           word)
        self.fails(self.depot("/nowhere/at/all").get(1), "not_found")


if __name__ == "__main__":
    harness.main()
