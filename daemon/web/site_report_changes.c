#include <inttypes.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "base/arena.h"
#include "base/date.h"
#include "daemon/web/site_report.h"
#include "page/markup.h"
#include "template/page_tree.h"
#include "template/version.h"
#include "template/version_json.h"

/*
 * The items that a change has removed and added. They are computed from the
 * versions before and after the change or, if these are not stored, read from
 * the evidence of the event.
 */

/* The items that a change has removed, or the items that it has added. */
struct reported_items {
	/* [count], the most common items first */
	const struct version_item **items;
	uint32_t count;
	uint64_t total; /* number of all items; more than `count` if not all are
			   known */
};

/* The version of a template before the change, or after it. */
struct reported_side {
	uint32_t cluster;
	uint32_t number;               /* number of the version; 0 = unknown */
	const struct version *version; /* NULL if the version is not stored */
	struct reported_items paths;
	struct reported_items texts;
};

/*
 * A change of a template. It refers to memory of the arena of the facts and to
 * `detail`.
 */
struct reported_change {
	const struct report_facts *facts;
	const struct event_row *row;
	const json_t *detail; /* evidence from the row of the event, or NULL */
	struct reported_side sides[PATH_SIDES];
};

/*
 * Return the number of the version that the template of `cluster` had at
 * `time_ms`; 0 = unknown.
 */
static uint32_t version_at(const struct report_facts *facts, uint32_t cluster,
			   uint64_t time_ms)
{
	const struct report_template *template = report_find(facts, cluster);
	uint32_t number = 0;

	if (template == NULL)
		return 0;
	for (uint32_t i = 0; i < template->version_count; i++)
		if (i == 0 || template->versions[i].first_ms <= time_ms)
			number = template->versions[i].number;
	return number;
}

/*
 * Return the number at `index` of the member "versions" of the evidence; 0 if
 * it is missing.
 */
static uint32_t version_reported(const json_t *detail, size_t index)
{
	const json_t *number =
		json_array_get(json_object_get(detail, "versions"), index);
	json_int_t value = json_integer_value(number);

	return value > 0 && value <= UINT32_MAX ? (uint32_t)value : 0;
}

static void reported_change_find_versions(struct reported_change *change)
{
	const struct event_row *row = change->row;
	bool is_replaced = row->kind == EVENT_TEMPLATE_REPLACED;
	struct reported_side *before = &change->sides[PATH_BEFORE];
	struct reported_side *after = &change->sides[PATH_AFTER];

	before->cluster = row->cluster;
	before->number = version_reported(change->detail, 0);
	after->cluster = is_replaced ? row->other : row->cluster;
	if (is_replaced)
		after->number =
			version_at(change->facts, row->other, row->time_ms);
	else
		after->number = version_reported(change->detail, 1);
	if (after->number == 0 && !is_replaced)
		after->number =
			version_at(change->facts, row->cluster, row->time_ms);
	if (before->number == 0)
		before->number =
			is_replaced ? version_at(change->facts, row->cluster,
						 row->time_ms)
			: after->number == 0 ? 0
					     : after->number - 1;
	for (unsigned i = 0; i < PATH_SIDES; i++)
		if (change->sides[i].number != 0)
			change->sides[i].version = report_version(
				change->facts, change->sides[i].cluster,
				change->sides[i].number);
}

/* Return the items that the evidence lists under `name` and `direction`. */
static struct reported_items
items_reported(const struct reported_change *change, const char *name,
	       const char *direction)
{
	const json_t *moves = json_object_get(change->detail, name);
	const json_t *list = json_object_get(moves, direction);
	struct arena *arena = change->facts->arena;
	size_t size = json_array_size(list);
	struct version_item *items =
		ARENA_NEW(arena, struct version_item, size);
	struct reported_items told = {
		.items = ARENA_NEW(arena, const struct version_item *, size)};
	char count[16];

	for (size_t i = 0; i < size; i++) {
		const json_t *item = json_array_get(list, i);
		const json_t *text = json_object_get(item, "text");

		if (!json_is_string(text))
			continue;
		items[told.count] = (struct version_item){
			.text = {json_string_value(text),
				 json_string_length(text)},
			.ratio = (float)json_number_value(
				json_object_get(item, "ratio")),
		};
		told.items[told.count] = &items[told.count];
		told.count++;
	}
	snprintf(count, sizeof(count), "%s_count", direction);
	told.total = ui_whole(moves, count);
	if (told.total < told.count)
		told.total = told.count;
	return told;
}

