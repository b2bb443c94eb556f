#include "store/lmdb_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "store/store.h"

enum {
	META_PAGES = 2,
	META_FLAG = 0x08,
	VERSION = 1,
	MIN_PAGE_BYTES = 512,
	USUAL_PAGE_BYTES = 4096,
	/*
	 * maximum reads of the meta pages while the daemon may be writing one
	 * of them
	 */
	MAX_READS = 8,
};

static const uint32_t magic = 0xbeefc0de;

/* The common head of all pages of the file. */
struct page_head {
	uint64_t number;
	uint16_t pad;
	uint16_t flags;
	uint32_t rest;
};

struct meta_page {
	struct page_head head;
	struct lmdb_meta meta;
};

_Static_assert(sizeof(struct page_head) == LMDB_PAGE_HEAD_BYTES, "LMDB's");
_Static_assert(sizeof(struct lmdb_tree) == 48, "LMDB's");
_Static_assert(sizeof(struct lmdb_meta) == 136, "LMDB's");

static bool file_read_at(int file, void *out, size_t size, uint64_t offset)
{
	char *to = out;

	while (size > 0) {
		ssize_t got = pread(file, to, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
		offset += (uint64_t)got;
	}
	return true;
}

/*
 * Read `size` bytes from `offset` of page number `page`. Return false if the
 * file is too short.
 */
static bool lmdb_file_read(const struct lmdb_file *data, uint64_t page,
			   size_t offset, void *out, size_t size)
{
	if (page > (uint64_t)INT64_MAX / data->page_bytes - 1 ||
	    size > (uint64_t)INT64_MAX / 2)
		return false;
	return file_read_at(data->file, out, size,
			    page * data->page_bytes + offset);
}

static bool is_page_size(uint32_t bytes)
{
	return bytes >= MIN_PAGE_BYTES && bytes <= LMDB_MAX_PAGE_BYTES &&
	       (bytes & (bytes - 1)) == 0;
}

/*
 * Read the meta pages. Return their number, at most 2. The size of a page,
 * which is stored in the first one, is needed to find the second one.
 */
static size_t meta_pages_read(struct lmdb_file *data,
			      struct meta_page pages[META_PAGES])
{
	data->page_bytes = MIN_PAGE_BYTES;
	if (!lmdb_file_read(data, 0, 0, &pages[0], sizeof(pages[0])))
		return 0;
	data->page_bytes = is_page_size(pages[0].meta.free.page_bytes)
				   ? pages[0].meta.free.page_bytes
				   : USUAL_PAGE_BYTES;
	return lmdb_file_read(data, 1, 0, &pages[1], sizeof(pages[1])) ? 2 : 1;
}

/*
 * Read the meta pages again and again until two reads are equal. Then no
 * process has written to them meanwhile.
 */
static size_t read_steady_pages(struct lmdb_file *data,
				struct meta_page pages[META_PAGES])
{
	struct meta_page again[META_PAGES] = {0};
	size_t count = meta_pages_read(data, pages);

	for (int i = 0; i < MAX_READS; i++) {
		if (meta_pages_read(data, again) == count &&
		    memcmp(pages, again, sizeof(again)) == 0)
			break;
		memcpy(pages, again, sizeof(again));
	}
	return count;
}

/* Return why the meta page is invalid; NULL if it is valid. */
static const char *meta_page_check(const struct meta_page *page, uint64_t index,
				   uint32_t page_bytes)
{
	const struct lmdb_meta *meta = &page->meta;

	if ((page->head.flags & META_FLAG) == 0 || meta->magic != magic)
		return "is not a page of LMDB";
	if (meta->version != VERSION)
		return "belongs to another version of LMDB";
	if (page->head.number != index || !is_page_size(page_bytes) ||
	    meta->free.page_bytes != page_bytes ||
	    meta->last_page < META_PAGES - 1 ||
	    meta->last_page >= meta->map_bytes / page_bytes ||
	    (meta->transaction % META_PAGES != index && meta->transaction != 0))
		return "is damaged";
	return NULL;
}

static enum error read_metas(struct lmdb_file *data, struct buffer *why)
{
	struct meta_page pages[META_PAGES] = {0};
	size_t count = read_steady_pages(data, pages);
	uint64_t a = pages[0].meta.transaction;
	uint64_t b = pages[1].meta.transaction;

	for (uint64_t i = 0; i < META_PAGES; i++) {
		const struct lmdb_meta *meta = &pages[i].meta;
		const char *what = i < count ? meta_page_check(&pages[i], i,
							       data->page_bytes)
					     : "cannot be read";

		if (what != NULL)
			buffer_printf(why, "%smeta page %" PRIu64 " %s",
				      why->size > 0 ? ", " : "", i, what);
		else if (!data->has_meta ||
			 data->meta.transaction < meta->transaction)
			data->meta = *meta;
		data->has_meta = data->has_meta || what == NULL;
	}
	/*
	 * transactions write the two pages alternately; both numbers are 0 at
	 * first
	 */
	if (why->size == 0 && (a == b ? a != 0 : a + 1 != b && b + 1 != a))
		buffer_append_text(why, "the meta pages do not belong to "
					"two consecutive transactions");
	return why->size == 0 ? ERR_NONE : ERR_CORRUPT;
}

enum error lmdb_file_open(struct lmdb_file *data_out, const char *path,
			  struct buffer *why)
{
	struct stat status;
	enum error error;

	*data_out = (struct lmdb_file){
		.file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)};
	if (data_out->file < 0)
		return errno == ENOENT ? ERR_NOT_FOUND : ERR_IO;
	if (fstat(data_out->file, &status) == 0 && status.st_size == 0)
		return ERR_NOT_FOUND;
	error = read_metas(data_out, why);
	/*
	 * read the size after the meta pages, because a writing process first
	 * extends the file
	 */
	if (fstat(data_out->file, &status) != 0)
		return ERR_IO;
	data_out->bytes = (uint64_t)status.st_size;
	return error;
}

