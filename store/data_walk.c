#include "store/data_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	BRANCH = 0x01,
	LEAF = 0x02,
	OVERFLOW = 0x04,
	BIG_DATA = 0x01, /* flags of a node: the value has separate pages */
	SUB_DATA = 0x02, /* the value is a table */
	NODE_HEAD_BYTES = 8,
	INTEGER_KEYS = 0x08, /* flags of a table */
	NO_FOLDER = 0x4000, /* flag of the table of free pages: an option of the
			       file */
	MAX_DEPTH = 32,
	MAX_TREES = 64,
	MAX_NAME_BYTES = 64,
	MAX_KEY_BYTES = 511,
	/*
	 * Maximum ratio of the pages in the meta page to the pages of the file;
	 * a complete store is only a few pages short.
	 */
	MAX_SPARSE = 64,
	BITS = 8,
};

/* A page on the path to the current node, and the position in it. */
struct lmdb_level {
	unsigned char bytes[LMDB_MAX_PAGE_BYTES];
	uint64_t page;
	struct slice low;
	struct slice high;
	size_t count; /* number of nodes */
	size_t next;
};

struct lmdb_node {
	struct slice key;
	const unsigned char *value;
	uint64_t child; /* child page, in a branch */
	uint32_t size;  /* size of the value */
	uint16_t flags;
};

struct named_tree {
	char name[MAX_NAME_BYTES];
	struct lmdb_tree tree;
};

/* A walk over one tree at a time. */
struct lmdb_walk {
	const struct lmdb_file *data;
	const struct lmdb_visitor *visitor;
	const char *table;
	const struct lmdb_tree *tree;
	struct lmdb_tree found;    /* pages and rows counted so far */
	struct lmdb_level *levels; /* [MAX_DEPTH] */
	unsigned char *seen;       /* one bit per page */
	struct buffer value;       /* a value from separate pages */
	uint64_t page_count;       /* from the meta page */
	struct named_tree *trees;  /* [tree_count], the tables in "main" */
	size_t tree_count;
	bool is_roots_only;
	bool is_damaged; /* the current tree is damaged */
	bool is_stopped;
};

