"""The functions of trafilatura 2, implemented with templated.

    from templated.compat.trafilatura import extract, bare_extraction

Formats, options and names are as in trafilatura; the texts are templated's.
Options without meaning here (`fast`, `no_fallback`) are accepted and ignored.
Options that cannot be honoured raise NotImplementedError.
Nothing is fetched: there is no fetch_url.

Other differences: links are always Markdown; language and date are declared by
the page, never guessed; `fingerprint` differs; in "csv" an apostrophe
precedes a cell that a spreadsheet would evaluate (`=1+1`); in text and Markdown
the comments are at their place in the page.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import re
from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

from templated.answer import Answer, Metadata
from templated.bundle import extract as extract_page
from templated.errors import LibraryError
from templated.options import Format, Options

Html: TypeAlias = str | bytes
FORMATS: Mapping[str, Format] = {"txt": "txt", "markdown": "md",
                                 "html": "html", "xmltei": "xml",
                                 "json": "json", "csv": "json",
                                 "python": "json"}
INSTEAD = {
    "xml": "use xmltei, html or json",
    "tei_validation": "the TEI of xmltei is well-formed; validate it yourself",
    "deduplicate": "compare the fingerprints of documents",
    "date_extraction_params": "dates are those that the page declares",
    "max_tree_size": "pages are cut at 10,000,000 bytes or 200,000 elements",
    "settingsfile": "use the options of templated.extract",
    "config": "use the options of templated.extract",
    "options": "give them by their names",
    "prune_xpath": "use templated.extract(html, exclude=CSS)",
}


def _refuse(given: Mapping[str, object]) -> None:
    for name, value in given.items():
        if value:
            raise NotImplementedError(
                f"{name} is not of templated: {INSTEAD[name]}")


@dataclasses.dataclass
class Document:
    """The fields of trafilatura's Document, without its trees (body)."""

    title: str | None = None
    author: str | None = None
    url: str | None = None
    hostname: str | None = None
    description: str | None = None
    sitename: str | None = None
    date: str | None = None
    categories: list[str] | None = None
    tags: list[str] | None = None
    fingerprint: str | None = None
    id: str | None = None
    license: str | None = None
    comments: str | None = None
    raw_text: str | None = None
    text: str | None = None
    language: str | None = None
    image: str | None = None
    pagetype: str | None = None
    filedate: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return {name: value}."""
        return dataclasses.asdict(self)


# The metadata before text and Markdown, if with_metadata is set.
HEAD = ("title", "author", "url", "hostname", "description", "sitename",
        "date", "categories", "tags", "fingerprint", "id", "license")
CSV = ("url", "id", "fingerprint", "hostname", "title", "image", "date",
       "text", "comments", "license", "pagetype")
# Blanks, marks without width and quotation marks, then an operator.
FORMULA = re.compile(
    r"[\t\r\n]|[\0- \"'`\x7f-\xa0\xab\xad\xbb\u1680\u180e\u2000-\u200f"
    r"\u2018-\u201f\u2028-\u202f\u2039\u203a\u205f-\u2069\u3000\ufeff\uff02"
    r"\uff07]*[=+\-@\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]")
NUMBER = re.compile(r"[-+]?[0-9]+([.,][0-9]+)*%?")


@dataclasses.dataclass
class _Wishes:
    """The conditions on a page, and the requested parts."""

    url: str | None
    record_id: str | None
    with_metadata: bool
    only_with_metadata: bool
    target_language: str | None
    url_blacklist: Collection[str]
    author_blacklist: Collection[str]

    def document(self, metadata: Metadata) -> Document | None:
        """Return None if the page does not meet the conditions."""
        authors = [author for author in metadata.authors
                   if author not in self.author_blacklist]
        date = metadata.published or metadata.modified
        document = Document(
            title=metadata.title, author="; ".join(authors) or None,
            url=metadata.canonical or self.url, hostname=metadata.hostname,
            description=metadata.description, sitename=metadata.site_name,
            date=None if date is None else date[:10],
            categories=list(metadata.categories), tags=list(metadata.tags),
            fingerprint=metadata.fingerprint, id=self.record_id,
            license=metadata.licence, language=metadata.language,
            image=metadata.image, pagetype=metadata.page_type)
        return document if self._is_wanted(document) else None

    def _is_wanted(self, document: Document) -> bool:
        if document.url in self.url_blacklist:
            return False
        if self.only_with_metadata and None in (document.date, document.title,
                                                document.url):
            return False
        declared = (document.language or "").partition("-")[0].lower()
        return (not self.target_language or not declared
                or declared == self.target_language.lower())


def _options(favor_precision: bool, favor_recall: bool, include_tables: bool,
             include_images: bool, include_links: bool) -> Options:
    return {"favor": "recall" if favor_recall
            else "precision" if favor_precision else None,
            "tables": include_tables, "images": include_images,
            "links": include_links}


def _read(html: Html, url: str | None, options: Options) -> Answer | None:
    if not isinstance(html, (str, bytes)):
        raise NotImplementedError("give the page as str or bytes, "
                                  f"not as {type(html).__name__}")
    try:
        return extract_page(html, url, metadata=True, **options)
    except LibraryError as error:
        if error.code == "not_html":
            return None
        raise


def _read_apart(html: Html, options: Options, wishes: _Wishes,
                comments: bool) -> Document | None:
    """Return the document with text and comments apart; None: it has no
    content, or does not meet the conditions."""
    options = options.copy()
    options["format"] = "json"
    options["comments"] = "apart" if comments else None
    answer = _read(html, wishes.url, options)
    if answer is None or answer.metadata is None:
        return None
    content = json.loads(answer.text)
    document = wishes.document(answer.metadata)
    if document is None or not (content["text"].strip()
                                or content["comments"]):
        return None
    document.text = document.raw_text = content["text"].strip()
    document.comments = (content["comments"] or "").strip()
    return document


def _json(document: Document, with_metadata: bool) -> str:
    row = document.as_dict()
    if with_metadata:
        row["source"] = row.pop("url")
        row["source-hostname"] = row.pop("sitename")
        row["excerpt"] = row.pop("description")
        for name in ("categories", "tags"):
            row[name] = ";".join(row[name] or [])
    else:
        row = {"text": row["text"], "comments": row["comments"]}
    return json.dumps(row, ensure_ascii=False)


def _cell(text: str) -> str:
    """Return the text, with an apostrophe if a spreadsheet would evaluate it:
    the rule of the daemon's CSV."""
    is_formula = FORMULA.match(text) and not NUMBER.fullmatch(text)
    return "'" + text if is_formula else text


