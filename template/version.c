#include "template/version.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/fragment.h"
#include "page/page.h"
#include "template/page_outline.h"
#include "template/page_tree.h"

static const enum measure measure_of[] = {
	[ITEMS_CPC] = MEASURE_CPC,
	[ITEMS_CP] = MEASURE_CP,
};

/* A hash, and which of the merged lists contain it. */
struct shared_item {
	uint64_t hash;
	uint32_t count; /* number of lists that contain it */
	/* bytes of its text if it is a fragment, otherwise 0 */
	uint32_t length;
	uint64_t holders; /* bit i is set if list i, one of the first 64,
			     contains it */
};

/* A cursor of hash_merge: its next item in the list of one record. */
struct merge_cursor {
	const struct record *record;
	uint32_t index; /* number of the list */
	uint32_t at;    /* position in the list */
	uint32_t count;
};

/*
 * A merge of several ascending lists of hashes. The cursors that are not at
 * their end are a heap, with the smallest hash first.
 */
struct hash_merge {
	struct merge_cursor *heap; /* [count] */
	uint32_t count;
	enum items items;
};

static uint64_t hash_at(const struct hash_merge *merge,
			const struct merge_cursor *cursor)
{
	const struct record *record = cursor->record;

	assert(cursor->at < cursor->count);
	if (merge->items == ITEMS_FRAGMENTS)
		return record->fragments[cursor->at].hash;
	return record->signatures[measure_of[merge->items]][cursor->at];
}

static uint32_t item_count(const struct record *record, enum items items)
{
	if (items == ITEMS_FRAGMENTS)
		return record->fragment_count;
	return record->signature_counts[measure_of[items]];
}

static void merge_sift_down(struct hash_merge *merge, uint32_t at)
{
	assert(at < merge->count);
	for (;;) {
		struct merge_cursor cursor = merge->heap[at];
		uint32_t least = at;

		for (uint32_t child = 2 * at + 1;
		     child <= 2 * at + 2 && child < merge->count; child++)
			if (hash_at(merge, &merge->heap[child]) <
			    hash_at(merge, &merge->heap[least]))
				least = child;
		if (least == at)
			return;
		merge->heap[at] = merge->heap[least];
		merge->heap[least] = cursor;
		at = least;
	}
}

/*
 * Begin to merge the items of the `records` [count], which must exist until the
 * end of the merge. The result belongs to `arena`. Memory O(count).
 */
static struct hash_merge *merge_begin(struct arena *arena,
				      const struct record *records,
				      uint32_t count, enum items items)
{
	struct hash_merge *merge = ARENA_NEW(arena, struct hash_merge, 1);

	merge->heap = ARENA_NEW(arena, struct merge_cursor, count);
	merge->items = items;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = item_count(&records[i], items);

		if (size > 0)
			merge->heap[merge->count++] =
				(struct merge_cursor){&records[i], i, 0, size};
	}
	for (uint32_t i = merge->count / 2; i > 0; i--)
		merge_sift_down(merge, i - 1);
	assert(merge->count <= count);
	return merge;
}

/* Move the first cursor to its next item, and restore the heap. */
static void merge_advance(struct hash_merge *merge)
{
	struct merge_cursor *first = merge->heap;

	assert(merge->count > 0);
	if (++first->at == first->count)
		*first = merge->heap[--merge->count];
	if (merge->count > 1)
		merge_sift_down(merge, 0);
}

/*
 * Return the next distinct hash in ascending order; return false at the end.
 * O(log count) for each list that contains it.
 */
static bool merge_next(struct hash_merge *merge, struct shared_item *shared_out)
{
	if (merge->count == 0)
		return false;
	*shared_out = (struct shared_item){.hash = hash_at(merge, merge->heap)};
	while (merge->count > 0 &&
	       hash_at(merge, merge->heap) == shared_out->hash) {
		if (merge->heap->index < 64)
			shared_out->holders |= (uint64_t)1
					       << merge->heap->index;
		shared_out->count++;
		merge_advance(merge);
	}
	return true;
}

/*
 * Return whether an item that occurs in `count` of `records` pages is stable:
 * more than VERSION_STABLE (permille) of the pages have it.
 */
static bool is_stable(uint32_t count, uint32_t records)
{
	assert(count <= records);
	return (uint64_t)count * 1000 > (uint64_t)records * VERSION_STABLE;
}

/* Return the number of stable items. */
static uint32_t stable_count(struct arena *arena, const struct record *records,
			     uint32_t count, enum items items)
{
	struct hash_merge *merge = merge_begin(arena, records, count, items);
	struct shared_item shared;
	uint32_t stable = 0;

	while (merge_next(merge, &shared))
		stable += is_stable(shared.count, count);
	return stable;
}

