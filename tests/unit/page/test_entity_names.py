#!/usr/bin/env python3
"""test_entity_names.py PROGRAM: all names of the HTML standard, with and without
";", before all that may stand behind them, as text and in attributes."""

import html
import html.entities
import subprocess
import sys
import unittest

NAMES = html.entities.html5
PROGRAM = sys.argv.pop()


def longest_name(rest):
    """The longest name that `rest` begins with, or nothing."""
    return next((rest[:size] for size in range(32, 1, -1)
                 if rest[:size] in NAMES), "")


def in_attribute(rest):
    """What "&" and `rest` mean in an attribute."""
    name = longest_name(rest)
    behind = rest[len(name):len(name) + 1]
    if not name or not name.endswith(";") and (
            behind == "=" or behind.isalnum()):
        return "&" + rest
    return NAMES[name] + rest[len(name):]


class EntityNames(unittest.TestCase):
    def test_every_name_is_decoded_as_the_standard_says(self):
        rests = [name + behind for name in sorted(NAMES)
                 for behind in ("", ";", "=", "x", "7", " x", "x;")]
        rests += [name[:-2] for name in sorted(NAMES)]
        done = subprocess.run(
            [PROGRAM], input="".join(f"&{rest}\n" for rest in rests),
            capture_output=True, encoding="utf-8", check=True)
        found = done.stdout.split("\0")
        self.assertEqual(len(found), 2 * len(rests) + 1)
        for i, rest in enumerate(rests):
            self.assertEqual(found[2 * i], html.unescape("&" + rest), rest)
            self.assertEqual(found[2 * i + 1], in_attribute(rest), rest)


if __name__ == "__main__":
    unittest.main()
