#include "extract/text/node_path.h"

#include <assert.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/hash.h"
#include "extract/core/hash_table.h"
#include "page/page.h"

enum { MAX_NAME_BYTES = 64 };

/* The seed of all paths, so that their hashes are practically never 0. */
static const uint64_t root_seed = 0x9E3779B97F4A7C15U;

static bool is_class_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' ||
	       byte == '\r';
}

/* Return the hash of a class name without digits; 0 if nothing remains. */
static uint64_t name_hash(const char *name, size_t length)
{
	char kept[MAX_NAME_BYTES];
	size_t size = 0;

	for (size_t i = 0; i < length && size < sizeof(kept); i++)
		if (!is_digit(name[i]))
			kept[size++] = name[i];
	assert(size <= sizeof(kept));
	return size == 0 ? 0 : hash64(kept, size, 0);
}

/* A sum, so that the order of the names does not matter. */
static uint64_t hash_of_classes(struct slice classes)
{
	const char *text = classes.data;
	uint64_t sum = 0;
	size_t at = 0;

	while (at < classes.size) {
		size_t begin = at;

		while (at < classes.size && !is_class_space(text[at]))
			at++;
		if (at > begin)
			sum += name_hash(text + begin, at - begin);
		at++;
	}
	return sum;
}

/*
 * The hash of an attribute's classes, cached by the hash of its bytes: pages
 * repeat class attributes.
 */
struct class_hash_entry {
	uint64_t key;
	uint64_t hash;
	bool is_known;
};

static uint64_t cached_class_hash(struct hash_table *known,
				  struct slice classes)
{
	struct class_hash_entry *entry;

	if (classes.size == 0)
		return 0;
	entry = hash_table_add(known, hash64(classes.data, classes.size, 0));
	if (!entry->is_known)
		entry->hash = hash_of_classes(classes);
	entry->is_known = true;
	return entry->hash;
}

/* Cached hashes. */
struct path_hash_cache {
	struct hash_table classes;
	uint64_t tags[TAG_COUNT]; /* 0: not computed yet */
};

static uint64_t cached_tag_hash(struct path_hash_cache *known,
				const struct page *page, uint16_t tag)
{
	if (tag >= TAG_COUNT)
		return page_tag_hash(page, tag);
	if (known->tags[tag] == 0)
		known->tags[tag] = page_tag_hash(page, tag);
	return known->tags[tag];
}

static uint64_t step_of(const struct page *page, uint32_t node, bool with_class,
			struct path_hash_cache *known)
{
	uint16_t tag = page->nodes[node].tag;
	uint64_t step = cached_tag_hash(known, page, tag);
	uint64_t classes;

	assert(node < page->node_count);
	if (!with_class || tag == TAG_html || tag == TAG_body)
		return step;
	classes = cached_class_hash(&known->classes,
				    page_attribute(page, node, "class"));
	return classes == 0 ? step : hash_chain(classes, step);
}

static uint64_t *make_steps(struct arena *arena, const struct page *page,
			    bool with_class)
{
	uint64_t *steps = ARENA_NEW(arena, uint64_t, page->node_count);
	struct arena *scratch = arena_create();
	struct path_hash_cache known = {
		.classes = hash_table_make(scratch,
					   sizeof(struct class_hash_entry)),
	};

	for (uint32_t i = 0; i < page->node_count; i++)
		steps[i] = step_of(page, i, with_class, &known);
	arena_destroy(scratch);
	return steps;
}

const uint64_t *node_steps(struct arena *arena, const struct page *page,
			   bool with_class)
{
	return make_steps(arena, page, with_class);
}

/* Chain each step to the path of its parent. */
const uint64_t *node_paths(struct arena *arena, const struct page *page,
			   bool with_class)
{
	uint64_t *paths = make_steps(arena, page, with_class);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;
		uint64_t path =
			hash_chain(paths[i], parent == NO_NODE ? root_seed
							       : paths[parent]);

		assert(parent == NO_NODE || parent < i);
		paths[i] = path == 0 ? 1 : path;
	}
	return paths;
}
