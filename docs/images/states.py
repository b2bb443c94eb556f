#!/usr/bin/env python3
"""Draw the state tables of the manual as pictures.

usage: states.py [--check]

Writes NAME.svg beside this file for each table below. --check fails if a picture differs from its
table, or if a state of the C sources is missing in a table.
"""
import html
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
WIDTH, HEIGHT, DX, DY = 150, 46, 250, 130   # of a box; between two boxes

# A table: boxes {state: (column, row)}, arrows (from, to, label, bend in pixels, place of the label on the arrow).
TABLES = {
    "site-states": (
        {"ok": (1, 0), "alternating": (3, 0), "unreachable": (0, 2), "blocked": (1, 2), "missing": (2, 2),
         "moved": (3, 2)},
        [("ok", "alternating", "pages change back and forth", -34, .5), ("alternating", "ok", "six calm rounds", -34, .5),
         ("ok", "unreachable", "5xx, 429, 401, 403", 0, .78), ("ok", "blocked", "one document everywhere", 0, .78),
         ("ok", "missing", "404 everywhere", 0, .78), ("ok", "moved", "another host", 0, .78),
         ("blocked", "ok", "a page is returned", -110, .62)]),
    "incident-states": (
        {"collecting": (0, 0), "sent": (1, 0), "growing": (2, 0), "ended": (1, 1)},
        [("collecting", "sent", "alert", 0, .5), ("sent", "growing", "new finding", -24, .5),
         ("growing", "sent", "incident.updated", -24, .5), ("collecting", "ended", "undone", 0, .5),
         ("sent", "ended", "calm, or resolved", 0, .5)]),
    "template-states": (
        {"unknown": (0, 0), "sampling": (1, 0), "checking": (3, 0), "split_pending": (1, 1), "rechecking": (3, 1),
         "migrating": (3, 2), "retired": (1, 2)},
        [("unknown", "sampling", "new", 0, .4), ("sampling", "checking", "a page differs", -34, .5),
         ("checking", "sampling", "unchanged, or a new version", -34, .5),
         ("checking", "split_pending", "pages of two templates", 0, .5),
         ("split_pending", "rechecking", "still so after a round", -34, .5),
         ("rechecking", "split_pending", "more pages are needed", -34, .5),
         ("split_pending", "sampling", "unchanged, or split", 0, .5),
         ("rechecking", "retired", "all pages removed", 0, .5),
         ("rechecking", "migrating", "replaced, merged", 0, .5), ("migrating", "retired", "its pages have arrived", 0, .5),
         ("retired", "sampling", "its pages are back", -330, .5)]),
    "guard-states": (
        {"ok": (0, 0), "checking": (1, 0), "firing": (2, 0), "alternates": (1, 1), "unmatched": (2, 1)},
        [("ok", "checking", "2 of 3 fail", -24, .5), ("checking", "ok", "few fail", -24, .5),
         ("checking", "firing", "most fail", 0, .5), ("checking", "alternates", "they match now", 0, .5),
         ("alternates", "ok", "after some time", 0, .5), ("firing", "unmatched", "pages removed", 0, .5)]),
}
# Where the C sources name the states of a table.
SOURCES = {
    "site-states": ("store/rows.h", r'X\(SITE_STATE_\w+, \d+, "([a-z]+)"\)'),
    "template-states": ("daemon/watch/decide.h", r"^\tWATCH_((?!NEVER|STATES)\w+),"),
}
STYLE = ("text{font:14px sans-serif;fill:#222}path{stroke:#557;fill:none;stroke-width:1.5}rect{fill:#eef2fa;stroke:#557}"
         ".state{font-weight:bold}.tip{fill:#557}.label{paint-order:stroke;stroke:#fff;stroke-width:5px}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}rect{fill:#223}path{stroke:#99c}.tip{fill:#99c}"
         ".label{stroke:#111}}")


def centre(place):
    return place[0] * DX + 100, place[1] * DY + 60


def edge(a, b):
    """The point on the box around a towards b."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    scale = min(WIDTH / 2 / abs(dx) if dx else 9, HEIGHT / 2 / abs(dy) if dy else 9)
    return a[0] + dx * scale, a[1] + dy * scale


def arrow(start, end, label, bend, at):
    x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
    length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** .5
    x, y = x - bend * (end[1] - start[1]) / length, y + bend * (end[0] - start[0]) / length
    first, last = edge(start, (x, y)), edge(end, (x, y))
    middle = [(1 - at) ** 2 * a + 2 * at * (1 - at) * b + at ** 2 * c for a, b, c in zip(first, (x, y), last)]
    return ('<path d="M%.0f %.0fQ%.0f %.0f %.0f %.0f" marker-end="url(#tip)"/>'
            '<text class="label" x="%.0f" y="%.0f" text-anchor="middle">%s</text>'
            % (*first, x, y, *last, *middle, html.escape(label)))


def draw(boxes, arrows):
    width = max(c for c, _ in boxes.values()) * DX + 200
    height = max(r for _, r in boxes.values()) * DY + 120
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (width, height),
             "<style>%s</style>" % STYLE,
             '<marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
             '<path class="tip" d="M0 0L8 4L0 8z" style="stroke:none;fill:#557"/></marker>']
    lines += [arrow(centre(boxes[a]), centre(boxes[b]), *rest) for a, b, *rest in arrows]
    for name, place in boxes.items():
        x, y = centre(place)
        lines.append('<rect x="%d" y="%d" width="%d" height="%d" rx="8"/><text class="state" x="%d" y="%d" '
                     'text-anchor="middle">%s</text>' % (x - WIDTH / 2, y - HEIGHT / 2, WIDTH, HEIGHT, x, y + 5, name))
    return "\n".join([*lines, "</svg>", ""])


def missing_states(name):
    """States of the sources that the table does not have."""
    if name not in SOURCES:
        return []
    path, pattern = SOURCES[name]
    states = re.findall(pattern, (ROOT / path).read_text(), re.M)
    return sorted({s.lower() for s in states} - set(TABLES[name][0]))


def main():
    wrong = []
    for name, table in TABLES.items():
        path, picture = HERE / (name + ".svg"), draw(*table)
        wrong += ["%s: no state %s" % (path, s) for s in missing_states(name)]
        if "--check" not in sys.argv:
            path.write_text(picture)
        elif not path.exists() or path.read_text() != picture:
            wrong.append("%s differs from its table; run %s" % (path, __file__))
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
