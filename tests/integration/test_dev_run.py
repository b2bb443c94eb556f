"""./dev run: from nothing to the text of a page."""

import os
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
            sorted(p.name for p in root.iterdir()), ["build", "tests", "var"])

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
            curl = None
            for line in process.stdout:
                if line.startswith("curl "):
                    curl = line + next(process.stdout)
                if line.startswith("Serving on "):
                    break
            answer = harness.run(["sh", "-c", curl])
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertGreater(len(answer.stdout.split()), 20)
            self.assertNotIn("Toggle Menu", answer.stdout)
            stop(process)
            self.assertEqual(process.wait(60), 0)
            process.stdout.close()
            self.assertEqual(self.left_behind(root), [])
            self.assertFalse((root / "var" / "templated.sock").exists())

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
