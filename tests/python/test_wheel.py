"""The wheel and the archive of the sources, without a network: pip installs
the wheel into a new environment, where the library is that of the wheel."""

import base64
import csv
import hashlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import conftest
import pytest

DISTRIBUTION = conftest.ROOT / "python" / "distribution"
sys.path.append(str(DISTRIBUTION))

import backend  # noqa: E402
import manylinux  # noqa: E402

PIP = [sys.executable, "-m", "pip"]
HAS_PIP = subprocess.run([*PIP, "--version"], capture_output=True,
                         check=False).returncode == 0
SYSTEM = pathlib.Path("/usr/lib", f"{os.uname().machine}-linux-gnu")


def run(*words, path=None):
    """What a process prints that must succeed, with the package in `path`."""
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("TEMPLATED_LIBRARY", "PYTHONPATH")}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    done = subprocess.run([str(word) for word in words], text=True, cwd="/",
                          env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built by pip, as pyproject.toml tells it, with the library of the
    build."""
    out = tmp_path_factory.mktemp("wheel")
    if HAS_PIP:
        run(*PIP, "wheel", "-q", "--no-index", "--no-deps", "-w", out,
            "--config-settings", f"libraries={conftest.LIBRARY.parent}",
            conftest.ROOT)
    else:
        backend.build_wheel(out, {"libraries": str(conftest.LIBRARY.parent)})
    return next(out.glob("*.whl"))


def test_the_wheel_is_complete(wheel):
    version = re.search(r"project\(templated VERSION (\S+)", (
        conftest.ROOT / "CMakeLists.txt").read_text())[1]
    assert wheel.name.startswith(f"templated-{version}-py3-none-")
    info = f"templated-{version}.dist-info"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        contents = {name: archive.read(name) for name in names}
    assert f"\nVersion: {version}\n" in contents[f"{info}/METADATA"].decode()
    assert f"{info}/licenses/NOTICE" in names
    assert "templated/py.typed" in names
    assert contents["templated/lib/libtemplated.so.0"] == (
        conftest.LIBRARY.read_bytes())
    rows = list(csv.reader(io.StringIO(contents[f"{info}/RECORD"].decode())))
    assert sorted(row[0] for row in rows) == sorted(names)
    for name, digest, size in rows:
        if name != f"{info}/RECORD":
            found = base64.urlsafe_b64encode(
                hashlib.sha256(contents[name]).digest()).decode()
            assert digest == "sha256=" + found.rstrip("=")
            assert int(size) == len(contents[name])


@pytest.mark.skipif(not HAS_PIP, reason="not here: python3-pip")
def test_pip_installs_it(wheel, tmp_path, daemon, host, web, bundle_path):
    assert daemon.process.poll() is None and host
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path)
    python = tmp_path / "bin" / "python"
    run(*PIP, "--python", python, "install", "-q", "--no-index", wheel)
    code = """import sys, templated
from templated import library
assert library.candidates()[0].startswith(sys.prefix), library.candidates()
page = open(sys.argv[1], "rb").read()
url = sys.argv[2]
print(len(templated.extract(page, url=url).text))
text = templated.Bundle(sys.argv[3]).extract(page, url).text
assert text and text == templated.Client(sys.argv[4]).text(url).text
print(templated.__file__)
"""
    size, file = run(python, "-I", "-c", code, conftest.FAQ,
                     web.url + "docs/faq/", bundle_path,
                     daemon.socket).split("\n")
    assert int(size) > 1000
    assert file.startswith(str(tmp_path))


def test_the_archive_has_all_that_its_files_include(tmp_path):
    name = backend.build_sdist(str(tmp_path))
    run("tar", "-xf", tmp_path / name, "-C", tmp_path)
    root = tmp_path / name.removesuffix(".tar.gz")
    assert (root / "PKG-INFO").read_text().startswith("Metadata-Version: ")
    sources = list(root.rglob("*.[ch]"))
    assert len(sources) > 100
    for source in sources:
        for header in re.findall(r'#include "([a-z_/]+\.h)"',
                                 source.read_text()):
            # some headers are generated
            assert ((root / header).exists()
                    or not (conftest.ROOT / header).exists()), header
    run("cmake", "-S", root, "-B", tmp_path / "build", "-DBUILD_DAEMON=OFF",
        "-DBUILD_TESTING=OFF", "-G", "Ninja")
    assert "libtemplated.so" in run("ninja", "-C", tmp_path / "build", "-n",
                                    "libtemplated")


def test_two_builds_give_the_same_bytes(tmp_path, wheel):
    backend.build_wheel(tmp_path, {"libraries": str(conftest.LIBRARY.parent)})
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()
    name = backend.build_sdist(str(tmp_path))
    first = (tmp_path / name).read_bytes()
    assert first[4:8] == bytes(4)  # not the time
    backend.build_sdist(str(tmp_path))
    assert (tmp_path / name).read_bytes() == first


def test_only_libraries_of_the_policy_get_its_tag():
    tag, reasons = manylinux.check([conftest.LIBRARY])
    assert tag is None
    assert "libtemplated.so.0 needs libjansson.so.4" in reasons
    tag, reasons = manylinux.check([SYSTEM / "libjansson.so.4"])
    assert re.fullmatch(r"manylinux_2_\d\d_" + os.uname().machine, tag)
    assert not reasons


@pytest.mark.skipif(not shutil.which("patchelf"), reason="not here: patchelf")
def test_libraries_that_are_bundled_find_each_other(tmp_path):
    printed = run(sys.executable, "-B", DISTRIBUTION / "manylinux.py",
                  conftest.LIBRARY, tmp_path / "out")
    assert printed.startswith("manylinux_2_")
    name = next((tmp_path / "out").glob("libidn2-templated.so.*"))
    assert manylinux.needed(name) & {
        path.name for path in (tmp_path / "out").iterdir()}
    assert (tmp_path / "out" / "licenses" / "libjansson4").exists()
    backend.build_wheel(tmp_path, {"libraries": str(tmp_path / "out")})
    wheel = next(tmp_path.glob("*.whl"))
    assert printed in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = ("import sys, templated; "
            "templated.extract(b'<p>A text.', url='http://a.example/'); "
            "print(open('/proc/self/maps').read())")
    maps = run(sys.executable, "-c", code, path=tmp_path / "site")
    assert "libidn2-templated.so" in maps
    assert "/libidn2.so" not in maps


def test_the_library_of_the_build_is_the_last_one(tmp_path):
    """Without a wheel: the installed library, then that of ./dev build; a
    copy of the package elsewhere says what it lacks."""
    code = "from templated import library; print(library.candidates())"
    places = run(sys.executable, "-c", code, path=conftest.ROOT / "python")
    assert places == str([
        "libtemplated.so.0",
        str(conftest.ROOT / "build/release/template/libtemplated.so.0")])
    shutil.copytree(conftest.ROOT / "python" / "templated",
                    tmp_path / "site" / "templated")
    (tmp_path / "site" / "templated" / "lib").mkdir()
    (tmp_path / "site" / "templated" / "lib" / "libtemplated.so.0").write_text(
        "no library")
    code = """import templated
try:
    templated.version()
except templated.LibraryError as error:
    print(error.code, error)"""
    said = run(sys.executable, "-c", code, path=tmp_path / "site")
    assert said.startswith("no_library libtemplated cannot be loaded")
    assert "invalid ELF header" in said or "file too short" in said
