/*
 * daemon/engine/site_option.h - the table of a site's options: what they are
 * called in JSON, where they stand in struct site_options, and what they may
 * be. The parser of POST /v1/sites, its error texts and the JSON of a site are
 * made of it.
 */
#ifndef DAEMON_ENGINE_SITE_OPTION_H
#define DAEMON_ENGINE_SITE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows_event.h"
#include "store/rows_site.h"

enum option_kind {
	OPTION_WHOLE,     /* a whole number */
	OPTION_FLAG,      /* true or false: a bit of the flags */
	OPTION_MEASURE,   /* a name of enum measure */
	OPTION_THRESHOLD, /* 0 to 1, permille in the struct; to be set, "auto",
			     too */
	OPTION_HEADERS,   /* {"Name": "value"}; a text in the struct */
	OPTION_TEXT,
	OPTION_KINDS
};

struct site_option {
	const char *name;
	size_t offset;   /* in struct site_options */
	size_t size;     /* 2, 4 or 8 bytes; of texts that of the slice */
	uint64_t factor; /* of a number: how much of the struct's unit is one
			    in JSON; of a flag: its bit */
	double minimum;  /* of a number, in JSON's unit */
	double maximum;
	enum option_kind kind;
	bool is_read_only; /* shown, but not to be set */
};

enum { SITE_OPTIONS = 22 };

/* In the order in which they are shown. */
extern const struct site_option site_option_table[SITE_OPTIONS];

/* NULL when there is none of that name. */
const struct site_option *site_option_of(const char *name);

/* The number, or 0 or 1 of a flag, in JSON's unit; not of texts. */
uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options);

/* Set it: `value`, in JSON's unit, is in its range. */
void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value);

/* The text; it points where that of the options does. */
struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options);

#endif
