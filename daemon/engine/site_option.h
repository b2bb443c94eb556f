/*
 * daemon/engine/site_option.h - the table of a site's options: their names in
 * JSON, their fields in struct site_options, and their ranges. The parser of
 * POST /v1/sites, its error texts and the JSON of a site use this table.
 */
#ifndef DAEMON_ENGINE_SITE_OPTION_H
#define DAEMON_ENGINE_SITE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/rows_event.h"
#include "store/rows_site.h"

enum site_option_option_kind {
	OPTION_WHOLE,     /* a whole number */
	OPTION_FLAG,      /* true or false: a bit of the flags */
	OPTION_MEASURE,   /* a name of enum measure */
	OPTION_THRESHOLD, /* 0 to 1, permille in the struct; "auto" is valid
			     input */
	OPTION_HEADERS,   /* {"Name": "value"}; a text in the struct */
	OPTION_TEXT,
	OPTION_KINDS
};

struct site_option {
	const char *name;
	size_t offset;   /* in struct site_options */
	size_t size;     /* 2, 4 or 8 bytes; for texts the size of the slice */
	uint64_t factor; /* for a number: units of the struct per unit of JSON;
			    for a flag: its bit */
	double minimum;  /* for a number, in the unit of JSON */
	double maximum;
	enum site_option_option_kind kind;
	bool is_read_only; /* output only */
};

enum { SITE_OPTIONS = 22 };

/* In the order of output. */
extern const struct site_option site_option_table[SITE_OPTIONS];

/* Return NULL if there is no such option. */
const struct site_option *site_option_of(const char *name);

/*
 * Return the number, or 0 or 1 for a flag, in the unit of JSON; not for texts.
 */
uint64_t site_option_get(const struct site_option *option,
			 const struct site_options *options);

/* Set the option: `value`, in the unit of JSON, is in its range. */
void site_option_set(const struct site_option *option,
		     struct site_options *options, uint64_t value);

/* Return the text; it points into the options' text. */
struct slice site_option_text(const struct site_option *option,
			      const struct site_options *options);

#endif
