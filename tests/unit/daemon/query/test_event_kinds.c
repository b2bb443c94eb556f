#include "daemon/query/event.h"

#include "store/rows.h"
#include "tests/unit/run.h"

static kind_set read_kinds(const char *list)
{
	struct slice wrong;
	kind_set kinds;

	ck_assert_msg(kind_set_parse(slice_of(list), &kinds, &wrong), "%s",
		      list);
	return kinds;
}

static void check_wrong(const char *list, const char *item)
{
	struct slice wrong;
	kind_set kinds;

	ck_assert(!kind_set_parse(slice_of(list), &kinds, &wrong));
	ck_assert_msg(slice_equal(wrong, slice_of(item)), "%.*s",
		      (int)wrong.size, (const char *)wrong.data);
}

TEST(a_name_is_one_kind)
{
	ck_assert_uint_eq(read_kinds("site.added"), UINT64_C(1) << 1);
	ck_assert_uint_eq(read_kinds("guard.firing"), UINT64_C(1) << 20);
}

TEST(a_star_matches_every_ending)
{
	/* 12 added .. 17 removed, 23 checked, 31 restored .. 33 rebuilt */
	ck_assert_uint_eq(read_kinds("template.*"), UINT64_C(0x3f) << 12 |
							    UINT64_C(1) << 23 |
							    UINT64_C(7) << 31);
	/* added 4, changed 5, gone 6 */
	ck_assert_uint_eq(read_kinds("page.*"), UINT64_C(0x7) << 4);
	ck_assert_uint_eq(read_kinds("page.added*"), UINT64_C(1) << 4);
	ck_assert(kind_set_has(read_kinds("*"), EVENT_HOOK_TEST));
}

TEST(a_list_is_all_of_its_items)
{
	ck_assert_uint_eq(read_kinds("page.removed, guard.*"),
			  UINT64_C(1) << 6 | UINT64_C(3) << 20 |
				  UINT64_C(1) << 24 | UINT64_C(3) << 34 |
				  UINT64_C(1) << 55);
}

TEST(alerts_match_the_table)
{
	/*
	 * 37 field.changed, 38 field.healed; 40 incident.changed ..
	 * 49 incident.guard_resolved; 53 incident.field,
	 * 54 incident.field_resolved; 56 incident.text
	 */
	ck_assert_uint_eq(kind_set_alerts(),
			  UINT64_C(3) << 37 | UINT64_C(0x3ff) << 40 |
				  UINT64_C(3) << 53 | UINT64_C(1) << 56);
	ck_assert_uint_eq(read_kinds("alerts"), kind_set_alerts());
}

TEST(what_names_no_kind_is_refused)
{
	check_wrong("", "");
	check_wrong("template.chnged", "template.chnged");
	check_wrong("page.*,tmplate.*", "tmplate.*");
	check_wrong("page.*,", "");
	check_wrong(",page.*", "");
	check_wrong("page.*,,site.*", "");
	check_wrong("*.new", "*.new");
	check_wrong("page.added.x", "page.added.x");
}

TEST(a_list_that_is_too_long_is_refused)
{
	char list[MAX_KINDS_BYTES + 2];
	struct slice wrong;
	kind_set kinds;

	/* "*" and commas and "*": each item is one */
	for (size_t i = 0; i + 1 < sizeof(list); i++)
		list[i] = i % 2 == 0 ? '*' : ',';
	list[MAX_KINDS_BYTES - 1] = '\0';
	ck_assert(kind_set_parse(slice_of(list), &kinds, &wrong));
	list[MAX_KINDS_BYTES - 1] = ',';
	list[MAX_KINDS_BYTES] = '*';
	list[MAX_KINDS_BYTES + 1] = '\0';
	ck_assert(!kind_set_parse(slice_of(list), &kinds, &wrong));
}

TEST(a_kind_beyond_the_table_is_in_no_set)
{
	ck_assert(!kind_set_has(~(kind_set)0, 64));
	ck_assert(!kind_set_has(~(kind_set)0, UINT16_MAX));
}
