"""A file of the resolver that is replaced is read by another fetcher and notifier.

They may read files, not names of files: what comes in the place of /etc/hosts
later is none of those. In namespaces of our own, where we can replace it.
"""

import subprocess
import time

import harness

NAME = "late.test"


class Resolver(harness.Case):
    def setUp(self):
        self.folder = self.folder()

    def replace_hosts(self, line):
        path = self.folder / f"hosts-{time.monotonic_ns()}"
        path.write_text(f"127.0.0.1 localhost\n{line}\n")
        subprocess.run(["mount", "--bind", str(path), "/etc/hosts"], check=True)
        self.addCleanup(subprocess.run, ["umount", "/etc/hosts"], check=True)

    def pid_of(self, daemon, role):
        rows = daemon.json("/v1/status")["processes"]
        row = next(row for row in rows if row["role"] == role)
        self.assertEqual(row["crashes"], 0)
        if "files" not in row["enforced"]:
            self.skipTest("without Landlock it reads the new file, too")
        return [one["pid"] for one in row["running"]]

    def test_a_host_that_is_named_later_is_crawled(self):
        self.replace_hosts("")
        web = self.web()
        daemon = self.daemon({"crawl": {"allowed_networks": '["127.0.0.1"]'}})
        before = self.pid_of(daemon, "fetcher")
        host = daemon.watch(f"http://{NAME}:{web.port}/")["host"]
        harness.wait_until(
            lambda: daemon.json("/v1/status")["pipeline"]["failed"] > 0,
            "a name that is not found")
        self.replace_hosts(f"127.0.0.1 {NAME}")
        harness.wait_until(
            lambda: daemon.json(f"/v1/sites/{host}")["pages"] > 0,
            "a page of a name that is found")
        self.assertNotEqual(self.pid_of(daemon, "fetcher"), before)

    def test_a_hook_that_is_named_later_is_told(self):
        self.replace_hosts("")
        web = self.web()
        daemon = self.daemon({"crawl": {"allowed_networks": '["127.0.0.1"]'}})
        before = self.pid_of(daemon, "notifier")
        hook = daemon.post("/v1/hooks", {
            "target": f"http://{NAME}:{web.port}/hook"}).json["id"]
        daemon.post(f"/v1/hooks/{hook}/test", {})
        harness.wait_until(
            lambda: daemon.json(f"/v1/hooks/{hook}")["failures"] > 0,
            "a name that is not found")
        self.replace_hosts(f"127.0.0.1 {NAME}")
        harness.wait_until(lambda: "/hook" in web.targets(), "a request")
        self.assertNotEqual(self.pid_of(daemon, "notifier"), before)


if __name__ == "__main__":
    harness.in_namespace("-m")
    harness.main()
