#include "template/fields/place.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/page.h"
#include "template/fields/element_name.h"
#include "template/fields/loose_place.h"

enum {
	MIN_SHARE = 20, /* a label must be on a 20th of the pages */
	MIN_PAGES = 2,  /* and on so many pages */
	/* names of the children of a place that count */
	MAX_NAMES = LIMIT(300, 20),
	USUAL_SHARE = 95, /* percent of the elements of a place */
	MIN_BARE_ELEMENTS = 10,
	CONSTANT_SHARE = 85, /* percent of parents with the same number */
	MAX_LEAF_NODES = 4,  /* descendants of siblings that have positions */
	MAX_CHILDREN = 4000, /* children of an element that are looked at */
	/* bytes of the names of an element, and of its step */
	MAX_NAMES_BYTES = LIMIT(240, 8),
	/* bytes of the labels that are kept while a page is placed */
	MAX_SCRATCH_BYTES = LIMIT(1 << 20, 200),
	/* children of all elements of a place that are looked at */
	MAX_ITEMS = LIMIT(40000, 60),
	MAX_ELEMENTS = LIMIT(2000000, 400), /* of all sample pages */
	MAX_CHILD_KEYS = LIMIT(40000, 40),  /* entries of a table of the tree */
};

/* Kinds of keys. */
enum { KEY_TOKEN = 1, KEY_GROUP, KEY_PLACE, KEY_LABEL, KEY_RUN };
enum { ROOT_KEY = 3 };

/* Hash of a step without its label and position. */
static uint64_t key_of(uint64_t parent, uint64_t kind, uint64_t a, uint64_t b)
{
	return hash_chain(b, hash_chain(a, hash_chain(kind, parent)));
}

/* A child of an element: another element, or a run of text. */
struct item {
	uint32_t node;       /* NO_NODE: a run */
	uint32_t text;       /* of a run: its first text, */
	uint32_t end;        /* and the first one after it */
	uint32_t parent;     /* while learning: number of the parent element */
	uint64_t group;      /* hash of tag and tokens */
	struct slice own;    /* label at its begin, or empty; */
	bool is_marked;      /* a colon or its element says that it is one */
	struct slice whole;  /* whole text if it is short, or empty; */
	struct slice before; /* label in front of it, or empty: in an arena */
	bool is_next;        /* directly behind this label */
	const uint64_t *names; /* [name_count] hashes, in an arena */
	uint32_t name_count;
	uint32_t place; /* while learning, or NO_PLACE */
};

struct items {
	struct item *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* Return whether the text can be a label: it has letters, few digits. */
static bool is_label(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end;
	size_t letters = 0;
	size_t digits = 0;

	if (text.size == 0 || text.size > MAX_LABEL_BYTES)
		return false;
	end = at + text.size;
	while (at < end) {
		uint32_t code = utf8_next(&at, end);

		digits += code < 0x80 && is_digit((int)code);
		letters += is_word_code(code) &&
			   (code >= 0x80 || !is_digit((int)code));
	}
	return letters > 0 && digits <= letters;
}

/* Return the size of a label at the begin of a text that ends with a colon. */
static size_t colon_size(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size && i < MAX_LABEL_BYTES; i++) {
		if (bytes[i] == ':' &&
		    (i + 1 == text.size || bytes[i + 1] == ' '))
			return i + 1;
		if (i + 3 <= text.size &&
		    memcmp(bytes + i, "\xEF\xBC\x9A", 3) == 0)
			return i + 3;
	}
	return 0;
}

/* Items */

/* Copy the text without double blanks, if it is short; otherwise return {0}. */
static struct slice short_text(struct arena *arena, const struct page *page,
			       uint32_t begin, uint32_t end)
{
	char joined[4 * MAX_LABEL_BYTES];
	size_t size = 0;

	if (end - begin > 8)
		return (struct slice){0};
	for (uint32_t i = begin; i < end; i++) {
		struct slice text = page_text(page, i);

		if (size + text.size + 1 > sizeof(joined))
			return (struct slice){0};
		memcpy(joined + size, text.data, text.size);
		size += text.size;
	}
	size = text_collapse((struct slice){joined, size}, joined);
	if (size == 0 || size > 2UL * MAX_LABEL_BYTES)
		return (struct slice){0};
	return arena_slice(arena, (struct slice){joined, size});
}

static bool is_label_tag(uint16_t tag)
{
	switch (tag) {
	case TAG_dt:
	case TAG_th:
	case TAG_b:
	case TAG_strong:
	case TAG_label:
		return true;
	default:
		return (tag_flags(tag) & TAG_IS_HEADING) != 0;
	}
}

/*
 * Return whether the element `node`, or one around it inside of `limit`, is one
 * for labels.
 */
static bool is_label_node(const struct page *page, uint32_t node,
			  uint32_t limit)
{
	for (uint32_t i = node; i != NO_NODE && i != limit;
	     i = page->nodes[i].parent)
		if (is_label_tag(page->nodes[i].tag) ||
		    page->nodes[i].tag == TAG_td)
			return true;
	return false;
}

/* Set the labels that the item has itself. */
static void item_read_text(struct arena *arena, const struct page *page,
			   struct item *item)
{
	uint32_t begin = item->text;
	uint32_t end = item->end;
	struct slice first;
	size_t colon;

	if (item->node != NO_NODE) {
		begin = page->nodes[item->node].first_text;
		end = page->nodes[item->node].end_text;
	}
	if (begin == end)
		return;
	item->whole = short_text(arena, page, begin, end);
	first = end - begin == 1 ? item->whole
				 : short_text(arena, page, begin, begin + 1);
	colon = colon_size(first);
	if (colon > 0 && (end - begin > 1 || colon < first.size))
		first.size = colon;
	else if (end - begin == 1)
		return;
	if (!is_label(first))
		return;
	item->own = first;
	item->is_marked =
		colon > 0 ||
		is_label_node(page, page->texts[begin].node, item->node);
}

static struct item *items_add(struct items *list)
{
	list->items = mem_grow(list->items, list->count, &list->capacity,
			       sizeof(*list->items));
	list->items[list->count] =
		(struct item){.node = NO_NODE, .place = NO_PLACE};
	return &list->items[list->count++];
}

static void items_add_run(struct items *list, struct arena *arena,
			  const struct page *page, uint32_t begin, uint32_t end)
{
	struct item *item;

	if (begin == end)
		return;
	item = items_add(list);
	item->text = begin;
	item->end = end;
	item_read_text(arena, page, item);
}

/*
 * Append the children of an element, in document order, until the list has
 * `limit` items.
 */
