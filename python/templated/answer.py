"""Results: the content of a page, its metadata, quality and confidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from templated.fields import Fields


class Metadata(NamedTuple):
    """Values that a page declares about itself, and facts of its content."""

    title: str | None = None
    authors: tuple[str, ...] = ()
    published: str | None = None
    modified: str | None = None
    site_name: str | None = None
    language: str | None = None
    description: str | None = None
    image: str | None = None
    canonical: str | None = None
    tags: tuple[str, ...] = ()
    page_type: str | None = None
    categories: tuple[str, ...] = ()
    licence: str | None = None
    favicon: str | None = None
    hostname: str | None = None
    excerpt: str | None = None  # 300 characters at most
    word_count: int = 0  # in Han, kana, Thai and the like: letters
    direction: str | None = None  # "ltr", "rtl"
    fingerprint: str | None = None  # 16 hexadecimal digits: a simhash

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Metadata:
        """Read the JSON of the daemon (format "json")."""
        declared = document["metadata"]

        def one(name: str) -> str | None:
            row = declared[name]
            return None if row is None else str(row["value"])

        def several(name: str) -> tuple[str, ...]:
            return tuple(str(row["value"]) for row in declared[name])

        return cls(
            **{name: one(name) for name in SINGLE},
            authors=several("authors"), tags=several("tags"),
            categories=several("categories"),
            hostname=document["hostname"] or None,
            excerpt=document["excerpt"] or None,
            word_count=document["word_count"],
            direction=document["direction"],
            fingerprint=document["fingerprint"])

    def as_dict(self) -> dict[str, Any]:
        """Return {name: value} of all fields, with lists instead of tuples."""
        return {name: list(value) if isinstance(value, tuple) else value
                for name, value in self._asdict().items()}


SINGLE = ("title", "published", "modified", "site_name", "language",
          "description", "image", "canonical", "page_type", "licence",
          "favicon")


class Answer(NamedTuple):
    """The content of a page, in the requested format."""

    text: str
    method: str  # the method used: "auto" or another one
    template: str | None  # "HOST/N"; None: no template
    quality: str  # "ok", "listing", "truncated", "unsure", "empty", "js-only",
    #               "blocked", "not-html"
    confidence: float | None  # 0..1; None: the method has no confidence
    reason: str | None = None  # of the result; None: unknown
    metadata: Metadata | None = None  # if it was requested
    #: ISO 8601 time since when visits of the page return something else, as
    #: in an outage; `text` is that of the last good page. None: they do not
    waiting: str | None = None
    fields: Fields | None = None  # of its template, if they were requested

    def __str__(self) -> str:
        return self.text


class Class(NamedTuple):
    """The template of a page."""

    template: str | None  # "HOST/N"; None: no template
    pages: int  # known pages of that template
    distance: float  # 0..1, to the nearest page of the site
    reach: float  # 0..1: more distant pages have no template
    confidence: float  # 0..1: 1 - distance / reach; 0: no template
