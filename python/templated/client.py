"""A client of the daemon."""

from __future__ import annotations

import base64
import http.client
import json
import os
import ssl
import time
import urllib.parse
import uuid
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, Unpack

from templated import options as choices
from templated.answer import Answer, Metadata
from templated.errors import DaemonError, LibraryError
from templated.events import EventStream, follow
from templated.fields import Fields, of_record
from templated.library import read_date, read_number
from templated.options import Options
from templated.records import (Event, FieldRow, Incident, PageAnswer, PageRow,
                               Record, Site, Template)
from templated.transport import Address, Reply, Transport

Html: TypeAlias = str | bytes | bytearray | memoryview
# An HTML page among many: (url, html) or (url, html, charset).
BatchPage: TypeAlias = (tuple[str | None, Html]
                        | tuple[str | None, Html, str | None])
PORTION_PAGES = 256
PORTION_RECORDS = 1000
TYPES_S = 60.0  # the client asks again for the types of fields
PORTION_BYTES = 8 << 20


def _target(path: str, arguments: Mapping[str, Any]) -> str:
    given = {name: value for name, value in arguments.items()
             if value is not None}
    return path + ("?" + urllib.parse.urlencode(given) if given else "")


def _quoted(host: str) -> str:
    return urllib.parse.quote(host, safe=":[]")


def _template_path(name: str) -> str:
    host, _, number = name.rpartition("/")
    return f"/v1/sites/{_quoted(host)}/templates/{_quoted(number)}"


def _date(text: str) -> str | None:
    try:
        return read_date(text)
    except LibraryError:
        return None  # a client needs no library


def _amount(text: str, is_price: bool) -> str | None:
    try:
        return read_number(text, is_price)
    except LibraryError:
        return None


def _number(text: str | None) -> float | None:
    return None if text is None else float(text)


def _of_reply(reply: Reply) -> Answer:
    """Return the result in the requested format; headers describe it."""
    headers = reply.headers
    return Answer(
        text=reply.body.decode("utf-8", "replace"),
        method=headers.get("X-Templated-Method", ""),
        template=headers.get("X-Templated-Cluster") or None,
        quality=headers.get("X-Templated-Quality", ""),
        confidence=_number(headers.get("X-Templated-Confidence")),
        reason=headers.get("X-Templated-Reason"),
        waiting=headers.get("X-Templated-Waiting"))


def _of_document(document: Mapping[str, Any], text: str) -> Answer:
    return Answer(
        text=text, method=document["method"], template=document["cluster"],
        quality=document["quality"], confidence=document["confidence"],
        reason=document.get("reason"),
        metadata=Metadata.of_document(document),
        waiting=document.get("waiting"))


def _of_line(line: bytes, metadata: bool) -> PageAnswer:
    row = json.loads(line)
    answer = error = None
    if "error" in row:
        error = DaemonError(row["error"]["code"], row["error"]["message"])
    elif metadata:
        answer = _of_document(row, row["text"])
    else:
        text = row["text"]
        answer = Answer(text, row["method"], row["cluster"], row["quality"],
                        row["confidence"], row.get("reason"))
    return PageAnswer(row["url"], answer, error, row.get("position"),
                      row.get("sequence"), row.get("type"), row.get("fetched"))


def _batch_line(page: BatchPage) -> bytes:
    url, html, charset = (*page, None)[:3]
    row: dict[str, str] = {} if url is None else {"url": url}
    if not isinstance(html, str):
        row["body"] = base64.b64encode(html).decode("ascii")
    else:
        row["html"] = html.encode("utf-8", "replace").decode()
    if charset is not None:
        row["charset"] = charset
    return json.dumps(row).encode() + b"\n"