static void items_of(struct items *list, struct arena *arena,
		     const struct page *page, uint32_t parent, size_t limit)
{
	const struct node *nodes = page->nodes;
	uint32_t text = nodes[parent].first_text;
	uint32_t child = parent + 1;

	for (; child < nodes[parent].end && list->count < limit;
	     child = nodes[child].end) {
		struct item *item;

		items_add_run(list, arena, page, text, nodes[child].first_text);
		text = nodes[child].end_text;
		if (is_no_item(page, child))
			continue;
		item = items_add(list);
		item->node = child;
		item_read_text(arena, page, item);
	}
	if (child >= nodes[parent].end && list->count < limit)
		items_add_run(list, arena, page, text, nodes[parent].end_text);
}

/*
 * Return whether an element is unlike those of the place: it lacks the names
 * that nearly all of them have.
 */
static bool is_unusual(const struct place *place, const struct item *item)
{
	uint32_t found = 0;

	if (place->is_bare)
		return item->name_count > 0;
	for (uint32_t u = 0; u < place->usual_count; u++)
		for (uint32_t i = 0; i < item->name_count; i++)
			found += item->names[i] == place->usual[u];
	return found * 2 < place->usual_count;
}

/* Return the group of an element: its tag and the tokens that count. */
static uint64_t group_of(const struct place_tree *tree, uint64_t parent,
			 uint64_t tag, const struct item *item)
{
	uint64_t sum = tag;

	for (uint32_t i = 0; i < item->name_count; i++) {
		uint64_t key = key_of(parent, KEY_TOKEN, tag, item->names[i]);

		if (hash_table_find(&tree->tokens, key) != NULL)
			sum += key;
	}
	return key_of(parent, KEY_GROUP, sum, 0);
}

/*
 * Set the label in front of each item: the last item of another group whose
 * whole text is one of `labels`.
 */
static void items_set_before(struct item *items, size_t count,
			     const struct hash_table *labels, uint64_t parent)
{
	struct slice last = {0};
	struct slice other = {
		0}; /* the last one of another group than `last` */
	uint64_t group = 0;
	size_t next = SIZE_MAX;

	for (size_t i = 0; i < count; i++) {
		struct slice whole = items[i].whole;

		items[i].before = items[i].group == group ? other : last;
		items[i].is_next = i == next;
		if (!is_label(whole) ||
		    hash_table_find(labels,
				    key_of(parent, KEY_LABEL,
					   hash64(whole.data, whole.size, 0),
					   items[i].group)) == NULL)
			continue;
		if (items[i].group != group)
			other = last;
		last = whole;
		group = items[i].group;
		next = i + 1;
	}
}

/* Return the label that tells the item from its siblings, or an empty one. */
static struct slice item_label(const struct item *item, uint32_t mode)
{
	if (mode == LABEL_OWN)
		return item->own;
	if (mode == LABEL_BEFORE)
		return item->before;
	return (struct slice){0};
}

static uint64_t label_key(uint64_t group, struct slice label)
{
	return label.size == 0 ? key_of(group, KEY_PLACE, 0, 0)
			       : key_of(group, KEY_PLACE, 1,
					hash64(label.data, label.size, 0));
}

/* Placing a page */

/* Counts the siblings of each series; reset by the next parent. */
struct series_counts {
	uint32_t *parents; /* [series - first]: the last parent */
	uint32_t *next;    /* [series - first]: siblings so far */
	uint32_t first;    /* the series before it are of other places */
	uint32_t parent;
};

static uint64_t position_key(uint64_t series, uint32_t position)
{
	return key_of(series, KEY_PLACE, 2, position);
}

static uint32_t series_next(struct series_counts *counts, uint32_t series)
{
	series -= counts->first;
	if (counts->parents[series] != counts->parent) {
		counts->parents[series] = counts->parent;
		counts->next[series] = 0;
	}
	return counts->next[series]++;
}

static struct series_entry *item_series(const struct place_tree *tree,
					const struct item *item)
{
	const struct group_entry *group =
		hash_table_find(&tree->groups, item->group);
	struct slice label;
	struct series_entry *entry;

	if (group == NULL)
		return NULL;
	label = item_label(item, group->mode);
	entry = hash_table_find(&tree->series, label_key(item->group, label));
	if (entry == NULL && label.size > 0)
		entry = hash_table_find(
			&tree->series,
			label_key(item->group, (struct slice){0}));
	return entry;
}

/* Return the place of an item, which is the next child of its parent. */
static uint32_t item_place(const struct place_tree *tree,
			   const struct item *item,
			   struct series_counts *counts)
{
	const struct series_entry *series = item_series(tree, item);
	const struct place *place;
	uint32_t position;

	if (series == NULL)
		return NO_PLACE;
	if (series->positions == 0)
		return series->place;
	position = series_next(counts, hash_table_index(&tree->series, series));
	place = hash_table_find(&tree->places,
				position_key(series->key, position));
	return place == NULL ? NO_PLACE
			     : hash_table_index(&tree->places, place);
}

/* Set the names and the groups of the children of a place. */
static void items_set_groups(const struct place_tree *tree, uint64_t parent,
			     const struct page *page, struct name_cache *names,
			     struct items *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct item *item = &list->items[i];
		struct name_set set;

		if (item->node == NO_NODE) {
			item->group = key_of(parent, KEY_RUN, 0, 0);
			continue;
		}
		set = names_of(names, page, item->node);
		item->names = set.names;
		item->name_count = set.count;
		item->group = group_of(
			tree, parent,
			page_tag_hash(page, page->nodes[item->node].tag), item);
	}
}

static uint32_t *filled(struct arena *arena, uint32_t count)
{
	uint32_t *numbers = ARENA_ROOM(arena, uint32_t, (size_t)count + 1);

	memset(numbers, 0xff, sizeof(*numbers) * ((size_t)count + 1));
	return numbers;
}

/* Write the places of the children of an element. */
static void place_items(const struct place_tree *tree, const struct items *list,
			struct series_counts *counts,
			struct placement *placement)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct item *item = &list->items[i];
		uint32_t place = item_place(tree, item, counts);

		if (place != NO_PLACE && item->node != NO_NODE &&
		    is_unusual(place_at(tree, place), item))
			place = NO_PLACE;
		if (item->node != NO_NODE) {
			placement->of_node[item->node] = place;
		} else {
			placement->of_text[item->text] = place;
			placement->run_end[item->text] = item->end;
		}
	}
}

