#include "daemon/query/stored_tree.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/utf8.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "store/document_frequency.h"
#include "store/rows.h"
#include "store/txn.h"
#include "template/page_tree.h"
#include "template/version.h"
#include "template/version_json.h"

enum {
	TREE_PAGES = 16,            /* maximum number of sample pages */
	TREE_PAGES_BYTES = 4 << 20, /* maximum bytes of their source */
	TREE_NODES = 400,
	TREE_DEPTH = 48,
	TREE_RARE = 5, /* a node on less than 1/5 of the pages is hidden */
	TREE_TEXT_BYTES = 120,
};

/* A template while its tree is read. `arena` owns everything. */
struct stored_tree {
	struct store *store;
	struct worker_pool *pool;
	const struct page_limits *limits;
	struct arena *arena;
	uint32_t site;
	uint32_t cluster;
	uint32_t page_count;     /* number of pages of the template */
	struct version *version; /* its newest version, or NULL */
	struct page_tree tree;
	struct page_tree_choice choice;
	json_t **nodes; /* [nodes of the tree]: NULL = not shown */
};

/* Read the template. ERR_NOT_FOUND, or an error of the transaction. */
static enum error stored_tree_find(struct stored_tree *read,
				   const struct template_name *name)
{
	struct txn txn = txn_begin_read(read->store);
	struct template_row template;
	struct version_row version;
	struct cluster_row cluster;
	struct site_row site;

	if (!site_get(&txn, slice_of(name->host), &site) ||
	    !cluster_row_get(&txn, site.id, name->cluster, &cluster)) {
		txn_fail(&txn, ERR_NOT_FOUND);
		return txn_end(&txn);
	}
	read->site = site.id;
	read->cluster = name->cluster;
	read->page_count = cluster.page_count;
	if (!template_row_get(&txn, site.id, name->cluster, &template) ||
	    stored_version_read(&txn,
				(struct version_name){site.id, name->cluster,
						      template.version},
				read->arena, &version,
				&read->version) != ERR_NONE)
		read->version = NULL;
	return txn_end(&txn);
}

/*
 * A request_handler: append the document frequency of each requested fragment
 * in the template.
 */
static bool stored_tree_count(void *context, const struct task_request *inquiry,
			      struct message *answer)
{
	const struct stored_tree *read = context;
	struct slice hashes = inquiry->body;
	struct txn txn;

	if (inquiry->kind != ASK_COUNTS || hashes.size % sizeof(uint64_t) != 0)
		return false;
	txn = txn_begin_read(read->store);
	for (size_t at = 0; at < hashes.size; at += sizeof(uint64_t)) {
		uint64_t hash;
		uint32_t count;

		memcpy(&hash, (const char *)hashes.data + at, sizeof(hash));
		count = df_get(&txn, read->site, read->cluster, hash);
		buffer_append(&answer->body, &count, sizeof(count));
	}
	txn_abort(&txn);
	return true;
}

static bool stored_tree_take(void *context, struct slice head,
			     struct slice body)
{
	struct page_tree *tree = context;

	(void)head;
	return page_tree_decode(tree->arena, body, tree);
}

/*
 * Make a worker merge the trees of the sample pages. After an error the tree is
 * empty.
 */
static void stored_tree_merge(struct stored_tree *read)
{
	struct txn txn = txn_begin_read(read->store);
	const struct tree_request request = {
		.limits = *read->limits,
		.page_count = read->page_count,
	};
	struct buffer head = row_codec_encode(&tree_request_layout, &request);
	struct buffer pages = {0};
	struct pool_task task = {
		.kind = TASK_TREE,
		.head = buffer_slice(&head),
		.site = read->site,
		.serve = stored_tree_count,
		.serve_context = read,
		.take = stored_tree_take,
		.take_context = &read->tree,
	};

	stored_sample_append(&(struct stored_pages){&txn, read->site,
						    read->cluster,
						    read->limits},
			     TREE_PAGES, TREE_PAGES_BYTES, &pages);
	txn_abort(&txn);
	task.body = buffer_slice(&pages);
	if (worker_pool_run(read->pool, &task) != ERR_NONE)
		read->tree = page_tree_make(read->arena);
	buffer_free(&head);
	buffer_free(&pages);
}

static json_t *tree_text_json(struct slice text)
{
	return json_text_or_null(utf8_truncate(text, TREE_TEXT_BYTES));
}

