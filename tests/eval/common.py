"""What the programs of this folder share: where the data is, and tables."""

import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUT = ROOT / "build" / "eval"
DATA = pathlib.Path(os.environ.get("TEMPLATED_DATA", ROOT.parent / "shared"))


def build_folder():
    """That of the programs: the first argument, or build/release."""
    return pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else
                        ROOT / "build" / "release").resolve()


def has_data():
    """Whether there is data; says so when there is none."""
    if (DATA / "tools" / "score.py").exists():
        return True
    print(f"skipped: there is no data in {DATA}; set TEMPLATED_DATA")
    return False


Method = collections.namedtuple("Method", "name needs_template parameters")


def methods(ctl):
    """{name: Method} of the program's table, in its order."""
    return {row["name"]: Method(row["name"], row["needs_template"],
                                tuple(p["name"] for p in row["parameters"]))
            for row in json.loads(call(ctl, "--json", "methods"))["methods"]}


def progress(what, done, total):
    """A line on a terminal of what is done; nothing elsewhere."""
    if sys.stderr.isatty():
        print(f"\r{what}: {done} of {total}\033[K", end="", file=sys.stderr,
              flush=True)


def progress_clear():
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)


def call(*arguments, may_fail=False):
    done = subprocess.run([str(a) for a in arguments], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          check=False)
    if done.returncode != 0 and not may_fail:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.returncode}\n"
                 f"{done.stderr}")
    return done.stdout


def unpack(name):
    """The folder of an archive, which is unpacked once."""
    cache = OUT / "data"
    cache.mkdir(parents=True, exist_ok=True)
    call(DATA / "tools" / "unpack.sh", cache, name)
    return next(p for p in cache.glob(f"*/{name}") if p.is_dir())


def labelled_sites():
    """{site: whether it has snapshots} of the sites that have labels."""
    return {archive.name.removesuffix(".tar.zst"): kind == "temporal"
            for kind in ("sites", "temporal") for archive in
            sorted((DATA / "data" / kind).glob("*.tar.zst"))}


class Report:
    """Lines of Markdown, printed and kept."""

    def __init__(self):
        self.lines = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def table(self, title, *heads):
        self.say()
        self.say(f"## {title}")
        self.say()
        self.say("| " + " | ".join(heads) + " |")
        self.say("|" + "---|" * len(heads))

    def row(self, *cells):
        self.say("| " + " | ".join(
            f"{c:.4f}" if isinstance(c, float) else str(c)
            for c in cells) + " |")

    def write(self, path):
        path.write_text("\n".join(self.lines) + "\n", "utf-8")
