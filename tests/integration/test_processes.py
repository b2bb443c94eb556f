"""The processes of the daemon: what it says of them, and what becomes of it
when one of them ends."""

import concurrent.futures
import os
import signal
import subprocess
import threading
import unittest

import harness

ROLES = ("main", "spawner", "fetcher", "worker", "notifier")


def runs(pid):
    """Whether it is there, and no zombie."""
    try:
        status = harness.pathlib.Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return False
    return "State:\tZ" not in status


of_root = unittest.skipIf(os.geteuid() != 0, "only root can")


class Processes(harness.Case):
    def role(self, daemon, name):
        rows = daemon.json("/v1/status")["processes"]
        return next(row for row in rows if row["role"] == name)

    def test_status_says_what_holds_and_what_lacks(self):
        daemon = self.daemon()
        rows = daemon.json("/v1/status")["processes"]
        self.assertEqual(tuple(row["role"] for row in rows), ROLES)
        for row in rows:
            self.assertEqual(row["crashes"], 0)
            self.assertTrue(row["running"])
            self.assertIn("no new privileges", row["enforced"])
            self.assertIn(f"{row['role']}: {row['enforced']}", daemon.messages())
        if not os.environ.get("SANITIZER"):
            self.assertIn("system calls", rows[0]["enforced"])
        self.assertEqual(rows[0]["running"][0]["pid"], daemon.process.pid)
        text = daemon.ctl("status", "-v").stdout
        for name in ROLES:
            self.assertIn(f"\n{name} ", text)

    def test_one_that_dies_is_counted_and_another_is_there(self):
        daemon = self.daemon()
        web = self.web()
        before = self.role(daemon, "fetcher")["running"][0]["pid"]
        os.kill(before, signal.SIGKILL)
        daemon.crawl(web.url)
        row = self.role(daemon, "fetcher")
        self.assertEqual(row["crashes"], 1)
        self.assertNotEqual(row["running"][0]["pid"], before)
        metrics = daemon.get("/metrics").text
        self.assertIn('templated_process_crashes_total{role="fetcher"} 1\n',
                      metrics)
        self.assertIn('templated_processes{role="fetcher"} 1\n', metrics)

    def test_a_worker_that_is_killed_costs_no_text(self):
        """More clients than workers, so that each worker has several texts."""
        daemon = self.daemon({"workers": {"count": 1}})
        web = self.web()
        daemon.crawl(web.url)
        urls = [f"{web.url}{page.parent.relative_to(harness.SITE)}/"
                for page in sorted(harness.SITE.rglob("*/index.html"))[:12]]
        answers = {url: daemon.get("/v1/text", url=url) for url in urls}
        texts = {url: answer.body for url, answer in answers.items()
                 if answer.status == 200}
        urls = list(texts)
        self.assertGreater(len(set(texts.values())), 5)
        is_over = threading.Event()
        counts = [0] * 8

        def ask(client):
            while not is_over.is_set():
                count = counts[client]
                url = urls[(client + count) % len(urls)]
                answer = daemon.get("/v1/text", url=url,
                                    exclude=f".new{client}x{count}")
                if answer.status != 200 or answer.body != texts[url]:
                    return f"{url}: {answer.status} {answer.text[:200]}"
                counts[client] += 1
            return None

        def all_go_on(found):
            """A text whose worker dies twice would be quarantined."""
            before = list(counts)
            harness.wait_until(
                lambda: any(one.done() for one in found) or
                all(map(int.__gt__, counts, before)), "all clients")

        with concurrent.futures.ThreadPoolExecutor(8) as clients:
            found = [clients.submit(ask, i) for i in range(8)]
            try:
                for _ in range(5):
                    all_go_on(found)
                    for pid in daemon.processes_of("worker"):
                        os.kill(pid, signal.SIGKILL)
            finally:
                is_over.set()
        self.assertEqual([one.result() for one in found], [None] * 8)
        self.assertEqual(self.role(daemon, "spawner")["crashes"], 0)

    def test_nothing_goes_on_without_the_starter(self):
        daemon = self.daemon()
        web = self.web()
        daemon.crawl(web.url)
        running = [one["pid"] for row in daemon.json("/v1/status")["processes"]
                   for one in row["running"]]
        os.kill(self.role(daemon, "spawner")["running"][0]["pid"],
                signal.SIGKILL)
        self.assertEqual(daemon.process.wait(30), 1)
        self.assertIn("spawner: has exited: signal 9", daemon.messages())
        harness.wait_until(lambda: not any(map(runs, running)),
                           "the end of all processes")
        daemon.start()
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)

    def limit_processes(self, pid, count):
        user = harness.pwd.getpwnam(harness.USER)
        subprocess.run(["prlimit", "--pid", str(pid), f"--nproc={count}:"],
                       check=True, user=user.pw_uid, group=user.pw_gid)

    @of_root
    def test_a_role_that_cannot_be_started_is_tried_again(self):
        daemon = self.daemon()
        spawner = self.role(daemon, "spawner")["running"][0]["pid"]
        self.limit_processes(spawner, 1)
        os.kill(self.role(daemon, "fetcher")["running"][0]["pid"],
                signal.SIGKILL)
        web = self.web()
        daemon.watch(web.url)
        harness.wait_until(lambda: "retrying in 200 ms" in daemon.messages(),
                           "the second attempt")
        self.limit_processes(spawner, 1000)
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)


@of_root
class Account(harness.Case):
    def end(self, daemon):
        """What is in the log of a daemon that does not start."""
        daemon.launch()
        self.assertEqual(daemon.process.wait(30), 2, daemon.messages())
        return daemon.messages()

    def daemon_of(self, user, folder=None):
        daemon = harness.Daemon({"process": {"user": user}})
        self.addCleanup(daemon.remove)
        if folder is not None:
            daemon.store = str(folder / "store")
            daemon.socket = str(folder / "run" / "s")
            daemon.configure({"store": {"path": daemon.store},
                              "socket": {"path": daemon.socket}})
        return daemon

    def test_root_has_to_say_who_it_becomes(self):
        message = self.end(self.daemon_of(None))
        self.assertIn("set process.user to a user", message)

    def test_who_is_not_there_or_root_is_refused(self):
        self.assertIn("no such user", self.end(self.daemon_of("nobodyelse")))
        daemon = self.daemon_of("root")
        self.assertIn("it is root", self.end(daemon))
        self.assertFalse(os.path.exists(daemon.store))

    def test_no_process_is_of_root_and_new_folders_are_theirs(self):
        """In a folder of root, where the user could not make them."""
        folder = self.folder()
        os.chown(folder, 0, 0)
        os.chmod(folder, 0o755)
        daemon = self.daemon_of(harness.USER, folder).start()
        nobody = harness.pwd.getpwnam(harness.USER).pw_uid
        for role in daemon.json("/v1/status")["processes"]:
            for one in role["running"]:
                text = harness.pathlib.Path(
                    f"/proc/{one['pid']}/status").read_text("utf-8")
                self.assertIn("Uid:\t" + "\t".join([str(nobody)] * 4), text)
                self.assertIn("CapEff:\t" + "0" * 16, text)
        for path in (daemon.store, os.path.dirname(daemon.socket)):
            self.assertEqual(os.stat(path).st_uid, nobody)
        self.assertEqual(os.stat(folder).st_uid, 0)


if __name__ == "__main__":
    harness.main()
