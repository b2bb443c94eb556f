#include "extract/metadata/metadata.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static const char address[] = "https://www.example.org/2020/01/02/hats";

/* What `html` says; page_destroy(*page_out). */
static struct metadata read(const char *html, const char *url,
			    struct page **page_out)
{
	*page_out = parse(html);
	return metadata_read((*page_out)->arena, *page_out, slice_of(url),
			     NULL);
}

static void check_one(struct metadatum one, const char *value,
		      const char *source)
{
	ck_assert_msg(slice_equal(one.value, slice_of(value)), "%.*s",
		      (int)one.value.size, (const char *)one.value.data);
	if (source == NULL)
		ck_assert_ptr_null(one.source);
	else
		ck_assert_str_eq(one.source, source);
}

static void check_title(const char *html, const char *value, const char *source)
{
	AUTO_PAGE *page;

	check_one(read(html, "", &page).title, value, source);
}

/* The date published; `url` may be empty. */
static void check_date(const char *html, const char *url, const char *value,
		       const char *source)
{
	AUTO_PAGE *page;

	check_one(read(html, url, &page).published, value, source);
}

/* The first author, of `count`. */
static void check_author(const char *html, size_t count, const char *value,
			 const char *source)
{
	AUTO_PAGE *page;
	struct metadata metadata = read(html, "", &page);

	ck_assert_uint_eq(metadata.author_count, count);
	check_one(metadata.authors[0], value, source);
}

TEST(a_page_that_says_nothing_has_nothing)
{
	AUTO_PAGE *page;
	struct metadata metadata = read("", "", &page);

	check_one(metadata.title, "", NULL);
	check_one(metadata.published, "", NULL);
	check_one(metadata.modified, "", NULL);
	check_one(metadata.language, "", NULL);
	check_one(metadata.page_type, "", NULL);
	check_one(metadata.canonical, "", NULL);
	ck_assert_uint_eq(metadata.author_count, 0);
	ck_assert_uint_eq(metadata.tag_count, 0);
}

TEST(the_heading_is_the_title_when_the_head_agrees)
{
	check_title("<title>Red hats - Shop</title><h1>Shop</h1><h1>Red "
		    "<b>hats</b></h1>",
		    "Red hats", "h1");
	check_title("<title>Red hats</title><h1>Call us today</h1>", "Red hats",
		    "title");
	check_title("<meta property=og:title content='Red hats'><title>Red "
		    "hats for all</title>",
		    "Red hats", "og");
	check_title("<script type=application/ld+json>{\"@type\":\"Article\","
		    "\"headline\":\"All hats\"}</script><meta "
		    "property=og:title content='Red hats'>",
		    "All hats", "json-ld");
	check_title("<h1>Only this</h1>", "Only this", "h1");
	check_title("<title>a</title><h1 hidden>a</h1>", "a", "title");
	check_title("<title>Hats</title><h1>Hats\xC2\xB6</h1>", "Hats", "h1");
}

TEST(the_site_is_cut_from_the_title)
{
	check_title("<meta property=og:site_name content=Shop><title>Red hats "
		    "- Shop</title>",
		    "Red hats", "title");
	check_title("<title>Ownership - The Book</title><h1>The Book</h1>",
		    "Ownership", "title");
}

/* Check the title of a page whose template has the titles [count]. */
static void check_title_among(const char *html, const char *const *titles,
			      size_t count, const char *value)
{
	struct page_titles others = {.count = count};
	AUTO_PAGE *page = parse(html);

	for (size_t i = 0; i < count; i++)
		others.items[i] = slice_of(titles[i]);
	check_one(metadata_read(page->arena, page, slice_of(""), &others).title,
		  value, "title");
}

TEST(what_most_titles_of_a_template_have_is_not_of_the_title)
{
	static const char *const ends[] = {
		"Red hats - News - nwin", "Blue hats - News - nwin",
		"Old hats - Sport - nwin", "Coats - News - nwin"};
	static const char *const begins[] = {"nwin - a", "nwin - b - c",
					     "nwin - d"};
	static const char *const parts[] = {"A - Part 1", "B - Part 1",
					    "C - Part 2", "D", "E"};

	/* three of the other three, then two of them */
	check_title_among("<title>Red hats - News - nwin</title>", ends, 4,
			  "Red hats");
	check_title_among("<title>Old hats - Sport - nwin</title>", ends, 4,
			  "Old hats - Sport");
	/* one other title shows nothing */
	check_title_among("<title>Red hats - News - nwin</title>", ends, 2,
			  "Red hats - News - nwin");
	check_title_among("<title>nwin - b - c</title>", begins, 3, "b - c");
	/* two of five */
	check_title_among("<title>F - Part 1</title>", parts, 5, "F - Part 1");
	check_title_among("<title>a</title>", begins, 0, "a");
}

TEST(the_link_to_the_home_page_names_the_site)
{
	AUTO_PAGE *page;

	check_title("<title>Red hats - nwin</title><a href=/>nwin</a>",
		    "Red hats", "title");
	check_title("<title>Red hats // ivo.example</title><a "
		    "href=/>ivo.example</a>",
		    "Red hats", "title");
	check_title("<title>Red hats - nwin</title><a href=/a>nwin</a>",
		    "Red hats - nwin", "title");
	check_one(read("<title>Red hats - nwin</title><a "
		       "href=https://www.example.org>nwin</a>",
		       address, &page)
			  .title,
		  "Red hats", "title");
}

