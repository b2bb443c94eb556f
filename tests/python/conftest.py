"""What the tests of the Python package share: one daemon, which has crawled the
sample site from a real web server, and its bundle."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "integration")]
sys.dont_write_bytecode = True

import harness  # noqa: E402

LIBRARY = harness.PROGRAMS.parent / "template" / "libtemplated.so.0"
os.environ["TEMPLATED_LIBRARY"] = str(LIBRARY)
FAQ = harness.SITE / "docs" / "faq" / "index.html"


def pytest_collection_modifyitems(items):
    missing = [str(path) for path in (LIBRARY, harness.PROGRAMS / "templated")
               if not path.exists()]
    if harness.NGINX is None:
        missing.append("nginx")
    for item in items if missing else ():
        item.add_marker(pytest.mark.skip(f"not here: {', '.join(missing)}"))


@pytest.fixture(scope="session")
def web():
    web = harness.Web(harness.SITE)
    yield web
    web.stop()


@pytest.fixture(scope="session")
def daemon():
    daemon = harness.Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


@pytest.fixture
def own():
    """A daemon that a test may stop."""
    daemon = harness.Daemon()
    try:
        yield daemon.start()
    finally:
        daemon.remove()


@pytest.fixture(scope="session")
def host(daemon, web):
    """The sample site, when it is crawled."""
    return daemon.crawl(web.url)["host"]


@pytest.fixture(scope="session")
def bundle_path(daemon, host, tmp_path_factory):
    path = tmp_path_factory.mktemp("bundle") / "site.tpl"
    path.write_bytes(daemon.get(f"/v1/sites/{host}/bundle").body)
    return path


@pytest.fixture(scope="session")
def faq():
    return FAQ.read_bytes()
