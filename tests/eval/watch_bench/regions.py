"""Scenarios of regions and names, on two more kinds of sites; for detector.py. They were written before the detector was
tuned, and are not those that it was tuned on."""
from expect import few, guard, one, quiet, scenario
from sites import (WORDS, Site, after, body_class, chain, for_share, fresh, generated, html_attrs, inside, many, new_name, page,
                   para, redesign, rename, rnd, sentence, sub, title, utilities, when)
from sites import KINDS as GIVEN


class Magazine(Site):
    """A site with a sidebar, cards and an author box, in the style of a theme with few wrappers."""
    name = "magazine"
    TEMPLATES = {"story": ("/s/", 20), "tag": ("/t/", 8), "writer": ("/w/", 8)}
    MAIN, LIST, OTHER = "story", "tag", "writer"
    GUARDS = {"headline": (".story__headline", "story")}

    def frame(self, template, main):
        top = "".join('<a class="menu__link" href="%s">%s</a>' % x for x in self.links("tag", rnd(11), 7))
        side = "".join('<li class="rank__row"><span class="rank__no">%d</span><a class="rank__link" href="%s">%s</a></li>' % (i, p, t)
                       for i, (p, t) in enumerate(self.links("story", rnd(12), 5)))
        return ('<!--header--><header class="top"><div class="top__brand"><a href="/">The Mill</a></div><nav class="menu">%s</nav>'
                '<button class="top__search" type="button">Search</button></header><!--/header--><div class="columns">%s'
                '<!--aside--><aside class="side"><section class="rank"><h3 class="rank__title">Most read</h3><ol>%s</ol></section>'
                '<section class="letter"><h3 class="letter__title">Letter</h3><form class="letter__form"><input type="email">'
                '<button>Join</button></form></section></aside><!--/aside--></div><!--footer--><footer class="bottom"><div '
                'class="bottom__cols"><ul class="bottom__list"><li><a href="/a">About</a></li></ul><ul class="bottom__legal"><li>'
                '<a href="/i">Imprint</a></li></ul></div><p class="bottom__copy">(c) Mill</p></footer><!--/footer-->'
                % (top, main, side))

    def t_story(self, r, t):
        quote = '<blockquote class="pull"><p>%s</p></blockquote>' % sentence(r) if r.random() < .5 else ""
        return ('<article class="story"><!--block--><header class="story__head"><p class="story__kicker">%s</p><h1 '
                'class="story__headline">%s</h1><p class="story__lead">%s</p></header><!--/block--><div class="story__by"><img '
                'class="story__face" src="/f.jpg" alt=""><a class="story__name" href="/w">%s</a><time>3 May</time></div><div '
                'class="story__text">%s%s</div><section class="talk"><h3 class="talk__title">Talk</h3>%s</section></article>'
                % (r.choice(WORDS), t, sentence(r), r.choice(WORDS), quote, many(r.randint(3, 7), lambda i: "<p>%s</p>" % para(r)),
                   many(r.randint(0, 3), lambda i: '<div class="talk__post"><b class="talk__who">%s</b><p>%s</p></div>'
                        % (r.choice(WORDS), sentence(r)))))

    def t_tag(self, r, t):
        return ('<main class="river"><!--block--><h1 class="river__title">%s</h1><!--/block--><div class="river__items">%s</div>'
                '</main>' % (t, "".join('<article class="card"><a class="card__pic" href="%s"><img src="/c.jpg" alt=""></a><h2 '
                                        'class="card__title"><a href="%s">%s</a></h2><p class="card__text">%s</p></article>'
                                        % (p, p, n, sentence(rnd(p))) for p, n in self.links("story", r, 9))))

    def t_writer(self, r, t):
        return ('<main class="person"><!--block--><img class="person__pic" src="/p.jpg" alt=""><h1 class="person__name">%s</h1>'
                '<p class="person__bio">%s</p><!--/block--><ul class="person__list">%s</ul></main>'
                % (t, para(r), "".join('<li class="person__item"><a href="%s">%s</a><em>May</em></li>' % x
                                       for x in self.links("story", r, 5))))


