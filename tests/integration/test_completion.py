"""Completion in real shells, on terminals of their own: bash, zsh and fish, as far
as they are there. What a key has made of a line is what the shell then runs: a
printf in front of it shows the words, and a file whether more was run.
"""

import http.server
import json
import os
import pty
import re
import select
import shutil
import signal
import socketserver
import subprocess
import threading
import time
import unittest

import harness

SHELLS = harness.ROOT / "daemon" / "ctl" / "shells"
TAB, HOME, ERASE = "\t", "\x01", "\x15"
ESCAPES = re.compile(r"\x1b(\[[0-9;?=>]*[a-zA-Z]|\][^\x07]*\x07|[()=>][B0]?)")
STARTS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set bell-style none'; bind 'set show-all-if-ambiguous on';"
             "bind 'set page-completions off';"
             "bind 'set enable-bracketed-paste off';"
             "source {script}; source {script}; PS1='READY''> '"),
    "zsh": (["zsh", "-f", "-i"],
            "autoload -Uz compinit; compinit -D -u; bindkey -e; unsetopt beep;"
            "unsetopt zle_bracketed_paste; LISTMAX=1000; unsetopt prompt_sp;"
            "source {script}; source {script}; PS1='READY''> '"),
    "fish": (["fish", "--no-config", "-i"],
             "set -g fish_greeting; set -g fish_autosuggestion_enabled 0;"
             "source {script}; source {script}; function fish_prompt; echo -n 'READY''> '; end"),
}


