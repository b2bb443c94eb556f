"""Extraction in this process: with a bundle, or of a page without template."""

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import queue
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, Unpack

from templated import options as choices
from templated.answer import SINGLE, Answer, Class, Metadata
from templated.errors import LibraryError
from templated.fields import Fields, Record, Value, read_record, read_value
from templated.library import (Choices, Error, Field, Found, Library, Limits,
                               Method, Page, failure, load, read_date,
                               read_number, text_of)
from templated.options import Options

Html: TypeAlias = str | bytes | bytearray | memoryview


class MethodRow(NamedTuple):
    """An extraction method."""

    name: str
    summary: str
    source: str  # the paper
    needs_template: bool


def _page(html: Html, url: str | None, charset: str | None) -> Page:
    if isinstance(html, str):
        body = html.encode("utf-8", "replace")
        charset = "utf-8"
    else:
        body = bytes(html)
    return Page(body, len(body), text_of(url), text_of(charset))


def _choices(given: Options) -> Choices:
    choices.check(given)
    rows = [text_of(row) for row in choices.parameters(given)]
    table = (ctypes.c_char_p * (len(rows) + 1))(*rows, None)
    row: Mapping[str, Any] = given
    texts = [text_of(row.get(name)) for name in choices.TEXTS]
    return Choices(*texts, table, False, choices.without_tables(given),
                   choices.without_title(given),
                   text_of(choices.words(given) or None))


def _metadata(library: Library, answer: int) -> Metadata:
    library.first_fact(answer, b"hostname")  # also reads the metadata

    def one(name: bytes, index: int = 0) -> str | None:
        value = library.metadata(answer, name, index)
        return None if value is None else value.decode("utf-8", "replace")

    def several(name: bytes) -> tuple[str, ...]:
        values: list[str] = []
        while (value := one(name, len(values))) is not None:
            values.append(value)
        return tuple(values)

    def fact(name: bytes) -> str | None:
        value = library.fact(answer, name)
        return None if value is None else value.decode("utf-8", "replace")

    return Metadata(
        **{name: one(name.encode()) for name in SINGLE},
        authors=several(b"author"), tags=several(b"tag"),
        categories=several(b"category"), hostname=fact(b"hostname"),
        excerpt=fact(b"excerpt"), word_count=int(fact(b"word_count") or 0),
        direction=fact(b"direction"), fingerprint=fact(b"fingerprint"))


def _answer(library: Library, answer: int, metadata: bool) -> Answer:
    confidence = library.answer_confidence(answer)
    return Answer(
        library.text(answer).decode("utf-8", "replace"),
        library.answer_method(answer).decode(),
        library.answer_template(answer).decode() or None,
        library.answer_quality(answer).decode(),
        None if math.isnan(confidence) else confidence,
        library.answer_reason(answer).decode("utf-8", "replace"),
        _metadata(library, answer) if metadata else None)


def _extract(handle: int | None, page: Page, given: Options,
             metadata: bool, fields: bool = False) -> Answer:
    library = load()
    error = Error()
    asked = ctypes.byref(_choices(given)) if given else None
    answer = library.extract(handle, ctypes.byref(page), asked,
                             ctypes.byref(error))
    if not answer:
        raise failure(error)
    try:
        result = _answer(library, answer, metadata)
        return result if not fields else result._replace(
            fields=_fields(library, library.answer_fields(handle, answer)))
    finally:
        library.free(answer)


def _values(field: Field) -> Value | list[Value]:
    kind = field.type.decode()
    transform = field.transform.decode()
    values = [read_value(kind, transform,
                         field.values[i].decode("utf-8", "replace"),
                         read_number, read_date) for i in range(field.count)]
    return values[0] if len(values) == 1 else values


def _shown(kind: str, text: str) -> Value:
    """Return a value that has no transform."""
    return read_value(kind, "none", text, read_number, read_date)


def _fields(library: Library, record: int) -> Fields:
    """Return the fields of a record, and free it."""
    fields = Fields(library.record_template(record).decode() or None)
    kinds: dict[str, str] = {}
    records: dict[str, list[Record]] = {}
    unsure = set()
    field = Field()
    index = 0
    try:
        while library.field(record, index, ctypes.byref(field)):
            name = field.name.decode("utf-8", "replace")
            kinds[name] = field.type.decode()
            if field.is_unsure:
                unsure.add(name)
            if kinds[name] == "records" and field.count > 0:
                records[name] = [json.loads(field.values[i])
                                 for i in range(field.count)]
            elif (field.count > 0 or field.is_unsure) and not (
                    field.parent or kinds[name] == "records"):
                into = fields.unsure if field.is_unsure else fields
                into[name] = _values(field)
            index += 1
    finally:
        library.record_free(record)
    for name, rows in records.items():
        is_unsure = any(one == name or one.startswith(name + ".")
                        for one in unsure)
        into = fields.unsure if is_unsure else fields
        into[name] = [read_record(row, name, kinds, _shown) for row in rows]
    return fields