TEST(the_site_is_cut_before_and_after_a_colon)
{
	AUTO_PAGE *page;
	AUTO_PAGE *home;
	AUTO_PAGE *end;
	AUTO_PAGE *part;

	check_one(read("<title>The Hat Times: Red hats</title>",
		       "https://thehattimes.org/a", &page)
			  .title,
		  "Red hats", "title");
	check_one(read("<title>Red hats : The Hat Times</title>",
		       "https://thehattimes.org/a", &end)
			  .title,
		  "Red hats", "title");
	/* the title of the site, and a word of another part of the host */
	check_one(read("<title>The Hat Times: Red hats</title>",
		       "https://thehattimes.org/", &home)
			  .title,
		  "The Hat Times: Red hats", "title");
	check_one(read("<title>Ask Hats: Red or blue?</title>",
		       "https://ask.hats.org/a", &part)
			  .title,
		  "Ask Hats: Red or blue?", "title");
}

TEST(the_name_of_a_host_is_no_part_of_a_title)
{
	check_title("<title>Red hats - Hats.gr</title>", "Red hats", "title");
	check_title("<title>hats.com - Red hats</title>", "Red hats", "title");
	check_title("<title>Node.js - Red hats</title>", "Node.js - Red hats",
		    "title");
	check_title("<title>Red hats - Hats 2.0</title>", "Red hats - Hats 2.0",
		    "title");
}

TEST(a_part_of_the_title_that_is_alone_in_the_body_is_the_title)
{
	/* an h2 or h3; a text that is no link */
	check_title("<title>Hat News - Why we wear hats - Wear</title><h2>Why "
		    "we wear Hats</h2>",
		    "Why we wear hats", "title");
	check_title("<meta property=og:title content='All about hats'><title>"
		    "Why we wear hats « Hat News</title><h3>Why we wear hats"
		    "</h3>",
		    "Why we wear hats", "title");
	check_title("<title>A – Why we wear hats – B</title><div>Why we wear "
		    "hats</div>",
		    "Why we wear hats", "title");
	check_title(
		"<title>A - Why we wear hats</title><a href=/b>Why we wear hats"
		"</a>",
		"A - Why we wear hats", "title");
	/* the h1 is the name of the site, and shorter */
	check_title("<title>The Hat Blog: Why we wear hats</title><h1>The Hat "
		    "Blog</h1><h3>Why we wear hats</h3>",
		    "Why we wear hats", "title");
	check_title("<title>The Hat Blog: Why wear hats</title><h1><a href=/>"
		    "The Hat Blog</a></h1><h3>Why wear hats</h3>",
		    "Why wear hats", "title");
	/* the h1 is the longer one, or the whole title */
	check_title("<title>Why we wear hats: A short guide</title><h1>Why we "
		    "wear hats</h1><h2>A short guide</h2>",
		    "Why we wear hats", "h1");
	check_title("<title>Why we wear hats</title><h1>Why we wear hats</h1>"
		    "<h2>Why we wear</h2>",
		    "Why we wear hats", "h1");
	/* no whole part, and too short a part */
	check_title("<title>Why we wear hats</title><h2>Why we wear</h2>",
		    "Why we wear hats", "title");
	check_title("<title>A - Red hats</title><h2>Red hats</h2>",
		    "A - Red hats", "title");
}

TEST(a_date_after_the_title_in_its_heading_is_cut)
{
	check_title("<title>Hats are worn | A</title><h1>Hats are worn <small>"
		    "Hats, 5 March 2024</small></h1>",
		    "Hats are worn", "h1");
	check_title("<title>Hats are worn | A</title><h1>Hats are worn "
		    "daily</h1>",
		    "Hats are worn daily", "h1");
}

#define ARTICLE(fields)                                                       \
	"<script type=application/ld+json>{\"@type\":\"NewsArticle\"," fields \
	"}</script>"

TEST(machines_come_before_readers)
{
	const char visible[] = "<h1>Hats</h1><time datetime=2021-01-01></time>";
	const char meta[] = "<meta property=article:published_time "
			    "content=2022-02-02T10:00:00Z>"
			    "<h1>Hats</h1><time datetime=2021-01-01></time>";

	check_date(visible, "", "2021-01-01", "time");
	check_date(visible, address, "2020-01-02", "url");
	check_date(meta, address, "2022-02-02T10:00:00Z", "og");
	check_date(
		ARTICLE("\"datePublished\":\"2023-03-03\"") "<meta "
							    "property=article:"
							    "published_time "
							    "content=2022-02-"
							    "02>",
		address, "2023-03-03", "json-ld");
	/* what is no date is passed over */
	check_date(ARTICLE("\"datePublished\":\"soon\"") "<meta "
							 "property=article:"
							 "published_time "
							 "content=2022-02-02>",
		   "", "2022-02-02", "og");
	check_date("<h1>Hats</h1><p>5 March 2024</p>", "", "2024-03-05",
		   "byline");
	check_date("<meta name=DC.date content=2022-02-02>", "", "2022-02-02",
		   "dublin-core");
	check_date(ARTICLE("\"datePublished\":1709633730"), "",
		   "2024-03-05T10:15:30Z", "json-ld");
}

TEST(what_is_far_from_the_heading_is_of_others)
{
	check_date("<h1>Hats</h1><p>a<p>b<p>c<p>d<p>e<p>f<p>g<p>h<p>i<p>j<p>k"
		   "<p>l<p>m<p>n<p>o<p>p<p>q<p>r<p>s<p>t<p>u<p>v<p>w<p>x<p>y"
		   "<p>z<time datetime=2021-01-01>x</time>"
		   "<p class=date>2021-02-02",
		   "", "", NULL);
}

TEST(an_update_is_no_publication)
{
	AUTO_PAGE *page;
	struct metadata metadata =
		read("<h1>Hats</h1><p>Updated March 5, 2024</p>", "", &page);

	check_one(metadata.published, "", NULL);
	check_one(metadata.modified, "2024-03-05", "byline");
}

