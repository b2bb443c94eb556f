#!/usr/bin/env python3
"""Draw how the CPU time of a page grows with the number of stored pages.

usage: growth.py [--check]

The figures below are from tests/bench/scale.py; a point is a tenth of a run. Writes growth.svg
beside this file. --check fails if the picture differs from the figures.
"""
import pathlib
import sys

PICTURE = pathlib.Path(__file__).with_suffix(".svg")
# name: CPU ms a page, for each STEP pages
LINES = {
    "one site": (1.64, 2.24, 2.65, 1.96, 3.41, 4.11, 3.17, 1.90, 2.73, 2.01),
    "many sites": (2.89, 2.55, 2.99, 2.30, 3.35, 2.53, 3.91, 2.53, 2.81, 3.71),
}
STEP, PAGES = 10_000, 100_000
WIDTH, HEIGHT, LEFT, TOP, BELOW = 560, 260, 50, 30, 40
STYLE = ("text{font:13px sans-serif;fill:#222}path{fill:none;stroke:#557;stroke-width:1}.line{stroke-width:2}"
         ".a{stroke:#888}.b{stroke:#36c}.c{stroke:#c63}"
         "@media(prefers-color-scheme:dark){text{fill:#ddd}path{stroke:#99c}.a{stroke:#aaa}.b{stroke:#8af}"
         ".c{stroke:#fa8}}")


def draw():
    top_ms = max(int(max(line)) + 1 for line in LINES.values())
    high, wide = HEIGHT - TOP - BELOW, WIDTH - LEFT - 40

    def place(pages, ms):
        return LEFT + wide * pages / PAGES, TOP + high * (1 - ms / top_ms)

    lines = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img">' % (WIDTH, HEIGHT),
             "<style>%s</style>" % STYLE,
             '<text x="%d" y="18">CPU ms a page</text>' % LEFT,
             '<path d="M%d %dV%dH%d"/>' % (LEFT, TOP, TOP + high, LEFT + wide)]
    for ms in range(0, top_ms + 1):
        lines.append('<text x="%d" y="%.0f" text-anchor="end">%d</text>' % (LEFT - 8, place(0, ms)[1] + 4, ms))
    for pages in range(PAGES // 5, PAGES + 1, PAGES // 5):
        lines.append('<text x="%.0f" y="%d" text-anchor="middle">%s</text>'
                     % (place(pages, 0)[0], HEIGHT - 18, f"{pages:,}"))
    for at, (kind, (name, values)) in enumerate(zip("ab", LINES.items())):
        points = " ".join("%.0f %.0f" % place(STEP * (i + 1), ms) for i, ms in enumerate(values))
        lines.append('<path class="line %s" d="M%s"/>' % (kind, points))
        lines.append('<path class="line %s" d="M%d 14h20"/>' % (kind, LEFT + 140 + 125 * at))
        lines.append('<text x="%d" y="18">%s</text>' % (LEFT + 165 + 125 * at, name))
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