struct placement place_page(const struct place_tree *tree,
			    const struct page *page, struct arena *arena)
{
	struct placement placement = {page, filled(arena, page->node_count),
				      filled(arena, page->text_count),
				      filled(arena, page->text_count)};
	struct series_counts counts = {
		.parents = filled(arena, tree->series.count),
		.next = filled(arena, tree->series.count)};
	struct items list = {0};
	struct arena *scratch = arena_create();
	struct name_cache names = name_cache_make();

	if (page->node_count > 0 && tree->places.count > 0)
		placement.of_node[0] = 0;
	for (uint32_t node = 0; node < page->node_count; node++) {
		uint32_t place = placement.of_node[node];
		uint64_t parent;

		if (place == NO_PLACE)
			continue;
		parent = place_at(tree, place)->key;
		counts.parent = node;
		list.count = 0;
		items_of(&list, scratch, page, node, MAX_CHILDREN);
		items_set_groups(tree, parent, page, &names, &list);

		items_set_before(list.items, list.count, &tree->labels, parent);
		place_items(tree, &list, &counts, &placement);
		if (arena_bytes(scratch) > MAX_SCRATCH_BYTES) {
			arena_destroy(scratch);
			scratch = arena_create();
		}
		name_cache_trim(&names);
	}
	free(list.items);
	name_cache_free(&names);
	arena_destroy(scratch);
	return placement;
}

/* Learning */

/* An element of a sample page. */
struct instance {
	uint32_t page;
	uint32_t node;
};

struct instances {
	struct instance *items; /* [count] */
	size_t count;
	size_t capacity;
};

/* How often a name or a text occurs among the children of a place. */
struct occurrence {
	uint64_t key;
	uint32_t pages;
	uint32_t last_page;   /* + 1 */
	uint32_t parents;     /* elements of the place */
	uint32_t last_parent; /* + 1 */
	uint32_t count;
	uint32_t repeated;  /* parents that contain it several times */
	uint32_t in_parent; /* in the last parent */
};

struct learner {
	struct place_tree tree;
	const struct page *const *pages;
	struct instances *instances; /* [MAX_PLACES] */
	uint32_t *elements_left; /* [pages]: further elements of each page */
	struct items list;       /* children of all elements of the place */
	struct arena *scratch;   /* of the current place */
	struct hash_table counts;
	struct name_cache names;
	uint64_t parent; /* key of the current place */
	uint32_t parent_index;
	uint32_t parent_pages;
};

static struct occurrence *count_key(struct learner *learner, uint64_t key,
				    uint32_t page, uint32_t parent)
{
	struct occurrence *one = hash_table_add(&learner->counts, key);

	one->count++;
	if (one->last_page != page + 1)
		one->pages++;
	if (one->last_parent != parent + 1) {
		one->parents++;
		one->in_parent = 0;
	}
	if (++one->in_parent == 2)
		one->repeated++;
	one->last_page = page + 1;
	one->last_parent = parent + 1;
	return one;
}

static uint32_t min_pages(const struct learner *learner)
{
	uint32_t share = learner->parent_pages / MIN_SHARE;
	uint32_t most = learner->parent_pages < MIN_PAGES
				? learner->parent_pages
				: MIN_PAGES;

	return share > most ? share : most;
}

static const struct page *page_of(const struct learner *learner, size_t parent)
{
	const struct instances *all =
		&learner->instances[learner->parent_index];

	return learner->pages[all->items[parent].page];
}

static uint32_t page_number(const struct learner *learner, size_t parent)
{
	return learner->instances[learner->parent_index].items[parent].page;
}

/*
 * Return the entry of a child of the current place; add it if it is missing.
 * Return NULL if the table is full.
 */
static void *learn_entry(const struct learner *learner,
			 struct hash_table *table, uint64_t key)
{
	struct child_key *entry = hash_table_find(table, key);

	if (entry != NULL)
		return entry;
	if (table->count >= MAX_CHILD_KEYS)
		return NULL;
	entry = hash_table_add(table, key);
	if (hash_table_index(table, entry) == NO_ENTRY)
		return NULL;
	entry->parent = learner->parent_index;
	return entry;
}

/* A name that occurs among the children of the place that have one tag. */
struct name {
	uint64_t key; /* KEY_TOKEN */
	uint64_t token;
	uint32_t count; /* elements */
	uint32_t last;  /* its last use */
	bool is_id;
};

/* The number of children of one element that have equal sums. */
struct sum_count {
	uint64_t key;
	uint32_t count;
};

/* The names of the children of the current place. */
struct name_table {
	struct hash_table names; /* struct name, by key */
	/* [items * MAX_ELEMENT_NAMES]: the use of the same name before this use
	 */
	uint32_t *before;
	uint64_t *sums; /* [items]: of the tag and the keys of the kept names */
	struct hash_table counts; /* struct sum_count */
};

/* Count the names of all children. */
static struct name_table learn_names(struct learner *learner,
				     struct arena *arena)
{
	size_t items = learner->list.count;
	struct name_table table = {
		.names = hash_table_make(arena, sizeof(struct name)),
		.before = filled(arena, (uint32_t)items * MAX_ELEMENT_NAMES),
		.sums = ARENA_NEW(arena, uint64_t, items + 1),
		.counts = hash_table_make(arena, sizeof(struct sum_count))};
	for (size_t i = 0; i < items; i++) {
		struct item *item = &learner->list.items[i];
		const struct page *page = page_of(learner, item->parent);
		struct name_set set;

		if (item->node == NO_NODE)
			continue;
		table.sums[i] =
			page_tag_hash(page, page->nodes[item->node].tag);
		set = names_of(&learner->names, page, item->node);
		item->names = set.names;
		item->name_count = set.count;
		for (size_t t = 0; t < set.count; t++) {
			uint32_t use = (uint32_t)(i * MAX_ELEMENT_NAMES + t);
			struct name *name = hash_table_add(
				&table.names,
				key_of(learner->parent, KEY_TOKEN,
				       page_tag_hash(
					       page,
					       page->nodes[item->node].tag),
				       set.names[t]));

			if (hash_table_index(&table.names, name) == NO_ENTRY)
				continue;
			table.before[use] =
				name->count == 0 ? NO_ENTRY : name->last;
			name->last = use;
			name->is_id = (set.ids >> t & 1) != 0;
			name->token = set.names[t];
			name->count++;
			table.sums[i] += name->key;
		}
	}
	return table;
}

static uint64_t sum_key(const struct item *item, uint64_t sum)
{
	return hash_chain(sum, item->parent);
}

static void count_sums(struct name_table *table, const struct items *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct sum_count *one;

		if (list->items[i].node == NO_NODE)
			continue;
		one = hash_table_add(&table->counts,
				     sum_key(&list->items[i], table->sums[i]));
		one->count++;
	}
}

