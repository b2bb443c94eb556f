#!/usr/bin/env python3
"""classes.py [BUILD]: how well class names of build tools are recognised.

Prints, for each kind of generated name, how many of 20,000 random names are
equal after a new hash; and how many of the names in the pages of each given
site become a hash, with examples to judge: a site that no tool built should
have none. Without data only the first table. BUILD is a build folder (default:
build/release).
"""

import collections
import pathlib
import random
import re
import string
import subprocess
import sys

sys.dont_write_bytecode = True

import clusters  # noqa: E402 (nothing is written beside the sources)
import common  # noqa: E402

NAMES = 20000
PAGES = 150  # of a site
EXAMPLES = 4
BASE36 = string.ascii_lowercase + string.digits
BASE64 = string.ascii_letters + string.digits
CLASS = re.compile(rb"""\bclass\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.I)

# kind: a name with a random hash; `word` draws letters.
KINDS = {
    "CSS modules": lambda word: "Button_root__" + word(BASE64, 5, 5),
    "Vite": lambda word: f"_root_{word(BASE36, 5, 5)}_{word('123456789', 1, 3)}",
    "styled-components": lambda word: "sc-" + word(string.ascii_letters, 6, 6),
    "emotion": lambda word: "css-" + word(BASE36, 6, 7),
    "Svelte": lambda word: "svelte-" + word(BASE36, 6, 7),
    "Astro": lambda word: "astro-" + word(BASE36, 8, 8),
    "StyleX": lambda word: "x" + word(BASE36, 6, 7),
    "styled-jsx": lambda word: "jsx-" + word(string.digits, 8, 10),
    "Docusaurus": lambda word: "docItem_" + word(BASE64, 4, 4),
}


def normalise(build, names):
    return subprocess.run(
        [build / "tests" / "eval" / "class_table"], check=True, text=True,
        input="".join(name + "\n" for name in names),
        capture_output=True).stdout.split("\n")[:-1]


def kinds(report, build):
    chance = random.Random(1)

    def word(letters, shortest, longest):
        return "".join(chance.choice(letters) for _ in range(
            chance.randint(shortest, longest)))
    report.table("Equal after a new hash", "kind", "example", "equal, %")
    for kind, draw in KINDS.items():
        names = [draw(word) for _ in range(2 * NAMES)]
        found = normalise(build, names)
        equal = sum(a == b for a, b in zip(found[::2], found[1::2]))
        report.row(kind, names[0], f"{100 * equal / NAMES:.2f}")


def names_of(folder, labels):
    """The class names in some pages of a site."""
    paths = [line.split("\t")[0] for line in open(labels, encoding="utf-8")]
    random.Random(1).shuffle(paths)
    names = set()
    for path in paths[:PAGES]:
        file = pathlib.Path(folder, path)
        if file.is_file():
            for a, b in CLASS.findall(file.read_bytes()):
                names.update((a or b).decode("utf-8", "replace").split())
    return names


def sites(report, build):
    by_site = collections.defaultdict(set)
    for site, folder, labels in clusters.folders():
        by_site[site] |= names_of(folder, labels)
    report.table("Names of sites that become a hash", "site", "names",
                 "hashes", "examples")
    for site, names in sorted(by_site.items()):
        names = sorted(names)
        hashes = [name for name, out in zip(names, normalise(build, names))
                  if "*" in out]
        random.Random(1).shuffle(hashes)
        report.row(site, len(names), len(hashes),
                   " ".join(hashes[:EXAMPLES]))


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1
                         else common.ROOT / "build" / "release").resolve()
    report = common.Report()
    kinds(report, build)
    if (common.DATA / "data").is_dir():
        sites(report, build)


if __name__ == "__main__":
    main()
