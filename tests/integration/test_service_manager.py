"""What a service manager says and is told, as systemd does both: notices,
sockets that are handed over, credentials, folders; and the daemon of an ordinary
user without any of that."""

import os
import pathlib
import signal
import socket
import subprocess
import tempfile

import harness


class Manager:
    """The end of NOTIFY_SOCKET that systemd has."""

    def __init__(self, folder):
        self.path = str(pathlib.Path(folder) / "notify")
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        os.chmod(self.path, 0o777)
        self.socket.settimeout(harness.PATIENCE_S)

    def hear(self, word):
        """The rows of the next notice that has the word."""
        while True:
            rows = self.socket.recv(4096).decode().splitlines()
            if word in rows:
                return dict(row.split("=", 1) for row in rows)


class ServiceManager(harness.Case):
    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="td-manager-")
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        return pathlib.Path(folder.name)

    def launch(self, daemon, variables, sockets=()):
        """Start it as a manager does: sockets are its files from 3 on."""
        # LISTEN_PID is known to who is executed in its place alone
        words = ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh",
                 str(daemon.program), "-c", str(daemon.conf)]
        environment = {"PATH": os.environ["PATH"], **variables}
        if sockets:
            environment["LISTEN_FDS"] = str(len(sockets))

        def hand_over():
            kept = [os.dup(s.fileno()) for s in sockets]
            kept = [os.dup2(f, 100 + i) for i, f in enumerate(kept)]
            for i, file in enumerate(kept):
                os.dup2(file, 3 + i)

        harness.give(daemon.folder)
        with open(daemon.log, "a", encoding="utf-8") as log:
            daemon.process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=environment, preexec_fn=hand_over, close_fds=False,
                start_new_session=True)

    def listen(self, path):
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(str(path))
        os.chmod(path, 0o666)
        listening.listen()
        return listening

    def new_daemon(self, sections=None):
        daemon = harness.Daemon(sections)
        self.addCleanup(daemon.remove)
        self.addCleanup(daemon.stop)
        return daemon

    def test_it_is_told_what_the_daemon_is_about(self):
        manager = Manager(self.folder())
        self.addCleanup(manager.socket.close)
        daemon = self.new_daemon()
        self.launch(daemon, {"NOTIFY_SOCKET": manager.path,
                             "WATCHDOG_USEC": "400000"})
        ready = manager.hear("READY=1")
        self.assertEqual(ready["STATUS"], "0 sites, 0 pages, 0 crawling")
        web = self.web()
        daemon.watch(web.url)
        daemon.wait_for(web.host)
        for _ in range(20):
            said = manager.hear("WATCHDOG=1")["STATUS"]
            if said == "1 site, 69 pages, 0 crawling":
                break
        else:
            self.fail(said)
        daemon.process.send_signal(signal.SIGHUP)
        self.assertGreater(int(manager.hear("RELOADING=1")["MONOTONIC_USEC"]),
                           0)
        self.assertIn("STATUS", manager.hear("READY=1"))
        daemon.process.send_signal(signal.SIGTERM)
        manager.hear("STOPPING=1")

    def test_sockets_that_it_has_opened_are_served_and_left(self):
        folder = self.folder()
        ours, readers = folder / "main", folder / "read"
        sockets = [self.listen(readers), self.listen(ours)]
        # what the file says of them does not count
        daemon = self.new_daemon()
        daemon.socket = str(ours)
        variables = {"LISTEN_FDNAMES": "socket.read_only_path:socket.path"}
        for _ in range(2):  # a restart finds them as they were
            self.launch(daemon, variables, sockets)
            self.assertEqual(daemon.get("/v1/status").status, 200)
            daemon.socket = str(readers)
            self.assertEqual(daemon.get("/metrics").status, 200)
            self.assertEqual(daemon.get("/v1/status").status, 403)
            daemon.socket = str(ours)
            daemon.process.send_signal(signal.SIGHUP)
            daemon.stop()
            self.assertTrue(ours.exists() and readers.exists())
        self.assertNotIn("need a restart", daemon.messages())

    def test_socket_that_it_cannot_name_is_an_error(self):
        daemon = self.new_daemon()
        self.launch(daemon, {"LISTEN_FDNAMES": "templated.socket"},
                    [self.listen(self.folder() / "s")])
        self.assertEqual(daemon.process.wait(harness.PATIENCE_S), 2)
        self.assertIn("FileDescriptorName=socket.path", daemon.messages())
        daemon.process = None

    def test_credentials_take_the_place_of_keys(self):
        folder = self.folder()
        (folder / "crawl.user_agent").write_text("a secret agent\n", "utf-8")
        daemon = self.new_daemon()
        self.launch(daemon, {"CREDENTIALS_DIRECTORY": str(folder)})
        harness.wait_until(lambda: os.path.exists(daemon.socket), "the socket")
        web = self.web()
        daemon.watch(web.url, max_pages=1)
        daemon.wait_for(web.host)
        self.assertEqual(web.requests()[0][4], "a secret agent")
        # one key of a pair is not enough, wherever it comes from
        (folder / "listen.key").write_text("a key\n", "utf-8")
        said = harness.run([daemon.program, "--check", "-c", daemon.conf],
                           env={"CREDENTIALS_DIRECTORY": str(folder)})
        self.assertEqual(said.returncode, 2)
        self.assertIn("belong together", said.stderr)
        (folder / "listen.certificate").write_text("more\n", "utf-8")
        self.assertIn(
            f'key: "{folder}/listen.key"',
            harness.run([daemon.program, "--print-config", "-c", daemon.conf],
                        env={"CREDENTIALS_DIRECTORY": str(folder)}).stdout)

    def test_ordinary_user_needs_no_configuration(self):
        home = self.folder()
        harness.give(home)
        where = {"env": {"HOME": str(home), "XDG_RUNTIME_DIR": f"{home}/run"}}
        if harness.USER:
            where.update(user=harness.USER, group="nogroup", extra_groups=[])
        daemon = self.new_daemon()
        daemon.socket = str(home / "run" / "templated" / "templated.sock")
        with open(daemon.log, "a", encoding="utf-8") as log:
            daemon.process = subprocess.Popen(
                [harness.runnable(daemon.program)], stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, **where)
        harness.wait_until(lambda: daemon.process.poll() is not None or
                           os.path.exists(daemon.socket), "the socket")
        client = harness.runnable(harness.PROGRAMS / "templatectl")
        said = harness.run([client, "status"], **where)
        self.assertEqual(said.returncode, 0, said.stderr + daemon.messages())
        self.assertTrue((home / ".local/share/templated/data.mdb").exists())


if __name__ == "__main__":
    harness.main()
