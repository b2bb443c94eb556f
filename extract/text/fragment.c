#include "extract/text/fragment.h"

#include <assert.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/core/numeric.h"
#include "extract/text/word.h"
#include "page/page.h"

enum { MAX_NAME_BYTES = 64 };

/*
 * The parent's hash for the root, so that the hash of a path is practically
 * never 0.
 */
static const uint64_t root_seed = 0x9E3779B97F4A7C15U;

static bool is_class_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' ||
	       byte == '\r';
}

/*
 * Return the hash of a class name without its digits; 0 if it has nothing but
 * digits.
 */
static uint64_t hash_without_digits(const char *name, size_t length)
{
	char kept[MAX_NAME_BYTES];
	size_t size = 0;

	for (size_t i = 0; i < length && size < sizeof(kept); i++)
		if (!is_digit(name[i]))
			kept[size++] = name[i];
	assert(size <= sizeof(kept));
	return size == 0 ? 0 : hash64(kept, size, 0);
}

/*
 * Return the hash of the names in a class attribute: a sum, so that the order
 * of the names does not matter.
 */
static uint64_t hash_of_classes(struct slice classes)
{
	const char *text = classes.data;
	uint64_t sum = 0;
	size_t at = 0;

	while (at < classes.size) {
		size_t begin = at;
		bool has_digit = false;

		while (at < classes.size && !is_class_space(text[at]))
			has_digit |= is_digit(text[at++]);
		if (has_digit || at - begin > MAX_NAME_BYTES)
			sum += hash_without_digits(text + begin, at - begin);
		else if (at > begin)
			sum += hash64(text + begin, at - begin, 0);
		at++;
	}
	return sum;
}