/* The dates of publication and of the last update of a text below a heading. */
static void check_dates(const char *html, const char *published,
			const char *modified)
{
	AUTO_PAGE *page;
	AUTO_BUFFER text = {0};
	struct metadata metadata;

	buffer_append_text(&text, "<h1>Hats</h1>");
	buffer_append_text(&text, html);
	metadata = read(text.data, "", &page);
	ck_assert_msg(
		slice_equal(metadata.published.value, slice_of(published)) &&
			slice_equal(metadata.modified.value,
				    slice_of(modified)),
		"%s: %.*s %.*s", html, (int)metadata.published.value.size,
		(const char *)metadata.published.value.data,
		(int)metadata.modified.value.size,
		(const char *)metadata.modified.value.data);
}

TEST(labels_tell_publication_and_update_apart)
{
	check_dates("<p>Published 5 March 2024, updated 6 March 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>Updated 6 March 2024. Published: 5 March 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>Veröffentlicht am 05.03.2024, aktualisiert am "
		    "06.03.2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>Publié le 5 mars 2024, mis à jour le 6 mars 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>5 marzo 2024 | Aggiornato il 6 marzo 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>Опубликовано 5 марта 2024, обновлено 6 марта 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>2024年3月5日 更新：2024年3月6日", "2024-03-05",
		    "2024-03-06");
	check_dates("<p>Publikováno 5. března 2024, aktualizováno 6. března "
		    "2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<p>Stand: 06.03.2024", "", "2024-03-06");
	check_dates("<p>Received: 5 March 2024. Accepted: 6 March 2024", "",
		    "");
	/* the label is the text before the date */
	check_dates("<p>Updated<p>6 March 2024<p>Published<p>5 March 2024",
		    "2024-03-05", "2024-03-06");
	check_dates("<b>Last updated</b> <time datetime=2024-03-06>6 "
		    "March</time>",
		    "", "2024-03-06");
	/* an element without a text at the end of the page */
	check_dates("<time datetime=2024-03-05></time>", "2024-03-05", "");
	check_dates("<dl><dt>Joined: <dd class=date>6 March 2004", "", "");
	check_dates("<p><time datetime=2024-03-06>Updated 6 March</time>", "",
		    "2024-03-06");
}

#define SPACE "                                                  "
#define WORDS                                                              \
	"<p>a<p>b<p>c<p>d<p>e<p>f<p>g<p>h<p>i<p>j<p>k<p>l<p>m<p>n<p>o<p>p" \
	"<p>q<p>r<p>s<p>t<p>u<p>v<p>w<p>x<p>y<p>z"

TEST(readers_see_the_local_day)
{
	/* 23:25 in UTC is 4:25 of the next day */
	check_dates("<meta property=article:published_time "
		    "content=2024-03-05T23:25:38Z><h1>Hats</h1><time "
		    "datetime=2024-03-06T04:25:38+0500>6 March</time>",
		    "2024-03-06T04:25:38+05:00", "");
	/* another moment, and a local time that UTC does not replace */
	check_dates("<meta property=article:published_time "
		    "content=2024-03-05T23:25:38Z><h1>Hats</h1><time "
		    "datetime=2024-03-06T04:25:39+0500>6 March</time>",
		    "2024-03-05T23:25:38Z", "");
	check_dates("<meta property=article:published_time "
		    "content=2024-03-06T04:25:38+0500><h1>Hats</h1><time "
		    "datetime=2024-03-05T23:25:38Z>6 March</time>",
		    "2024-03-06T04:25:38+05:00", "");
	/* the day that readers see, unless it is that of the update or far
	   from the moment */
	check_dates("<meta property=article:published_time "
		    "content=2024-03-05T12:41:00Z><meta "
		    "property=article:modified_time content=2024-03-06><h1>Hats"
		    "</h1><p>6 March 2024",
		    "2024-03-05T12:41:00Z", "2024-03-06");
	check_dates("<meta property=article:published_time "
		    "content=2024-03-06T02:41:00Z><h1>Hats</h1><p>5 March 2024",
		    "2024-03-05", "");
	check_dates("<meta property=article:published_time "
		    "content=2024-03-06T02:41:00Z><h1>Hats</h1><p>3 March 2024",
		    "2024-03-06T02:41:00Z", "");
	check_dates("<meta property=article:published_time "
		    "content=2024-03-06><h1>Hats</h1><p>5 March 2024",
		    "2024-03-06", "");
}

TEST(readers_see_the_day_of_the_update)
{
	static const char stored[] =
		"<meta property=article:modified_time "
		"content=2025-01-02T10:00:00Z><h1>Hats</h1><p>";
	char html[sizeof(stored) + 32];

	snprintf(html, sizeof(html), "%sUpdated 5 March 2024", stored);
	check_dates(html, "", "2024-03-05");
	/* the same day keeps its time */
	snprintf(html, sizeof(html), "%sUpdated 2 January 2025", stored);
	check_dates(html, "", "2025-01-02T10:00:00Z");
	snprintf(html, sizeof(html), "%s5 March 2024", stored);
	check_dates(html, "2024-03-05", "2025-01-02T10:00:00Z");
	/* a class that WordPress writes on each date, and an odd date */
	check_dates("<meta property=article:modified_time "
		    "content=2025-01-02T10:00:00Z><h1>Hats</h1><time "
		    "class='published updated' datetime=2024-03-05>5 "
		    "March</time>",
		    "2024-03-05", "2025-01-02T10:00:00Z");
	check_dates("<meta property=article:published_time content=2024-05-01>"
		    "<meta property=article:modified_time content=2025-01-02>"
		    "<h1>Hats</h1><p>Updated 5 March 2024",
		    "2024-05-01", "2025-01-02");
}