enum items stable_paths(struct arena *arena, const struct record *records,
			uint32_t count)
{
	uint64_t with = stable_count(arena, records, count, ITEMS_CPC);
	uint32_t without = stable_count(arena, records, count, ITEMS_CP);

	return 2 * with >= without ? ITEMS_CPC : ITEMS_CP;
}

/* Numbers of items of one page. */
struct page_count {
	uint32_t held;  /* stable items in its baseline */
	uint32_t lost;  /* stable items that the page has lost */
	uint32_t moved; /* removed items that it lost, and new items that it
			   gained */
};

uint32_t count_pages(uint32_t mask)
{
	return (uint32_t)__builtin_popcount(mask);
}

uint32_t quorum(const struct pages *pages, uint32_t votes)
{
	uint64_t ratio = ((uint64_t)votes * pages->agreement + 999) / 1000;
	uint32_t least = pages->votes;

	assert(pages->count <= MAX_TEMPLATE_SAMPLE);
	/* If there are several pages, a single page is no evidence. */
	if (least < 2 && pages->count >= 2)
		least = 2;
	if (least > pages->min_pages)
		least = pages->min_pages;

	return ratio > least ? (uint32_t)ratio : least;
}

static double balance_ratio(uint32_t part, uint32_t all)
{
	return all == 0 ? 0 : (double)part / all;
}

struct item_turn item_turn_of(const struct pages *pages, uint32_t had,
			      uint32_t has)
{
	struct item_turn turn = {
		.before = had & pages->seen,
		.after = has,
		.was_stable = is_stable(count_pages(had), pages->count),
	};
	uint32_t lost = count_pages(turn.before & ~turn.after);
	uint32_t got = count_pages(turn.after & ~turn.before);

	turn.is_gone = turn.was_stable && lost > 0 &&
		       lost >= quorum(pages, count_pages(turn.before));
	turn.is_come = !turn.was_stable && got > 0 &&
		       got >= quorum(pages, count_pages(pages->seen));
	return turn;
}

static struct item_turn shared_item_turn(const struct pages *pages,
					 const struct shared_item *shared)
{
	return item_turn_of(pages,
			    (uint32_t)shared->holders &
				    ((1U << MAX_TEMPLATE_SAMPLE) - 1),
			    (uint32_t)(shared->holders >> MAX_TEMPLATE_SAMPLE));
}

static void count_turn(const struct pages *pages, const struct item_turn *turn,
		       struct page_count *counts)
{
	assert(pages->count <= MAX_TEMPLATE_SAMPLE);
	for (uint32_t i = 0; i < pages->count; i++) {
		bool had = (turn->before >> i & 1) != 0;
		bool has = (turn->after >> i & 1) != 0;

		counts[i].held += turn->was_stable && had;
		counts[i].lost += turn->was_stable && had && !has;
		counts[i].moved += (turn->is_gone && had && !has) ||
				   (turn->is_come && has && !had);
	}
}

/*
 * List the hashes of the removed and the new items, which must have been
 * counted.
 */
static void list_moved(struct arena *arena, const struct pages *pages,
		       enum items items, struct common_items *balance)
{
	struct hash_merge *merge = merge_begin(arena, pages->records,
					       2 * MAX_TEMPLATE_SAMPLE, items);
	uint64_t *gone = ARENA_NEW(arena, uint64_t, balance->gone_count);
	uint64_t *come = ARENA_NEW(arena, uint64_t, balance->come_count);
	struct shared_item shared;

	balance->gone = gone;
	balance->come = come;
	while (merge_next(merge, &shared)) {
		struct item_turn turn = shared_item_turn(pages, &shared);

		if (turn.is_gone)
			*gone++ = shared.hash;
		if (turn.is_come)
			*come++ = shared.hash;
	}
	assert(gone == balance->gone + balance->gone_count &&
	       come == balance->come + balance->come_count);
}

void common_items_compare(struct arena *arena, const struct pages *pages,
			  enum items items, struct common_items *balance_out)
{
	struct hash_merge *merge = merge_begin(arena, pages->records,
					       2 * MAX_TEMPLATE_SAMPLE, items);
	struct page_count counts[MAX_TEMPLATE_SAMPLE] = {{0}};
	struct common_items balance = {0};
	struct shared_item shared;
	uint32_t moved;

	while (merge_next(merge, &shared)) {
		struct item_turn turn = shared_item_turn(pages, &shared);

		balance.stable += turn.was_stable;
		balance.gone_count += turn.is_gone;
		balance.come_count += turn.is_come;
		count_turn(pages, &turn, counts);
	}
	moved = balance.gone_count + balance.come_count;
	balance.moved =
		balance_ratio(moved, balance.stable + balance.come_count);
	for (uint32_t i = 0; i < pages->count; i++) {
		balance.lost[i] = balance_ratio(counts[i].lost, counts[i].held);
		balance.joins[i] = balance_ratio(counts[i].moved, moved);
	}
	list_moved(arena, pages, items, &balance);
	*balance_out = balance;
}

