"""./dev run: from nothing to the text of a page."""

import os
import re
import shutil

import harness


class DevRun(harness.Case):
    def run_once(self, root, environment):
        done = harness.run([root / "tests" / "run-sample", "--once"],
                           env=environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_shows_the_whole_path_twice(self):
        # A checkout of its own, so that nobody's ./var is touched.
        root = self.folder() / "project"
        (root / "tests" / "data").mkdir(parents=True)
        (root / "build" / "release").mkdir(parents=True)
        shutil.copy(harness.ROOT / "tests" / "run-sample", root / "tests")
        shutil.copytree(harness.SITE, root / "tests" / "data" / "site")
        (root / "build" / "release" / "daemon").symlink_to(harness.PROGRAMS)
        environment = {**os.environ, "DEV_RUN_ONCE": "0"}
        for _ in range(2):
            shown = self.run_once(root, environment)
            for part in ("TEMPLATE", "Leave a Comment", "Before: ", "After: ",
                         "curl --unix-socket"):
                self.assertIn(part, shown)
            after = shown[shown.index("After: "):]
            self.assertNotIn("Leave a Comment", after)
        self.assertEqual(self.left_behind(root), [])
        self.assertEqual(
            sorted(p.name for p in root.iterdir()), ["build", "tests", "var"])
        curl = re.search(r"curl .*\\\n.*", shown)
        self.assertIsNotNone(curl)

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
