#include "template/fields/stated.h"

#include <string.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/json_ld.h"
#include "page/page.h"
#include "template/fields/column.h"

#define PREFIX "jsonld:"

enum {
	PREFIX_BYTES = sizeof(PREFIX) - 1,
	MAX_KEY_BYTES = 40,
	MAX_STATED_OBJECTS = LIMIT(2000, 12), /* later ones are left out */
};

/* The path of an object; NULL: its values are left out. */
struct object_path {
	const char *path;
	uint32_t keys;
};

/* Keys and types of schema.org are words; others have no path. */
static bool is_key(struct slice key)
{
	const char *bytes = key.data;

	for (size_t i = 0; i < key.size; i++)
		if (!is_alphanumeric(bytes[i]) && bytes[i] != '_' &&
		    bytes[i] != '-')
			return false;
	return key.size > 0 && key.size <= MAX_KEY_BYTES;
}

/* Return the path with one more key; NULL if it is too long. */
static const char *path_add(struct arena *arena, const char *path,
			    struct slice key)
{
	size_t size = strlen(path);
	bool is_type = size == PREFIX_BYTES;
	char *longer;

	if (!is_key(key) || size + key.size + 1 > MAX_PATH_BYTES)
		return NULL;
	longer = arena_alloc(arena, size + key.size + 2, 1);
	memcpy(longer, path, size + 1);
	if (!is_type)
		longer[size++] = '.';
	memcpy(longer + size, key.data, key.size);
	return longer;
}

/*
 * Return the path of an object: that of its parent and its key; its type if it
 * is at the top, or in a graph.
 */
static struct object_path object_path(struct arena *arena,
				      const struct json_ld *ld, uint32_t index,
				      const struct object_path *paths)
{
	const struct json_ld_object *object = &ld->objects[index];
	struct object_path path = {0};

	if (object->parent == NO_OBJECT ||
	    slice_equal(object->key, slice_of("@graph"))) {
		path.path = path_add(arena, PREFIX, json_ld_type(ld, index));
		path.keys = 1;
	} else if (paths[object->parent].path != NULL &&
		   paths[object->parent].keys + 2 <= MAX_PATH_KEYS) {
		path.path = path_add(arena, paths[object->parent].path,
				     object->key);
		path.keys = paths[object->parent].keys + 1;
	}
	return path;
}

/* Return the text of a field, collapsed; empty if it has no value. */
static struct slice field_text(struct arena *arena,
			       const struct json_ld_field *field)
{
	char *copy;

	if (field->kind == JSON_LD_OBJECT ||
	    (field->kind == JSON_LD_WORD &&
	     slice_equal(field->text, slice_of("null"))) ||
	    field->text.size > MAX_VALUE_BYTES)
		return (struct slice){0};
	copy = arena_room(arena, field->text.size + 1);
	return (struct slice){copy, text_collapse(field->text, copy)};
}

uint32_t stated_values(struct arena *arena, const struct page *page,
		       const struct stated_value **values_out)
{
	struct json_ld ld = json_ld_of_page(arena, page);
	uint32_t objects = ld.object_count < MAX_STATED_OBJECTS
				   ? ld.object_count
				   : MAX_STATED_OBJECTS;
	struct object_path *paths =
		ARENA_NEW(arena, struct object_path, objects + 1u);
	struct stated_value *values = NULL;
	uint32_t count = 0;

	if (objects > 0)
		values = ARENA_NEW(arena, struct stated_value,
				   MAX_STATED_VALUES);
	for (uint32_t i = 0; i < objects; i++) {
		paths[i] = object_path(arena, &ld, i, paths);
		if (paths[i].path == NULL)
			continue;
		for (uint32_t f = ld.objects[i].first;
		     f != NO_FIELD && count < MAX_STATED_VALUES;
		     f = ld.fields[f].next) {
			const struct json_ld_field *field = &ld.fields[f];
			struct slice text = field_text(arena, field);
			const char *path =
				text.size == 0 ? NULL
					       : path_add(arena, paths[i].path,
							  field->key);

			if (path != NULL)
				values[count++] =
					(struct stated_value){path, text};
		}
	}
	*values_out = values;
	return count;
}

bool is_stated(const char *attribute)
{
	return attribute != NULL &&
	       strncmp(attribute, PREFIX, PREFIX_BYTES) == 0;
}

bool stated_path_is_valid(struct slice path)
{
	const char *at = path.data;
	const char *end = at + path.size;
	uint32_t keys = 0;

	if (path.size <= PREFIX_BYTES || path.size > MAX_PATH_BYTES ||
	    memcmp(at, PREFIX, PREFIX_BYTES) != 0)
		return false;
	at += PREFIX_BYTES;
	while (keys < MAX_PATH_KEYS) {
		const char *dot = memchr(at, '.', (size_t)(end - at));
		const char *stop = dot == NULL ? end : dot;

		if (!is_key((struct slice){at, (size_t)(stop - at)}))
			return false;
		keys++;
		if (dot == NULL)
			return keys > 1;
		at = dot + 1;
	}
	return false;
}

/* Cut the last key from a path; empty if none is left. */
static struct slice path_pop(struct slice *path)
{
	const char *bytes = path->data;
	size_t begin = path->size;
	struct slice key;

	while (begin > 0 && bytes[begin - 1] != '.')
		begin--;
	key = (struct slice){bytes + begin, path->size - begin};
	path->size = begin > 0 ? begin - 1 : 0;
	return key;
}

static bool is_one_of(struct slice word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (slice_equal(word, slice_of(*words)))
			return true;
	return false;
}

struct slice stated_key(const char *path)
{
	static const char *const general[] = {"name", "value",      "url",
					      "text", "contentUrl", NULL};
	struct slice left = slice_of(path + PREFIX_BYTES);
	struct slice last = path_pop(&left);
	struct slice before = path_pop(&left);

	if (slice_equal(before, slice_of("Person")) &&
	    slice_equal(last, slice_of("name")))
		return slice_of("author");
	/* the first key is the type */
	return left.size > 0 && is_one_of(last, general) ? before : last;
}

double stated_rank(const char *path)
{
	static const char *const frames[] = {"BreadcrumbList",
					     "SiteNavigationElement",
					     "ItemList",
					     "WebSite",
					     "Organization",
					     "WPHeader",
					     "WPFooter",
					     "WPSideBar",
					     "ImageObject",
					     "SearchAction",
					     NULL};
	static const char *const technical[] = {
		"width",        "height",          "position",      "logo",
		"inLanguage",   "urlTemplate",     "target",        "query",
		"breadcrumb",   "relatedLink",     "sameAs",        "wordCount",
		"thumbnailUrl", "priceValidUntil", "copyrightYear", NULL};
	struct slice left = slice_of(path + PREFIX_BYTES);
	double rank = 1;

	while (left.size > 0) {
		struct slice key = path_pop(&left);

		if (is_one_of(key, technical) || is_one_of(key, frames))
			return 0;
		/* the URL of the page itself; not that of its image */
		if (slice_equal(key, slice_of("url")) &&
		    memchr(left.data, '.', left.size) == NULL)
			return 0;
		rank *= .8;
		/* other things of the page may say the same */
		if (left.size == 0 && (slice_equal(key, slice_of("WebPage")) ||
				       slice_equal(key, slice_of("Person"))))
			rank *= .5;
	}
	return rank;
}