static uint16_t u16_at(const unsigned char *bytes)
{
	uint16_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

static uint64_t u64_at(const unsigned char *bytes)
{
	uint64_t number;

	memcpy(&number, bytes, sizeof(number));
	return number;
}

static void lmdb_walk_report(struct lmdb_walk *walk, uint64_t page,
			     struct slice low, struct slice high,
			     const char *what)
{
	struct lmdb_damage damage = {walk->table, page, what, low, high};

	walk->is_damaged = true;
	walk->visitor->damage(walk->visitor->context, &damage);
}

static const char *const no_such_page =
	"the page does not exist, or is used twice";
static const char *const behind_end =
	"it is after the end of the file, or unreadable";

/*
 * Mark the page as used; return false if it is used already or does not exist.
 */
static bool lmdb_walk_mark_page(struct lmdb_walk *walk, uint64_t page)
{
	unsigned char bit = (unsigned char)(1U << page % BITS);

	if (page < 2 || page >= walk->page_count ||
	    (walk->seen[page / BITS] & bit) != 0)
		return false;
	walk->seen[page / BITS] |= bit;
	return true;
}

/*
 * Read node `i`; the nodes before it have been checked. Return false if it is
 * not inside the page.
 */
static bool lmdb_read_node(const struct lmdb_walk *walk,
			   const struct lmdb_level *level, size_t i,
			   struct lmdb_node *out)
{
	size_t end = walk->data->page_bytes;
	const unsigned char *page = level->bytes;
	size_t at = u16_at(page + LMDB_PAGE_HEAD_BYTES + 2 * i);
	const unsigned char *head = page + at;
	size_t key_bytes;

	if (at % 2 != 0 || at < u16_at(page + 14) || at > end - NODE_HEAD_BYTES)
		return false;
	key_bytes = u16_at(head + 6);
	out->flags = u16_at(head + 4);
	out->size = u16_at(head) | (uint32_t)u16_at(head + 2) << 16;
	out->child = out->size | (uint64_t)out->flags << 32;
	out->key = (struct slice){head + NODE_HEAD_BYTES, key_bytes};
	out->value = head + NODE_HEAD_BYTES + key_bytes;
	return key_bytes <= MAX_KEY_BYTES &&
	       at + NODE_HEAD_BYTES + key_bytes <= end;
}

/* Return the size of the node in its page. */
static size_t size_of_node(const struct lmdb_node *node, bool is_leaf)
{
	size_t size = NODE_HEAD_BYTES + node->key.size;

	if (is_leaf)
		size += (node->flags & BIG_DATA) != 0 ? sizeof(uint64_t)
						      : node->size;
	return size + size % 2;
}

static int lmdb_compare_keys(const struct lmdb_walk *walk, struct slice a,
			     struct slice b)
{
	size_t size = a.size < b.size ? a.size : b.size;
	int order;

	if ((walk->tree->flags & INTEGER_KEYS) != 0 && a.size == b.size &&
	    a.size == sizeof(uint64_t)) {
		uint64_t x = u64_at(a.data);
		uint64_t y = u64_at(b.data);

		return (x > y) - (x < y);
	}
	order = size == 0 ? 0 : memcmp(a.data, b.data, size);
	return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/*
 * Return whether the key is above the previous one and between the keys of the
 * parent.
 */
static bool is_in_order(const struct lmdb_walk *walk,
			const struct lmdb_level *level, struct slice before,
			struct slice key)
{
	if (before.data != NULL && lmdb_compare_keys(walk, before, key) >= 0)
		return false;
	if (level->low.size > 0 && lmdb_compare_keys(walk, level->low, key) > 0)
		return false;
	return level->high.size == 0 ||
	       lmdb_compare_keys(walk, key, level->high) < 0;
}

static bool is_leaf_node(const struct lmdb_node *node, size_t room)
{
	return (node->flags & ~(BIG_DATA | SUB_DATA)) == 0 &&
	       node->key.size > 0 &&
	       ((node->flags & BIG_DATA) != 0 ? room >= sizeof(uint64_t)
					      : room >= node->size);
}

/* Return the error in the nodes, or NULL. */
static const char *lmdb_check_nodes(const struct lmdb_walk *walk,
				    const struct lmdb_level *level,
				    bool is_leaf)
{
	size_t end = walk->data->page_bytes;
	size_t total = 0;
	struct slice before = {0};
	struct lmdb_node node;

	for (size_t i = 0; i < level->count; i++) {
		if (!lmdb_read_node(walk, level, i, &node))
			return "a row extends beyond it";
		if (is_leaf && !is_leaf_node(&node, (size_t)(level->bytes +
							     end - node.value)))
			return "a row is damaged";
		/* the first key of a branch is empty: from the lowest */
		if ((is_leaf || i > 0) &&
		    !is_in_order(walk, level, before, node.key))
			return "its keys are not in order";
		if (is_leaf || i > 0)
			before = node.key;
		total += size_of_node(&node, is_leaf);
	}
	return total == end - u16_at(level->bytes + 14)
		       ? NULL
		       : "its rows do not fill it";
}

/* Return the error in the page of a tree, or NULL. */
static const char *lmdb_check_page(const struct lmdb_walk *walk,
				   struct lmdb_level *level, size_t depth)
{
	bool is_leaf = depth + 1 == walk->tree->depth;
	const unsigned char *bytes = level->bytes;
	size_t lower = u16_at(bytes + 12);
	size_t upper = u16_at(bytes + 14);

	if (u64_at(bytes) != level->page)
		return "it has the number of another page";
	if (u16_at(bytes + 10) != (is_leaf ? LEAF : BRANCH) ||
	    u16_at(bytes + 8) != 0)
		return "it is a page of another kind";
	if (lower < LMDB_PAGE_HEAD_BYTES || lower % 2 != 0 || lower > upper ||
	    upper > walk->data->page_bytes)
		return "its head is damaged";
	level->count = (lower - LMDB_PAGE_HEAD_BYTES) / 2;
	if (level->count == 0)
		return "it is empty";
	return lmdb_check_nodes(walk, level, is_leaf);
}

/* Read the page into the level `depth`, whose bounds are set. */
static bool lmdb_walk_enter(struct lmdb_walk *walk, size_t depth, uint64_t page)
{
	struct lmdb_level *level = &walk->levels[depth];
	const char *what;

	level->page = page;
	level->next = 0;
	level->count = 0;
	if (!lmdb_walk_mark_page(walk, page))
		what = no_such_page;
	else if (!lmdb_file_read(walk->data, page, 0, level->bytes,
				 walk->data->page_bytes))
		what = behind_end;
	else
		what = lmdb_check_page(walk, level, depth);
	if (what == NULL)
		return true;
	level->count = 0;
	lmdb_walk_report(walk, page, level->low, level->high, what);
	return false;
}

/*
 * Return the error in the separate pages of a value, or NULL. There may be more
 * than `needed`: LMDB may overwrite a larger value with a smaller one.
 */
static const char *lmdb_check_overflow(struct lmdb_walk *walk, uint64_t page,
				       uint64_t needed)
{
	unsigned char head[LMDB_PAGE_HEAD_BYTES];
	uint32_t pages;

	if (page < 2 || page >= walk->page_count)
		return no_such_page;
	if (needed > walk->data->bytes / walk->data->page_bytes ||
	    !lmdb_file_read(walk->data, page, 0, head, sizeof(head)))
		return behind_end;
	memcpy(&pages, head + 12, sizeof(pages));
	if (u64_at(head) != page || u16_at(head + 8) != 0 ||
	    u16_at(head + 10) != OVERFLOW || pages < needed)
		return "its head is damaged";
	for (uint64_t i = 0; i < pages; i++)
		if (!lmdb_walk_mark_page(walk, page + i))
			return no_such_page;
	walk->found.overflow_pages += pages;
	return NULL;
}

/* Read the value to walk->value; its damage affects only its row. */
static bool read_overflow(struct lmdb_walk *walk, const struct lmdb_node *node)
{
	uint64_t page = u64_at(node->value);
	uint64_t size = walk->data->page_bytes;
	uint64_t needed = (LMDB_PAGE_HEAD_BYTES + node->size + size - 1) / size;
	const char *what = lmdb_check_overflow(walk, page, needed);

	buffer_clear(&walk->value);
	if (what == NULL &&
	    !lmdb_file_read(walk->data, page, LMDB_PAGE_HEAD_BYTES,
			    buffer_reserve(&walk->value, node->size),
			    node->size))
		what = behind_end;
	if (what != NULL) {
		lmdb_walk_report(walk, page, node->key, node->key, what);
		return false;
	}
	walk->value.size += node->size;
	return true;
}

/*
 * Mark the pages in a row of "free": the freed pages of a transaction, after
 * their number.
 */
static bool mark_free(struct lmdb_walk *walk, struct slice key,
		      struct slice value)
{
	const unsigned char *bytes = value.data;
	uint64_t count = value.size / sizeof(count);

	if (key.size != sizeof(count) ||
	    u64_at(key.data) > walk->data->meta.transaction || count == 0 ||
	    u64_at(bytes) >= count)
		return false;
	count = u64_at(bytes);
	for (uint64_t i = 1; i <= count; i++)
		if (!lmdb_walk_mark_page(walk,
					 u64_at(bytes + i * sizeof(count))))
			return false;
	return true;
}

/* Add the table in a row of "main". */
static bool lmdb_walk_add_tree(struct lmdb_walk *walk,
			       const struct lmdb_node *node, struct slice value)
{
	struct named_tree *named = &walk->trees[walk->tree_count];

	if ((node->flags & SUB_DATA) == 0 ||
	    value.size != sizeof(named->tree) ||
	    node->key.size >= MAX_NAME_BYTES || walk->tree_count == MAX_TREES)
		return false;
	memcpy(named->name, node->key.data, node->key.size);
	memcpy(&named->tree, value.data, value.size);
	walk->tree_count++;
	return true;
}

static const char name_of_free[] = "free";
static const char name_of_main[] = "main";

static void lmdb_walk_visit_row(struct lmdb_walk *walk,
				const struct lmdb_level *level, size_t i)
{
	struct slice value;
	struct lmdb_node node = {0};

	if (!lmdb_read_node(walk, level, i, &node))
		return; /* already reported */
	walk->found.rows++;
	value = (struct slice){node.value, node.size};
	if ((node.flags & BIG_DATA) != 0) {
		if (!read_overflow(walk, &node))
			return;
		value = buffer_slice(&walk->value);
	}
	if (walk->table == name_of_free) {
		if (!mark_free(walk, node.key, value))
			lmdb_walk_report(walk, level->page, node.key, node.key,
					 "its list of free pages is damaged");
	} else if (walk->table == name_of_main) {
		if (!lmdb_walk_add_tree(walk, &node, value))
			lmdb_walk_report(walk, level->page, node.key, node.key,
					 "a row is no table");
	} else if ((node.flags & SUB_DATA) != 0) {
		lmdb_walk_report(walk, level->page, node.key, node.key,
				 "a row is a table");
	} else if (walk->visitor->row != NULL) {
		walk->is_stopped = !walk->visitor->row(
			walk->visitor->context, walk->table, node.key, value);
	}
}

/* Set the bounds of the next child of the level, and return its page. */
static uint64_t begin_child(const struct lmdb_walk *walk,
			    struct lmdb_level *level, struct lmdb_level *child)
{
	struct lmdb_node node = {0};
	struct lmdb_node after = {0};

	lmdb_read_node(walk, level, level->next, &node);
	child->low = level->next == 0 ? level->low : node.key;
	child->high = level->high;
	if (++level->next < level->count) {
		lmdb_read_node(walk, level, level->next, &after);
		child->high = after.key;
	}
	return node.child;
}

static void walk_pages(struct lmdb_walk *walk)
{
	size_t depth = 0;

	walk->levels[0].low = (struct slice){0};
	walk->levels[0].high = (struct slice){0};
	lmdb_walk_enter(walk, 0, walk->tree->root);
	if (walk->is_roots_only && walk->table != name_of_main)
		return;
	for (;;) {
		struct lmdb_level *level = &walk->levels[depth];
		bool is_leaf = depth + 1 == walk->tree->depth;

		if (level->next == 0 && level->count > 0) {
			walk->found.leaf_pages += is_leaf;
			walk->found.branch_pages += !is_leaf;
		}
		for (; is_leaf && level->next < level->count; level->next++) {
			lmdb_walk_visit_row(walk, level, level->next);
			if (walk->is_stopped)
				return;
		}
		if (level->next < level->count) {
			struct lmdb_level *child = &walk->levels[++depth];
			uint64_t page = begin_child(walk, level, child);

			lmdb_walk_enter(walk, depth, page);
		} else if (depth-- == 0) {
			return;
		}
	}
}

static bool is_counted(const struct lmdb_walk *walk)
{
	const struct lmdb_tree *tree = walk->tree;
	const struct lmdb_tree *found = &walk->found;

	return tree->branch_pages == found->branch_pages &&
	       tree->leaf_pages == found->leaf_pages &&
	       tree->overflow_pages == found->overflow_pages &&
	       tree->rows == found->rows;
}

static void walk_tree(struct lmdb_walk *walk, const char *name,
		      const struct lmdb_tree *tree)
{
	bool is_whole = !walk->is_roots_only || name == name_of_main;
	bool is_ours = name != name_of_main && name != name_of_free;

	walk->table = name;
	walk->tree = tree;
	walk->found = (struct lmdb_tree){0};
	walk->is_damaged = false;
	if ((tree->flags & ~(INTEGER_KEYS | NO_FOLDER)) != 0 ||
	    (is_ours && (tree->flags != 0 || tree->page_bytes != 0)) ||
	    (name == name_of_free && (tree->flags & INTEGER_KEYS) == 0) ||
	    tree->depth > MAX_DEPTH ||
	    (tree->depth == 0) != (tree->root == LMDB_NO_PAGE)) {
		lmdb_walk_report(walk, tree->root, (struct slice){0},
				 (struct slice){0},
				 "LMDB's description of the table is damaged");
		return;
	}
	if (tree->depth > 0)
		walk_pages(walk);
	if (is_whole && !walk->is_damaged && !walk->is_stopped &&
	    !is_counted(walk))
		lmdb_walk_report(walk, tree->root, (struct slice){0},
				 (struct slice){0},
				 "the table has a different number of pages or "
				 "rows than "
				 "it counts");
}

static enum error lmdb_walk_run(const struct lmdb_file *data,
				const struct lmdb_visitor *visitor,
				bool is_roots_only)
{
	struct lmdb_walk walk = {
		.data = data,
		.visitor = visitor,
		.page_count = data->meta.last_page + 1,
		.is_roots_only = is_roots_only,
	};
	bool is_stopped;

	if (data->meta.last_page / MAX_SPARSE >
	    data->bytes / data->page_bytes) {
		walk.table = name_of_main;
		lmdb_walk_report(&walk, data->meta.last_page, (struct slice){0},
				 (struct slice){0}, behind_end);
		return ERR_NONE;
	}
	walk.levels = mem_alloc(MAX_DEPTH, sizeof(*walk.levels));
	walk.trees = mem_alloc(MAX_TREES, sizeof(*walk.trees));
	walk.seen = mem_alloc(walk.page_count / BITS + 1, 1);
	walk_tree(&walk, name_of_main, &data->meta.main);
	for (size_t i = 0; i < walk.tree_count && !walk.is_stopped; i++)
		walk_tree(&walk, walk.trees[i].name, &walk.trees[i].tree);
	if (!walk.is_stopped)
		walk_tree(&walk, name_of_free, &data->meta.free);
	is_stopped = walk.is_stopped;
	buffer_free(&walk.value);
	free(walk.seen);
	free(walk.trees);
	free(walk.levels);
	return is_stopped ? ERR_STOPPED : ERR_NONE;
}

enum error lmdb_file_walk(const struct lmdb_file *data,
			  const struct lmdb_visitor *visitor)
{
	return lmdb_walk_run(data, visitor, false);
}

enum error lmdb_file_walk_roots(const struct lmdb_file *data,
				const struct lmdb_visitor *visitor)
{
	return lmdb_walk_run(data, visitor, true);
}