enum { MAX_PERIOD = 6 };

/* The children of the elements of a place with a name, and without it. */
struct split {
	uint32_t parents;  /* with both kinds of children */
	uint32_t repeated; /* of these, with several that have the name, */
	uint32_t repeated_without; /* and several that do not */
	uint32_t gaps;             /* between neighbours that have the name */
	uint32_t gaps_of[MAX_PERIOD + 1]; /* the same by size */
};

/* Count the children of one parent. */
static void split_add(struct split *split, uint32_t with, uint32_t without)
{
	if (with == 0 || without == 0)
		return;
	split->parents++;
	split->repeated += with > 1;
	split->repeated_without += without > 1;
}

/* Return whether every second child has the name, or every third and so on. */
static bool is_periodic(const struct split *split)
{
	for (uint32_t size = 2; size <= MAX_PERIOD; size++)
		if (split->gaps_of[size] * 10 >= split->gaps * 8)
			return true;
	return false;
}

/*
 * Return whether the name tells siblings apart: without it, two children of one
 * parent would have equal names that are different now. But if there are any
 * numbers of both in any order, the name is a value of the items of a list,
 * such as "instock". Labels and values, and the cells of a row, have an order.
 */
static bool tells_apart(const struct name_table *table,
			const struct item *items, const struct name *name)
{
	struct split split = {0};
	uint32_t with = 0;
	uint32_t without = 0;
	uint32_t parent = UINT32_MAX;
	size_t next = 0;

	for (uint32_t use = name->last; use != NO_ENTRY;
	     use = table->before[use]) {
		size_t i = use / MAX_ELEMENT_NAMES;
		const struct sum_count *other = hash_table_find(
			&table->counts,
			sum_key(&items[i], table->sums[i] - name->key));

		if (items[i].parent != parent) {
			split_add(&split, with, without);
			with = 0;
			without = 0;
			parent = items[i].parent;
		} else {
			split.gaps++;
			if (next - i <= MAX_PERIOD)
				split.gaps_of[next - i]++;
		}
		next = i;
		with++;
		if (other != NULL && other->count > without)
			without = other->count;
	}
	split_add(&split, with, without);
	return split.parents > 0 &&
	       (split.repeated * 5 < split.parents ||
		split.repeated_without * 5 < split.parents ||
		is_periodic(&split));
}

static void drop_name(struct name_table *table, const struct name *name)
{
	for (uint32_t use = name->last; use != NO_ENTRY;
	     use = table->before[use])
		table->sums[use / MAX_ELEMENT_NAMES] -= name->key;
}

/* The same after count_sums(). */
static void drop_counted(struct name_table *table, const struct items *list,
			 const struct name *name)
{
	for (uint32_t use = name->last; use != NO_ENTRY;
	     use = table->before[use]) {
		size_t i = use / MAX_ELEMENT_NAMES;
		const struct item *item = &list->items[i];
		struct sum_count *one = hash_table_find(
			&table->counts, sum_key(item, table->sums[i]));

		if (one != NULL)
			one->count--;
		table->sums[i] -= name->key;
		one = hash_table_add(&table->counts,
				     sum_key(item, table->sums[i]));
		one->count++;
	}
}

static int order_names(const void *left, const void *right)
{
	const struct name *a = left;
	const struct name *b = right;

	if (a->count != b->count)
		return a->count < b->count ? -1 : 1;
	/* of an element's names, the first one stays */
	return (a->last < b->last) - (a->last > b->last);
}

/* Set the groups of the items as group_of() does, from the kept names. */
static void set_groups(const struct learner *learner, const uint64_t *sums)
{
	for (size_t i = 0; i < learner->list.count; i++) {
		struct item *item = &learner->list.items[i];

		item->group = item->node == NO_NODE
				      ? key_of(learner->parent, KEY_RUN, 0, 0)
				      : key_of(learner->parent, KEY_GROUP,
					       sums[i], 0);
	}
}

/*
 * Stripes: two names that siblings have by turns, such as "altColor" and
 * "rowColor" of table rows. They only say where an element stands. Names of
 * pairs of siblings, such as "label" and "value", alternate too, but the number
 * of siblings is always even.
 */
struct stripe {
	uint64_t key;   /* a name */
	uint32_t runs;  /* siblings that have it and another one by turns */
	uint32_t odd;   /* runs with an odd number of siblings */
	uint32_t pairs; /* of neighbours that both have it */
};

/* Siblings that have two names by turns. */
struct stripe_run {
	uint64_t last;   /* name of the last sibling, */
	uint64_t other;  /* and of the one before */
	uint32_t length; /* 0: none */
};

static bool item_has_name(const struct item *item, uint64_t name)
{
	for (uint32_t i = 0; i < item->name_count; i++)
		if (item->names[i] == name)
			return true;
	return false;
}

/* Return the only name of `one` that `other` lacks; 0 if there is no such. */
static uint64_t own_name(const struct item *one, const struct item *other)
{
	uint64_t own = 0;

	for (uint32_t i = 0; i < one->name_count; i++) {
		if (item_has_name(other, one->names[i]))
			continue;
		if (own != 0)
			return 0;
		own = one->names[i];
	}
	return own;
}

static void stripe_run_end(struct hash_table *stripes, struct stripe_run *run)
{
	const uint64_t names[] = {run->last, run->other};

	for (size_t i = 0; i < 2 && run->length > 0; i++) {
		struct stripe *stripe = hash_table_add(stripes, names[i]);

		stripe->runs++;
		stripe->odd += run->length % 2;
	}
	*run = (struct stripe_run){0};
}

/* Extend the run by a sibling, or end it. */
static void stripe_run_add(struct hash_table *stripes, struct stripe_run *run,
			   const struct item *before, const struct item *item)
{
	uint64_t old = own_name(before, item);
	uint64_t new = own_name(item, before);

	if (old == 0 || new == 0 ||
	    (run->length > 0 && (old != run->last || new != run->other)))
		stripe_run_end(stripes, run);
	if (old == 0 || new == 0)
		return;
	run->length = run->length == 0 ? 2 : run->length + 1;
	run->last = new;
	run->other = old;
}

static void count_pairs(struct hash_table *stripes, const struct item *before,
			const struct item *item)
{
	for (uint32_t i = 0; i < item->name_count; i++) {
		struct stripe *stripe;

		if (!item_has_name(before, item->names[i]))
			continue;
		stripe = hash_table_add(stripes, item->names[i]);
		stripe->pairs++;
	}
}