void lmdb_file_close(struct lmdb_file *data)
{
	if (data->file >= 0)
		close(data->file);
	data->file = -1;
}

/*
 * Return whether the file contains all pages that the meta page counts. The
 * file of an intact store can be a few pages shorter if the last transaction
 * has freed its last pages.
 */
static bool lmdb_file_is_long_enough(const struct lmdb_file *data)
{
	return data->meta.last_page < data->bytes / data->page_bytes;
}

enum {
	BRANCH = 0x01,
	LEAF = 0x02,
	OVERFLOW = 0x04,
	/* flags of a node: the value is in separate (overflow) pages */
	BIG_DATA = 0x01,
	SUB_DATA = 0x02, /* flag of a node: the value is a table */
	NODE_HEAD_BYTES = 8,
	INTEGER_KEYS = 0x08, /* flag of a table: its keys are integers */
	/* flag of the table of free pages; in fact an option of the file */
	NO_FOLDER = 0x4000,
	MAX_DEPTH = 32,
	MAX_TREES = 64,
	MAX_NAME_BYTES = 64,
	MAX_KEY_BYTES = 511,
	/*
	 * Maximum ratio between the pages that the meta page counts and the
	 * pages of the file. In an intact store the file is only a few pages
	 * shorter.
	 */
	MAX_SPARSE = 64,
	BITS = 8,
};

/*
 * A page on the path from the root to the current node, with the position in
 * the page and the range of its keys.
 */
struct lmdb_level {
	unsigned char bytes[LMDB_MAX_PAGE_BYTES];
	uint64_t page;
	struct slice low;
	struct slice high;
	size_t count; /* number of nodes in the page */
	size_t next;
};

struct lmdb_node {
	struct slice key;
	const unsigned char *value;
	/* number of the child page, if the node is in a branch page */
	uint64_t child;
	uint32_t size; /* size of the node's value */
	uint16_t flags;
};

struct named_tree {
	char name[MAX_NAME_BYTES];
	struct lmdb_tree tree;
};

