/*
 * page/json/json_ld.h - the JSON-LD of a page: what stands in its
 * <script type=application/ld+json>, as flat arrays.
 *
 * The reader is our own: a library (jansson, which daemon/ alone includes)
 * rejects what the web writes: line ends inside strings, commas before a
 * closing bracket, comments and CDATA around the whole, HTML entities, several
 * documents in one script, a script that was cut. Here everything before a
 * fault is kept, and what follows is read as far as possible. Any JSON is read,
 * not only JSON-LD.
 */
#ifndef PAGE_JSON_JSON_LD_H
#define PAGE_JSON_JSON_LD_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

struct arena;
struct page;

#define NO_OBJECT UINT32_MAX
#define NO_FIELD  UINT32_MAX

enum {
	JSON_LD_DEPTH = 64,      /* deeper values are left out */
	JSON_LD_VALUES = 20000,  /* objects and fields of a page, each */
	JSON_LD_BYTES = 1 << 20, /* of all scripts of a page */
};

enum json_ld_kind {
	JSON_LD_STRING,
	JSON_LD_WORD, /* a number, true, false, null, anything bare */
	JSON_LD_OBJECT,
};

/*
 * A value that is no array. Each value of an array is a field of its own under
 * the key of the array, in order.
 */
struct json_ld_field {
	uint32_t next;     /* field of the same object, or NO_FIELD */
	uint32_t object;   /* of JSON_LD_OBJECT, which this is; or NO_OBJECT */
	uint32_t kind;     /* enum json_ld_kind */
	struct slice key;  /* "headline" */
	struct slice text; /* UTF-8, escapes and entities decoded, not
			      collapsed; empty for JSON_LD_OBJECT */
};

struct json_ld_object {
	uint32_t parent;  /* NO_OBJECT at the top */
	uint32_t first;   /* of its fields, or NO_FIELD */
	struct slice key; /* under which it stands in its parent; or empty */
};

struct json_ld {
	const struct json_ld_object *objects; /* [object_count], pre-order */
	uint32_t object_count;
	const struct json_ld_field *fields; /* [field_count], source order */
	uint32_t field_count;
};

/*
 * All scripts of the page as one. Slices point into page->source, or into
 * `arena` where they had to be changed. Linear, constant stack; never fails.
 */
struct json_ld json_ld_of_page(struct arena *arena, const struct page *page);

/* The same for one text, valid UTF-8, which must outlive the result. */
struct json_ld json_ld_read(struct arena *arena, struct slice text);

/*
 * The first field of `object` whose key is `key`, or NULL; and the next of the
 * same key behind `field`. Linear in the fields of the object.
 */
const struct json_ld_field *json_ld_find(const struct json_ld *ld,
					 uint32_t object, const char *key);
const struct json_ld_field *json_ld_next(const struct json_ld *ld,
					 const struct json_ld_field *field);

/* The text of the first field of that key, if it is a string; or empty. */
struct slice json_ld_text(const struct json_ld *ld, uint32_t object,
			  const char *key);

/*
 * The first @type, without "schema:" or the address before it, or empty; and
 * whether one of several is `type`.
 */
struct slice json_ld_type(const struct json_ld *ld, uint32_t object);
bool json_ld_is(const struct json_ld *ld, uint32_t object, const char *type);

#endif
