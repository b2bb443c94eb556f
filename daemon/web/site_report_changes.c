/* Section: what each change has removed and added, side by side. */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"

#include <inttypes.h>

#include "daemon/web/site_report_change.h"
#include "daemon/web/site_report_outline.h"
#include "template/version.h"

enum {
	MAX_PATHS = 40,
	MAX_TEXTS = 24,
	MAX_PAGES = 3,
	TEXT_COLUMNS = 110,
};

static void reported_change_add_paths(struct path_tree *tree,
				      enum path_side side,
				      const struct reported_items *told)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < told->count && count < MAX_PATHS; i++) {
		const struct version_item *item = told->items[i];

		if (item->text.size == 0)
			continue;
		path_tree_add(tree,
			      &(struct shown_path){item->text, item->ratio,
						   side, true});
		count++;
	}
}

/* Build a tree of the paths of both versions, which shows common steps once. */
static struct path_tree make_tree(const struct reported_change *change)
{
	struct path_tree tree = path_tree_make(change->facts->arena);

	for (unsigned side = 0; side < PATH_SIDES; side++)
		reported_change_add_paths(&tree, (enum path_side)side,
					  &change->sides[side].paths);
	for (unsigned side = 0; side < PATH_SIDES; side++) {
		const struct version *version = change->sides[side].version;

		for (uint32_t i = 0; version != NULL && i < version->path_count;
		     i++)
			path_tree_add(&tree,
				      &(struct shown_path){
					      .path = version->paths[i].text,
					      .side = (enum path_side)side});
	}
	return tree;
}

static void reported_change_texts(const struct reported_items *told,
				  enum path_side side, struct buffer *out)
{
	const char *mark = side == PATH_BEFORE ? "del" : "ins";
	uint32_t count = 0;

	buffer_append_text(out, "<ul class=\"texts\">\n");
	for (uint32_t i = 0; i < told->count && count < MAX_TEXTS; i++) {
		if (told->items[i]->text.size == 0)
			continue;
		buffer_printf(out, "<li><%s>", mark);
		html_append_text(out, told->items[i]->text, TEXT_COLUMNS);
		buffer_printf(out, "</%s> <span class=\"soft small\">", mark);
		html_append_ratio(out, (double)told->items[i]->ratio);
		buffer_append_text(out, "</span></li>\n");
		count++;
	}
	if (count < told->total) {
		buffer_append_text(out, "<li class=\"soft\">and ");
		html_append_count(out, told->total - count);
		buffer_append_text(out, " more</li>\n");
	}
	buffer_append_text(out, "</ul>\n");
}

static void append_paths(const struct reported_items *told,
			 const struct path_tree *tree, enum path_side side,
			 struct buffer *out)
{
	report_outline(tree, side, out);
	if (told->total > MAX_PATHS) {
		buffer_append_text(out, "<p class=\"soft small\">These are the "
					"most common of ");
		html_append_count(out, told->total);
		buffer_append_text(out, ".</p>\n");
	}
}

static void reported_change_version(const struct reported_change *change,
				    const struct reported_side *side,
				    struct buffer *out)
{
	const struct version *version = side->version;

	if (side->cluster != 0)
		html_append_template(out, change->facts, side->cluster);
	if (side->number != 0)
		buffer_printf(out, ", version %" PRIu32, side->number);
	if (version == NULL)
		return;
	buffer_append_text(out, ", ");
	html_append_counted(out, version->page_count, "page");
	if (version->sample_count > 0) {
		buffer_append_text(out, ", such as ");
		html_append_link(out, version->samples[0],
				 (struct slice){NULL, 0});
	}
}

static void reported_change_side(const struct reported_change *change,
				 const struct path_tree *tree,
				 enum path_side side, struct buffer *out)
{
	static const char *const heads[PATH_SIDES] = {"Before", "After"};
	static const char *const moves[PATH_SIDES] = {"gone", "come"};
	static const char *const classes[PATH_SIDES] = {"before", "after"};
	const struct reported_side *told = &change->sides[side];