static void reported_change_find_items(struct reported_change *change)
{
	struct reported_side *before = &change->sides[PATH_BEFORE];
	struct reported_side *after = &change->sides[PATH_AFTER];
	struct version_diff diff;

	if (before->version == NULL || after->version == NULL) {
		before->paths = items_reported(change, "paths", "gone");
		before->texts = items_reported(change, "fragments", "gone");
		after->paths = items_reported(change, "paths", "come");
		after->texts = items_reported(change, "fragments", "come");
		return;
	}
	version_compare(change->facts->arena, before->version, after->version,
			&diff);
	before->paths = (struct reported_items){
		diff.gone_paths, diff.gone_path_count, diff.gone_path_count};
	before->texts = (struct reported_items){diff.gone_fragments,
						diff.gone_fragment_count,
						diff.gone_fragment_count};
	after->paths = (struct reported_items){
		diff.come_paths, diff.come_path_count, diff.come_path_count};
	after->texts = (struct reported_items){diff.come_fragments,
					       diff.come_fragment_count,
					       diff.come_fragment_count};
}

/*
 * Read a change from its event. `detail` is the evidence of the event and must
 * outlive the change. All figures about a change are from this function.
 */
static struct reported_change
reported_change_read(const struct report_facts *facts,
		     const struct event_row *row, const json_t *detail)
{
	struct reported_change change = {
		.facts = facts, .row = row, .detail = detail};

	reported_change_find_versions(&change);
	reported_change_find_items(&change);
	return change;
}

static bool event_is_change(const struct event_row *row)
{
	return row->kind == EVENT_TEMPLATE_CHANGED ||
	       row->kind == EVENT_TEMPLATE_REPLACED;
}

/*
 * The timeline as a drawing. Each template has a lane (a horizontal band) that
 * shows its versions, with its events below them.
 */

enum {
	LANES = 24,
	LANE_NAME = 18, /* maximum columns of the name of a template */
	LANE = 58,      /* height of a lane in pixels, like the next values */
	TRACK_Y = 26,   /* y of the versions in a lane */
	MARK_Y = 44,
	AXIS = 26,
	TICKS = 4,
	MIN_SPAN_MS = 60 * 1000,
	HOURS_SPAN_MS = 2 * 60 * 60 * 1000,
	DAYS_SPAN_MS = 3 * 24 * 60 * 60 * 1000,
	EDGE = 3, /* percent of the width that stay empty on each side */
};

struct lanes {
	const struct report_facts *facts;
	uint64_t from_ms;
	uint64_t to_ms;
	unsigned count;
	bool has_site; /* there is a lane for events of the whole site */
	struct buffer *out;
};

/*
 * Shapes of the marks around the point 0,0. The kinds of events differ also by
 * shape, not only by colour.
 */
static const struct {
	uint16_t kind;
	const char *class;
	const char *path;
} marks[] = {
	{EVENT_TEMPLATE_NEW, "s-come", "M0-6L6 5H-6z"},
	{EVENT_TEMPLATE_CHANGED, "s-mark", "M0-7L7 0 0 7-7 0z"},
	{EVENT_TEMPLATE_REPLACED, "s-gone", "M-7-6H1L7 0 1 6H-7z"},
	{EVENT_TEMPLATE_MERGED, "s-mark", "M-7-6L7 0-7 6z"},
	{EVENT_TEMPLATE_SPLIT, "s-mark", "M7-6L-7 0 7 6z"},
	{EVENT_TEMPLATE_VANISHED, "s-gone",
	 "M-6-4l2-2 4 4 4-4 2 2-4 4 4 4-2 2-4-4-4 4-2-2 4-4z"},
	{EVENT_GUARD_BROKEN, "s-gone", "M-2-7H2V2H-2zM-2 4H2V7H-2z"},
	{EVENT_GUARD_SUSPENDED, "s-gone", "M-2-7H2V2H-2zM-2 4H2V7H-2z"},
	{EVENT_GUARD_OK, "s-come", "M-7 0l2-2 3 3 7-7 2 2-9 9z"},
	{EVENT_SITE_STALE, "s-gone", "M-6-6H6V6H-6z"},
	{EVENT_SITE_BLOCKED, "s-gone", "M-6-6H6V6H-6z"},
};

