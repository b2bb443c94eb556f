/*
 * The files of sitemaps/ of web.tar.zst in $TEMPLATED_SHARED or ../shared. What
 * to expect of each was worked out by other means: lxml, Python's dates, grep.
 */
#include "crawl/sitemap.h"

#include <inttypes.h>

#include "tests/unit/run.h"
#include "tests/unit/webdata.h"

/* What a file told. */
struct told {
	size_t dates;
	uint64_t times_ms; /* the sum of all lastmod */
	size_t sitemaps;
	char first[MAX_URL_BYTES + 1];
	char last[MAX_URL_BYTES + 1];
};

static void on_entry(void *context, const struct sitemap_entry *entry)
{
	struct told *told = context;

	told->dates += entry->lastmod_ms != 0;
	told->times_ms += entry->lastmod_ms;
	told->sitemaps += entry->is_sitemap;
	memcpy(told->last, entry->url.data, entry->url.size);
	told->last[entry->url.size] = '\0';
	if (told->first[0] == '\0')
		memcpy(told->first, told->last, entry->url.size + 1);
}

#define NEWS  "http://www.hebdenbridgetimes.co.uk/news/local/"
#define JOBS  "https://shinpaideshou.wordpress.com/2017/04/"
#define VIDEO "http://www.example.com/videos/some_video_landing_page"

static const struct row {
	const char *file;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
	size_t dates;
	uint64_t times_ms;
	const char *first;
	const char *last;
} rows[] = {
	{"atom.xml", SITEMAP_ATOM, 1, 0, 1, 1071340202000,
	 "http://example.org/2003/12/13/atom03",
	 "http://example.org/2003/12/13/atom03"},
	{"atom0.3.xml", SITEMAP_ATOM, 2, 0, 2, 3408220800000,
	 "https://example.org/page1", "https://example.org/page2"},
	{"atom1.0.xml", SITEMAP_ATOM, 2, 0, 2, 3408220800000,
	 "https://example.org/page1", "https://example.org/page2"},
	{"do-not-visit.txt", SITEMAP_TEXT, 1, 0, 0, 0,
	 "http://www.example.com/do-not-visit-here",
	 "http://www.example.com/do-not-visit-here"},
	{"extension/hebdenbridgetimes-articles-sitemap.xml", SITEMAP_URLS, 74,
	 0, 74, 105847103304000,
	 NEWS "video-tour-de-yorkshire-in-calderdale-1-7242580",
	 NEWS "now-you-see-it-now-you-don-t-it-s-off-the-wall-1-7229940"},
	{"extension/pagemaps-sitemap.xml", SITEMAP_URLS, 2, 0, 0, 0,
	 "http://www.example.com/foo", "http://www.example.com/bar"},
	{"extension/shinpaideshou-news-sitemap.xml", SITEMAP_URLS, 3, 0, 0, 0,
	 JOBS "25/job-opening-reischauer-policy-research-fellow/",
	 JOBS "24/job-opening-lecturer-in-japanese-studies-university-of-"
	      "leeds/"},
	{"extension/sitemap-images.xml", SITEMAP_URLS, 1, 0, 0, 0,
	 "http://www.example.com/images/some_image_landing_page.html",
	 "http://www.example.com/images/some_image_landing_page.html"},
	{"extension/sitemap-links.xml", SITEMAP_URLS, 3, 0, 0, 0,
	 "http://www.example.com/english/",
	 "http://www.example.com/schweiz-deutsch/"},
	{"extension/sitemap-mobile.xml", SITEMAP_URLS, 3, 0, 0, 0,
	 "http://www.example.com/mobile-friendly-1/",
	 "http://www.example.com/no-mobile/"},
	{"extension/sitemap-news.xml", SITEMAP_URLS, 2, 0, 0, 0,
	 "http://www.example.org/business/article55.html",
	 "http://www.example.org/empty_news_name.html"},
	{"extension/sitemap-videos-tvshow.xml", SITEMAP_URLS, 1, 0, 0, 0,
	 "https://example.org/my-tv-show/23/13/",
	 "https://example.org/my-tv-show/23/13/"},
	{"extension/sitemap-videos.xml", SITEMAP_URLS, 3, 0, 0, 0,
	 VIDEO ".html", VIDEO "-3.html"},
	{"feed.rss", SITEMAP_RSS, 4, 0, 1, 1252254000000,
	 "https://www.example.com/blog/post/1",
	 "https://www.example.com/foo?q=a&l=fr"},
	{"google-image.xml", SITEMAP_URLS, 2, 0, 0, 0,
	 "https://example.org/news/one", "https://example.org/news/two"},
	{"google-news.xml", SITEMAP_URLS, 2, 0, 2, 3408220800000,
	 "https://example.org/page1", "https://example.org/page2"},
	{"hreflang.xml", SITEMAP_URLS, 2, 0, 2, 3408220800000,
	 "https://example.org/en/page", "https://example.org/fr/page"},
	{"plaintext.txt", SITEMAP_TEXT, 2, 1, 0, 0, "https://example.org/page1",
	 "https://example.org/page2"},
	{"rss2.0.xml", SITEMAP_RSS, 2, 0, 2, 3408314400000,
	 "https://example.org/page1", "https://example.org/page2"},
	{"simple-index.xml", SITEMAP_INDEX, 2, 0, 2, 3408220800000,
	 "https://example.org/sitemap1.xml",
	 "https://example.org/sitemap2.xml"},
	{"simple-urlset.xml", SITEMAP_URLS, 2, 0, 2, 3408220800000,
	 "https://example.org/page1", "https://example.org/page2"},
	{"sitemap-with-bom.txt", SITEMAP_TEXT, 2, 0, 0, 0,
	 "http://www.domain.com/page1.html",
	 "http://www.domain.com/page2.html"},
	{"sitemap.badns.xml", SITEMAP_URLS, 2, 0, 0, 0,
	 "http://www.example.com/1", "http://www.example.com/2"},
	{"sitemap.index.xml", SITEMAP_INDEX, 15, 0, 0, 0,
	 "https://example.com/sitemap.jss?portalCode=10260&lang=en",
	 "https://example.com/sitemap.jss?portalCode=10570&lang=en"},
	{"sitemap.ns.xml", SITEMAP_URLS, 2, 0, 0, 0, "http://www.example.com/1",
	 "http://www.example.com/2"},
	{"sitemap.txt", SITEMAP_TEXT, 2, 0, 0, 0,
	 "http://www.domain.com/page1.html",
	 "http://www.domain.com/page2.html"},
	{"sitemap.txt.gz", SITEMAP_TEXT, 5, 0, 0, 0, "http://www.example.com/",
	 "http://www.example.com/catalog?item=83&desc=vacation_usa"},
	{"xmlRss_pubDate.xml", SITEMAP_RSS, 7, 0, 5, 7418102065000,
	 "http://www.example.com/article_1",
	 "http://www.example.com/article_7"},
	{"xmlSitemap.gz", SITEMAP_URLS, 5, 0, 4, 4413290415000,
	 "http://www.example.com/",
	 "http://www.example.com/catalog?item=83&desc=vacation_usa"},
};