TEST(a_publication_that_is_the_update_gives_way_to_readers)
{
	static const char both[] =
		"<script type=application/ld+json>{\"@type\": \"Article\", "
		"\"datePublished\": \"2024-03-06\", \"dateModified\": "
		"\"2024-03-06\"}</script><h1>Hats</h1><p class=date>";
	char html[sizeof(both) + 16];

	snprintf(html, sizeof(html), "%s5 March 2024", both);
	check_dates(html, "2024-03-05", "2024-03-06");
	snprintf(html, sizeof(html), "%s7 March 2024", both);
	check_dates(html, "2024-03-06", "2024-03-06");
}

TEST(names_of_fields_may_have_a_prefix)
{
	check_date("<meta name=w-published-date content=2024-03-05>", "",
		   "2024-03-05", "meta");
	check_date("<meta name=page_publication_date content=2024-03-05>", "",
		   "2024-03-05", "meta");
	check_date("<meta name=w-event-date content=2024-03-05>", "", "", NULL);
	check_date("<meta name=published content=2024-03-05>", "", "", NULL);
}

TEST(the_date_of_a_video_is_not_that_of_its_page)
{
	check_dates("<script type=application/ld+json>{\"@type\": "
		    "\"VideoObject\", \"uploadDate\": \"2024-03-07\"}"
		    "</script><meta property=article:published_time "
		    "content=2024-03-05>",
		    "2024-03-05", "");
	check_dates("<script type=application/ld+json>{\"@type\": "
		    "\"VideoObject\", \"uploadDate\": \"2024-03-07\"}"
		    "</script>",
		    "2024-03-07", "");
}

TEST(marks_of_dates_are_read)
{
	check_dates(WORDS "<time pubdate>5 March 2024</time>", "2024-03-05",
		    "");
	check_dates(WORDS "<time>5 March 2024</time>", "", "");
	check_dates("<div id=updated>5 March 2024</div>", "2024-03-05",
		    "2024-03-05");
	check_dates("<p class=date>4 March 2024<p class=date "
		    "id=updated>5 March 2024",
		    "2024-03-04", "");
	check_dates("<abbr class=published "
		    "title=2024-03-05T10:15Z>yesterday</abbr>",
		    "2024-03-05T10:15Z", "");
	check_dates("<abbr class=published title='5 hats'>5 March "
		    "2024</abbr>",
		    "2024-03-05", "");
}

TEST(the_date_in_a_link_to_another_page_is_of_that_page)
{
	check_date("<a href=/b><b class=date>4 March 2024</b> Scarves "
		   "are worn by everybody in the land of "
		   "hats</a><h1>Hats</h1><p>5 March 2024",
		   "", "2024-03-05", "byline");
	/* the link of the page itself, and one that is only the date */
	check_date("<a href=/a><b class=date>5 March 2024</b><h1>Hats</h1>"
		   "</a>",
		   "", "2024-03-05", "byline");
	check_date("<h1>Hats</h1><a href=/2024><b class=date>5 March 2024</b>"
		   "</a>",
		   "", "2024-03-05", "byline");
}

TEST(the_title_is_no_label_of_a_date)
{
	check_date("<h1>The hats are updated</h1><p>5 March 2024", "",
		   "2024-03-05", "byline");
	check_dates("<p>Updated<p>5 March 2024", "", "2024-03-05");
}

TEST(far_from_the_heading_a_date_needs_a_label)
{
	check_dates(WORDS "<p>5 March 2024", "", "");
	check_dates(WORDS "<p>Posted on 5 March 2024", "2024-03-05", "");
	check_dates(WORDS "<h4>Published</h4><p>5 March 2024", "2024-03-05",
		    "");
	check_dates(WORDS "<p>This page was last modified on 5 March 2024", "",
		    "");
	check_dates(WORDS "<p>Last modified: 5 March 2024", "", "2024-03-05");
	check_dates(WORDS "<p>Last updated: 5 March 2024", "", "2024-03-05");
}

TEST(the_language_orders_the_numbers)
{
	check_date("<html lang=en-US><h1>Hats</h1><p>3/5/2024</p>", "",
		   "2024-03-05", "byline");
	check_date("<html lang=en-GB><h1>Hats</h1><p>3/5/2024</p>", "",
		   "2024-05-03", "byline");
	check_date("<html lang=fr><h1>Hats</h1><p>3/5/2024</p>", "",
		   "2024-05-03", "byline");
}

TEST(the_country_of_the_url_orders_the_numbers)
{
	const char english[] = "<html lang=en><h1>Hats</h1><p>3/5/2024</p>";

	check_date(english, "https://www.example.co.uk/hats", "2024-05-03",
		   "byline");
	check_date(english, "https://www.example.org/hats.uk", "2024-03-05",
		   "byline");
	check_date("<html lang=en-US><h1>Hats</h1><p>3/5/2024</p>",
		   "https://www.example.co.uk/hats", "2024-03-05", "byline");
	check_date("<html lang=ja><h1>Hats</h1><p>12/01/06</p>", "", "", NULL);
	check_date("<html lang=el><h1>Hats</h1><p>12/01/06</p>", "",
		   "2006-01-12", "byline");
}

