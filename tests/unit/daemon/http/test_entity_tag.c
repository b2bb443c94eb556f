#include "daemon/http/exchange.h"

#include "tests/unit/run.h"

TEST(a_tag_follows_from_the_bytes)
{
	char one[ENTITY_TAG_BYTES];
	char same[ENTITY_TAG_BYTES];
	char other[ENTITY_TAG_BYTES];
	char empty[ENTITY_TAG_BYTES];

	entity_tag_make(slice_of("a"), one);
	entity_tag_make(slice_of("a"), same);
	entity_tag_make(slice_of("b"), other);
	entity_tag_make(slice_of(NULL), empty);
	/* XXH3, 128 bits, of no bytes */
	ck_assert_str_eq(empty, "\"99aa06d3014798d86001c324468d497f\"");
	ck_assert_str_eq(one, same);
	ck_assert_str_ne(one, other);
}

TEST(a_list_names_it_or_not)
{
	static const struct {
		const char *list;
		bool is_listed;
	} lists[] = {
		{NULL, false},
		{"", false},
		{"*", true},
		{" *", true},
		{"\"ab\"", true},
		{"W/\"ab\"", true},
		{"\"x\", \"ab\"", true},
		{"\"x\",W/\"ab\" , \"y\"", true},
		{"\"x, \", \"ab\"", true},
		{"ab", false},
		{"\"ab", false},
		{"\"abc\"", false},
		{"\"a\"", false},
		{"\"x\" \"", false},
		{"\"x*\", *", false},
	};

	for (size_t i = 0; i < COUNT_OF(lists); i++)
		ck_assert_msg(entity_tag_is_listed("\"ab\"", lists[i].list) ==
				      lists[i].is_listed,
			      "%zu: %s", i, lists[i].list);
}
