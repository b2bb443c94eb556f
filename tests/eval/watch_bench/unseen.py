"""Scenarios for detector.py that were written after the detector was tuned on the others, and are not tuned on: sites of
utility classes only and of a page builder, and other changes."""
from expect import guard, one, quiet, scenario
from sites import (WORDS, Site, after, body_class, chain, digest, for_share, generated, in_paragraphs, inside, many, page, para, redesign,
                   rename, rnd, sentence, short, sub, title, when)
import sys

REGIONS = next((m for n, m in sys.modules.items() if n == "set_regions"), None)


class Tail(Site):
    """No class has a meaning: utilities alone."""
    name = "tail"
    TEMPLATES = {"post": ("/p/", 20), "feed": ("/f/", 8), "team": ("/m/", 8)}
    MAIN, LIST, OTHER = "post", "feed", "team"
    GUARDS = {"h": ("h1", "post")}

    def frame(self, template, main):
        nav = "".join('<li><a class="px-3 py-2 text-sm text-slate-700 hover:text-black" href="%s">%s</a></li>' % x for x in self.links("feed", rnd(31), 6))
        return ('<!--header--><header class="sticky top-0 bg-white border-b"><div class="max-w-7xl mx-auto flex items-center"><a class="'
                'font-bold text-xl" href="/">Mill</a><nav class="ml-auto"><ul class="flex gap-2">%s</ul></nav><button class="rounded-full '
                'bg-black text-white px-4">Sign in</button></div></header><!--/header--><main class="max-w-3xl mx-auto py-12">%s</main>'
                '<!--footer--><footer class="bg-slate-50 py-8"><div class="grid grid-cols-3"><div><h6 class="text-xs uppercase">Mill</h6>'
                '<a class="block text-sm" href="/a">About</a></div><p class="text-xs text-slate-500">(c)</p></div></footer><!--/footer-->'
                % (nav, main))

    def t_post(self, r, t):
        return ('<!--block--><div class="mb-8"><span class="inline-flex rounded bg-blue-100 px-2 text-xs">%s</span><h1 class="text-4xl '
                'font-extrabold mt-2">%s</h1><div class="flex items-center mt-4"><img class="h-8 w-8 rounded-full" src="/a.jpg" alt=""><p '
                'class="ml-2 text-sm">%s</p></div></div><!--/block--><div class="prose">%s</div>'
                % (r.choice(WORDS), t, r.choice(WORDS), many(r.randint(3, 7), lambda i: "<p>%s</p>" % para(r))))

    def t_feed(self, r, t):
        return ('<!--block--><h1 class="text-2xl font-bold">%s</h1><div class="grid gap-6 mt-6">%s</div><!--/block-->' % (t, "".join(
            '<article class="rounded-lg shadow p-4"><h2 class="text-lg"><a class="hover:underline" href="%s">%s</a></h2><p class="text-sm '
            'text-slate-600">%s</p><time class="text-xs">May</time></article>' % (p, n, sentence(rnd(p))) for p, n in self.links("post", r, 9))))

    def t_team(self, r, t):
        return ('<!--block--><div class="text-center"><img class="mx-auto h-32 w-32" src="/t.jpg" alt=""><h1 class="text-3xl">%s</h1><p '
                'class="text-slate-500">%s</p></div><!--/block--><ul class="divide-y">%s</ul>' % (t, sentence(r), "".join(
                    '<li class="py-2"><a class="text-blue-600" href="%s">%s</a></li>' % x for x in self.links("post", r, 5))))