TEST(the_day_of_the_copy_in_an_archive_is_no_date_of_the_page)
{
#define ARCHIVE "https://web.archive.org/web/20131207055721/"
	check_date("<h1>Hats</h1>", ARCHIVE "http://example.org/hats", "",
		   NULL);
	check_date("<h1>Hats</h1>", ARCHIVE "https://example.org/2012/03/05/a",
		   "2012-03-05", "url");
	/* a URL in a query is another page */
	check_date("<h1>Hats</h1>",
		   "https://example.org/2012/03/05/a?to=/http://b.org/",
		   "2012-03-05", "url");
}

TEST(authors_are_names)
{
	check_author(ARTICLE("\"author\":[{\"name\":\"Ann Smith\"},"
			     "{\"name\":\"Bob Hill\"}]"),
		     2, "Ann Smith", "json-ld");
	check_author("<script type=application/ld+json>{\"@graph\":[{\"@type\":"
		     "\"Article\",\"author\":{\"@id\":\"#a\"}},{\"@id\":\"#a\","
		     "\"@type\":\"Person\",\"name\":\"Ann Smith\"}]}</script>",
		     1, "Ann Smith", "json-ld");
	check_author("<meta name=author content='Ann Smith and Bob Hill'>", 2,
		     "Ann Smith", "meta");
	check_author("<meta property=article:author content=https://x.org/ann>"
		     "<h1>Hats</h1><p>By <a href=/a>Ann Smith</a></p>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><a rel=author href=/a>Ann Smith</a>", 1,
		     "Ann Smith", "link");
	check_author("<h1>Hats</h1><span itemprop=author>by <b itemprop=name>"
		     "Ann Smith</b></span>",
		     1, "Ann Smith", "microdata");
	check_author("<h1>Hats</h1><div class=byline>By<b>Ann Smith</b>Staff "
		     "writer</div>",
		     1, "Ann Smith", "byline");
	check_author("<meta name=author content=admin>", 0, "", NULL);
	check_author(ARTICLE("\"author\":{\"@type\":\"Person\",\"givenName\":"
			     "\"Ann\",\"familyName\":\"Smith\"}"),
		     1, "Ann Smith", "json-ld");
	check_author("<meta name=citation_author content='Smith, Ann'><meta "
		     "name=citation_author content='Hill, Bob'>",
		     2, "Ann Smith", "meta");
	check_author("<meta name=dc.creator content='Smith, Ann'>", 1,
		     "Ann Smith", "dublin-core");
	check_author("<meta name=author content='By &lt;a href=/a&gt;Ann "
		     "Smith&lt;/a&gt;'>",
		     1, "Ann Smith", "meta");
	check_author("<a href=/>The Herald</a><h1>Hats</h1><p>By Ann Smith, "
		     "The Herald",
		     1, "Ann Smith", "byline");
	check_author("<meta property=og:site_name content='The Herald'><meta "
		     "name=author content='Ann Smith, The Herald'>",
		     1, "Ann Smith", "meta");
}

TEST(names_and_dates_of_others_do_not_count)
{
	static const char *const boxes[] = {
		"<div class=comments>",    "<section id=comments>",
		"<div itemprop=review>",   "<div class=testimonials>",
		"<aside class=related>",   "<section class=suggested>",
		"<div class=team-member>", "<nav>",
		"<div id=navigation>",     "<div class=most-popular>",
	};

	for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		AUTO_PAGE *page;
		AUTO_BUFFER html = {0};
		struct metadata metadata;

		buffer_append_text(&html, "<h1>Hats</h1>");
		buffer_append_text(&html, boxes[i]);
		buffer_append_text(
			&html, "<span class=author-name>Bob Hill</span>"
			       "<span itemprop=author>Bob Hill</span>"
			       "<a href=/author/bob>Bob Hill</a><p>By Bob Hill"
			       "<p>5 March 2024"
			       "<time datetime=2024-03-05>x</time>");
		metadata = read(html.data, "", &page);
		ck_assert_msg(metadata.author_count == 0, "%s", boxes[i]);
		ck_assert_msg(metadata.published.source == NULL, "%s",
			      boxes[i]);
	}
	/* an element around the title is of the article */
	check_author("<div class=has-comments><h1>Hats</h1><p>By Ann "
		     "Smith</div>",
		     1, "Ann Smith", "byline");
}

TEST(names_near_the_title_are_whole)
{
	/* the role is in another element of the link */
	check_author("<h1>Hats</h1><a href=/author/ann><b>Ann Smith</b>"
		     "<p>Tech Reporter</p></a>",
		     1, "Ann Smith", "link");
	check_author("<h1>Hats</h1><div class=date-author>Dec 17, 2025<p>Ann "
		     "Smith</div>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><div class=byline>•</div>", 0, "", NULL);
	/* one word is enough before other texts, not before a field */
	check_author("<h1>Hats</h1><p>by <a href=/author/ann>Ann</a><p>Hats "
		     "<p>by Bob Hill",
		     1, "Ann", "link");
	check_author("<h1>Hats</h1><div data-author=ann25>x</div>", 1, "ann25",
		     "byline");
	check_author("<meta name=generator content=Flarum><h1>Hats</h1><h3 "
		     "class=PostUser-name>ann25</h3>",
		     1, "ann25", "byline");
	/* any word after "by", if there is no name */
	check_author("<h1>Hats</h1><p>by ann25", 1, "ann25", "byline");
	check_author("<h1>Hats</h1><p>By the Hats Team", 1, "the Hats Team",
		     "byline");
	check_author("<h1>Hats</h1><p>by ann25<div class=author-name>Ann "
		     "Smith</div>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>by train and by bus", 0, "", NULL);
	check_author("<h1>Hats</h1><div class=byline>via <a class='u-author "
		     "h-card'>ann25</a> today</div>",
		     1, "ann25", "microdata");
	check_author("<h1>Hats</h1><div class=author><svg><text>AS</text></svg>"
		     "<b>Ann Smith</b></div>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><h4>Authors</h4><ul><li>Ann Smith<li>Bob "
		     "Hill<li>Read more</ul>",
		     2, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>By <a>Ann Smith</a> and <a>Bob Hill</a>",
		     2, "Ann Smith", "byline");
	/* the card of another article */
	check_author("<h1>Hats</h1><a href=/b><h2>Scarves</h2><p>By Bob "
		     "Hill</p></a>",
		     0, "", NULL);
	/* a class name of a text about the author */
	check_author("<h1>Hats</h1><p class=author-description>Grader</p>", 0,
		     "", NULL);
}

