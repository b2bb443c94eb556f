"""python_speed.py FOLDER [ROUNDS=10 [PAGES=100000]]: Python beside C.

CPU milliseconds a page of all *.html in FOLDER, extracted by libtemplated in a
C program and by templated.extract(), by turns; and once, where they are
installed, by trafilatura and readability-lxml (python3-readability). Then the
memory of Python over PAGES pages.
"""

import importlib
import logging
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TEMPLATED_BUILD", ROOT / "build/release"))
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("TEMPLATED_LIBRARY",
                      str(BUILD / "template/libtemplated.so.0"))

import templated  # noqa: E402

OTHERS = {
    "trafilatura": lambda module, body: module.extract(body),
    "readability": lambda module, body: module.Document(body).summary(),
}


def in_c(files, metadata):
    done = subprocess.run(
        [BUILD / "tests/bench/bench_library", "1" if metadata else "0",
         *files], capture_output=True, text=True, check=True)
    return float(done.stdout)


def in_python(bodies, metadata):
    begin = time.process_time()
    for body in bodies:
        try:
            templated.extract(body, metadata=metadata)
        except templated.LibraryError:
            pass
    return (time.process_time() - begin) * 1e3 / len(bodies)


def by_other(name, bodies):
    """What it costs, or that it is not here."""
    try:
        module = importlib.import_module(name)
    except ImportError:
        return "not installed"
    failed = 0
    begin = time.process_time()
    for body in bodies:
        try:
            OTHERS[name](module, body)
        except Exception:  # whatever it makes of hostile pages
            failed += 1
    cost = (time.process_time() - begin) * 1e3 / len(bodies)
    return f"{cost:.3f} ms, {failed} pages failed"


def resident_mib():
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def speed(files, bodies, rounds):
    print(f"{len(files)} pages, {sum(map(len, bodies)) / len(bodies) / 1e3:.1f}"
          f" kB each, {rounds} rounds, load {os.getloadavg()[0]:.1f}")
    for metadata in (False, True):
        ours = [(in_c(files, metadata), in_python(bodies, metadata))
                for _ in range(rounds)]
        more = statistics.median(python / c for c, python in ours) - 1
        c, python = (statistics.median(row) for row in zip(*ours))
        print(f"{'with' if metadata else 'without'} metadata: C {c:.3f} ms, "
              f"Python {python:.3f} ms, {100 * more:+.1f} % "
              f"(least of each: {min(ours)[0]:.3f}, "
              f"{min(p for _, p in ours):.3f})")
    logging.disable()  # they tell of each page
    for name in OTHERS:
        print(f"{name}: {by_other(name, bodies)}")


def memory(bodies, pages):
    for i in range(pages + 1):
        if i % (pages // 10) == 0:
            print(f"{i} pages: {resident_mib():.1f} MiB", flush=True)
        try:
            templated.extract(bodies[i % len(bodies)], metadata=i % 2 == 0)
        except templated.LibraryError:
            pass


def main(folder, rounds="10", pages="100000"):
    files = sorted(map(str, pathlib.Path(folder).rglob("*.html")))
    bodies = [pathlib.Path(path).read_bytes() for path in files]
    speed(files, bodies, int(rounds))
    memory(bodies, int(pages))


if __name__ == "__main__":
    main(*sys.argv[1:])
