"""The manual's commands, as they stand in it: each block of sh of a page, one
after the other in one shell, beside a `./dev run`. A block of text behind one is
what it prints, but for addresses of ports, widths of columns, and "...".
"""

import os
import re
import shutil
import signal
import subprocess
import unittest

import harness

# One after the other with one daemon: the tutorial expects a new one.
PAGES = ("tutorial", "howto/watch", "howto/fields", "howto/records", "howto/search", "howto/scrapy", "howto/archive",
         "howto/program", "howto/operate", "howto/trafilatura",
         "howto/readability", "explanation/template", "explanation/auto",
         "explanation/promises", "explanation/processes",
         "explanation/threshold", "../README", "howto/changedetection")
BLOCK = re.compile(r"(?ms)^```(sh|text)\n(.*?)^```$")
MARK = "\x01end of a block"


def blocks(page):
    """[(commands, the text that stands behind them, or None)]."""
    found = []
    text = (harness.ROOT / "docs" / f"{page}.md").read_text("utf-8")
    for kind, text in BLOCK.findall(text):
        if kind == "sh":
            found.append((text, None))
        elif found and found[-1][1] is None:
            found[-1] = (found[-1][0], text)
    return found


def pattern_of(text):
    """What the manual shows, as a regular expression of what is printed."""
    rows = [r"\s+".join(".*" if word == "..." else
                        ".*".join(map(re.escape, word.split("...")))
                        for word in line.split())
            for line in text.strip().splitlines()]
    return r"(?s)\s*" + r"\s+".join(rows) + r"\s*\Z"


class Manual(harness.Case):
    def setUp(self):
        """A checkout of its own, and ./dev run in it after the build."""
        self.root = self.folder() / "project"
        (self.root / "tests" / "data").mkdir(parents=True)
        (self.root / "build" / "release").mkdir(parents=True)
        shutil.copy(harness.ROOT / "tests" / "run-sample", self.root / "tests")
        shutil.copytree(harness.SITE, self.root / "tests" / "data" / "site")
        (self.root / "build" / "release" / "daemon").symlink_to(
            harness.PROGRAMS)
        harness.give(self.root)
        process = subprocess.Popen(
            [str(self.root / "tests" / "run-sample")], text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True)
        self.addCleanup(self.end, process)
        self.places = {"8490": str(harness.free_port()),
                       "8492": str(harness.free_port())}
        path = f"{harness.PROGRAMS}:{os.environ['PATH']}"
        self.environment = {**os.environ, "PATH": path}
        for line in process.stdout:
            if line.startswith("Crawling "):
                self.places["8480"] = re.search(r":(\d+)/", line).group(1)
            if line.startswith("Serving on "):
                socket = line.split()[2]
                self.places["$PWD/var/templated.sock"] = socket
                self.environment["TEMPLATED_SOCKET"] = socket
                break

    def end(self, process):
        process.terminate()
        process.wait(60)
        process.stdout.close()

    def here(self, text):
        for said, is_here in self.places.items():
            text = text.replace(said, is_here)
        return text

    def run_page(self, page):
        parts = blocks(page)
        script = "".join(f"{commands}\nprintf '{MARK}\\n'\n"
                         for commands, _ in parts)
        process = subprocess.Popen(
            ["sh", "-eu", "-c", self.here(script)], cwd=self.root, text=True,
            encoding="utf-8", stdin=subprocess.DEVNULL, start_new_session=True,
            env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        try:
            printed, _ = process.communicate(timeout=harness.PATIENCE_S)
        finally:
            self.kill_all(process)
        *printed, rest = printed.split(MARK + "\n")
        self.assertEqual(process.returncode, 0,
                         f"behind {printed[-1:]}: {rest}")
        self.assertEqual((len(printed), rest), (len(parts), ""))
        for (commands, text), got in zip(parts, printed):
            if text is not None:
                self.assertRegex(got, pattern_of(self.here(text)), commands)
            self.assertNotIn("Traceback", got, commands)

    def kill_all(self, process):
        """A server that the page has started ends with it, whatever came."""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(30)
        process.stdout.close()

    def test_its_commands_do_what_it_says(self):
        for page in PAGES:
            with self.subTest(page):
                self.assertGreater(len(blocks(page)), 0)
                self.run_page(page)


class Blocks(unittest.TestCase):
    def test_what_is_shown_has_to_be_printed(self):
        shown = pattern_of("A B\n...\nC 1.0...\n")
        self.assertRegex("A   B\nx\ny\nC 1.05\n", shown)
        self.assertNotRegex("A   B\nx\nC 2.05\n", shown)
        self.assertNotRegex("A   B\nx\nC 1.05\nmore D\n",
                            pattern_of("A B\n...\nC ...\nE"))


if __name__ == "__main__":
    harness.main()