class Builder(Site):
    """A page builder: each element has an id of its own as a class, which stays."""
    name = "builder"
    TEMPLATES = {"offer": ("/o/", 18), "topic": ("/c/", 8), "branch": ("/b/", 9)}
    MAIN, LIST, OTHER = "offer", "topic", "branch"
    GUARDS = {"name": (".offer-name", "offer")}

    @staticmethod
    def box(key, kind, inner):
        return ('<div class="elementor-element elementor-element-%s elementor-widget-%s"><div class="elementor-widget-container">%s</div></div>'
                % (digest(key)[:7], kind, inner))

    def frame(self, template, main):
        nav = "".join('<li class="menu-item menu-item-%d"><a class="elementor-item" href="%s">%s</a></li>' % (700 + i, p, t)
                      for i, (p, t) in enumerate(self.links("topic", rnd(41), 6)))
        return ('<!--header--><header class="elementor elementor-21 elementor-location-header">%s%s</header><!--/header--><div class="elementor '
                'elementor-location-single">%s</div><!--footer--><footer class="elementor elementor-35 elementor-location-footer">%s%s</footer>'
                '<!--/footer-->' % (self.box("logo", "image", '<img class="attachment-full" src="/l.png" alt="">'), self.box("nav", "nav-menu",
                                    '<nav class="elementor-nav-menu--main"><ul class="elementor-nav-menu">%s</ul></nav>' % nav), main,
                                    self.box("about", "text-editor", "<p>About us</p>"), self.box("social", "icon-list",
                                    '<ul class="elementor-icon-list-items"><li class="elementor-icon-list-item"><a href="/s">Mail</a></li></ul>')))

    def t_offer(self, r, t):
        return ('<!--block-->%s%s%s<!--/block-->%s%s' % (
            self.box("h", "heading", '<h1 class="elementor-heading-title offer-name">%s</h1>' % t), self.box("p", "price", '<p class="offer-price">%d EUR'
            '</p><small class="offer-tax">with tax</small>' % r.randint(5, 99)), self.box("s", "stock", '<span class="offer-stock">in stock</span>'),
            self.box("t", "text-editor", many(r.randint(2, 4), lambda i: "<p>%s</p>" % para(r))),
            self.box(t, "gallery", '<figure class="gallery-item"><img src="/g.jpg" alt=""><figcaption class="gallery-text">%s</figcaption></figure>' % t)))

    def t_topic(self, r, t):
        return '<!--block-->%s%s<!--/block-->' % (self.box("th", "heading", '<h1 class="elementor-heading-title">%s</h1>' % t), self.box("tl", "posts", "".join(
            '<article class="elementor-post post-%d"><h3 class="elementor-post__title"><a href="%s">%s</a></h3><div class="elementor-post__excerpt">'
            '<p>%s</p></div></article>' % (r.randint(1, 999), p, n, sentence(rnd(p))) for p, n in self.links("offer", r, 8))))

    def t_branch(self, r, t):
        return '<!--block-->%s%s<!--/block-->%s' % (self.box("bh", "heading", '<h1 class="elementor-heading-title">%s</h1>' % t), self.box("bm", "map",
            '<iframe src="/map"></iframe><address class="branch-place">%s</address>' % t), self.box("bt", "table", '<table class="hours"><tr><th>Mo'
            '</th><td>9-17</td></tr></table>'))


KINDS = {**(REGIONS.KINDS if REGIONS else {}), **{k.name: k() for k in (Tail, Builder)}}
if not REGIONS:
    from sites import KINDS as GIVEN
    KINDS.update(GIVEN)
BASE = page()
ALL = ("MAIN", "LIST", "OTHER")


def ids(seed):
    """The page builder saves a page again: other ids of all elements."""
    return inside("body", lambda t: __import__("re").sub(r"elementor-element-(\w{7})", lambda m: "elementor-element-" + digest(m[1], seed)[:7], t))


def mui(build):
    """Names of MUI: a stable one and a generated one."""
    def name(token):
        return "Mui%s-root css-%s" % (token.split("-")[0].capitalize(), short((token, build), 7, "abcdefghijklmnopqrstuvwxyz0123456789"))
    from sites import classes
    return inside("body", lambda t: classes(t, name))


def jss(build):
    """Names of JSS in production: a letter and a number."""
    def name(token):
        return "jss%d" % (int(digest(token, build), 16) % 900 + 1)
    from sites import classes
    return inside("body", lambda t: classes(t, name))


def scoped(build, parts=None):
    """Names with a hash at the front, as some builds of web components make them."""
    def name(token):
        return "%s-%s" % (short((build, token), 5, "abcdefghijklmnopqrstuvwxyz0123456789"), token)
    from sites import classes
    return inside("body", lambda t: classes(t, name))


