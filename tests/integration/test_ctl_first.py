#!/usr/bin/python3
"""The first contact: short results of templatectl, progress, titles, and
`templated --check`."""

import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import termios

import harness

CTL = harness.PROGRAMS / "templatectl"
COLUMNS = 80


def on_a_terminal(*arguments):
    """Return the exit status, the standard output and the output to the
    terminal of templatectl, whose standard error is a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", 24, COLUMNS, 0, 0))
    with subprocess.Popen([CTL, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            seen += piece
        out = process.stdout.read()
        status = process.wait(harness.PATIENCE_S)
    os.close(ours)
    return status, out.decode(), seen.decode()


class First(harness.Case):
    def done(self, process, status=0):
        self.assertEqual(process.returncode, status,
                         process.stdout + process.stderr)
        return process.stdout

    def test_without_a_verb_it_shows_what_people_do_first(self):
        for arguments in ((), ("--json",)):
            said = self.done(harness.run([CTL, *arguments]), 2)
            rows = [line for line in said.splitlines()
                    if line.startswith("  templatectl ")]
            self.assertEqual([row.split()[1] for row in rows],
                             ["watch", "event", "texts", "batch", "ui"])
            self.assertLessEqual(max(map(len, said.splitlines())), COLUMNS)
            self.assertIn("templatectl --help", said)

    def test_watch_and_status_are_short(self):
        web = self.web()
        daemon = self.daemon()
        said = self.done(daemon.ctl("status")).splitlines()
        self.assertEqual((len(said), said[0]), (6, "all is well"), said)
        said = self.done(daemon.ctl("watch", "--wait", web.url)).splitlines()
        self.assertEqual([line.split()[0] for line in said],
                         ["site", "state", "pages", "templates", "next"])
        self.assertEqual([line.split()[1] for line in said[:3]],
                         [web.host, "watching", "69"])
        self.assertEqual(said[4].split()[1:],
                         ["templatectl", "template", "list", web.host])
        self.done(daemon.ctl(*said[4].split()[2:]))
        whole = self.done(daemon.ctl("watch", "-v", web.url))
        self.assertGreater(len(whole.splitlines()), 30)
        self.assertIn("check_interval_s", whole)
        site = json.loads(self.done(daemon.ctl("--json", "watch", web.url)))
        self.assertEqual(set(site), set(daemon.json(f"/v1/sites/{web.host}")))
        said = self.done(daemon.ctl("status")).splitlines()
        self.assertIn(f"1 with 69 pages and {site['templates']} templates",
                      said[2])
        self.assertIn(str(daemon.store), said[5])
        whole = self.done(daemon.ctl("status", "--verbose"))
        self.assertIn("pipeline.fetched", whole)
        self.assertRegex(whole, r"(?m)^worker ")
        self.assertEqual(set(json.loads(self.done(
            daemon.ctl("--json", "status")))), set(daemon.json("/v1/status")))

    def test_status_says_what_is_not_well(self):
        daemon = self.daemon()
        self.alert(daemon)
        said = self.done(daemon.ctl("status")).splitlines()
        self.assertEqual(len(said), 6, said)
        self.assertRegex(said[0], r"^not well: 1 open incident \(templatectl")
        shown = re.search(r"\(templatectl (.+)\)", said[0]).group(1)
        self.assertIn("alert", self.done(daemon.ctl(*shown.split())))

    def test_long_work_shows_its_progress_and_one_result(self):
        out = self.folder()
        # the first line may be drawn before a millisecond has passed
        line = re.compile(r"extract \[#* *\] +\d+%  \d+/74"
                          r"(?:  \d+/s  \d+:\d\d left)?(?=[\r\n])")
        for verb in ("extract", "batch"):
            status, said, seen = on_a_terminal(
                verb, harness.SITE, "--out", out / verb)
            self.assertEqual((status, said), (0, ""), seen)
            self.assertRegex(seen, line)
            self.assertRegex(seen.rpartition("\x1b[K")[2],
                             r"^74 pages in [^\n]*\d\.\d s\r\n$")
            # without a terminal and without --progress
            quiet = harness.run([CTL, verb, harness.SITE, "--out", out / verb])
            self.assertEqual(len(quiet.stderr.splitlines()), 1, quiet.stderr)
            told = harness.run([CTL, "--progress", verb, harness.SITE, "--out",
                                out / verb])
            self.assertRegex(told.stderr, line)
            self.assertNotIn("\r", told.stderr)

    def test_texts_and_archives_show_their_progress(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        out = self.folder() / "texts.jsonl"
        for name, line in (("texts.jsonl", r"texts \[#* *\] +\d+%  \d+/69\b"),
                           ("texts.wet", r"texts  \d+.* KiB")):
            out = out.with_name(name)
            status, said, seen = on_a_terminal(
                "-s", daemon.socket, "texts", web.host, "-o", out)
            self.assertEqual((status, said), (0, ""), seen)
            self.assertRegex(seen, line)
            self.assertRegex(seen, rf"K(69 pages|[\d.]+ KiB) in {out}; ")
        page = (harness.SITE / "index.html").read_bytes()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
        body = head + page
        archive = self.folder() / "a.warc"
        archive.write_bytes(
            b"WARC/1.0\r\nWARC-Type: response\r\n"
            b"WARC-Target-URI: http://a.example/\r\n"
            b"WARC-Date: 2024-01-01T00:00:00Z\r\n"
            b"WARC-Record-ID: <urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8>\r\n"
            b"Content-Type: application/http;msgtype=response\r\n"
            b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(body), body))
        status, said, seen = on_a_terminal(
            "-s", daemon.socket, "ingest", "--host", "a.example", archive)
        self.assertEqual(status, 0, seen + said)
        self.assertRegex(seen, r"ingest \[#+\] 100%  \d+/\d+.*KiB")

    def test_texts_have_titles(self):
        root = self.folder()
        long = "é" * 900
        for name, title in (("index", "First & only"), ("a", "=1+1"),
                            ("b", long), ("c", "")):
            (root / f"{name}.html").write_text(
                f"<title>{title}</title><p>Some text of the page {name}, which "
                "is long enough.<a href=/a.html>a</a><a href=/b.html>b</a>"
                "<a href=/c.html>c</a>", "utf-8")
        web = self.web(root, extra="charset utf-8;")
        daemon = self.daemon()
        daemon.crawl(web.url)
        lines = self.done(daemon.ctl("texts", web.host)).splitlines()
        titles = {line["url"].rpartition("/")[2]: line["title"]
                  for line in map(json.loads, lines)}
        self.assertEqual(titles, {"": "First & only", "a.html": "=1+1",
                                  "b.html": "é" * 500, "c.html": None})
        rows = list(csv.DictReader(self.done(
            daemon.ctl("texts", web.host, "--format", "csv")).splitlines()))
        self.assertEqual({row["url"].rpartition("/")[2]: row["title"]
                          for row in rows},
                         {**titles, "a.html": "'=1+1", "c.html": ""})


class Check(harness.Case):
    """`templated --check` fails if the start would fail."""

    def check(self, daemon, status, *words):
        harness.give(daemon.folder)
        done = harness.run([daemon.program, "--check", "-c", daemon.conf])
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stdout + done.stderr)
        return done

    def fails(self, daemon, *words):
        """The check and the start fail with these words."""
        self.check(daemon, 1, *words)
        done = harness.run([daemon.program, "-c", daemon.conf])
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def new(self, sections=None):
        daemon = harness.Daemon(sections)
        self.addCleanup(daemon.remove)
        return daemon

    def test_a_daemon_that_can_start(self):
        daemon = self.new()
        self.check(daemon, 0, "no errors")
        self.assertFalse(os.path.exists(daemon.socket))
        daemon.start()
        daemon.stop()
        self.check(daemon, 0, "no errors")
        daemon.start()

    def test_a_port_in_use(self):
        web = self.web()
        self.fails(self.new({"listen": {"address": f'"{web.host}"'}}),
                   f"listen.address {web.host}", "in use")

    def test_certificates(self):
        daemon = self.new()
        files = [daemon.folder / name for name in ("c.pem", "k.pem")]
        daemon.configure({"listen": {
            "address": f'"127.0.0.1:{harness.free_port()}"',
            "certificate": f'"{files[0]}"', "key": f'"{files[1]}"'}})
        self.fails(daemon, "c.pem", "not found")
        for file in files:
            file.write_text("nothing\n", "utf-8")
        self.fails(daemon, "c.pem", "k.pem")

    def test_a_running_daemon(self):
        daemon = self.daemon()
        self.check(daemon, 1, daemon.socket, "another daemon")
        other = self.new({"store": {"path": daemon.store}})
        self.fails(other, f"store {daemon.store}", "another process")
        self.assertEqual(daemon.get("/v1/status").status, 200)

    def test_places_that_cannot_be_used(self):
        file = self.folder() / "file"
        file.write_text("x", "utf-8")
        daemon = self.new({"store": {"path": f'"{file}/store"'}})
        done = harness.run([daemon.program, "--check", "-c", daemon.conf])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"{file}/store", done.stderr)
        self.fails(self.new({"socket": {"path": f'"{file}"'}}), "not a socket")
        self.fails(self.new({"crawl": {"ca_file": f'"{file}.pem"'}}),
                   f"crawl.ca_file {file}.pem")
        self.fails(self.new({"crawl": {"warc_dir": f'"{file}"'}}),
                   f"crawl.warc_dir: {file}")

    def test_a_damaged_store(self):
        daemon = self.new()
        daemon.start()
        daemon.stop()
        data = pathlib.Path(daemon.store) / "data.mdb"
        data.write_bytes(b"\xff" * 8192 + data.read_bytes()[8192:])
        self.fails(daemon, f"store {daemon.store}")

    def test_a_damaged_model(self):
        models = self.folder()
        daemon = self.new({"extract": {"model_dir": f'"{models}"'}})
        self.check(daemon, 0)
        (models / "a.example.model").write_text("nonsense\n", "utf-8")
        harness.give(models)
        self.check(daemon, 1, "a.example.model", "malformed")
        shutil.rmtree(models)
        self.check(daemon, 1, str(models))

    def test_an_invalid_configuration_is_2(self):
        daemon = self.new({"store": {"nonsense": "1"}})
        self.check(daemon, 2, "nonsense")


if __name__ == "__main__":
    harness.main()