def _read_fields(handle: int, page: Page) -> Fields:
    library = load()
    error = Error()
    record = library.fields(handle, ctypes.byref(page), ctypes.byref(error))
    if not record:
        raise failure(error)
    return _fields(library, record)


def extract(html: Html, url: str | None = None, *, charset: str | None = None,
            metadata: bool = False, **options: Unpack[Options]) -> Answer:
    """Extract the content of one page, like `templatectl extract`.

    `charset` comes from the Content-Type header; without it bytes are decoded
    as the page declares. With `metadata` the result contains the metadata. Any
    number of threads may call this at the same time.

    >>> print(templated.extract("<p>Some words of a page.</p>"))
    Some words of a page.
    <BLANKLINE>
    """
    return _extract(None, _page(html, url, charset), options, metadata)


def methods() -> list[MethodRow]:
    """Return all extraction methods."""
    library = load()
    rows: list[MethodRow] = []
    method = Method()
    while library.method(len(rows), ctypes.byref(method)):
        rows.append(MethodRow(method.name.decode(), method.summary.decode(),
                              method.source.decode(), method.needs_template))
    return rows


def version() -> str:
    """Return the version of the library: "0.1.0"."""
    return str(load().version().decode())


class Bundle:
    """The templates of a site, from `templatectl export HOST -o FILE`.

    Pages are classified and extracted byte for byte like by the daemon that
    made the bundle. Any thread may call; up to `threads` calls run at the same
    time, others wait. Each of these threads uses the memory of the bundle
    again. The limits are the fields of struct templated_limits. Call close(),
    or use `with`.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *,
                 data: bytes | None = None, threads: int = 1,
                 max_unpacked_bytes: int = 0, max_page_bytes: int = 0,
                 max_page_nodes: int = 0, max_learned_bytes: int = 0) -> None:
        self._threads = 0
        if (path is None) == (data is None):
            raise TypeError("a bundle is of a path or of data")
        if data is None:
            assert path is not None
            with open(path, "rb") as file:
                data = file.read()
        limits = Limits(max_unpacked_bytes, max_page_bytes, max_page_nodes,
                        max_learned_bytes)
        self._library = load()
        self._handles: queue.LifoQueue[int | None] = queue.LifoQueue()
        for _ in range(threads):
            self._open(data, limits)

    def _open(self, data: bytes, limits: Limits) -> None:
        error = Error()
        handle = self._library.open_memory(data, len(data),
                                           ctypes.byref(limits),
                                           ctypes.byref(error))
        if not handle:
            self.close()
            raise failure(error)
        self._handles.put(handle)
        self._threads += 1

    @contextlib.contextmanager
    def _handle(self) -> Iterator[int]:
        handle = self._handles.get()
        try:
            if handle is None:
                raise LibraryError("closed", "the bundle is closed")
            yield handle
        finally:
            self._handles.put(handle)

    def close(self) -> None:
        """Wait for running calls and free the memory; repeating is a no-op."""
        handles = [self._handles.get() for _ in range(self._threads)]
        for handle in handles:
            self._library.close(handle)
        if handles:
            self._threads = 0
            self._handles.put(None)

    def __enter__(self) -> Bundle:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()

    def describe(self) -> dict[str, Any]:
        """Return site, pages and templates: see libtemplated(3)."""
        with self._handle() as handle:
            text = self._library.describe(handle)
        described: dict[str, Any] = json.loads(text)
        return described

    def template(self, name: str) -> dict[str, Any] | None:
        """Return the newest version of "HOST/N", or None."""
        with self._handle() as handle:
            text = self._library.template(handle, text_of(name))
        return None if text is None else json.loads(text)

    def classify(self, html: Html, url: str | None = None, *,
                 charset: str | None = None) -> Class:
        """Return the template of a page; the site is assumed without a URL."""
        page = _page(html, url, charset)
        found = Found()
        error = Error()
        with self._handle() as handle:
            is_done = self._library.classify(
                handle, ctypes.byref(page), ctypes.byref(found),
                ctypes.byref(error))
        if not is_done:
            raise failure(error)
        return Class(found.id.decode() or None, found.pages, found.distance,
                     found.reach, found.confidence)

    def extract(self, html: Html, url: str | None = None, *,
                charset: str | None = None, metadata: bool = False,
                fields: bool = False,
                **options: Unpack[Options]) -> Answer:
        """Extract the content of a page, with its template.

        With `metadata` and `fields` the result contains these.
        """
        page = _page(html, url, charset)
        with self._handle() as handle:
            return _extract(handle, page, options, metadata, fields)

    def fields(self, html: Html, url: str | None = None, *,
               charset: str | None = None) -> Fields:
        """Return the values that the fields of its template have on a page.

        They are typed: str, Amount (numbers and prices) or Date; a field with
        several values has a list, and records, such as comments, are a list of
        dictionaries. The result of a page without template is
        empty. The site is assumed without a URL.

        >>> bundle.fields(html, url)["price"]
        Amount(text='£12.99', amount=Decimal('12.99'), currency='GBP')
        """
        page = _page(html, url, charset)
        with self._handle() as handle:
            return _read_fields(handle, page)
