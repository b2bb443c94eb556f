#include "crawl/sitemap.h"

#include <inttypes.h>

#include <zlib.h>

#include "tests/unit/run.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
/* Over what is read of prose; and of 50 MB of spaces by gzip. */
enum { PROSE_BYTES = 65 * 1024, PACKED_BYTES = 100 * 1024 };

#define SPACE " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\""

/* An entry is "URL", " @ms" when it has a time, " map" for a sitemap. */
static void on_entry(void *context, const struct sitemap_entry *entry)
{
	struct buffer *log = context;

	buffer_append_slice(log, entry->url);
	if (entry->lastmod_ms != 0)
		buffer_printf(log, " @%" PRIu64, entry->lastmod_ms);
	if (entry->is_sitemap)
		buffer_append_text(log, " map");
	buffer_append_byte(log, '\n');
}

struct reading {
	struct buffer log;
	enum error error;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
};

static struct reading read_pieces(struct slice bytes, size_t piece)
{
	struct reading reading = {0};
	struct sitemap *sitemap;
	struct url base;

	ASSERT_OK(url_parse(&base, slice_of("https://e.org/m/s.xml"), NULL));
	sitemap = sitemap_create(&base, on_entry, &reading.log);
	while (bytes.size > 0) {
		struct slice part = bytes;

		part.size = part.size < piece ? part.size : piece;
		reading.error = sitemap_feed(sitemap, part);
		bytes.data = (const char *)bytes.data + part.size;
		bytes.size -= part.size;
	}
	if (reading.error != ERR_NONE)
		ck_assert_int_eq(sitemap_finish(sitemap), reading.error);
	reading.error = sitemap_finish(sitemap);
	ck_assert_int_eq(sitemap_finish(sitemap), reading.error);
	reading.kind = sitemap_kind(sitemap);
	reading.count = sitemap_count(sitemap);
	reading.refused = sitemap_refused(sitemap);
	sitemap_destroy(sitemap);
	return reading;
}

/* In one piece, and the same byte by byte. */
static struct reading read_whole(struct slice bytes)
{
	struct reading whole = read_pieces(bytes, bytes.size + 1);
	struct reading other = read_pieces(bytes, 1);

	ck_assert_int_eq(whole.error, other.error);
	ck_assert_int_eq((int)whole.kind, (int)other.kind);
	ck_assert_uint_eq(whole.count, other.count);
	ck_assert_uint_eq(whole.refused, other.refused);
	ck_assert(slice_equal(buffer_slice(&whole.log),
			      buffer_slice(&other.log)));
	buffer_free(&other.log);
	return whole;
}

static struct buffer gzip(struct slice bytes)
{
	struct buffer packed = {0};
	size_t room = bytes.size + bytes.size / 100 + 64;
	z_stream zlib = {.next_in = (Bytef *)bytes.data,
			 .avail_in = (uInt)bytes.size};

	ck_assert_int_eq(deflateInit2(&zlib, 6, Z_DEFLATED, 15 + 16, 8, 0),
			 Z_OK);
	zlib.next_out = (Bytef *)buffer_reserve(&packed, room);
	zlib.avail_out = (uInt)room;
	ck_assert_int_eq(deflate(&zlib, Z_FINISH), Z_STREAM_END);
	packed.size = zlib.total_out;
	deflateEnd(&zlib);
	return packed;
}

static void check(struct slice bytes, enum sitemap_kind kind, size_t refused,
		  const char *entries)
{
	struct reading reading = read_whole(bytes);
	const char *log = reading.log.data == NULL ? "" : reading.log.data;

	ASSERT_OK(reading.error);
	ck_assert_int_eq((int)reading.kind, (int)kind);
	ck_assert_str_eq(log, entries);
	ck_assert_uint_eq(reading.refused, refused);
	buffer_free(&reading.log);
}

/* Plain and packed. */
static void check_text(const char *text, enum sitemap_kind kind, size_t refused,
		       const char *entries)
{
	AUTO_BUFFER packed = gzip(slice_of(text));

	check(slice_of(text), kind, refused, entries);
	check(buffer_slice(&packed), kind, refused, entries);
}

TEST(a_urlset_is_read)
{
	check_text(XML "<urlset" SPACE ">\n"
		       " <url><loc>https://e.org/1</loc>"
		       "<lastmod>1970-01-02</lastmod></url>\n"
		       " <url>\n  <loc>\n   https://e.org/2?a=1&amp;b=2\n"
		       "  </loc>\n  <priority>1</priority>\n </url>\n"
		       "</urlset>\n",
		   SITEMAP_URLS, 0,
		   "https://e.org/1 @86400000\nhttps://e.org/2?a=1&b=2\n");
	check_text("<urlset/>", SITEMAP_URLS, 0, "");
}

