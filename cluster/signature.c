#include "cluster/signature.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/class.h"
#include "page/page.h"
#include "page/scanner.h"
#include "page/tag.h"
#include "store/arena.h"
#include "store/hash.h"

enum {
	PATH_WIDTH = 4,     /* names of a CPS shingle */
	SEQUENCE_WIDTH = 5, /* tags of a CTSS shingle */
	RECENT_COUNT = 1024,
	END_TAG_SEED = 1,
	NAME_CHUNK = 64, /* bytes of a tag's name that are hashed at once */
};

static const struct {
	const char *name;
	unsigned site;
	unsigned template;
} measures[MEASURE_COUNT] = {
	[MEASURE_CP] = {"cp", 700, 200},
	[MEASURE_CPS] = {"cps", 600, 150},
	[MEASURE_CTSS] = {"ctss", 850, 250},
	[MEASURE_CPC] = {"cpc", 700, 250},
};

const char *measure_name(unsigned measure)
{
	return measure < MEASURE_COUNT ? measures[measure].name : NULL;
}

bool measure_from_name(const char *name, enum measure *measure_out)
{
	for (unsigned i = 0; i < MEASURE_COUNT; i++) {
		if (strcmp(name, measures[i].name) == 0) {
			*measure_out = (enum measure)i;
			return true;
		}
	}
	return false;
}

unsigned measure_site_threshold(enum measure measure)
{
	return measures[measure].site;
}

unsigned measure_template_threshold(enum measure measure)
{
	return measures[measure].template;
}

/*
 * Hashes as they come, most of them again and again. A direct-mapped memory of
 * the latest ones drops nearly all repetitions before the sort; unlike a hash
 * table it has no bad case.
 */
struct collector {
	struct arena *arena;
	uint64_t *members;
	size_t count;
	size_t capacity;
	uint64_t recent[RECENT_COUNT];
};

static void collector_begin(struct collector *collector, struct arena *arena)
{
	memset(collector, 0, sizeof(*collector));
	collector->arena = arena;
	collector->recent[0] = 1; /* a 1 has no business there: no 0 is held */
}

static void collector_grow(struct collector *collector)
{
	size_t capacity =
		collector->capacity == 0 ? 256 : collector->capacity * 2;
	uint64_t *members = ARENA_NEW(collector->arena, uint64_t, capacity);

	if (collector->count > 0)
		memcpy(members, collector->members,
		       collector->count * sizeof(*members));
	collector->members = members;
	collector->capacity = capacity;
}

static void collect(struct collector *collector, uint64_t member)
{
	uint64_t *recent = &collector->recent[member % RECENT_COUNT];

	if (*recent == member)
		return;
	*recent = member;
	if (collector->count == collector->capacity)
		collector_grow(collector);
	collector->members[collector->count++] = member;
}

static int compare_members(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static struct signature collector_end(struct collector *collector)
{
	uint64_t *members = collector->members;
	size_t count = 0;

	if (collector->count == 0)
		return (struct signature){NULL, 0};
	qsort(members, collector->count, sizeof(*members), compare_members);
	for (size_t i = 0; i < collector->count; i++) {
		if (count == 0 || members[count - 1] != members[i])
			members[count++] = members[i];
	}
	return (struct signature){members, count};
}

static uint64_t name_hash(const struct page *page, uint16_t tag)
{
	struct slice name;

	if (tag < TAG_COUNT)
		return tag_hash(tag);
	name = page_tag_name(page, tag);
	return hash64(name.data, name.size, 0);
}

static uint64_t step_hash(const struct page *page, uint32_t node,
			  enum measure measure)
{
	uint64_t name = name_hash(page, page->nodes[node].tag);

	if (measure != MEASURE_CPC)
		return name;
	return class_hash(page_attribute(page, node, "class"), name);
}

static bool is_leaf(const struct page *page, uint32_t node)
{
	return page->nodes[node].end == node + 1;
}

/* CP (2008, section 4.1) and CPC: the path to a node is that to its parent and
 * a step. */
static void collect_paths(struct collector *collector, const struct page *page,
			  enum measure measure)
{
	uint64_t *paths =
		ARENA_NEW(collector->arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		uint32_t parent = page->nodes[i].parent;

		paths[i] = hash_chain(step_hash(page, i, measure),
				      parent == NO_NODE ? 0 : paths[parent]);
		if (is_leaf(page, i))
			collect(collector, paths[i]);
	}
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (page->texts[i].node != NO_NODE)
			collect(collector, paths[page->texts[i].node]);
	}
}

/* The last PATH_WIDTH names of the path to `node`, or all of a shorter one. */
static uint64_t path_shingle(const struct page *page, const uint64_t *steps,
			     uint32_t node)
{
	uint64_t window[PATH_WIDTH];
	size_t count = 0;

	while (count < PATH_WIDTH && node != NO_NODE) {
		window[count++] = steps[node];
		node = page->nodes[node].parent;
	}
	return hash64(window, count * sizeof(*window), 0);
}

