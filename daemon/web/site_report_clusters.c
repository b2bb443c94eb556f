#include "daemon/web/site_report.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "daemon/privsep/messages.h"
#include "daemon/privsep/worker_pool.h"
#include "daemon/query/stored_site.h"
#include "daemon/web/thresholds.h"
#include "page/markup.h"
#include "store/document_frequency.h"
#include "template/page_tree.h"
#include "template/version.h"
#include "template/version_json.h"

/* The section with the distances of the pages and the threshold. */

static double number_at(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

static void threshold_section_summary(const struct report_facts *facts,
				      const json_t *cuts, struct buffer *out)
{
	const json_t *suggestion = json_object_get(cuts, "suggestion");
	const json_t *gap =
		json_object_get(json_object_get(cuts, "histogram"), "gap");
	const char *reason = ui_member(suggestion, "reason");

	html_write(
		out, suggestion,
		"<p>{count distinct signature} of {count page}. The threshold "
		"in use is {3f}, {html}. These pages speak for "
		"{3f:threshold}: ",
		(uint64_t)number_at(cuts, "signatures"),
		(uint64_t)number_at(cuts, "pages"),
		facts->site.options.threshold / 1000.0,
		(facts->site.options.flags & SITE_IS_AUTO) != 0
			? "chosen from the pages"
			: "set by hand");
	html_append_text(out, slice_of(reason), 200);
	html_write(out, NULL,
		   ".{?} Hardly any two pages are {2f} to {2f} apart: that gap "
		   "is shaded.{.}",
		   json_array_size(gap) == 2,
		   json_number_value(json_array_get(gap, 0)),
		   json_number_value(json_array_get(gap, 1)));
	buffer_append_text(out, "</p>\n");
}

static enum error threshold_section_append(const struct report_facts *facts,
					   const char *host, struct buffer *out)
{
	static const struct html_table table = {
		.caption = "What other thresholds would give",
		.heads = {"Name", "#Threshold", "#Clusters", "#Sizable ones",
			  "#Largest, pages"},
		.max = SIZE_MAX,
		.cells = "|{title:name}|{3f:threshold}|{count:clusters}|"
			 "{count:sizable}|{count:largest_pages}",
	};
	struct site_thresholds *cuts = facts->source->cuts;
	struct buffer json = {0};
	struct buffer figure = {0};
	enum error error =
		thresholds_append(cuts, host, THRESHOLDS_JSON, &json);

	if (error == ERR_NONE)
		error = thresholds_append(cuts, host, THRESHOLDS_FIGURE,
					  &figure);
	if (error == ERR_NONE) {
		json_t *value = json_read(buffer_slice(&json));

		threshold_section_summary(facts, value, out);
		buffer_append_text(
			out,
			"<figure class=\"cuts\"><figcaption>By distance: the "
			"number of pairs of pages, the number of clusters at "
			"this threshold, and the dendrogram of the clusters. "
			"Vertical lines are thresholds.</figcaption>\n");
		buffer_append_slice(out, buffer_slice(&figure));
		buffer_append_text(out, "</figure>\n");
		html_begin_table(out, table.caption, table.heads);
		html_rows(out, &table, json_object_get(value, "thresholds"));
		html_end_table(out);
		json_decref(value);
	}
	buffer_free(&json);
	buffer_free(&figure);
	return error;
}

enum error report_thresholds_section(const struct report_facts *facts,
				     struct buffer *out)
{
	enum error error;

	buffer_append_text(out,
			   "<section id=\"thresholds\"><h2>Distances</h2>\n");
	error = threshold_section_append(facts, facts->site.host.data, out);
	if (error == ERR_TOO_LARGE) {
		buffer_append_text(out,
				   "<p>The site has more distinct signatures "
				   "than clustering.max_dendrogram_size: the "
				   "dendrogram is not drawn.</p>\n");
		error = ERR_NONE;
	}
	buffer_append_text(out, "</section>\n");
	return error;
}

enum { LABEL_COLUMNS = 48 };

/* The outline of the paths of one side of a change. */
struct path_outline {
	const struct path_tree *tree;
	enum path_side side;
	struct buffer *out;
};

static const struct path_tree_node *
path_outline_node(const struct path_outline *outline, uint32_t index)
{
	return path_tree_node(outline->tree, index);
}

/*
 * Return the first node that is shown, among the node `index` and its later
 * siblings.
 */
static uint32_t told_from(const struct path_outline *outline, uint32_t index)
{
	while (index != NO_STEP &&
	       !path_outline_node(outline, index)->is_told[outline->side])
		index = path_outline_node(outline, index)->step.next_sibling;
	return index;
}

static bool path_outline_is_leaf(const struct path_outline *outline,
				 uint32_t index)
{
	return told_from(outline,
			 path_outline_node(outline, index)->step.first_child) ==
	       NO_STEP;
}

/*
 * Return whether the node and its child share a row: it is not the end of a
 * path, and it has only one child that is shown.
 */
static bool path_outline_is_joined(const struct path_outline *outline,
				   uint32_t index)
{
	const struct path_tree_node *node = path_outline_node(outline, index);
	uint32_t child = told_from(outline, node->step.first_child);

	return child != NO_STEP && !node->is_end[outline->side] &&
	       told_from(
		       outline,
		       path_outline_node(outline, child)->step.next_sibling) ==
		       NO_STEP;
}

static void path_outline_label(const struct path_outline *outline,
			       uint32_t index)
{
	const struct path_tree_node *node = path_outline_node(outline, index);
	const char *mark = outline->side == PATH_BEFORE ? "del" : "ins";
	enum path_side other =
		outline->side == PATH_BEFORE ? PATH_AFTER : PATH_BEFORE;
	bool is_marked = !node->is_there[other];

	if (is_marked)
		buffer_printf(outline->out, "<%s>", mark);
	html_append_text(outline->out, node->step.label, LABEL_COLUMNS);
	if (is_marked)
		buffer_printf(outline->out, "</%s>", mark);
}

static void path_outline_row(const struct path_outline *outline, uint32_t index)
{
	const struct path_tree_node *node = path_outline_node(outline, index);
	uint32_t chain[PATH_TREE_MAX_STEPS + 1];
	unsigned count = 0;
	uint32_t at = index;

	do {
		chain[count++] = at;
		at = path_outline_node(outline, at)->step.parent;
	} while (at != NO_STEP && path_outline_is_joined(outline, at));
	buffer_append_text(outline->out, "<span class=\"row\"><code>");
	while (count-- > 0) {
		path_outline_label(outline, chain[count]);
		if (count > 0)
			buffer_append_text(outline->out, " › ");
	}
	buffer_append_text(outline->out, "</code>");
	if (node->is_end[outline->side])
		html_write(outline->out, NULL,
			   "<span class=\"of\">{ratio}</span>",
			   (double)node->ratios[outline->side]);
	buffer_append_text(outline->out, "</span>");
}

void report_outline(const struct path_tree *tree, enum path_side side,
		    struct buffer *out)
{
	const struct path_outline outline = {tree, side, out};
	struct step_walk walk = {.tree = &tree->steps};

	buffer_append_text(out, "<ul class=\"tree\">\n");
	while (step_walk_next(&walk)) {
		if (!path_outline_node(&outline, walk.node)->is_told[side]) {
			step_walk_skip(&walk);
			continue;
		}
		if (path_outline_is_joined(&outline, walk.node))
			continue;
		if (walk.is_leaving) {
			buffer_append_text(
				out, path_outline_is_leaf(&outline, walk.node)
					     ? "</li>\n"
					     : "</ul></li>\n");
			continue;
		}
		buffer_append_text(out, "<li>");
		path_outline_row(&outline, walk.node);
		if (!path_outline_is_leaf(&outline, walk.node))
			buffer_append_text(out, "<ul>\n");
	}
	buffer_append_text(out, "</ul>\n");
}

/*
 * A tree of the elements that the pages of a template have in common, as nested
 * lists that can be unfolded.
 */

/*
 * maximum depth of nested elements; the rows are nested less deeply, because
 * joined nodes share a row
 */
enum { REPORT_TREE_DEPTH = 48 };

/* A tree while it is drawn; report_tree_make() creates it. */
struct report_tree {
	const struct page_tree *tree;
	struct page_tree_choice choice; /* the nodes that are shown, at most
					   REPORT_TREE_DEPTH levels */
	bool *is_region;                /* [nodes]: the node holds content */
	bool *leads;     /* [nodes]: the node is above a region */
	bool *is_joined; /* [nodes]: the node shares the row of its parent */
	struct buffer *out;
	unsigned depth; /* number of rows that are open in the output */
};

enum {
	OPEN_DEPTH = 4, /* number of levels that are unfolded at first */
	TREE_LABEL_COLUMNS = 40,
	MAX_CHAIN = 3, /* maximum number of labels in a row */
	EXAMPLE_COLUMNS = 64,
};

static const struct page_tree_node *
report_tree_node(const struct report_tree *drawn, uint32_t index)
{
	return page_tree_node(drawn->tree, index);
}

/*
 * Return the first node that is shown, among the node `index` and its later
 * siblings.
 */
static uint32_t shown_from(const struct report_tree *drawn, uint32_t index)
{
	while (index != NO_STEP && !drawn->choice.is_shown[index])
		index = report_tree_node(drawn, index)->step.next_sibling;
	return index;
}

/*
 * Return the only child that is shown, if the child is on the same pages as its
 * parent and the parent itself has nothing to show. Otherwise return NO_STEP.
 */
static uint32_t only_child(const struct report_tree *drawn, uint32_t index)
{
	const struct page_tree_node *node = report_tree_node(drawn, index);
	uint32_t child = shown_from(drawn, node->step.first_child);

	if (child == NO_STEP || drawn->is_region[index] ||
	    drawn->choice.hidden[index] > 0 ||
	    node->own.template + node->own.content > 0 ||
	    report_tree_node(drawn, child)->pages != node->pages ||
	    shown_from(drawn,
		       report_tree_node(drawn, child)->step.next_sibling) !=
		    NO_STEP)
		return NO_STEP;
	return child;
}

static void join_chains(struct report_tree *drawn)
{
	for (uint32_t i = 0; i < step_tree_count(&drawn->tree->steps); i++) {
		uint32_t child = NO_STEP;

		if (drawn->choice.is_shown[i])
			child = only_child(drawn, i);
		if (child != NO_STEP)
			drawn->is_joined[child] = true;
	}
}

static struct report_tree report_tree_make(struct arena *arena,
					   const struct page_tree *tree,
					   struct page_tree_choice choice)
{
	uint32_t count = step_tree_count(&tree->steps);

	return (struct report_tree){
		.tree = tree,
		.choice = choice,
		.is_region = ARENA_NEW(arena, bool, count),
		.leads = ARENA_NEW(arena, bool, count),
		.is_joined = ARENA_NEW(arena, bool, count),
	};
}

/*
 * Mark the node as a region, if it exists and is shown, and mark the nodes
 * above it.
 */
static void report_tree_mark(struct report_tree *drawn, uint32_t index)
{
	if (index == NO_STEP || !drawn->choice.is_shown[index])
		return;
	drawn->is_region[index] = true;
	for (; index != NO_STEP;
	     index = report_tree_node(drawn, index)->step.parent)
		drawn->leads[index] = true;
}

/*
 * Append the labels of a row, such as "div.page › … › main": the first node of
 * the row and the nodes that are joined with it.
 */
static void append_labels(const struct report_tree *drawn, uint32_t index)
{
	struct buffer *out = drawn->out;
	uint32_t chain[REPORT_TREE_DEPTH + 1];
	unsigned count = 0;

	chain[count++] = index;
	while (drawn->is_joined[index] && count <= REPORT_TREE_DEPTH) {
		index = report_tree_node(drawn, index)->step.parent;
		chain[count++] = index;
	}
	buffer_append_text(out, "<code>");
	for (unsigned i = count; i-- > 0;) {
		bool is_folded = count > MAX_CHAIN && i < count - 1 &&
				 i >= MAX_CHAIN - 1;

		if (is_folded && i == count - 2)
			buffer_append_text(out, "<span title=\"");
		html_append_text(out,
				 report_tree_node(drawn, chain[i])->step.label,
				 TREE_LABEL_COLUMNS);
		if (is_folded && i == MAX_CHAIN - 1)
			buffer_printf(out, "\">… %u …</span>",
				      count - MAX_CHAIN);
		if (i > 0)
			buffer_append_text(out, " › ");
	}
	buffer_append_text(out, "</code>");
}

static void append_heat(const struct page_tree_text *text, struct buffer *out)
{
	uint64_t all = text->template + text->content;

	if (all == 0) {
		buffer_append_text(out, "<span class=\"heat none\" title=\"no "
					"text\"></span>");
		return;
	}
	buffer_printf(out,
		      "<span class=\"heat\" style=\"--t:%.0f%%\" "
		      "title=\"%.0f %% of its text is template\"></span>",
		      100.0 * (double)text->template / (double)all,
		      100.0 * (double)text->template / (double)all);
}

static void report_tree_row(const struct report_tree *drawn, uint32_t index)
{
	const struct page_tree_node *node = report_tree_node(drawn, index);
	uint32_t pages = drawn->tree->page_count;
	struct buffer *out = drawn->out;

	buffer_printf(out, "<span class=\"row%s\">",
		      node->pages * 2 < pages ? " rare" : "");
	append_heat(&node->inside, out);
	buffer_append_text(out, "<span>");
	append_labels(drawn, index);
	if (drawn->is_region[index])
		buffer_append_text(out, " <span class=\"badge con\">content"
					"</span>");
	buffer_printf(out,
		      " <span class=\"of\" title=\"on %" PRIu32 " of %" PRIu32
		      " pages, %" PRIu32 " elements\">%" PRIu32 "/%" PRIu32,
		      node->pages, pages, node->elements, node->pages, pages);
	if (node->elements * 2 >= node->pages * 3)
		buffer_printf(out, " ×%.0f",
			      (double)node->elements / node->pages);
	buffer_append_text(out, "</span>");
	if (node->example.size > 0) {
		buffer_append_text(out, " <q>");
		html_append_text(out, node->example, EXAMPLE_COLUMNS);
		buffer_append_text(out, "</q>");
	}
	buffer_append_text(out, "</span></span>");
}

static bool has_shown_child(const struct report_tree *drawn, uint32_t index)
{
	return shown_from(drawn,
			  report_tree_node(drawn, index)->step.first_child) !=
	       NO_STEP;
}

/* Return whether the node and its child share a row. */
static bool report_tree_is_joined(const struct report_tree *drawn,
				  uint32_t index)
{
	uint32_t child = shown_from(
		drawn, report_tree_node(drawn, index)->step.first_child);

	return child != NO_STEP && drawn->is_joined[child];
}

static void append_more(const struct report_tree *drawn, uint32_t index)
{
	uint32_t hidden = drawn->choice.hidden[index];

	if (hidden > 0)
		html_write(drawn->out, NULL,
			   "<li class=\"more\">and {count kind} of element "
			   "inside, not shown</li>",
			   (uint64_t)hidden);
}

static void report_tree_begin_node(struct report_tree *drawn, uint32_t index)
{
	struct buffer *out = drawn->out;
	bool is_open = drawn->depth < OPEN_DEPTH || drawn->leads[index];

	buffer_append_text(out, drawn->is_region[index]
					? "<li class=\"region\">"
					: "<li>");
	if (!has_shown_child(drawn, index)) {
		buffer_append_text(out, "<div class=\"leaf\">");
		report_tree_row(drawn, index);
		buffer_append_text(out, "</div>");
		if (drawn->choice.hidden[index] > 0) {
			buffer_append_text(out, "<ul>");
			append_more(drawn, index);
			buffer_append_text(out, "</ul>");
		}
		buffer_append_text(out, "</li>\n");
		return;
	}
	buffer_printf(out, "<details%s><summary>", is_open ? " open" : "");
	report_tree_row(drawn, index);
	buffer_append_text(out, "</summary><ul>\n");
	drawn->depth++;
}

/*
 * Append the tree to `out`. Each row shows a node, or a chain of joined nodes.
 */
static void report_tree_append(struct report_tree *drawn, struct buffer *out)
{
	struct step_walk walk = {.tree = &drawn->tree->steps};

	drawn->out = out;
	join_chains(drawn);
	buffer_append_text(drawn->out, "<ul class=\"tree\">\n");
	while (step_walk_next(&walk)) {
		uint32_t index = walk.node;

		if (!drawn->choice.is_shown[index]) {
			step_walk_skip(&walk);
			continue;
		}
		if (report_tree_is_joined(drawn, index))
			continue;
		if (!walk.is_leaving) {
			report_tree_begin_node(drawn, index);
		} else if (has_shown_child(drawn, index)) {
			append_more(drawn, index);
			buffer_append_text(out, "</ul></details></li>\n");
			drawn->depth--;
		}
	}
	buffer_append_text(drawn->out, "</ul>\n");
}

/* The section with the tree of each template. */

enum {
	MAX_PAGES = 16,
	MAX_PAGES_BYTES = 4 << 20, /* maximum bytes of source */
	MAX_NODES = 400,
	RARE = 5, /* a node is hidden if it is on fewer than 1/5 of the pages */
};

/*
 * Mark the regions of the newest version. If no region is in the tree, mark the
 * node that contains most of the content.
 */
static void mark_regions(const struct report_facts *facts,
			 const struct report_template *template,
			 struct report_tree *drawn)
{
	const struct version *version = NULL;
	bool is_found = false;

	if (template->version_count > 0)
		version = report_version(
			facts, template->number,
			template->versions[template->version_count - 1].number);
	for (uint32_t i = 0; version != NULL && i < version->region_count;
	     i++) {
		uint32_t index =
			page_tree_find(drawn->tree, version->regions[i].path);

		is_found |= index != NO_STEP;
		report_tree_mark(drawn, index);
	}
	if (!is_found)
		report_tree_mark(drawn, page_tree_content(drawn->tree));
}

/* A template whose document frequencies a worker may request. */
struct counted {
	const struct report_facts *facts;
	uint32_t cluster;
};

/*
 * A request_handler: append the document frequency of each requested fragment
 * in the template.
 */
static bool tree_section_count_fragments(void *context,
					 const struct task_request *inquiry,
					 struct message *answer)
{
	const struct counted *counted = context;
	struct slice hashes = inquiry->body;
	struct txn txn;

	if (inquiry->kind != ASK_COUNTS || hashes.size % sizeof(uint64_t) != 0)
		return false;
	txn = txn_begin_read(counted->facts->source->store);
	for (size_t at = 0; at < hashes.size; at += sizeof(uint64_t)) {
		uint64_t hash;
		uint32_t count;

		memcpy(&hash, (const char *)hashes.data + at, sizeof(hash));
		count = df_get(&txn, counted->facts->site.id, counted->cluster,
			       hash);
		buffer_append(&answer->body, &count, sizeof(count));
	}
	txn_abort(&txn);
	return true;
}

static bool take_tree(void *context, struct slice head, struct slice body)
{
	struct page_tree *tree = context;

	(void)head;
	return page_tree_decode(tree->arena, body, tree);
}

/*
 * Make a worker merge the trees of the template's sample pages into `tree`.
 * After an error `tree` is empty.
 */
static void read_tree(const struct report_facts *facts,
		      const struct report_template *template,
		      struct page_tree *tree)
{
	struct txn txn = txn_begin_read(facts->source->store);
	const struct tree_request request = {
		.limits = facts->source->limits,
		.page_count = template->cluster.page_count,
	};
	struct buffer head = row_codec_encode(&tree_request_layout, &request);
	struct counted counted = {facts, template->number};
	struct buffer pages = {0};
	struct pool_task task = {
		.kind = TASK_TREE,
		.head = buffer_slice(&head),
		.site = facts->site.id,
		.serve = tree_section_count_fragments,
		.serve_context = &counted,
		.take = take_tree,
		.take_context = tree,
	};

	stored_sample_append(&(struct stored_pages){&txn, facts->site.id,
						    template->number,
						    &facts->source->limits},
			     MAX_PAGES, MAX_PAGES_BYTES, &pages);
	txn_abort(&txn);
	task.body = buffer_slice(&pages);
	if (worker_pool_run(facts->source->pool, &task) != ERR_NONE)
		*tree = page_tree_make(tree->arena);
	buffer_free(&head);
	buffer_free(&pages);
}

static void tree_section_summary(const struct report_tree *drawn,
				 const struct report_template *template,
				 struct buffer *out)
{
	const struct page_tree_text *text =
		&page_tree_node(drawn->tree, 0)->inside;
	uint64_t all = text->template + text->content;
	uint32_t kinds = step_tree_count(&drawn->tree->steps);

	html_write(
		out, NULL,
		"<p class=\"soft small\">{count page} of {count} laid over "
		"each "
		"other; {ratio} of their text is template. {count} of {count "
		"kind} of element are shown{?}: those on most pages{.}{?}; "
		"{count element} found no room{.}",
		(uint64_t)drawn->tree->page_count,
		(uint64_t) template->cluster.page_count,
		all == 0 ? 0 : (double)text->template / (double)all,
		(uint64_t)drawn->choice.shown_count, (uint64_t)kinds,
		drawn->choice.shown_count<kinds, drawn->tree->left_out> 0,
		(uint64_t)drawn->tree->left_out);
	buffer_append_text(out, ".</p>\n");
}

static void draw_tree(const struct report_facts *facts,
		      const struct report_template *template,
		      struct arena *arena, struct buffer *out)
{
	struct page_tree tree = page_tree_make(arena);
	struct page_tree_limits limits = {.max_nodes = MAX_NODES,
					  .max_depth = REPORT_TREE_DEPTH};
	struct report_tree drawn;

	read_tree(facts, template, &tree);
	if (step_tree_count(&tree.steps) == 0) {
		buffer_append_text(out, "<p class=\"soft\">Its pages can no "
					"longer be read.</p>\n");
		return;
	}
	limits.min_pages = tree.page_count / RARE + 1;
	drawn = report_tree_make(arena, &tree,
				 page_tree_choose(arena, &tree, limits));
	mark_regions(facts, template, &drawn);
	tree_section_summary(&drawn, template, out);
	report_tree_append(&drawn, out);
}

static void tree_section_template(const struct report_facts *facts,
				  const struct report_template *template,
				  bool has_room, struct buffer *out)
{
	struct arena *arena = arena_create();

	html_write(out, NULL, "<article id=\"t{number}\"><h3>",
		   (uint64_t) template->number);
	html_append_name(out, template->name);
	html_write(out, NULL, "<code>{slice}/{number}</code></h3>\n",
		   facts->site.host, (uint64_t) template->number);
	if (template->sample_count > 0) {
		buffer_append_text(out, "<p>Such as ");
		html_append_link(out, template->samples[0].url,
				 template->samples[0].title);
		buffer_append_text(out, "</p>\n");
	}
	if (has_room)
		draw_tree(facts, template, arena, out);
	else
		buffer_append_text(out, "<p class=\"soft\">Its tree is left "
					"out: the page would be too large."
					"</p>\n");
	buffer_append_text(out, "</article>\n");
	arena_destroy(arena);
}

static void tree_section_legend(struct buffer *out)
{
	buffer_append_text(
		out,
		"<p>The elements of sample pages with the same tag and "
		"classes at the same place are one row. Its bar tells the text "
		"inside: blue is template, which more than a third of the "
		"pages have word by word, orange is content of their own.</p>\n"
		"<ul class=\"legend\">"
		"<li><span class=\"scale\"></span>all content … half … all "
		"template</li>"
		"<li><span class=\"heat\" style=\"--t:70%\"></span>70&nbsp;% "
		"of the text inside is template</li>"
		"<li><span class=\"heat none\"></span>no text</li>"
		"<li><span class=\"of\">12/16 ×3</span>on 12 of 16 pages, "
		"three times on each</li>"
		"<li><span class=\"badge con\">content</span>where the "
		"content stands</li></ul>\n");
}

void report_trees(const struct report_facts *facts, struct buffer *out)
{
	size_t begin = out->size;
	uint32_t told = 0;

	buffer_append_text(out,
			   "<section id=\"templates\"><h2>Templates</h2>\n");
	tree_section_legend(out);
	for (; told < facts->learned_count && told < REPORT_TREES; told++)
		tree_section_template(facts, &facts->templates[told],
				      out->size - begin < REPORT_TREES_BYTES,
				      out);
	if (told < facts->learned_count)
		html_write(
			out, NULL,
			"<p class=\"soft\">Without a tree here: {count smaller "
			"template}.</p>\n",
			(uint64_t)(facts->learned_count - told));
	buffer_append_text(out, "</section>\n");
}

enum error site_report_tree(const struct site_report_source *source,
			    const char *host, uint32_t number,
			    struct buffer *out)
{
	struct arena *arena = arena_create();
	struct report_facts facts = {.arena = arena};
	enum error error = report_facts_read_one(source, host, number, &facts);

	if (error == ERR_NONE) {
		tree_section_legend(out);
		draw_tree(&facts, facts.templates, arena, out);
	}
	arena_destroy(arena);
	return error;
}

/*
 * The section with the clusters of the site, as a bar chart of their sizes and
 * as a table.
 */

enum {
	BARS = 24,
	BAR_ROW = 34, /* height of a row in pixels */
	BAR_HEIGHT = 9,
	BAR_NAME = 44, /* maximum columns of the name of a cluster */
};

/*
 * Append the bar of a cluster. The width of the bar is a percentage of the
 * drawing; the texts have a fixed size.
 */
static void cluster_section_bar(const struct report_facts *facts,
				const struct report_template *template,
				unsigned row, struct buffer *out)
{
	uint32_t largest = facts->templates[0].cluster.page_count;
	uint32_t pages = template->cluster.page_count;
	bool is_learned = pages >= facts->source->min_cluster_pages;
	unsigned y = row * BAR_ROW;
	struct svg_box bar = {
		.width = 86, .height = BAR_HEIGHT, .is_percent = true};

	svg_text_begin(out, NULL, (struct svg_point){0, y + 14, false}, "");
	buffer_append_text(out, "<tspan font-weight=\"600\">");
	html_append_text(out, slice_of(template->name), BAR_NAME);
	buffer_printf(out, " /%" PRIu32 "</tspan> <tspan class=\"s-soft\">",
		      template->number);
	if (template->sample_count > 0 && *template->name == '\0')
		html_append_text(out,
				 template->samples[0].title.size > 0
					 ? template->samples[0].title
					 : template->samples[0].url,
				 BAR_NAME);
	buffer_append_text(out, "</tspan>");
	svg_text_end(out);
	bar.y = y + 19;
	svg_rect_begin(out, "s-track", bar);
	buffer_append_text(out, " rx=\"2\"/>");
	bar.width *= (double)pages / (largest > 0 ? largest : 1);
	svg_rect_begin(out, is_learned ? "s-bar" : "s-off", bar);
	buffer_append_text(out, " rx=\"2\"/>");
	svg_text_begin(out, NULL, (struct svg_point){100, y + 27, true},
		       " text-anchor=\"end\"");
	html_append_count(out, pages);
	svg_text_end(out);
}

static void append_chart(const struct report_facts *facts, unsigned clusters,
			 struct buffer *out)
{
	unsigned bars = clusters < BARS ? clusters : BARS;

	buffer_append_text(out, "<figure><figcaption>Pages of the ");
	if (bars < facts->cluster_count)
		buffer_printf(out, "%u largest of the ", bars);
	html_write(out, NULL,
		   "{count cluster}, each with its name. Grey ones "
		   "have too few pages for a template.</figcaption>\n<svg "
		   "class=\"chart sizes\" role=\"img\" aria-label=\"Sizes of "
		   "clusters\" height=\"{number}\"><title>Sizes of clusters"
		   "</title>\n",
		   (uint64_t)facts->cluster_count, (uint64_t)bars * BAR_ROW);
	for (unsigned i = 0; i < bars; i++)
		cluster_section_bar(facts, &facts->templates[i], i, out);
	buffer_append_text(out, "</svg></figure>\n");
}

static void append_state(const struct report_facts *facts,
			 const struct report_template *template,
			 struct buffer *out)
{
	static const char *const ends[TEMPLATE_STATES] = {
		[TEMPLATE_LIVE] = "watched",
		[TEMPLATE_REPLACED] = "replaced",
		[TEMPLATE_MERGED] = "merged",
		[TEMPLATE_VANISHED] = "vanished",
	};
	const struct template_row *row = &template->row;
	bool is_on = row->state == TEMPLATE_LIVE;
	const char *state =
		row->state < TEMPLATE_STATES ? ends[row->state] : "?";

	if (!template->is_known) {
		is_on = template->cluster.page_count >=
			facts->source->min_cluster_pages;
		state = is_on ? "learned" : "too few pages";
	}
	html_write(out, NULL,
		   "<span><span class=\"badge {html}\">{html}</span>{?} by "
		   "{html}{.}",
		   is_on ? "on" : "off", state,
		   template->is_known && row->other != 0,
		   report_template(facts, row->other));
	buffer_append_text(out, "</span>");
}

static void cluster_section_samples(const struct report_template *template,
				    struct buffer *out)
{
	if (template->sample_count == 0) {
		buffer_append_text(out, "–");
		return;
	}
	buffer_append_text(out, "<ul>");
	for (uint32_t i = 0; i < template->sample_count; i++) {
		buffer_append_text(out, "<li>");
		html_append_link(out, template->samples[i].url,
				 template->samples[i].title);
		buffer_append_text(out, "</li>");
	}
	buffer_append_text(out, "</ul>");
}

static void cluster_section_row(const struct report_facts *facts,
				const struct report_template *template,
				const char *const *heads, struct buffer *out)
{
	const uint32_t pages = template->cluster.page_count;
	const struct report_version *last = NULL;
	struct html_row row = html_begin_row(out, heads);

	html_cells(&row, NULL, "|{html}|",
		   report_template(facts, template->number));
	append_state(facts, template, out);
	html_cells(&row, NULL, "|{count}|{ratio}|{ms}|{ms}|", (uint64_t)pages,
		   facts->clustered_pages == 0
			   ? 0.0
			   : pages / (double)facts->clustered_pages,
		   template->is_there ? template->cluster.created_ms
				      : template->row.created_ms,
		   template->is_known ? template->row.seen_ms
				      : template->fetched_ms);
	if (template->version_count > 0)
		last = &template->versions[template->version_count - 1];
	if (last == NULL)
		buffer_append_text(out, "–");
	else
		html_write(out, NULL, "<span>v{number}, {ms}</span>",
			   (uint64_t)last->number, last->first_ms);
	html_cells(&row, NULL, "|");
	cluster_section_samples(template, out);
	html_end_row(&row);
}

static void cluster_section_rest(const struct report_facts *facts,
				 uint32_t clusters, struct buffer *out)
{
	uint64_t told = 0;
	uint32_t past = facts->template_count - clusters;

	for (uint32_t i = 0; i < clusters; i++)
		told += facts->templates[i].cluster.page_count;
	if (clusters < facts->cluster_count)
		html_write(
			out, NULL,
			"<p class=\"soft\">Not listed: {count smaller cluster} "
			"with {count page} in all.</p>\n",
			(uint64_t)(facts->cluster_count - clusters),
			facts->clustered_pages - told);
	if (past < facts->past_count)
		html_write(
			out, NULL,
			"<p class=\"soft\">Not listed: {count older template} "
			"without pages.</p>\n",
			(uint64_t)(facts->past_count - past));
}

void report_clusters(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {
		"Template",  "State",   "#Pages",     "#Share", "First seen",
		"Last seen", "Version", "Some pages", NULL,
	};
	uint32_t clusters = 0;

	while (clusters < facts->template_count &&
	       facts->templates[clusters].is_there)
		clusters++;
	buffer_append_text(
		out, "<section id=\"clusters\"><h2>Clusters</h2>\n<p>Pages "
		     "with a similar structure form a cluster; a cluster with "
		     "enough pages is a template.</p>\n");
	if (facts->template_count > 0) {
		if (clusters > 0)
			append_chart(facts, clusters, out);
		html_begin_table(out, "Clusters, largest first", heads);
		for (uint32_t i = 0; i < facts->template_count; i++)
			cluster_section_row(facts, &facts->templates[i], heads,
					    out);
		html_end_table(out);
		cluster_section_rest(facts, clusters, out);
	}
	buffer_append_text(out, "</section>\n");
}