class Shell:
    """An interactive shell with the completion, in `folder`."""

    def __init__(self, name, folder, socket):
        self.name = name
        arguments, setup = STARTS[name]
        environment = {
            "PATH": f"{harness.PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8",
            "TEMPLATED_SOCKET": socket, "XDG_DATA_HOME": str(folder),
        }
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, environment)
        self.seen = ""
        for program in ("templated", "templatectl"):
            setup = setup.replace(
                "{script}", str(SHELLS / f"{program}.{name}"), 1)
        self.type(setup + "\n")
        self.read_until("READY> ")

    def type(self, keys):
        os.write(self.terminal, keys.encode())

    def read_until(self, text):
        """What came since the last time up to `text`."""
        deadline = time.monotonic() + harness.PATIENCE_S
        while text not in self.seen:
            ready, _, _ = select.select([self.terminal], [], [], 1)
            if ready:
                self.seen += ESCAPES.sub("", os.read(
                    self.terminal, 65536).decode("utf-8", "replace"))
            if time.monotonic() > deadline:
                raise AssertionError(f"no {text!r} in {self.seen!r}")
        found, _, self.seen = self.seen.partition(text)
        return found

    def words(self, line):
        """The words that the shell makes of the line that was typed."""
        self.type(line + HOME + "printf '{%s}' BEGIN " + "\n")
        self.read_until("{BEGIN}")
        return re.findall(r"\{([^}]*)\}", self.read_until("READY> "))

    def offers(self, line):
        """What is shown for the line, which is then thrown away."""
        if self.name == "fish":  # it draws, and draws again
            quoted = line.replace("\\", "\\\\").replace("'", "\\'")
            self.type(f"complete -C '{quoted}'; printf '{{%s}}' BEGIN\n")
        else:
            self.type(line + TAB + ERASE + "printf '{%s}' BEGIN\n")
        shown = self.read_until("{BEGIN}")
        self.read_until("READY> ")
        return shown

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Rogue(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """What listens where the daemon should, and means harm."""

    daemon_threads = True
    values = ["$(touch ran)", "`touch ran`", "x;touch ran;", "x'$(touch ran)'",
              "x\"$(touch ran)\"", "x\ntouch ran\n", "--delete", "x y", "<(touch ran)",
              "\x1b]0;ran\x07", "x\r", "${x:=$(touch ran)}", "x|touch ran",
              "x\\", "*", "~+", "honest.example"]

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # pylint: disable=invalid-name
            rows = [{"host": value, "id": value, "state": value, "pages": 1}
                    for value in Rogue.values]
            body = json.dumps({"sites": rows, "templates": rows}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

        def address_string(self):
            return "socket"


def shells():
    return [name for name in STARTS if shutil.which(name)]


class Completion(harness.Case):
    def shell(self, name, folder, socket="/nonexistent/socket"):
        shell = Shell(name, folder, socket)
        self.addCleanup(shell.close)
        return shell

    def test_shells_that_are_there(self):
        missing = sorted(set(STARTS) - set(shells()))
        if missing:
            self.skipTest(f"{', '.join(missing)} not installed")

    def test_scripts_are_those_that_are_printed(self):
        for name in STARTS:
            process = harness.run([harness.PROGRAMS / "templatectl",
                                   "completion", name])
            self.assertEqual(process.returncode, 0)
            self.assertEqual(process.stdout, (
                SHELLS / f"templatectl.{name}").read_text("utf-8"))

    def test_tables_complete_without_a_daemon(self):
        folder = self.folder()
        (folder / "a folder").mkdir()
        (folder / "site.tpl").write_text("", "utf-8")
        for name in shells():
            with self.subTest(shell=name):
                shell = self.shell(name, folder)
                for typed, words in (
                        ("templatectl quara\t", ["quarantine"]),
                        ("templatectl watch --max-p\t", ["watch", "--max-pages"]),
                        ("templatectl text --format=j\t",
                         ["text", "--format=json"]),
                        ("templatectl text --method cetr-t\t",
                         ["text", "--method", "cetr-tm"]),
                        ("templatectl event list --kinds template.added,site.st\t",
                         ["event", "list", "--kinds",
                          "template.added,site.stale"]),
                        ("templatectl text --method df --param max_r\t0.2",
                         ["text", "--method", "df", "--param",
                          "max_ratio=0.2"]),
                        ("templatectl guard --css 'a > b' sh\t",
                         ["guard", "--css", "a > b", "show"]),
                        ("templatectl apply si\t", ["apply", "site.tpl"]),
                        ("templatectl batch a\t", ["batch", "a folder"]),
                        ("templatectl texts 127\t", ["texts", "127"])):
                    # zsh takes the slash of a folder back when a line ends
                    self.assertEqual(
                        [word.rstrip("/") for word in shell.words(typed)],
                        ["templatectl", *words])
                self.assertEqual(shell.words("templated -c si\t"),
                                 ["templated", "-c", "site.tpl"])
                self.assertEqual(shell.words("templated --pr\t"),
                                 ["templated", "--print-config"])
                shown = shell.offers("templatectl st")
                self.assertIn("status", shown)
                shown = shell.offers("templatectl watch --max-")
                for option in ("max-pages", "max-depth", "max-bytes"):
                    self.assertIn(option, shown)

    def test_sites_and_templates_are_the_daemon_s(self):
        web = self.web()
        daemon = self.daemon()
        daemon.crawl(web.url)
        template = daemon.clusters(web.host)[0]["id"]
        self.assertEqual(daemon.post(
            harness.template_path(template) + "/fields",
            {"find": True, "max": 1}).status, 200)
        field = daemon.json(
            harness.template_path(template) + "/fields")["fields"][0]["name"]
        for name in shells():
            with self.subTest(shell=name):
                folder = self.folder()
                (folder / "page.html").write_text("", "utf-8")
                shell = self.shell(name, folder, daemon.socket)
                self.assertIn("page.html", shell.offers("templatectl explain "))
                self.assertEqual(shell.words("templatectl text http\t"),
                                 ["templatectl", "text", web.url])
                self.assertEqual(shell.words("templatectl template list 127\t"),
                                 ["templatectl", "template", "list", web.host])
                # bash shows what is behind the colon
                self.assertIn(template.partition(":")[2],
                              shell.offers(f"templatectl template pages {web.host}/"))
                self.assertEqual(
                    shell.words(f"templatectl template pages {template}\t"),
                    ["templatectl", "template", "pages", template])
                self.assertEqual(
                    shell.words(f"templatectl field rm {template} {field[:2]}\t"),
                    ["templatectl", "field", "rm", template, field])

    def test_names_that_a_shell_would_run_are_not_offered(self):
        folder = self.folder()
        server = Rogue(str(folder / "rogue"), Rogue.Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        for name in shells():
            with self.subTest(shell=name):
                shell = self.shell(name, folder, str(folder / "rogue"))
                for typed in ("templatectl site show \t", "templatectl template pages \t",
                              "templatectl guard add \t",
                              "templatectl event list --site=\t"):
                    self.assertIn("honest.example",
                                  "".join(shell.words(typed)))
                self.assertIn("honest.example", shell.offers(
                    "templatectl -s ~/rogue texts "))
                # nor is what stands on the line run
                shell.offers("templatectl -s $(touch ran) `touch ran` "
                             "'$(touch ran)' <(touch ran) si")
                self.assertFalse((folder / "ran").exists())

    def test_a_daemon_that_is_silent_is_waited_for_half_a_second(self):
        folder = self.folder()
        server = socketserver.UnixStreamServer(
            str(folder / "silent"), socketserver.BaseRequestHandler)
        self.addCleanup(server.server_close)
        began = time.monotonic()
        process = subprocess.run(
            [harness.PROGRAMS / "templatectl", "-s", folder / "silent",
             "completion", "words", "--", "site", "show",
             ""], check=False,
            capture_output=True, timeout=harness.PATIENCE_S)
        self.assertEqual((process.stdout, process.stderr), (b"", b""))
        self.assertLess(time.monotonic() - began, 2)


if __name__ == "__main__":
    harness.main()
