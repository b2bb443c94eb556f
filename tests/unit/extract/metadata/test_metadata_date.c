#include "extract/metadata/metadata_date.h"
#include "tests/unit/run.h"

struct row {
	const char *text;
	const char *date; /* NULL: none */
};

static const struct row readable[] = {
	{"2024-03-05", "2024-03-05"},
	{"2024-3-5", "2024-03-05"},
	{"2024/03/05", "2024-03-05"},
	{"2024.03.05", "2024-03-05"},
	{"20240305", "2024-03-05"},
	{"2024-03-05T10:15:30Z", "2024-03-05T10:15:30Z"},
	{"2024-03-05T10:15:30.123Z", "2024-03-05T10:15:30Z"},
	{"2024-03-05T10:15:30+00:00", "2024-03-05T10:15:30Z"},
	{"2024-03-05T10:15:30+0530", "2024-03-05T10:15:30+05:30"},
	{"2024-03-05T10:15:30-08:00", "2024-03-05T10:15:30-08:00"},
	{"2024-03-05T10:15", "2024-03-05T10:15"},
	{"2024-03-05 10:15:30", "2024-03-05T10:15:30"},
	{"2024-03-05 10:15:30 -0500", "2024-03-05T10:15:30-05:00"},
	{"20240305101530", "2024-03-05T10:15:30"},
	{"Tue, 05 Mar 2024 10:15:30 GMT", "2024-03-05T10:15:30Z"},
	{"Tue, 5 Mar 2024 10:15:30 +0100", "2024-03-05T10:15:30+01:00"},
	{"10 oktober 2025, 10:00 - 10:30", "2025-10-10T10:00"},
	{"2025-10-10 10:00-10:40", "2025-10-10T10:00"},
	{"Tue Mar 05 2024 10:15:30 GMT+0100 (CET)",
	 "2024-03-05T10:15:30+01:00"},
	{"March 5, 2024", "2024-03-05"},
	{"Mar. 5th, 2024", "2024-03-05"},
	{"MARCH 5 2024", "2024-03-05"},
	{"5 March 2024", "2024-03-05"},
	{"5th of March, 2024", "2024-03-05"},
	{"Published on March 5, 2024 at 4:05 PM", "2024-03-05T16:05"},
	{"March 5, 2024 12:30 a.m.", "2024-03-05T00:30"},
	{"05-Mar-2024", "2024-03-05"},
	{"2024 March 5", "2024-03-05"},
	{"Sept 5, 2024", "2024-09-05"},
	{"5. M\xC3\xA4rz 2024", "2024-03-05"},
	{"Dienstag, 5. Dezember 2023", "2023-12-05"},
	{"5 mars 2024", "2024-03-05"},
	{"le 1er ao\xC3\xBBt 2023 \xC3\xA0 10:15", "2023-08-01T10:15"},
	{"5 de marzo de 2024", "2024-03-05"},
	{"5 de mar\xC3\xA7o de 2024", "2024-03-05"},
	{"5 gennaio 2024", "2024-01-05"},
	{"5 maart 2024", "2024-03-05"},
	{"5 maja 2024", "2024-05-05"},
	{"1 pa\xC5\xBA"
	 "dziernika 2023",
	 "2023-10-01"},
	{"5. b\xC5\x99"
	 "ezna 2024",
	 "2024-03-05"},
	{"5 \xD0\xBC\xD0\xB0\xD1\x80\xD1\x82\xD0\xB0 2024 \xD0\xB3.",
	 "2024-03-05"},
	{"5 \xD0\x9C\xD0\x90\xD0\xAF 2024", "2024-05-05"},
	{"5 \xCE\x9C\xCE\xB1\xCF\x81\xCF\x84\xCE\xAF\xCE\xBF\xCF\x85 2024",
	 "2024-03-05"},
	{"5 A\xC4\x9Fustos 2023", "2023-08-05"},
	{"5. maaliskuuta 2024", NULL}, /* its cases are not listed */
	{"5. maaliskuu 2024", "2024-03-05"},
	{"2024. m\xC3\xA1rcius 5.", "2024-03-05"},
	{"5 Agustus 2023", "2023-08-05"},
	{"2024\xE5\xB9\xB4"
	 "3\xE6\x9C\x88"
	 "5\xE6\x97\xA5",
	 "2024-03-05"},
	{"2024 \xE5\xB9\xB4 03 \xE6\x9C\x88 05 \xE6\x97\xA5 10:15",
	 "2024-03-05T10:15"},
	{"2024\xEB\x85\x84 3\xEC\x9B\x94 5\xEC\x9D\xBC", "2024-03-05"},
	{"5.3.2024", "2024-03-05"},
	{"25/12/2023", "2023-12-25"},
	{"12/25/2023", "2023-12-25"},
	{"Dec 17, 2025 \xE2\x80\xA2 4 min read", "2025-12-17"},
	{"5 comments, March 5, 2024", "2024-03-05"},
	{"1709633730", "2024-03-05T10:15:30Z"},
	{"1709633730123", "2024-03-05T10:15:30Z"},
	{"2024-02-29", "2024-02-29"},
	{"2000-02-29", "2000-02-29"},
	{"1970-01-01", "1970-01-01"},
	{"2100-12-31", "2100-12-31"},
	{"2024-03-05T25:00:00", "2024-03-05"},
	{"2024-03-05T10:75", "2024-03-05"},
	{"2023-02-29", NULL},
	{"1900-02-28", NULL},
	{"2101-01-01", NULL},
	{"2024-13-05", NULL},
	{"2024-00-05", NULL},
	{"2024-04-31", NULL},
	{"0000-00-00", NULL},
	{"31/02/2024", NULL},
	{"March 2024", NULL},
	{"2024", NULL},
	{"12345678901234567890", NULL},
	{"9999999999", NULL},
	{"market 5, 2024", NULL},
	{"", NULL},
	{"::: / -- T", NULL},
	{"\xC3", NULL},
};

