#include "daemon/web/site_report_outline.h"

#include "daemon/web/site_report_html.h"

enum { LABEL_COLUMNS = 48 };

/* The tree of one side. */
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

/* Return the first shown one of the node and its later siblings. */
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

/* Return whether the node is shown in the row of its only child. */
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

	if (node->is_there[other]) {
		html_append_text(outline->out, node->step.label, LABEL_COLUMNS);
		return;
	}
	buffer_printf(outline->out, "<%s>", mark);
	html_append_text(outline->out, node->step.label, LABEL_COLUMNS);
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
	if (node->is_end[outline->side]) {
		buffer_append_text(outline->out, "<span class=\"of\">");
		html_append_ratio(outline->out,
				  (double)node->ratios[outline->side]);
		buffer_append_text(outline->out, "</span>");
	}
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
