#!/usr/bin/env python3
"""Libraries that run on every Linux with the glibc of their tag (PEP 600).

    manylinux.py LIBRARY FOLDER

copies LIBRARY into FOLDER, with the libraries of other projects that it needs
and their licences, and changes their names, so that they find each other there
and nothing else does. Needs ldd, readelf, patchelf and dpkg.
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable

# The libraries that every manylinux policy expects of a system, without those
# of desktops; the newest versions of symbols that manylinux_2_24 allows (the
# tag itself has the version of glibc).
OF_SYSTEM = {"libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6",
             "libpthread.so.0", "libresolv.so.2", "librt.so.1",
             "libstdc++.so.6", "libutil.so.1", "libz.so.1"}
LOADER = re.compile(r"ld(64|-linux.*)\.so\.\d")
NEWEST = {"CXXABI": (1, 3, 10), "GCC": (4, 8, 0), "GLIBCXX": (3, 4, 22),
          "ZLIB": (1, 2, 5, 2)}
OLDEST_GLIBC = (2, 24)


def run(*words: object) -> str:
    return subprocess.run(
        [str(word) for word in words], check=True, text=True,
        stdout=subprocess.PIPE, env={**os.environ, "LC_ALL": "C"}).stdout


def needed(library: pathlib.Path) -> set[str]:
    """Return the names of the libraries that a library is linked to."""
    names = re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "-dW", library))
    return {name for name in names if not LOADER.fullmatch(name)}


def versions(library: pathlib.Path) -> set[tuple[str, tuple[int, ...]]]:
    """Return the versions of symbols that it needs: ("GLIBC", (2, 17))."""
    section = run("readelf", "-VW", library).partition(
        "Version needs section")[2]
    return {(name, tuple(map(int, number.split("."))))
            for name, number in re.findall(
                r"Name: ([A-Z]+)_([0-9.]+) ", section)}


def check(libraries: Iterable[pathlib.Path]) -> tuple[str | None, list[str]]:
    """Return the tag of libraries in one folder, or None and the reasons."""
    libraries = list(libraries)
    known = OF_SYSTEM | {library.name for library in libraries}
    glibc = OLDEST_GLIBC
    reasons = []
    for library in libraries:
        for name in sorted(needed(library) - known):
            reasons.append(f"{library.name} needs {name}")
        for name, version in sorted(versions(library)):
            if name == "GLIBC":
                glibc = max(glibc, version[:2])
            elif version > NEWEST.get(name, (sys.maxsize,)):
                reasons.append(f"{library.name} needs {name} "
                               + ".".join(map(str, version)))
    if reasons:
        return None, reasons
    return f"manylinux_{glibc[0]}_{glibc[1]}_{os.uname().machine}", []


def copy_licence(path: pathlib.Path, folder: pathlib.Path) -> None:
    """Copy the licence of the Debian package of a library."""
    # dpkg knows files by their names of before /usr was merged, or after it
    for name in (path, pathlib.Path("/", *path.parts[2:])):
        found = subprocess.run(["dpkg", "-S", str(name)], text=True,
                               capture_output=True, check=False)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            folder.mkdir(exist_ok=True)
            shutil.copy(f"/usr/share/doc/{package}/copyright",
                        folder / package)
            return
    raise SystemExit(f"manylinux: {path} is not of a package: no licence")


def collect(library: pathlib.Path, folder: pathlib.Path) -> None:
    names = {library.name: library.name}
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(library, folder)
    for name, path in re.findall(r"(\S+) => (/\S+) ", run("ldd", library)):
        if name not in OF_SYSTEM and not LOADER.fullmatch(name):
            names[name] = name.replace(".so", "-templated.so", 1)
            real = pathlib.Path(path).resolve()
            shutil.copy(real, folder / names[name])
            copy_licence(real, folder / "licenses")
    for old, new in names.items():
        # patchelf before 0.13 loses all but one of several changes
        changes = [("--set-soname", new), ("--set-rpath", "$ORIGIN")]
        changes += [("--replace-needed", other, names[other])
                    for other in sorted(needed(folder / new) & set(names))]
        for change in changes:
            run("patchelf", *change, folder / new)
    tag, reasons = check(folder / name for name in names.values())
    if tag is None:
        raise SystemExit("manylinux: " + "; ".join(reasons))
    print(tag)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    collect(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
