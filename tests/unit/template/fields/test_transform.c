/* Transforms of the values of a field: numbers, dates, URLs, and lists. */
#include "template/fields/transform.h"

#include "page/page.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static const char unread[] = "";

static void check_number(const char *text, bool is_price, const char *wanted)
{
	char out[NUMBER_SIZE] = "";
	bool is_read = number_read(slice_of(text), is_price, 0, out);

	ck_assert_msg(strcmp(is_read ? out : unread, wanted) == 0,
		      "%s: %s, not %s", text, out, wanted);
}

TEST(prices_of_many_countries_are_read)
{
	static const char *const prices[][2] = {
		{"£12.99", "12.99"},
		{"EUR 12.95", "12.95"},
		{"1.234,50 €", "1234.50"},
		{"€ 1.234", "1234"},
		{"$1,299", "1299"},
		{"$1,299.00", "1299.00"},
		{"US$ 1,234,567.89", "1234567.89"},
		{"1 299 kr", "1299"},
		{"1 299,90 kr", "1299.90"},
		{"12.990 zł", "12990"},
		{"CHF 1'234'567.80", "1234567.80"},
		{"CHF 1’234.–", "1234"},
		{"12,–", "12"},
		{"12.-", "12"},
		{"1\xC2\xA0"
		 "299,00\xC2\xA0€",
		 "1299.00"},
		{"1\xE2\x80\xAF"
		 "299,00 €",
		 "1299.00"},
		{"¥12,800", "12800"},
		{"12,800円", "12800"},
		{"₩ 1,290,000", "1290000"},
		{"R$ 1.299,90", "1299.90"},
		{"₹4,999.00", "4999.00"},
		{"-£5", "-5"},
		{"£-5", "-5"},
		{"−5,00 €", "-5.00"},
		{"Price: 7 USD", "7"},
		{"0,99 €", "0.99"},
		{"007", "7"},
		{"$1000", "1000"},
	};

	for (size_t i = 0; i < sizeof(prices) / sizeof(prices[0]); i++)
		check_number(prices[i][0], true, prices[i][1]);
}

TEST(a_number_that_is_unclear_is_not_read)
{
	static const char *const texts[] = {
		"0,500 €", "1,23,4 €",  "£10 - £20", "free",         "",
		"1.2.3",   "12,34.567", "1 23",      "1,234.567.89",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_number(texts[i], true, unread);
	check_number("1.234", false, unread);
	check_number("1,234", false, unread);
	check_number("1.1.1.1.1.1.1.1.1.1.1.1.1", false, unread);
	check_number("1234567890123456789012345678901234567890123456789012",
		     false, unread);
	check_number("3 (of 7)", false, unread);
	check_number("4,5", false, "4.5");
	check_number("12 345", false, "12345");
	check_number("9780306406157", false, "9780306406157");
	check_number("10-20", false, unread);
	check_number("a-5", false, "5");
}

TEST(other_numbers_of_the_field_show_what_begins_the_decimals)
{
	const struct slice points[] = {slice_of("1.234"), slice_of("1,234.5"),
				       slice_of("x")};
	const struct slice commas[] = {slice_of("1,5 kg"), slice_of("1.234"),
				       slice_of("12")};
	const struct slice both[] = {slice_of("1,5"), slice_of("1.5")};
	const struct slice groups[] = {slice_of("1,234"), slice_of("5,678"),
				       slice_of("910"), slice_of("11,000")};
	char out[NUMBER_SIZE];

	ck_assert_int_eq(number_decimal(points, 3), '.');
	ck_assert_int_eq(number_decimal(points, 1), 0);
	ck_assert_int_eq(number_decimal(commas, 3), ',');
	ck_assert_int_eq(number_decimal(both, 2), 0);
	ck_assert_int_eq(number_decimal(groups, 4), '.');
	ck_assert_int_eq(number_decimal(groups, 3), 0);
	ck_assert(number_read(slice_of("1,234"), false, '.', out));
	ck_assert_str_eq(out, "1234");
	ck_assert(number_read(slice_of("1,234"), false, ',', out));
	ck_assert_str_eq(out, "1.234");
	ck_assert(!number_read(slice_of("0,234"), false, '.', out));
}

/* Check the transformed values of two texts, and whether both were read. */
static void check_values(enum transform_kind kind, const char *first,
			 const char *second, bool is_complete,
			 const char *wanted)
{
	AUTO_PAGE *page = page_of("<base href='/b/'><p>text");
	const struct slice texts[] = {slice_of(first), slice_of(second)};
	const struct transform transform = {.kind = kind, .separator = "; "};
	const struct slice *values = texts;
	AUTO_BUFFER joined = {0};
	uint32_t count = 2;

	page->url = slice_of("http://a.test/c/d.html");
	ck_assert(transform_values(&transform, page, test_arena, &values,
				   &count) == is_complete);
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_byte(&joined, '|');
		buffer_append_slice(&joined, values[i]);
	}
	check_slice(buffer_slice(&joined), wanted);
}

