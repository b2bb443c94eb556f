/* Section: the tree of each template. */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "daemon/privsep/pool.h"
#include "daemon/privsep/requests.h"
#include "daemon/query/stored_page.h"
#include "daemon/web/site_report_tree.h"
#include "store/document_frequency.h"
#include "template/page_tree.h"
#include "template/page_tree_code.h"
#include "template/version.h"

enum {
	MAX_PAGES = 16,
	MAX_PAGES_BYTES = 4 << 20, /* bytes of source */
	MAX_NODES = 400,
	RARE = 5, /* hide nodes on fewer than 1/5 of the pages */
};

/*
 * Mark the regions of the newest version; without a version, the place in the
 * tree with most of the text.
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

/* The template whose document frequencies a worker may request. */
struct counted {
	const struct report_facts *facts;
	uint32_t cluster;
};

/* An request_handler: return in how many pages of the template fragments occur.
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
 * Copy the pages, and have a worker merge their trees; after an error the tree
 * is empty.
 */
static void read_tree(const struct report_facts *facts,
		      const struct report_template *template,
		      struct page_tree *tree)
{
	struct txn txn = txn_begin_read(facts->source->store);
	const struct tree_request request = {
		.limits = limits_to_field(&facts->source->limits),
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

	buffer_append_text(out, "<p class=\"soft small\">");
	html_append_counted(out, drawn->tree->page_count, "page");
	buffer_append_text(out, " of ");
	html_append_count(out, template->cluster.page_count);
	buffer_append_text(out, " laid over each other; ");
	html_append_ratio(out,
			  all == 0 ? 0 : (double)text->template / (double)all);
	buffer_append_text(out, " of their text is template. ");
	html_append_count(out, drawn->choice.shown_count);
	buffer_append_text(out, " of ");
	html_append_counted(out, kinds, "kind");
	buffer_append_text(out, " of element are shown");
	if (drawn->choice.shown_count < kinds)
		buffer_append_text(out, ": those on most pages");
	if (drawn->tree->left_out > 0) {
		buffer_append_text(out, "; ");
		html_append_counted(out, drawn->tree->left_out, "element");
		buffer_append_text(out, " found no room");
	}
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

	buffer_printf(out, "<article id=\"t%" PRIu32 "\"><h3><code>",
		      template->number);
	html_append_text(out, facts->site.host, SHOWN_URL);
	buffer_printf(out, "/%" PRIu32 "</code></h3>\n", template->number);
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
	if (told < facts->learned_count) {
		buffer_append_text(out, "<p class=\"soft\">Without a tree "
					"here: ");
		html_append_counted(out, facts->learned_count - told,
				    "smaller template");
		buffer_append_text(out, ".</p>\n");
	}
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