TEST(an_index_is_read)
{
	check_text(XML "<sitemapindex" SPACE "><sitemap>"
		       "<loc>https://e.org/a.xml.gz</loc>"
		       "<lastmod>1970-01-01T00:00:01Z</lastmod></sitemap>"
		       "<sitemap><loc>b.xml</loc></sitemap></sitemapindex>",
		   SITEMAP_INDEX, 0,
		   "https://e.org/a.xml.gz @1000 map\n"
		   "https://e.org/m/b.xml map\n");
}

TEST(what_begins_before_the_xml_is_skipped)
{
	check_text("\xEF\xBB\xBF" XML "<urlset><url><loc>/1</loc></url>"
		   "</urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	check_text("\n\n  " XML "<urlset><url><loc>/1</loc></url></urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	check_text("\xEF\xBB\xBF\xEF\xBB\xBF\n\xEF\xBB\xBF<urlset><url>"
		   "<loc>/1</loc></url></urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
}

TEST(namespaces_and_prefixes_do_not_matter_but_extensions_do)
{
	check_text("<s:urlset xmlns:s='http://www.sitemaps.org/schemas/sitemap/"
		   "0.9'><s:url><s:loc>/1</s:loc></s:url></s:urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	check_text("<urlset xmlns='other'><url><loc>/1</loc></url></urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	check_text("<urlset" SPACE " xmlns:image='i' xmlns:xhtml='h'><url>"
		   "<image:loc>/no</image:loc>"
		   "<image:image><image:loc>/no</image:loc><loc>/no</loc>"
		   "</image:image><loc>/1</loc>"
		   "<xhtml:link rel='alternate' href='/no'/>"
		   "<image:lastmod>1999</image:lastmod></url></urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	check_text("<urlset xmlns:x='x'><url><x:url><loc>/no</loc></x:url>"
		   "<loc>/1</loc></url></urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
	/* an undeclared prefix */
	check_text("<urlset><url><image:loc>/no</image:loc><loc>/1</loc></url>"
		   "</urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\n");
}

TEST(addresses_are_canonical_and_others_are_refused)
{
	check_text("<urlset><url><loc>HTTP://E.org:80/a/../%7eb#c</loc></url>"
		   "<url><loc><![CDATA[?a=1&b=2]]></loc></url>"
		   "<url><loc>?a=1&b=2&copy=3</loc></url>"
		   "<url><loc>//f.org</loc></url>"
		   "<url><loc>mailto:a@e.org</loc></url>"
		   "<url><loc>ftp://e.org/</loc></url>"
		   "<url><loc>http://[/</loc></url>"
		   "<url><loc> </loc></url><url/></urlset>",
		   SITEMAP_URLS, 5,
		   "http://e.org/~b\nhttps://e.org/m/s.xml?a=1&b=2\n"
		   "https://e.org/m/s.xml?a=1&b=2&copy=3\nhttps://f.org/\n");
}

TEST(a_url_over_its_bound_is_refused)
{
	AUTO_BUFFER xml = {0};
	struct reading reading;

	for (size_t more = 0; more < 2; more++) {
		buffer_append_text(&xml, more == 0 ? "<urlset>" : "");
		buffer_append_text(&xml, "<url><loc>http://e.org/");
		for (size_t i = 13; i < MAX_URL_BYTES + more; i++)
			buffer_append_byte(&xml, 'x');
		buffer_append_text(&xml, "</loc></url>");
	}
	buffer_append_text(&xml, "</urlset>");
	reading = read_whole(buffer_slice(&xml));
	ASSERT_OK(reading.error);
	ck_assert_uint_eq(reading.count, 1);
	ck_assert_uint_eq(reading.refused, 1);
	ck_assert_uint_eq(reading.log.size, MAX_URL_BYTES + 1);
	buffer_free(&reading.log);
}

TEST(broken_sitemaps_are_read_as_far_as_they_go)
{
	/* no <loc>, no </url>, no </loc>, a <br> */
	check_text("<sitemapindex><sitemap>\n/1?a&amp;b\n</sitemap>"
		   "</sitemapindex>",
		   SITEMAP_INDEX, 0, "https://e.org/1?a&b map\n");
	check_text("<urlset><url><loc>/1</loc><url><loc>/2</loc></url>"
		   "</urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\nhttps://e.org/2\n");
	check_text("<urlset><url><loc>/1</url><url><loc>/2<br></loc></url>"
		   "</urlset>",
		   SITEMAP_URLS, 0, "https://e.org/1\nhttps://e.org/2\n");
	check_text("<urlset><url><loc>/1</loc><loc>/2</loc>"
		   "<lastmod>no</lastmod><lastmod>1970-01-02</lastmod></url>"
		   "<sitemap><loc>/3</loc></sitemap></urlset> rest <",
		   SITEMAP_URLS, 0,
		   "https://e.org/1 @86400000\nhttps://e.org/3 map\n");
}

TEST(rss_2_is_read)
{
	check_text(XML "<rss version='2.0' xmlns:atom='a'><channel>"
		       "<link>http://e.org/</link>"
		       "<image><url>/no</url><link>/no</link></image>"
		       "<item><title>t</title><link>/1</link>"
		       "<atom:link href='/no'>/no</atom:link>"
		       "<guid>http://e.org/no</guid>"
		       "<pubDate>Fri, 02 Jan 1970 01:00:00 +0100</pubDate>"
		       "</item>"
		       "<item><guid isPermaLink='false'>http://e.org/2</guid>"
		       "</item>"
		       "<item><guid>no</guid></item>"
		       "<item><link>http://e.org/3<![CDATA[?a=1&b]]></link>"
		       "<description>a<br>b&nbsp;</description></item>"
		       "</channel></rss>",
		   SITEMAP_RSS, 1,
		   "https://e.org/1 @86400000\nhttp://e.org/2\n"
		   "http://e.org/3?a=1&b\n");
}

TEST(rss_1_is_read)
{
	check_text(XML "<rdf:RDF xmlns:rdf='r' xmlns='http://purl.org/rss/1.0/'"
		       " xmlns:dc='d'><channel rdf:about='/no'>"
		       "<link>/no</link><items><rdf:Seq>"
		       "<rdf:li resource='/no'/></rdf:Seq></items></channel>"
		       "<item rdf:about='/no'><link>/1</link>"
		       "<dc:date>1970-01-02T00:00:00+00:00</dc:date></item>"
		       "<item rdf:about='/2'><title/></item></rdf:RDF>",
		   SITEMAP_RSS, 0,
		   "https://e.org/1 @86400000\nhttps://e.org/2\n");
}

TEST(atom_is_read)
{
	check_text(XML "<feed xmlns='http://www.w3.org/2005/Atom'>"
		       "<link href='/no'/><updated>2003-12-13T18:30:02Z"
		       "</updated><entry>"
		       "<link rel='self' href='/no'/><link href='/1'/>"
		       "<link rel='alternate' href='/no'/>"
		       "<published>1970-01-03</published>"
		       "<updated>1970-01-02</updated>"
		       "<content><div xmlns='h'><link href='/no'/></div>"
		       "</content></entry>"
		       "<entry><link href='/2' rel='alternate'/>"
		       "<link href='/no' rel='edit'/>"
		       "<published>1970-01-02</published></entry>"
		       "<entry><link rel='edit' href='/no'/></entry></feed>",
		   SITEMAP_ATOM, 1,
		   "https://e.org/1 @86400000\nhttps://e.org/2 @86400000\n");
}

TEST(text_is_read)
{
	check_text("http://e.org/1\r\n\n  https://E.org/2\t\n"
		   "/relative\na word\nhttp://e.org/3",
		   SITEMAP_TEXT, 2,
		   "http://e.org/1\nhttps://e.org/2\nhttp://e.org/3\n");
	check_text("\xEF\xBB\xBFhttp://e.org/1\rHTTP://e.org/\xC3\xA9\r",
		   SITEMAP_TEXT, 0, "http://e.org/1\nhttp://e.org/%C3%A9\n");
}

TEST(a_line_over_the_bound_is_refused)
{
	AUTO_BUFFER text = {0};
	struct reading reading;

	for (size_t more = 0; more < 2; more++) {
		buffer_append_text(&text, "http://e.org/");
		for (size_t i = 13; i < MAX_URL_BYTES + more; i++)
			buffer_append_byte(&text, 'x');
		buffer_append_byte(&text, '\n');
	}
	reading = read_whole(buffer_slice(&text));
	ASSERT_OK(reading.error);
	ck_assert_uint_eq(reading.count, 1);
	ck_assert_uint_eq(reading.refused, 1);
	buffer_free(&reading.log);
}

#define BYTES(literal) ((struct slice){(literal), sizeof(literal) - 1})

TEST(encodings_are_read)
{
	check(BYTES("<?xml version='1.0' encoding='windows-1251'?>"
		    "<urlset><url><loc>/\xE9</loc></url></urlset>"),
	      SITEMAP_URLS, 0, "https://e.org/%D0%B9\n");
	check(BYTES("\xFF\xFE<\0u\0r\0l\0s\0e\0t\0>\0<\0u\0r\0l\0>\0<\0l\0o\0"
		    "c\0>\0/\0\xE9\0<\0/\0l\0o\0c\0>\0<\0/\0u\0r\0l\0>\0"
		    "<\0/\0u\0r\0l\0s\0e\0t\0>\0"),
	      SITEMAP_URLS, 0, "https://e.org/%C3%A9\n");
}

static void check_malformed(struct slice bytes, const char *entries)
{
	struct reading reading = read_whole(bytes);

	ck_assert_int_eq(reading.error, ERR_MALFORMED);
	ck_assert(slice_equal(buffer_slice(&reading.log), slice_of(entries)));
	buffer_free(&reading.log);
}

TEST(a_file_that_is_no_sitemap_is_malformed)
{
	static const struct {
		struct slice bytes;
		const char *entries;
	} rows[] = {
		{BYTES(""), ""},
		{BYTES(" \n"), ""},
		{BYTES("\xEF\xBB\xBF"), ""},
		{BYTES("<"), ""},
		{BYTES("<!DOCTYPE html><html><body><a href='/1'>1</a>"), ""},
		{BYTES("<html><url><loc>/1</loc></url></html>"), ""},
		{BYTES("<head><title>Not found</title></head>"), ""},
		{BYTES("Not found"), ""},
		{BYTES("{\"loc\": \"http://e.org/\"}"), ""},
		{BYTES("User-agent: *\nSitemap: http://e.org/s.xml\n"), ""},
		{BYTES("http://e.org/1\n\x01\nhttp://e.org/2"),
		 "http://e.org/1\n"},
		{BYTES("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"), ""},
		{BYTES("\0\0\0\x18"
		       "ftypmp42"),
		 ""},
		{BYTES("<urlset>"), ""},
		{BYTES("<urlset><url><loc>/1</loc></url><url><loc>/2</loc>"),
		 "https://e.org/1\n"},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check_malformed(rows[i].bytes, rows[i].entries);
}

TEST(prose_is_not_read_to_its_end)
{
	AUTO_BUFFER prose = {0};
	struct reading reading;

	while (prose.size < PROSE_BYTES)
		buffer_append_text(&prose, "some words and more of them\n");
	buffer_append_text(&prose, "http://e.org/\n");
	reading = read_pieces(buffer_slice(&prose), 1000);
	ck_assert_int_eq(reading.error, ERR_MALFORMED);
	ck_assert_uint_eq(reading.count, 0);
	buffer_free(&reading.log);
}

TEST(broken_gzip_is_corrupt_and_cut_gzip_malformed)
{
	AUTO_BUFFER packed = gzip(slice_of("http://e.org/1\nhttp://e.org/2\n"));

	for (size_t cut = 2; cut < packed.size; cut++) {
		struct reading reading =
			read_whole((struct slice){packed.data, cut});

		ck_assert_int_eq(reading.error, ERR_MALFORMED);
		buffer_free(&reading.log);
	}
	packed.data[packed.size - 8] ^= 1; /* of the checksum */
	{
		struct reading reading = read_whole(buffer_slice(&packed));

		ck_assert_int_eq(reading.error, ERR_CORRUPT);
		ck_assert_str_eq(reading.log.data,
				 "http://e.org/1\nhttp://e.org/2\n");
		buffer_free(&reading.log);
	}
}

TEST(members_of_gzip_are_joined_and_padding_ignored)
{
	AUTO_BUFFER packed = gzip(slice_of("http://e.org/1\nhttp://e.o"));
	AUTO_BUFFER second = gzip(slice_of("rg/2\n"));

	buffer_append_slice(&packed, buffer_slice(&second));
	check(buffer_slice(&packed), SITEMAP_TEXT, 0,
	      "http://e.org/1\nhttp://e.org/2\n");
	buffer_append(&packed, "\0\0\0\x1F\x8B\x08 no", 9);
	check(buffer_slice(&packed), SITEMAP_TEXT, 0,
	      "http://e.org/1\nhttp://e.org/2\n");
}

static struct reading read_entries(size_t count)
{
	AUTO_BUFFER text = {0};
	struct reading reading;

	/* every tenth is refused, and counts */
	for (size_t i = 0; i < count; i++)
		buffer_printf(
			&text,
			i % 10 == 9 ? "e.org/%zu\n" : "http://e.org/%zu\n", i);
	reading = read_pieces(buffer_slice(&text), 1 << 20);
	return reading;
}

TEST(entries_over_the_limit_are_too_many)
{
	struct reading most = read_entries(MAX_SITEMAP_ENTRIES);
	struct reading over = read_entries(MAX_SITEMAP_ENTRIES + 1);

	ASSERT_OK(most.error);
	ck_assert_uint_eq(most.count, 45000);
	ck_assert_uint_eq(most.refused, 5000);
	ck_assert_int_eq(over.error, ERR_TOO_LARGE);
	ck_assert_uint_eq(over.count + over.refused, MAX_SITEMAP_ENTRIES);
	ck_assert(
		slice_equal(buffer_slice(&most.log), buffer_slice(&over.log)));
	buffer_free(&most.log);
	buffer_free(&over.log);
}

static struct buffer padded(size_t size)
{
	static const char end[] = "<url><loc>/1</loc></url></urlset>";
	struct buffer xml = {0};

	buffer_append_text(&xml, "<urlset>");
	memset(buffer_reserve(&xml, size), ' ', size);
	xml.size = size - strlen(end);
	buffer_append_text(&xml, end);
	return xml;
}

TEST(bytes_over_the_limit_are_too_large)
{
	AUTO_BUFFER xml = padded(MAX_SITEMAP_BYTES);
	AUTO_BUFFER packed = gzip(buffer_slice(&xml));
	struct reading most = read_pieces(buffer_slice(&xml), 1 << 20);
	struct reading over;

	ck_assert_uint_lt(packed.size, PACKED_BYTES);
	ASSERT_OK(most.error);
	ck_assert_uint_eq(most.count, 1);
	buffer_free(&most.log);
	most = read_pieces(buffer_slice(&packed), 1 << 20);
	ASSERT_OK(most.error);
	ck_assert_uint_eq(most.count, 1);
	buffer_free(&most.log);
	buffer_append_byte(&xml, '\n');
	over = read_pieces(buffer_slice(&xml), 1 << 20);
	ck_assert_int_eq(over.error, ERR_TOO_LARGE);
	ck_assert_uint_eq(over.count, 1);
	buffer_free(&over.log);
}

TEST(dates_are_read)
{
	static const struct {
		const char *text;
		uint64_t time_ms;
	} rows[] = {
		/* W3C's note, section "Formats" */
		{"1997", 852076800000},
		{"1997-07", 867715200000},
		{"1997-07-16", 869011200000},
		{"1997-07-16T19:20+01:00", 869077200000},
		{"1997-07-16T19:20:30+01:00", 869077230000},
		{"1997-07-16T19:20:30.45+01:00", 869077230450},
		{"2004-12-23T18:00:15+00:00", 1103824815000},
		{"2004-12-23T18:00:15Z", 1103824815000},
		{"2004-12-23T10:00:15-08:00", 1103824815000},
		/* what is written for it */
		{"2004-12-23t18:00:15z", 1103824815000},
		{"2004-12-23 18:00:15", 1103824815000},
		{"2004-12-23 19:00:15 +0100", 1103824815000},
		/* RFC 822, section 5 */
		{"Thu, 23 Dec 2004 18:00:15 GMT", 1103824815000},
		{"Thu, 23 Dec 2004 18:00:15 UTC", 1103824815000},
		{"23 Dec 04 19:00:15 +0100", 1103824815000},
		{"Thu, 23 Dec 2004 13:00:15 EST", 1103824815000},
		/* none */
		{"", 0},
		{"now", 0},
		{"2004-13-01", 0},
		{"2004-12-23T25:00Z", 0},
		{"2004-12-23T18:00:15+00:00 and so on", 0},
		{"2004-12-23T18:00:15Z                         ", 0},
		{"0000-00-00T00:00:00Z", 0},
		{"1969-12-31", 0},
		{"-1", 0},
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++)
		ck_assert_msg(sitemap_date(slice_of(rows[i].text)) ==
				      rows[i].time_ms,
			      "%s: %" PRIu64, rows[i].text,
			      sitemap_date(slice_of(rows[i].text)));
	ck_assert_uint_eq(sitemap_date(slice_of(NULL)), 0);
}