/* Count the stripes of all children. O(names) hash operations. */
static struct hash_table learn_stripes(const struct learner *learner,
				       struct arena *arena)
{
	struct hash_table stripes =
		hash_table_make(arena, sizeof(struct stripe));
	struct stripe_run run = {0};
	const struct item *before = NULL;

	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		const struct page *page = page_of(learner, item->parent);

		if (item->node == NO_NODE)
			continue;
		if (before != NULL && before->parent == item->parent &&
		    page->nodes[before->node].tag ==
			    page->nodes[item->node].tag) {
			stripe_run_add(&stripes, &run, before, item);
			count_pairs(&stripes, before, item);
		} else {
			stripe_run_end(&stripes, &run);
		}
		before = item;
	}
	stripe_run_end(&stripes, &run);
	return stripes;
}

/* Return whether the name is one of a stripe. */
static bool is_stripe(const struct hash_table *stripes, const struct name *name)
{
	const struct stripe *stripe = hash_table_find(stripes, name->token);

	return stripe != NULL && stripe->odd >= 2 &&
	       stripe->odd * 5 >= stripe->runs &&
	       stripe->pairs * 20 <= stripe->runs;
}

/* Return whether the name is a value: few elements, or few pages have it. */
static bool is_rare(const struct learner *learner, const struct name *name)
{
	return name->count < min_pages(learner) ||
	       (name->is_id && name->count * 3 < learner->parent_pages);
}

/*
 * Keep the names that tell siblings apart, and set the groups of the items. The
 * other names are values, such as "category-fish", or are the same everywhere.
 * The rarest is dropped first. O(names of all items) hash operations.
 */
static void accept_names(struct learner *learner)
{
	struct arena *arena = arena_create();
	struct name_table table = learn_names(learner, arena);
	struct hash_table stripes = learn_stripes(learner, arena);
	uint32_t count = table.names.count;
	struct name *sorted = ARENA_NEW(arena, struct name, (size_t)count + 1);
	uint32_t first = count > MAX_NAMES ? count - MAX_NAMES : 0;

	if (count > 0)
		memcpy(sorted, table.names.entries, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), order_names);
	for (uint32_t i = 0; i < first; i++)
		drop_name(&table, &sorted[i]);
	count_sums(&table, &learner->list);
	for (uint32_t i = first; i < count; i++) {
		if (is_rare(learner, &sorted[i]) ||
		    is_stripe(&stripes, &sorted[i]) ||
		    !tells_apart(&table, learner->list.items, &sorted[i]) ||
		    learn_entry(learner, &learner->tree.tokens,
				sorted[i].key) == NULL)
			drop_counted(&table, &learner->list, &sorted[i]);
	}
	set_groups(learner, table.sums);
	arena_destroy(arena);
}

/* Labels */

static uint64_t own_key(const struct item *item)
{
	return key_of(item->group, KEY_LABEL, 1,
		      hash64(item->own.data, item->own.size, 0));
}

static uint64_t whole_key(const struct learner *learner,
			  const struct item *item)
{
	return key_of(learner->parent, KEY_LABEL,
		      hash64(item->whole.data, item->whole.size, 0),
		      item->group);
}

/* The keys of the counts of a group. */
enum group_count {
	GROUP_ITEMS = 10, /* its items */
	GROUP_OWN,        /* its items with an own label that is accepted */
	GROUP_BEFORE,     /* its items with a label in front */
};

static struct occurrence *group_count(struct learner *learner,
				      const struct item *item,
				      enum group_count kind)
{
	return count_key(learner, key_of(item->group, kind, 0, 0),
			 page_number(learner, item->parent), item->parent);
}

static void learn_labels(struct learner *learner)
{
	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		uint32_t number = page_number(learner, item->parent);

		group_count(learner, item, GROUP_ITEMS);
		if (item->own.size > 0)
			count_key(learner, own_key(item), number, item->parent);
		if (is_label(item->whole))
			count_key(learner, whole_key(learner, item), number,
				  item->parent);
	}
}

/* Return whether the text is on enough pages, and only once in a parent. */
static bool is_frequent(const struct learner *learner, uint64_t key)
{
	const struct occurrence *one = hash_table_find(&learner->counts, key);

	return one != NULL && one->pages >= min_pages(learner) &&
	       one->pages > 1 && one->repeated * 8 <= one->parents;
}

/* A label for what follows is on many pages, or has the form of a label. */
static bool is_frequent_before(const struct learner *learner,
			       const struct item *item)
{
	uint64_t key = whole_key(learner, item);
	const struct occurrence *one = hash_table_find(&learner->counts, key);
	const struct page *page = page_of(learner, item->parent);

	if (!is_label(item->whole) || !is_frequent(learner, key))
		return false;
	return colon_size(item->whole) == item->whole.size ||
	       one->pages * 3 >= learner->parent_pages ||
	       (item->node != NO_NODE &&
		is_label_tag(page->nodes[item->node].tag));
}

/* Call items_set_before() for the children of each element of the place. */
static void set_before(struct learner *learner)
{
	struct item *items = learner->list.items;
	size_t begin = 0;

	for (size_t i = 1; i <= learner->list.count; i++) {
		if (i < learner->list.count &&
		    items[i].parent == items[begin].parent)
			continue;
		items_set_before(items + begin, i - begin,
				 &learner->tree.labels, learner->parent);
		begin = i;
	}
}

/*
 * An own label ends with a colon or is on a third of the pages; otherwise it
 * may be a value.
 */
static bool is_own_label(const struct learner *learner, const struct item *item)
{
	uint64_t key = own_key(item);
	const struct occurrence *one = hash_table_find(&learner->counts, key);

	return item->own.size > 0 && is_frequent(learner, key) &&
	       (colon_size(item->own) == item->own.size ||
		one->pages * (item->is_marked ? 3 : 2) >=
			learner->parent_pages);
}

static void accept_labels(struct learner *learner)
{
	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];

		if (is_frequent_before(learner, item))
			learn_entry(learner, &learner->tree.labels,
				    whole_key(learner, item));
	}
	set_before(learner);
	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];

		if (is_own_label(learner, item))
			group_count(learner, item, GROUP_OWN);
		if (item->before.size > 0)
			group_count(learner, item, GROUP_BEFORE);
	}
}

static uint32_t count_of(const struct learner *learner, uint64_t group,
			 enum group_count kind)
{
	const struct occurrence *one =
		hash_table_find(&learner->counts, key_of(group, kind, 0, 0));

	return one == NULL ? 0 : one->count;
}

