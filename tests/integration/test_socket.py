"""The socket: one daemon, a stale file, its mode, clients that misbehave."""

import os
import pathlib
import socket
import stat

import harness


class Socket(harness.Case):
    def rival(self, daemon, store=None):
        """What a second daemon says that is started beside the first."""
        conf = self.folder() / "rival.yaml"
        conf.write_text(harness.yaml({
            "socket": {"path": daemon.socket},
            "store": {"path": store or str(conf.parent / "store")},
            **harness.ACCOUNT}))
        return harness.run([harness.PROGRAMS / "templated", "-c", conf])

    def test_second_daemon_on_the_socket_refuses(self):
        daemon = self.daemon()
        done = self.rival(daemon)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(daemon.socket, done.stderr)
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_second_daemon_on_the_store_refuses(self):
        daemon = self.daemon()
        conf = self.folder() / "rival.yaml"
        conf.write_text(harness.yaml({
            "socket": {"path": str(conf.parent / "s")},
            "store": {"path": daemon.store}, **harness.ACCOUNT}))
        done = harness.run([harness.PROGRAMS / "templated", "-c", conf])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(daemon.store, done.stderr)
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_socket_that_only_reads(self):
        """It has a mode of its own, and changes and fetches nothing."""
        web = self.web()
        path = str(self.folder() / "read")
        daemon = self.daemon({"socket": {"read_only_path": path, "read_only_mode": "0666"}})
        host = daemon.crawl(web.url, max_pages=12)["host"]
        cluster = daemon.clusters(host)[0]["id"]
        template = harness.template_path(cluster)
        nobody = "http://127.0.0.1:9/"  # so that the web sees fetches alone
        hook = daemon.post("/v1/hooks", {"target": nobody}).json["id"]
        self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o666)
        self.assertEqual(stat.S_IMODE(os.stat(daemon.socket).st_mode), 0o660)
        known = next(iter(daemon.pages(cluster)))
        self.assertEqual(daemon.post(f"{template}/fields",
                                     {"find": True}).status, 200)
        main, daemon.socket = daemon.socket, path
        for target in ("/metrics", "/v1/events", f"/v1/sites/{host}/templates",
                       f"{template}/fields", f"{template}/records",
                       f"/v1/sites/{host}/feed", template,
                       f"{template}/pages", f"{template}/versions/current"):
            self.assertEqual(daemon.get(target).status, 200, target)
        self.assertEqual(daemon.get("/v1/text", url=known).status, 200)
        count = len(web.targets())
        for policy in ("missing", "always"):
            self.error_of(daemon.get("/v1/text", url=known, fetch=policy),
                          403, "forbidden")
        for method, target in (
                ("POST", "/v1/sites"), ("DELETE", f"/v1/sites/{host}"),
                ("POST", f"/v1/sites/{host}/guards"), ("GET", "/v1/status"),
                ("POST", "/v1/hooks"), ("DELETE", f"/v1/hooks/{hook}"),
                ("POST", f"/v1/hooks/{hook}/test"), ("GET", "/v1/hooks"),
                ("POST", "/v1/events/1/ack"), ("POST", "/v1/compact"),
                ("POST", f"{template}/fields"),
                ("DELETE", f"{template}/fields?name=title"),
                ("POST", f"{template}/records"),
                ("POST", "/v1/silences"), ("GET", "/v1/backup"),
                ("DELETE", "/v1/silences/1"), ("POST", "/v1/ingest"),
                ("GET", "/v1/verify"), ("POST", "/v1/extract")):
            body = {"url": web.url} if method == "POST" else None
            self.error_of(daemon.request(method, target, body), 403,
                          "forbidden")
        daemon.socket = main
        self.assertEqual(len(web.targets()), count)
        self.assertEqual(daemon.json("/v1/sites")["sites"][0]["host"], host)
        self.assertEqual(len(daemon.json("/v1/hooks")["hooks"]), 1)
        daemon.stop()
        self.assertFalse(os.path.exists(path))

    def test_stale_socket_is_replaced(self):
        daemon = self.daemon()
        daemon.kill()
        self.assertTrue(os.path.exists(daemon.socket))
        daemon.start()
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_other_file_at_the_place_is_kept(self):
        daemon = self.daemon()
        daemon.stop()
        pathlib.Path(daemon.socket).write_text("mine")
        daemon.launch()
        self.assertNotEqual(daemon.process.wait(harness.PATIENCE_S), 0)
        self.assertEqual(pathlib.Path(daemon.socket).read_text(), "mine")

    def test_socket_is_for_the_group_and_gone_at_the_end(self):
        daemon = self.daemon()
        mode = os.stat(daemon.socket).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o660)
        daemon.stop()
        self.assertFalse(os.path.exists(daemon.socket))

    def test_silent_clients_block_nobody(self):
        daemon = self.daemon()
        silent = []
        for _ in range(20):
            client = socket.socket(socket.AF_UNIX)
            self.addCleanup(client.close)
            client.connect(daemon.socket)
            client.sendall(b"GET /v1/status HTTP/1.1\r\n")
            silent.append(client)
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_rubbish_costs_that_client_only(self):
        daemon = self.daemon()
        for rubbish in (b"\x00" * 1000, b"GET\r\n\r\n", b"A" * 100000,
                        b"POST /v1/extract HTTP/1.1\r\nHost: x\r\n"
                        b"Content-Length: -1\r\n\r\n",
                        b"GET /v1/text?url=%zz%00 HTTP/1.1\r\nHost: x\r\n\r\n"):
            with socket.socket(socket.AF_UNIX) as client:
                client.settimeout(10)
                client.connect(daemon.socket)
                try:
                    client.sendall(rubbish)
                    client.shutdown(socket.SHUT_WR)
                    while client.recv(4096):
                        pass
                except OSError:
                    pass
            self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_upload_over_the_limit_is_refused(self):
        daemon = self.daemon()
        daemon.stop()
        daemon.configure({"socket": {"max_upload": "64 KiB"}})
        daemon.start()
        try:
            answer = daemon.post("/v1/extract", b"<p>word</p>" * 10000)
        except OSError:
            return  # it may close the connection while we still send
        finally:
            self.assertEqual(daemon.get("/v1/status").status, 200)
        self.error_of(answer, 413, "too_large")


if __name__ == "__main__":
    harness.main()