/*
 * Return a copy of the text in `arena`, with invalid bytes replaced so that it
 * is valid UTF-8.
 */
static struct slice version_clean_text(struct arena *arena, struct slice text)
{
	size_t invalid = utf8_check(text).invalid;
	char *copy = arena_alloc(arena, text.size + 2 * invalid + 1, 1);

	return (struct slice){copy, utf8_repair(text, copy)};
}

struct slice text_of_path(struct arena *arena, const struct page *page,
			  uint32_t node, enum path_steps kind)
{
	char text[PATH_MAX_BYTES];
	size_t begin = path_write(page, node, kind, text);

	return (struct slice){
		arena_copy(arena, text + begin, sizeof(text) - begin),
		sizeof(text) - begin};
}

static struct version_item *version_find_item(struct version_item *items,
					      uint32_t count, uint64_t hash)
{
	size_t at;

	LOWER_BOUND(at, count, items[at].hash < hash);
	if (at == count || items[at].hash != hash)
		return NULL;
	return items[at].text.data == NULL ? &items[at] : NULL;
}

/* Set the text of the paths of the version that occur on the page. */
static void learn_paths(struct arena *arena, const struct page *page,
			enum path_steps kind, struct version *version)
{
	const struct path_table table = path_table_make(page->arena, page);
	const uint64_t *paths =
		path_chains(page->arena, page, table.steps[kind]);

	for (uint32_t i = 0; i < page->node_count; i++) {
		struct version_item *item = version_find_item(
			version->paths, version->path_count, paths[i]);

		if (item != NULL)
			item->text = text_of_path(arena, page, i, kind);
	}
}

/*
 * Return a copy of the text with collapsed white space. A long text is
 * truncated at the end of a character.
 */
static struct slice text_of_fragment(struct arena *arena, struct slice text)
{
	static const char more[] = "\xE2\x80\xA6";
	char *copy = arena_alloc(arena, text.size + sizeof(more), 1);
	size_t size = text_collapse(text, copy);

	if (size > VERSION_MAX_TEXT) {
		size = utf8_truncate((struct slice){copy, size},
				     VERSION_MAX_TEXT)
			       .size;
		memcpy(copy + size, more, sizeof(more) - 1);
		size += sizeof(more) - 1;
	}
	return (struct slice){copy, size};
}

static void learn_fragments(struct arena *arena, const struct page *page,
			    struct version *version)
{
	const struct fragment *fragments = fragments_of_page(page->arena, page);

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct version_item *item = version_find_item(
			version->fragments, version->fragment_count,
			fragments[i].hash);

		if (item == NULL)
			continue;
		item->text = version_clean_text(
			arena,
			text_of_fragment(page->arena, page_text(page, i)));
	}
}

static int common_first(const void *left, const void *right)
{
	const struct version_item *a = left;
	const struct version_item *b = right;

	if (a->ratio != b->ratio)
		return a->ratio > b->ratio ? -1 : 1;
	return (a->hash > b->hash) - (a->hash < b->hash);
}

/* The items to search for: those of a kind in the records. */
struct stable_search {
	const struct record *records; /* [count] */
	uint32_t count;
	enum items kind;
};

/*
 * Find the stable items of a kind; if there are more than `max`, the most
 * common ones. Return them in ascending order of their hash.
 */
static struct version_item *find_stable(struct arena *arena,
					struct stable_search search,
					uint32_t max, uint32_t *count_out)
{
	uint32_t records = search.count;
	uint32_t count =
		stable_count(arena, search.records, records, search.kind);
	struct version_item *items =
		ARENA_NEW(arena, struct version_item, count);
	struct hash_merge *merge =
		merge_begin(arena, search.records, records, search.kind);
	struct shared_item shared;
	uint32_t filled = 0;

	while (merge_next(merge, &shared))
		if (is_stable(shared.count, records))
			items[filled++] = (struct version_item){
				.hash = shared.hash,
				.ratio = (float)shared.count / (float)records,
			};
	if (count > max) {
		qsort(items, count, sizeof(*items), common_first);
		count = max;
		qsort(items, count, sizeof(*items), order_u64); /* by hash */
	}
	*count_out = count;
	return items;
}