/* Decide how the items of a group are told apart. */
static enum label_mode group_mode(const struct learner *learner,
				  const struct item *item)
{
	const struct occurrence *all = hash_table_find(
		&learner->counts, key_of(item->group, GROUP_ITEMS, 0, 0));
	uint32_t least;

	if (all == NULL || all->repeated == 0 ||
	    all->repeated * MIN_SHARE < all->parents)
		return LABEL_NONE;
	least = all->count / 2;
	if (count_of(learner, item->group, GROUP_OWN) * 3 > all->count)
		return LABEL_OWN;
	if (item->node == NO_NODE)
		least = all->count / 4;
	if (count_of(learner, item->group, GROUP_BEFORE) > least)
		return LABEL_BEFORE;
	return LABEL_NONE;
}

/* Places */

/* Return how the siblings of the group are told apart; learn it. */
static uint32_t learn_mode(struct learner *learner, const struct item *item)
{
	struct hash_table *groups = &learner->tree.groups;
	struct group_entry *group = hash_table_find(groups, item->group);
	uint32_t mode;

	if (group != NULL)
		return group->mode;
	mode = group_mode(learner, item);
	group = learn_entry(learner, groups, item->group);
	if (group != NULL)
		group->mode = mode;
	return mode;
}

static uint64_t item_series_key(struct learner *learner,
				const struct item *item)
{
	uint32_t mode = learn_mode(learner, item);
	struct slice label = item_label(item, mode);

	if (mode == LABEL_OWN && label.size > 0 && !is_own_label(learner, item))
		label.size = 0;
	return label_key(item->group, label);
}

/* The keys of the counts of a series. */
enum { SERIES_ITEMS = 20, SERIES_NODES, SERIES_NTH };

static void learn_series(struct learner *learner)
{
	struct item *items = learner->list.items;
	size_t count = learner->list.count;

	for (size_t i = 0; i < count; i++) {
		const struct page *page = page_of(learner, items[i].parent);
		uint64_t key = item_series_key(learner, &items[i]);
		uint32_t number = page_number(learner, items[i].parent);
		uint32_t nth =
			count_key(learner, key_of(key, SERIES_ITEMS, 0, 0),
				  number, items[i].parent)
				->in_parent;

		if (nth <= MAX_PLACE_POSITIONS + 1)
			count_key(learner, key_of(key, SERIES_NTH, nth, 0),
				  number, items[i].parent);
		if (items[i].node != NO_NODE &&
		    page->nodes[items[i].node].end - items[i].node >
			    MAX_LEAF_NODES)
			count_key(learner, key_of(key, SERIES_NODES, 0, 0),
				  number, items[i].parent);
	}
}

static bool is_cell(const struct page *page, uint32_t node)
{
	return page->nodes[node].tag == TAG_td ||
	       page->nodes[node].tag == TAG_th;
}

/* Return the number of parents with at least `count` items of the series. */
static uint32_t parents_with(const struct learner *learner, uint64_t series,
			     uint32_t count)
{
	const struct occurrence *one = hash_table_find(
		&learner->counts, key_of(series, SERIES_NTH, count, 0));

	return one == NULL ? 0 : one->count;
}

/*
 * Return the number of siblings if it is constant and their position tells them
 * apart: runs, cells, and siblings without much inside. Otherwise return 0.
 */
static uint32_t series_positions(const struct learner *learner, uint64_t key,
				 const struct item *item)
{
	const struct occurrence *all = hash_table_find(
		&learner->counts, key_of(key, SERIES_ITEMS, 0, 0));
	const struct occurrence *big = hash_table_find(
		&learner->counts, key_of(key, SERIES_NODES, 0, 0));
	uint32_t positions;
	uint32_t more;
	uint32_t constant;

	if (all == NULL || all->repeated == 0)
		return 0;
	if (item->node == NO_NODE)
		return 4;
	positions = (all->count + all->parents / 2) / all->parents;
	if (positions < 2 || positions > MAX_PLACE_POSITIONS)
		return 0;
	more = parents_with(learner, key, positions + 1);
	constant = parents_with(learner, key, positions);
	constant = constant > more ? constant - more : 0;
	if (constant * 100 < all->parents * CONSTANT_SHARE)
		return 0;
	if (big != NULL && big->count * 2 > all->count &&
	    !is_cell(page_of(learner, item->parent), item->node))
		return 0;
	return positions;
}

/* Write the step for people, such as "span.price" or "#text". */
static struct slice step_text(struct learner *learner, const struct item *item)
{
	struct element_name tokens[MAX_ELEMENT_NAMES];
	const struct page *page = page_of(learner, item->parent);
	struct buffer text = {0};
	struct slice step;
	uint64_t tag;
	size_t count;

	if (item->node == NO_NODE)
		return slice_of("#text");
	tag = page_tag_hash(page, page->nodes[item->node].tag);
	count = element_names(page, item->node, tokens);
	buffer_append_slice(
		&text,
		utf8_truncate(page_tag_name(page, page->nodes[item->node].tag),
			      MAX_NAMES_BYTES));
	for (size_t i = 0; i < count; i++)
		if (text.size + tokens[i].size <= MAX_NAMES_BYTES &&
		    hash_table_find(&learner->tree.tokens,
				    key_of(learner->parent, KEY_TOKEN, tag,
					   tokens[i].hash)) != NULL)
			buffer_append(&text, tokens[i].text, tokens[i].size);
	step = arena_slice(learner->tree.arena, buffer_slice(&text));
	buffer_free(&text);
	return step;
}

/* Return the names of an element, with their signs, separated by blanks. */
static struct slice names_text(struct learner *learner, const struct item *item)
{
	struct element_name tokens[MAX_ELEMENT_NAMES];
	struct buffer text = {0};
	struct slice names;
	size_t count;

	if (item->node == NO_NODE)
		return (struct slice){0};
	count = element_names(page_of(learner, item->parent), item->node,
			      tokens);
	for (size_t i = 0; i < count; i++) {
		if (text.size + tokens[i].size >= MAX_NAMES_BYTES)
			break;
		if (i > 0)
			buffer_append_byte(&text, ' ');
		buffer_append(&text, tokens[i].text, tokens[i].size);
	}
	names = arena_slice(learner->tree.arena, buffer_slice(&text));
	buffer_free(&text);
	return names;
}

/* Return the place with this key; add it if it is missing. */
static uint32_t learn_place(struct learner *learner, uint64_t key,
			    const struct item *item)
{
	struct place_tree *tree = &learner->tree;
	struct place *place = hash_table_find(&tree->places, key);
	const struct place *parent;

	if (place != NULL)
		return hash_table_index(&tree->places, place);
	parent = place_at(tree, learner->parent_index);
	if (tree->places.count >= MAX_PLACES ||
	    parent->depth >= MAX_PLACE_DEPTH)
		return NO_PLACE;
	place = hash_table_add(&tree->places, key);
	if (hash_table_index(&tree->places, place) == NO_ENTRY)
		return NO_PLACE;
	place->parent = learner->parent_index;
	place->depth =
		(uint16_t)(place_at(tree, learner->parent_index)->depth + 1);
	place->is_run = item->node == NO_NODE;
	place->step = step_text(learner, item);
	place->names = names_text(learner, item);
	return hash_table_index(&tree->places, place);
}