TEST(values_are_transformed)
{
	check_values(TRANSFORM_NONE, "$1", "$1", true, "$1|$1");
	check_values(TRANSFORM_NUMBER, "$1,234", "EUR 1.235", true,
		     "1234|1235");
	check_values(TRANSFORM_NUMBER, "$1.00", "1.00 $", true, "1.00");
	check_values(TRANSFORM_NUMBER, "sold", "1.00 $", false, "1.00");
	check_values(TRANSFORM_NUMBER, "1.234 kg", "", false, "");
	check_values(TRANSFORM_DATE, "3 May 2024", "5/3/2024", false,
		     "2024-05-03");
	check_values(TRANSFORM_DATE, "le 6 mai 2024", "13/5/2024", true,
		     "2024-05-06|2024-05-13");
	check_values(TRANSFORM_URL, "e.html", "/f?g#h", true,
		     "http://a.test/b/e.html|http://a.test/f?g");
	check_values(TRANSFORM_URL, "//b.test", "mailto:a@b.test", false,
		     "http://b.test/");
	check_values(TRANSFORM_JOIN, "a", "b", true, "a; b");
}

TEST(each_value_is_transformed_before_they_are_joined)
{
	AUTO_PAGE *page = page_of("<p>text");
	const struct slice texts[] = {slice_of("$1,234.50"), slice_of("sold"),
				      slice_of("2 pieces")};
	const struct transform transform = {.kind = TRANSFORM_JOIN,
					    .items = TRANSFORM_NUMBER,
					    .separator = " + "};
	const struct slice *values = texts;
	uint32_t count = 3;

	ck_assert(!transform_values(&transform, page, test_arena, &values,
				    &count));
	ck_assert_uint_eq(count, 1);
	check_slice(values[0], "1234.50 + 2");
	values = texts + 1;
	count = 1;
	ck_assert(!transform_values(&transform, page, test_arena, &values,
				    &count));
	ck_assert_uint_eq(count, 0);
}

TEST(a_relative_url_needs_the_url_of_the_page)
{
	AUTO_PAGE *page = page_of("<p>text");
	const struct slice texts[] = {slice_of("a.html"),
				      slice_of("https://b.test/a")};
	const struct transform transform = {.kind = TRANSFORM_URL};
	const struct slice *values = texts;
	uint32_t count = 2;

	ck_assert(!transform_values(&transform, page, test_arena, &values,
				    &count));
	ck_assert_uint_eq(count, 1);
	check_slice(values[0], "https://b.test/a");
}

TEST(transforms_have_names)
{
	enum transform_kind kind;

	for (uint32_t i = 0; i < TRANSFORM_COUNT; i++) {
		ck_assert(transform_find(transform_name((enum transform_kind)i),
					 &kind));
		ck_assert_uint_eq(kind, i);
	}
	ck_assert(!transform_find("trim", &kind));
}
