"""The client, with a real daemon: answers, errors, streams, restarts."""

import asyncio
import http.client
import socket
import threading
import time

import harness
import pytest

import templated
from templated import client as client_module
from templated.transport import SOCKET, Address, Reply

PATIENT_S = 30


@pytest.fixture(scope="module")
def client(daemon):
    with templated.Client(daemon.socket) as client:
        yield client


@pytest.fixture
def patient(own):
    """Its client."""
    with templated.Client(own.socket, retry_timeout=PATIENT_S) as client:
        yield client


def test_sites_templates_and_pages(client, daemon, host, web):
    assert [site["host"] for site in client.sites()] == [host]
    site = client.site(host)
    assert (site["url"], site["state"]) == (web.url, "watching")
    templates = client.templates(host)
    assert [t["id"] for t in templates] == [
        c["id"] for c in daemon.clusters(host)]
    largest = templates[0]
    pages = [page["url"] for page in client.pages(largest["id"])]
    assert len(pages) == len(set(pages)) == largest["pages"]
    assert len(client.template(largest["id"], limit=3)["fragments"]) == 3
    assert client.rename_template(largest["id"], " Manual  page ") == (
        "Manual page")
    assert client.templates(host)[0]["name"] == "Manual page"
    assert client.rename_template(largest["id"], "") is None
    assert {row["state"] for row in client.patterns(host)} <= {
        "open", "complete", "saturated", "exhausted"}
    assert client.status()["counts"]["sites"] == 1


@pytest.mark.parametrize("form", ["txt", "md"])
def test_a_text_is_that_of_the_daemon(client, daemon, host, web, faq, form):
    url = web.url + "docs/faq/"
    answer = client.text(url, format=form, metadata=True)
    assert answer.text == daemon.text(url, format=form)
    assert answer.template.startswith(host + "/")
    assert (answer.method, answer.quality) == ("auto", "ok")
    assert 0 < answer.confidence <= 1
    assert answer.metadata.title == "Frequently Asked Questions"
    assert client.extract(faq, url, format=form, metadata=True) == answer
    plain = client.text(url, format=form)
    assert (plain.text, plain.template, plain.quality, plain.reason) == (
        answer.text, answer.template, answer.quality, answer.reason)


def test_an_answer_tells_that_newer_visits_wait():
    headers = http.client.HTTPMessage()
    headers["X-Templated-Waiting"] = "2026-01-02T03:04:05Z"
    answer = client_module._of_reply(Reply(200, headers, b"text"))
    assert (answer.text, answer.waiting) == ("text", "2026-01-02T03:04:05Z")
    headers = http.client.HTTPMessage()
    assert client_module._of_reply(Reply(200, headers, b"")).waiting is None


