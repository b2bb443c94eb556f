"""The processes of the daemon: what it says of them, and what becomes of it
when one of them ends."""

import os
import signal

import harness

ROLES = ("keeper", "starter", "fetcher", "worker", "courier")


def runs(pid):
    """Whether it is there, and no zombie."""
    try:
        status = harness.pathlib.Path(f"/proc/{pid}/status").read_text("utf-8")
    except OSError:
        return False
    return "State:\tZ" not in status


class Processes(harness.Case):
    def role(self, daemon, name):
        rows = daemon.json("/v1/status")["processes"]
        return next(row for row in rows if row["role"] == name)

    def test_status_says_what_holds_and_what_lacks(self):
        daemon = self.daemon()
        rows = daemon.json("/v1/status")["processes"]
        self.assertEqual(tuple(row["role"] for row in rows), ROLES)
        for row in rows:
            self.assertEqual(row["deaths"], 0)
            self.assertTrue(row["running"])
            self.assertIn("no new privileges", row["holds"])
            self.assertIn(f"{row['role']}: {row['holds']}", daemon.messages())
        if not os.environ.get("SANITIZER"):
            self.assertIn("system calls", rows[0]["holds"])
        self.assertEqual(rows[0]["running"][0]["pid"], daemon.process.pid)
        text = daemon.ctl("status").stdout
        for name in ROLES:
            self.assertIn(f"\n{name} ", text)

    def test_one_that_dies_is_counted_and_another_is_there(self):
        daemon = self.daemon()
        web = self.web()
        before = self.role(daemon, "fetcher")["running"][0]["pid"]
        os.kill(before, signal.SIGKILL)
        daemon.crawl(web.url)
        row = self.role(daemon, "fetcher")
        self.assertEqual(row["deaths"], 1)
        self.assertNotEqual(row["running"][0]["pid"], before)
        metrics = daemon.get("/metrics").text
        self.assertIn('templated_process_deaths_total{role="fetcher"} 1\n',
                      metrics)
        self.assertIn('templated_processes{role="fetcher"} 1\n', metrics)

    def test_nothing_goes_on_without_the_starter(self):
        daemon = self.daemon()
        web = self.web()
        daemon.crawl(web.url)
        running = [one["pid"] for row in daemon.json("/v1/status")["processes"]
                   for one in row["running"]]
        os.kill(self.role(daemon, "starter")["running"][0]["pid"],
                signal.SIGKILL)
        self.assertEqual(daemon.process.wait(30), 1)
        self.assertIn("starter: has ended: signal 9", daemon.messages())
        harness.wait_until(lambda: not any(map(runs, running)),
                           "the end of all processes")
        daemon.start()
        self.assertEqual(daemon.wait_for(web.host)["pages"], 69)


if __name__ == "__main__":
    harness.main()
