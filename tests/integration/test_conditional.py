"""Visiting again: what has not changed costs a 304, what changes is asked for
more often, and nothing is fetched for nothing."""

import collections
import time

import harness

COUNT = 12
PAGE = """<html><head><title>Page {0}</title></head><body><div class="menu">
{1}</div><h1>Page {0}</h1><p>{2}</p></body></html>
"""
# nginx leaves both validators away.
BARE = 'etag off; add_header Last-Modified "";'


class Conditional(harness.Case):
    def setUp(self):
        self.root = self.folder()
        for i in range(COUNT):
            # nginx makes an ETag of the time and the size.
            self.write(i, f"What stands on page {i} alone" + "." * i)

    def write(self, i, words):
        links = " ".join(f'<a href="/{k}.html">Page {k}</a>'
                         for k in range(COUNT))
        name = self.root / ("index.html" if i == 0 else f"{i}.html")
        name.write_text(PAGE.format(i, links, words))

    def crawl(self, extra="", **options):
        self.server = self.web(self.root, extra)
        self.daemon_ = self.daemon()
        return self.daemon_.crawl(self.server.url, **options)

    def rows(self, status=None):
        return [row for row in self.server.details()
                if row["target"] != "/robots.txt"
                and status in (None, row["status"])]

    def visited_again(self, times, status):
        """Wait until every page has had so many answers of this status."""
        def is_done():
            counts = collections.Counter(row["target"]
                                         for row in self.rows(status))
            return len(counts) > COUNT - 1 and min(counts.values()) >= times
        harness.wait_until(is_done, f"{times} answers of {status} each", 60)

    def test_nothing_is_fetched_twice(self):
        site = self.crawl(revisit_interval_s=0)
        # /0.html does not exist: / is it.
        self.assertEqual(site["pages"], COUNT)
        counts = collections.Counter(self.server.targets())
        self.assertEqual(set(counts.values()), {1}, counts)
        self.daemon_.watch(self.server.url, revisit_interval_s=0)  # as it is known
        self.daemon_.wait_for(self.server.host)
        counts = collections.Counter(self.server.targets())
        self.assertEqual({t for t, n in counts.items() if n > 1} - {"/"},
                         set())

    def test_unchanged_pages_answer_304(self):
        self.crawl(revisit_interval_s=1)
        before = {url: self.daemon_.text(url) for url in self.urls()}
        self.visited_again(2, 304)
        again = [row for row in self.rows()[COUNT + 1:]
                 if row["target"] != "/0.html"]
        self.assertEqual({row["status"] for row in again}, {304})
        self.assertTrue(all(row["etag"] and row["modified"]
                            for row in again), again)
        # The validators are those of the page that was fetched.
        self.assertEqual(len({row["etag"] for row in again}), COUNT)
        self.assertEqual(before, {url: self.daemon_.text(url)
                                  for url in self.urls()})
        site = self.daemon_.json(f"/v1/sites/{self.server.host}")
        self.assertEqual(site["pages"], COUNT)
        self.daemon_.stop()
        self.daemon_.verify_store()

    def urls(self):
        return [self.server.url] + [f"{self.server.url}{i}.html"
                                    for i in range(1, COUNT)]

    def test_time_alone_is_a_validator(self):
        self.crawl("etag off;", revisit_interval_s=1)
        self.visited_again(1, 304)
        self.assertTrue(all(row["modified"] and not row["etag"]
                            for row in self.rows(304)))

    def test_page_without_validators_is_fetched_again(self):
        self.crawl(BARE, revisit_interval_s=1)
        self.visited_again(2, 200)
        self.assertEqual([row for row in self.rows()
                          if row["etag"] or row["modified"]], [])
        self.assertEqual(self.rows(304), [])
        site = self.daemon_.json(f"/v1/sites/{self.server.host}")
        self.assertEqual(site["pages"], COUNT)

    def test_validators_outlive_the_daemon(self):
        self.crawl(revisit_interval_s=1)
        self.daemon_.stop()
        before = len(self.rows())
        self.daemon_.start()
        self.visited_again(1, 304)
        self.assertEqual({row["status"] for row in self.rows()[before:]
                          if row["target"] != "/0.html"}, {304})

    def test_changed_page_is_fetched(self):
        self.crawl(revisit_interval_s=1)
        self.write(3, "What stands there now is another thing altogether.")
        url = f"{self.server.url}3.html"
        harness.wait_until(lambda: "another thing altogether"
                           in self.daemon_.text(url), "the new text", 60)
        fetched = collections.Counter(row["target"] for row in self.rows(200))
        self.assertEqual({t: n for t, n in fetched.items() if n > 1},
                         {"/3.html": 2})

    def test_what_changes_is_visited_more_often(self):
        self.crawl(revisit_interval_s=1)
        end = time.monotonic() + 9
        i = 0
        while time.monotonic() < end:
            i += 1
            self.write(3, f"The news of the moment, number {i}.")
            time.sleep(0.05)
        counts = collections.Counter(row["target"] for row in self.rows())
        still = [counts[f"/{k}.html"] for k in range(4, COUNT)]
        self.assertGreaterEqual(min(still), 2, counts)
        self.assertGreaterEqual(counts["/3.html"], 3 * max(still), counts)
        explained = self.daemon_.json(
            "/v1/pages", url=f"{self.server.url}4.html")["visit"]
        self.assertGreater(explained["interval_s"], 1)


if __name__ == "__main__":
    harness.main()