TEST_ROWS(each_form_is_read, readable)
{
	const struct row *row = &readable[_i];
	char out[DATE_SIZE] = "";
	bool is_date = date_read(slice_of(row->text), MONTH_FIRST, out);

	ck_assert_msg(is_date == (row->date != NULL), "%s: %s", row->text,
		      is_date ? out : "none");
	if (is_date)
		ck_assert_str_eq(out, row->date);
}

TEST(the_order_is_that_of_the_language)
{
	char out[DATE_SIZE];

	ck_assert(date_read(slice_of("3/5/2024"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2024-03-05");
	ck_assert(date_read(slice_of("3/5/2024"), DAY_FIRST, out));
	ck_assert_str_eq(out, "2024-05-03");
	/* neither is written so in America */
	ck_assert(date_read(slice_of("3-5-2024"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2024-05-03");
	ck_assert(date_read(slice_of("3.5.2024"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2024-05-03");
	/* what the numbers tell comes first */
	ck_assert(date_read(slice_of("3/25/2024"), DAY_FIRST, out));
	ck_assert_str_eq(out, "2024-03-25");
}

/* Years of two digits, in text for readers. */
static const struct {
	const char *text;
	enum date_order order;
	const char *date; /* NULL: none */
} short_years[] = {
	{"7/15/10 at 12:45 AM", MONTH_FIRST, "2010-07-15T00:45"},
	{"3/5/10", MONTH_FIRST, "2010-03-05"},
	{"17/11/11-14:47", DAY_FIRST, "2011-11-17T14:47"},
	{"06.01.12 11:51", DAY_FIRST, "2012-01-06T11:51"},
	{"06.01.99", DAY_FIRST, "1999-01-06"},
	/* the year may be the first number, or the month */
	{"10/3/5", MONTH_FIRST, NULL},
	{"12/01/06", YEAR_FIRST, NULL},
	{"06.01.12", MONTH_FIRST, NULL},
	{"06-01-12", DAY_FIRST, NULL},
	/* a version, an address, a price, a year far away */
	{"6.1.12", DAY_FIRST, NULL},
	{"10.06.01.12", DAY_FIRST, NULL},
	{"06.01.12.10", DAY_FIRST, NULL},
	{"3/5/10/2", DAY_FIRST, NULL},
	{"3/5/45", DAY_FIRST, NULL},
	{"31/31/10", DAY_FIRST, NULL},
};

TEST_ROWS(years_of_two_digits_are_read_if_their_place_is_clear, short_years)
{
	const struct slice text = slice_of(short_years[_i].text);
	const enum date_order order = short_years[_i].order;
	const char *date = short_years[_i].date;
	char out[DATE_SIZE] = "";

	date_find_labelled(text, order, DATE_PLAIN, out);
	ck_assert_str_eq(out, date == NULL ? "" : date);
	/* not in fields for machines */
	ck_assert(!date_read(text, order, out));
}

TEST(the_day_of_the_week_orders_the_numbers)
{
	char out[DATE_SIZE];

	/* 12 January 2012 was a Thursday, 1 December 2012 a Saturday */
	ck_assert(date_read(slice_of("Thu, 12/01/2012"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2012-01-12");
	ck_assert(date_read(slice_of("Saturday 12/01/2012"), DAY_FIRST, out));
	ck_assert_str_eq(out, "2012-12-01");
	ck_assert(date_read(slice_of("Πέμπτη 12/01/2012"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2012-01-12");
	/* it is neither, or no day of the week */
	ck_assert(date_read(slice_of("Monday 12/01/2012"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2012-12-01");
	ck_assert(date_read(slice_of("on 12/01/2012"), MONTH_FIRST, out));
	ck_assert_str_eq(out, "2012-12-01");
}

TEST(the_label_before_a_date_counts)
{
	const struct slice text = slice_of("5.3.2024 GEÄNDERT 6.3.2024");
	char out[DATE_SIZE];

	ck_assert(date_find_labelled(text, DAY_FIRST, DATE_PLAIN, out));
	ck_assert_str_eq(out, "2024-03-05");
	ck_assert(date_find_labelled(text, DAY_FIRST, DATE_UPDATED, out));
	ck_assert_str_eq(out, "2024-03-06");
	ck_assert(!date_find_labelled(text, DAY_FIRST, DATE_PUBLISHED, out));
	ck_assert(!date_find_labelled((struct slice){NULL, 0}, DAY_FIRST,
				      DATE_PLAIN, out));

	ck_assert_int_eq(date_label_at_end(slice_of("Last updated:")),
			 DATE_UPDATED);
	ck_assert_int_eq(date_label_at_end(slice_of("Mise à jour le")),
			 DATE_UPDATED);
	ck_assert_int_eq(date_label_at_end(slice_of("Posted 5 May 2024 by")),
			 DATE_PLAIN);
	ck_assert_int_eq(date_label_at_end(slice_of("")), DATE_PLAIN);
	ck_assert(date_label_begins(slice_of("Publié le 5 mai")));
	ck_assert(!date_label_begins(slice_of("We published it")));
	ck_assert(!date_label_begins(slice_of("Joined 2024")));
	ck_assert(!date_label_begins((struct slice){NULL, 0}));
}

TEST(a_moment_is_the_same_with_another_offset)
{
	static const struct {
		const char *a, *b;
		bool is_same;
	} rows[] = {
		{"2024-03-01T00:30Z", "2024-02-29T19:30:00-05:00", true},
		{"2023-03-01T00:30Z", "2023-02-28T19:30:00-05:00", true},
		{"2025-01-01T01:00+03:00", "2024-12-31T22:00Z", true},
		{"2024-03-01T00:30Z", "2024-02-28T19:30:00-05:00", false},
		{"2024-03-01T00:30Z", "2024-03-01T00:30", false},
		{"2024-03-01", "2024-03-01", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(date_is_same_moment(slice_of(rows[i].a),
						  slice_of(rows[i].b)) ==
				      rows[i].is_same,
			      "%s", rows[i].a);
}

/* Local time is from 12 hours behind UTC to 14 hours before it. */
TEST(a_moment_is_on_one_of_two_days)
{
	static const struct {
		const char *day, *utc;
		bool is_local;
	} rows[] = {
		{"2024-03-05", "2024-03-05T10:15:00Z", true},
		{"2024-03-06", "2024-03-05T10:15:00Z", true},
		{"2024-03-06", "2024-03-05T09:15:00Z", false},
		{"2024-03-04", "2024-03-05T11:15:00Z", true},
		{"2024-03-04", "2024-03-05T12:15:00Z", false},
		{"2024-03-05", "2024-03-07T01:00:00Z", false},
		{"2024-02-29", "2024-03-01T01:00", true},
		{"2024-03-06", "2024-03-05T00:00:00Z", false},
		{"2024-03-06", "2024-03-05", false},
		{"2024-03-06T04:25:39+05:00", "2024-03-05T23:25:38Z", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ck_assert_msg(date_may_be_local(slice_of(rows[i].day),
						slice_of(rows[i].utc)) ==
				      rows[i].is_local,
			      "%s %s", rows[i].day, rows[i].utc);
}

TEST(running_text_is_no_unix_time)
{
	char out[DATE_SIZE];

	ck_assert(!date_find(slice_of("1709633730"), DAY_FIRST, out));
	ck_assert(!date_find((struct slice){NULL, 0}, DAY_FIRST, out));
}

TEST(a_beginning_of_three_letters_is_a_month)
{
	ck_assert_uint_eq(month_of(slice_of("mar")), 3);
	ck_assert_uint_eq(month_of(slice_of("Juil")), 7);
	ck_assert_uint_eq(month_of(slice_of("juin")), 6);
	ck_assert_uint_eq(month_of(slice_of("ma")), 0);
	ck_assert_uint_eq(month_of(slice_of("marching")), 0);
	ck_assert_uint_eq(month_of(slice_of("ch")), 0);
	ck_assert_uint_eq(month_of(slice_of("")), 0);
	ck_assert_uint_eq(
		month_of(slice_of("decemberdecemberdecemberdecember")), 0);
}