TEST(a_full_name_beside_a_date_is_of_the_author)
{
	check_author("<h1>Hats</h1><p>Ann Smith<p>5 March 2024", 1, "Ann Smith",
		     "byline");
	check_author("<h1>Hats</h1><p>5 March 2024 <i>·</i> <a>Ann Smith</a>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>Ann Smith, Kim Boyd and Bob Hill<p>5 "
		     "March 2024",
		     3, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>Ann Smith<p>Editor in Chief<p>5 March "
		     "2024",
		     1, "Ann Smith", "byline");
	/* nothing beside it, a heading, a link in a paragraph */
	check_author("<h1>Hats</h1><p>Ann Smith<p>Hats are worn", 0, "", NULL);
	check_author("<h1>Hats</h1><h2>Ann Smith</h2><p>5 March 2024", 0, "",
		     NULL);
	check_author("<h1>Hats</h1><p>5 March 2024<p><a>Ann Smith</a> wears "
		     "hats",
		     0, "", NULL);
	/* words of the language, one word, a group, a forum */
	check_author("<h1>Hats</h1><p>Hat Strategy<p>5 March 2024<p>A strategy "
		     "for hats",
		     0, "", NULL);
	check_author("<h1>Hats</h1><p>Reviews<p>5 March 2024", 0, "", NULL);
	check_author("<h1>Hats</h1><p>Hats Institute<p>5 March 2024", 0, "",
		     NULL);
	check_author("<meta name=generator content=Flarum><h1>Hats</h1><p>Ann "
		     "Smith<p>5 March 2024",
		     0, "", NULL);
	/* a firm gives way to it */
	check_author("<meta name=author content='Hats Ltd'><h1>Hats</h1><p>Ann "
		     "Smith<p>5 March 2024",
		     1, "Ann Smith", "byline");
}

TEST(readers_see_more_authors_than_machines)
{
#define ANN ARTICLE("\"author\":{\"name\":\"Ann Smith\"}") "<h1>Hats</h1>"
	check_author(ANN "<p>By Dr Ann Smith and Bob Hill", 2, "Dr Ann Smith",
		     "byline");
	check_author(ANN "<p><a>Ann Smith</a>, <a>Bob Hill</a> &amp; <a>Kim "
			 "Boyd</a>",
		     3, "Ann Smith", "byline");
	check_author(ANN "<p><a>Bob Hill</a>, <a>Kim Boyd</a>", 1, "Ann Smith",
		     "json-ld");
	/* an account published the page */
	check_author(ANN "<p>By Bob Hill", 1, "Bob Hill", "byline");
	check_author(ANN "<p>By Ann", 1, "Ann Smith", "json-ld");
	check_author(ANN "<p>By Ann Smith, New York", 1, "Ann Smith",
		     "json-ld");
	check_author(ANN "<p>By Ann Smith<p>Checked<p>by<p>Bob Hill", 1,
		     "Ann Smith", "json-ld");
	check_author(ANN "<p>By Category", 1, "Ann Smith", "json-ld");
	check_author(ANN "<p>By Hats Team", 1, "Ann Smith", "json-ld");
	check_author(ANN "<p>a<p>b<p>c<p>d<p>e<p>f<p>By Bob Hill", 1,
		     "Ann Smith", "json-ld");
}

TEST(the_texts_near_the_title_are_found_without_an_h1_for_it)
{
	/* the h1 is the name of the site */
	check_author("<title>Red hats and blue hats</title><h1><a href=/>Red "
		     "Hats</a></h1>" WORDS "<h2>Red hats and blue hats</h2>"
		     "<p>By Ann Smith",
		     1, "Ann Smith", "byline");
	/* overlap 10 / (5 + 13) is below that of other headings */
	check_author("<title>Why we wear red hats</title>" WORDS "<h2>Why we "
		     "wear red hats: a long history of nice things to own"
		     "</h2><p>By Ann Smith",
		     1, "Ann Smith", "byline");
}

TEST(a_byline_is_the_place_of_a_title_that_is_not_in_the_page)
{
	const char plain[] = "<title>The Herald</title>" WORDS "<p>RED HATS<p>"
			     " By ANN SMITH <p>5 March 2024<p>Hats are worn.";

	check_author(plain, 1, "ANN SMITH", "byline");
	check_date(plain, "", "2024-03-05", "byline");
	check_author("<title>The Herald</title><p>By foot", 0, "", NULL);
}

TEST(far_from_the_title_a_byline_says_that_somebody_wrote)
{
	check_author("<h1>Hats</h1>" WORDS "<p>\n This post was written by Ann "
		     "Smith, Head of Hats and Scarves",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1>" WORDS "<h3>Written by Ann Smith</h3>", 1,
		     "Ann Smith", "byline");
	check_author("<h1>Hats</h1>" WORDS "<h3>Article by</h3><p>Ann Smith", 1,
		     "Ann Smith", "byline");
	check_author("<h1>Hats</h1>" WORDS "<h3>Author</h3><p>Ann Smith", 1,
		     "Ann Smith", "byline");
	check_author("<h1>Hats</h1>" WORDS "<p>By Ann Smith", 0, "", NULL);
}