struct version *version_make(struct arena *arena,
			     const struct version_input *input)
{
	struct version *version = ARENA_NEW(arena, struct version, 1);
	const struct record *records =
		outline_records(arena, input->records, input->record_count);
	enum items paths = stable_paths(arena, records, input->record_count);
	enum path_steps kind = paths == ITEMS_CP           ? PATH_NAMES
			       : records == input->records ? PATH_CLASSES
							   : PATH_INNER_CLASSES;

	version->page_count = input->page_count;
	version->generation = input->generation;
	version->has_classes = paths == ITEMS_CPC;
	version->paths = find_stable(
		arena,
		(struct stable_search){records, input->record_count, paths},
		VERSION_MAX_PATHS, &version->path_count);
	version->fragments =
		find_stable(arena,
			    (struct stable_search){records, input->record_count,
						   ITEMS_FRAGMENTS},
			    VERSION_MAX_FRAGMENTS, &version->fragment_count);
	for (uint32_t i = 0; i < input->sample_count; i++) {
		learn_paths(arena, input->pages[i], kind, version);
		learn_fragments(arena, input->pages[i], version);
	}
	qsort(version->paths, version->path_count, sizeof(*version->paths),
	      common_first);
	qsort(version->fragments, version->fragment_count,
	      sizeof(*version->fragments), common_first);
	version->regions =
		ARENA_NEW(arena, struct version_region, VERSION_MAX_REGIONS);
	version->region_count = regions_find(
		arena, input->pages, input->sample_count, version->regions);
	version->samples = ARENA_NEW(arena, struct slice, input->sample_count);
	version->sample_count = input->sample_count;
	for (uint32_t i = 0; i < input->sample_count; i++)
		version->samples[i] = version_clean_text(arena, input->urls[i]);
	return version;
}

/* All items of one kind in a version. */
struct version_diff_items {
	const struct version_item *first;
	uint32_t count;
};

/* The items of one version that the other version does not have. */
struct lack {
	const struct version_item **items; /* [count], most common first */
	uint32_t count;
	double weight; /* the sum of their ratios */
};

static uint64_t *version_item_hashes(struct arena *arena,
				     struct version_diff_items items)
{
	uint64_t *hashes = ARENA_NEW(arena, uint64_t, items.count);

	for (uint32_t i = 0; i < items.count; i++)
		hashes[i] = items.first[i].hash;
	if (items.count > 1)
		qsort(hashes, items.count, sizeof(*hashes), order_u64);
	return hashes;
}

/*
 * Return the items of `items` that are not in `other`, in the order of `items`.
 */
static struct lack lack_of(struct arena *arena, struct version_diff_items items,
			   struct version_diff_items other)
{
	const uint64_t *hashes = version_item_hashes(arena, other);
	struct lack lack = {
		.items = ARENA_NEW(arena, const struct version_item *,
				   items.count),
	};

	for (uint32_t i = 0; i < items.count; i++) {
		const struct version_item *item = &items.first[i];

		if (sorted_find(hashes, other.count, item->hash) < other.count)
			continue;
		lack.items[lack.count++] = item;
		lack.weight += (double)item->ratio;
	}
	return lack;
}

static double version_items_weight(struct version_diff_items items)
{
	double weight = 0;

	for (uint32_t i = 0; i < items.count; i++)
		weight += (double)items.first[i].ratio;
	return weight;
}

/*
 * Return the ratio of moved items, weighted by their ratios: (gone + come) /
 * (before + come).
 */
static double version_moved_ratio(struct version_diff_items before,
				  const struct lack *gone,
				  const struct lack *come)
{
	double all = version_items_weight(before) + come->weight;

	return all > 0 ? fmin((gone->weight + come->weight) / all, 1) : 0;
}

void version_compare(struct arena *arena, const struct version *before,
		     const struct version *after, struct version_diff *diff_out)
{
	struct version_diff_items paths[] = {
		{before->paths, before->path_count},
		{after->paths, after->path_count}};
	struct version_diff_items fragments[] = {
		{before->fragments, before->fragment_count},
		{after->fragments, after->fragment_count}};
	struct lack gone_paths = lack_of(arena, paths[0], paths[1]);
	struct lack come_paths = lack_of(arena, paths[1], paths[0]);
	struct lack gone_fragments = lack_of(arena, fragments[0], fragments[1]);
	struct lack come_fragments = lack_of(arena, fragments[1], fragments[0]);

	*diff_out = (struct version_diff){
		.gone_paths = gone_paths.items,
		.gone_path_count = gone_paths.count,
		.come_paths = come_paths.items,
		.come_path_count = come_paths.count,
		.gone_fragments = gone_fragments.items,
		.gone_fragment_count = gone_fragments.count,
		.come_fragments = come_fragments.items,
		.come_fragment_count = come_fragments.count,
		.paths_moved =
			version_moved_ratio(paths[0], &gone_paths, &come_paths),
		.fragments_moved = version_moved_ratio(
			fragments[0], &gone_fragments, &come_fragments),
	};
}