/*
 * CPS (2008, section 4.2). Every element is on the path to some leaf, so the
 * shingles of all paths are those that end at any element which is deep
 * enough; a shorter path counts when it is a path of CP.
 */
static void collect_path_shingles(struct collector *collector,
				  const struct page *page)
{
	uint64_t *steps =
		ARENA_NEW(collector->arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		steps[i] = name_hash(page, page->nodes[i].tag);
		if (page->nodes[i].depth >= PATH_WIDTH - 1 || is_leaf(page, i))
			collect(collector, path_shingle(page, steps, i));
	}
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;

		if (node != NO_NODE && page->nodes[node].depth < PATH_WIDTH - 1)
			collect(collector, path_shingle(page, steps, node));
	}
}

/* hash64 of the lower-cased name, in chunks when it is long. */
static uint64_t source_name_hash(const char *name, size_t size)
{
	char chunk[NAME_CHUNK];
	uint64_t hash = 0;

	while (size > 0) {
		size_t length = size < NAME_CHUNK ? size : NAME_CHUNK;

		for (size_t i = 0; i < length; i++) {
			char byte = name[i];

			if (byte >= 'A' && byte <= 'Z')
				byte = (char)(byte | 0x20);
			chunk[i] = byte;
		}
		hash = hash64(chunk, length, hash);
		name += length;
		size -= length;
	}
	return hash;
}

static uint64_t token_hash(const struct page *page, const struct token *token)
{
	const char *source = page->source.data;
	uint64_t hash;

	if (token->tag < TAG_COUNT)
		hash = tag_hash(token->tag);
	else
		hash = source_name_hash(source + token->name.begin,
					token->name.end - token->name.begin);
	return token->kind == TOKEN_END ? hash_chain(hash, END_TAG_SEED) : hash;
}

/* CTSS (2008, section 4.3); fewer tags than a shingle has are one shingle. */
static void collect_tag_shingles(struct collector *collector,
				 const struct page *page)
{
	struct scanner scanner = {.source = page->source};
	uint64_t window[SEQUENCE_WIDTH];
	struct token token;
	size_t count = 0;

	while (scanner_next(&scanner, &token)) {
		if (token.is_open ||
		    (token.kind != TOKEN_START && token.kind != TOKEN_END))
			continue;
		if (count == SEQUENCE_WIDTH)
			memmove(window, window + 1, --count * sizeof(*window));
		window[count++] = token_hash(page, &token);
		if (count == SEQUENCE_WIDTH)
			collect(collector, hash64(window, sizeof(window), 0));
	}
	if (count > 0 && count < SEQUENCE_WIDTH)
		collect(collector, hash64(window, count * sizeof(*window), 0));
}

struct signature signature_compute(struct arena *arena, const struct page *page,
				   enum measure measure)
{
	struct collector collector;

	collector_begin(&collector, arena);
	if (measure == MEASURE_CTSS)
		collect_tag_shingles(&collector, page);
	else if (measure == MEASURE_CPS)
		collect_path_shingles(&collector, page);
	else
		collect_paths(&collector, page, measure);
	return collector_end(&collector);
}

size_t signature_common(struct signature a, struct signature b)
{
	size_t common = 0;
	size_t i = 0;
	size_t j = 0;

	/* Without branches on the values: they are random. */
	while (i < a.count && j < b.count) {
		uint64_t left = a.members[i];
		uint64_t right = b.members[j];

		common += left == right;
		i += left <= right;
		j += right <= left;
	}
	return common;
}

double signature_distance(struct signature a, struct signature b)
{
	size_t larger = a.count > b.count ? a.count : b.count;

	if (larger == 0)
		return 0;
	return 1 - (double)signature_common(a, b) / (double)larger;
}

/* What stands at `index` and behind. */
static struct signature rest(struct signature signature, size_t index)
{
	return (struct signature){signature.members + index,
				  signature.count - index};
}

/* |A n B| >= need, with an end as soon as that is out of reach. */
static bool has_common(struct signature a, struct signature b, size_t need)
{
	enum { BLOCK = 32 }; /* steps between two looks at what can still be */

	while (need > 0) {
		size_t i = 0;
		size_t j = 0;
		size_t common = 0;

		if (a.count < need || b.count < need)
			return false;
		for (size_t step = 0;
		     step < BLOCK && i < a.count && j < b.count; step++) {
			uint64_t left = a.members[i];
			uint64_t right = b.members[j];

			common += left == right;
			i += left <= right;
			j += right <= left;
		}
		need = common < need ? need - common : 0;
		a = rest(a, i);
		b = rest(b, j);
	}
	return true;
}

bool signature_linked(struct signature a, struct signature b,
		      unsigned threshold)
{
	size_t larger = a.count > b.count ? a.count : b.count;

	if (threshold >= 1000)
		return true;
	return has_common(a, b, (larger * (1000 - threshold) + 999) / 1000);
}
