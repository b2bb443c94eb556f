#include "daemon/web/html.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/date.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/engine/threshold_report.h"
#include "daemon/query/event.h"
#include "daemon/runtime/terminal.h"
#include "page/markup.h"
#include "page/page.h"
#include "store/rows.h"
#include "template/version_json.h"

enum {
	BYTES_PER_COLUMN = 4, /* maximum bytes of a character */
	MAX_FIELD_BYTES = 48,
	MAX_LINK = 400, /* maximum bytes of a URL that becomes a link */
};

const char *ui_member(const json_t *object, const char *name)
{
	const char *text = json_member_text(object, name);

	return text == NULL ? "" : text;
}

uint64_t ui_whole(const json_t *object, const char *name)
{
	json_int_t value = json_member_whole(object, name);

	return value < 0 ? 0 : (uint64_t)value;
}

bool ui_is_true(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

void html_append_text(struct buffer *out, struct slice text, size_t columns)
{
	struct buffer cut = {0};

	/* limit the bytes, too, because zero-width characters use no column */
	text = utf8_truncate(text, columns * BYTES_PER_COLUMN);
	terminal_cut(text, columns, &cut);
	escape_append(out, buffer_slice(&cut));
	buffer_free(&cut);
}

void html_append_count(struct buffer *out, uint64_t count)
{
	char digits[32];
	int size = snprintf(digits, sizeof(digits), "%" PRIu64, count);

	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			buffer_append_byte(out, ',');
		buffer_append_byte(out, digits[i]);
	}
}

void html_append_counted(struct buffer *out, uint64_t count, const char *noun)
{
	html_append_count(out, count);
	buffer_printf(out, " %s%s", noun, count == 1 ? "" : "s");
}

static void html_append_number(struct buffer *out, uint64_t number)
{
	buffer_printf(out, "%" PRIu64, number);
}

static void html_append_cell_count(struct buffer *out, uint64_t count)
{
	if (count == 0)
		buffer_append_text(out, "<span class=\"soft\">0</span>");
	else
		html_append_count(out, count);
}

void ui_bytes(struct buffer *out, uint64_t bytes)
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double value = (double)bytes;
	size_t unit = 0;

	while (value >= 1000 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1000;
		unit++;
	}
	buffer_printf(out, "%.*f&nbsp;%s", unit > 0 && value < 100 ? 1 : 0,
		      value, units[unit]);
}

/* The format is 2025-11-22T10:07:00Z. */
bool ui_is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9'
				   : text[i] != form[i])
			return false;
	return true;
}

static void html_append_date(struct buffer *out, const char *text)
{
	if (!ui_is_time(text))
		buffer_append_text(out, "–");
	else
		buffer_printf(out, "<time datetime=\"%s\">%.10s %.5s</time>",
			      text, text, text + strlen("0000-00-00T"));
}

void html_append_time(struct buffer *out, uint64_t time_ms)
{
	char text[DATE_BYTES] = "";

	if (time_ms != 0)
		(void)date_format(time_ms, text);
	html_append_date(out, text);
}

void html_append_ratio(struct buffer *out, double ratio)
{
	double percent = isfinite(ratio) ? 100 * ratio : 0;
	bool is_small = percent > 0 && percent < 9.95;

	buffer_printf(out, "%.*f&nbsp;%%", is_small ? 1 : 0, percent);
}

void ui_lines(struct buffer *out, const char *text)
{
	struct buffer clean = {0};

	terminal_clean_lines(slice_of(text), &clean);
	escape_append(out, buffer_slice(&clean));
	buffer_free(&clean);
}

void ui_escape(struct buffer *out, const char *text)
{
	percent_append(out, slice_of(text), ":");
}

const char *html_state_class(const char *state)
{
	static const char *const classes[][2] = {
		{"good", " open ok listing live watching guard.resolved "
			 "template.added template.restored site.ok "
			 "incident.added incident.back "
			 "incident.guard_resolved field.resolved "
			 "field.healed incident.field_resolved "},
		{"busy", " crawling selecting "},
		{"bad", " firing suspended no_credentials unreachable missing "
			"guard.firing guard.suspended site.blocked "
			"site.unreachable site.missing site.moved "
			"template.removed incident.down incident.guard "
			"incident.removed incident.moved field.firing "
			"incident.field "},
		{"warn", " exhausted moved alternating alternates unmatched "
			 "replaced merged vanished not-html blocked js-only "
			 "empty unsure truncated template.changed "
			 "template.replaced template.merged template.split "
			 "site.stale site.alternates template.alternates "
			 "guard.alternates guard.unmatched incident.changed "
			 "incident.split incident.alternates "},
	};
	char word[64];

	snprintf(word, sizeof(word), " %.60s ", state);
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strstr(classes[i][1], word) != NULL)
			return classes[i][0];
	return "soft";
}

