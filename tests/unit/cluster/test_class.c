#include "cluster/class_name.h"

#include "tests/unit/run.h"

static const char *normal(const char *name)
{
	static char out[CLASS_MAX_BYTES + 1];

	out[class_normalise(slice_of(name), out)] = '\0';
	return out;
}

static uint64_t hash(const char *classes)
{
	return class_hash(slice_of(classes), 7);
}

TEST(names_written_by_people_stay)
{
	ck_assert_str_eq(normal("nav"), "nav");
	ck_assert_str_eq(normal("main-content_inner"), "main-content_inner");
	ck_assert_str_eq(normal("nav-mainMenuItem"), "nav-mainMenuItem");
	ck_assert_str_eq(normal("wp-block-fooBarBaz"), "wp-block-fooBarBaz");
	ck_assert_str_eq(normal("Header__Logo--big"), "Header__Logo--big");
	ck_assert_str_eq(normal("-"), "-");
	ck_assert_str_eq(normal("text-2xl"), "text-0xl");
}

TEST(numbers_become_zero)
{
	ck_assert_str_eq(normal("post-4711"), "post-0");
	ck_assert_str_eq(normal("h2"), "h0");
	ck_assert_str_eq(normal("a1b22c333"), "a0b0c0");
	ck_assert_str_eq(normal("2024"), "0");
}

TEST(generated_parts_become_a_star)
{
	ck_assert_str_eq(normal("css-1x2y3z"), "css-*");
	ck_assert_str_eq(normal("Header__3fGhK"), "Header__*");
	ck_assert_str_eq(normal("sc-aBcDe"), "sc-*");
	ck_assert_str_eq(normal("sc-bdVaJa"), "sc-*");
	ck_assert_str_eq(normal("_2Hl4c"), "_*");
	ck_assert_str_eq(normal("a-1x2y3z-b"), "a-*-b");
	/* Four bytes are not enough. */
	ck_assert_str_eq(normal("css-1x2y"), "css-0x0y");
}

static const struct {
	const char *name;
	const char *expected;
} hashes[] = {
	/* the places where tools write hashes */
	{"css-abcdef", "css-*"},
	{"css-1xk2p3z-Button", "css-*-Button"},
	{"svelte-1xk2p3", "svelte-*"},
	{"astro-j7pv25f6", "astro-*"},
	{"jsx-1681751128", "jsx-*"},
	{"_root_1a2b3_12", "_root_*"},
	{"_root_abcde_7", "_root_*"},
	{"Button_root__x7Ab3", "Button_root__*"},
	{"Button_root__XKcdq", "Button_root__*"},
	{"docItem_c0TR", "docItem_*"},
	{"memitem:a3c5f1e0b2d49871f6e5d4c3b2a190876",
	 "memitem:*"}, /* Doxygen */
	{"x1lliihq", "*"},
	{"xdt5ytf", "*"},
	{"kTgVxA", "*"},
	/* words in the same places */
	{"sc-button", "sc-button"},
	{"card__title", "card__title"},
	{"tabs__item", "tabs__item"},
	{"Card__Title", "Card__Title"},
	{"c-gallery__item-4", "c-gallery__item-0"},
	{"nav_Item", "nav_Item"},
	{"_site_header_12", "_site_header_0"},
	{"xlarge", "xlarge"},
	{"navBar", "navBar"},
	{"x", "x"},
	{"_", "_"},
	{"__", "__"},
};

TEST_LOOP(hashes_of_build_tools_become_a_star, 0, COUNT_OF(hashes))
{
	ck_assert_str_eq(normal(hashes[_i].name), hashes[_i].expected);
}

TEST(a_name_counts_to_its_limit)
{
	char a[CLASS_MAX_BYTES + 2];
	char b[CLASS_MAX_BYTES + 2];

	memset(a, 'a', sizeof(a));
	a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(b));
	b[CLASS_MAX_BYTES] = 'b';
	ck_assert_uint_eq(hash(a), hash(b));
	b[CLASS_MAX_BYTES - 1] = 'b';
	ck_assert_uint_ne(hash(a), hash(b));
}

TEST(order_repetition_and_space_do_not_count)
{
	ck_assert_uint_eq(hash("a b"), hash("\n b\ta  b\f\r"));
	ck_assert_uint_ne(hash("a b"), hash("a"));
	ck_assert_uint_ne(hash("a b"), hash("ab"));
	ck_assert_uint_ne(hash("a"), hash("A"));
	ck_assert_uint_eq(hash("post-1 post-2"), hash("post-3"));
}

TEST(no_name_leaves_the_seed)
{
	ck_assert_uint_eq(hash(""), 7);
	ck_assert_uint_eq(hash(" \n "), 7);
	ck_assert_uint_ne(hash("a"), 7);
}

TEST(eight_names_count_whatever_their_order)
{
	uint64_t forward = hash("a b c d e f g h i j");

	ck_assert_uint_eq(forward, hash("j i h g f e d c b a"));
	ck_assert_uint_eq(forward, hash("e j a i b h c g d f e"));
	ck_assert_uint_ne(hash("a b c d e f g h"), hash("a b c d e f g"));
}

TEST(tokens_are_distinct_and_ascending)
{
	uint64_t tokens[10];
	uint64_t one[10];

	ck_assert_uint_eq(
		class_tokens(slice_of(" post-1\tb post-2 "), tokens, 10), 2);
	ck_assert_uint_lt(tokens[0], tokens[1]);
	ck_assert_uint_eq(class_tokens(slice_of("post-7"), one, 10), 1);
	ck_assert(one[0] == tokens[0] || one[0] == tokens[1]);
	ck_assert_uint_eq(class_tokens(slice_of(""), tokens, 10), 0);
}

TEST(the_smallest_tokens_count)
{
	const struct slice ten = slice_of("a b c d e f g h i j");
	uint64_t tokens[10];
	uint64_t few[3];

	ck_assert_uint_eq(class_tokens(ten, tokens, 10), 10);
	for (size_t i = 1; i < 10; i++)
		ck_assert_uint_lt(tokens[i - 1], tokens[i]);
	ck_assert_uint_eq(class_tokens(ten, few, 3), 3);
	ck_assert_mem_eq(few, tokens, sizeof(few));
}