enum { MARKS = sizeof(marks) / sizeof(marks[0]) };

static double timeline_x(const struct lanes *lanes, uint64_t time_ms)
{
	if (time_ms < lanes->from_ms)
		time_ms = lanes->from_ms;
	if (time_ms > lanes->to_ms)
		time_ms = lanes->to_ms;
	return EDGE + (100.0 - 2 * EDGE) * (double)(time_ms - lanes->from_ms) /
			      (double)(lanes->to_ms - lanes->from_ms);
}

static void timeline_extend(struct lanes *lanes, uint64_t time_ms)
{
	if (time_ms != 0 && time_ms < lanes->from_ms)
		lanes->from_ms = time_ms;
	if (time_ms > lanes->to_ms)
		lanes->to_ms = time_ms;
}

static bool has_lane(const struct report_template *template)
{
	return template->is_known || template->version_count > 0;
}

static struct lanes timeline_create(const struct report_facts *facts,
				    struct buffer *out)
{
	struct lanes lanes = {.facts = facts,
			      .from_ms = facts->source->now_ms,
			      .to_ms = facts->source->now_ms,
			      .out = out};

	for (uint32_t i = 0; i < facts->template_count; i++) {
		const struct report_template *template = &facts->templates[i];

		if (!has_lane(template) || lanes.count == LANES)
			continue;
		lanes.count++;
		timeline_extend(&lanes, template->row.created_ms);
		if (template->version_count > 0)
			timeline_extend(&lanes, template->versions[0].first_ms);
	}
	for (uint32_t i = 0; i < facts->event_count; i++) {
		timeline_extend(&lanes, facts->events[i].row.time_ms);
		lanes.has_site |= facts->events[i].row.cluster == 0;
	}
	if (lanes.to_ms - lanes.from_ms < MIN_SPAN_MS)
		lanes.from_ms = lanes.to_ms > MIN_SPAN_MS
					? lanes.to_ms - MIN_SPAN_MS
					: 0;
	return lanes;
}

static void append_tick(const struct lanes *lanes, unsigned tick, unsigned y)
{
	static const char *const anchors[TICKS] = {"start", "middle", "middle",
						   "end"};
	uint64_t span = lanes->to_ms - lanes->from_ms;
	uint64_t time_ms = lanes->from_ms + span * tick / (TICKS - 1);
	time_t seconds = (time_t)(time_ms / 1000U);
	struct tm parts = {0};
	const char *format = span > DAYS_SPAN_MS    ? "%Y-%m-%d"
			     : span > HOURS_SPAN_MS ? "%m-%d %H:%M"
						    : "%H:%M:%S";
	char text[32] = "";
	char anchor[32];
	double x = timeline_x(lanes, time_ms);

	if (gmtime_r(&seconds, &parts) != NULL)
		strftime(text, sizeof(text), format, &parts);
	buffer_printf(lanes->out,
		      "<line class=\"s-line\" x1=\"%.2f%%\" x2=\"%.2f%%\" "
		      "y1=\"0\" y2=\"%u\"/>",
		      x, x, y);
	snprintf(anchor, sizeof(anchor), " text-anchor=\"%s\"", anchors[tick]);
	svg_text_begin(lanes->out, "s-soft",
		       (struct svg_point){x, y + 18, true}, anchor);
	buffer_append_text(lanes->out, text);
	svg_text_end(lanes->out);
}

static void timeline_append_version(const struct lanes *lanes,
				    const struct report_version *version,
				    unsigned y)
{
	buffer_printf(lanes->out,
		      "<circle class=\"s-version\" cx=\"%.2f%%\" cy=\"%u\" "
		      "r=\"5\"><title>version %" PRIu32 ", %" PRIu32
		      " pages</title></circle>\n",
		      timeline_x(lanes, version->first_ms), y + TRACK_Y,
		      version->number, version->page_count);
}