def test_a_daemon_of_ones_own_is_found(daemon, monkeypatch, tmp_path):
    for name in ("TEMPLATED_SOCKET", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert str(Address.read(None, None)) == SOCKET
    for name, rest in (("HOME", ".local/share"), ("XDG_RUNTIME_DIR", "")):
        folder = tmp_path / name
        path = folder / rest / "templated" / "templated.sock"
        path.parent.mkdir(parents=True)
        path.symlink_to(daemon.socket)
        monkeypatch.setenv(name, str(folder))
        assert str(Address.read(None, None)) == str(path)
        with templated.Client() as client:
            assert client.status()["version"]


def test_bundle_and_daemon_say_the_same(client, host, web, faq, tmp_path):
    client.export(host, tmp_path / "site.tpl")
    url = web.url + "docs/faq/"
    with templated.Bundle(tmp_path / "site.tpl") as bundle:
        mine = bundle.extract(faq, url, metadata=True, comments=True)
    told = client.extract(faq, url, metadata=True, comments=True)
    assert mine.confidence == pytest.approx(told.confidence, abs=1e-4)
    assert mine._replace(confidence=0) == told._replace(confidence=0)


def test_a_string_is_not_decoded_again(client):
    html = "<meta charset=iso-8859-1><p>Übermäßig schöne Grüße von hier."
    assert "schöne Grüße" in client.extract(html).text
    assert [page.answer.text for page in client.batch([
        (None, html), (None, html.encode()),
        (None, html.encode("iso-8859-1"), "iso-8859-1")])][::2] == [
            client.extract(html).text] * 2


@pytest.mark.parametrize("ask, code, status", [
    (lambda client: client.site("nobody.example"), "not_found", 404),
    (lambda client: client.text("http://nobody.example/"), "not_found", 404),
    (lambda client: client.text("mailto:a@b"), "bad_request", 400),
    (lambda client: client.extract(b"\x89PNG\r\n\x1a\n\0\0\0"), "not_html",
     422),
    (lambda client: client.request("POST", "/v1/sites", {}), None, 400),
    (lambda client: client.request("GET", "/nonsense"), "no_route", 404),
    (lambda client: client.render("<p>", "http://a.test/"), "not_rendered",
     422),
])
def test_errors_have_the_code_of_the_daemon(client, ask, code, status):
    with pytest.raises(templated.DaemonError) as caught:
        ask(client)
    assert caught.value.status == status
    assert code is None or caught.value.code == code
    assert str(caught.value)


def test_the_texts_of_a_site(client, host, web):
    pages = list(client.texts(host))
    assert {page.url for page in pages} >= {web.url + "docs/faq/"}
    assert len(pages) == client.site(host)["pages"]
    for page in pages[::20]:
        assert page.answer.text == client.text(page.url).text
    behind = [page.url for page in client.texts(host, since=pages[9].sequence)]
    assert behind == [page.url for page in pages[10:]]
    told = next(client.texts(host, metadata=True, format="txt"))
    assert told.answer.metadata.word_count >= 0
    assert told.answer.text == pages[0].answer.text
    with pytest.raises(ValueError):
        next(client.texts(host, format="json"))


def test_a_batch_of_many_portions(client, web, faq):
    pages = [(f"{web.url}{i}", f"<h1>Page {i}</h1><p>Words of page {i}, and "
              "some more words, which are the text.") for i in range(600)]
    pages[300] = ("ftp://nowhere/", "<p>x")
    pages[301] = (web.url + "docs/faq/", faq)
    answers = list(client.batch(iter(pages), metadata=True))
    assert [page.position for page in answers] == list(range(1, 601))
    assert [i for i, page in enumerate(answers) if page.answer is None] == [
        300]
    assert answers[300].error.code and str(answers[300].error)
    assert "Words of page 599," in answers[599].answer.text
    assert answers[301].answer.metadata.title == "Frequently Asked Questions"


def test_pages_are_handed_in(own, patient):
    report = patient.upload([
        ("http://a.example/1", "<p>Übermäßig schöne Grüße von hier."),
        ("http://a.example/2", "<p>Übermäßig".encode("iso-8859-1"),
         "iso-8859-1")])
    assert (report["pages"], report["complete"]) == (2, True)
    assert report["new_sites"] == 1
    assert patient.ingest(b"", hosts=["a.example", "*.org"],
                          replace=True)["complete"]
    with pytest.raises(templated.DaemonError):
        patient.ingest(b"", hosts=["a/b"])
    assert patient.site("a.example")["pages"] == 2
    assert "schöne Grüße" in patient.text("http://a.example/1").text
    assert "Übermäßig" in patient.text("http://a.example/2").text
    for url in (None, "http://a.example/\r\nWARC-Type: x"):
        with pytest.raises(ValueError):
            patient.upload([(url, "<p>x")])


def test_nobody_answers(tmp_path):
    client = templated.Client(tmp_path / "none", retry_timeout=0.1)
    with pytest.raises(templated.UnreachableError) as caught:
        client.sites()
    assert caught.value.code == "unreachable"
    with pytest.raises(templated.UnreachableError):
        client.follow()

    async def listen():
        async for event in client.afollow():
            raise AssertionError(event)
    with pytest.raises(templated.UnreachableError):
        asyncio.run(listen())


def test_a_restart_is_waited_for(own, patient, faq):
    patient.watch("http://127.0.0.1:9/", max_pages=1)
    assert patient.extract(faq).quality == "ok"
    own.stop()
    later = threading.Timer(0.3, own.launch)
    later.start()
    assert patient.extract(faq).quality == "ok"
    later.join()
    assert len(patient.sites()) == 1
    own.kill()
    own.launch()
    assert patient.watch("http://127.0.0.1:9/", max_pages=2)["host"]
    assert len(patient.sites()) == 1


def test_texts_over_a_restart(own, patient):
    """More text than sockets hold, so that the daemon is amid it."""
    urls = [f"http://texts.example/{i}" for i in range(100)]
    report = patient.upload(
        (url, f"<h1>{url}</h1><p>" + 3000 * "words of it ") for url in urls)
    assert report["pages"] == len(urls)
    own.wait_for("texts.example")
    stream = patient.texts("texts.example")
    seen = [next(stream).url]
    own.kill()
    own.launch()
    seen += [page.url for page in stream]
    assert sorted(seen) == sorted(urls)


def test_events_over_a_restart(own, patient):
    with patient.follow(kinds="site.added") as stream:
        patient.watch("http://127.0.0.1:9/", max_pages=1)
        assert next(stream)["site"] == "127.0.0.1:9"
        own.stop()
        own.launch()
        patient.watch("http://127.0.0.1:10/", max_pages=1)
        assert next(stream)["site"] == "127.0.0.1:10"
        # who waits is woken
        threading.Timer(0.1, stream.close).start()
        assert next(stream, None) is None
    kinds = [event["kind"] for event in patient.events(kinds="site.*")]
    assert kinds.count("site.added") == 2
    last = list(patient.events())[-1]["seq"]
    assert list(patient.events(since=last)) == []

    async def listen():
        seen = []
        async for event in patient.afollow(since=0, kinds="site.added"):
            seen.append(event["site"])
            if len(seen) == 2:
                await asyncio.to_thread(own.stop)
                own.launch()
                await asyncio.to_thread(
                    patient.watch, "http://127.0.0.1:11/", max_pages=1)
            if len(seen) == 3:
                return seen
    assert asyncio.run(asyncio.wait_for(listen(), PATIENT_S)) == [
        f"127.0.0.1:{port}" for port in (9, 10, 11)]


def test_over_tcp_with_a_token():
    port = harness.free_port()
    daemon = harness.Daemon({"listen": {"address": f'"127.0.0.1:{port}"'}})
    try:
        daemon.start()
        token = daemon.post("/v1/tokens", {"name": "t", "role": "write"}).json
        url = f"http://127.0.0.1:{port}"
        with templated.Client(url, token=token["token"]) as client:
            assert client.sites() == []
        with templated.Client(url) as stranger, pytest.raises(
                templated.DaemonError) as caught:
            stranger.sites()
        assert caught.value.status == 401
    finally:
        daemon.remove()


def test_threads_share_a_client(client, web):
    urls = [web.url + str(path.relative_to(harness.SITE).parent) + "/"
            for path in sorted(harness.SITE.glob("docs/*/index.html"))]
    alone = {url: client.text(url).text for url in urls}
    wrong = []

    def ask():
        wrong.extend(url for url in urls
                     if client.text(url).text != alone[url])
    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_what_takes_too_long(tmp_path):
    """A server that accepts and says nothing."""
    path = tmp_path / "mute"
    with socket.socket(socket.AF_UNIX) as mute:
        mute.bind(str(path))
        mute.listen()
        begin = time.monotonic()
        with pytest.raises(templated.UnreachableError) as caught:
            templated.Client(path, timeout=0.1).sites()
        assert caught.value.code == "timeout"
        assert time.monotonic() - begin < 5
