/* The table of the records of a template, and the page of a value. */
#include <string.h>

#include "daemon/web/html.h"
#include "daemon/web/web_site.h"
#include "template/version_json.h"

enum {
	MAX_COLUMNS = 60,
	MAX_JOINED = 8, /* values of a cell */
	VALUE_COLUMNS = 60,
	SPARK_WIDTH = 72,
	SPARK_HEIGHT = 18,
};

#define FIELDS_PATH  "/ui/templates/{query}/{number}/fields"
#define RECORDS_PATH "/v1/sites/{query}/templates/{number}/records"

/* Append a value as one text: its texts, or what else it is as JSON. */
static void value_append(struct buffer *out, const json_t *value)
{
	size_t count = json_array_size(value);

	if (json_is_string(value)) {
		buffer_append_text(out, json_string_value(value));
		return;
	}
	if (!json_is_array(value)) {
		json_append(out, json_incref((json_t *)value), JSON_COMPACT);
		return;
	}
	for (size_t i = 0; i < count && i < MAX_JOINED; i++) {
		const json_t *item = json_array_get(value, i);

		if (i > 0)
			buffer_append_text(out, "; ");
		if (json_is_string(item))
			buffer_append_text(out, json_string_value(item));
		else
			json_append(out, json_incref((json_t *)item),
				    JSON_COMPACT);
	}
	if (count > MAX_JOINED)
		buffer_printf(out, "; and %zu more", count - MAX_JOINED);
}

/* Return whether a field is shown in the records that it belongs to. */
static bool is_member(const json_t *field)
{
	return json_is_string(json_object_get(field, "parent"));
}

/* Where a value is shown. */
struct value_link {
	const char *host;
	uint32_t number;
	const char *url;
	const json_t *fields; /* the values of the page */
	size_t columns;
};

/* Append the value of a field as a link to its place in the page. */
static void append_value(struct buffer *out, const struct value_link *link,
			 const char *name)
{
	const json_t *value = json_object_get(link->fields, name);
	struct buffer text = {0};

	if (value == NULL) {
		buffer_append_text(out, "<span class=\"soft\">–</span>");
		return;
	}
	value_append(&text, value);
	html_write(out, NULL,
		   "<a href=\"" FIELDS_PATH
		   "/value?url={query}&amp;field={query}\" title=\"{long}\">",
		   link->host, (uint64_t)link->number, link->url, name,
		   text.data);
	html_append_text(out, buffer_slice(&text), link->columns);
	buffer_append_text(out, "</a>");
	if (json_member_lists(link->fields, "_unsure", name))
		buffer_append_text(out,
				   " <span class=\"badge warn\">unsure</span>");
	buffer_free(&text);
}

/* The fill rate of each round as a line. */

static double round_fill(const json_t *round)
{
	uint64_t pages = ui_whole(round, "pages");
	uint64_t filled = ui_whole(round, "filled");

	return pages == 0 || filled > pages ? 1
					    : (double)filled / (double)pages;
}

static void append_spark(struct buffer *out, const json_t *rounds, bool is_bad)
{
	size_t count = json_array_size(rounds);
	double x = 2;
	double y = 2;

	html_write(out, NULL,
		   "<svg class=\"spark{?} bad{.}\" viewBox=\"0 0 {number} "
		   "{number}\" role=\"img\" aria-label=\"Fill rates:",
		   is_bad, (uint64_t)SPARK_WIDTH, (uint64_t)SPARK_HEIGHT);
	for (size_t i = 0; i < count; i++)
		buffer_printf(out, " %.0f%%",
			      100 * round_fill(json_array_get(rounds, i)));
	buffer_append_text(out, "\"><path d=\"");
	for (size_t i = 0; i < count; i++) {
		x = count == 1 ? SPARK_WIDTH - 4
			       : 2 + (double)i * (SPARK_WIDTH - 6) /
						 (double)(count - 1);
		y = 2 + (SPARK_HEIGHT - 4) *
				(1 - round_fill(json_array_get(rounds, i)));
		buffer_printf(out, "%s%.1f %.1f", i == 0 ? "M" : "L", x, y);
	}
	buffer_printf(out,
		      "\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/></svg>", x,
		      y);
}

/* Append the type of a field, its marks, and how often it is filled. */
static void append_head(struct buffer *out, const json_t *field)
{
	const json_t *rounds = json_object_get(field, "rounds");
	size_t count = json_array_size(rounds);
	const json_t *last = json_array_get(rounds, count - 1);

	html_write(
		out, field,
		"<th scope=\"col\" role=\"columnheader\"><b>{label:name}</b> "
		"{label:type}{?watched} <span class=\"badge busy\">watched"
		"</span>{.}{?required} <span class=\"badge\">required</span>"
		"{.}{?firing} <span class=\"badge bad\">firing</span>{.}<div>");
	if (count > 0) {
		append_spark(out, rounds, ui_is_true(field, "firing"));
		html_write(out, last,
			   " {ratio}{?type_errors}, {count:type_errors} of "
			   "another type{.}{?outliers}, {count "
			   "outlier:outliers}{.}",
			   round_fill(last));
	} else {
		html_write(out, NULL, "{ratio}",
			   json_number_value(json_object_get(field, "fill")));
	}
	buffer_append_text(out, "</div></th>");
}