TEST(the_owner_of_the_site_is_no_author)
{
	AUTO_PAGE *page;
	AUTO_PAGE *person;
	struct metadata metadata;

	/* a host, a firm, the site on a page about a thing */
	check_author("<meta name=author content=Hats.gr><h1>Hats</h1>", 0, "",
		     NULL);
	check_author("<meta name=author content='Red Hats S.A.'>", 0, "", NULL);
	check_author("<meta property=og:site_name content=Hats><meta "
		     "property=og:type content=product><meta name=author "
		     "content=Hats>",
		     0, "", NULL);
	/* the site gives way to a byline, a person whose domain it is does not
	 */
	metadata = read("<meta name=author content='Hat Times'><h1>Hats</h1>"
			"<p>By Ann Smith",
			"https://hattimes.org/a", &page);
	ck_assert_uint_eq(metadata.author_count, 1);
	check_one(metadata.authors[0], "Ann Smith", "byline");
	metadata = read("<meta name=author content='Ann Smith'>",
			"https://annsmith.org/a", &person);
	check_one(metadata.authors[0], "Ann Smith", "meta");
	/* names of links, pictures and hosts */
	check_author("<h1>Hats</h1><a rel=author href=/a>View Profile</a>", 0,
		     "", NULL);
	check_author("<h1>Hats</h1><p>Enlarge Image<p>5 March 2024", 0, "",
		     NULL);
	check_author("<h1>Hats</h1><p>Foto Hats.com<p>5 March 2024", 0, "",
		     NULL);
}

TEST(bylines_are_cut_to_the_name)
{
	check_author("<h1>Hats</h1><p>Autor: Ann Smith. Data publikacji Pią, "
		     "2010-11-19",
		     1, "Ann Smith.", "byline");
	check_author("<h1>Hats</h1><p>Autor: Ann Smith ostatnia aktualizacja: "
		     "2010-11-19",
		     1, "Ann Smith", "byline");
	/* a reporter, in Chinese */
	check_author(
		"<h1>Hats</h1><div class=author>【聯合晚報╱記者張博亭／整理"
		"】</div>",
		1, "張博亭", "byline");
	/* the family name first, in an element for a name */
	check_author("<h1>Hats</h1><div class=author_box><b class=author-name>"
		     "Κόλλια, Ελευθερία</b><p>RSS</div>",
		     1, "Ελευθερία Κόλλια", "byline");
	check_author("<h1>Hats</h1><p>By Smith, London", 2, "Smith", "byline");
	/* the white space of the source does not count */
	check_author("<h1>Hats</h1><h4 class=byline>" SPACE SPACE SPACE SPACE
		     "Ann Smith" SPACE SPACE SPACE SPACE "</h4>",
		     1, "Ann Smith", "byline");
}

TEST(bylines_have_other_words_before_by)
{
	check_author("<h1>Hats</h1><p><a href=/m>Music</a> post by <a "
		     "href=/a>Ann Smith</a>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>in hats, Submitted by <a href=/a>Ann "
		     "Smith</a>",
		     1, "Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>Posted by <a href=/t>timothy</a>", 1,
		     "timothy", "byline");
	check_author("<h1>Hats</h1>" WORDS "<p>Submitted by: Dr Ann Smith", 1,
		     "Dr Ann Smith", "byline");
	check_author("<h1>Hats</h1><p>Shop by <a href=/c>Categories</a>", 0, "",
		     NULL);
	check_author("<h1>Hats</h1><p>Photo posted by <a href=/a>Ann Smith</a>",
		     0, "", NULL);
}

TEST(the_place_of_the_title_is_its_first_heading)
{
	/* the link below the article has only the title */
	check_author("<title>Why we wear hats - A</title><h2>Why we wear hats "
		     "<b>340</b></h2><p>By Ann Smith" WORDS WORDS
		     "<h2><a href=/a>Why we wear hats</a></h2>",
		     1, "Ann Smith", "byline");
}

TEST(a_label_tells_the_field_of_the_author)
{
	check_author("<meta name=twitter:label1 content='Written by'><meta "
		     "name=twitter:data1 content='Ann Smith'>",
		     1, "Ann Smith", "meta");
	check_author("<meta name=twitter:label1 content='Verfasst von'><meta "
		     "name=twitter:data1 content='Ann Smith'>",
		     1, "Ann Smith", "meta");
	check_author("<meta name=twitter:label1 content='Reading time'><meta "
		     "name=twitter:data1 content='Five minutes'>",
		     0, "", NULL);
}

TEST(a_login_gives_way_to_a_person)
{
	check_author("<meta name=author content=asmith2><h1>Hats</h1><a "
		     "rel=author href=/a>Ann Smith</a>",
		     1, "Ann Smith", "link");
	check_author("<meta property=og:site_name content='Big Shop'><meta "
		     "name=author content='Big Shop'><h1>Hats</h1><a "
		     "rel=author href=/a>Ann Smith</a>",
		     1, "Ann Smith", "link");
	check_author("<meta name=author content=asmith2>", 1, "asmith2",
		     "meta");
	/* but not in a forum */
	check_author("<meta name=generator content='phpBB 3'><meta name=author "
		     "content=asmith2><h1>Hats</h1><a rel=author href=/a>Ann "
		     "Smith</a>",
		     1, "asmith2", "meta");
}

TEST(what_a_list_holds_is_not_what_the_page_is)
{
	check_author("<script type=application/ld+json>{\"@type\":\"ItemList\","
		     "\"itemListElement\":[{\"@type\":\"Article\",\"author\":"
		     "\"Ann Smith\"}]}</script>",
		     0, "", NULL);
}

