"""A site of few templates is learnt from few of its pages."""

import harness

EACH = 200
MENU = ('<div class="menu"><a href="/">Home</a> <a href="/list/0.html">List'
        "</a> <a href=\"/imprint.html\">Imprint</a></div>")
FOOT = '<div class="foot">Copyright, imprint, and what else ends a page</div>'
KINDS = {
    "article": '<div class="post"><h1>{0}</h1><p class="by">By nobody</p>'
               "<p>{1}</p><p>{2}</p></div>",
    "product": '<table class="data"><tr><th>Name</th><td>{0}</td></tr>'
               "<tr><th>Use</th><td>{1}</td></tr><tr><th>Price</th><td>{2}"
               '</td></tr></table><form><input name="count"><button>Buy'
               "</button></form>",
    "profile": '<div class="card"><img src="/{0}.png"><dl><dt>Name</dt>'
               "<dd>{0}</dd><dt>Says</dt><dd>{1}</dd></dl></div>"
               '<ul class="done"><li>{2}</li><li>{0}</li></ul>',
}
LISTS = 12


def words(kind, i):
    return (f"{kind} {i}", f"What number {i} of all {kind}s has to say, "
            f"{i * 7919 % 1000} times over", f"Number {i * 104729 % 9973}")


def make_site(root):
    """3 templates of EACH pages, and lists that lead to them."""
    links = []
    for kind, body in KINDS.items():
        (root / kind).mkdir()
        for i in range(EACH):
            (root / kind / f"{i}.html").write_text(
                f"<html><head><title>{kind} {i}</title></head><body>{MENU}"
                + body.format(*words(kind, i)) + f"{FOOT}</body></html>")
            links.append((i, f"/{kind}/{i}.html"))
    links.sort()
    (root / "list").mkdir()
    part = len(links) // LISTS
    for k in range(LISTS):
        rows = "".join(f'<li><a href="{link}">{link}</a></li>'
                       for _, link in links[k * part:(k + 1) * part])
        (root / "list" / f"{k}.html").write_text(
            f"<html><body>{MENU}<ol>{rows}</ol><a href=\"/list/"
            f'{min(k + 1, LISTS - 1)}.html">Next</a>{FOOT}</body></html>')
    for name in ("index", "imprint"):
        (root / f"{name}.html").write_text(
            f"<html><body>{MENU}<h1>{name}</h1>{FOOT}</body></html>")


class Economy(harness.Case):
    @classmethod
    def setUpClass(cls):
        cls.root = harness.pathlib.Path(harness.tempfile.mkdtemp(
            prefix="td-economy-"))
        cls.addClassCleanup(harness.shutil.rmtree, cls.root, True)
        make_site(cls.root)

    def crawl(self, **options):
        self.server = self.web(self.root)
        self.daemon_ = self.daemon({"crawl": {"max_pages": 2000}})
        return self.daemon_.crawl(self.server.url, threshold=0.2, **options)

    def kinds(self):
        """The kinds of page that have a cluster of their own."""
        found = []
        for cluster in self.daemon_.clusters(self.server.host):
            kinds = {harness.path_of(url).split("/")[0]
                     for url in self.daemon_.pages(cluster["id"])}
            found += kinds if len(kinds) == 1 else []
        return sorted(set(found) & set(KINDS))

    def test_no_saturation_fetches_all(self):
        self.crawl(pattern_stop_after=0)
        self.assertEqual(len(set(self.server.targets()) - {"/robots.txt"}),
                         len(KINDS) * EACH + LISTS + 2)

    def test_saturated_patterns_are_left_alone(self):
        site = self.crawl(pattern_stop_after=10)
        fetched = len(set(self.server.targets()) - {"/robots.txt"})
        self.assertLess(fetched, len(KINDS) * EACH / 3)
        self.assertEqual(self.kinds(), sorted(KINDS))
        self.assertGreater(site["skipped"], len(KINDS) * EACH / 2)
        rows = self.daemon_.json(
            f"/v1/sites/{self.server.host}/patterns")["patterns"]
        for kind in KINDS:
            mine = [row for row in rows if f"/{kind}/" in row["pattern"]]
            self.assertTrue(mine, rows)
            self.assertIn("saturated", {row["state"] for row in mine}, mine)
            for row in mine:
                self.assertGreaterEqual(row["visited"], 10, row)
                self.assertLessEqual(row["visited"], EACH / 3, row)

    def test_the_crawl_says_so(self):
        self.crawl(pattern_stop_after=10)
        said = self.daemon_.ctl("site", "show", self.server.host)
        self.assertEqual(said.returncode, 0, said.stderr)
        for kind in KINDS:
            self.assertRegex(said.stdout, rf"/{kind}/.*saturated")
        left = self.left("article")
        self.assertEqual(self.rule(left), "saturated")
        said = self.daemon_.ctl("page", "show", self.server.url + left)
        self.assertIn("saturated", said.stdout)

    def test_what_is_asked_for_is_fetched_all_the_same(self):
        self.crawl(pattern_stop_after=10)
        left = self.left("article")
        self.assertIn("has to say", self.daemon_.text(
            self.server.url + left, fetch="missing"))

    def test_text_is_as_good_from_few_pages(self):
        texts = []
        for saturation in (10, 0):
            self.crawl(pattern_stop_after=saturation)
            texts.append([self.daemon_.text(
                f"{self.server.url}{kind}/{i}.html", fetch="missing",
                method="df") for kind in KINDS for i in (0, 7, 23)])
        self.assertEqual(*texts)

    def left(self, kind):
        """The first page of the kind that was not asked for."""
        asked = set(self.server.targets())
        return next(f"{kind}/{i}.html" for i in range(EACH)
                    if f"/{kind}/{i}.html" not in asked)

    def rule(self, path):
        return self.daemon_.json("/v1/pages",
                                 url=self.server.url + path)["rule"]

    def test_budgets_of_a_site(self):
        site = self.crawl(pattern_stop_after=0, max_bytes=20000)
        sent = sum(row["sent"] for row in self.server.details())
        self.assertLess(sent, 90000)  # and what was under way
        self.assertGreater(sent, 10000)
        self.assertEqual(site["state"], "exhausted")
        self.assertEqual(self.rule(self.left("article")), "bytes")
        site = self.crawl(pattern_stop_after=0, max_pages=40)
        self.assertLessEqual(len(self.server.targets()), 42)
        self.assertGreaterEqual(site["pages"], 38)
        self.assertEqual(self.rule(self.left("article")), "pages")


if __name__ == "__main__":
    harness.main()
