#include "daemon/web/site_report_tree.h"

#include <inttypes.h>

#include "base/arena.h"
#include "daemon/web/site_report_html.h"

enum {
	OPEN_DEPTH = 4, /* levels that are unfolded */
	TREE_LABEL_COLUMNS = 40,
	MAX_CHAIN = 3, /* maximum number of labels per row */
	EXAMPLE_COLUMNS = 64,
};

static const struct page_tree_node *
report_tree_node(const struct report_tree *drawn, uint32_t index)
{
	return page_tree_node(drawn->tree, index);
}

/* Return the first shown node from `index` on among siblings. */
static uint32_t shown_from(const struct report_tree *drawn, uint32_t index)
{
	while (index != NO_STEP && !drawn->choice.is_shown[index])
		index = report_tree_node(drawn, index)->step.next_sibling;
	return index;
}

/*
 * Return the only shown child, if it is on the same pages and its parent has
 * nothing else to show; otherwise NO_STEP.
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

struct report_tree report_tree_make(struct arena *arena,
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

void report_tree_mark(struct report_tree *drawn, uint32_t index)
{
	if (index == NO_STEP || !drawn->choice.is_shown[index])
		return;
	drawn->is_region[index] = true;
	for (; index != NO_STEP;
	     index = report_tree_node(drawn, index)->step.parent)
		drawn->leads[index] = true;
}

static void report_tree_label(const struct report_tree *drawn, uint32_t index)
{
	html_append_text(drawn->out, report_tree_node(drawn, index)->step.label,
			 TREE_LABEL_COLUMNS);
}

/* Append "div.page › … › main": the row's node and the nodes joined with it. */
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
		report_tree_label(drawn, chain[i]);
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

/* Return whether the node is shown in the row of its only child. */
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

	if (hidden == 0)
		return;
	buffer_append_text(drawn->out, "<li class=\"more\">and ");
	html_append_count(drawn->out, hidden);
	buffer_printf(drawn->out, " kind%s of element inside, not shown</li>",
		      hidden == 1 ? "" : "s");
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

static void report_tree_end_node(struct report_tree *drawn, uint32_t index)
{
	append_more(drawn, index);
	buffer_append_text(drawn->out, "</ul></details></li>\n");
	drawn->depth--;
}

void report_tree_append(struct report_tree *drawn, struct buffer *out)
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
		if (!walk.is_leaving)
			report_tree_begin_node(drawn, index);
		else if (has_shown_child(drawn, index))
			report_tree_end_node(drawn, index);
	}
	buffer_append_text(drawn->out, "</ul>\n");
}
