#include "cluster/path.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "cluster/class.h"
#include "cluster/signature.h"
#include "page/page.h"
#include "page/tag.h"

enum {
	/* of a human-readable step: ">", a name, and classes with a "." each */
	STEP_MAX_BYTES =
		1 + CLASS_MAX_BYTES + CLASS_MAX_NAMES * (1 + CLASS_MAX_BYTES),
};

static bool has_classes(const struct page *page, uint32_t node,
			enum path_steps kind)
{
	uint16_t tag = page->nodes[node].tag;

	return kind == PATH_CLASSES || (kind == PATH_INNER_CLASSES &&
					tag != TAG_html && tag != TAG_body);
}

static uint64_t step_to(const struct page *page, uint32_t node,
			enum path_steps kind)
{
	uint64_t name = page_tag_hash(page, page->nodes[node].tag);

	return has_classes(page, node, kind)
		       ? class_hash(page_attribute(page, node, "class"), name)
		       : name;
}

/*
 * A cache of hashes of classes: a page repeats the same few. Direct-mapped, so
 * that no page makes it slow.
 */
enum { CACHED = 256 };

struct cached {
	struct slice classes;
	uint16_t tag;
	bool is_set;
	uint64_t hash;
};

static uint64_t classes_hash(struct cached *cache, uint16_t tag,
			     struct slice classes, uint64_t name)
{
	const uint64_t key = hash64(classes.data, classes.size, tag);
	struct cached *cached = &cache[key % CACHED];

	if (!cached->is_set || cached->tag != tag ||
	    !slice_equal(cached->classes, classes))
		*cached = (struct cached){classes, tag, true,
					  class_hash(classes, name)};
	assert(cached->is_set);
	return cached->hash;
}

/* Hash the tags of the source; implied elements have none. */
static const uint64_t *hash_tags(struct arena *arena, const struct page *page)
{
	uint64_t *tags =
		ARENA_NEW(arena, uint64_t, TAG_COUNT + page->unknown_tag_count);

	for (uint32_t i = 0; i < page->tag_count; i++) {
		const unsigned tag = page->tags[i] & ~(unsigned)TAG_IS_END;

		if (tags[tag] == 0)
			tags[tag] = page_tag_hash(page, (uint16_t)tag);
	}
	for (uint32_t i = 0; i < page->node_count; i++) {
		const uint16_t tag = page->nodes[i].tag;

		if (tags[tag] == 0)
			tags[tag] = page_tag_hash(page, tag);
	}
	return tags;
}

struct path_table path_table_make(struct arena *arena, const struct page *page)
{
	struct cached *cache = ARENA_NEW(arena, struct cached, CACHED);
	const uint64_t *tags = hash_tags(arena, page);
	uint64_t *names = ARENA_ROOM(arena, uint64_t, page->node_count);
	uint64_t *classes = ARENA_ROOM(arena, uint64_t, page->node_count);
	uint64_t *inner = ARENA_ROOM(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const uint16_t tag = page->nodes[i].tag;
		const struct slice class = page_attribute(page, i, "class");

		names[i] = tags[tag];
		classes[i] = class.size == 0 ? names[i]
					     : classes_hash(cache, tag, class,
							    names[i]);
		inner[i] = has_classes(page, i, PATH_INNER_CLASSES) ? classes[i]
								    : names[i];
	}
	return (struct path_table){
		.steps =
			{
				[PATH_NAMES] = names,
				[PATH_CLASSES] = classes,
				[PATH_INNER_CLASSES] = inner,
			},
		.tags = tags,
	};
}

uint64_t *path_chains(struct arena *arena, const struct page *page,
		      const uint64_t *steps)
{
	uint64_t *paths = ARENA_ROOM(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		assert(parent == NO_NODE || parent < i);
		paths[i] = hash_chain(steps[i],
				      parent == NO_NODE ? 0 : paths[parent]);
	}
	return paths;
}

/* Write ">div.menu.menu-0" to `out` [STEP_MAX_BYTES]; return its length. */
static size_t step_write(const struct page *page, uint32_t node,
			 enum path_steps kind, char *out)
{
	struct slice name = utf8_truncate(
		page_tag_name(page, page->nodes[node].tag), CLASS_MAX_BYTES);
	struct slice classes = {NULL, 0};
	struct slice class;
	size_t size = 1 + name.size;

	out[0] = '>';
	memcpy(out + 1, name.data, name.size);
	if (has_classes(page, node, kind))
		classes = page_attribute(page, node, "class");
	for (unsigned i = 0;
	     i < CLASS_MAX_NAMES && class_next(&classes, &class); i++) {
		out[size++] = '.';
		size += class_normalise(utf8_truncate(class, CLASS_MAX_BYTES),
					out + size);
	}
	assert(size <= STEP_MAX_BYTES);
	return size;
}

size_t path_write_by(const struct page *page, uint32_t node,
		     enum path_steps kind, char *out)
{
	static const char more[] = {'.', '.', '.'};
	char step[STEP_MAX_BYTES];
	size_t begin = PATH_MAX_BYTES;

	for (; node != NO_NODE; node = page->nodes[node].parent) {
		size_t size = step_write(page, node, kind, step);

		if (size + sizeof(more) > begin) {
			begin -= sizeof(more);
			memcpy(out + begin, more, sizeof(more));
			return begin;
		}
		assert(size < begin);
		begin -= size;
		memcpy(out + begin, step, size);
	}
	assert(begin <= PATH_MAX_BYTES);
	return begin < PATH_MAX_BYTES ? begin + 1 : begin;
}

size_t path_write(const struct page *page, uint32_t node, char *out)
{
	return path_write_by(page, node, PATH_CLASSES, out);
}

uint64_t path_shingle(const struct page *page, const uint64_t *steps,
		      uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		assert(node < page->node_count);
		window[count++] = steps[node];
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}

uint64_t path_hash(const struct page *page, uint32_t node, unsigned width)
{
	uint64_t window[SIGNATURE_MAX_WIDTH];
	unsigned count = 0;

	assert(width >= 1 && width <= SIGNATURE_MAX_WIDTH);
	while (count < width && node != NO_NODE) {
		assert(node < page->node_count);
		window[count++] = step_to(page, node, PATH_INNER_CLASSES);
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}