static void html_append_state(struct buffer *out, const char *state)
{
	html_write(out, NULL, "<span class=\"badge {html}\">{label}</span>",
		   html_state_class(state), state);
}

static void ui_page_link(struct buffer *out, const char *url)
{
	html_write(out, NULL, "<a href=\"/ui/page?url={query}\">{url}</a>", url,
		   url);
}

static void ui_site_link(struct buffer *out, const char *host)
{
	html_write(out, NULL, "<a href=\"/ui/sites/{query}\">{url}</a>", host,
		   host);
}

void html_append_name(struct buffer *out, const char *name)
{
	if (*name != '\0')
		html_write(out, NULL, "{label} ", name);
}

/*
 * Append a link to the template whose id is a member of the object: its name,
 * if the object has it, and its id.
 */
static void ui_template_link(struct buffer *out, const json_t *object,
			     const char *member)
{
	const char *id = ui_member(object, member);
	const char *slash = strrchr(id, '/');
	const char *name = "";

	if (slash == NULL) {
		buffer_append_text(out, "–");
		return;
	}
	if (strcmp(member, "id") == 0)
		name = ui_member(object, "name");
	else if (strcmp(member, "cluster") == 0)
		name = ui_member(object, "template_name");
	buffer_append_text(out, "<a href=\"/ui/templates/");
	percent_append(out, (struct slice){id, (size_t)(slash - id)}, ":");
	html_write(out, NULL, "/{query}\">", slash + 1);
	html_append_name(out, name);
	html_write(out, NULL, "<code>{url}</code></a>", id);
}

static void ui_foreign_link(struct buffer *out, const char *url)
{
	bool is_link = strncmp(url, "http://", 7) == 0 ||
		       strncmp(url, "https://", 8) == 0;

	if (is_link) {
		buffer_append_text(out, "<a class=\"out\" target=\"_blank\" "
					"rel=\"noreferrer noopener nofollow\" "
					"href=\"");
		escape_append(out, slice_of(url));
		buffer_append_text(out, "\">");
	}
	html_append_text(out, slice_of(url), UI_URL_COLUMNS);
	if (is_link)
		buffer_append_text(out, "</a>");
}

static bool url_has_scheme(struct slice text, const char *with)
{
	size_t size = strlen(with);

	return text.size > size && strncasecmp(text.data, with, size) == 0;
}

void html_append_link(struct buffer *out, struct slice url, struct slice text)
{
	struct buffer address = {0};
	struct buffer plain = {0};
	bool is_link = (url_has_scheme(url, "http://") ||
			url_has_scheme(url, "https://")) &&
		       url.size <= MAX_LINK &&
		       markup_append_address(&address, url);

	if (is_link) {
		buffer_append_text(out, "<a rel=\"noreferrer nofollow\" "
					"href=\"");
		escape_append(out, buffer_slice(&address));
		buffer_append_text(out, "\">");
	}
	if (text.size > 0) {
		html_append_text(out, text, SHOWN_TITLE);
	} else {
		report_address(url, &plain);
		html_append_text(out, buffer_slice(&plain), SHOWN_URL);
	}
	if (is_link)
		buffer_append_text(out, "</a>");
	buffer_free(&address);
	buffer_free(&plain);
}

/*
 * Append a bar that shows how far the crawl of the site is. The crawl ends when
 * no URL is pending or the maximum number of pages is reached.
 */
static void ui_site_bar(struct buffer *out, const json_t *site)
{
	uint64_t tried = ui_whole(site, "tried");
	uint64_t pending = ui_whole(site, "pending");
	uint64_t max = ui_whole(site, "max_pages");
	uint64_t all = tried + pending;

	if (max != 0 && all > max)
		all = max;
	if (all < tried)
		all = tried;
	buffer_printf(out,
		      "<span class=\"%s\"><progress max=\"%" PRIu64
		      "\" value=\"%" PRIu64 "\" aria-label=\"visited\">"
		      "</progress></span> ",
		      pending == 0 ? "done" : "running", all == 0 ? 1 : all,
		      all == 0 ? 0 : tried);
}