static void check_told(const struct row *row, const struct told *told)
{
	ck_assert_uint_eq(told->dates, row->dates);
	ck_assert_msg(told->times_ms == row->times_ms, "%" PRIu64,
		      told->times_ms);
	ck_assert_uint_eq(told->sitemaps,
			  row->kind == SITEMAP_INDEX ? row->count : 0);
	ck_assert_msg(strcmp(told->first, row->first) == 0, "%s", told->first);
	ck_assert_msg(strcmp(told->last, row->last) == 0, "%s", told->last);
}

static void check(const struct row *row, struct slice bytes)
{
	struct told told = {0};
	struct sitemap *sitemap;
	struct url base;

	ASSERT_OK(url_parse(&base, slice_of("http://base.invalid/"), NULL));
	sitemap = sitemap_create(&base, on_entry, &told);
	ASSERT_OK(sitemap_feed(sitemap, bytes));
	ASSERT_OK(sitemap_finish(sitemap));
	ck_assert_int_eq((int)sitemap_kind(sitemap), (int)row->kind);
	ck_assert_uint_eq(sitemap_count(sitemap), row->count);
	ck_assert_uint_eq(sitemap_refused(sitemap), row->refused);
	sitemap_destroy(sitemap);
	check_told(row, &told);
}

TEST_ROWS(a_file_tells_what_stands_in_it, rows)
{
	const struct row *row = &rows[_i];
	AUTO_BUFFER bytes = {0};
	char name[128];

	(void)snprintf(name, sizeof(name), "sitemaps/%s", row->file);
	webdata_read(name, &bytes);
	if (bytes.size == 0)
		printf("skipped: no %s of web.tar.zst\n", row->file);
	else
		check(row, buffer_slice(&bytes));
}