static void append_record(struct buffer *out, const struct ui_template *shown,
			  const json_t *fields, const json_t *record)
{
	const struct value_link link = {
		.host = shown->host,
		.number = shown->number,
		.url = ui_member(record, "url"),
		.fields = json_object_get(record, "fields"),
		.columns = VALUE_COLUMNS,
	};
	const char *host = strstr(link.url, "://");
	const char *path = host == NULL ? NULL : strchr(host + 3, '/');
	const json_t *field;
	size_t i;

	html_write(out, NULL,
		   "<tr role=\"row\"><th scope=\"row\" role=\"rowheader\" "
		   "data-head=\"Page\"><a href=\"/ui/page?url={query}\" "
		   "title=\"{long}\">{label}</a></th>",
		   link.url, link.url, path == NULL ? link.url : path);
	if (link.fields == NULL)
		html_write(out, json_object_get(record, "error"),
			   "<td role=\"cell\" class=\"soft\" "
			   "colspan=\"{number}\">{text:message}</td>",
			   (uint64_t)json_array_size(fields));
	json_array_foreach(fields, i, field)
	{
		if (link.fields == NULL || i == MAX_COLUMNS)
			break;
		if (is_member(field))
			continue;
		html_write(out, field,
			   "<td role=\"cell\" data-head=\"{label:name}\">");
		append_value(out, &link, ui_member(field, "name"));
		buffer_append_text(out, "</td>");
	}
	buffer_append_text(out, "</tr>\n");
}

static void append_table(struct buffer *out, const struct ui_template *shown)
{
	const json_t *fields = json_object_get(shown->records, "fields");
	const json_t *records = json_object_get(shown->records, "records");
	const json_t *item;
	size_t i;

	buffer_append_text(
		out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
		"aria-label=\"Records\"><table class=\"records\" "
		"role=\"table\"><caption>The values of the fields on the pages"
		"</caption>\n<thead role=\"rowgroup\"><tr role=\"row\"><th "
		"scope=\"col\" role=\"columnheader\">Page</th>");
	json_array_foreach(fields, i, item)
	{
		if (i == MAX_COLUMNS)
			break;
		if (!is_member(item))
			append_head(out, item);
	}
	buffer_append_text(out, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
	json_array_foreach(records, i, item)
		append_record(out, shown, fields, item);
	buffer_append_text(out, "</tbody></table></div>\n");
}

void ui_records(struct buffer *out, const struct ui_template *shown)
{
	uint64_t number = shown->number;

	if (shown->records == NULL) {
		html_write(out, NULL,
			   "<p class=\"empty\">It has no fields yet. Find some "
			   "with <code>templatectl field find {url}/{number}"
			   "</code></p>\n",
			   shown->host, number);
		return;
	}
	html_write(
		out, NULL,
		"<p class=\"soft\">Each value leads to its place in the page. "
		"The lines show how many pages had a value in the last rounds. "
		"All records: <a href=\"" RECORDS_PATH
		"?format=csv&amp;limit=10000\">CSV</a>, <a href=\"" RECORDS_PATH
		"?format=json&amp;limit=10000\">JSON</a></p>\n",
		shown->host, number, shown->host, number);
	append_table(out, shown);
	html_write(out, shown->records,
		   "{?next}<p><a rel=\"next\" href=\"" FIELDS_PATH
		   "?since={query:next}\">Next records</a></p>\n{.}",
		   shown->host, number);
}

/* The page of a value */

/* Append all values of the page. */
static void append_record_facts(struct buffer *out,
				const struct value_link *link,
				const json_t *fields, const char *current)
{
	const json_t *field;
	size_t i;

	buffer_append_text(out, "<dl class=\"facts\">");
	json_array_foreach(fields, i, field)
	{
		const char *name = ui_member(field, "name");

		if (is_member(field))
			continue;
		html_write(out, NULL,
			   "<dt>{label}</dt><dd{?} class=\"now\"{.}>", name,
			   strcmp(name, current) == 0);
		append_value(out, link, name);
		buffer_append_text(out, "</dd>");
	}
	buffer_append_text(out, "</dl>");
}

void ui_value(struct buffer *out, const struct ui_value *shown)
{
	const json_t *record =
		json_array_get(json_object_get(shown->table, "records"), 0);
	const struct value_link link = {
		.host = shown->host,
		.number = shown->number,
		.url = shown->url,
		.fields = json_object_get(record, "fields"),
		.columns = UI_LONG_COLUMNS,
	};
	uint64_t number = shown->number;

	ui_crumbs(out, shown->host, shown->field);
	html_write(out, shown->table,
		   "<h1>{label}</h1>\n<p class=\"small\">{foreign}, template "
		   "<a href=\"" FIELDS_PATH
		   "\"><code>{url:id}</code></a></p>\n",
		   shown->field, shown->url, shown->host, number);
	if (link.fields == NULL) {
		html_write(out, json_object_get(record, "error"),
			   "<p class=\"notice bad\">The page has no record: "
			   "{text:message}.</p>\n");
		return;
	}
	/* "lazy": a frame scrolls to the value only if it has its final size */
	buffer_append_text(out, "<div class=\"sides value\">\n<section "
				"class=\"side\"><h2>Record</h2>");
	append_record_facts(out, &link, json_object_get(shown->table, "fields"),
			    shown->field);
	html_write(out, NULL,
		   "</section>\n<section class=\"side\"><h2>Page <span>without "
		   "scripts, pictures and style; the value is outlined</span>"
		   "</h2><iframe loading=\"lazy\" title=\"A copy of the page "
		   "with the value\" "
		   "sandbox=\"\" src=\"" RECORDS_PATH
		   "/copy?url={query}&amp;field={query}#value\"></iframe>"
		   "</section></div>\n",
		   shown->host, number, shown->url, shown->field);
}