/* Return a node without its children. */
static json_t *tree_node_json(const struct stored_tree *read, uint32_t index)
{
	const struct page_tree_node *node = page_tree_node(&read->tree, index);
	const struct page_tree_text *text = &node->inside;
	struct slice label = node->step.label;
	const char *dot = memchr(label.data, '.', label.size);
	size_t tag = dot == NULL ? label.size
				 : (size_t)(dot - (const char *)label.data);
	json_t *template = json_null();
	char *classes = arena_copy(read->arena, label.data, label.size);

	for (size_t i = tag; i < label.size; i++)
		if (classes[i] == '.')
			classes[i] = ' ';
	if (text->template + text->content > 0)
		template = json_real((double)text->template /
				     (double)(text->template + text->content));
	return json_pack(
		"{s:o, s:o, s:I, s:f, s:o, s:o, s:[], s:I}", "tag",
		json_text((struct slice){label.data, tag}), "class",
		json_text(slice_of(classes + tag + (tag < label.size))),
		"pages", (json_int_t)node->pages, "share",
		(double)node->pages / read->tree.page_count, "template",
		template, "text", tree_text_json(node->example), "children",
		"more", (json_int_t)read->choice.hidden[index]);
}

static void stored_tree_mark(const struct stored_tree *read, uint32_t index)
{
	if (index != NO_STEP && read->nodes[index] != NULL)
		json_object_set_new(read->nodes[index], "region", json_true());
}

/*
 * Mark the regions of the newest version. If no region is in the tree, mark the
 * node that contains most of the content.
 */
static void stored_tree_mark_regions(const struct stored_tree *read)
{
	const struct version *version = read->version;
	bool is_found = false;

	for (uint32_t i = 0; version != NULL && i < version->region_count;
	     i++) {
		uint32_t index =
			page_tree_find(&read->tree, version->regions[i].path);

		is_found |= index != NO_STEP;
		stored_tree_mark(read, index);
	}
	if (!is_found)
		stored_tree_mark(read, page_tree_content(&read->tree));
}

/*
 * Return the root of the shown nodes. Pages whose root elements differ have
 * several roots; then these are the children of a node "#document".
 */
static json_t *stored_tree_root(struct stored_tree *read)
{
	uint32_t count = step_tree_count(&read->tree.steps);
	json_t *roots = json_array();
	json_t *root;

	read->nodes = ARENA_NEW(read->arena, json_t *, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = page_tree_node(&read->tree, i)->step.parent;

		if (!read->choice.is_shown[i])
			continue;
		read->nodes[i] = tree_node_json(read, i);
		json_array_append_new(
			parent == NO_STEP ? roots
					  : json_object_get(read->nodes[parent],
							    "children"),
			read->nodes[i]);
	}
	stored_tree_mark_regions(read);
	if (json_array_size(roots) != 1)
		return json_pack("{s:s, s:s, s:I, s:f, s:n, s:n, s:o, s:i}",
				 "tag", "#document", "class", "", "pages",
				 (json_int_t)read->tree.page_count, "share",
				 1.0, "template", "text", "children", roots,
				 "more", 0);
	root = json_incref(json_array_get(roots, 0));
	json_decref(roots);
	return root;
}

static json_t *stored_tree_choose(struct stored_tree *read)
{
	uint32_t count = step_tree_count(&read->tree.steps);
	struct page_tree_limits limits = {
		.max_nodes = TREE_NODES,
		.max_depth = TREE_DEPTH,
		.min_pages = read->tree.page_count / TREE_RARE + 1,
	};

	if (count == 0)
		return json_pack("{s:i, s:b, s:n}", "pages", 0, "truncated", 0,
				 "tree");
	read->choice = page_tree_choose(read->arena, &read->tree, limits);
	return json_pack("{s:I, s:b, s:o}", "pages",
			 (json_int_t)read->tree.page_count, "truncated",
			 read->choice.shown_count < count ||
				 read->tree.left_out > 0,
			 "tree", stored_tree_root(read));
}

enum error stored_tree_json(struct worker_pool *pool, struct store *store,
			    const struct extraction_options *rules,
			    const struct template_name *name, json_t **tree_out)
{
	struct stored_tree read = {.store = store,
				   .pool = pool,
				   .limits = &rules->limits,
				   .arena = arena_create()};
	enum error error = stored_tree_find(&read, name);

	*tree_out = NULL;
	if (error == ERR_NONE) {
		read.tree = page_tree_make(read.arena);
		stored_tree_merge(&read);
		*tree_out = stored_tree_choose(&read);
		json_object_set_new(
			*tree_out, "id",
			json_cluster_id(slice_of(name->host), name->cluster));
	}
	arena_destroy(read.arena);
	return error;
}