static void timeline_append_mark(const struct lanes *lanes,
				 const struct event_row *row, unsigned y)
{
	for (size_t i = 0; i < MARKS; i++)
		if (marks[i].kind == row->kind)
			buffer_printf(lanes->out,
				      "<svg x=\"%.2f%%\" y=\"%u\" "
				      "overflow=\"visible\"><path class=\"%s\" "
				      "d=\"%s\"><title>%s</title></path>"
				      "</svg>\n",
				      timeline_x(lanes, row->time_ms),
				      y + MARK_Y, marks[i].class, marks[i].path,
				      report_event_text(row->kind));
}

static void timeline_append_marks(const struct lanes *lanes, uint32_t cluster,
				  unsigned y)
{
	const struct report_facts *facts = lanes->facts;

	for (uint32_t i = 0; i < facts->event_count; i++)
		if (facts->events[i].row.cluster == cluster)
			timeline_append_mark(lanes, &facts->events[i].row, y);
}

static void append_track(const struct lanes *lanes, uint64_t from_ms,
			 uint64_t to_ms, unsigned y)
{
	double x = timeline_x(lanes, from_ms);
	double width = timeline_x(lanes, to_ms) - x;

	svg_rect_begin(lanes->out, "s-bar",
		       (struct svg_box){x, y + TRACK_Y - 2,
					width > 0.5 ? width : 0.5, 4, true});
	buffer_append_text(lanes->out, " rx=\"2\"/>\n");
}

static void append_lane(const struct lanes *lanes,
			const struct report_template *template, unsigned y)
{
	static const char *const ends[TEMPLATE_STATES] = {
		[TEMPLATE_LIVE] = "",
		[TEMPLATE_REPLACED] = ", replaced by ",
		[TEMPLATE_MERGED] = ", merged into ",
		[TEMPLATE_VANISHED] = ", vanished",
	};
	const struct template_row *row = &template->row;
	uint64_t from_ms = row->created_ms;

	if (from_ms == 0 && template->version_count > 0)
		from_ms = template->versions[0].first_ms;
	svg_text_begin(lanes->out, NULL, (struct svg_point){0, y + 14, false},
		       "");
	buffer_append_text(lanes->out, "<tspan font-weight=\"600\">");
	html_append_text(lanes->out, slice_of(template->name), LANE_NAME);
	buffer_printf(lanes->out,
		      " /%" PRIu32 "</tspan> <tspan class=\"s-soft\">",
		      template->number);
	html_append_counted(lanes->out, template->version_total, "version");
	if (row->state < TEMPLATE_STATES)
		buffer_append_text(lanes->out, ends[row->state]);
	if (row->state != TEMPLATE_LIVE && row->other != 0)
		buffer_printf(lanes->out, "/%" PRIu32, row->other);
	buffer_append_text(lanes->out, "</tspan>");
	svg_text_end(lanes->out);
	append_track(lanes, from_ms,
		     row->ended_ms != 0 ? row->ended_ms : lanes->to_ms, y);
	for (uint32_t i = 0; i < template->version_count; i++)
		timeline_append_version(lanes, &template->versions[i], y);
	timeline_append_marks(lanes, template->number, y);
}

static void append_key(struct buffer *out)
{
	buffer_append_text(out,
			   "<ul class=\"legend\"><li><svg width=\"14\" "
			   "height=\"14\" viewBox=\"-7 -7 14 14\" "
			   "aria-hidden=\"true\"><circle class=\"s-version\" "
			   "r=\"5\"/></svg>a version</li>");
	/* omit the last mark, because it looks like the one before it */
	for (size_t i = 0; i + 1 < MARKS; i++)
		buffer_printf(out,
			      "<li><svg width=\"16\" height=\"16\" "
			      "viewBox=\"-8 -8 16 16\" aria-hidden=\"true\">"
			      "<path class=\"%s\" d=\"%s\"/></svg>%s</li>",
			      marks[i].class, marks[i].path,
			      i + 2 < MARKS ? report_event_text(marks[i].kind)
					    : "site stale or blocked");
	buffer_append_text(out, "</ul>\n");
}