class Portal(Site):
    """Bootstrap-like markup: rows and columns, tables, forms; classes that many elements have."""
    name = "portal"
    TEMPLATES = {"job": ("/job/", 18), "search": ("/search/", 8), "firm": ("/firm/", 9)}
    MAIN, LIST, OTHER = "job", "search", "firm"
    GUARDS = {"position": (".job-position", "job")}

    def frame(self, template, main):
        items = "".join('<li class="nav-item"><a class="nav-link" href="%s">%s</a></li>' % x for x in self.links("search", rnd(21), 6))
        return ('<!--header--><nav class="navbar navbar-expand-lg"><div class="container"><a class="navbar-brand" href="/">Jobs</a>'
                '<ul class="navbar-nav">%s</ul><form class="d-flex"><input class="form-control"><button class="btn btn-primary">Go'
                '</button></form></div></nav><!--/header--><div class="container"><div class="row"><div class="col-md-8">%s</div>'
                '<!--aside--><div class="col-md-4"><div class="card"><div class="card-header">Alerts</div><div class="card-body"><p '
                'class="card-text">By mail</p><a class="btn btn-link" href="/m">Set up</a></div></div></div><!--/aside--></div></div>'
                '<!--footer--><footer class="page-footer"><div class="container"><div class="row"><div class="col"><h6>Help</h6><a '
                'class="text-muted" href="/h">FAQ</a></div><div class="col-auto"><small>(c) Jobs</small></div></div></div></footer>'
                '<!--/footer-->' % (items, main))

    def t_job(self, r, t):
        facts = many(r.randint(3, 5), lambda i: '<tr><th scope="row">%s</th><td>%s</td></tr>' % (r.choice(WORDS), r.choice(WORDS)))
        return ('<!--block--><div class="job-head"><h1 class="job-position">%s</h1><div class="job-firm"><a href="/firm">%s</a></div>'
                '<span class="badge badge-new">New</span></div><!--/block--><table class="table table-sm">%s</table><div '
                'class="job-text">%s<ul>%s</ul></div><div class="job-apply"><a class="btn btn-primary" href="/apply">Apply</a><small '
                'class="text-muted">until May</small></div>'
                % (t, r.choice(WORDS), facts, many(r.randint(2, 4), lambda i: "<p>%s</p>" % para(r)),
                   many(r.randint(2, 5), lambda i: "<li>%s</li>" % sentence(r))))

    def t_search(self, r, t):
        return ('<!--block--><h1 class="h3">%s</h1><div class="filters"><select class="form-select"><option>All</option></select>'
                '<label class="form-check"><input type="checkbox">Remote</label></div><!--/block--><div class="list-group">%s</div>'
                '<ul class="pagination"><li class="page-item"><a class="page-link" href="?p=2">2</a></li></ul>'
                % (t, "".join('<a class="list-group-item" href="%s"><h5>%s</h5><p class="mb-1">%s</p><small>3 days</small></a>'
                              % (p, n, sentence(rnd(p))) for p, n in self.links("job", r, 9))))

    def t_firm(self, r, t):
        return ('<!--block--><div class="firm"><img class="firm-logo" src="/l.png" alt=""><h1 class="firm-name">%s</h1><dl '
                'class="firm-data"><dt>Staff</dt><dd>%d</dd></dl></div><!--/block--><div class="firm-text"><p>%s</p></div><h2>Open '
                'jobs</h2><div class="firm-jobs">%s</div>' % (t, r.randint(5, 900), para(r), "".join(
                    '<div class="firm-job"><a href="%s">%s</a><span class="firm-city">%s</span></div>' % (p, n, rnd(p).choice(WORDS))
                    for p, n in self.links("job", r, 4))))