/* Append how many pages per minute the delay between two fetches allows. */
static void ui_site_rate(struct buffer *out, const json_t *site)
{
	uint64_t delay_ms = ui_whole(site, "delay_ms");

	if (delay_ms == 0)
		buffer_append_text(out, "no limit");
	else
		buffer_printf(out, "%.3g", 60000.0 / (double)delay_ms);
}

static void html_append_summary(struct buffer *out, const json_t *event)
{
	struct buffer sentence = {0};

	event_summary(event, &sentence);
	html_append_text(out, buffer_slice(&sentence), UI_LONG_COLUMNS);
	buffer_free(&sentence);
}

/*
 * The kinds of fields. FIELD_TEXT and FIELD_SLICE have a maximum number of
 * columns, FIELD_NUMBER has a function that appends it, and FIELD_REAL has a
 * number of digits after the point.
 */
static const struct html_field {
	const char *kind;
	enum { FIELD_TEXT, FIELD_NUMBER, FIELD_REAL, FIELD_SLICE } type;
	size_t columns;
	const char *format;
	void (*text)(struct buffer *out, const char *text);
	void (*number)(struct buffer *out, uint64_t number);
	void (*object)(struct buffer *out, const json_t *object);
	/* `member` is the name of the field's member */
	void (*member)(struct buffer *out, const json_t *object,
		       const char *member);
} html_fields[] = {
	{"label", .columns = UI_LABEL_COLUMNS},
	{"url", .columns = UI_URL_COLUMNS},
	{"text", .columns = UI_TEXT_COLUMNS},
	{"long", .columns = UI_LONG_COLUMNS},
	{"lines", .text = ui_lines},
	{"query", .text = ui_escape},
	{"html", .text = buffer_append_text},
	{"time", .text = html_append_date},
	{"state", .text = html_append_state},
	{"page", .text = ui_page_link},
	{"site", .text = ui_site_link},
	{"template", .member = ui_template_link},
	{"foreign", .text = ui_foreign_link},
	{"number", FIELD_NUMBER, .number = html_append_number},
	{"count", FIELD_NUMBER, .number = html_append_count},
	{"cell", FIELD_NUMBER, .number = html_append_cell_count},
	{"bytes", FIELD_NUMBER, .number = ui_bytes},
	{"ms", FIELD_NUMBER, .number = html_append_time},
	{"ratio", .type = FIELD_REAL},
	{"0f", FIELD_REAL, .format = "%.0f"},
	{"1f", FIELD_REAL, .format = "%.1f"},
	{"2f", FIELD_REAL, .format = "%.2f"},
	{"3f", FIELD_REAL, .format = "%.3f"},
	{"3g", FIELD_REAL, .format = "%.3g"},
	{"slice", FIELD_SLICE, .columns = SHOWN_URL},
	{"title", FIELD_SLICE, .columns = SHOWN_TITLE},
	{"link", .type = FIELD_SLICE},
	{"bar", .object = ui_site_bar},
	{"rate", .object = ui_site_rate},
	{"summary", .object = html_append_summary},
};

/* The values of a template: members of an object, and arguments. */
struct html_values {
	const json_t *object;
	va_list arguments;
};

static const struct html_field *html_field_find(const char *kind)
{
	size_t i = 0;

	while (strcmp(html_fields[i].kind, kind) != 0) {
		i++;
		assert(i < sizeof(html_fields) / sizeof(html_fields[0]));
	}
	return &html_fields[i];
}

/*
 * Append the value of a field: the member `name` of the object or, if `name` is
 * NULL, the next argument.
 */
static void html_append_field(struct buffer *out, struct html_values *values,
			      const struct html_field *field, const char *noun,
			      const char *name)
{
	struct slice slice;
	uint64_t number;
	double real;

	if (field->object != NULL) {
		field->object(out, values->object);
	} else if (field->member != NULL) {
		field->member(out, values->object, name);
	} else if (field->type == FIELD_NUMBER) {
		number = name == NULL ? va_arg(values->arguments, uint64_t)
				      : ui_whole(values->object, name);
		if (noun != NULL)
			html_append_counted(out, number, noun);
		else
			field->number(out, number);
	} else if (field->type == FIELD_REAL) {
		real = name == NULL ? va_arg(values->arguments, double)
				    : json_number_value(json_object_get(
					      values->object, name));
		if (field->format == NULL)
			html_append_ratio(out, real);
		else
			buffer_printf(out, field->format, real);
	} else {
		if (name != NULL)
			slice = slice_of(ui_member(values->object, name));
		else if (field->type == FIELD_SLICE)
			slice = va_arg(values->arguments, struct slice);
		else
			slice = slice_of(
				va_arg(values->arguments, const char *));
		if (field->text != NULL)
			field->text(out, slice.data);
		else if (field->columns != 0)
			html_append_text(out, slice, field->columns);
		else
			html_append_link(out, slice, (struct slice){NULL, 0});
	}
}