def _csv(document: Document) -> str:
    row = document.as_dict()
    out = io.StringIO()
    csv.writer(out, delimiter="\t").writerow(
        [_cell(row[name] or "null") for name in CSV])
    return out.getvalue()


def _head(document: Document) -> str:
    rows = [f"{name}: {value}\n" for name, value in document.as_dict().items()
            if name in HEAD and value]
    return "---\n" + "".join(rows) + "---\n"


def extract(filecontent: Html, url: str | None = None,
            record_id: str | None = None, fast: bool = False,
            no_fallback: bool = False, favor_precision: bool = False,
            favor_recall: bool = False, include_comments: bool = True,
            output_format: str = "txt", tei_validation: bool = False,
            target_language: str | None = None, include_tables: bool = True,
            include_images: bool = False, include_formatting: bool = False,
            include_links: bool = False, deduplicate: bool = False,
            date_extraction_params: Mapping[str, Any] | None = None,
            with_metadata: bool = False, only_with_metadata: bool = False,
            max_tree_size: int | None = None,
            url_blacklist: Collection[str] | None = None,
            author_blacklist: Collection[str] | None = None,
            settingsfile: str | None = None, prune_xpath: Any = None,
            config: Any = None, options: Any = None) -> str | None:
    """Extract the content in a format; None: no content, or conditions not met.

    `output_format`: "txt", "markdown", "json", "csv", "html", "xmltei". Text
    with formatting, links or images is Markdown, as in trafilatura.
    """
    _refuse({"xml": output_format == "xml", "tei_validation": tei_validation,
             "deduplicate": deduplicate, "prune_xpath": prune_xpath,
             "date_extraction_params": date_extraction_params,
             "max_tree_size": max_tree_size, "settingsfile": settingsfile,
             "config": config, "options": options})
    if output_format not in FORMATS or output_format == "python":
        raise ValueError(f"there is no output_format {output_format!r}")
    wishes = _Wishes(url, record_id, with_metadata, only_with_metadata,
                     target_language, url_blacklist or (),
                     author_blacklist or ())
    asked = _options(favor_precision, favor_recall, include_tables,
                     include_images, include_links)
    if FORMATS[output_format] == "json":
        document = _read_apart(filecontent, asked, wishes, include_comments)
        if document is None:
            return None
        return (_csv(document) if output_format == "csv"
                else _json(document, with_metadata or only_with_metadata))
    if output_format == "txt" and (include_formatting or include_links
                                   or include_images):
        output_format = "markdown"
    asked["comments"] = include_comments
    return _extract_text(filecontent, output_format, wishes, asked)