def angular(build):
    """Attributes and classes of Angular."""
    return sub(r"<(div|p|h1|h2|ul|li|a|span|section|article)\b", r'<\1 _ngcontent-%s-c12' % short(build, 3))


COOKIE = '<aside class="cky"><p class="cky-text">Cookies</p><div class="cky-row"><button class="cky-yes">Yes</button><button class="cky-no">No</button></div></aside>'
CHAT = '<div class="chat"><button class="chat-open"><svg><path d="M0"/></svg></button><iframe class="chat-frame"></iframe></div>'
CRUMBS = '<nav class="crumbs2"><ol class="crumbs2-list"><li class="crumbs2-item"><a href="/">Home</a></li></ol></nav>'
FAQ = '<section class="faq"><h2 class="faq-title">Questions</h2><details class="faq-item"><summary>Why</summary><p>So.</p></details></section>'
RATING = '<div class="stars"><span class="stars-value">4.5</span><a class="stars-count" href="#r">12</a></div>'

for ident, site, what, change, templates in (
        ("tail-header", "tail", "header, utilities alone", (redesign("header", seed=201),), ALL),
        ("tail-footer", "tail", "footer, utilities alone", (redesign("footer", seed=202),), ALL),
        ("tail-block", "tail", "head of the posts", (when(("MAIN",), redesign("block", seed=203)),), ("MAIN",)),
        ("tail-cards", "tail", "cards of the feeds", (when(("LIST",), redesign("block", seed=204)),), ("LIST",)),
        ("tail-all", "tail", "all", (redesign("header", "block", "footer", seed=205),), ALL),
        ("builder-header", "builder", "header", (redesign("header", seed=206),), ALL),
        ("builder-footer", "builder", "names of the footer", (rename("footer", seed=207),), ALL),
        ("builder-block", "builder", "block of the offers", (when(("MAIN",), redesign("block", seed=208)),), ("MAIN",)),
        ("builder-block-names", "builder", "names of the block", (when(("MAIN",), rename("block", seed=209)),), ("MAIN",)),
        ("builder-posts", "builder", "lists of posts", (when(("LIST",), redesign("block", seed=210)),), ("LIST",)),
        ("builder-branch", "builder", "branches", (when(("OTHER",), redesign("block", seed=211)),), ("OTHER",)),
        ("shop-header-faq", "shop", "header, and questions below the content", (redesign("header", seed=212), after("main", FAQ)), ALL),
        ("shop-block-rating", "shop", "product block, and stars below it", (when(("MAIN",), redesign("block", seed=213), after("block", RATING)),), ("MAIN",)),
        ("docs-footer", "docs", "footer of two elements and its root", (redesign("footer", seed=214),), ALL),
        ("docs-api", "docs", "block of the API pages", (when(("OTHER",), redesign("block", seed=215)),), ("OTHER",)),
        ("docs-index", "docs", "block of the indexes, names", (when(("LIST",), rename("block", seed=216)),), ("LIST",)),
        ("blog-article", "blog", "article, names", (when(("MAIN",), rename("block", seed=217)),), ("MAIN",)),
        ("blog-body-header", "blog", "header, other classes of body", (body_class("v2 is-new", True), redesign("header", seed=218)), ALL),
        ("blog-90", "blog", "article on 90 % of the pages", (when(("MAIN",), for_share(.93, redesign("block", seed=219))),), ("MAIN",)),
        ("info", "shop", "text pages of the shop", (when(("OTHER",), redesign("block", seed=220)),), ("OTHER",)),
        ("to-mui", "shop", "hand-written names became names of MUI", (mui(1),), ALL),
        ("to-obfuscated", "blog", "hand-written names became random ones", (generated("obfuscated", 7),), ALL),
        ("from-generated", "docs", "generated names became hand-written ones", (), ALL),
):
    before = page(generated("emotion", 3)) if ident == "from-generated" else BASE
    scenario("ur-" + ident, site, what, before, (5, page(*change), one(*templates)), guards=False)

