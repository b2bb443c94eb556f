#include <inttypes.h>
#include <string.h>

#include "daemon/web/html.h"
#include "daemon/web/web_site.h"

/* The page of the node group: its nodes, and a grid of its partitions. */

enum {
	FIELD_SIDE = 16, /* cells per row */
	CELL = 20,       /* units of the drawing */
	COLOURS = 8, /* .n0 to .n7 of the style sheet, then again from .n0 */
};

/* Return the colour of a node; COLOURS if there is no node of this name. */
static unsigned colour_of(const json_t *nodes, const char *name)
{
	const json_t *node;
	size_t i;

	json_array_foreach(nodes, i, node)
	{
		if (*name != '\0' && strcmp(ui_member(node, "name"), name) == 0)
			return (unsigned)(i % COLOURS);
	}
	return COLOURS;
}

static void web_nodes_mark(struct buffer *out, unsigned x, unsigned y,
			   const char *class)
{
	buffer_printf(out, "<circle class=\"%s\" cx=\"%u\" cy=\"%u\" r=\"3\"/>",
		      class, x + CELL / 2, y + CELL / 2);
}

/* Append a description for pointers and screen readers. */
static void web_nodes_partition_title(struct buffer *out, const json_t *row)
{
	const char *owner = ui_member(row, "owner");

	buffer_printf(out, "<title>%" PRIu64 ": ", ui_whole(row, "partition"));
	ui_text(out, *owner == '\0' ? "nobody" : owner, UI_LABEL_COLUMNS);
	buffer_append_text(out, ", here ");
	ui_text(out, ui_member(row, "state"), UI_LABEL_COLUMNS);
	buffer_printf(out, ", epoch %" PRIu64, ui_whole(row, "epoch"));
	if (ui_whole(row, "lag") > 0)
		buffer_printf(out, ", %" PRIu64 " entries behind",
			      ui_whole(row, "lag"));
	buffer_append_text(out, "</title>");
}

/* Return the mark of a partition; NULL if this node has no data of it. */
static const char *web_nodes_mark_class(const json_t *row)
{
	const char *state = ui_member(row, "state");

	if (strcmp(state, "elsewhere") == 0)
		return NULL;
	if (ui_whole(row, "lag") > 0)
		return "late";
	if (strcmp(state, "own") == 0)
		return "own";
	return strcmp(state, "followed") == 0 ? "copy" : "late";
}

static void append_cell(struct buffer *out, const json_t *nodes,
			const json_t *row)
{
	unsigned number = (unsigned)ui_whole(row, "partition");
	unsigned colour = colour_of(nodes, ui_member(row, "owner"));
	const char *mark = web_nodes_mark_class(row);
	unsigned x = number % FIELD_SIDE * CELL;
	unsigned y = number / FIELD_SIDE * CELL;

	buffer_append_text(out, "<g>");
	web_nodes_partition_title(out, row);
	buffer_printf(out,
		      "<rect class=\"n%u\" x=\"%u\" y=\"%u\" width=\"%d\" "
		      "height=\"%d\"/>",
		      colour, x, y, CELL - 1, CELL - 1);
	if (mark != NULL)
		web_nodes_mark(out, x, y, mark);
	buffer_append_text(out, "</g>");
}

static void append_field(struct buffer *out, const json_t *cluster)
{
	const json_t *nodes = json_object_get(cluster, "nodes");
	const json_t *row;
	size_t i;

	buffer_printf(out,
		      "<h2>Partitions</h2>\n<svg class=\"field\" role=\"img\" "
		      "aria-label=\"Owners of the partitions\" viewBox=\"0 0 "
		      "%d %d\">",
		      FIELD_SIDE * CELL, FIELD_SIDE * CELL);
	json_array_foreach(json_object_get(cluster, "partitions"), i, row)
	{
		if (ui_whole(row, "partition") <
		    (uint64_t)FIELD_SIDE * FIELD_SIDE)
			append_cell(out, nodes, row);
	}
	buffer_append_text(
		out, "</svg>\n<p class=\"soft small\">The colour shows the "
		     "owner. Full dot: owned by this node; ring: replicated "
		     "here; red dot: in transfer, or behind.</p>\n");
}

static void append_seconds(struct buffer *out, const char *head,
			   const json_t *node, const char *name)
{
	double ms = json_number_value(json_object_get(node, name));

	html_begin_cell(out, head);
	buffer_printf(out, "%.1f s</td>", ms / 1000);
}

static void append_node(struct buffer *out, const char *const *heads,
			const json_t *nodes, const json_t *node)
{
	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, heads[0]);
	buffer_printf(out,
		      "<svg class=\"swatch\" viewBox=\"0 0 10 10\" "
		      "aria-hidden=\"true\"><rect class=\"n%u\" width=\"10\" "
		      "height=\"10\"/></svg> ",
		      colour_of(nodes, ui_member(node, "name")));
	ui_text(out, ui_member(node, "name"), UI_LABEL_COLUMNS);
	buffer_append_byte(out, ' ');
	if (ui_is_true(node, "is_self"))
		ui_badge(out, "soft", "this one");
	if (ui_is_true(node, "is_draining"))
		ui_badge(out, "warn", "drained");
	if (ui_is_true(node, "has_strange_key"))
		ui_badge(out, "warn", "other key");
	buffer_append_text(out, "</td>");
	ui_count_cell(out, heads[1], ui_whole(node, "owned"));
	ui_count_cell(out, heads[2], ui_whole(node, "replicas"));
	ui_count_cell(out, heads[3], ui_whole(node, "lag"));
	ui_count_cell(out, heads[4], ui_whole(node, "weight"));
	append_seconds(out, heads[5], node, "silent_ms");
	append_seconds(out, heads[6], node, "clock_ms");
	ui_text_cell(out, heads[7], ui_member(node, "version"),
		     UI_LABEL_COLUMNS);
	html_begin_cell(out, heads[8]);
	ui_text(out, ui_member(node, "address"), UI_TEXT_COLUMNS);
	buffer_append_text(out, "</td></tr>\n");
}