static bool html_has_value(const json_t *value)
{
	return json_is_true(value) || json_is_real(value) ||
	       json_integer_value(value) > 0 || json_string_length(value) > 0 ||
	       json_array_size(value) > 0 || json_object_size(value) > 0;
}

/*
 * Return the position after the end of the optional part whose content begins
 * at `at`.
 */
static const char *html_skip_part(const char *at)
{
	for (int depth = 1; depth > 0; at++) {
		at = strchr(at, '{') + 1;
		depth += (*at == '?' || *at == '!') - (*at == '.');
	}
	return strchr(at, '}') + 1;
}

/*
 * Append the value of the field whose text, after the brace, is at `at`. Return
 * the position after the field.
 */
static const char *html_write_field(struct buffer *out,
				    struct html_values *values, const char *at)
{
	size_t size = strcspn(at, "}");
	char kind[MAX_FIELD_BYTES];
	const char *end = at + size + 1;
	char *name;
	char *noun;

	assert(size < sizeof(kind));
	memcpy(kind, at, size);
	kind[size] = '\0';
	if (kind[0] == '.')
		return end;
	if (kind[0] == '?' || kind[0] == '!') {
		bool is_there = kind[1] == '\0'
					? va_arg(values->arguments, int) != 0
					: html_has_value(json_object_get(
						  values->object, kind + 1));

		return is_there == (kind[0] == '?') ? end : html_skip_part(end);
	}
	name = strchr(kind, ':');
	if (name != NULL)
		*name++ = '\0';
	noun = strchr(kind, ' ');
	if (noun != NULL)
		*noun++ = '\0';
	html_append_field(out, values, html_field_find(kind), noun, name);
	return end;
}

/*
 * Begin the next cell of the row, after the end of the current cell, if there
 * is one.
 */
static void html_next_cell(struct html_row *row)
{
	const char *head = row->heads[row->column++];

	if (row->column > 1)
		buffer_append_text(row->out, "</td>");
	if (strcmp(head, "#Do") == 0)
		buffer_append_text(row->out, "<td role=\"cell\" class=\"act\" "
					     "data-head=\"\">");
	else
		buffer_printf(row->out, "<td role=\"cell\"%s data-head=\"%s\">",
			      *head == '#' ? " class=\"num\"" : "",
			      head + (*head == '#'));
}

/*
 * Append the template with its values. `row` is NULL outside tables; a "|"
 * outside tables is text.
 */
static void html_write_values(struct buffer *out, struct html_row *row,
			      struct html_values *values, const char *template)
{
	const char *at = template;

	while (*at != '\0') {
		size_t size = strcspn(at, row == NULL ? "{" : "{|");

		buffer_append(out, at, size);
		at += size;
		if (*at == '{') {
			at = html_write_field(out, values, at + 1);
		} else if (*at == '|' && row != NULL) {
			html_next_cell(row);
			at++;
		}
	}
}

void html_write(struct buffer *out, const json_t *object, const char *template,
		...)
{
	struct html_values values = {.object = object};

	va_start(values.arguments, template);
	html_write_values(out, NULL, &values, template);
	va_end(values.arguments);
}

struct html_row html_begin_row(struct buffer *out, const char *const *heads)
{
	buffer_append_text(out, "<tr role=\"row\">");
	return (struct html_row){out, heads, 0};
}

void html_cells(struct html_row *row, const json_t *object, const char *cells,
		...)
{
	struct html_values values = {.object = object};

	va_start(values.arguments, cells);
	html_write_values(row->out, row, &values, cells);
	va_end(values.arguments);
}

void html_end_row(struct html_row *row)
{
	buffer_append_text(row->out, "</td></tr>\n");
}

