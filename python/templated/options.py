"""Options of extraction: the same for pages, bundles and the daemon."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypedDict

Format = Literal["txt", "md", "json", "html", "xml", "explain"]


class Options(TypedDict, total=False):
    """Options that are missing or None have their default."""

    method: str | None  # "auto", or one of templated.methods()
    format: Format | None  # "txt"
    favor: Literal["balance", "precision", "recall"] | None
    scope: Literal["body", "page"] | None
    include: str | None  # CSS selectors: also the text in these elements
    exclude: str | None  # never the text in these elements
    parameters: Mapping[str, float | str] | None  # of the method
    comments: bool | Literal["apart"] | None  # readers' comments; apart: as a
    #                                           separate member in JSON
    tables: bool | None  # False: not the text in tables of data
    title: bool | None  # False: no heading that the text does not have
    images: bool | None  # also as a list in JSON
    links: bool | None  # the same
    front_matter: bool | None  # YAML before Markdown


NAMES = frozenset(Options.__annotations__)
TEXTS = ("method", "format", "favor", "scope", "include", "exclude")


def check(options: Mapping[str, Any]) -> None:
    """Raise TypeError for an unknown option."""
    for name in options:
        if name not in NAMES:
            raise TypeError(f"there is no option {name!r}: it is one of "
                            + ", ".join(sorted(NAMES)))


def words(options: Options) -> str:
    """Return the additional parts of the result: "comments,images"."""
    comments = options.get("comments")
    asked = {
        "comments": comments is True,
        "comments-apart": comments == "apart",
        "images": options.get("images"),
        "links": options.get("links"),
        "front-matter": options.get("front_matter"),
    }
    return ",".join(word for word, is_asked in asked.items() if is_asked)


def parameters(options: Options) -> list[str]:
    """Return "name=value" of each parameter."""
    given = options.get("parameters") or {}
    return [f"{name}={value}" for name, value in given.items()]


def without_tables(options: Options) -> bool:
    """Return whether the text in tables is left out."""
    return options.get("tables") is False


def without_title(options: Options) -> bool:
    """Return whether the title is not written before md and html."""
    return options.get("title") is False


def query(options: Options) -> dict[str, str]:
    """Return the arguments of a request to the daemon."""
    check(options)
    given: Mapping[str, Any] = options
    arguments = {name: given[name] for name in TEXTS if given.get(name)}
    arguments["param"] = ",".join(parameters(options))
    arguments["with"] = words(options)
    omitted = {"tables": without_tables(options),
               "title": without_title(options)}
    arguments["without"] = ",".join(
        word for word, is_omitted in omitted.items() if is_omitted)
    return {name: value for name, value in arguments.items() if value}
