"""Sites, templates and events: the JSON of the daemon, unchanged.

Responses may have more members than are declared here, never fewer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypedDict

from templated.answer import Answer
from templated.errors import DaemonError
from templated.fields import Fields


class Site(TypedDict):
    """A watched site."""

    host: str  # HOST in HOST/N, with the port if it is not the default
    url: str
    state: str  # "crawling", "selecting", "watching",
    #        "no_credentials"
    added: str | None  # RFC 3339, UTC
    seen: str | None
    pages: int
    templates: int
    pending: int
    generation: int  # the state of its templates
    measure: str
    threshold: float
    stale: bool
    blocked: bool


class PageRow(TypedDict):
    """A page of a template."""

    url: str
    title: str
    fetched: str | None
    bytes: int


class Template(TypedDict):
    """The pages that one template made."""

    name: str | None  # for people, unique in the site
    id: str  # HOST/N
    pages: int
    created: str | None
    changed: str | None
    has_template: bool  # the cluster has enough pages
    sample: list[dict[str, str]]  # url, title


class FieldRow(TypedDict):
    """A field of a template."""

    name: str
    type: str  # "text", "rich text", "number", "price", "date", "url"...
    shown_type: str  # the type before the transform
    transform: str  # "none", "number", "date", "url" or "join"
    items: str  # of "join": the transform of each value before
    parent: str | None  # the records that it is a field of
    list: bool  # some pages have several values
    origin: str  # "found" or "taught"
    fill: float  # 0..1: share of the sample pages with a value
    watched: bool  # a changed value is an event
    required: bool
    addresses: Sequence[str]  # for people; the first one with a value counts


class Record(NamedTuple):
    """The values of the fields of a template on a page, or an error."""

    url: str
    fields: Fields | None
    error: DaemonError | None = None
    sequence: str | None = None  # records continue after it
    fetched: str | None = None


class Incident(TypedDict):
    """What one cause has changed on a site."""

    id: int
    site: str
    kind: str  # of its alert: "incident.changed"...
    state: str  # "collecting", "open" or "ended"
    severity: str  # "alert", "notice" or "info"
    began: str
    last_finding: str
    sent: str | None
    ended: str | None
    findings: int
    alert: int | None  # the event that has reported it
    acknowledged: bool
    silenced: bool
    url: str | None
    summary: str  # a sentence for people


class Event(TypedDict):
    """A stored fact; alerts are the events that report incidents."""

    seq: int
    time: str
    kind: str  # "incident.changed", "template.changed"...
    site: str | None
    template_name: str | None
    cluster: str | None  # HOST/N
    other: str | None  # the cluster it became, or came from
    url: str | None
    pages: int
    alert: bool
    silenced: bool
    acknowledged: bool
    guard: int | None
    detail: dict[str, Any] | None  # the evidence


class PageAnswer(NamedTuple):
    """A page of a stream: its result, or an error."""

    url: str | None
    answer: Answer | None
    error: DaemonError | None = None
    position: int | None = None  # among the pages of a batch, from 1 on
    sequence: str | None = None  # a stream of a site continues after it
    type: str | None = None  # of a stream: "page", "error", "soft-404"...
    fetched: str | None = None
