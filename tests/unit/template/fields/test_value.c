/* What the text of a value means, and whether two mean the same. */
#include "template/fields/value.h"

#include "tests/unit/run.h"

static const struct {
	const char *left;
	const char *right;
	bool is_same;
} rows[] = {
	{"abc", "abc", true},
	{"abc", "abd", false},
	{"", "", true},
	{"$12.99", "12.99", true},
	{"$12.99", "12.98", false},
	{"1.299,00 \xE2\x82\xAC", "1299.00", true},
	{"1.299,00 \xE2\x82\xAC", "1299", true},
	{"$ 1,299.50", "1299.5", true},
	{"CHF 1'200.-", "1200.00", true},
	{"1 299 \xE2\x82\xAC", "1299", true},
	{"1\xC2\xA0"
	 "299,50 \xE2\x82\xAC",
	 "1299.50", true},
	{"12 5", "125", false},
	{"-5", "5", false},
	{"1.2.3", "123", false},
	{"0012", "12", true},
	{"0.50", ".5", false}, /* ".5" is the number 5 behind a point */
	{"March 5, 2024", "2024-03-05T10:00:00+00:00", true},
	{"5 March 2024", "2024-03-06", false},
	{"05/03/2024", "2024-03-05", false}, /* or 3 May */
	{"https://example.org/a.jpg", "/a.jpg", true},
	{"https://example.org/a.jpg", "//cdn.example.org/a.jpg", true},
	{"https://example.org/a.jpg", "/b.jpg", false},
	{"https://example.org/", "/", false},
	{"9999999999999999999999999999999999999999999999",
	 "9999999999999999999999999999999999999999999999", true},
};

TEST_ROWS(values_that_mean_the_same_are_equal, rows)
{
	ck_assert_int_eq(value_is_same(slice_of(rows[_i].left),
				       slice_of(rows[_i].right)),
			 rows[_i].is_same);
	ck_assert_int_eq(value_is_same(slice_of(rows[_i].right),
				       slice_of(rows[_i].left)),
			 rows[_i].is_same);
}
