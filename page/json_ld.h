/*
 * page/json_ld.h - reads the JSON-LD of a page, the content of its <script
 * type=application/ld+json>, into flat arrays. Accepts JSON as pages write it,
 * with line ends inside strings, commas before a closing bracket, comments,
 * HTML entities, several documents in one script, or a truncated script: keeps
 * everything before an error and reads on after it.
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
	JSON_LD_DEPTH = 64,      /* deeper values are skipped */
	JSON_LD_VALUES = 20000,  /* objects, and fields, of a page */
	JSON_LD_BYTES = 1 << 20, /* limit of all scripts of a page */
};

enum json_ld_kind {
	JSON_LD_STRING,
	JSON_LD_WORD, /* a number, true, false, null, any unquoted word */
	JSON_LD_OBJECT,
};

/*
 * A value that is no array. Each item of an array is a field under the key of
 * the array, in source order.
 */
struct json_ld_field {
	uint32_t next;   /* next field of the same object, or NO_FIELD */
	uint32_t object; /* the object that a JSON_LD_OBJECT is, or NO_OBJECT */
	uint32_t kind;   /* enum json_ld_kind */
	struct slice key;  /* for example "headline" */
	struct slice text; /* UTF-8 with decoded escapes and entities, white
			      space not collapsed; empty for JSON_LD_OBJECT */
};

struct json_ld_object {
	uint32_t parent;  /* NO_OBJECT at the top */
	uint32_t first;   /* the first of its fields, or NO_FIELD */
	struct slice key; /* its key in the parent, or empty */
};

struct json_ld {
	const struct json_ld_object *objects; /* [object_count], pre-order */
	uint32_t object_count;
	const struct json_ld_field *fields; /* [field_count], source order */
	uint32_t field_count;
};

/*
 * Read all scripts of the page. Slices point into page->source, or into `arena`
 * if they had to be changed. Linear, constant stack; never fails.
 */
struct json_ld json_ld_of_page(struct arena *arena, const struct page *page);

/* Read one text. It must be valid UTF-8 and outlive the result. */
struct json_ld json_ld_read(struct arena *arena, struct slice text);

/*
 * Return the first field of `object` whose key is `key`, or NULL;
 * json_ld_next() the next one of that key after `field`. Linear in the fields.
 */
const struct json_ld_field *json_ld_find(const struct json_ld *ld,
					 uint32_t object, const char *key);
const struct json_ld_field *json_ld_next(const struct json_ld *ld,
					 const struct json_ld_field *field);

/*
 * Return the text of the first field of that key, or empty if it is no string.
 */
struct slice json_ld_text(const struct json_ld *ld, uint32_t object,
			  const char *key);

/*
 * Return the first @type, without "schema:" or the URL before it, or empty;
 * json_ld_is() whether one of the types is `type`.
 */
struct slice json_ld_type(const struct json_ld *ld, uint32_t object);
bool json_ld_is(const struct json_ld *ld, uint32_t object, const char *type);

#endif