/*
 * The cached result of hash_of_classes(); the key is the hash of the
 * attribute's bytes. Pages repeat the same class attributes, so the cache saves
 * time.
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

/* The cached hashes of class attributes and tag names. */
struct path_hash_cache {
	struct hash_table classes;
	uint64_t tags[TAG_COUNT]; /* 0 = not computed yet */
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

/* The path of an element is the hash of its step and of its parent's path. */
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

enum { WIDTH = 3, BITS = 64, MAX_WORD = 256, PLANES = 32 };

/*
 * Counts, for each of the 64 bits, in how many hashes the bit is set. planes[p]
 * has bit p of all 64 counts, so that one operation updates all counts.
 */
struct bit_counts {
	uint64_t planes[PLANES];
	uint64_t count; /* number of hashes */
};

static void bit_counts_add(struct bit_counts *tally, uint64_t hash)
{
	tally->count++;
	for (unsigned p = 0; hash != 0 && p < PLANES; p++) {
		uint64_t carry = tally->planes[p] & hash;

		tally->planes[p] ^= hash;
		hash = carry;
	}
}

/* Return the bits that are set in more than half of the hashes. */
static uint64_t tally_most(const struct bit_counts *tally)
{
	uint64_t most = 0;

	for (unsigned bit = 0; bit < BITS; bit++) {
		uint64_t count = 0;

		for (unsigned p = 0; p < PLANES; p++)
			count |= (tally->planes[p] >> bit & 1) << p;
		most |= (uint64_t)(2 * count > tally->count) << bit;
	}
	return most;
}

/* Return the hash of the first MAX_WORD bytes of a word, in lower case. */
static uint64_t simhash_word(struct slice word)
{
	const char *bytes = word.data;
	size_t size = word.size < MAX_WORD ? word.size : MAX_WORD;
	char folded[MAX_WORD];

	for (size_t i = 0; i < size; i++)
		folded[i] = lower(bytes[i]);
	return hash64(folded, size, 0);
}

/* Return the hash of several words from their hashes, words [count]. */
static uint64_t hash_words(const uint64_t *words, unsigned count)
{
	uint64_t hash = words[0];

	for (unsigned i = 1; i < count; i++)
		hash = hash_chain(words[i], hash);
	return hash;
}

uint64_t simhash(struct slice text)
{
	struct bit_counts tally = {.count = 0};
	uint64_t words[WIDTH]; /* hashes of the last WIDTH words */
	unsigned count = 0;
	struct slice word;

	while (word_next(&text, &word)) {
		if (count == WIDTH) {
			words[0] = words[1];
			words[1] = words[2];
			count--;
		}
		words[count++] = simhash_word(word);
		if (count == WIDTH)
			bit_counts_add(&tally, hash_words(words, WIDTH));
	}
	if (count > 0 && tally.count == 0)
		bit_counts_add(&tally, hash_words(words, count));
	return tally_most(&tally);
}

enum {
	FEW = 24, /* maximum number of fragments to sort by insertion */
	BUCKET_BITS = 8,
	BUCKETS = 1 << BUCKET_BITS,
};

const struct fragment *fragments_of_page(struct arena *arena,
					 const struct page *page)
{
	struct fragment *fragments =
		ARENA_ROOM(arena, struct fragment, page->text_count);
	char *collapsed = ARENA_ROOM(arena, char, page_longest_text(page));

	for (uint32_t i = 0; i < page->text_count; i++) {
		size_t length = text_collapse(page_text(page, i), collapsed);
		/* never 0, because 0 means "no fragment" in tables of hashes */
		uint64_t hash = hash64(collapsed, length, 0);

		assert(length <= page->texts[i].length);
		fragments[i] = (struct fragment){
			.hash = hash == 0 ? 1 : hash,
			.length = (uint32_t)length,
			.flags = page->texts[i].flags,
		};
	}
	return fragments;
}

static size_t fragment_bucket(const struct fragment *fragment)
{
	return (size_t)(fragment->hash >> (64 - BUCKET_BITS));
}

/* Compare by hash, and fragments with equal hashes by their position. */
static int compare_fragments(const void *a, const void *b)
{
	const struct fragment *const *x = a;
	const struct fragment *const *y = b;

	if ((*x)->hash != (*y)->hash)
		return (*x)->hash < (*y)->hash ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

static void sort_few(const struct fragment **order, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct fragment *fragment = order[i];
		size_t at = i;

		for (; at > 0 && order[at - 1]->hash > fragment->hash; at--)
			order[at] = order[at - 1];
		order[at] = fragment;
	}
}

/*
 * Return the fragments sorted with compare_fragments(). Hashes are evenly
 * distributed, so after sorting into buckets by the first bits, each bucket has
 * few fragments.
 */
static const struct fragment **sort_fragments(struct arena *arena,
					      const struct fragment *fragments,
					      uint32_t count)
{
	const struct fragment **order =
		ARENA_ROOM(arena, const struct fragment *, count);
	uint32_t ends[BUCKETS] = {0};
	uint32_t begin = 0;

	for (uint32_t i = 0; i < count; i++)
		ends[fragment_bucket(&fragments[i])]++;
	for (size_t i = 0; i < BUCKETS; i++) {
		const uint32_t size = ends[i];

		ends[i] = begin;
		begin += size;
	}
	for (uint32_t i = 0; i < count; i++)
		order[ends[fragment_bucket(&fragments[i])]++] = &fragments[i];
	begin = 0;
	for (size_t i = 0; i < BUCKETS; begin = ends[i++]) {
		if (ends[i] - begin <= FEW)
			sort_few(order + begin, ends[i] - begin);
		else
			qsort(order + begin, ends[i] - begin,
			      sizeof(const struct fragment *),
			      compare_fragments);
	}
	return order;
}

const struct fragment *fragments_distinct(struct arena *arena,
					  const struct fragment *fragments,
					  uint32_t count, uint32_t *count_out)
{
	const struct fragment **order = sort_fragments(arena, fragments, count);
	struct fragment *distinct = ARENA_ROOM(arena, struct fragment, count);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || order[i]->hash != distinct[kept - 1].hash)
			distinct[kept++] = *order[i];
	*count_out = kept;
	assert(kept <= count);
	return distinct;
}