/*
 * Return the series of an item; add it if it is missing. Return NULL if a table
 * is full.
 */
static struct series_entry *learn_series_entry(struct learner *learner,
					       const struct item *item)
{
	struct place_tree *tree = &learner->tree;
	uint64_t key = item_series_key(learner, item);
	struct series_entry *series = hash_table_find(&tree->series, key);
	uint32_t positions;

	if (series != NULL ||
	    hash_table_find(&tree->groups, item->group) == NULL)
		return series;
	positions = series_positions(learner, key, item);
	series = learn_entry(learner, &tree->series, key);
	if (series == NULL)
		return NULL;
	series->positions = positions;
	series->place =
		positions > 0 ? NO_PLACE : learn_place(learner, key, item);
	return series;
}

static void place_count(struct learner *learner, uint32_t index,
			const struct item *item)
{
	struct place *place = place_at(&learner->tree, index);
	struct instances *instances = &learner->instances[index];
	uint32_t page = page_number(learner, item->parent);

	place->elements++;
	if (learner->elements_left[page] == 0)
		return;
	learner->elements_left[page]--;
	if (instances->count == 0 ||
	    instances->items[instances->count - 1].page != page)
		place->pages++;
	instances->items =
		mem_grow(instances->items, instances->count,
			 &instances->capacity, sizeof(*instances->items));
	instances->items[instances->count++] =
		(struct instance){page, item->node};
}

/* Return whether nearly all items of the group have the same own label. */
static bool is_constant(const struct learner *learner, const struct item *item)
{
	const struct occurrence *own =
		hash_table_find(&learner->counts, own_key(item));
	const struct occurrence *all = hash_table_find(
		&learner->counts, key_of(item->group, GROUP_ITEMS, 0, 0));

	return own != NULL && all != NULL &&
	       (uint64_t)own->count * 100 >=
		       (uint64_t)all->count * CONSTANT_SHARE;
}

/*
 * Return the label of an item for people: the one that tells it from its
 * siblings, or the constant text that it begins with, or that is in front.
 */
static struct slice shown_label(struct learner *learner,
				const struct item *item)
{
	const struct group_entry *group =
		hash_table_find(&learner->tree.groups, item->group);
	struct slice label = item_label(item, group->mode);

	if (label.size > 0 || group->mode != LABEL_NONE)
		return label;
	if (item->own.size > 0 && is_constant(learner, item))
		return item->own;
	return item->is_next ? item->before : label;
}

/* Return the place of an item whose series has positions, or NO_PLACE. */
static uint32_t learn_position(struct learner *learner,
			       struct series_entry *series,
			       struct series_counts *counts,
			       const struct item *item)
{
	struct place_tree *tree = &learner->tree;
	uint32_t position;
	uint32_t index;

	counts->parent = item->parent;
	position = series_next(counts, hash_table_index(&tree->series, series));
	if (position >= series->positions)
		return NO_PLACE;
	index = learn_place(learner, position_key(series->key, position), item);
	if (position == 0)
		series->place = index;
	if (index == NO_PLACE || series->place == NO_PLACE)
		return NO_PLACE;
	place_at(tree, index)->position = position;
	place_at(tree, index)->positions = series->positions;
	place_at(tree, index)->first = series->place;
	return index;
}

/* Add the children of the current place as places. */
static void learn_children(struct learner *learner,
			   struct series_counts *counts)
{
	struct place_tree *tree = &learner->tree;

	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		struct series_entry *series = learn_series_entry(learner, item);
		struct place *place;
		uint32_t index;

		if (series == NULL)
			continue;
		index = series->positions == 0
				? series->place
				: learn_position(learner, series, counts, item);
		if (index == NO_PLACE)
			continue;
		learner->list.items[i].place = index;
		place = place_at(tree, index);
		if (place->elements == 0)
			place->label = arena_slice(tree->arena,
						   shown_label(learner, item));
		place_count(learner, index, item);
	}
}

static uint64_t usual_key(const struct place *place, uint64_t name)
{
	return hash_chain(name, place->key);
}

static void place_add_usual(struct learner *learner, struct place *place,
			    uint64_t name)
{
	const struct occurrence *one =
		hash_table_find(&learner->counts, usual_key(place, name));

	if (one == NULL || (uint64_t)one->count * 100 <
				   (uint64_t)place->elements * USUAL_SHARE)
		return;
	for (uint32_t u = 0; u < place->usual_count; u++)
		if (place->usual[u] == name)
			return;
	if (place->usual_count < MAX_USUAL_NAMES)
		place->usual[place->usual_count++] = name;
}

/* Set the names that nearly all elements of a place have. */
static void learn_usual(struct learner *learner)
{
	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		struct place *place;

		if (item->place == NO_PLACE)
			continue;
		place = place_at(&learner->tree, item->place);
		place->named += item->name_count > 0;
		for (uint32_t n = 0; n < item->name_count; n++)
			count_key(learner, usual_key(place, item->names[n]),
				  page_number(learner, item->parent),
				  item->parent);
	}
	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		struct place *place;

		if (item->place == NO_PLACE)
			continue;
		place = place_at(&learner->tree, item->place);
		place->is_bare = place->named == 0 &&
				 place->elements >= MIN_BARE_ELEMENTS;
		for (uint32_t n = 0; n < item->name_count; n++)
			place_add_usual(learner, place, item->names[n]);
	}
}

static void learn_is_repeated(struct learner *learner)
{
	struct place_tree *tree = &learner->tree;

	for (size_t i = 0; i < learner->list.count; i++) {
		const struct item *item = &learner->list.items[i];
		const struct series_entry *series = item_series(tree, item);
		const struct occurrence *all;
		struct place *place;

		if (series == NULL || series->positions > 0 ||
		    series->place == NO_PLACE)
			continue;
		all = hash_table_find(&learner->counts,
				      key_of(series->key, SERIES_ITEMS, 0, 0));
		if (all == NULL)
			continue;
		place = place_at(tree, series->place);
		place->is_repeated = all->repeated > 0;
		place->parents = all->parents;
		place->repeated = all->repeated;
	}
}

