/*
 * The timeline as a drawing: a lane for each template, with its versions, and
 * the events below.
 */
#include "daemon/web/site_report_html.h"
#include "daemon/web/site_report_parts.h"
#include "extract/core/svg.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum {
	LANES = 24,
	LANE = 58,    /* pixels, as the values below */
	TRACK_Y = 26, /* y in a lane */
	MARK_Y = 44,
	AXIS = 26,
	TICKS = 4,
	MIN_SPAN_MS = 60 * 1000,
	HOURS_SPAN_MS = 2 * 60 * 60 * 1000,
	DAYS_SPAN_MS = 3 * 24 * 60 * 60 * 1000,
	EDGE = 3, /* percent on both sides */
};

struct lanes {
	const struct report_facts *facts;
	uint64_t from_ms;
	uint64_t to_ms;
	unsigned count;
	bool has_site; /* has a lane for events of the whole site */
	struct buffer *out;
};

/* Shapes of the marks around 0,0: colour is never the only distinction. */
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
	buffer_printf(lanes->out,
		      "<tspan font-weight=\"600\">/%" PRIu32
		      "</tspan> <tspan class=\"s-soft\">",
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
	/* the last mark looks like the one before it */
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

void report_lanes(const struct report_facts *facts, struct buffer *out)
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