	buffer_printf(out, "<div class=\"%s\"><h4>%s</h4>\n<p class=\"small\">",
		      classes[side], heads[side]);
	reported_change_version(change, told, out);
	buffer_append_text(out, "</p>\n<h4>");
	html_append_counted(out, told->paths.total, "path");
	buffer_printf(out, " %s</h4>\n", moves[side]);
	if (told->paths.count > 0)
		append_paths(&told->paths, tree, side, out);
	buffer_append_text(out, "<h4>");
	html_append_counted(out, told->texts.total, "text");
	buffer_printf(out, " %s</h4>\n", moves[side]);
	if (told->texts.count > 0)
		reported_change_texts(&told->texts, side, out);
	buffer_append_text(out, "</div>\n");
}

static void reported_change_pages(const struct reported_change *change,
				  struct buffer *out)
{
	const json_t *pages = json_object_get(change->detail, "pages");
	const json_t *page;
	size_t i;

	if (json_array_size(pages) == 0)
		return;
	buffer_append_text(out, "<p class=\"small\">Seen on ");
	json_array_foreach(pages, i, page)
	{
		const char *url =
			json_string_value(json_object_get(page, "url"));
		const char *template =
			json_string_value(json_object_get(page, "template"));

		if (i == MAX_PAGES)
			break;
		buffer_append_text(out, i > 0 ? ", " : "");
		html_append_link(out, slice_of(url), (struct slice){NULL, 0});
		if (template == NULL)
			continue;
		buffer_append_text(out, " (now <code>");
		html_append_text(out, slice_of(template), SHOWN_URL);
		buffer_append_text(out, "</code>)");
	}
	if (json_array_size(pages) > MAX_PAGES)
		buffer_printf(out, " and %zu more",
			      json_array_size(pages) - MAX_PAGES);
	buffer_append_text(out, ".</p>\n");
}

static void append_change(const struct report_facts *facts,
			  const struct report_event *event, struct buffer *out)
{
	const struct event_row *row = &event->row;
	json_t *detail =
		json_loadb(row->detail.size == 0 ? "" : row->detail.data,
			   row->detail.size, 0, NULL);
	struct reported_change change = {
		.facts = facts, .row = row, .detail = detail};
	struct path_tree tree;

	report_change_find(&change);
	tree = make_tree(&change);
	buffer_printf(out, "<article id=\"e%" PRIu64 "\"><h3>", event->number);
	html_append_template(out, facts, row->cluster);
	buffer_printf(out, ": %s</h3>\n<p class=\"soft small\">",
		      report_event_text(row->kind));
	html_append_time(out, row->time_ms);
	buffer_append_text(out, ", ");
	html_append_counted(out, row->pages, "page");
	buffer_append_text(out, "</p>\n");
	reported_change_pages(&change, out);
	buffer_append_text(out, "<div class=\"sides\">\n");
	reported_change_side(&change, &tree, PATH_BEFORE, out);
	reported_change_side(&change, &tree, PATH_AFTER, out);
	buffer_append_text(out, "</div>\n</article>\n");
	json_decref(detail);
}

void report_changes(const struct report_facts *facts, struct buffer *out)
{
	size_t begin = out->size;
	uint32_t told = 0;
	uint32_t left = 0;

	buffer_append_text(out, "<section id=\"changes\"><h2>Changes, side by "
				"side</h2>\n");
	for (uint32_t i = facts->event_count; i-- > 0;) {
		const struct report_event *event = &facts->events[i];

		if (event->row.kind != EVENT_TEMPLATE_CHANGED &&
		    event->row.kind != EVENT_TEMPLATE_REPLACED)
			continue;
		if (told < REPORT_CHANGES &&
		    out->size - begin < REPORT_CHANGES_BYTES) {
			append_change(facts, event, out);
			told++;
		} else {
			left++;
		}
	}
	if (told == 0)
		buffer_append_text(
			out,
			"<p>No template was changed or replaced yet.</p>\n");
	if (left > 0) {
		buffer_append_text(out, "<p class=\"soft\">Not shown: ");
		html_append_counted(out, left, "older change");
		buffer_append_text(out, ".</p>\n");
	}
	buffer_append_text(out, "</section>\n");
}
