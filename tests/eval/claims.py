"""What the papers say of the methods, asked again on our data."""

import csv
import html.parser
import shutil
import statistics

import common
import goldsets
import results as found

SHORT = 150        # words of gold
TABLE_RATIO = 0.5  # of the text that stands in tables
NEWS = "crawl-to-the-future"

# reference_scores.tsv of crawl-to-the-future, and what is ours.
PUBLISHED_AS = (
    ("BodyTextExtractorFilter", "bte"), ("BodyTextExtractor2Filter", "bte"),
    ("ContentCodeBlurringFilter", "ccb"), ("GeneralCCB", "ccb"),
    ("DocumentSlopeCurveFilter", "dsc"), ("LinkQuotaFilter", "lqf-50"),
    ("FeatureExtractorDomFilter", "fe"), ("FeatureExtractorSplitFilter", "fe"),
    ("KFeatureExtractorDomFilter", "kfe"),
)

# Published F1: Weninger, Hsu, Han, CETR, WWW 2010, its column of CleanEval in
# English and its average of all sets; Gottron, TIR 2008, mean of 14 packages.
CLEANEVAL = {"fe": .0786, "kfe": .8919, "bte": .9313, "dsc": .8092,
             "adsc": .8670, "lqf-50": .9196, "lp": .4965, "ccb": .9157,
             "mss": .9198, "vips": .9341, "cetr-tm": .9410, "cetr-km": .9468,
             "cetr": .9472}
CETR = {"fe": .0729, "kfe": .7501, "bte": .6710, "dsc": .7045, "adsc": .7520,
        "lqf-50": .7218, "lp": .6698, "ccb": .7764, "mss": .9392,
        "vips": .8363, "cetr-tm": .9145, "cetr-km": .9366, "cetr": .9393}
CCB = {"accb": .782, "ccb": .757, "tccb": .776, "dsc": .770, "crunch": .687,
       "lqf-50": .665, "plain": .542}


class TableText(html.parser.HTMLParser):
    """How much text stands inside of tables."""

    def __init__(self):
        super().__init__()
        self.depth = self.inside = self.total = 0

    def handle_starttag(self, tag, attrs):
        self.depth += tag == "table"

    def handle_endtag(self, tag):
        self.depth -= tag == "table"

    def handle_data(self, data):
        length = len(data.strip())
        self.total += length
        self.inside += length if self.depth > 0 else 0

    def ratio(self):
        return self.inside / self.total if self.total else 0


class Claims:
    """Rows of the table; what a method that is not there would tell is left
    out, by name."""

    def __init__(self, report, results):
        self.report, self.results = report, results
        self.missing = set()

    def has(self, *methods):
        lacking = set(methods) - set(self.results.methods)
        self.missing |= lacking
        return not lacking

    def f1(self, corpus, method, **group):
        return found.mean_f1(self.results, corpus, method, **group)

    def sets(self):
        """Names of the sets of single pages that were measured."""
        return [c.name for c in self.results.corpora
                if not c.has_many_pages()]

    def places(self):
        """The sets, and with several the mean of them."""
        names = self.sets()
        return names + ["mean of the sets"] if len(names) > 1 else names

    def at(self, place, method):
        return self.f1(place, method) if place in self.sets() else \
            self.mean(method)

    def mean(self, method):
        return statistics.fmean(self.f1(name, method) for name in self.sets())

    def row(self, claim, where, holds, **figures):
        self.report.row(
            claim, where, ", ".join(
                f"{name.replace('_', ' ')} {value:.4f}"
                for name, value in figures.items()),
            "holds" if holds else "**does not hold**")


def table_pages(claims, build):
    """Pages of wcxb-dev whose visible text mostly stands in tables."""
    out = common.OUT / "extracts" / "wcxb-dev" / "plain-html"
    shutil.rmtree(out, ignore_errors=True)
    common.call(build / "daemon" / "templatectl", "extract", "--method",
                "plain", "--format", "html", "--out", out,
                common.DATA / "data" / "wcxb-dev" / "html", may_fail=True)
    pages = set()
    for path in out.rglob("*.html"):
        parser = TableText()
        parser.feed(path.read_text("utf-8", "replace"))
        if parser.ratio() > TABLE_RATIO:
            pages.add(path.name.removesuffix(".html"))
    return pages & set(claims.results.scores["wcxb-dev"]["plain"])


def short_pages(claims):
    corpus = claims.results.corpora[0]
    gold = goldsets.gold_words(common.DATA, corpus.gold)
    return {page for page in corpus.pages if len(gold[page][0]) < SHORT}


def blurring(claims, build):
    """Gottron, Content Code Blurring, TIR 2008, and its slides."""
    for place in claims.places() if claims.has("ccb") else ():
        accb, ccb = claims.at(place, "accb"), claims.at(place, "ccb")
        claims.row("ACCB is at least as good as CCB", place, accb >= ccb,
                   accb=accb, ccb=ccb)
    for place in claims.places()[-1:] if claims.has("dsc") else ():
        accb, dsc = claims.at(place, "accb"), claims.at(place, "dsc")
        claims.row("ACCB is generally better than DSC", place, accb > dsc,
                   accb=accb, dsc=dsc)
    if not claims.has("tccb"):
        return
    for where, pages in (
            (f"wcxb-dev, gold under {SHORT} words", short_pages(claims)),
            ("wcxb-dev, text mostly in tables", table_pages(claims, build))):
        scores = claims.results.scores["wcxb-dev"]
        accb, tccb = (found.figures(scores[m][p] for p in pages).f1
                      for m in ("accb", "tccb"))
        claims.row("TCCB is better than ACCB on short or tabular pages",
                   f"{where} ({len(pages)})", tccb > accb, tccb=tccb,
                   accb=accb)


