#include <string.h>

#include "daemon/web/html.h"
#include "daemon/web/web_site.h"

/*
 * The page of the node group: a table of its nodes, and a grid of its
 * partitions.
 */

enum {
	FIELD_SIDE = 16, /* cells in a row of the grid */
	CELL = 20,       /* size of a cell in units of the drawing */
	COLOURS = 8, /* the style sheet has the colours .n0 to .n7; more nodes
			use them again */
};

/*
 * Return the number of the colour of the node `name`; COLOURS if there is no
 * such node.
 */
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

/*
 * Return the class of the mark on a partition's cell; NULL if this node has no
 * data of the partition.
 */
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

	html_write(out, row,
		   "<g><title>{number:partition}: {?owner}{label:owner}{.}"
		   "{!owner}nobody{.}, here {label:state}, epoch {number:epoch}"
		   "{?lag}, {number:lag} entries behind{.}</title>");
	buffer_printf(out,
		      "<rect class=\"n%u\" x=\"%u\" y=\"%u\" width=\"%d\" "
		      "height=\"%d\"/>",
		      colour, x, y, CELL - 1, CELL - 1);
	if (mark != NULL)
		buffer_printf(
			out,
			"<circle class=\"%s\" cx=\"%u\" cy=\"%u\" r=\"3\"/>",
			mark, x + CELL / 2, y + CELL / 2);
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

static void append_nodes(struct buffer *out, const json_t *nodes)
{
	static const struct html_table table = {
		.caption = "Nodes",
		.heads = {"Node", "#Owns", "#Replicas", "#Lag", "#Weight",
			  "#Silent", "#Clock", "Version", "Address"},
	};
	const json_t *node;
	size_t i;

	buffer_append_text(out, "<h2>Nodes</h2>\n");
	ui_table(out, &table);
	json_array_foreach(nodes, i, node)
	{
		struct html_row row = html_begin_row(out, table.heads);

		html_cells(
			&row, node,
			"|<svg class=\"swatch\" viewBox=\"0 0 10 10\" "
			"aria-hidden=\"true\"><rect class=\"n{number}\" "
			"width=\"10\" height=\"10\"/></svg> {label:name} "
			"{?is_self}<span class=\"badge soft\">this "
			"one</span>{.}"
			"{?is_draining}<span class=\"badge "
			"warn\">drained</span>"
			"{.}{?has_strange_key}<span class=\"badge warn\">other "
			"key</span>{.}|{cell:owned}|{cell:replicas}|{cell:lag}|"
			"{cell:weight}|{1f} s|{1f} s|{label:version}|"
			"{text:address}",
			(uint64_t)colour_of(nodes, ui_member(node, "name")),
			json_number_value(json_object_get(node, "silent_ms")) /
				1000,
			json_number_value(json_object_get(node, "clock_ms")) /
				1000);
		html_end_row(&row);
	}
	ui_table_end(out);
}

/*
 * Append the missing nodes that are expected to return; their replicas are kept
 * for them.
 */
static void append_away(struct buffer *out, const json_t *away)
{
	const json_t *node;
	size_t i;

	if (json_array_size(away) == 0)
		return;
	buffer_append_text(out, "<p>Missing, and expected to return:");
	json_array_foreach(away, i, node)
	{
		html_write(out, node,
			   "{?},{.} {label:name} (silent for {number} s)",
			   i > 0, ui_whole(node, "silent_ms") / 1000);
	}
	buffer_append_text(out, "</p>\n");
}

void ui_cluster(struct buffer *out, const json_t *cluster)
{
	const json_t *row;
	uint64_t lag = 0;
	size_t i;

	json_array_foreach(json_object_get(cluster, "partitions"), i, row)
		lag += ui_whole(row, "lag");
	html_write(
		out, cluster,
		"<h1>Cluster</h1>\n<p class=\"lede\">As node {label:name} sees "
		"it. "
		"{!is_connected}<span class=\"badge bad\">{?has_joined}no "
		"broker{.}"
		"{!has_joined}never reached the broker{.}</span>{.}{!has_lease}"
		"<span class=\"badge bad\">no lease: this node changes nothing"
		"</span>{.}</p>\n{?trouble}<p>{lines:trouble}</p>\n{.}<dl "
		"class=\"figures\"><div><dt>Adopted from failed nodes</dt>"
		"<dd>{number:failovers}</dd></div><div><dt>Released or adopted"
		"</dt><dd>{number:handovers}</dd></div><div><dt>Replicas that "
		"differed</dt><dd>{number:divergences}</dd></div><div><dt>"
		"Entries behind</dt><dd>{number}</dd></div></dl>\n",
		lag);
	append_nodes(out, json_object_get(cluster, "nodes"));
	append_away(out, json_object_get(cluster, "away"));
	append_field(out, cluster);
}

/* The page of the daemon: its processes, limits and figures. */

static void append_processes(struct buffer *out, const json_t *status)
{
	static const struct html_table table = {
		.caption = "Processes",
		.heads = {"Process", "#Running", "#Crashes", "Enforced",
			  "Missing"},
	};
	const json_t *list = json_object_get(status, "processes");
	const json_t *process;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	buffer_append_text(out, "<h2>Processes</h2>\n");
	ui_table(out, &table);
	json_array_foreach(list, i, process)
	{
		const json_t *running = json_object_get(process, "running");
		struct html_row row = html_begin_row(out, table.heads);

		html_cells(&row, process,
			   "|{label:role}|{cell}|{cell:crashes}|"
			   "{text:enforced}|{text:missing}",
			   (uint64_t)json_array_size(running));
		html_end_row(&row);
	}
	ui_table_end(out);
}

void ui_daemon(struct buffer *out, const json_t *status)
{
	static const struct ui_part parts[] = {
		{"counts", "What is known"}, {"pipeline", "Fetching"},
		{"store", "Store"},          {"http", "Requests"},
		{"config", "Configuration"}, {NULL, NULL},
	};

	html_write(out, status,
		   "<h1>Daemon</h1>\n<p class=\"lede\">templated "
		   "{label:version}, running since {time:started}.</p>\n");
	ui_parts(out, parts, status);
	append_processes(out, status);
}
