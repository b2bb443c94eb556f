"""What the program knows of the passages of pages, as arrays.

tests/eval/passage_table writes it: the features that `auto` sees, and what
training needs besides, so that no feature is computed anywhere else.
"""

import dataclasses
import pathlib
import subprocess
import tempfile

import numpy

# Of enum passage_place: template, choice and textarea.
UNREADABLE = (2, 3, 4)
# After the rows of a page, of each passage; then its text in UTF-8.
TAIL = numpy.dtype([("words", "<u4"), ("is_pre", "u1"), ("place", "u1"),
                    ("zero", "<u2"), ("hash", "<u8"), ("text_size", "<u4")])


@dataclasses.dataclass
class Table:
    """Passages of pages, one after the other.

    names of the features; rows [passages, features], float32; begin [pages +
    1], the first passage of each page; words, is_pre, is_readable (`auto`
    chooses no other), hash [passages]; texts [passages], bytes.
    """

    names: list
    rows: numpy.ndarray
    begin: numpy.ndarray
    words: numpy.ndarray
    is_pre: numpy.ndarray
    is_readable: numpy.ndarray
    hash: numpy.ndarray
    texts: list

    def pages(self):
        """The passages of each page, as slices."""
        return [slice(a, b) for a, b in zip(self.begin, self.begin[1:])]

    def page_of(self):
        """[passages]: the number of the page."""
        return numpy.repeat(numpy.arange(len(self.begin) - 1),
                            numpy.diff(self.begin))

    def some(self, pages, rows):
        """That of some pages, whose passages are `rows`; without texts."""
        sizes = numpy.diff(self.begin)[pages]
        return Table(self.names, self.rows[rows],
                     numpy.concatenate([[0], numpy.cumsum(sizes)]),
                     self.words[rows], self.is_pre[rows],
                     self.is_readable[rows], self.hash[rows], [])


def read_header(stream):
    version, count = stream.readline(), stream.readline().split()
    if version != b"passages 1\n" or count[0] != b"features":
        raise ValueError("not a table of passages")
    return [stream.readline().decode().strip() for _ in range(int(count[1]))]


def read_tails(data, at, count, texts):
    """The tails of `count` passages, and where the next page begins."""
    tails = numpy.empty(count, TAIL)
    for i in range(count):
        tails[i] = numpy.frombuffer(data, TAIL, 1, at)[0]
        at += TAIL.itemsize
        end = at + int(tails[i]["text_size"])
        texts.append(data[at:end])
        at = end
    return tails, at


def read(path):
    """The Table of a file."""
    with open(path, "rb") as stream:
        names = read_header(stream)
        data = stream.read()
    at, rows, tails, texts = 0, [], [], []
    while at < len(data):
        count = int.from_bytes(data[at:at + 4], "little")
        size = count * len(names)
        rows.append(numpy.frombuffer(data, "<f4", size, at + 4)
                    .reshape(count, len(names)))
        tail, at = read_tails(data, at + 4 + 4 * size, count, texts)
        tails.append(tail)
    begin = numpy.cumsum([0, *map(len, rows)])
    tails = numpy.concatenate(tails)
    return Table(names, numpy.concatenate(rows), begin,
                 tails["words"].astype(numpy.float32),
                 tails["is_pre"].astype(bool),
                 ~numpy.isin(tails["place"], UNREADABLE), tails["hash"], texts)


def table(program, files, scores=None):
    """The Table of pages; with scores [passages], of the second stage."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "list").write_text("".join(f"{f}\n" for f in files), "utf-8")
        options = []
        if scores is not None:
            scores.astype("<f4").tofile(folder / "scores")
            options = ["--scores", folder / "scores"]
        subprocess.run([program, *options, folder / "list", folder / "out"],
                       check=True, stdin=subprocess.DEVNULL)
        return read(folder / "out")