def tag_ratios(claims):
    """Weninger, Hsu, Han, CETR, WWW 2010, their table."""
    if not claims.has("cetr-tm", "cetr-km", "cetr"):
        return
    for place in claims.places():
        f1 = {method: claims.at(place, method)
              for method in ("cetr", "cetr-km", "cetr-tm")}
        claims.row("CETR is best, then CETR-KM, then CETR-TM", place,
                   f1["cetr"] >= f1["cetr-km"] >= f1["cetr-tm"], **f1)


def frequencies(claims, corpus):
    """Gottron, Bridging the Gap, 2008, section 7: where DF has a template."""
    scores = claims.results.scores[corpus.name]
    pages = [page for page, score in scores["df"].items() if score.is_there]
    place = f"{corpus.name} ({len(pages)} of {len(scores['df'])} pages)"
    rows = {method: found.figures(some[page] for page in pages)
            for method, some in scores.items()}
    methods = claims.results.methods
    alone = {m: f for m, f in rows.items() if m not in ("plain", "auto")
             and m in methods and not methods[m].needs_template}
    best = max(alone, key=lambda method: alone[method].recall)
    claims.row("DF has a higher recall than methods of single pages", place,
               rows["df"].recall >= alone[best].recall, df=rows["df"].recall,
               **{f"the best, {best},": alone[best].recall})
    median = statistics.median(f.precision for f in alone.values())
    claims.row("DF has a lower precision than methods of single pages", place,
               rows["df"].precision < median, df=rows["df"].precision,
               their_median=median)
    claims.row("DF is always above no extraction at all", place,
               rows["df"].f1 > rows["plain"].f1, df=rows["df"].f1,
               plain=rows["plain"].f1)


def published_news(results):
    """{extractor: {(site, year): F1}} of the sites that are ours."""
    folder = next(c for c in results.corpora if c.name == NEWS).gold
    scores = {}
    with (folder / "reference_scores.tsv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            group = f"{row['site'].removeprefix('www.')}-{row['year']}"
            scores.setdefault(row["extractor"], {})[group] = float(row["f1"])
    return scores


def news_table(claims):
    if NEWS not in claims.sets():
        return
    published = published_news(claims.results)
    groups = sorted(set(next(c for c in claims.results.corpora
                             if c.name == NEWS).groups["site and year"]
                        .values()) & set(published["GeneralCCB"]))
    years = sorted({group[-4:] for group in groups})
    claims.report.table(
        f"Published F1 of {NEWS} and ours, {len(groups)} sites and years",
        "published as", "ours", "published", "ours, F1",
        *(f"{year}, {who}" for year in years for who in ("published", "ours")))
    for extractor, method in PUBLISHED_AS:
        if not claims.has(method):
            continue
        theirs = published[extractor]
        ours = {group: claims.f1(NEWS, method, group=group,
                                 kind="site and year") for group in groups}
        cells = []
        for year in years:
            some = [group for group in groups if group.endswith(year)]
            cells += [statistics.fmean(theirs[g] for g in some),
                      statistics.fmean(ours[g] for g in some)]
        claims.report.row(extractor, method,
                          statistics.fmean(theirs[g] for g in groups),
                          statistics.fmean(ours.values()), *cells)


def rank_correlation(pairs):
    """Spearman's, without ties."""
    ranks = [{value: i for i, value in enumerate(sorted(column))}
             for column in zip(*pairs)]
    n = len(pairs)
    square = sum((ranks[0][a] - ranks[1][b]) ** 2 for a, b in pairs)
    return 1 - 6 * square / (n * (n * n - 1))


def order_table(claims, title, published, ours):
    """`ours` gives a method's F1."""
    rows = [(theirs, ours(method), method)
            for method, theirs in published.items() if claims.has(method)]
    if len(rows) < 3:
        return
    claims.report.table(f"{title}: published F1 and ours", "method",
                        "published", "ours")
    for theirs, mine, method in sorted(rows, reverse=True):
        claims.report.row(method, theirs, mine)
    claims.report.row("rank correlation", "",
                      rank_correlation([row[:2] for row in rows]))


def tables(report, results, build):
    claims = Claims(report, results)
    report.table("Claims of the papers", "claim", "where", "figures",
                 "here it")
    blurring(claims, build)
    tag_ratios(claims)
    for corpus in results.corpora:
        if corpus.has_many_pages() and claims.has("df"):
            frequencies(claims, corpus)
    news_table(claims)
    if "cleaneval-en-dev" in claims.sets():
        order_table(claims, "CleanEval, English (CETR, table)", CLEANEVAL,
                    lambda method: claims.f1("cleaneval-en-dev", method))
    order_table(claims, "All sets of the CETR paper, against all of ours",
                CETR, claims.mean)
    order_table(claims, "14 packages of the CCB paper, against all of ours",
                CCB, claims.mean)
    if claims.missing:
        report.say()
        report.say("Left out, not measured: "
                   + ", ".join(sorted(claims.missing)) + ".")