TEST(the_rest_is_read)
{
	AUTO_PAGE *page;
	struct metadata metadata =
		read("<html lang=' de_AT '><link rel=canonical href=' /hats '>"
		     "<meta property=og:image content=/a.png>"
		     "<meta name=description content=' about\n hats '>"
		     "<meta property=og:site_name content='Big Shop'>"
		     "<meta name=keywords content='red, hats ,, RED'>",
		     address, &page);

	check_one(metadata.language, "de-AT", "html-lang");
	check_one(metadata.canonical, "/hats", "link");
	check_one(metadata.image, "/a.png", "og");
	check_one(metadata.description, "about hats", "meta");
	check_one(metadata.site_name, "Big Shop", "og");
	ck_assert_uint_eq(metadata.tag_count, 2);
	check_one(metadata.tags[0], "red", "meta");
	check_one(metadata.tags[1], "hats", "meta");
}

static void check_language(const char *html, const char *value,
			   const char *source)
{
	AUTO_PAGE *page;

	check_one(read(html, "", &page).language, value, source);
}

TEST(a_page_is_filed_under_categories)
{
	struct page *page;
	struct metadata metadata =
		read("<meta property=article:section content='Hats, Caps'>"
		     "<meta name=category content=Shop>",
		     "", &page);

	ck_assert_uint_eq(metadata.category_count, 1);
	check_one(metadata.categories[0], "Hats, Caps", "og");
	page_destroy(page);
	metadata = read("<h1>Hats</h1><a rel='category tag' href=/c>Felt</a>"
			"<a rel=tag href=/t>wool</a>",
			"", &page);
	ck_assert_uint_eq(metadata.category_count, 1);
	check_one(metadata.categories[0], "Felt", "link");
	page_destroy(page);
}

TEST(licence_and_icon_come_from_links)
{
	struct page *page;
	struct metadata metadata = read(
		"<link rel=apple-touch-icon href=/big.png>"
		"<link rel='shortcut icon' href=/a.ico>"
		"<body><a rel='nofollow license' href=//cc.example/by>CC</a>"
		"<a "
		"href=https://creativecommons.org/licenses/by/4.0/>photo</a>",
		"", &page);

	check_one(metadata.favicon, "/a.ico", "link");
	check_one(metadata.licence, "//cc.example/by", "link");
	page_destroy(page);
	metadata = read("<a href=https://creativecommons.org/licenses/by/4.0/>"
			"photo</a>",
			"", &page);
	check_one(metadata.licence, "", NULL);
	check_one(metadata.favicon, "", NULL);
	page_destroy(page);
	metadata = read("<script type=application/ld+json>"
			"{\"@type\":\"Article\",\"license\":"
			"{\"url\":\"/terms\"},\"articleSection\":\"Hats\"}"
			"</script>",
			"", &page);
	check_one(metadata.licence, "/terms", "json-ld");
	check_one(metadata.categories[0], "Hats", "json-ld");
	page_destroy(page);
}

TEST(the_writing_system_is_the_last_hint_of_the_language)
{
	check_language("<p>\xCE\xBA\xCE\xB1\xCE\xBB\xCE\xB7", "el", "text");
	/* kana among Han */
	check_language("<p>\xE6\x97\xA5\xE6\x9C\xAC\xE3\x81\xAE", "ja", "text");
	check_language("<p>\xE4\xB8\xAD\xE6\x96\x87", "zh", "text");
	check_language("<p>\xED\x95\x9C\xEA\xB5\xAD", "ko", "text");
	/* several languages are written so */
	check_language("<p>\xD0\xB4\xD0\xB0", "", NULL);
	check_language("<p>hats", "", NULL);
	check_language("<html lang='{{lang}}'><meta property=og:locale "
		       "content=en_US>",
		       "en-US", "og");
}

static void check_type(const char *html, const char *url, const char *value,
		       const char *source)
{
	AUTO_PAGE *page;

	check_one(read(html, url, &page).page_type, value, source);
}

TEST(the_type_is_what_is_said_of_it)
{
	check_type(ARTICLE("\"headline\":\"x\""), "", "article", "json-ld");
	check_type("<meta name=generator content='Discourse 3'>", "", "forum",
		   "meta");
	check_type("", "https://example.org/", "home", "url");
	check_type("", "https://docs.example.org/x", "documentation", "url");
	check_type("<meta property=og:type content=product>", "", "product",
		   "og");
	/* any page claims to be an article: it must have a date */
	check_type("<meta property=og:type content=article>", "", "", NULL);
	check_type("<meta property=og:type content=article><meta "
		   "property=article:published_time content=2022-02-02>",
		   "", "article", "og");
	check_type("<script type=application/ld+json>{\"@type\":\"FAQPage\","
		   "\"mainEntity\":[{\"@type\":\"Question\",\"name\":\"x\"}]}"
		   "</script>",
		   "", "", NULL);
}

/* The same page twice, and one with every field filled. */
TEST(limits_hold)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	struct metadata metadata;

	for (int i = 0; i < 200; i++)
		buffer_printf(&html,
			      "<meta name=author content='Ann N%c%c'><meta "
			      "property=article:tag content=t%d><h1>h%d</h1>"
			      "<p class=author-name>Bob<time>x</time>",
			      'a' + i / 26, 'a' + i % 26, i, i);
	metadata = read(html.data, address, &page);
	ck_assert_uint_eq(metadata.author_count, MAX_AUTHORS);
	ck_assert_uint_eq(metadata.tag_count, MAX_TAGS);
	check_one(metadata.tags[31], "t31", "og");
}
