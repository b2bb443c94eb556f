/*
 * page/json_ld.h - reads the JSON-LD of a page, which is in its elements
 * <script type=application/ld+json>, into flat arrays. It accepts JSON as pages
 * write it: with line ends within strings, commas before a closing bracket,
 * comments, HTML entities, several documents in a script, and truncated
 * scripts. After an error it keeps what it has read, and continues after the
 * error.
 */
#ifndef PAGE_JSON_LD_H
#define PAGE_JSON_LD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct arena;
struct page;

#define NO_OBJECT UINT32_MAX
#define NO_FIELD  UINT32_MAX

enum {
	JSON_LD_DEPTH = 64, /* maximum depth; deeper values are skipped */
	/* maximum number of objects, and of fields, of a page */
	JSON_LD_VALUES = 20000,
	/* maximum size of all scripts of a page together */
	JSON_LD_BYTES = 1 << 20,
};

enum json_ld_kind {
	JSON_LD_STRING,
	JSON_LD_WORD, /* a number, true, false, null, or another word without
			 quotes */
	JSON_LD_OBJECT,
};

/*
 * A field: a key and a value that is no array. The items of an array become
 * several fields with the key of the array, in their order.
 */
struct json_ld_field {
	uint32_t next;     /* next field of the same object, or NO_FIELD */
	uint32_t object;   /* index of the object that is the value of a
			      JSON_LD_OBJECT; otherwise NO_OBJECT */
	uint32_t kind;     /* enum json_ld_kind */
	struct slice key;  /* key, for example "headline" */
	struct slice text; /* the value as UTF-8 with escapes and entities
			      decoded; white space is not collapsed. Empty for
			      JSON_LD_OBJECT */
};

struct json_ld_object {
	uint32_t parent; /* the object that contains it; NO_OBJECT at the top */
	uint32_t first;  /* its first field, or NO_FIELD */
	struct slice key; /* its key in the parent; empty if none exists */
};

struct json_ld {
	/* [object_count], parents before their children */
	const struct json_ld_object *objects;
	uint32_t object_count;
	/* [field_count], in the order of the source */
	const struct json_ld_field *fields;
	uint32_t field_count;
};

/*
 * Read all scripts of the page. The slices point into page->source; if a text
 * had to be changed, they point into `arena`. Linear, constant stack; cannot
 * fail.
 */
struct json_ld json_ld_of_page(struct arena *arena, const struct page *page);

/*
 * Read a single text. It must be valid UTF-8 and exist as long as the result.
 */
struct json_ld json_ld_read(struct arena *arena, struct slice text);

/*
 * json_ld_find() returns the first field of `object` with the key `key`;
 * json_ld_next() returns the next field after `field` with the same key. Both
 * return NULL if none exists. Linear in the number of fields.
 */
const struct json_ld_field *json_ld_find(const struct json_ld *ld,
					 uint32_t object, const char *key);
const struct json_ld_field *json_ld_next(const struct json_ld *ld,
					 const struct json_ld_field *field);

/*
 * Return the text of the first field with the key `key`; empty if none exists,
 * or it is no string.
 */
struct slice json_ld_text(const struct json_ld *ld, uint32_t object,
			  const char *key);

/*
 * json_ld_type() returns the first @type of `object`, without "schema:" or the
 * URL before it; empty if none exists. json_ld_is() returns whether one of its
 * types is `type`.
 */
struct slice json_ld_type(const struct json_ld *ld, uint32_t object);
bool json_ld_is(const struct json_ld *ld, uint32_t object, const char *type);

#endif