KINDS = {**GIVEN, **{k.name: k() for k in (Magazine, Portal)}}
BASE = page()
ALL = ("MAIN", "LIST", "OTHER")

ADSLOT = '<div class="slot slot-rect"><div class="slot-label">Advertisement</div><ins class="gpt" id="g1"></ins></div>'
BANNER = ('<div class="notice notice--sale"><strong>Sale</strong><span class="notice__text">Half price <a href="/x">See all</a></span>'
          '<button class="notice__close">x</button></div>')
VIDEO = '<div class="player"><video controls><source src="/v.mp4"></video><p class="player__caption">Watch</p></div>'
RELATED = '<section class="more"><h3 class="more__title">More</h3><ul><li class="more__row"><a href="/m">Next</a></li></ul></section>'


def talk_gone(h, c):
    return sub(r'<section class="talk">.*?</section>', "")(h, c)


def swap(first, second):
    """Two parts of the page change places."""
    return sub("(%s)(.*?)(%s)" % (first, second), r"\3\2\1")


TABLE = chain(sub(r'<table class="table table-sm">(.*?)</table>', r'<dl class="facts">\1</dl>'), sub(r"<tr>", '<div class="facts-row">'),
              sub(r"</tr>", "</div>"), sub(r"<th[^>]*>", '<dt class="facts-key">'), sub(r"</th>", "</dt>"),
              sub(r"<td>", '<dd class="facts-value">'), sub(r"</td>", "</dd>"))
RIVER = chain(sub(r'<div class="river__items">(.*?)</div></main>', r'<table class="grid"><tbody>\1</tbody></table></main>'),
              sub(r'<article class="card">', '<tr class="grid-row"><td>'), sub(r"</article>(?=<tr|</tbody>|<article)", "</td></tr>"),
              sub("card__pic", "grid-pic"), sub("card__title", "grid-title"), sub("card__text", "grid-text"))

# ---- changes of a region ------------------------------------------------------------------------------------------------
for ident, site, what, change, templates in (
        ("sidebar", "magazine", "sidebar of all pages", (redesign("aside", seed=101),), ALL),
        ("sidebar-names", "magazine", "class names of the sidebar", (rename("aside", seed=102),), ALL),
        ("sidebar-portal", "portal", "sidebar, Bootstrap names", (redesign("aside", seed=103),), ALL),
        ("footer", "magazine", "footer of all pages", (redesign("footer", seed=104),), ALL),
        ("footer-portal", "portal", "footer of all pages", (redesign("footer", seed=105),), ALL),
        ("footer-blog", "blog", "footer of all pages", (redesign("footer", seed=106),), ALL),
        ("footer-shop", "shop", "class names of the footer", (rename("footer", seed=107),), ALL),
        ("header-portal", "portal", "header of all pages", (redesign("header", seed=108),), ALL),
        ("header-docs", "docs", "header of all pages", (redesign("header", seed=109),), ALL),
        ("head-block", "magazine", "head of the stories", (when(("MAIN",), redesign("block", seed=110)),), ("MAIN",)),
        ("head-names", "magazine", "class names of the head of the stories", (when(("MAIN",), rename("block", seed=111)),), ("MAIN",)),
        ("job-head", "portal", "head of the jobs", (when(("MAIN",), redesign("block", seed=112)),), ("MAIN",)),
        ("firm-block", "portal", "block of the firms", (when(("OTHER",), redesign("block", seed=113)),), ("OTHER",)),
        ("profile", "blog", "author's profile", (when(("OTHER",), redesign("block", seed=114)),), ("OTHER",)),
        ("cards", "blog", "cards of the lists", (when(("LIST",), redesign("block", seed=115)),), ("LIST",)),
        ("tiles", "shop", "names of the tiles", (when(("LIST",), rename("block", seed=116)),), ("LIST",)),
        ("table-to-list", "portal", "a table became a list, with other names", (when(("MAIN",), TABLE),), ("MAIN",)),
        ("cards-to-table", "magazine", "cards became a table", (when(("LIST",), RIVER),), ("LIST",)),
        ("names", "portal", "all class names", (rename("body", seed=117),), ALL),
        ("names-magazine", "magazine", "all class names", (rename("body", seed=118),), ALL),
        ("main", "portal", "content of all pages", (when(ALL, sub(r'<div class="col-md-8">', '<div class="col-md-8"><!--main-->', 0)),
                                                   redesign("main", seed=119)), ALL),
        ("to-modules", "magazine", "hand-written names became CSS modules", (generated("modules5", 1),), ALL),
        ("bem-prefix", "magazine", "prefix of the names", (inside("body", lambda t: t.replace('class="', 'class="mg-')),), ALL),
        ("banner-and-head", "magazine", "head of the stories, and a banner", (after("header", BANNER, before=True),
                                                                           when(("MAIN",), redesign("block", seed=120))), ("MAIN",)),
        ("dark-and-footer", "portal", "footer, and a class on body", (body_class("dark"), redesign("footer", seed=121)), ALL),
        ("ads-and-sidebar", "magazine", "sidebar, and ads on half of the pages", (for_share(.5, after("block", ADSLOT)),
                                                                              redesign("aside", seed=122)), ALL),
        ("content-and-header", "shop", "header, and all texts", (sub(r"\b[a-z]{6}\b", "yonder"), redesign("header", seed=123)), ALL),
):
    scenario("dr-" + ident, site, what, BASE, (5, page(*change), one(*templates)), guards=False)