static void report_lanes(const struct report_facts *facts, struct buffer *out)
{
	struct lanes lanes = timeline_create(facts, out);
	unsigned height = (lanes.count + lanes.has_site) * LANE;
	unsigned y = 0;
	unsigned done = 0;

	if (height == 0)
		return;
	buffer_printf(out,
		      "<figure><figcaption>Each template from its first "
		      "version on, with its events below its "
		      "line.</figcaption>\n<svg class=\"chart lanes\" "
		      "role=\"img\" aria-label=\"Timeline of templates\" "
		      "height=\"%u\"><title>Timeline of templates</title>\n",
		      height + AXIS);
	for (unsigned i = 0; i < TICKS; i++)
		append_tick(&lanes, i, height);
	if (lanes.has_site) {
		svg_text_begin(out, NULL, (struct svg_point){0, 14, false},
			       " font-weight=\"600\"");
		buffer_append_text(out, "the site");
		svg_text_end(out);
		append_track(&lanes, facts->site.added_ms, lanes.to_ms, 0);
		timeline_append_marks(&lanes, 0, 0);
		y += LANE;
	}
	for (uint32_t i = 0; i < facts->template_count && done < lanes.count;
	     i++) {
		if (!has_lane(&facts->templates[i]))
			continue;
		append_lane(&lanes, &facts->templates[i], y);
		y += LANE;
		done++;
	}
	buffer_append_text(out, "</svg>\n");
	append_key(out);
	buffer_append_text(out, "</figure>\n");
}

/* The lineage of templates: how templates were merged, split and replaced. */

enum { LINEAGE_ROWS = 100 };

/*
 * Append a time that is given in milliseconds or in RFC 3339. Append other
 * values as text.
 */
static void append_moment(const json_t *time, struct buffer *out)
{
	struct slice text = slice_of(json_string_value(time));
	uint64_t time_ms = date_parse(text);

	if (json_is_integer(time))
		html_append_time(out, (uint64_t)json_integer_value(time));
	else if (time_ms != 0)
		html_append_time(out, time_ms);
	else
		html_append_text(out, text, SHOWN_URL);
}

static void lineage_append_entry(const struct report_facts *facts,
				 const struct report_template *template,
				 const json_t *step, const char *const *heads,
				 struct buffer *out)
{
	struct html_row row = html_begin_row(out, heads);

	html_cells(&row, NULL, "|{html}|",
		   report_template(facts, template->number));
	append_moment(json_object_get(step, "time"), out);
	html_cells(&row, step, "|{label:kind}|<code>{label:other}</code>");
	html_end_row(&row);
}

/* Append a table of the lineage of all templates that have one. */
static void report_lineage(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {"Template", "When", "What", "With",
					    NULL};
	unsigned rows = 0;

	for (uint32_t i = 0; i < facts->template_count; i++) {
		const struct report_template *template = &facts->templates[i];
		struct slice lineage = template->row.lineage;
		json_t *steps = json_read(lineage);
		const json_t *step;
		size_t at;

		if (json_array_size(steps) > 1)
			json_array_foreach(steps, at, step)
			{
				if (rows == 0)
					html_begin_table(out, "Lineage", heads);
				if (rows++ < LINEAGE_ROWS)
					lineage_append_entry(facts, template,
							     step, heads, out);
			}
		json_decref(steps);
	}
	if (rows > 0)
		html_end_table(out);
	if (rows > LINEAGE_ROWS)
		buffer_printf(out,
			      "<p class=\"soft\">Not listed: %u more.</p>\n",
			      rows - LINEAGE_ROWS);
}

/* The section with the changes of the templates, as a drawing and as tables. */

enum { REASON_COLUMNS = 200 };

const char *report_event_text(uint16_t kind)
{
	static const struct {
		uint16_t kind;
		const char *text;
	} texts[] = {
		{EVENT_TEMPLATE_NEW, "a new template"},
		{EVENT_TEMPLATE_CHANGED, "the template has changed"},
		{EVENT_TEMPLATE_REPLACED, "replaced by another template"},
		{EVENT_TEMPLATE_MERGED, "merged into another template"},
		{EVENT_TEMPLATE_SPLIT, "some pages split off"},
		{EVENT_TEMPLATE_VANISHED, "its pages have vanished"},
		{EVENT_SITE_STALE, "nothing seen for long"},
		{EVENT_SITE_BLOCKED, "errors and challenges only"},
		{EVENT_GUARD_BROKEN, "a guard is firing"},
		{EVENT_GUARD_OK, "a guard holds again"},
		{EVENT_GUARD_SUSPENDED, "a guard is suspended"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].kind == kind)
			return texts[i].text;
	return event_kind_name(kind);
}

