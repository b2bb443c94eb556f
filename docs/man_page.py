"""Convert a manual page of man/ to a page of the manual.

mandoc writes HTML. Its headings become Markdown headings, so that they appear in
the table of contents; the HTML between them is unchanged. References to missing
pages and sections lose their links.
"""

import re
import subprocess

HEADING = re.compile(r'<h([12]) class="S[hs]" id="([^"]*)"><a class="permalink" '
                     r'href="#[^"]*">(.*?)</a></h[12]>', re.S)
FRAME = re.compile(r'<table class="(?:head|foot)">.*?</table>|</?section[^>]*>',
                   re.S)
BODY = re.compile(r'<div class="manual-text">(.*)</div>\s*$', re.S)
REFERENCE = re.compile(r'<a class="Xr" href="([^"]*)\.html">(.*?)</a>', re.S)

PLACE = re.compile(r'<a class="[^"]*" href="#([^"]*)">(.*?)</a>', re.S)


def name_of(path):
    """Return templated.yaml-5 for man/templated.yaml.5."""
    name, _, section = path.name.rpartition(".")
    return f"{name}-{section}"


def raw(html):
    html = "\n".join(line for line in html.splitlines() if line.strip())
    return f"\n```{{raw}} html\n{html}\n```\n" if html else ""


def page(path, ours):
    """Return the page as Markdown; `ours` are the names of all pages."""
    html = subprocess.run(
        ["mandoc", "-T", "html", "-O", "fragment,man=%N-%S.html", str(path)],
        check=True, text=True, encoding="utf-8", capture_output=True).stdout
    html = BODY.search(FRAME.sub("", html)).group(1)
    html = REFERENCE.sub(lambda m: m.group(0) if m.group(1) in ours
                         else m.group(2), html)
    places = set(re.findall(r'id="([^"]*)"', html))
    html = PLACE.sub(lambda m: m.group(0) if m.group(1) in places
                     else m.group(2), html)
    before, *parts = HEADING.split(html)
    name, _, section = path.name.rpartition(".")
    out = [f"# {name}({section})\n", raw(before)]
    for level, place, title, body in zip(*[iter(parts)] * 4):
        title = " ".join(re.sub(r"<[^>]*>", "", title).split())
        title = title.capitalize() if title.isupper() else title
        out += [f"\n{'#' * (int(level) + 1)} {title}\n",
                raw(f'<span id="{place}"></span>\n{body}')]
    return "".join(out)