# ---- no change ------------------------------------------------------------------------------------------------------------
for ident, site, what, before, then in (
        ("banner-no-talk", "magazine", "comments removed, and a banner added", (), (talk_gone, after("header", BANNER, before=True))),
        ("video", "magazine", "a video in the stories", (), (when(("MAIN",), after("block", VIDEO)),)),
        ("related", "magazine", "a box of links below the stories", (), (sub(r"</article>\s*(?=<!--/main|<!--aside)", RELATED + "</article>"),)),
        ("reordered", "magazine", "two blocks of the sidebar change places", (), (swap(r'<section class="rank">.*?</section>', r'<section class="letter">.*?</section>'),)),
        ("reordered-job", "portal", "text before the table", (), (swap(r'<table class="table.*?</table>', r'<div class="job-text">.*?</div>'),)),
        ("lazy", "magazine", "attributes of lazy images", (), (sub("<img ", '<img loading="lazy" data-src="/x" srcset="/a 2x" '),)),
        ("col-class", "portal", "a responsive class more on columns", (), (sub(r'class="col-md-8"', 'class="col-md-8 col-lg-9"'),)),
        ("container-fluid", "portal", "another name of the container in the middle", (), (sub(r'<div class="container"><div class="row"><div class="col-md-8">', '<div class="container-fluid"><div class="row"><div class="col-md-8">'),)),
        ("wrapper", "magazine", "an element around the columns", (), (sub(r'<div class="columns">(.*)(?=<!--footer-->)', r'<div class="page-wide"><div class="columns">\1</div>'),)),
        ("wrapper-story", "magazine", "two elements around the text", (), (sub(r'<div class="story__text">(.*?)</div><section', r'<div class="grid"><div class="grid__cell"><div class="story__text">\1</div></div></div><section'),)),
        ("ads-cards", "magazine", "ads between cards", (), (when(("LIST",), sub(r"</article>", "</article>" + ADSLOT)),)),
        ("ads-wrapped", "portal", "an ad in the sidebar", (), (after("aside", ADSLOT, before=True),)),
        ("badge-gone", "portal", "the badge on 70 % of the jobs taken away", (), (for_share(.7, sub(r'<span class="badge badge-new">New</span>', "")),)),
        ("two-elements", "portal", "button and its note have other names", (), (sub('class="btn btn-primary" href', 'class="cta" href'), sub('<small class="text-muted">until', '<small class="cta-note">until'))),
        ("face-to-svg", "magazine", "the picture of the author is an icon", (), (sub(r'<img class="story__face"[^>]*>', '<svg class="icon"><path d="M0"/></svg>'),)),
        ("kicker-link", "magazine", "the kicker is a link", (), (sub(r'<p class="story__kicker">(.*?)</p>', r'<p class="story__kicker"><a href="/k">\1</a></p>'),)),
        ("newsletter-gone", "magazine", "the newsletter form is taken away", (), (sub(r'<section class="letter">.*?</section>', ""),)),
        ("newsletter-poll", "magazine", "30 % of the pages have a poll instead of the newsletter", (), (for_share(.3, sub(r'<section class="letter">.*?</section>', '<section class="poll"><h3 class="poll__title">Poll</h3><ul class="poll__list"><li class="poll__row">Yes</li></ul></section>')),)),
        ("more-comments", "magazine", "comments on all stories", (), (sub("</section></article>", '<div class="talk__post"><b class="talk__who">x</b><p>y.</p></div>' * 3 + "</section></article>"),)),
        ("alpine", "portal", "attributes of a script library", (), (sub(r"<(div|button|form)\b", r'<\1 x-data="{}"'),)),
        ("ids", "portal", "ids of all headings", (), (sub(r"<(h\d)", r'<\1 id="s1"'),)),
        ("active-item", "portal", "another item of the menu is active", (sub('<li class="nav-item">', '<li class="nav-item active">', 0),), (sub('<li class="nav-item">(?!.*<li class="nav-item">)', '<li class="nav-item active">'),)),
        ("body-page-ids", "portal", "ids of pages in the classes of body", (body_class("page-id-17 logged-out"),), (body_class("page-id-17 is-webp no-touch"),)),
        ("html-fonts", "magazine", "classes of fonts on html", (html_attrs('class="wf-loading"'),), (html_attrs('class="wf-roboto-n4-active wf-active"'),)),
        ("nonce", "portal", "tokens in forms", (fresh('<meta name="t" content="{token}">'),), (fresh('<meta name="t" content="{token}">'),)),
):
    scenario("dq-" + ident, site, what, page(*before), (5, page(*then), quiet()), guards=False)