/*
 * Append how many pages agree on a change, such as "agreed on by 5 of 6 pages".
 */
static void append_votes(const json_t *detail, struct buffer *out)
{
	const json_t *seen = json_object_get(detail, "seen");
	const json_t *agreed = json_object_get(detail, "agreed");

	if (json_is_integer(seen) && json_is_integer(agreed))
		buffer_printf(
			out,
			"%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
			" visited pages agree. ",
			json_integer_value(agreed), json_integer_value(seen));
}

/*
 * Append how many items named `name` have moved, such as "61 % of the paths
 * moved (12 gone, 8 come)".
 */
static void event_section_moves(const json_t *detail, const char *name,
				uint64_t gone, uint64_t come,
				struct buffer *out)
{
	const json_t *moved =
		json_object_get(json_object_get(detail, name), "moved");

	if (!json_is_number(moved))
		return;
	html_append_ratio(out, json_number_value(moved));
	buffer_printf(out,
		      " of the %s moved (%" PRIu64 " gone, %" PRIu64 " come). ",
		      name, gone, come);
}

static void event_section_change(const struct report_facts *facts,
				 const struct event_row *row,
				 const json_t *detail, struct buffer *out)
{
	const struct reported_change change =
		reported_change_read(facts, row, detail);
	const struct reported_side *before = &change.sides[PATH_BEFORE];
	const struct reported_side *after = &change.sides[PATH_AFTER];

	event_section_moves(detail, "paths", before->paths.total,
			    after->paths.total, out);
	event_section_moves(detail, "fragments", before->texts.total,
			    after->texts.total, out);
}

static void append_evidence(const struct report_facts *facts,
			    const struct event_row *row, struct buffer *out)
{
	static const char *const names[] = {"paths", "fragments"};
	json_t *detail = json_read(row->detail);
	const char *reason = ui_member(detail, "reason");

	buffer_append_text(out, "<span>");
	if (json_is_string(json_object_get(detail, "reason"))) {
		html_append_text(out, slice_of(reason), REASON_COLUMNS);
		buffer_append_text(out, ". ");
	}
	append_votes(detail, out);
	if (event_is_change(row))
		event_section_change(facts, row, detail, out);
	for (unsigned i = 0; i < 2; i++) {
		const json_t *stable = json_object_get(
			json_object_get(detail, names[i]), "stable");

		if (json_is_integer(stable))
			buffer_printf(out,
				      "%" JSON_INTEGER_FORMAT " stable %s. ",
				      json_integer_value(stable), names[i]);
	}
	if (row->url.size > 0)
		html_append_link(out, row->url, (struct slice){NULL, 0});
	buffer_append_text(out, "</span>");
	json_decref(detail);
}

static void event_section_event(const struct report_facts *facts,
				const struct event_row *event,
				const char *const *heads, struct buffer *out)
{
	struct html_row row = html_begin_row(out, heads);

	html_cells(&row, NULL, "|{ms}|<span>{html}</span>|<span>{html}{?}: {.}",
		   event->time_ms,
		   event->cluster == 0 ? "the site"
				       : report_template(facts, event->cluster),
		   report_event_text(event->kind), event->other != 0);
	html_cells(&row, NULL,
		   "{html}{?} <span class=\"badge off\">seen to</span>{.}{?} "
		   "<span class=\"badge off\">silenced</span>{.}<br><code "
		   "class=\"soft\">{html}</code></span>|{count}|",
		   event->other == 0 ? ""
				     : report_template(facts, event->other),
		   (event->flags & EVENT_IS_ACKED) != 0,
		   (event->flags & EVENT_IS_SILENCED) != 0,
		   event_kind_name(event->kind), (uint64_t)event->pages);
	append_evidence(facts, event, out);
	html_end_row(&row);
}

