"""Pages of generated sites: five templates a site, words of their own.

Everything follows from a seed, the number of the site and the number of the
page, so that a server and a reader can make the same page again. The sizes are
spread as those of real pages are: half of them have less than 20 KB, one in a
hundred has over 100 KB. About a third of a page is the boilerplate of its
template. A page has some of many optional elements, so that the pages of a
template differ in structure as well.
"""

import itertools
import math
import random

KINDS = ("article", "product", "thread", "list", "guide")
SHARES = (50, 25, 12, 8, 5)  # per cent of the pages
MEDIAN_BYTES = 20_000
SPREAD = 0.7  # of the logarithm of the size
MIN_BYTES, MAX_BYTES = 4_000, 200_000
WORDS = 8_000  # of a language
LANGUAGES = 5
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u",
                                                       "an", "er", "is")]
# Optional elements in the text: how often, and how they look
OPTIONS = (
    (.50, "<p>{a} <a href=\"{link}\">{b}</a> {c}</p>"),
    (.35, "<p>{a} <em>{b}</em> {c}</p>"),
    (.30, "<ul class=\"points\"><li>{a}</li><li>{b}</li><li>{c}</li></ul>"),
    (.30, "<figure><img src=\"/i/{n}.jpg\" alt=\"\"><figcaption>{b}"
          "</figcaption></figure>"),
    (.20, "<blockquote><p>{a} {c}</p><footer>{b}</footer></blockquote>"),
    (.12, "<table class=\"data\"><tr><th>{a}</th><th>{b}</th></tr><tr><td>{c}"
          "</td><td>{n}</td></tr></table>"),
    (.10, "<p><strong>{b}</strong> {a} <code>{n}</code> {c}</p>"),
    (.08, "<ol><li><p>{a}</p></li><li><p>{c}</p></li></ol>"),
    (.05, "<dl><dt>{b}</dt><dd>{a}</dd><dd>{c}</dd></dl>"),
    (.04, "<aside class=\"box\"><h3>{b}</h3><p>{a} {c}</p></aside>"),
    (.03, "<pre><code>{a}\n{b}\n{c}</code></pre>"),
    (.02, "<details><summary>{b}</summary><div><p>{a}</p></div></details>"),
)


def language(seed):
    """A list of words, the frequent ones several times."""
    source = random.Random(f"words {seed}")
    words = ["".join(source.choices(SYLLABLES, k=source.choice((1, 2, 2, 3, 3,
                                                                4))))
             for _ in range(WORDS)]
    # the word of rank r stands about WORDS / r times in the list
    often = [words[int(WORDS ** source.random()) - 1] for _ in range(4 * WORDS)]
    return [word + "." if source.random() < .08 else word for word in often]