/*
 * Every element has its ARIA role, because the style sheet may turn the table
 * into blocks.
 */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads)
{
	buffer_printf(out,
		      "<table role=\"table\"><caption>%s</caption>\n"
		      "<thead role=\"rowgroup\"><tr role=\"row\">",
		      caption);
	for (; *heads != NULL; heads++)
		buffer_printf(
			out,
			"<th role=\"columnheader\" scope=\"col\"%s>%s</th>",
			**heads == '#' ? " class=\"num\"" : "",
			*heads + (**heads == '#'));
	buffer_append_text(out, "</tr></thead>\n<tbody role=\"rowgroup\">\n");
}

void html_end_table(struct buffer *out)
{
	buffer_append_text(out, "</tbody></table>\n");
}

void ui_table(struct buffer *out, const struct html_table *table)
{
	buffer_append_text(out, "<div class=\"scroll\">");
	html_begin_table(out, table->caption, table->heads);
}

void ui_table_end(struct buffer *out)
{
	html_end_table(out);
	buffer_append_text(out, "</div>\n");
}

void html_rows(struct buffer *out, const struct html_table *table,
	       const json_t *rows)
{
	const json_t *value;
	size_t i;

	json_array_foreach(rows, i, value)
	{
		struct html_row row;

		if (i == table->max)
			break;
		row = html_begin_row(out, table->heads);
		html_cells(&row, value, table->cells);
		html_end_row(&row);
	}
}

void ui_rows(struct buffer *out, const struct html_table *table,
	     const json_t *rows)
{
	ui_table(out, table);
	html_rows(out, table, rows);
	ui_table_end(out);
}

/* Append the decoded text. Return false if it contains a NUL. */
static bool form_decode(struct slice text, struct buffer *out)
{
	const char *bytes = text.data;

	buffer_clear(out);
	buffer_append_text(out, "");
	for (size_t i = 0; i < text.size; i++) {
		char byte = bytes[i];

		if (byte == '+')
			byte = ' ';
		if (byte == '%' && i + 2 < text.size &&
		    hex_digit(bytes[i + 1]) >= 0 &&
		    hex_digit(bytes[i + 2]) >= 0) {
			byte = (char)(hex_digit(bytes[i + 1]) * 16 +
				      hex_digit(bytes[i + 2]));
			i += 2;
		}
		if (byte == '\0')
			return false;
		buffer_append_byte(out, byte);
	}
	return true;
}

/* Add the field "name=value" to the form. Return false if it contains a NUL. */
static bool form_add_field(json_t *form, struct slice field)
{
	const char *bytes = field.data;
	const char *equals = memchr(bytes, '=', field.size);
	size_t size = equals == NULL ? field.size : (size_t)(equals - bytes);
	struct buffer name = {0};
	struct buffer value = {0};
	bool is_right = form_decode((struct slice){bytes, size}, &name);

	if (equals != NULL && is_right)
		is_right = form_decode(
			(struct slice){equals + 1, field.size - size - 1},
			&value);
	/*
	 * json_string() returns NULL for invalid UTF-8; then the field is not
	 * set
	 */
	if (is_right && value.size > 0)
		json_object_set_new(form, name.data, json_string(value.data));
	buffer_free(&name);
	buffer_free(&value);
	return is_right;
}

json_t *ui_form_read(struct slice body)
{
	json_t *form = json_object();
	const char *at = body.data;
	size_t left = body.size;
	bool is_right = left <= UI_FORM_MAX_BYTES;

	for (unsigned i = 0; is_right && left > 0; i++) {
		const char *end = memchr(at, '&', left);
		size_t size = end == NULL ? left : (size_t)(end - at);

		is_right = i < UI_FORM_MAX_FIELDS &&
			   form_add_field(form, (struct slice){at, size});
		left -= end == NULL ? size : size + 1;
		at += end == NULL ? size : size + 1;
	}
	if (is_right)
		return form;
	json_decref(form);
	return NULL;
}

bool ui_form_is_ours(const char *origin, const char *host, const char *site)
{
	const char *rest = origin;

	if (origin == NULL || host == NULL || *host == '\0' ||
	    (site != NULL && strcmp(site, "same-origin") != 0))
		return false;
	if (strncmp(origin, "http://", 7) == 0)
		rest += 7;
	else if (strncmp(origin, "https://", 8) == 0)
		rest += 8;
	else
		return false;
	return strcmp(rest, host) == 0;
}

