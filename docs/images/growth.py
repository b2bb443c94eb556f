#!/usr/bin/env python3
"""Draw how the CPU time of a page grows with the number of stored pages.

usage: growth.py [--check]

The figures below are from tests/bench/scale.py; a point is a tenth of a run. Writes growth.svg
beside this file. --check fails if the picture differs from the figures.
"""
import pathlib
import sys

PICTURE = pathlib.Path(__file__).with_suffix(".svg")
# name: CPU ms a page, for each tenth of 10,000 pages
LINES = {
    "one site": (2.20, 2.15, 2.52, 3.30, 3.57, 2.77, 4.83, 4.15, 4.89, 5.78),
    "sites of 100 pages": (2.21, 3.68, 3.87, 4.86, 4.88, 5.11, 5.66, 4.58, 4.61, 4.41),
}
PAGES = 10_000
WIDTH, HEIGHT, LEFT, TOP, BELOW = 560, 260, 50, 30, 40
STYLE = ("text{font:13px sans-serif;fill:#222}path{fill:none;stroke:#557;stroke-width:1}"
         ".one{stroke:#36c;stroke-width:2}.many{stroke:#c63;stroke-width:2}.t-one{fill:#36c}.t-many{fill:#c63}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}path{stroke:#99c}.one{stroke:#8af}.many{stroke:#fa8}"
         ".t-one{fill:#8af}.t-many{fill:#fa8}}")


def draw():
    top_ms = max(int(max(line)) + 1 for line in LINES.values())
    high, wide = HEIGHT - TOP - BELOW, WIDTH - LEFT - 20

    def place(tenth, ms):
        return LEFT + wide * tenth / 10, TOP + high * (1 - ms / top_ms)

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (WIDTH, HEIGHT),
             "<style>%s</style>" % STYLE,
             '<text x="%d" y="18">CPU ms a page</text>' % LEFT,
             '<path d="M%d %dV%dH%d"/>' % (LEFT, TOP, TOP + high, LEFT + wide)]
    for ms in range(0, top_ms + 1):
        lines.append('<text x="%d" y="%.0f" text-anchor="end">%d</text>' % (LEFT - 8, place(0, ms)[1] + 4, ms))
    for tenth in (2, 4, 6, 8, 10):
        lines.append('<text x="%.0f" y="%d" text-anchor="middle">%s</text>'
                     % (place(tenth, 0)[0], HEIGHT - 18, f"{PAGES * tenth // 10:,}"))
    for at, (kind, (name, values)) in enumerate(zip(("one", "many"), LINES.items())):
        points = " ".join("%.0f %.0f" % place(i + 1, ms) for i, ms in enumerate(values))
        lines.append('<path class="%s" d="M%s"/>' % (kind, points))
        lines.append('<text class="t-%s" x="%d" y="18">%s</text>' % (kind, LEFT + 150 + 110 * at, name))
    return "\n".join([*lines, "</svg>", ""])


def main():
    picture = draw()
    if "--check" not in sys.argv:
        PICTURE.write_text(picture)
    elif not PICTURE.exists() or PICTURE.read_text() != picture:
        print("%s differs from its figures; run %s" % (PICTURE, __file__), file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