class Site:
    """A site with `pages` pages; a page is (seed, site, number)."""

    languages = {}

    def __init__(self, seed, number, pages):
        self.seed, self.number, self.pages = seed, number, pages
        tongue = (seed, number % LANGUAGES)
        if tongue not in self.languages:
            self.languages[tongue] = language(tongue)
        self.words = self.languages[tongue]
        source = random.Random(f"site {seed} {number}")
        self.name = source.choice(self.words).strip(".").title()
        self.frames = {kind: self._frame(kind, source) for kind in KINDS}

    def kind(self, page):
        """The template of a page."""
        at = random.Random(f"kind {self.seed} {self.number} {page}")
        return at.choices(KINDS, SHARES)[0]

    def path(self, page):
        return f"/{self.kind(page)}/{page}"

    def _frame(self, kind, source):
        """What all pages of the template have, before and after the rest."""
        def some(count):
            return " ".join(source.choices(self.words, k=count))

        mark = some(1).strip(".")
        wraps = [f'<div class="{mark}-{i}">'
                 for i in range(2 + KINDS.index(kind))]
        links = "".join(f'<li><a href="/{part}/{i}">{some(2)}</a></li>'
                        for i, part in enumerate(KINDS * 4))
        style = "".join(f".{mark}-{i}{{margin:{i}px;color:#{i:03d}}}"
                        for i in range(60))
        script = "".join(f"w.push(['{some(1)}',{i}]);" for i in range(60))
        before = (f'<style>{style}</style><script>var w=[];{script}</script>'
                  f'</head><body class="{kind}"><header><a href="/">'
                  f'{self.name}</a><nav><ul>{links}</ul></nav></header>'
                  + "".join(wraps))
        after = ("</div>" * len(wraps) + f'<aside><h4>{some(3)}</h4><ul>{links}'
                 f'</ul></aside><footer class="{mark}"><p>{some(30)}</p><p>'
                 f'{some(12)}</p></footer></body></html>\n')
        return before, after

    def body(self, page):
        """The page as bytes."""
        source = random.Random(f"page {self.seed} {self.number} {page}")
        kind = self.kind(page)
        before, after = self.frames[kind]
        size = min(max(MEDIAN_BYTES * math.exp(source.gauss(0, SPREAD)),
                       MIN_BYTES), MAX_BYTES)
        text = Text(self, source)
        title = text.some(6)
        head = (f'<!DOCTYPE html><html><head><meta charset="utf-8"><title>'
                f'{title} - {self.name}</title><meta name="description" '
                f'content="{text.some(20)}">')
        parts = [head, before, f"<h1>{title}</h1>"]
        room = size - len(head) - len(before) - len(after)
        for part in itertools.takewhile(
                lambda _: room > 0, getattr(text, kind)()):
            parts.append(part)
            room -= len(part)
        return "".join([*parts, after]).encode()


class Text:
    """The content of a page, in parts without an end."""

    def __init__(self, site, source):
        self.site, self.source = site, source
        self.options = [option for share, option in OPTIONS
                        if source.random() < share]

    def some(self, count):
        return " ".join(self.source.choices(self.site.words, k=count))

    def link(self):
        return self.site.path(self.source.randrange(self.site.pages))

    def paragraph(self):
        if self.options and self.source.random() < .3:
            return self.source.choice(self.options).format(
                a=self.some(20), b=self.some(5), c=self.some(15),
                n=self.source.randrange(10_000), link=self.link())
        return f"<p>{self.some(self.source.randrange(25, 110))}</p>"

    def article(self):
        yield (f'<p class="by">{self.some(2)} <time>'
               f'{self.source.randrange(1, 29)}.5.2020</time></p>')
        while True:
            for _ in range(self.source.randrange(2, 6)):
                yield self.paragraph()
            yield f"<h2>{self.some(4)}</h2>"

    def product(self):
        rows = "".join(f"<tr><th>{self.some(1)}</th><td>{self.some(3)}</td>"
                       "</tr>" for _ in range(8))
        yield (f'<div class="gallery"><img src="/i/1.jpg" alt="{self.some(3)}">'
               f'</div><b class="price">{self.source.randrange(1, 900)}.99</b>'
               f'<table class="facts">{rows}</table>')
        for _ in range(self.source.randrange(2, 8)):
            yield self.paragraph()
        while True:
            yield (f'<section class="review"><h5>{self.some(2)}</h5><span>'
                   f'{self.source.randrange(1, 6)}</span><p>{self.some(40)}</p>'
                   "</section>")

    def thread(self):
        while True:
            yield (f'<article class="post"><header><b>{self.some(1)}</b><i>'
                   f"{self.some(3)}</i></header><div>{self.paragraph()}</div>"
                   f"<ul><li><a href=\"{self.link()}\">{self.some(2)}</a></li>"
                   "</ul></article>")

    def list(self):
        while True:
            yield (f'<div class="card"><a href="{self.link()}"><img '
                   f'src="/i/{self.source.randrange(9)}.jpg" alt=""><h3>'
                   f"{self.some(6)}</h3></a><p>{self.some(30)}</p></div>")

    def guide(self):
        while True:
            yield f"<h2>{self.some(3)}</h2><p>{self.some(30)}</p>"
            yield self.paragraph()
            yield f"<pre><code>{self.some(12)}\n{self.some(9)}</code></pre>"
