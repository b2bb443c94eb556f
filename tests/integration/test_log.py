"""The log in each of its forms: lines of text, of JSON, fields of journald.

A socket of ours stands where journald's is, in a file system of our own.
"""

import datetime
import json
import os
import pathlib
import signal
import socket
import subprocess

import harness

JOURNAL = pathlib.Path("/run/systemd/journal/socket")
LEVELS = {"error", "warning", "info", "debug"}
FIELDS = {"PRIORITY", "SYSLOG_IDENTIFIER", "MESSAGE", "TEMPLATED_SITE",
          "TEMPLATED_URL"}


def open_journal():
    """A datagram socket at journald's place, and nothing else in /run."""
    if not JOURNAL.parent.exists():
        JOURNAL.parent.mkdir(parents=True)
    JOURNAL.unlink(missing_ok=True)
    journal = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    journal.bind(str(JOURNAL))
    JOURNAL.chmod(0o666)
    journal.setblocking(False)
    return journal


def received(journal):
    """The entries that have come; each must be fields of known names."""
    entries = []
    while True:
        try:
            message = journal.recv(1 << 16).decode("utf-8")
        except BlockingIOError:
            return entries
        assert message.endswith("\n"), message
        fields = [line.split("=", 1) for line in message[:-1].split("\n")]
        names = [name for name, _ in fields]
        assert len(set(names)) == len(names) and set(names) <= FIELDS, message
        entries.append(dict(fields))


class Log(harness.Case):
    def quarrel(self, daemon):
        """It has something to say of a site that is not there."""
        self.host = f"127.0.0.1:{harness.free_port()}"
        daemon.watch(f"http://{self.host}/")

    def robots_url(self):
        return f"http://{self.host}/robots.txt"

    def test_json_is_an_object_a_line(self):
        daemon = self.daemon({"log": {"format": "json", "level": "debug"}})
        self.quarrel(daemon)
        harness.wait_until(lambda: self.robots_url() in daemon.messages(),
                           "a line about the site")
        daemon.stop()
        about = []
        for line in daemon.messages().splitlines():
            event = json.loads(line)
            self.assertLessEqual({"time", "level", "message"}, set(event))
            self.assertIn(event["level"], LEVELS)
            datetime.datetime.strptime(event["time"], "%Y-%m-%dT%H:%M:%S.%fZ")
            if "url" in event:
                self.assertIn(event["site"], event["url"])
                self.assertNotIn(event["url"], event["message"])
                about.append(event)
        self.assertIn(self.robots_url(), [e["url"] for e in about])
        self.assertEqual({e["site"] for e in about}, {self.host})

    def test_the_form_is_changed_by_a_reload(self):
        daemon = self.daemon()
        daemon.configure({"log": {"format": "json"}})
        daemon.process.send_signal(signal.SIGHUP)
        harness.wait_until(
            lambda: "reloaded" in daemon.messages(), "the reload")
        lines = daemon.messages().splitlines()
        self.assertRegex(lines[0], "^info: ")
        self.assertTrue(json.loads(lines[-1])["message"]
                        .endswith("reloaded"))

    def test_journald_gets_fields_and_standard_error_when_it_is_away(self):
        journal = open_journal()
        self.addCleanup(lambda: journal.close())
        daemon = harness.Daemon({"log": {"level": "debug"}})
        self.addCleanup(daemon.remove)
        daemon.log.touch()
        status = daemon.log.stat()
        os.environ["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
        self.addCleanup(os.environ.pop, "JOURNAL_STREAM")
        daemon.start()
        self.quarrel(daemon)
        entries = []

        def about():
            entries.extend(received(journal))
            return [e for e in entries
                    if e.get("TEMPLATED_URL") == self.robots_url()]
        entry = harness.wait_until(about, "an entry about the site")[0]
        self.assertEqual(entry["TEMPLATED_SITE"], self.host)
        self.assertEqual(entry["PRIORITY"], "6")
        self.assertEqual(entry["SYSLOG_IDENTIFIER"], "templated")
        self.assertTrue(entry["MESSAGE"].startswith(self.robots_url() + ": "))
        self.assertEqual(daemon.messages(), "")
        journal.close()
        harness.wait_until(lambda: self.robots_url() in daemon.messages(),
                           "a line on standard error")
        # journald is there again
        journal = open_journal()
        daemon.stop()
        messages = [e["MESSAGE"] for e in received(journal)]
        self.assertTrue([m for m in messages if m.startswith("stopped after")],
                        messages)
        for line in daemon.messages().splitlines():
            self.assertRegex(line, "^(error|warning|info|debug): ")


if __name__ == "__main__":
    harness.in_namespace("-m")
    subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
    harness.main()
