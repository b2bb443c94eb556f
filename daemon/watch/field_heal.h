/*
 * daemon/watch/field_heal.h - find a field again after a redesign, by the
 * values that its pages had before.
 *
 * The values of half of the pages are examples (field_teach()), and those of
 * the other half test what was found.
 *
 * Source: Lerman, Minton, Knoblock, Wrapper Maintenance: A Machine Learning
 * Approach (JAIR 2003): learn a broken wrapper again from values that the
 * earlier one has extracted.
 */
#ifndef DAEMON_WATCH_FIELD_HEAL_H
#define DAEMON_WATCH_FIELD_HEAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "daemon/watch/collect.h"

enum {
	HEAL_PAGES = 64,  /* pages that a field is searched on */
	HEAL_TESTS = 2,   /* at least so many pages test it */
	HEAL_AGREED = 90, /* at least so many percent of them must agree */
};

/* A page as it is now, with its values of before. */
struct heal_page {
	uint64_t key;
	struct slice url;
	const json_t *known;
};

/* A broken field. The function sets the members after `is_wanted`. */
struct heal_field {
	const char *name;
	bool is_volatile; /* its values change often */
	bool is_wanted;   /* false: search the other fields only */
	bool is_found;
	uint32_t examples; /* pages */
	uint32_t tested;
	uint32_t agreed;   /* of the tested pages */
	double ratio;      /* of the weights of these */
	json_t *addresses; /* for people; NULL: nothing was found */
};

struct heal {
	const struct facts_source *source;
	uint32_t cluster;
	struct slice sets;             /* as in struct fields_row */
	const struct heal_page *pages; /* [page_count] */
	size_t page_count;
	struct heal_field *fields; /* [field_count] */
	size_t field_count;
	/* the sets and their description with all wanted fields */
	struct buffer new_sets;
	json_t *description;
};

/*
 * Search the wanted fields. Free the result with fields_heal_free(). Errors of
 * the transaction, ERR_STOPPED and ERR_BUSY; after another failure of the
 * workers no field is found.
 */
enum error fields_heal(struct heal *heal);
void fields_heal_free(struct heal *heal);

/*
 * Return the addresses of the field in a description (store/rows.h), as a new
 * reference; NULL if there are none.
 */
json_t *field_addresses(const json_t *description, const char *name);

/*
 * Return the ratio of the test pages that agree, in [0, 1]. A page with another
 * value counts half if the field is volatile. Pure; for fields_heal().
 */
void heal_count(const struct heal *heal, const json_t *const *records,
		struct heal_field *field);

#endif