static void append_nodes(struct buffer *out, const json_t *nodes)
{
	static const char *const heads[] = {
		"Node",    "#Owns",  "#Replicas", "#Lag",    "#Weight",
		"#Silent", "#Clock", "Version",   "Address", NULL};
	const json_t *node;
	size_t i;

	buffer_append_text(out, "<h2>Nodes</h2>\n");
	ui_table(out, "Nodes", heads);
	json_array_foreach(nodes, i, node) append_node(out, heads, nodes, node);
	ui_table_end(out);
}

/* Append the missing nodes whose replicas are kept for them. */
static void append_away(struct buffer *out, const json_t *away)
{
	const json_t *node;
	size_t i;

	if (json_array_size(away) == 0)
		return;
	buffer_append_text(out, "<p>Missing, and expected to return:");
	json_array_foreach(away, i, node)
	{
		buffer_append_text(out, i == 0 ? " " : ", ");
		ui_text(out, ui_member(node, "name"), UI_LABEL_COLUMNS);
		buffer_printf(out, " (silent for %" PRIu64 " s)",
			      ui_whole(node, "silent_ms") / 1000);
	}
	buffer_append_text(out, "</p>\n");
}

static void web_nodes_figures(struct buffer *out, const json_t *cluster)
{
	static const struct {
		const char *name;
		const char *title;
	} figures[] = {
		{"failovers", "Adopted from failed nodes"},
		{"handovers", "Released or adopted"},
		{"divergences", "Replicas that differed"},
	};
	const json_t *row;
	uint64_t lag = 0;
	size_t i;

	json_array_foreach(json_object_get(cluster, "partitions"), i, row)
		lag += ui_whole(row, "lag");
	buffer_append_text(out, "<dl class=\"figures\">");
	for (i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		buffer_printf(out, "<div><dt>%s</dt><dd>%" PRIu64 "</dd></div>",
			      figures[i].title,
			      ui_whole(cluster, figures[i].name));
	buffer_printf(out,
		      "<div><dt>Entries behind</dt><dd>%" PRIu64
		      "</dd></div></dl>\n",
		      lag);
}

static void append_trouble(struct buffer *out, const json_t *cluster)
{
	if (!json_is_string(json_object_get(cluster, "trouble")))
		return;
	buffer_append_text(out, "<p>");
	ui_lines(out, ui_member(cluster, "trouble"));
	buffer_append_text(out, "</p>\n");
}

void ui_cluster(struct buffer *out, const json_t *cluster)
{
	buffer_append_text(out, "<h1>Cluster</h1>\n<p class=\"lede\">As node ");
	ui_text(out, ui_member(cluster, "name"), UI_LABEL_COLUMNS);
	buffer_append_text(out, " sees it. ");
	if (!ui_is_true(cluster, "is_connected"))
		ui_badge(out, "bad",
			 ui_is_true(cluster, "has_joined")
				 ? "no broker"
				 : "never reached the broker");
	if (!ui_is_true(cluster, "has_lease"))
		ui_badge(out, "bad", "no lease: this node changes nothing");
	buffer_append_text(out, "</p>\n");
	append_trouble(out, cluster);
	web_nodes_figures(out, cluster);
	append_nodes(out, json_object_get(cluster, "nodes"));
	append_away(out, json_object_get(cluster, "away"));
	append_field(out, cluster);
}

/* The page of the daemon. */

static void append_processes(struct buffer *out, const json_t *status)
{
	static const char *const heads[] = {"Process",  "#Running", "#Crashes",
					    "Enforced", "Missing",  NULL};
	const json_t *list = json_object_get(status, "processes");
	const json_t *process;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Processes</h2>\n");
	ui_table(out, "Processes", heads);
	json_array_foreach(list, i, process)
	{
		buffer_append_text(out, "<tr role=\"row\">");
		ui_text_cell(out, heads[0], ui_member(process, "role"),
			     UI_LABEL_COLUMNS);
		ui_count_cell(
			out, heads[1],
			json_array_size(json_object_get(process, "running")));
		ui_count_cell(out, heads[2], ui_whole(process, "crashes"));
		ui_text_cell(out, heads[3], ui_member(process, "enforced"),
			     UI_TEXT_COLUMNS);
		html_begin_cell(out, heads[4]);
		ui_text(out, ui_member(process, "missing"), UI_TEXT_COLUMNS);
		buffer_append_text(out, "</td></tr>\n");
	}
	ui_table_end(out);
}

void ui_daemon(struct buffer *out, const json_t *status)
{
	static const struct {
		const char *name;
		const char *title;
	} parts[] = {
		{"counts", "What is known"}, {"pipeline", "Fetching"},
		{"store", "Store"},          {"http", "Requests"},
		{"config", "Configuration"},
	};

	buffer_append_text(out, "<h1>Daemon</h1>\n<p class=\"lede\">"
				"templated ");
	ui_text(out, ui_member(status, "version"), UI_LABEL_COLUMNS);
	buffer_append_text(out, ", running since ");
	ui_time(out, json_object_get(status, "started"));
	buffer_append_text(out, ".</p>\n<div class=\"cards\">\n");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		buffer_printf(out, "<section class=\"panel\"><h2>%s</h2>",
			      parts[i].title);
		ui_object(out, json_object_get(status, parts[i].name));
		buffer_append_text(out, "</section>\n");
	}
	buffer_append_text(out, "</div>\n");
	append_processes(out, status);
}
