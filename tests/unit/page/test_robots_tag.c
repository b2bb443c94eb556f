#include "page/robots_tag.h"

#include "tests/unit/run.h"

#define NOFOLLOW ROBOTS_TAG_NOFOLLOW
#define NOINDEX  ROBOTS_TAG_NOINDEX
#define NONE     (ROBOTS_TAG_NOFOLLOW | ROBOTS_TAG_NOINDEX)

static const struct {
	const char *value;
	unsigned flags;
} rows[] = {
	{"", 0},
	{",,;, :", 0},
	{"all", 0},
	{"index, follow", 0},
	{"noindex", NOINDEX},
	{"noindex, nofollow", NONE},
	{"noindex,nofollow", NONE},
	{" NoIndex\t,\tNOFOLLOW ", NONE},
	{"noindex nofollow", NONE},
	{"noindex; nofollow", NONE},
	{"none", NONE},
	{"nonefollow, noindexes", 0},
	{"noarchive, nosnippet, nofollow", NOFOLLOW},
	/* agents: each holds up to the next */
	{"googlebot: nofollow", 0},
	{"otherbot: noindex, nofollow", 0},
	{"templated: none", NONE},
	{"Templated : nofollow, noindex", NONE},
	{"templated/1.0: nofollow", NOFOLLOW},
	{"templatedbot: nofollow", 0},
	{"googlebot: nofollow, templated: noindex", NOINDEX},
	{"templated: noindex, googlebot: nofollow, noarchive", NOINDEX},
	{"noindex, googlebot: nofollow", NOINDEX},
	{"googlebot: noindex, *: nofollow", NOFOLLOW},
	{"robots: nofollow", NOFOLLOW},
	{": nofollow", NOFOLLOW},
	{"googlebot:", 0},
	{"googlebot: templated: nofollow", NOFOLLOW},
	/* rules with a value are no agents */
	{"unavailable_after: 25 Jun 2010 15:00:00 PST", 0},
	{"unavailable_after: 25 Jun 2010 15:00:00 PST, nofollow", NOFOLLOW},
	{"unavailable_after: Fri, 25-Jun-10 15:00:00 GMT, noindex", NOINDEX},
	{"unavailable_after: 25 Jun 2010, 15:00:00, noindex", NOINDEX},
	{"unavailable_after: 2010-06-25T15:00:00+00:00, none", NONE},
	{"otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST, none", 0},
	{"max-image-preview:none", 0},
	{"max-snippet: -1, max-image-preview: none, nofollow", NOFOLLOW},
	{"max-video-preview: noindex", 0},
};

TEST(values_and_their_meaning)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		unsigned flags =
			robots_tag_parse(slice_of(rows[i].value), "templated");

		ck_assert_msg(flags == rows[i].flags, "%s: %u", rows[i].value,
			      flags);
	}
	ck_assert_uint_eq(robots_tag_parse((struct slice){0}, "templated"), 0);
}

/* Every beginning of every value, in memory of just that size. */
TEST(a_cut_value_is_read_up_to_its_end)
{
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		for (size_t size = 0; size <= strlen(rows[i].value); size++) {
			AUTO_TEXT *copy = malloc(size == 0 ? 1 : size);

			memcpy(copy, rows[i].value, size);
			ck_assert_uint_le(
				robots_tag_parse((struct slice){copy, size},
						 "templated"),
				NONE);
		}
}