/* A walk over the trees of the file, one after another. */
struct lmdb_walk {
	const struct lmdb_file *data;
	const struct lmdb_visitor *visitor;
	const char *table;
	const struct lmdb_tree *tree;
	/*
	 * numbers of pages and rows that the walk has found in the current tree
	 */
	struct lmdb_tree found;
	/* [MAX_DEPTH], the path to the current node */
	struct lmdb_level *levels;
	/* one bit for each page that some tree uses */
	unsigned char *seen;
	/* a value that was read from overflow pages */
	struct buffer value;
	/* number of pages according to the meta page */
	uint64_t page_count;
	/* [tree_count], the tables that the tree "main" lists */
	struct named_tree *trees;
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
 * Mark the page as used. Return false if it is used already or does not exist.
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
 * Read node number `i` of the page. The nodes before it must have been checked.
 * Return false if the node is not inside the page.
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

/* Return how many bytes the node takes in its page. */
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
 * Return whether `key` is above the previous key `before`, and in the range
 * that the parent page has for this page.
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

/* Return why the nodes of the page are invalid; NULL if they are valid. */
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
		/*
		 * the first key of a branch page is empty, which means the
		 * lowest key
		 */
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

/* Return why the page is invalid; NULL if it is valid. */
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

/*
 * Read the page into the level `depth`. The caller has set the range of its
 * keys.
 */
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
 * Return why the overflow pages of a value are invalid; NULL if they are valid.
 * There may be more pages than `needed`, because LMDB may overwrite a larger
 * value with a smaller one.
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

/*
 * Read a value from its overflow pages to walk->value. If it is damaged, only
 * its row is damaged.
 */
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
 * Mark the pages in a row of the tree "free". The value has the number of pages
 * that a transaction freed, and then these pages.
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

/* Add the table in a row of the tree "main" to walk->trees. */
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
		return; /* lmdb_check_nodes() has reported this */
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

/*
 * Set the range of keys for the next child of the level. Return the page of the
 * child.
 */
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

/*
 * Walk over all trees. If `is_roots_only`, walk only over the pages that are
 * read when a store is opened: the roots of LMDB's own tables, the list of
 * tables, and the root of each table.
 */
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

enum {
	MAX_TOLD = 10,
	/*
	 * Maximum number of checks. While another process commits, a check may
	 * see pages of different transactions, so it must be repeated.
	 */
	MAX_ATTEMPTS = 16,
};

struct lmdb_file_problems {
	/* one line for each problem, but only for the first few problems */
	struct buffer lines;
	uint64_t problems;
};

static void data_check_note_damage(void *context,
				   const struct lmdb_damage *damage)
{
	struct lmdb_file_problems *check = context;

	if (check->problems++ < MAX_TOLD)
		buffer_printf(&check->lines, "table %s, page %" PRIu64 ": %s\n",
			      damage->table, damage->page, damage->what);
}

/* Check the current state of the file once, without repeating. */
static enum error data_check_once(const char *name, enum lmdb_extent extent,
				  struct lmdb_file_problems *check,
				  uint64_t *transaction_out)
{
	const struct lmdb_visitor visitor = {.damage = data_check_note_damage,
					     .context = check};
	struct lmdb_file data;
	enum error error = lmdb_file_open(&data, name, &check->lines);
	bool is_long_enough = false;

	*transaction_out = 0;
	if (error == ERR_NONE) {
		*transaction_out = data.meta.transaction;
		is_long_enough = lmdb_file_is_long_enough(&data);
		error = lmdb_walk_run(&data, &visitor,
				      extent == LMDB_ROOTS && is_long_enough);
	} else if (error == ERR_CORRUPT) {
		buffer_printf(&check->lines,
			      "; the file has %" PRIu64 " bytes\n", data.bytes);
	}
	if (check->problems > 0) {
		error = ERR_CORRUPT;
		if (!is_long_enough)
			buffer_printf(&check->lines,
				      "the file is truncated: it has %" PRIu64
				      " bytes of %" PRIu64 "\n",
				      data.bytes,
				      (data.meta.last_page + 1) *
					      data.page_bytes);
	}
	lmdb_file_close(&data);
	return error;
}

static void data_check_log_lines(const char *name, const struct buffer *lines)
{
	const char *line = lines->data;

	while (line != NULL && *line != '\0') {
		size_t length = strcspn(line, "\n");

		log_error("%s: %.*s", name, (int)length, line);
		line += length + (line[length] != '\0');
	}
}

enum error lmdb_file_check(const char *folder, enum lmdb_extent extent)
{
	char name[MAX_PATH_BYTES];
	struct lmdb_file_problems check = {0};
	uint64_t transaction = 0;
	uint64_t before;
	enum error error;

	if (!folder_name(name, folder, FOLDER_DATA))
		return ERR_IO;
	error = data_check_once(name, extent, &check, &before);
	for (int i = 0; i < MAX_ATTEMPTS && error == ERR_CORRUPT; i++) {
		buffer_clear(&check.lines);
		check.problems = 0;
		error = data_check_once(name, extent, &check, &transaction);
		if (transaction == before)
			break;
		before = transaction;
	}
	if (error == ERR_CORRUPT) {
		data_check_log_lines(name, &check.lines);
		log_error("%s is damaged (%" PRIu64
			  " of the checked pages); " STORE_ADVICE,
			  name, check.problems + (check.problems == 0));
	}
	buffer_free(&check.lines);
	return error == ERR_NOT_FOUND ? ERR_NONE : error;
}