# ---- builds -----------------------------------------------------------------------------------------------------------------
for flavour, site in (("modules8", "magazine"), ("svelte", "portal"), ("hex5", "magazine"), ("atomic", "portal"), ("obfuscated", "magazine"),
                      ("obfuscated", "shop"), ("hex5", "docs"), ("atomic", "blog"), ("svelte", "shop"), ("modules8", "portal"),
                      ("vite", "magazine"), ("styled", "portal"), ("emotion", "blog"), ("styled", "docs")):
    scenario("dh-%s-%s" % (flavour, site), site, "a build: %s" % flavour, page(generated(flavour, 1)), (5, page(generated(flavour, 2)), quiet()),
             guards=False)
for flavour in ("modules5", "styled", "obfuscated", "hex5"):
    scenario("dr-build-and-block-" + flavour, "magazine", "a build, and another head of the stories",
             page(generated(flavour, 1)), (5, page(when(("MAIN",), redesign("block", seed=130)), generated(flavour, 2)), one("MAIN")), guards=False)
scenario("dh-some", "portal", "a build: names of some components", page(generated("obfuscated", 1, ("job", "firm", "navbar"))),
         (5, page(generated("obfuscated", 2, ("job", "firm", "navbar"))), quiet()), guards=False)
scenario("dg-one", "magazine", "one class name", BASE, (5, page(sub("story__lead", "story__summary")), guard({})))
scenario("dg-tag", "portal", "another tag and name", BASE, (5, page(sub(r'<h1 class="job-position">(.*?)</h1>', r'<h2 class="vacancy">\1</h2>')), guard({})))
scenario("dx-utilities", "portal", "utility classes, restyled", page(utilities()), (5, page(utilities(1, (("p-4", "p-8"), ("mt-2", "mt-6")))), few()))
