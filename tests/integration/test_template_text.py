"""The template does not take from a page what belongs to its content.

The heads of tables, such as "Option", are on many pages of a manual. A page
that is read alone keeps them, and so must a page whose template is known. The
manual is that of Apache Hop, of ../shared or $TEMPLATED_SHARED.
"""

import collections
import html.parser
import os
import pathlib
import shutil
import subprocess

import harness

CTL = harness.PROGRAMS / "templatectl"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = pathlib.Path(os.environ.get("TEMPLATED_SHARED",
                                     ROOT.parent / "shared"))
HOP = "data/sites/hop.apache.org.tar.zst"
TRANSFORMS = "hop.apache.org/manual/next/pipeline/transforms"
PAGES = 16


class Heads(html.parser.HTMLParser):
    """The texts of th, white space collapsed."""

    def __init__(self, source):
        super().__init__()
        self.texts, self.open = set(), []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        if tag == "th":
            self.open = []

    def handle_endtag(self, tag):
        if tag == "th":
            self.texts.add(" ".join("".join(self.open).split()))

    def handle_data(self, data):
        self.open.append(data)


def lines(folder):
    """{name: a Counter of the lines}."""
    return {path.stem: collections.Counter(
        " ".join(line.split()) for line in path.read_text("utf-8").split("\n"))
        for path in folder.rglob("*.txt")}


class TemplateText(harness.Case):
    def both(self, pages):
        """lines() of a folder of pages, each alone and with the template."""
        found = []
        for verb in (["extract"], ["batch", "--method", "auto", "--threshold",
                                   "1"]):
            out = self.folder() / "out"
            subprocess.run([CTL, *verb, "--out", out, pages], check=True,
                           stdin=subprocess.DEVNULL, capture_output=True)
            found.append(lines(out))
        return found

    def test_a_manual_keeps_the_heads_of_its_tables(self):
        if not (SHARED / HOP).exists() or not shutil.which("zstd"):
            self.skipTest(f"there is no {SHARED / HOP}")
        folder = self.folder()
        with subprocess.Popen(["zstd", "-q", "-d", "--long=27", "-c",
                               SHARED / HOP], stdout=subprocess.PIPE) as zstd:
            subprocess.run(["tar", "-C", folder, "-xf", "-", TRANSFORMS],
                           stdin=zstd.stdout, check=True)
        pages = self.folder()
        for path in sorted((folder / TRANSFORMS).glob("*.html"))[:PAGES]:
            shutil.copy(path, pages)
        alone, known = self.both(pages)
        self.assertEqual(len(known), PAGES)
        kept = 0
        for name, text in alone.items():
            heads = Heads((pages / f"{name}.html").read_text("utf-8")).texts
            lost = {line for line in text - known[name] if line in heads}
            self.assertEqual(lost, set(), name)
            kept += len(heads & text.keys())
        self.assertGreater(kept, 0)


if __name__ == "__main__":
    harness.main()
