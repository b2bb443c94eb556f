"""Killed at any moment and in the middle of anything; kills.py does it for as
long as it is told."""

import pathlib
import tempfile
import unittest

import harness
import kills

KILLS = 20


class Kills(unittest.TestCase):
    def test_what_was_acknowledged_survives(self):
        with tempfile.TemporaryDirectory(prefix="td-kills-") as folder:
            problems = kills.run(pathlib.Path(folder), lambda counts:
                                 counts.rows.get("all", [0])[0] >= KILLS)
        self.assertEqual(problems, [])


if __name__ == "__main__":
    harness.main()