bool ui_form_number(json_t *form, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *text =
			json_string_value(json_object_get(form, names[i]));
		char *end;
		long long number;

		if (text == NULL)
			continue;
		errno = 0;
		number = strtoll(text, &end, 10);
		if (*text < '0' || *text > '9' || *end != '\0' || errno != 0)
			return false;
		json_object_set_new(form, names[i], json_integer(number));
	}
	return true;
}

void ui_form_flags(json_t *form, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		json_object_set_new(
			form, names[i],
			json_boolean(json_object_get(form, names[i]) != NULL));
}

bool ui_form_threshold(json_t *form)
{
	const char *text = json_member_text(form, "threshold");
	char *end;
	double number;

	if (text == NULL || strcmp(text, "auto") == 0)
		return true;
	number = strtod(text, &end);
	if (end == text || *end != '\0' || !(number >= 0 && number <= 1))
		return false;
	json_object_set_new(form, "threshold", json_real(number));
	return true;
}

/*
 * Add the header in the line of `size` bytes. Return false if the line has no
 * colon.
 */
static bool form_add_header(json_t *headers, const char *line, size_t size)
{
	const char *colon = memchr(line, ':', size);
	size_t name = colon == NULL ? 0 : (size_t)(colon - line);
	size_t value = name + 1;
	char key[256];

	if (size == 0)
		return true;
	if (colon == NULL || name >= sizeof(key))
		return false;
	memcpy(key, line, name);
	key[name] = '\0';
	while (value < size && line[value] == ' ')
		value++;
	json_object_set_new(headers, key,
			    json_stringn(line + value, size - value));
	return true;
}

bool ui_form_headers(json_t *form)
{
	const char *text = json_member_text(form, "headers");
	json_t *headers = json_object();
	bool is_right = true;

	if (json_object_get(form, "no_headers") != NULL)
		text = "";
	json_object_del(form, "no_headers");
	for (const char *line = text; line != NULL && *line != '\0' && is_right;
	     line += *line == '\n') {
		size_t size = strcspn(line, "\r\n");

		is_right = form_add_header(headers, line, size);
		line += size;
		line += *line == '\r';
	}
	if (text != NULL)
		json_object_set(form, "headers", headers);
	json_decref(headers);
	return is_right;
}

void ui_form_lines(json_t *form, const char *name)
{
	const char *text = json_member_text(form, name);
	json_t *lines = json_array();

	for (const char *line = text; line != NULL && *line != '\0';) {
		size_t size = strcspn(line, "\r\n");

		if (size > 0)
			json_array_append_new(lines, json_stringn(line, size));
		line += size + strspn(line + size, "\r\n");
	}
	json_object_set_new(form, name, lines);
}

static const struct {
	const char *path;
	const char *name;
} sections[UI_SECTIONS] = {
	[UI_SITES] = {"/", "Sites"},
	[UI_ALERTS] = {"/ui/alerts", "Alerts"},
	[UI_CLUSTER] = {"/ui/nodes", "Cluster"},
	[UI_DAEMON] = {"/ui/daemon", "Daemon"},
};

static void html_append_hash(struct buffer *out, const char *text)
{
	char coded[BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE)];
	uint8_t digest[SHA256_DIGEST_SIZE];
	struct sha256_ctx hash;

	sha256_init(&hash);
	sha256_update(&hash, strlen(text), (const uint8_t *)text);
	sha256_digest(&hash, sizeof(digest), digest);
	base64_encode_raw(coded, sizeof(digest), digest);
	buffer_append_text(out, "'sha256-");
	buffer_append(out, coded, sizeof(coded));
	buffer_append_byte(out, '\'');
}

void ui_policy(struct buffer *out, bool has_attributes)
{
	buffer_append_text(out, "default-src 'none'; script-src ");
	html_append_hash(out, ui_script);
	buffer_append_text(out, "; style-src ");
	html_append_hash(out, ui_style);
	if (has_attributes)
		buffer_append_text(out, "; style-src-attr 'unsafe-inline'");
	buffer_append_text(out, "; img-src data:; connect-src 'self'; "
				"frame-src 'self'; form-action 'self'; "
				"base-uri 'none'; frame-ancestors 'none'");
}

static void append_icon(struct buffer *out)
{
	char coded[BASE64_ENCODE_RAW_LENGTH(4096)];
	size_t size = strlen(ui_icon);

	if (size > 4096)
		return;
	base64_encode_raw(coded, size, (const uint8_t *)ui_icon);
	buffer_append_text(out, "<link rel=\"icon\" "
				"href=\"data:image/svg+xml;base64,");
	buffer_append(out, coded, BASE64_ENCODE_RAW_LENGTH(size));
	buffer_append_text(out, "\">\n");
}

