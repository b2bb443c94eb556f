#include "base/date.h"

#include "tests/unit/run.h"

static uint64_t parse(const char *text)
{
	return date_parse(slice_of(text));
}

/* 2017-03-06T04:03:53Z is 1488773033 (date -u -d ... +%s) */
TEST(dates_of_warc)
{
	ck_assert_uint_eq(parse("2017-03-06T04:03:53Z"), 1488773033000);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53.5Z"), 1488773033500);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53.123456789Z"),
			  1488773033123);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53"), 1488773033000);
	ck_assert_uint_eq(parse("2017-03-06T05:03:53+01:00"), 1488773033000);
	ck_assert_uint_eq(parse("2017-03-05T21:03:53-0700"), 1488773033000);
	ck_assert_uint_eq(parse("2017-03-06T04:03Z"), 1488772980000);
	ck_assert_uint_eq(parse("2017-03-06"), 1488758400000);
	ck_assert_uint_eq(parse("2017-03"), 1488326400000);
	ck_assert_uint_eq(parse("2017"), 1483228800000);
	ck_assert_uint_eq(parse("1970-01-01T00:00:00Z"), 0);
}

TEST(dates_of_arc)
{
	ck_assert_uint_eq(parse("20170306040353"), 1488773033000);
	ck_assert_uint_eq(parse("201703060403539999"), 1488773033000);
	ck_assert_uint_eq(parse("201703060403"), 0);
	ck_assert_uint_eq(parse("20171306040353"), 0);
}

/* the second and third occur in real files */
TEST(what_is_no_date)
{
	ck_assert_uint_eq(parse(""), 0);
	ck_assert_uint_eq(parse("2008-10-294T05:21:46-0700"), 0);
	ck_assert_uint_eq(parse("5088968-11-06T12:31:23Z"), 0);
	ck_assert_uint_eq(parse("2017-13-01"), 0);
	ck_assert_uint_eq(parse("2017-03-06T24:00:00Z"), 0);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53X"), 0);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53Zx"), 0);
	ck_assert_uint_eq(parse("2017-03-06T04:03:53+99:00"), 0);
	ck_assert_uint_eq(parse("1969-12-31T23:59:59Z"), 0);
	ck_assert_uint_eq(parse("1970-01-01T00:00:00+01:00"), 0);
	ck_assert_uint_eq(parse("null"), 0);
}

TEST(a_date_is_written_as_it_is_read)
{
	char text[DATE_BYTES];

	ck_assert(date_format(1488773033999, text));
	ck_assert_str_eq(text, "2017-03-06T04:03:53Z");
	ck_assert_uint_eq(parse(text), 1488773033000);
	ck_assert(date_format(0, text));
	ck_assert_str_eq(text, "1970-01-01T00:00:00Z");
}
