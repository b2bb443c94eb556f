#include "daemon/web/html.h"

#include <errno.h>
#include <inttypes.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/date.h"
#include "base/utf8.h"
#include "crawl/url/url.h"
#include "daemon/query/event.h"
#include "daemon/runtime/terminal.h"
#include "page/markup.h"
#include "page/page.h"
#include "store/rows.h"

enum { BYTES_PER_COLUMN = 4 }; /* maximum size of a character */

void html_append_text(struct buffer *out, struct slice text, size_t columns)
{
	struct buffer cut = {0};

	/* zero-width characters use no column */
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

void html_begin_figure(struct buffer *out, const char *name, uint64_t count)
{
	buffer_append_text(out, "<div>");
	markup_begin_term(out, name);
	html_append_count(out, count);
}

/* ARIA roles, because the style may turn the table into blocks */
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

void html_begin_cell(struct buffer *out, const char *head)
{
	buffer_printf(out, "<td role=\"cell\"%s data-head=\"%s\">",
		      *head == '#' ? " class=\"num\"" : "",
		      head + (*head == '#'));
}

/* Append the decoded text; false if it contains a NUL. */
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

/* Add the field "name=value". */
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
	/* jansson rejects invalid UTF-8 */
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
	const char *text =
		json_string_value(json_object_get(form, "threshold"));
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

/* Add the header in a line of `size` bytes; false if it has no colon. */
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
	const char *text = json_string_value(json_object_get(form, "headers"));
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

const char *ui_member(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : text;
}

uint64_t ui_whole(const json_t *object, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(object, name));

	return value < 0 ? 0 : (uint64_t)value;
}

bool ui_is_true(const json_t *object, const char *name)
{
	return json_is_true(json_object_get(object, name));
}

void ui_text(struct buffer *out, const char *text, size_t columns)
{
	html_append_text(out, slice_of(text), columns);
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

/* Format: 2025-11-22T10:07:00Z */
bool ui_is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	for (size_t i = 0; i < sizeof(form); i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9'
				   : text[i] != form[i])
			return false;
	return true;
}

/* `text` is a time of the API, or NULL. */
static void html_append_date(struct buffer *out, const char *text)
{
	if (text == NULL)
		buffer_append_text(out, "–");
	else
		buffer_printf(out, "<time datetime=\"%s\">%.10s %.5s</time>",
			      text, text, text + strlen("0000-00-00T"));
}

void html_append_time(struct buffer *out, uint64_t time_ms)
{
	char text[DATE_BYTES];

	html_append_date(
		out, time_ms != 0 && date_format(time_ms, text) ? text : NULL);
}

void ui_time(struct buffer *out, const json_t *time)
{
	const char *text = json_string_value(time);

	html_append_date(out, text != NULL && ui_is_time(text) ? text : NULL);
}

void ui_badge(struct buffer *out, const char *class, const char *text)
{
	buffer_printf(out, "<span class=\"badge %s\">", class);
	ui_text(out, text, UI_LABEL_COLUMNS);
	buffer_append_text(out, "</span>");
}

void ui_page_link(struct buffer *out, const char *url, const char *text)
{
	buffer_append_text(out, "<a href=\"/ui/page?url=");
	ui_escape(out, url);
	buffer_append_text(out, "\">");
	if (*text == '\0')
		ui_text(out, url, UI_URL_COLUMNS);
	else
		ui_text(out, text, UI_TEXT_COLUMNS);
	buffer_append_text(out, "</a>");
}

void ui_site_link(struct buffer *out, const char *host)
{
	buffer_append_text(out, "<a href=\"/ui/sites/");
	ui_escape(out, host);
	buffer_append_text(out, "\">");
	ui_text(out, host, UI_URL_COLUMNS);
	buffer_append_text(out, "</a>");
}

void ui_template_link(struct buffer *out, const char *id)
{
	const char *slash = strrchr(id, '/');

	if (slash == NULL) {
		buffer_append_text(out, "–");
		return;
	}
	buffer_append_text(out, "<a href=\"/ui/templates/");
	percent_append(out, (struct slice){id, (size_t)(slash - id)}, ":");
	buffer_append_byte(out, '/');
	ui_escape(out, slash + 1);
	buffer_append_text(out, "\"><code>");
	ui_text(out, id, UI_URL_COLUMNS);
	buffer_append_text(out, "</code></a>");
}