/*
 * Append the names of all kinds of events. The script subscribes to these
 * kinds.
 */
static void append_kinds(struct buffer *out)
{
#define X(name, value, text) " " text
	static const char kinds[] = EVENT_LIST(X);
#undef X

	buffer_append_text(out, kinds + 1);
}

static bool html_section_is_shown(const struct ui_frame *frame,
				  unsigned section)
{
	if (section == UI_CLUSTER)
		return frame->has_cluster && !frame->is_reader;
	return section != UI_DAEMON || !frame->is_reader;
}

static void append_navigation(struct buffer *out, const struct ui_frame *frame)
{
	html_write(out, NULL,
		   "<a class=\"skip\" href=\"#main\">Skip to content</a>\n"
		   "<header class=\"bar\"><a class=\"brand\" href=\"/\">{html}"
		   "templated</a><nav aria-label=\"Pages\"><ul>",
		   ui_icon);
	for (unsigned i = 0; i < UI_SECTIONS; i++)
		if (html_section_is_shown(frame, i))
			html_write(out, NULL,
				   "<li><a href=\"{html}\"{?} "
				   "aria-current=\"page\"{.}>{html}</a></li>",
				   sections[i].path, i == frame->section,
				   sections[i].name);
	buffer_append_text(
		out, "</ul></nav>"
		     "<form class=\"find\" action=\"/ui/page\" role=\"search\">"
		     "<input name=\"url\" type=\"url\" required "
		     "aria-label=\"Address of a page\" "
		     "placeholder=\"https://… read a page\">"
		     "<button>Read</button></form>"
		     "<span id=\"live\" class=\"live\" role=\"status\" "
		     "data-kinds=\"");
	append_kinds(out);
	buffer_append_byte(out, '"');
	if (frame->is_live)
		buffer_printf(out, " data-since=\"%" PRIu64 "\"", frame->since);
	buffer_append_text(out, "></span>");
	if (frame->can_leave)
		buffer_append_text(out,
				   "<form method=\"post\" action=\"/logout\">"
				   "<button>Sign out</button></form>");
	buffer_append_text(out, "</header>\n");
}

void ui_begin(struct buffer *out, const struct ui_frame *frame)
{
	markup_begin_document(out, NULL);
	html_write(out, NULL,
		   "<meta name=\"color-scheme\" content=\"light dark\">\n"
		   "<title>{text} · templated</title>\n",
		   frame->title);
	append_icon(out);
	html_write(out, NULL, "<style>{html}</style>\n</head>\n<body>\n",
		   ui_style);
	append_navigation(out, frame);
	buffer_append_text(out, "<main id=\"main\" tabindex=\"-1\">\n");
	if (frame->notice != NULL)
		html_write(out, NULL,
			   "<p class=\"notice{?} warn{.}\" role=\"status\">"
			   "{text}</p>\n",
			   frame->is_warning, frame->notice);
	if (frame->missing != NULL)
		html_write(
			out, NULL,
			"<p class=\"notice warn\" role=\"status\">Incomplete: "
			"these nodes do not respond: {long}</p>\n",
			frame->missing);
	if (frame->is_stale)
		buffer_append_text(
			out, "<p class=\"notice warn\" role=\"status\">This "
			     "may be outdated: it comes from a node that does "
			     "not own the site.</p>\n");
}

void ui_end(struct buffer *out)
{
	html_write(out, NULL,
		   "</main>\n<footer><p>All times are UTC.</p></footer>\n"
		   "<script>{html}</script>\n</body>\n</html>\n",
		   ui_script);
}

void ui_failure(struct buffer *out, const struct ui_frame *frame,
		unsigned status, const char *message)
{
	static const struct {
		unsigned status;
		const char *title;
	} titles[] = {
		{400, "Invalid request"}, {403, "Not allowed"},
		{404, "Not found"},       {409, "Already exists"},
		{413, "Too large"},       {503, "Too busy"},
		{504, "Not yet"},
	};
	const char *title = "Internal error";

	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (titles[i].status == status)
			title = titles[i].title;
	ui_begin(out, &(struct ui_frame){.title = title,
					 .section = UI_SECTIONS,
					 .is_reader = frame->is_reader,
					 .can_leave = frame->can_leave,
					 .has_cluster = frame->has_cluster});
	html_write(out, NULL,
		   "<h1>{html}</h1>\n<p class=\"lede\">{long}</p>\n"
		   "<p><a href=\"/\">All sites</a></p>\n",
		   title, message);
	ui_end(out);
}