for ident, site, what, before, then in (
        ("cookie", "tail", "cookie banner at the end of body", (), (after("footer", COOKIE),)),
        ("cookie-small", "builder", "cookie banner before the page", (), (after("header", COOKIE, before=True),)),
        ("chat", "tail", "a chat on all pages", (), (after("footer", CHAT),)),
        ("crumbs", "tail", "breadcrumbs before the content", (), (after("block", CRUMBS, before=True),)),
        ("faq", "builder", "questions below all pages", (), (after("footer", FAQ, before=True),)),
        ("rating", "builder", "stars below the block", (), (when(("MAIN",), after("block", RATING)),)),
        ("ads", "tail", "ads between paragraphs", (), (in_paragraphs('<div class="my-4"><ins class="adsbygoogle"></ins></div>', 1),)),
        ("ads-gone-crumbs", "shop", "related products gone, and breadcrumbs came", (), (sub(r'<section class="also">.*?</section>', ""), after("block", CRUMBS, before=True))),
        ("usp-gone", "shop", "the row of promises is gone", (), (sub(r'<div class="usp-row">.*?</div></div>', ""),)),
        ("dark-toggle", "tail", "dark variants of all utilities", (), (sub("bg-white", "bg-white dark:bg-black"),)),
        ("button-colour", "tail", "the button has another colour", (), (sub("rounded-full bg-black", "rounded-full bg-blue-700"),)),
        ("img-to-picture", "shop", "images are in pictures", (), (sub(r"(<img [^>]*>)", r'<picture><source srcset="/x.webp">\1</picture>'),)),
        ("nav-deeper", "tail", "a sub-menu in the menu", (), (sub(r"</a></li></ul></nav>", '</a><ul class="sub"><li class="sub-item"><a class="sub-link" href="/s">Sub</a></li></ul></li></ul></nav>'),)),
        ("time-tag", "builder", "the note on tax is another element", (), (sub(r"<small class=\"offer-tax\">with tax</small>", '<em class="tax">with tax</em>'),)),
        ("half-variant", "builder", "40 % of the offers have another block of the stock", (), (when(("MAIN",), for_share(.4, sub(r'<span class="offer-stock">in stock</span>', '<div class="soon"><b class="soon-a">soon</b><i class="soon-b">x</i><u class="soon-c">y</u></div>'))),)),
        ("builder-ids", "builder", "the builder has saved all again: other ids", (), (ids(2),)),
        ("mui", "shop", "a build: MUI", (mui(1),), (mui(2),)),
        ("mui-tail", "builder", "a build: MUI", (mui(3),), (mui(4),)),
        ("jss", "shop", "a build: jss123", (jss(1),), (jss(2),)),
        ("jss-docs", "docs", "a build: jss123", (jss(3),), (jss(4),)),
        ("scoped", "blog", "a build: a hash before each name", (scoped(1),), (scoped(2),)),
        ("angular", "shop", "a build: attributes of Angular", (angular(1),), (angular(2),)),
        ("obfuscated", "docs", "a build: random names", (generated("obfuscated", 3),), (generated("obfuscated", 4),)),
        ("obfuscated-builder", "builder", "a build: random names", (generated("obfuscated", 5),), (generated("obfuscated", 6),)),
        ("obfuscated-blog", "blog", "a build: random names", (generated("obfuscated", 8),), (generated("obfuscated", 9),)),
        ("hex5-shop", "shop", "a build: hex", (generated("hex5", 3),), (generated("hex5", 4),)),
        ("atomic-docs", "docs", "a build: atomic", (generated("atomic", 3),), (generated("atomic", 4),)),
        ("build-and-banner", "blog", "a build, and a cookie banner", (generated("modules5", 1),), (generated("modules5", 2), after("footer", COOKIE))),
        ("build-and-comments", "blog", "a build, and the comments are gone", (generated("styled", 1),), (sub(r'<section class="comments-root">.*?</section>', ""), generated("styled", 2))),
):
    scenario("uq-" + ident, site, what, page(*before), (5, page(*then), quiet()), guards=False)
scenario("ug-name", "builder", "one class name", BASE, (5, page(sub("offer-price", "offer-sum")), guard({})))
scenario("ug-h1", "tail", "h1 became h2, with other utilities", BASE, (5, page(sub(r'<h1 class="text-4xl font-extrabold mt-2">(.*?)</h1>', r'<h2 class="text-5xl">\1</h2>')), guard({})))
