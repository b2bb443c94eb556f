#!/usr/bin/env python3
"""The build backend of pyproject.toml (PEP 517): a wheel with libtemplated, and
an archive of its sources.

    backend.py wheel FOLDER [LIBRARIES]
    backend.py sdist FOLDER

LIBRARIES is a folder with libtemplated.so.0, built before, and the libraries
for the wheel (see manylinux.py); without it CMake builds the
library, and the wheel is for this system. It needs only Python's standard
library, so that pip can build without a network.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping

import manylinux

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = "libtemplated.so.0"
# What the library and the package are built from.
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md",
           "modules.txt", "pyproject.toml", "base", "cluster", "conf/models",
           "crawl", "extract", "man/libtemplated.3", "page", "python", "store",
           "template")


def version() -> str:
    found = re.search(r"project\(templated VERSION ([0-9.]+)",
                      (ROOT / "CMakeLists.txt").read_text("utf-8"))
    assert found is not None
    return str(found[1])


def metadata() -> str:
    """The core metadata: PKG-INFO of the sources, METADATA of the wheel."""
    project = tomllib.loads(
        (ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}",
             f"Version: {version()}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}",
             f"License: {project['license']['text']}",
             f"Keywords: {','.join(project['keywords'])}",
             *(f"Classifier: {name}" for name in project["classifiers"]),
             "Description-Content-Type: text/markdown"]
    readme = (ROOT / project["readme"]).read_text("utf-8")
    return "\n".join(lines) + "\n\n" + readme


def files(path: pathlib.Path) -> Iterator[pathlib.Path]:
    """Yield a file, or the files below a folder."""
    if path.is_dir():
        for inner in sorted(path.iterdir()):
            if inner.name != "__pycache__":
                yield from files(inner)
    else:
        yield path


def build_library(folder: pathlib.Path) -> pathlib.Path:
    """Build libtemplated in a folder; return the folder that it is in."""
    for words in (["-S", ROOT, "-B", folder, "-DBUILD_DAEMON=OFF",
                   "-DBUILD_TESTING=OFF", "-DCMAKE_BUILD_TYPE=Release",
                   *(["-G", "Ninja"] if shutil.which("ninja") else [])],
                  ["--build", folder, "--target", "libtemplated",
                   "--parallel", os.cpu_count() or 1]):
        try:
            subprocess.run(["cmake", *map(str, words)], check=True)
        except FileNotFoundError:
            raise SystemExit("cmake is missing: install what \"./dev setup "
                             "build\" installs (docs/howto/install.md)"
                             ) from None
        except subprocess.CalledProcessError:
            raise SystemExit("libtemplated was not built: see above; "
                             "docs/howto/install.md names the libraries that "
                             "it needs") from None
    return folder / "template"


def platform(libraries: list[pathlib.Path]) -> str:
    """The tag of the systems that can load the libraries."""
    try:
        tag, _ = manylinux.check(libraries)
    except FileNotFoundError:  # no readelf
        tag = None
    return tag or re.sub("[-.]", "_", sysconfig.get_platform())


class Wheel:
    """A wheel that is written: the same files give the same bytes."""

    def __init__(self, path: pathlib.Path) -> None:
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record: list[str] = []

    def add(self, name: str, content: bytes | str, mode: int = 0o644) -> None:
        content = content.encode() if isinstance(content, str) else content
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        self.record.append(f"{name},sha256={digest.decode().rstrip('=')},"
                           f"{len(content)}\n")

    def close(self, record: str) -> None:
        self.add(record, "".join(self.record) + f"{record},,\n")
        self.zip.close()


def write_wheel(out: pathlib.Path, built: pathlib.Path) -> str:
    # next to a name such as libtemplated.so are others of the same file
    libraries = [built / LIBRARY, *sorted(built.glob("*-templated.so*"))]
    tag = f"py3-none-{platform(libraries)}"
    stem = f"templated-{version()}"
    name = f"{stem}-{tag}.whl"
    wheel = Wheel(out / name)
    for path in files(ROOT / "python" / "templated"):
        wheel.add(str(path.relative_to(ROOT / "python")), path.read_bytes())
    for path in libraries:
        wheel.add(f"templated/lib/{path.name}", path.read_bytes(), 0o755)
    info = f"{stem}.dist-info"
    for path in (ROOT / "LICENSE", ROOT / "conf" / "models" / "NOTICE",
                 *sorted((built / "licenses").glob("*"))):
        wheel.add(f"{info}/licenses/{path.name}", path.read_bytes())
    wheel.add(f"{info}/METADATA", metadata())
    wheel.add(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: templated\n"
              f"Root-Is-Purelib: false\nTag: {tag}\n")
    wheel.close(f"{info}/RECORD")
    return name


def prepare_metadata_for_build_wheel(
        metadata_directory: str,
        config_settings: Mapping[str, str] | None = None) -> str:
    """PEP 517. Without this pip would build the library twice."""
    del config_settings
    info = f"templated-{version()}.dist-info"
    folder = pathlib.Path(metadata_directory, info)
    folder.mkdir()
    (folder / "METADATA").write_text(metadata(), "utf-8")
    return info


def build_wheel(wheel_directory: str,
                config_settings: Mapping[str, str] | None = None,
                metadata_directory: str | None = None) -> str:
    """PEP 517. The setting `libraries` is the folder LIBRARIES."""
    del metadata_directory
    out = pathlib.Path(wheel_directory)
    built = (config_settings or {}).get("libraries")
    if built:
        return write_wheel(out, pathlib.Path(built))
    with tempfile.TemporaryDirectory() as folder:
        return write_wheel(out, build_library(pathlib.Path(folder)))


def build_sdist(sdist_directory: str,
                config_settings: Mapping[str, str] | None = None) -> str:
    """PEP 517."""
    del config_settings
    stem = f"templated-{version()}"
    contents = {str(path.relative_to(ROOT)): path.read_bytes()
                for source in SOURCES for path in files(ROOT / source)}
    contents["PKG-INFO"] = metadata().encode()
    name = f"{stem}.tar.gz"
    with (open(pathlib.Path(sdist_directory, name), "wb") as file,
          gzip.GzipFile(stem, "wb", fileobj=file, mtime=0) as packed,
          tarfile.open(fileobj=packed, mode="w",
                       format=tarfile.PAX_FORMAT) as tar):
        for path, content in sorted(contents.items()):
            entry = tarfile.TarInfo(f"{stem}/{path}")
            entry.size = len(content)
            entry.mode = 0o755 if os.access(ROOT / path, os.X_OK) else 0o644
            tar.addfile(entry, io.BytesIO(content))
    return name


def main() -> None:
    verb, *words = sys.argv[1:] or [""]
    if verb == "wheel" and len(words) in (1, 2):
        print(build_wheel(words[0], {"libraries": "".join(words[1:])}))
    elif verb == "sdist" and len(words) == 1:
        print(build_sdist(words[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
