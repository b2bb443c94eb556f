"""Extraction in the process: what templatectl prints, whatever the thread."""

import concurrent.futures
import json
import pickle
import subprocess
import sys
import threading

import conftest
import harness
import pytest

import templated

CTL = str(harness.PROGRAMS / "templatectl")


def printed(*arguments):
    done = harness.run([CTL, *arguments])
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("form", ["txt", "md", "json", "html", "xml"])
def test_a_page_by_itself_is_as_templatectl_prints_it(faq, form):
    url = "http://a.example/docs/faq/"
    answer = templated.extract(faq, url, format=form)
    assert answer.text == printed("extract", conftest.FAQ, "--url", url,
                                  "--format", form)
    assert (answer.method, answer.quality) == ("auto", "ok")
    assert answer.template is None and answer.metadata is None
    assert 0.9 < answer.confidence <= 1
    assert answer.reason.startswith("no template")


def test_metadata_are_those_of_the_json(faq):
    url = "http://a.example/docs/faq/"
    answer = templated.extract(faq, url, metadata=True)
    document = json.loads(templated.extract(faq, url, format="json").text)
    assert answer.metadata == templated.Metadata.of_document(document)
    assert answer.metadata.title == "Frequently Asked Questions"
    assert answer.metadata.word_count > 800
    assert answer.metadata.as_dict()["authors"] == []


def test_several_authors_and_tags():
    answer = templated.extract(
        "<meta name=author content='Ann Lee'>"
        "<meta name=author content='Bob Ray'>"
        "<meta name=keywords content='red, green'><h1>Title</h1><p>Words.",
        metadata=True)
    assert answer.metadata.authors == ("Ann Lee", "Bob Ray")
    assert answer.metadata.tags == ("red", "green")


def test_every_option_reaches_the_library(faq):
    for options, arguments in (
            ({"method": "bte"}, ["--method", "bte"]),
            ({"favor": "precision"}, ["--favor", "precision"]),
            ({"scope": "page"}, ["--scope", "page"]),
            ({"include": ".sidebar"}, ["--include", ".sidebar"]),
            ({"exclude": "h2, h3"}, ["--exclude", "h2, h3"]),
            ({"method": "accb", "parameters": {"threshold": 0.9}},
             ["--method", "accb", "--param", "threshold=0.9"]),
            ({"comments": True}, ["--with", "comments"]),
            ({"format": "json", "comments": "apart", "images": True,
              "links": True},
             ["--format", "json", "--comments", "--images", "--links"]),
            ({"tables": False}, ["--no-tables"]),
            ({"format": "md", "front_matter": True},
             ["--format", "md", "--front-matter"])):
        assert templated.extract(faq, **options).text == printed(
            "extract", conftest.FAQ, *arguments), options


def test_a_string_is_not_decoded_again():
    html = "<meta charset=iso-8859-1><p>Ärger mit dem Übermaß, schöne Grüße."
    assert "schöne Grüße" in templated.extract(html).text
    assert "schöne Grüße" in templated.extract(
        html.encode("iso-8859-1"), charset="iso-8859-1").text
    assert "schöne Grüße" in templated.extract(
        memoryview(html.encode("utf-8")), charset="utf-8").text


def test_no_byte_ends_the_text():
    text = templated.extract("<p>Some words\0 of a page, &#0; all of it.").text
    assert text.startswith("Some words") and text.endswith("all of it.\n")


@pytest.mark.parametrize("html, options, code", [
    (b"\x89PNG\r\n\x1a\n\0\0\0", {}, "not_html"),
    ("<p>a", {"url": "mailto:a@b"}, "malformed"),
    ("<p>a", {"url": "http://a/\0b"}, "malformed"),
    ("<p>a", {"method": "magic"}, "not_found"),
    ("<p>a", {"method": "sst"}, "no_template"),
    ("<p>a", {"format": "pdf"}, "malformed"),
])
def test_what_is_refused_has_a_code(html, options, code):
    with pytest.raises(templated.LibraryError) as caught:
        templated.extract(html, **options)
    assert caught.value.code == code
    assert str(caught.value) == caught.value.message != ""
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.code, str(copy)) == (code, str(caught.value))