void ui_foreign_link(struct buffer *out, const char *url)
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
	ui_text(out, url, UI_URL_COLUMNS);
	if (is_link)
		buffer_append_text(out, "</a>");
}

void ui_table(struct buffer *out, const char *caption, const char *const *heads)
{
	buffer_append_text(out, "<div class=\"scroll\">");
	html_begin_table(out, caption, heads);
}

void ui_table_end(struct buffer *out)
{
	html_end_table(out);
	buffer_append_text(out, "</div>\n");
}

void ui_text_cell(struct buffer *out, const char *head, const char *text,
		  size_t columns)
{
	html_begin_cell(out, head);
	ui_text(out, text, columns);
	buffer_append_text(out, "</td>");
}

void ui_code_cell(struct buffer *out, const char *head, const char *text,
		  size_t columns)
{
	html_begin_cell(out, head);
	buffer_append_text(out, "<code>");
	ui_text(out, text, columns);
	buffer_append_text(out, "</code></td>");
}

void ui_count_cell(struct buffer *out, const char *head, uint64_t count)
{
	html_begin_cell(out, head);
	if (count == 0)
		buffer_append_text(out, "<span class=\"soft\">0</span>");
	else
		html_append_count(out, count);
	buffer_append_text(out, "</td>");
}

void ui_button(struct buffer *out, const char *path, const char *text,
	       const char *label)
{
	buffer_append_text(out, "<form method=\"post\" action=\"");
	buffer_append_text(out, path);
	buffer_append_text(out, "\"><button");
	if (label != NULL) {
		buffer_append_text(out, " aria-label=\"");
		ui_text(out, label, UI_TEXT_COLUMNS);
		buffer_append_byte(out, '"');
	}
	buffer_append_byte(out, '>');
	buffer_append_text(out, text);
	buffer_append_text(out, "</button></form>");
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

/* Append the event names that the script subscribes to. */
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
	buffer_append_text(
		out,
		"<a class=\"skip\" href=\"#main\">Skip to content</a>\n<header "
		"class=\"bar\"><a class=\"brand\" href=\"/\">");
	buffer_append_text(out, ui_icon);
	buffer_append_text(out, "templated</a>"
				"<nav aria-label=\"Pages\"><ul>");
	for (unsigned i = 0; i < UI_SECTIONS; i++)
		if (html_section_is_shown(frame, i))
			buffer_printf(out, "<li><a href=\"%s\"%s>%s</a></li>",
				      sections[i].path,
				      i == frame->section
					      ? " aria-current=\"page\""
					      : "",
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
		ui_button(out, "/logout", "Sign out", NULL);
	buffer_append_text(out, "</header>\n");
}

/* Warn if the page is incomplete or outdated. */
static void append_warnings(struct buffer *out, const struct ui_frame *frame)
{
	if (frame->missing != NULL) {
		buffer_append_text(
			out,
			"<p class=\"notice warn\" role=\"status\">Incomplete: "
			"these nodes do not respond: ");
		ui_text(out, frame->missing, UI_LONG_COLUMNS);
		buffer_append_text(out, "</p>\n");
	}
	if (frame->is_stale)
		buffer_append_text(
			out, "<p class=\"notice warn\" role=\"status\">This "
			     "may be outdated: it comes from a node that does "
			     "not own the site.</p>\n");
}

void ui_begin(struct buffer *out, const struct ui_frame *frame)
{
	markup_begin_document(out, NULL);
	buffer_append_text(
		out, "<meta name=\"color-scheme\" content=\"light dark\">\n"
		     "<title>");
	ui_text(out, frame->title, UI_TEXT_COLUMNS);
	buffer_append_text(out, " · templated</title>\n");
	append_icon(out);
	buffer_append_text(out, "<style>");
	buffer_append_text(out, ui_style);
	buffer_append_text(out, "</style>\n</head>\n<body>\n");
	append_navigation(out, frame);
	buffer_append_text(out, "<main id=\"main\" tabindex=\"-1\">\n");
	if (frame->notice != NULL) {
		buffer_printf(out, "<p class=\"notice%s\" role=\"status\">",
			      frame->is_warning ? " warn" : "");
		ui_text(out, frame->notice, UI_TEXT_COLUMNS);
		buffer_append_text(out, "</p>\n");
	}
	append_warnings(out, frame);
}

void ui_end(struct buffer *out)
{
	buffer_append_text(out, "</main>\n<footer><p>All times are UTC.</p>"
				"</footer>\n<script>");
	buffer_append_text(out, ui_script);
	buffer_append_text(out, "</script>\n</body>\n</html>\n");
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
	buffer_printf(out, "<h1>%s</h1>\n<p class=\"lede\">", title);
	ui_text(out, message, UI_LONG_COLUMNS);
	buffer_append_text(out, "</p>\n<p><a href=\"/\">All sites</a></p>\n");
	ui_end(out);
}

void ui_site_state(struct buffer *out, const json_t *site)
{
	const char *state = ui_member(site, "state");
	const char *class = "soft";

	if (strcmp(state, "crawling") == 0 || strcmp(state, "selecting") == 0)
		class = "busy";
	else if (strcmp(state, "watching") == 0)
		class = "good";
	else if (strcmp(state, "no_credentials") == 0)
		class = "bad";
	ui_badge(out, class, state);
	if (ui_is_true(site, "stale"))
		buffer_append_text(out, " <span class=\"badge warn\">stale"
					"</span>");
	if (ui_is_true(site, "blocked"))
		buffer_append_text(out, " <span class=\"badge bad\">blocked"
					"</span>");
	if (ui_is_true(site, "offline"))
		buffer_append_text(out, " <span class=\"badge\">offline"
					"</span>");
}

/* A crawl ends when nothing is pending, or when the budget is used up. */
void ui_site_bar(struct buffer *out, const json_t *site)
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

void ui_site_budget(struct buffer *out, const json_t *site)
{
	uint64_t pending = ui_whole(site, "pending");

	ui_site_bar(out, site);
	buffer_append_text(out, "<span class=\"small soft\">");
	html_append_count(out, ui_whole(site, "tried"));
	buffer_append_text(out, " of ");
	html_append_count(out, ui_whole(site, "max_pages"));
	if (pending > 0) {
		buffer_append_text(out, ", ");
		html_append_count(out, pending);
		buffer_append_text(out, " to go");
	}
	buffer_append_text(out, "</span>");
}

/* At most one fetch per delay. */
void ui_site_rate(struct buffer *out, const json_t *site)
{
	uint64_t delay_ms = ui_whole(site, "delay_ms");

	if (delay_ms == 0)
		buffer_append_text(out, "no limit");
	else
		buffer_printf(out, "%.3g", 60000.0 / (double)delay_ms);
}

static const char *event_badge_class(const char *kind)
{
	static const char *const bad[] = {"guard.firing", "guard.suspended",
					  "site.blocked", "template.removed"};
	static const char *const warn[] = {"template.changed",
					   "template.replaced", "site.stale",
					   "template.merged", "template.split"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (strcmp(kind, bad[i]) == 0)
			return "bad";
	for (size_t i = 0; i < sizeof(warn) / sizeof(*warn); i++)
		if (strcmp(kind, warn[i]) == 0)
			return "warn";
	return strcmp(kind, "guard.resolved") == 0 ||
			       strcmp(kind, "template.added") == 0
		       ? "good"
		       : "soft";
}

static void append_summary(struct buffer *out, const json_t *event)
{
	struct buffer sentence = {0};
	const char *id = ui_member(event, "cluster");

	if (*id != '\0') {
		ui_template_link(out, id);
		buffer_append_text(out, " ");
	}
	event_summary(event, &sentence);
	buffer_append_byte(&sentence, '\0');
	ui_text(out, sentence.data, UI_LONG_COLUMNS);
	buffer_free(&sentence);
	if (*id == '\0' && *ui_member(event, "url") != '\0') {
		buffer_append_text(out, " ");
		ui_page_link(out, ui_member(event, "url"), "");
	}
}

/* Append a button for the event; its label names the event. */
static void event_list_action(struct buffer *out, const json_t *event,
			      const char *action, const char *text)
{
	const char *id = ui_member(event, "cluster");
	char path[64];
	char label[256];

	snprintf(path, sizeof(path), "/ui/alerts/%" PRIu64 "/%s",
		 ui_whole(event, "seq"), action);
	snprintf(label, sizeof(label), "%s: %s, %s", text,
		 ui_member(event, "kind"),
		 *id == '\0' ? ui_member(event, "site") : id);
	ui_button(out, path, text, label);
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
			     const struct ui_event_list *shown)
{
	const char *kind = ui_member(event, "kind");

	buffer_append_text(out, "<tr role=\"row\">");
	html_begin_cell(out, "Time");
	ui_time(out, json_object_get(event, "time"));
	buffer_append_text(out, "</td>");
	if (shown->has_site) {
		html_begin_cell(out, "Site");
		ui_site_link(out, ui_member(event, "site"));
		buffer_append_text(out, "</td>");
	}
	html_begin_cell(out, "Event");
	buffer_printf(out,
		      "<a class=\"badge %s\" href=\"/ui/alerts/%" PRIu64 "\">",
		      event_badge_class(kind), ui_whole(event, "seq"));
	ui_text(out, kind, UI_LABEL_COLUMNS);
	buffer_append_text(out, "</a></td>");
	html_begin_cell(out, "What");
	buffer_append_text(out, "<span>");
	append_summary(out, event);
	buffer_append_text(out, "</span></td>");
	if (!shown->is_reader) {
		buffer_append_text(out, "<td role=\"cell\" class=\"act\" "
					"data-head=\"\"><span>");
		event_list_actions(out, event);
		buffer_append_text(out, "</span></td>");
	}
	buffer_append_text(out, "</tr>\n");
}

void ui_events(struct buffer *out, const struct ui_event_list *shown)
{
	/* by has_site, then by is_reader */
	static const char *const heads[2][2][6] = {
		{{"Time", "Event", "What", "#Do", NULL},
		 {"Time", "Event", "What", NULL}},
		{{"Time", "Site", "Event", "What", "#Do", NULL},
		 {"Time", "Site", "Event", "What", NULL}},
	};
	const json_t *event;
	size_t i;

	ui_table(out, "Events", heads[shown->has_site][shown->is_reader]);
	json_array_foreach(shown->events, i, event)
	{
		if (i == shown->max)
			break;
		event_list_event(out, event, shown);
	}
	ui_table_end(out);
}

void ui_crumbs(struct buffer *out, const char *host, const char *here)
{
	buffer_append_text(out, "<p class=\"crumbs\"><a href=\"/\">Sites</a>");
	if (*host != '\0') {
		buffer_append_text(out, " / ");
		ui_site_link(out, host);
	}
	if (here != NULL) {
		buffer_append_text(out, " / ");
		ui_text(out, here, UI_TEXT_COLUMNS);
	}
	buffer_append_text(out, "</p>\n");
}

void ui_guard_state(struct buffer *out, const json_t *guard)
{
	const char *state = ui_member(guard, "state");

	ui_badge(out,
		 strcmp(state, "ok") == 0 ? "good"
		 : strcmp(state, "firing") == 0 ||
				 strcmp(state, "suspended") == 0
			 ? "bad"
			 : "soft",
		 state);
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
	for (unsigned i = 0; i < shown->count; i++) {
		if (shown->is_reader && shown->tabs[i].is_closed)
			continue;
		buffer_append_text(out, "<li><a href=\"");
		buffer_append_text(out, shown->path);
		buffer_printf(out, "%s%s", i == 0 ? "" : "/",
			      shown->tabs[i].name);
		buffer_append_text(out, shown->query);
		buffer_printf(out, "\"%s>%s</a></li>",
			      i == shown->current ? " aria-current=\"page\""
						  : "",
			      shown->tabs[i].title);
	}
	buffer_append_text(out, "</ul></nav>\n");
}
