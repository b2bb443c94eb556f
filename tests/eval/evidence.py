"""What the other pages of a template say of its passages, as arrays.

tests/eval/template_table writes it, so that no feature is computed anywhere
else. Each page is viewed by samples of 2 to 25 pages of its template, and by
none that it is in where the template has pages enough.
"""

import collections
import dataclasses
import pathlib
import subprocess
import tempfile

import numpy

import template_pages

SIZES = (2, 3, 5, 10, 25)
SEED = 1
Job = collections.namedtuple("Job", "size sample pages")


@dataclasses.dataclass
class Evidence:
    """names of the features; rows [views, features]; of each view passage (of
    the corpus) and size (pages known). What cannot be read has none."""

    names: list
    rows: numpy.ndarray
    passage: numpy.ndarray
    size: numpy.ndarray

    def column(self, name):
        return self.rows[:, self.names.index(name)]


def jobs_of(pages, number):
    """Of a template's pages: one half by a sample of the other, if it can."""
    rng = numpy.random.default_rng([SEED, number, len(pages)])
    order = [int(page) for page in rng.permutation(pages)]
    for size in SIZES:
        first, second = order[:size], order[size:2 * size]
        if len(second) == size:
            rest = [page for page in pages if page not in set(first)]
            yield Job(size, second, first)
            yield Job(size, first, rest)
        else:
            yield Job(size, first, pages)


def all_jobs(made, ctl):
    jobs = []
    for (name, *_), pages in made.groups.items():
        files = {number: made.corpus.files[number] for number in pages}
        for number, own in enumerate(
                template_pages.clusters_of(ctl, name, files)):
            if len(own) > 1:
                jobs += jobs_of(own, number)
    return jobs


def write_list(path, made, jobs):
    corpus = made.corpus
    with open(path, "w", encoding="utf-8") as out:
        for job in jobs:
            for word, pages in (("sample", job.sample), ("page", job.pages)):
                out.writelines(f"{word} {corpus.slices[page].start} "
                               f"{corpus.files[page]}\n" for page in pages)


def read(path, made, jobs):
    with open(path, "rb") as stream:
        if stream.readline() != b"evidence 1\n":
            raise ValueError("not a table of evidence")
        names = [stream.readline().decode().strip()
                 for _ in range(int(stream.readline().split()[1]))]
        data = stream.read()
    at, rows, passage, size = 0, [], [], []
    for job in jobs:
        for page in job.pages:
            count = int.from_bytes(data[at:at + 4], "little")
            part = numpy.frombuffer(data, "<f4", count * len(names), at + 4)
            at += 4 + part.nbytes
            own = made.corpus.slices[page]
            where = numpy.arange(own.start, own.start + count)
            keep = made.corpus.may_show[where]
            rows.append(part.reshape(count, len(names))[keep])
            passage.append(where[keep])
            size.append(numpy.full(keep.sum(), job.size, numpy.int8))
    return Evidence(names, *map(numpy.concatenate, (rows, passage, size)))


def table(build, made):
    """The Evidence of template_pages.Pages."""
    jobs = all_jobs(made, build / "daemon" / "templatectl")
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        made.scores.astype("<f4").tofile(folder / "scores")
        write_list(folder / "list", made, jobs)
        subprocess.run([build / "tests" / "eval" / "template_table",
                        folder / "list", folder / "scores", folder / "out"],
                       check=True, stdin=subprocess.DEVNULL)
        return read(folder / "out", made, jobs)
