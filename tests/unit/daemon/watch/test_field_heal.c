/* How many of the test pages confirm what was found for a broken field. */
#include "daemon/watch/field_heal.h"

#include "tests/unit/run.h"

enum { PAGES = 8 };

static struct heal_field field;

/*
 * Count the values of eight pages, of which every second one is a test. A value
 * of before is the number of its page.
 */
static void count(const char *records, bool is_volatile)
{
	struct heal_page pages[PAGES];
	const json_t *found[PAGES];
	json_t *list = json_loads(records, 0, NULL);
	json_t *known[PAGES];
	struct heal heal = {.pages = pages, .page_count = PAGES};

	ck_assert_uint_eq(json_array_size(list), PAGES);
	for (size_t i = 0; i < PAGES; i++) {
		char text[2] = {(char)('0' + i), '\0'};

		known[i] = json_pack("{s:s}", "price", text);
		pages[i] = (struct heal_page){.known = known[i]};
		found[i] = json_array_get(list, i);
	}
	field = (struct heal_field){.name = "price",
				    .is_volatile = is_volatile};
	heal_count(&heal, found, &field);
	for (size_t i = 0; i < PAGES; i++)
		json_decref(known[i]);
	json_decref(list);
}

#define EXAMPLE(record) "{}," record

TEST(all_test_pages_agree)
{
	count("[" EXAMPLE("{\"price\":\"1\"},") EXAMPLE("{\"price\":\"3\"},")
		      EXAMPLE("{\"price\":\"5\"},")
			      EXAMPLE("{\"price\":\"7\"}") "]",
	      false);
	ck_assert(field.is_found);
	ck_assert_uint_eq(field.tested, 4);
	ck_assert_uint_eq(field.agreed, 4);
}

TEST(another_value_of_a_text_is_against_it)
{
	count("[" EXAMPLE("{\"price\":\"1\"},") EXAMPLE("{\"price\":\"3\"},")
		      EXAMPLE("{\"price\":\"5\"},")
			      EXAMPLE("{\"price\":\"8\"}") "]",
	      false);
	ck_assert(!field.is_found);
	ck_assert_double_eq_tol(field.ratio, 3. / 4, 1e-9);
}

TEST(another_price_counts_half)
{
	count("[" EXAMPLE("{\"price\":\"1\"},") EXAMPLE("{\"price\":\"3\"},")
		      EXAMPLE("{\"price\":\"5\"},")
			      EXAMPLE("{\"price\":\"8\"}") "]",
	      true);
	/* 3 of 3.5 are 86 % */
	ck_assert_double_eq_tol(field.ratio, 3 / 3.5, 1e-9);
	ck_assert(!field.is_found);
}

TEST(a_missing_or_unsure_price_counts_whole)
{
	count("[" EXAMPLE("{\"price\":\"1\"},") EXAMPLE("{\"price\":\"3\"},")
		      EXAMPLE("{},") EXAMPLE("{\"price\":\"7\",\"_unsure\":"
					     "[\"price\"]}") "]",
	      true);
	ck_assert_double_eq_tol(field.ratio, 2. / 4, 1e-9);
	ck_assert_uint_eq(field.agreed, 2);
}
