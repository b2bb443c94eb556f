"""Credentials stand in one file, and in no copy, answer or line beside it."""

import base64
import gzip
import http.client
import http.server
import json
import pathlib
import shutil
import signal
import threading

import harness

SECRET = "s3same"
HEADERS = {"Authorization": "Bearer " + SECRET, "X-Key": SECRET}


class Server:
    """Pages for who knows the secret; what each request brought."""

    def __init__(self):
        self.seen = []
        self.authorizations = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.seen.append(self.headers.get("X-Key"))
                outer.authorizations.append(self.headers.get("Authorization"))
                body = b"<html><body><p>One page of text.</p></body></html>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.seen.append(self.path)
                self.send_response(204)
                self.end_headers()

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
    """The files in the folder that have the secret, unpacked or not."""
    found = set()
    for path in pathlib.Path(folder).rglob("*"):
        if not path.is_file():
            continue
        data = path.read_bytes()
        if path.suffix == ".gz":
            data += gzip.decompress(data)
        if SECRET.encode() in data:
            found.add(path.name)
    return found


class Secrets(harness.Case):
    def server(self):
        server = Server()
        self.addCleanup(server.stop)
        return server

    def give(self, daemon, server):
        """A site and two hooks that have secrets."""
        site = daemon.crawl(server.url, headers=HEADERS)
        for target in (server.url.replace("//", f"//me:{SECRET}@")
                       + "hook/" + SECRET, f"exec:/bin/true {SECRET}"):
            answer = daemon.post("/v1/hooks", {"target": target,
                                               "secret": SECRET})
            self.assertEqual(answer.status, 201, answer.text)
        return site

    def test_only_the_file_has_them(self):
        server = self.server()
        warc = self.folder()
        daemon = self.daemon({"crawl": {"warc_dir": warc},
                              "hooks": {"allow_commands": "yes"}})
        site = self.give(daemon, server)
        self.assertEqual(site["headers"], "Authorization: ***\nX-Key: ***\n")
        self.assertEqual([h["target"] for h in daemon.json("/v1/hooks")
                          ["hooks"]], [f"http://***@{server.host}/***",
                                       "exec:/bin/true ***"])
        self.assertIn(SECRET, server.seen)
        for hook in (1, 2):
            daemon.post(f"/v1/hooks/{hook}/test", {})
        harness.wait_until(lambda: f"/hook/{SECRET}" in server.seen,
                           "the delivery")
        host = site["host"]
        for path in ("/v1/sites", f"/v1/sites/{host}", "/v1/hooks",
                     "/v1/hooks/1", "/v1/hooks/2", "/v1/status", "/v1/config",
                     "/metrics", "/v1/events", f"/v1/sites/{host}/report",
                     f"/v1/sites/{host}/bundle", f"/v1/sites/{host}/frontier",
                     f"/v1/sites/{host}/templates", "/v1/verify", "/v1/backup"):
            self.assertNotIn(SECRET.encode(), daemon.get(path).body, path)
        copies = pathlib.Path(self.folder())
        done = [daemon.ctl("backup", copies / "backup"),
                daemon.ctl("export", host, "--out", copies / "bundle"),
                daemon.ctl("hook", "list"),
                daemon.ctl("site", "show", host), daemon.ctl("site", "list")]
        self.assertEqual([d.returncode for d in done], [0] * len(done))
        self.assertEqual([d for d in done if SECRET in d.stdout + d.stderr],
                         [])
        daemon.post("/v1/compact", {})
        daemon.stop()
        harness.run([harness.PROGRAMS / "templatectl", "recover",
                     daemon.store, copies / "salvaged"])
        self.assertTrue((copies / "salvaged" / "data.mdb").exists())
        self.assertEqual(holders(copies) | holders(warc), set())
        self.assertEqual(holders(daemon.folder), {"secrets"})
        file = pathlib.Path(daemon.store) / "secrets"
        self.assertEqual(file.stat().st_mode & 0o777, 0o600)

    def test_user_and_password_of_a_url_are_a_header(self):
        server = self.server()
        other = self.server()
        daemon = self.daemon()
        url = server.url.replace("//", f"//me:{SECRET}@")
        done = daemon.ctl("watch", "--wait", url)
        self.assertEqual(done.returncode, 0, done.stderr)
        site = daemon.json(f"/v1/sites/{server.host}")
        self.assertEqual(site["url"], server.url)
        self.assertEqual(site["headers"], "Authorization: ***\n")
        coded = base64.b64encode(f"me:{SECRET}".encode()).decode()
        self.assertEqual(set(server.authorizations), {f"Basic {coded}"})
        daemon.crawl(other.url)
        self.assertEqual(set(other.authorizations), {None})
        refused = daemon.ctl("watch", f"foo:{SECRET}@bar")
        self.assertEqual(refused.returncode, 1)
        refused = [refused, daemon.ctl("watch", f"http://:{SECRET}@a.example"),
                   daemon.ctl("watch", f"ftp://me:{SECRET}@a.example"), done]
        self.assertEqual([d for d in refused if SECRET in d.stdout + d.stderr],
                         [])
        daemon.stop()
        self.assertNotIn(SECRET, daemon.messages())
        for path in pathlib.Path(daemon.folder).rglob("*"):
            if path.is_file() and path.name != "secrets":
                self.assertNotIn(coded.encode(), path.read_bytes())
                self.assertNotIn(SECRET.encode(), path.read_bytes())

    def test_restored_without_them_a_site_is_locked(self):
        """It is not visited as a stranger; with its headers it goes on."""
        server = self.server()
        daemon = self.daemon()
        site = self.give(self.allow(daemon), server)
        backup = pathlib.Path(self.folder()) / "backup"
        self.assertEqual(daemon.ctl("backup", backup).returncode, 0)
        daemon.stop()
        shutil.rmtree(daemon.store)
        self.restore(daemon, backup)
        count = len(server.seen)
        daemon.start()
        self.assertIn(f"site {site['host']}: its headers", daemon.messages())
        self.assertIn("hook 1: its target", daemon.messages())
        self.assertEqual(daemon.json(f"/v1/sites/{site['host']}")["state"],
                         "no_credentials")
        self.assertTrue(daemon.json("/v1/hooks/1")["no_credentials"])
        self.error_of(daemon.get("/v1/text", url=server.url, fetch="always"),
                      409, "no_credentials")
        self.assertEqual(daemon.get("/v1/text", url=server.url).status, 200)
        daemon.post("/v1/hooks/1/test", {})
        self.assertEqual(len(server.seen), count)
        daemon.crawl(server.url, headers=HEADERS)
        daemon.text(server.url, fetch="always")
        self.assertEqual(set(server.seen[count:]), {SECRET})

    def allow(self, daemon):
        daemon.stop()
        daemon.configure({"hooks": {"allow_commands": "yes"}})
        return daemon.start()

    def restore(self, daemon, backup, *more):
        done = harness.run([harness.PROGRAMS / "templatectl", "restore",
                            backup, "--store", daemon.store, *more])
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_backup_with_them_needs_nothing(self):
        server = self.server()
        daemon = self.allow(self.daemon())
        site = self.give(daemon, server)
        backup = pathlib.Path(self.folder()) / "backup"
        done = daemon.ctl("backup", backup, "--with-secrets", daemon.store)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(holders(backup), {"secrets"})
        self.assertEqual((backup / "secrets").stat().st_mode & 0o777, 0o600)
        daemon.request("DELETE", f"/v1/sites/{site['host']}")
        daemon.stop()
        self.restore(daemon, backup, "--force")
        daemon.start()
        self.assertEqual(daemon.json(f"/v1/sites/{site['host']}")["state"],
                         "watching")
        self.assertFalse(daemon.json("/v1/hooks/1")["no_credentials"])
        daemon.text(server.url, fetch="always")
        self.assertEqual(server.seen[-1], SECRET)
        daemon.stop()
        harness.run([harness.PROGRAMS / "templatectl", "verify", "--store",
                     daemon.store])

    def test_killed_at_any_instant(self):
        """What was acknowledged is there, and no site lost its headers."""
        server = self.server()
        daemon = self.daemon()
        for turn in range(12):
            acked = []
            thread = threading.Thread(target=self.change,
                                      args=(daemon, turn, acked))
            thread.start()
            harness.wait_until(lambda: len(acked) >= turn % 4 + 1, "a change")
            daemon.process.send_signal(signal.SIGKILL)
            thread.join()
            daemon.process.wait(30)
            daemon.start()
            self.assertNotIn("not in", daemon.messages())
            states = {s["host"]: s for s in daemon.json("/v1/sites")["sites"]}
            for host, count in dict(acked).items():
                shown = states[host]["headers"].count("***")
                self.assertIn(count - shown, (0, -1))
        self.assertEqual(server.seen, [])

    @staticmethod
    def change(daemon, turn, acked):
        url = f"http://a{turn}.invalid:1/"
        count = 0
        try:
            while True:
                count += 1
                names = {f"X-{i}": f"{SECRET}{i}" for i in range(count)}
                answer = daemon.post("/v1/sites", {"url": url,
                                                   "headers": names})
                acked.append((json.loads(answer.text)["host"], count))
        except (OSError, http.client.HTTPException, KeyError, ValueError):
            return


if __name__ == "__main__":
    harness.main()
