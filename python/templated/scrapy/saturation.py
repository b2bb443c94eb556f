"""Saturation: templates of which a spider has enough pages. Pure."""

from __future__ import annotations

import collections
import re
import urllib.parse

NAME = re.compile(r"[A-Za-z_]{1,20}")
PAGES_OF_KIND = 3  # fewer pages do not predict the others


def kind_of(url: str) -> str:
    """Return the kind of a URL; URLs of a kind probably share a template.

    The kind of "http://a.example/news/2024/12/some-words.html?page=3" is
    "a.example/news/{n}/{n}/{w}.html?page": names of the first two folders stay.
    """
    parts = urllib.parse.urlsplit(url)
    segments = parts.path.rstrip("/").split("/")[1:]
    kinds = [segment if i < 2 and i + 1 < len(segments)
             and NAME.fullmatch(segment) else _form_of(segment)
             for i, segment in enumerate(segments)]
    names = sorted({name for name, _ in urllib.parse.parse_qsl(
        parts.query, keep_blank_values=True)})
    return "/".join([parts.netloc, *kinds]) + (
        "/" if parts.path.endswith("/") else "") + (
        "?" + "&".join(names) if names else "")


def _form_of(segment: str) -> str:
    stem, dot, ending = segment.rpartition(".")
    if not dot or not ending.isalnum():
        stem, dot, ending = segment, "", ""
    return ("{n}" if stem.isdecimal() else "{w}") + dot + ending


class Saturation:
    """Count the pages of each template, and the kinds of their URLs.

    `limit`: pages of a template that are enough; 0 = unlimited.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pages: collections.Counter[str] = collections.Counter()
        self._kinds: dict[str, collections.Counter[str | None]] = {}

    def learn(self, url: str, template: str | None) -> bool:
        """Count a page; return whether it saturates its template."""
        if self._limit == 0:
            return False
        kind = self._kinds.setdefault(kind_of(url), collections.Counter())
        kind[template] += 1
        if template is None:
            return False
        self._pages[template] += 1
        return self._pages[template] == self._limit

    def is_saturated(self, url: str) -> bool:
        """Return whether all pages of this kind have saturated templates."""
        kind = self._kinds.get(kind_of(url)) if self._limit else None
        return (kind is not None and kind.total() >= PAGES_OF_KIND
                and all(template is not None
                        and self._pages[template] >= self._limit
                        for template in kind))
