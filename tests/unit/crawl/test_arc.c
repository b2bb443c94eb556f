#include "crawl/warc_read.h"

#include "tests/unit/run.h"

static struct arc_header header;

static bool parse(const char *line)
{
	return arc_header_parse(slice_of(line), &header);
}

static void check_url(const char *expected)
{
	ck_assert_uint_eq(header.url.size, strlen(expected));
	ck_assert(slice_equal(header.url, slice_of(expected)));
}

/* archive.org/web/researcher/ArcFileFormat.php, the examples of both */
TEST(both_versions)
{
	ck_assert(parse("http://www.dryswamp.edu:80/index.html 127.10.100.2 "
			"19961104142103 text/html 202"));
	check_url("http://www.dryswamp.edu:80/index.html");
	ck_assert_uint_eq(header.length, 202);
	ck_assert_uint_eq(header.time_ms, 847117263000);
	ck_assert(parse("http://www.dryswamp.edu:80/index.html 127.10.100.2 "
			"19961104142103 text/html 200 "
			"fac069150613fe55599cc7fa88aa089d - 209 "
			"IA-001102.arc 202"));
	check_url("http://www.dryswamp.edu:80/index.html");
	ck_assert_uint_eq(header.length, 202);
	ck_assert(parse("filedesc://IA-001102.arc 0 19960923142103 text/plain "
			"76") == false);
	ck_assert(parse("filedesc://IA-001102.arc 0.0.0.0 19960923142103 "
			"text/plain 76"));
	ck_assert(parse("dns:www.archive.org ::1 20080430204825 text/dns 56"));
	check_url("dns:www.archive.org");
}

TEST(a_url_may_have_blanks)
{
	ck_assert(parse("http://a/?t=Web 2.0 and 3 93.184.216.119 "
			"20140216050221 text/html 1591"));
	check_url("http://a/?t=Web 2.0 and 3");
}

TEST(the_date_or_the_length_may_be_wrong)
{
	ck_assert(parse("http://a/ 207.241.229.39 null text/html 680"));
	check_url("http://a/");
	ck_assert_uint_eq(header.time_ms, 0);
	ck_assert_uint_eq(header.length, 680);
	ck_assert(parse("http://a/ 1.2.3.4 20140216050221 text/html -1"));
	ck_assert_uint_eq(header.length, UINT64_MAX);
	ck_assert(!parse("http://a/ 1.2.3.4 null text/html -1"));
	ck_assert(!parse("http://a/ 1.2.3.4 null text/html 1 2"));
}

TEST(what_is_no_line_of_arc)
{
	AUTO_TEXT *line = calloc(MAX_ARC_LINE + 2, 1);

	ck_assert(!parse(""));
	ck_assert(!parse("WARC/1.0"));
	ck_assert(!parse("URL IP-address Archive-date Content-type "
			 "Archive-length"));
	ck_assert(!parse("Date: Wed, 30 Apr 2008 20:48:24 GMT"));
	ck_assert(!parse("http://a/"));
	ck_assert(!parse("http://a/ 1.2.3.4 20140216050221"));
	ck_assert(!parse(": 1.2.3.4 20140216050221 text/html 1"));
	memset(line, 'a', MAX_ARC_LINE + 1);
	memcpy(line, "http://a/ 1.2.3.4 20140216050221 text/html ", 43);
	ck_assert(!parse(line));
	line[MAX_ARC_LINE] = '\0';
	ck_assert(parse(line));
}

TEST(a_record_begins_with_a_whole_line)
{
	ck_assert(arc_begins(
		slice_of("http://a/ 1.2.3.4 20140216050221 text/html 1\nx")));
	ck_assert(!arc_begins(
		slice_of("http://a/ 1.2.3.4 20140216050221 text/html 1")));
	ck_assert(!arc_begins(slice_of("\n")));
	ck_assert(!arc_begins((struct slice){"", 0}));
}