/*
 * Append a button for an action on the event; the label of the button names the
 * event.
 */
static void event_list_action(struct buffer *out, const json_t *event,
			      const char *action, const char *text)
{
	const char *id = ui_member(event, "cluster");
	char label[256];

	snprintf(label, sizeof(label), "%s: %s, %s", text,
		 ui_member(event, "kind"),
		 *id == '\0' ? ui_member(event, "site") : id);
	html_write(out, event,
		   "<form method=\"post\" action=\"/ui/alerts/{number:seq}/"
		   "{html}\"><button aria-label=\"{text}\">{html}</button>"
		   "</form>",
		   action, label, text);
}

static void event_list_actions(struct buffer *out, const json_t *event)
{
	if (!ui_is_true(event, "alert"))
		return;
	if (ui_is_true(event, "acknowledged")) {
		buffer_append_text(out,
				   "<span class=\"badge\">acknowledged</span>");
		return;
	}
	event_list_action(out, event, "ack", "Acknowledge");
	if (ui_is_true(event, "silenced"))
		buffer_append_text(out, " <span class=\"badge\">silenced"
					"</span>");
	else
		event_list_action(out, event, "silence", "Silence");
}

static void event_list_event(struct buffer *out, const json_t *event,
			     const struct ui_event_list *shown,
			     const char *const *heads)
{
	struct html_row row = html_begin_row(out, heads);

	html_cells(&row, event, "|{time:time}");
	if (shown->has_site)
		html_cells(&row, event, "|{site:site}");
	html_cells(
		&row, event,
		"|<a class=\"badge {html}\" href=\"/ui/alerts/{number:seq}\">"
		"{label:kind}</a>|<span>{?cluster}{template:cluster} {.}"
		"{summary}{!cluster}{?url} {page:url}{.}{.}</span>",
		html_state_class(ui_member(event, "kind")));
	if (!shown->is_reader) {
		html_cells(&row, event, "|<span>");
		event_list_actions(out, event);
		buffer_append_text(out, "</span>");
	}
	html_end_row(&row);
}

void ui_events(struct buffer *out, const struct ui_event_list *shown)
{
	struct html_table table = {.caption = "Events",
				   .heads = {"Time", "Event", "What", "#Do"}};
	const json_t *event;
	size_t i;

	if (shown->has_site)
		table = (struct html_table){
			.caption = "Events",
			.heads = {"Time", "Site", "Event", "What", "#Do"}};
	if (shown->is_reader)
		table.heads[3 + shown->has_site] = NULL;
	ui_table(out, &table);
	json_array_foreach(shown->events, i, event)
	{
		if (i == shown->max)
			break;
		event_list_event(out, event, shown, table.heads);
	}
	ui_table_end(out);
}

void ui_crumbs(struct buffer *out, const char *host, const char *here)
{
	html_write(out, NULL, "<p class=\"crumbs\"><a href=\"/\">Sites</a>");
	if (*host != '\0')
		html_write(out, NULL, " / {site}", host);
	if (here != NULL)
		html_write(out, NULL, " / {text}", here);
	buffer_append_text(out, "</p>\n");
}

unsigned ui_tab_find(const struct ui_tab_row *tabs, unsigned count,
		     const char *name)
{
	unsigned tab = 0;

	while (tab < count && strcmp(tabs[tab].name, name) != 0)
		tab++;
	return tab;
}

void ui_tabs(struct buffer *out, const struct ui_tabs *shown)
{
	buffer_printf(out, "<nav aria-label=\"%s\"><ul class=\"tabs\">",
		      shown->label);
	for (unsigned i = 0; i < shown->count; i++)
		if (!shown->is_reader || !shown->tabs[i].is_closed)
			html_write(
				out, NULL,
				"<li><a href=\"{html}{?}/{.}{html}{html}\"{?} "
				"aria-current=\"page\"{.}>{html}</a></li>",
				shown->path, i > 0, shown->tabs[i].name,
				shown->query, i == shown->current,
				shown->tabs[i].title);
	buffer_append_text(out, "</ul></nav>\n");
}
