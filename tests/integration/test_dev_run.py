"""./dev run: from nothing to the text of a page."""

import os
import re
import shutil
import signal
import subprocess

import harness


def end(process):
    """When the test fails half-way: nothing is left running."""
    if process.poll() is None:
        process.terminate()
        process.wait(60)
        process.stdout.close()


class DevRun(harness.Case):
    def project(self):
        """A checkout of its own, so that nobody's ./var is touched."""
        root = self.folder() / "project"
        (root / "tests" / "data").mkdir(parents=True)
        (root / "build" / "release").mkdir(parents=True)
        shutil.copy(harness.ROOT / "tests" / "run-sample", root / "tests")
        shutil.copytree(harness.SITE, root / "tests" / "data" / "site")
        (root / "build" / "release" / "daemon").symlink_to(harness.PROGRAMS)
        (root / "python").symlink_to(harness.ROOT / "python")
        return root

    def run_once(self, root):
        done = harness.run([root / "tests" / "run-sample", "--once"])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_shows_the_whole_path_twice(self):
        root = self.project()
        for _ in range(2):
            shown = self.run_once(root)
            for part in ("TEMPLATE", "Share on", "Before: ", "After: ",
                         "curl --unix-socket"):
                self.assertIn(part, shown)
            after = shown[shown.index("After: "):]
            self.assertNotIn("Documentation", after)
        self.assertEqual(self.left_behind(root), [])
        self.assertEqual(
            sorted(p.name for p in root.iterdir()), ["build", "python", "tests", "var"])

    def test_refuses_wrong_arguments_before_it_builds(self):
        for words, what in ((["--quick"], "no option --quick"),
                            (["example.org"], "'example.org' is not a URL"),
                            (["file:///etc/passwd"], "is not a URL"),
                            (["http://a.example/", "http://b.example/"],
                             "one URL"),
                            (["--once", "http://"], "is not a URL")):
            done = harness.run([harness.ROOT / "dev", "run", *words])
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(what, done.stderr)
            self.assertIn("usage: ./dev run [--once] [URL]", done.stderr)
            self.assertNotIn("building", done.stderr)

    def test_a_build_shows_its_progress_and_fails_with_its_log(self):
        root = self.folder()
        shutil.copy(harness.ROOT / "dev", root)
        fake = root / "cmake"
        fake.write_text("""#!/bin/sh
[ "$1" = --build ] || exit 0
for n in 1 2 3 4; do echo "[$n/4] Building a part"; done
exit $BUILD_ENDS_WITH
""")
        fake.chmod(0o755)
        for status in (0, 1):
            done = harness.run(
                [root / "dev", "build"],
                env={"PATH": f"{root}:/usr/bin:/bin",
                     "BUILD_ENDS_WITH": str(status)})
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn("dev: building release: 50 % after ", done.stderr)
            self.assertEqual("[4/4] Building a part" in done.stderr,
                             status == 1)
            self.assertEqual(
                (root / "build" / "release.log").read_text().count("\n"), 4)

    def test_serves_until_it_is_told_to_stop(self):
        root = self.project()
        # Ctrl-C goes to all that run in the terminal; a kill to one.
        for stop in (lambda p: os.killpg(p.pid, signal.SIGINT),
                     lambda p: p.terminate()):
            process = subprocess.Popen(
                [str(root / "tests" / "run-sample")], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True)
            self.addCleanup(end, process)
            shown = ""
            for line in process.stdout:
                shown += line
                if line.startswith("Serving on "):
                    break
            self.try_what_it_suggests(shown)
            stop(process)
            self.assertEqual(process.wait(60), 0)
            process.stdout.close()
            self.assertEqual(self.left_behind(root), [])
            self.assertFalse((root / "var" / "templated.sock").exists())

    def try_what_it_suggests(self, shown):
        """Three things: the commands follow lines with their numbers."""
        page, curl, python = re.search(
            r"\n1\. .*\n(.*)\n2\. .*\n((?:.*\n)+)3\. .*\n((?:.*\n)+)\n",
            shown).groups()
        self.assertRegex(page, r"/templatectl -s \S+/templated\.sock ui$")
        for command in (curl, python):
            # the package is not that of the copy
            if command is python and not (
                    harness.ROOT / "build/release/template/libtemplated.so.0"
                    ).exists():
                continue
            answer = harness.run(["sh", "-c", command])
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertGreater(len(answer.stdout.split()), 20)
            self.assertNotIn("Toggle Menu", answer.stdout)

    def left_behind(self, root):
        """Command lines of processes that name the folder."""
        found = []
        for folder in os.listdir("/proc"):
            if folder.isdigit() and int(folder) != os.getpid():
                try:
                    with open(f"/proc/{folder}/cmdline", "rb") as file:
                        command = file.read().decode("utf-8", "replace")
                except OSError:
                    continue
                if str(root) in command:
                    found.append(command)
        return found


if __name__ == "__main__":
    harness.main()