/*
 * List the children of all elements of the current place. Each page has an
 * equal share of the items that are left.
 */
static void learn_items(struct learner *learner)
{
	const struct instances *instances =
		&learner->instances[learner->parent_index];
	struct items *list = &learner->list;
	size_t pages_left = learner->parent_pages;
	size_t limit = 0;

	list->count = 0;
	for (size_t i = 0; i < instances->count; i++) {
		const struct instance *element = &instances->items[i];
		size_t begin = list->count;
		size_t most = begin + MAX_CHILDREN;

		if (i == 0 || element[-1].page != element->page) {
			limit = share_of(begin, MAX_ITEMS, pages_left);
			pages_left -= pages_left > 1;
		}
		items_of(list, learner->scratch, learner->pages[element->page],
			 element->node, most < limit ? most : limit);
		for (size_t k = begin; k < list->count; k++)
			list->items[k].parent = (uint32_t)i;
	}
}

/* Learn the children of one place. */
static void learn_one(struct learner *learner, uint32_t index)
{
	struct instances *instances = &learner->instances[index];
	struct arena *scratch = arena_create();
	struct series_counts counts = {.first = learner->tree.series.count};

	learner->parent_index = index;
	learner->parent = place_at(&learner->tree, index)->key;
	learner->parent_pages = place_at(&learner->tree, index)->pages;
	learner->scratch = scratch;
	learner->counts = hash_table_make(scratch, sizeof(struct occurrence));
	learn_items(learner);
	accept_names(learner);
	learn_labels(learner);
	accept_labels(learner);
	learn_series(learner);
	counts.parents = filled(scratch, (uint32_t)learner->list.count);
	counts.next = filled(scratch, (uint32_t)learner->list.count);
	learn_children(learner, &counts);
	learn_usual(learner);
	learn_is_repeated(learner);
	arena_destroy(scratch);
	name_cache_trim(&learner->names);
	free(instances->items);
	*instances = (struct instances){0};
}

/* Make the place of the root elements. */
static void learn_root(struct learner *learner, uint32_t count)
{
	struct place *root = hash_table_add(&learner->tree.places, ROOT_KEY);
	struct instances *elements = &learner->instances[0];

	for (uint32_t i = 0; i < count; i++) {
		learner->elements_left[i] = MAX_ELEMENTS / count;
		if (learner->pages[i]->node_count == 0 ||
		    learner->pages[i]->is_truncated)
			continue;
		elements->items =
			mem_grow(elements->items, elements->count,
				 &elements->capacity, sizeof(*elements->items));
		elements->items[elements->count++] = (struct instance){i, 0};
	}
	root->parent = NO_PLACE;
	root->step = slice_of("html");
	root->pages = (uint32_t)elements->count;
	root->elements = root->pages;
}

struct place_tree place_tree_learn(struct arena *arena,
				   const struct page *const *pages,
				   uint32_t count)
{
	struct learner learner = {
		.tree = place_tree_make(arena),
		.pages = pages,
		.instances = mem_alloc(MAX_PLACES, sizeof(struct instances)),
		.elements_left = mem_alloc(count, sizeof(uint32_t)),
		.names = name_cache_make(),
	};

	learner.tree.page_count = count;
	learn_root(&learner, count);
	for (uint32_t i = 0; i < learner.tree.places.count; i++)
		if (learner.instances[i].count > 0 &&
		    !place_at(&learner.tree, i)->is_run)
			learn_one(&learner, i);
	for (uint32_t i = 0; i < MAX_PLACES; i++)
		free(learner.instances[i].items);
	free(learner.instances);
	free(learner.elements_left);
	free(learner.list.items);
	name_cache_free(&learner.names);
	loose_places_learn(&learner.tree, pages, count);
	return learner.tree;
}

struct place_tree place_tree_make(struct arena *arena)
{
	return (struct place_tree){
		.arena = arena,
		.places = hash_table_make(arena, sizeof(struct place)),
		.tokens = hash_table_make(arena, sizeof(struct child_key)),
		.labels = hash_table_make(arena, sizeof(struct child_key)),
		.groups = hash_table_make(arena, sizeof(struct group_entry)),
		.series = hash_table_make(arena, sizeof(struct series_entry)),
	};
}

/* Copy the entries whose parent is kept; all begin with key and parent. */
static void prune_table(struct hash_table *out, const struct hash_table *table,
			const uint32_t *numbers)
{
	for (uint32_t i = 0; i < table->count; i++) {
		const struct child_key *entry = hash_table_entry(table, i);
		struct child_key *copy;

		if (numbers[entry->parent] == NO_PLACE)
			continue;
		copy = hash_table_add(out, entry->key);
		memcpy(copy, entry, table->entry_bytes);
		copy->parent = numbers[entry->parent];
	}
}

/* Translate the places of the series, which may have been left out. */
static void prune_series(struct place_tree *out, const uint32_t *numbers)
{
	for (uint32_t i = 0; i < out->series.count; i++) {
		struct series_entry *series = hash_table_entry(&out->series, i);

		if (series->place != NO_PLACE)
			series->place = numbers[series->place];
	}
}

struct place_tree place_tree_prune(struct arena *arena,
				   const struct place_tree *tree,
				   const bool *is_kept, uint32_t *numbers_out)
{
	struct place_tree out = place_tree_make(arena);

	out.page_count = tree->page_count;
	for (uint32_t i = 0; i < tree->places.count; i++) {
		const struct place *place = place_at(tree, i);
		struct place *copy;

		numbers_out[i] = NO_PLACE;
		if (!is_kept[i] ||
		    (i > 0 && numbers_out[place->parent] == NO_PLACE))
			continue;
		copy = hash_table_add(&out.places, place->key);
		numbers_out[i] = hash_table_index(&out.places, copy);
		if (numbers_out[i] == NO_ENTRY)
			continue; /* NO_ENTRY is NO_PLACE */
		*copy = *place;
		copy->step = arena_slice(arena, place->step);
		copy->names = arena_slice(arena, place->names);
		copy->label = arena_slice(arena, place->label);
		copy->parent = i == 0 ? NO_PLACE : numbers_out[place->parent];
		out.loose_count += copy->is_loose;
		copy->first =
			place->positions > 0 ? numbers_out[place->first] : 0;
		if (copy->first == NO_PLACE)
			copy->first = numbers_out[i];
	}
	prune_table(&out.tokens, &tree->tokens, numbers_out);
	prune_table(&out.labels, &tree->labels, numbers_out);
	prune_table(&out.groups, &tree->groups, numbers_out);
	prune_table(&out.series, &tree->series, numbers_out);
	prune_series(&out, numbers_out);
	return out;
}
