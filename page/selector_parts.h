/* page/selector_parts.h - a compiled selector. Internal to page/. */
#ifndef PAGE_SELECTOR_PARTS_H
#define PAGE_SELECTOR_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slice.h"
#include "page/selector.h"

enum test_kind {
	TEST_ANY,
	TEST_TYPE,
	TEST_EXISTS, /* [name]; the following tests compare `value` */
	TEST_EQUALS,
	TEST_WORD, /* one of the words, which white space separates */
	TEST_DASH, /* the value, or the value followed by "-" */
	TEST_PREFIX,
	TEST_SUFFIX,
	TEST_PART,
	TEST_LAST_CHILD,
	TEST_NTH_CHILD, /* `step` * n + `offset`, n >= 0 */
	TEST_NTH_OF_TYPE,
};

/* A simple selector. */
struct test {
	enum test_kind kind;
	bool is_negated;
	uint16_t tag; /* TEST_TYPE; for TAG_COUNT compare `name` */
	const char *name;
	struct slice value;
	int32_t step;
	int32_t offset;
};

/* The combinator between a compound selector and the previous one. */
enum combinator {
	COMBINE_NONE, /* the compound selector is the first one */
	COMBINE_DESCENDANT,
	COMBINE_CHILD,
	COMBINE_NEXT,  /* + */
	COMBINE_LATER, /* ~ */
};

/* A compound selector. */
struct selector_part {
	enum combinator combinator;
	const struct test *tests; /* [test_count], all must hold */
	size_t test_count;
};

struct selector {
	struct selector_part parts[MAX_SELECTOR_PARTS]; /* the parts of all
						  selectors in the list */
	size_t part_count;
	uint64_t last; /* bits of the last parts of the selectors in the list */
};

#endif