def test_an_unknown_option_is_a_mistake():
    with pytest.raises(TypeError, match="'formt'"):
        templated.extract("<p>a", formt="md")


def test_methods_and_version():
    names = [method.name for method in templated.methods()]
    assert {"auto", "df", "bte"} <= set(names)
    assert templated.version() == "0.1.0"


def test_a_missing_library_is_told():
    done = subprocess.run(
        [sys.executable, "-c", "import templated\ntry:\n"
         " templated.version()\nexcept templated.LibraryError as error:\n"
         " print(error.code)"], capture_output=True, text=True, check=True,
        env={"TEMPLATED_LIBRARY": "/nonexistent.so",
             "PYTHONPATH": str(conftest.ROOT / "python"),
             "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.stdout == "no_library\n"


def test_a_bundle_answers_as_apply_does(bundle_path, web, faq, host):
    url = web.url + "docs/faq/"
    with templated.Bundle(bundle_path) as bundle:
        answer = bundle.extract(faq, url, format="md", metadata=True)
        assert answer.text == printed("apply", bundle_path, conftest.FAQ,
                                      "--url", url, "--format", "md")
        assert answer.template.startswith(host + "/")
        found = bundle.classify(faq, url)
        assert found.template == answer.template
        assert found.pages >= 3
        assert 0 <= found.distance <= found.reach <= 1
        assert bundle.classify(faq, "http://b.example/").template is None
        described = bundle.describe()
        assert described["site"] == host
        versions = {t["id"]: t["version"] for t in described["templates"]}
        for name, number in versions.items():
            assert (bundle.template(name) is None) == (number is None)
        assert answer.template in versions
        assert bundle.template("b.example/1") is None


def test_what_is_no_bundle_is_told(bundle_path, tmp_path):
    with pytest.raises(FileNotFoundError):
        templated.Bundle(tmp_path / "none.tpl")
    with pytest.raises(templated.LibraryError) as caught:
        templated.Bundle(data=b"none")
    assert caught.value.code == "corrupt"
    with pytest.raises(templated.LibraryError) as caught:
        templated.Bundle(bundle_path, max_unpacked_bytes=100)
    assert caught.value.code == "too_large"
    with pytest.raises(TypeError):
        templated.Bundle()


def test_a_closed_bundle_is_told(bundle_path, faq):
    bundle = templated.Bundle(data=bundle_path.read_bytes(), threads=2)
    bundle.close()
    bundle.close()
    for call in (bundle.extract, bundle.classify):
        with pytest.raises(templated.LibraryError) as caught:
            call(faq)
        assert caught.value.code == "closed"


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_share_a_bundle(bundle_path, web, threads):
    pages = {web.url + str(path.relative_to(harness.SITE).parent) + "/":
             path.read_bytes()
             for path in sorted(harness.SITE.glob("docs/*/index.html"))}
    with templated.Bundle(bundle_path, threads=threads) as bundle:
        alone = [bundle.extract(html, url) for url, html in pages.items()]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            together = list(pool.map(bundle.extract, pages.values(), pages))
    assert together == alone


def test_python_goes_on_while_a_page_is_extracted():
    """A page of some 100 ms; meanwhile another thread counts."""
    html = b"<div><p>Some words, <a href=/x>a link</a>.</p></div>" * 40000
    ticks = 0
    is_over = threading.Event()

    def count():
        nonlocal ticks
        while not is_over.wait(0.001):
            ticks += 1
    thread = threading.Thread(target=count)
    thread.start()
    try:
        before = ticks
        templated.extract(html)
        assert ticks - before >= 5
    finally:
        is_over.set()
        thread.join()