def _record(page: BatchPage, date: str) -> bytes:
    """Return the page as a response record of WARC 1.1."""
    url, html, charset = (*page, None)[:3]
    if url is None:
        raise ValueError("a page that is stored has a URL")
    if not (url + (charset or "")).isprintable():
        raise ValueError(f"{url!r}, {charset!r}: neither breaks lines")
    if isinstance(html, str):
        html, charset = html.encode("utf-8", "replace"), "utf-8"
    type_ = "text/html" + ("" if charset is None else f"; charset={charset}")
    block = f"HTTP/1.1 200 OK\r\nContent-Type: {type_}\r\n\r\n".encode()
    block += html
    return (f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
            f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\n"
            f"WARC-Date: {date}\r\nContent-Length: {len(block)}\r\n"
            "Content-Type: application/http; msgtype=response\r\n\r\n"
            ).encode() + block + b"\r\n\r\n"


def _portions(pages: Iterable[BatchPage]) -> Iterator[list[bytes]]:
    portion: list[bytes] = []
    size = 0
    for page in pages:
        line = _batch_line(page)
        if portion and size + len(line) > PORTION_BYTES:
            yield portion
            portion, size = [], 0
        portion.append(line)
        size += len(line)
        if len(portion) == PORTION_PAGES:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


class Client:
    """A client of the daemon at `address`; any thread may use it.

    `address` is the path of the socket. The default is $TEMPLATED_SOCKET, the
    socket of a daemon of this user, or /run/templated/templated.sock. For TCP
    it is http://HOST:PORT or https://HOST:PORT, with a `token` from
    `templatectl token add`. If the daemon restarts or is busy, the client
    retries for `retry_timeout` seconds. It waits at most `timeout` seconds for
    bytes. Raises DaemonError with the code of the daemon, or UnreachableError
    if no daemon responds.
    """

    def __init__(self, address: str | os.PathLike[str] | None = None, *,
                 token: str | None = None, timeout: float = 60.0,
                 retry_timeout: float = 10.0,
                 tls: ssl.SSLContext | None = None) -> None:
        self._transport = Transport(Address.read(address, tls), token, timeout,
                                    retry_timeout)
        # of a template: types and transforms of its fields, when read
        self._types: dict[str, tuple[dict[str, tuple[str, str]], float]] = {}

    def close(self) -> None:
        """Close the connections; the next request opens a new one."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def request(self, method: str, path: str, body: Any = None,
                **arguments: Any) -> Any:
        """Send any request of openapi.yaml that returns JSON.

        `body` is sent as JSON; arguments that are None are omitted. A request
        that changes something is retried only if the daemon did not receive it.
        """
        data = None if body is None else json.dumps(body).encode()
        return self._transport.exchange(
            method, _target(path, arguments), data,
            None if data is None else "application/json",
            may_repeat=method == "GET").json()

    def status(self) -> dict[str, Any]:
        """Return version, counts, queues and processes of the daemon."""
        found: dict[str, Any] = self.request("GET", "/v1/status")
        return found

    def sites(self) -> list[Site]:
        """Return all sites."""
        found: list[Site] = self.request("GET", "/v1/sites")["sites"]
        return found

    def site(self, host: str) -> Site:
        """Return a site; `host` is the HOST of HOST/N."""
        found: Site = self.request("GET", "/v1/sites/" + _quoted(host))
        return found

    def watch(self, url: str, **settings: Any) -> Site:
        """Crawl and watch a site; settings: max_pages, delay_ms..."""
        found: Site = self.request("POST", "/v1/sites",
                                   {"url": url, **settings})
        return found

    def remove_site(self, host: str) -> None:
        """Delete a site and all its data."""
        self.request("DELETE", "/v1/sites/" + _quoted(host))

    def templates(self, host: str) -> list[Template]:
        """Return the templates of a site, most pages first."""
        found: list[Template] = self.request(
            "GET", f"/v1/sites/{_quoted(host)}/templates")["templates"]
        return found

    def template(self, name: str, *, version: int | None = None,
                 limit: int | None = None) -> dict[str, Any]:
        """Return what pages of "HOST/N" share; at most `limit` fragments."""
        found: dict[str, Any] = self.request(
            "GET", _template_path(name) + f"/versions/{version or 'current'}",
            limit=limit)
        return found

    def rename_template(self, template: str, name: str) -> str | None:
        """Give "HOST/N" a name and return it; "": derive the name again."""
        found: str | None = self.request(
            "POST", _template_path(template) + "/name", {"name": name})["name"]
        return found

    def pages(self, name: str) -> Iterator[PageRow]:
        """Yield the pages of the template "HOST/N"."""
        after = None
        while rows := self.request("GET", _template_path(name) + "/pages",
                                   limit=1000, after=after)["pages"]:
            yield from rows
            after = rows[-1]["url"]

    def patterns(self, host: str) -> list[dict[str, Any]]:
        """Return the URL patterns of a site, and which are saturated."""
        found: list[dict[str, Any]] = self.request(
            "GET", f"/v1/sites/{_quoted(host)}/patterns")["patterns"]
        return found

    def export(self, host: str, path: str | os.PathLike[str]) -> None:
        """Write the bundle of a site to a file, for templated.Bundle."""
        reply = self._transport.exchange(
            "GET", f"/v1/sites/{_quoted(host)}/bundle").check()
        with open(path, "wb") as file:
            file.write(reply.body)

    def ingest(self, archive: bytes, *, hosts: Iterable[str] = (),
               replace: bool = False) -> dict[str, Any]:
        """Store the pages of a web archive (WARC); return the report.

        With `hosts` (* matches any characters), store only pages of these
        hosts, and add their sites; without it the daemon adds only a few new
        sites. With `replace` also replace pages that the daemon fetched.
        """
        arguments = [("host", host) for host in hosts]
        if replace:
            arguments.append(("replace", "1"))
        target = "/v1/ingest"
        if arguments:
            target += "?" + urllib.parse.urlencode(arguments)
        report: dict[str, Any] = self._transport.exchange(
            "POST", target, archive, "application/warc").json()
        return report

    def upload(self, pages: Iterable[BatchPage], *,
               replace: bool = False) -> dict[str, Any]:
        """Store pages (url, html), as if the daemon had fetched them now.

        The daemon builds the templates of their sites, which need not be
        watched. All pages are sent in one request; return the report, like
        ingest(). Pages that the daemon fetched are replaced only with
        `replace`.
        """
        date = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        return self.ingest(b"".join(_record(page, date) for page in pages),
                           hosts=["*"], replace=replace)

    def text(self, url: str, *,
             fetch: Literal["never", "missing", "always"] | None = None,
             render: bool = False, metadata: bool = False,
             **options: Unpack[Options]) -> Answer:
        """Return the content of a page that is stored or can be fetched.

        With `render` the page is rendered in the browser of the daemon, unless
        it is stored as a rendered page.
        """
        return self._answer("GET", "/v1/text", None, metadata, options,
                            {"url": url, "fetch": fetch,
                             "render": "1" if render else None})

    def render(self, html: Html, url: str, *, offline: bool = False,
               wait: str | None = None, click: str | None = None,
               scroll: bool = False,
               screenshot: bool = False) -> dict[str, Any]:
        """Render HTML in the browser of the daemon; return html and requests.

        With `offline` the page loads nothing. With `wait` it is complete when
        this CSS selector matches. When it has settled, the first element that
        `click` matches is clicked, and with `scroll` it is scrolled to its end.
        With `screenshot` there is a picture of its top, as WebP in Base64.
        """
        charset = "utf-8" if isinstance(html, str) else None
        body = (html.encode("utf-8", "replace") if isinstance(html, str)
                else bytes(html))
        page: dict[str, Any] = self._transport.exchange(
            "POST", _target("/v1/render", {
                "url": url, "charset": charset, "wait": wait, "click": click,
                "scroll": "1" if scroll else None,
                "screenshot": "1" if screenshot else None,
                "offline": "1" if offline else None}),
            body, "text/html").json()
        return page

    def extract(self, html: Html, url: str | None = None, *,
                charset: str | None = None, metadata: bool = False,
                **options: Unpack[Options]) -> Answer:
        """Extract the content of the given HTML with the templates of its site.

        Metadata with another format than "txt" needs a second request.
        """
        if isinstance(html, str):
            html = html.encode("utf-8", "replace")
            charset = "utf-8"
        return self._answer("POST", "/v1/extract", bytes(html), metadata,
                            options, {"url": url, "charset": charset})

    def template_fields(self, template: str) -> list[FieldRow]:
        """Return the fields of "HOST/N"; DaemonError no_fields: it has none."""
        rows: list[FieldRow] = self.request(
            "GET", _template_path(template) + "/fields")["fields"]
        self._types[template] = (
            {row["name"]: (row["shown_type"], row["transform"])
             for row in rows}, time.monotonic())
        return rows

    def _fields(self, template: str, record: Mapping[str, Any]) -> Fields:
        types, read = self._types.get(template, ({}, -TYPES_S))
        if time.monotonic() - read >= TYPES_S or any(
                name not in types for name in record if name[:1] != "_"):
            self.template_fields(template)
            types, _ = self._types[template]
        return of_record(record, types, template, _amount, _date)

    def records(self, template: str, *, url: str | None = None,
                since: str | int | None = None) -> Iterator[Record]:
        """Yield the values of the fields of "HOST/N" on its stored pages.

        `since` is the sequence of the last record that you received, or a time
        in milliseconds. With `url` there is only the record of this page.
        """
        while True:
            reply = self._transport.exchange("GET", _target(
                _template_path(template) + "/records",
                {"url": url, "since": since, "limit": PORTION_RECORDS})).check()
            for line in reply.body.splitlines():
                row = json.loads(line)
                error = row.get("error")
                yield Record(
                    row["url"], None if error is not None else
                    self._fields(template, row["fields"]),
                    None if error is None else
                    DaemonError(error["code"], error["message"]),
                    row["seq"], row["fetched"])
            since = reply.headers.get("X-Templated-Seq")
            if since is None or url is not None:
                return

    def fields(self, html: Html | None = None, url: str | None = None, *,
               template: str | None = None,
               charset: str | None = None) -> Fields:
        """Return the values that the fields of its template have on a page.

        The page is the given HTML, or without `html` the stored page with this
        URL. `template` ("HOST/N") saves a request. The result is empty if the
        page has no template, or the template no fields. See Bundle.fields(); a
        date has no `iso` if libtemplated is not installed.
        """
        if html is None and url is None:
            raise TypeError("fields are of a page or of a URL")
        if isinstance(html, str):
            html = html.encode("utf-8", "replace")
            charset = "utf-8"
        if template is None:
            answer = (self.text(str(url), fetch="never") if html is None
                      else self.extract(html, url, charset=charset))
            template = answer.template
        if template is None:
            return Fields()
        try:
            if html is None:
                for record in self.records(template, url=url):
                    if record.error is not None:
                        raise record.error
                    if record.fields is not None:
                        return record.fields
                return Fields(template)
            row = self._transport.exchange("POST", _target(
                _template_path(template) + "/records",
                {"url": url, "charset": charset}), bytes(html),
                "text/html").json()
            return self._fields(template, row["fields"])
        except DaemonError as error:
            if error.code != "no_fields":
                raise
            return Fields(template)

    def _answer(self, method: str, path: str, body: bytes | None,
                metadata: bool, options: Options,
                arguments: dict[str, str | None]) -> Answer:
        def ask(changes: dict[str, str]) -> Reply:
            asked = {**arguments, **choices.query(options), **changes}
            return self._transport.exchange(
                method, _target(path, asked), body,
                None if body is None else "text/html").check()

        if not metadata:
            return _of_reply(ask({}))
        document = ask({"format": "json"}).json()
        if options.get("format") in (None, "txt"):
            return _of_document(document, document["text"])
        return _of_document(document, ask({}).body.decode("utf-8", "replace"))

    @staticmethod
    def _stream_arguments(metadata: bool, options: Options) -> dict[str, str]:
        arguments = choices.query(options)
        content = arguments.pop("format", "txt")
        if content == "json" or (metadata and content != "txt"):
            raise ValueError("lines have metadata of themselves (metadata="
                             "True), beside the text alone")
        arguments["content"] = "json" if metadata else content
        return arguments

    def texts(self, host: str, *, since: str | int | None = None,
              template: int | None = None, type: str | None = None,
              quality: str | None = None, confidence: float | None = None,
              metadata: bool = False,
              **options: Unpack[Options]) -> Iterator[PageAnswer]:
        """Yield the content of all stored pages of a site, as a stream.

        `since` is the sequence of the last page that you received, or a time in
        milliseconds. The stream continues after a restart of the daemon.
        """
        arguments = {"since": since, "template": template, "type": type,
                     "quality": quality, "confidence": confidence,
                     **self._stream_arguments(metadata, options)}
        path = f"/v1/sites/{_quoted(host)}/texts"
        while True:
            stream = self._transport.open(_target(path, arguments), {})
            try:
                for line in stream.lines():
                    page = _of_line(line, metadata)
                    arguments["since"] = page.sequence
                    yield page
                return
            except (OSError, http.client.HTTPException):
                pass  # the daemon stopped: all received lines were complete
            finally:
                stream.close()

    def batch(self, pages: Iterable[BatchPage], *, metadata: bool = False,
              **options: Unpack[Options]) -> Iterator[PageAnswer]:
        """Yield the content of many pages (url, html), in their order.

        They are sent in groups of some hundred pages. A page that fails has an
        error.
        """
        target = _target("/v1/extract/batch",
                         self._stream_arguments(metadata, options))
        before = 0
        for portion in _portions(pages):
            reply = self._transport.exchange(
                "POST", target, b"".join(portion),
                "application/x-ndjson").check()
            for line in reply.body.splitlines():
                page = _of_line(line, metadata)
                assert page.position is not None
                yield page._replace(position=page.position + before)
            before += len(portion)

    def incidents(self, *, site: str | None = None,
                  is_open: bool = False) -> list[Incident]:
        """Return the newest incidents of a site, or of all, oldest first."""
        reply = self._transport.exchange("GET", _target(
            "/v1/incidents", {"site": site, "open": int(is_open)})).check()
        found: list[Incident] = json.loads(reply.body)["incidents"]
        return found

    def events(self, *, since: int = 0, site: str | None = None,
               kinds: str | None = None) -> Iterator[Event]:
        """Yield the stored events after number `since`, oldest first.

        `kinds` is a list such as "template.*,guard.firing", or "alerts"; None:
        all.
        """
        while True:
            reply = self._transport.exchange("GET", _target(
                "/v1/events", {"since": since, "site": site, "kinds": kinds})
            ).check()
            lines = reply.body.splitlines()
            for line in lines:
                event: Event = json.loads(line)
                yield event
            if not lines:
                return
            since = int(reply.headers["X-Templated-Last"])

    def follow(self, *, since: int | None = None, site: str | None = None,
               kinds: str | None = None) -> EventStream:
        """Yield new events, from now on or after number `since`.

        Close the iterator with close(), which any thread may call.
        """
        return EventStream(
            self._transport,
            _target("/v1/events", {"site": site, "kinds": kinds}), since)

    def afollow(self, *, since: int | None = None, site: str | None = None,
                kinds: str | None = None) -> AsyncIterator[Event]:
        """Do the same in an event loop: async for event in client.afollow()."""
        return follow(
            self._transport,
            _target("/v1/events", {"site": site, "kinds": kinds}), since)
