"""trafilatura's calls: its formats and names, with templated's texts."""

import csv
import io
import json

import pytest

import templated
from templated.compat import trafilatura

URL = "http://a.example/p"
TEXT = ("Some words of a page that are long enough to be its text, and more of"
        " them so that it is content.")
COMMENT = "I like this page very much, says Bob, who reads it."
HTML = f"""<html lang=en><head><title>Of pages</title>
<meta property="article:published_time" content="2024-02-03T10:00:00Z">
<meta name=author content="Ann Lee"><meta name=keywords content="red, green">
</head><body><article><h1>Of pages</h1>
<p>{TEXT.replace("page", "<b>page</b>")} <a href="/x">See more</a></p>
<p>Another paragraph of the article, which goes on for a while.</p>
<table><tr><td>A small hat of felt, for the head of a child, is 12 crowns.
<td>It is sold by two shops of the town, and by nobody else.
<tr><td>A large one of the same felt, but of another maker, 15 crowns.
<td>The shops have none of these before the end of the year.</table>
</article><div id=comments class="comments"><h3>1 comment</h3>
<div class=comment><p>{COMMENT}</p></div></div></body></html>"""


def test_text_is_that_of_templated():
    assert trafilatura.extract(HTML, URL, include_comments=False) == (
        templated.extract(HTML, URL).text.strip())
    assert trafilatura.extract(HTML, favor_recall=True) == (
        templated.extract(HTML, favor="recall", comments=True).text.strip())
    assert COMMENT in trafilatura.extract(HTML)
    assert COMMENT not in trafilatura.extract(HTML, include_comments=False)
    assert "crowns" in trafilatura.extract(HTML)
    assert "crowns" not in trafilatura.extract(HTML, include_tables=False)


def test_formats():
    markdown = trafilatura.extract(HTML, URL, output_format="markdown")
    assert "**page**" in markdown and "(http://a.example/x)" in markdown
    assert trafilatura.extract(HTML, URL, include_formatting=True) == markdown
    assert "<b>page</b>" in trafilatura.extract(HTML, output_format="html")
    assert "<TEI " in trafilatura.extract(HTML, output_format="xmltei")
    head = trafilatura.extract(HTML, URL, with_metadata=True)
    assert head.startswith("---\ntitle: Of pages\nauthor: Ann Lee\n"
                           f"url: {URL}\nhostname: a.example\n")


def test_json_and_csv():
    assert set(json.loads(trafilatura.extract(
        HTML, output_format="json"))) == {"text", "comments"}
    row = json.loads(trafilatura.extract(
        HTML, URL, "n7", output_format="json", with_metadata=True))
    assert (row["title"], row["author"], row["date"], row["source"],
            row["id"], row["tags"], row["language"]) == (
        "Of pages", "Ann Lee", "2024-02-03", URL, "n7", "red;green", "en")
    assert TEXT in row["text"] and row["comments"] == COMMENT
    assert COMMENT not in row["text"]
    rows = list(csv.reader(io.StringIO(trafilatura.extract(
        HTML, URL, output_format="csv")), delimiter="\t"))
    assert len(rows) == 1 and rows[0][0] == URL and rows[0][1] == "null"
    assert rows[0][4] == "Of pages" and TEXT in rows[0][7]


def test_csv_has_no_formulas():
    page = HTML.replace("Of pages", "=HYPERLINK(1)")
    rows = list(csv.reader(io.StringIO(trafilatura.extract(
        page, URL, output_format="csv")), delimiter="\t"))
    assert rows[0][4] == "'=HYPERLINK(1)"
    cells = {"=1": "'=1", "\t1": "'\t1", " \u201c-1+1": "' \u201c-1+1",
             "\uff20a": "'\uff20a", "-12.5": "-12.5", "+3%": "+3%",
             "a=1": "a=1", "-": "'-", "": ""}
    assert {text: trafilatura._cell(text) for text in cells} == cells


def test_bare_extraction_and_metadata():
    document = trafilatura.bare_extraction(HTML, URL)
    assert (document.title, document.date) == ("Of pages", "2024-02-03")
    assert TEXT in document.text and document.comments == COMMENT
    row = trafilatura.bare_extraction(HTML, URL, as_dict=True,
                                      include_formatting=True)
    assert "**page**" in row["text"] and row["hostname"] == "a.example"
    about = trafilatura.extract_metadata(HTML, URL)
    assert (about.title, about.tags, about.text) == (
        "Of pages", ["red", "green"], None)
    assert trafilatura.extract_metadata(
        HTML, author_blacklist={"Ann Lee"}).author is None
    assert COMMENT in trafilatura.html2txt(HTML)


def test_what_is_not_wanted_is_none():
    for options in ({"target_language": "de"}, {"url_blacklist": {URL}}):
        assert trafilatura.extract(HTML, URL, **options) is None
    assert trafilatura.extract(HTML, URL, target_language="en")
    assert trafilatura.extract(HTML, URL, only_with_metadata=True)
    assert trafilatura.extract(HTML, only_with_metadata=True) is None
    for nothing in ("", "<html></html>", b"\x89PNG\r\n\x1a\n\0\0\0"):
        assert trafilatura.extract(nothing) is None
        assert trafilatura.bare_extraction(nothing) is None


@pytest.mark.parametrize("options, hint", [
    ({"output_format": "xml"}, "xmltei"),
    ({"deduplicate": True}, "fingerprint"),
    ({"prune_xpath": "//aside"}, "exclude=CSS"),
    ({"settingsfile": "x.cfg"}, "templated.extract"),
    ({"max_tree_size": 9}, "200,000 elements"),
    ({"date_extraction_params": {"original_date": True}}, "declares"),
    ({"output_format": "xmltei", "tei_validation": True}, "validate"),
])
def test_what_cannot_be_honoured_is_refused(options, hint):
    with pytest.raises(NotImplementedError, match=hint):
        trafilatura.extract(HTML, **options)


def test_mistakes():
    with pytest.raises(ValueError, match="'pdf'"):
        trafilatura.extract(HTML, output_format="pdf")
    with pytest.raises(NotImplementedError, match="not as list"):
        trafilatura.extract([HTML])
    with pytest.raises(TypeError):
        trafilatura.extract(HTML, include_pictures=True)