static void append_events(const struct report_facts *facts, struct buffer *out)
{
	static const char *const heads[] = {"When",   "Template", "What",
					    "#Pages", "Evidence", NULL};

	if (facts->event_count == 0) {
		buffer_append_text(out, "<p>No changes yet: the templates are "
					"as first seen.</p>\n");
		return;
	}
	html_begin_table(out, "What happened, the last first", heads);
	for (uint32_t i = facts->event_count; i-- > 0;)
		event_section_event(facts, &facts->events[i].row, heads, out);
	html_end_table(out);
	if (facts->event_total > facts->event_count)
		html_write(out, NULL,
			   "<p class=\"soft\">Not listed: {count older alert}."
			   "</p>\n",
			   facts->event_total - facts->event_count);
}

void report_timeline(const struct report_facts *facts, struct buffer *out)
{
	buffer_append_text(out, "<section id=\"timeline\"><h2>Timeline</h2>\n");
	report_lanes(facts, out);
	append_events(facts, out);
	report_lineage(facts, out);
	buffer_append_text(out, "</section>\n");
}

/*
 * The section that shows what each change has removed and added, side by side.
 */

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

/*
 * Return one tree of the paths of both versions; steps that both versions have
 * occur once.
 */
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
		html_write(out, NULL,
			   "</{html}> <span class=\"soft small\">{ratio}</span>"
			   "</li>\n",
			   mark, (double)told->items[i]->ratio);
		count++;
	}
	if (count < told->total)
		html_write(out, NULL,
			   "<li class=\"soft\">and {count} more</li>\n",
			   told->total - count);
	buffer_append_text(out, "</ul>\n");
}

static void reported_change_version(const struct reported_change *change,
				    const struct reported_side *side,
				    struct buffer *out)
{
	const struct version *version = side->version;

	if (side->cluster != 0)
		html_write(out, NULL, "{html}",
			   report_template(change->facts, side->cluster));
	if (side->number != 0)
		buffer_printf(out, ", version %" PRIu32, side->number);
	if (version == NULL)
		return;
	html_write(out, NULL, ", {count page}", (uint64_t)version->page_count);
	if (version->sample_count > 0)
		html_write(out, NULL, ", such as {link}", version->samples[0]);
}

static void reported_change_side(const struct reported_change *change,
				 const struct path_tree *tree,
				 enum path_side side, struct buffer *out)
{
	static const char *const heads[PATH_SIDES] = {"Before", "After"};
	static const char *const moves[PATH_SIDES] = {"gone", "come"};
	static const char *const classes[PATH_SIDES] = {"before", "after"};
	const struct reported_side *told = &change->sides[side];

	html_write(out, NULL,
		   "<div class=\"{html}\"><h4>{html}</h4>\n<p class=\"small\">",
		   classes[side], heads[side]);
	reported_change_version(change, told, out);
	html_write(out, NULL, "</p>\n<h4>{count path} {html}</h4>\n",
		   told->paths.total, moves[side]);
	if (told->paths.count > 0)
		report_outline(tree, side, out);
	if (told->paths.count > 0 && told->paths.total > MAX_PATHS)
		html_write(
			out, NULL,
			"<p class=\"soft small\">These are the most common of "
			"{count}.</p>\n",
			told->paths.total);
	html_write(out, NULL, "<h4>{count text} {html}</h4>\n",
		   told->texts.total, moves[side]);
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
		if (i == MAX_PAGES)
			break;
		html_write(out, page,
			   "{?}, {.}{link:url}{?template} (now <code>"
			   "{label:template}</code>){.}",
			   i > 0);
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
	json_t *detail = json_read(row->detail);
	struct reported_change change =
		reported_change_read(facts, row, detail);
	struct path_tree tree = make_tree(&change);

	html_write(out, NULL,
		   "<article id=\"e{number}\"><h3>{html}: {html}</h3>\n<p "
		   "class=\"soft small\">{ms}, {count page}</p>\n",
		   event->number, report_template(facts, row->cluster),
		   report_event_text(row->kind), row->time_ms,
		   (uint64_t)row->pages);
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

		if (!event_is_change(&event->row))
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
	if (left > 0)
		html_write(out, NULL,
			   "<p class=\"soft\">Not shown: {count older change}."
			   "</p>\n",
			   (uint64_t)left);
	buffer_append_text(out, "</section>\n");
}