def _extract_text(html: Html, output_format: str, wishes: _Wishes,
                  asked: Options) -> str | None:
    asked["format"] = FORMATS[output_format]
    answer = _read(html, wishes.url, asked)
    if answer is None or answer.metadata is None:
        return None
    document = wishes.document(answer.metadata)
    if document is None or answer.quality == "empty":
        return None
    text = answer.text.strip()
    if wishes.with_metadata and output_format in ("txt", "markdown"):
        text = _head(document) + text
    return text or None


def bare_extraction(filecontent: Html, url: str | None = None,
                    fast: bool = False, no_fallback: bool = False,
                    favor_precision: bool = False, favor_recall: bool = False,
                    include_comments: bool = True,
                    output_format: str = "python",
                    target_language: str | None = None,
                    include_tables: bool = True, include_images: bool = False,
                    include_formatting: bool = False,
                    include_links: bool = False, deduplicate: bool = False,
                    date_extraction_params: Mapping[str, Any] | None = None,
                    with_metadata: bool = False,
                    only_with_metadata: bool = False,
                    max_tree_size: int | None = None,
                    url_blacklist: Collection[str] | None = None,
                    author_blacklist: Collection[str] | None = None,
                    as_dict: bool = False, prune_xpath: Any = None,
                    config: Any = None, options: Any = None
                    ) -> Document | dict[str, Any] | None:
    """Extract content and metadata; None as for extract().

    With formatting, links or images the text is Markdown, otherwise plain.
    """
    _refuse({"xml": output_format.startswith("xml"),
             "deduplicate": deduplicate, "prune_xpath": prune_xpath,
             "date_extraction_params": date_extraction_params,
             "max_tree_size": max_tree_size, "config": config,
             "options": options})
    wishes = _Wishes(url, None, with_metadata, only_with_metadata,
                     target_language, url_blacklist or (),
                     author_blacklist or ())
    asked = _options(favor_precision, favor_recall, include_tables,
                     include_images, include_links)
    document = _read_apart(filecontent, asked, wishes, include_comments)
    if document is None:
        return None
    if include_formatting or include_links or include_images:
        asked["format"] = "md"
        document.text = extract_page(filecontent, url, **asked).text.strip()
    return document.as_dict() if as_dict else document


def extract_metadata(filecontent: Html, default_url: str | None = None,
                     date_config: Mapping[str, Any] | None = None,
                     extensive: bool = True,
                     author_blacklist: Collection[str] | None = None
                     ) -> Document | None:
    """Return the values that a page declares about itself, without content."""
    _refuse({"date_extraction_params": date_config})
    wishes = _Wishes(default_url, None, True, False, None, (),
                     author_blacklist or ())
    answer = _read(filecontent, default_url, {"method": "plain"})
    if answer is None or answer.metadata is None:
        return None
    return wishes.document(answer.metadata)


def html2txt(content: Html, clean: bool = True) -> str:
    """Return all text of the page."""
    answer = _read(content, None, {"method": "plain"})
    return "" if answer is None else answer.text.strip()
