#include "daemon/web/ui_html.h"

#include <string.h>

#include "daemon/runtime/terminal.h"
#include "page/escape.h"

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

static bool is_unreserved(char byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' ||
	       byte == '_' || byte == '~' || byte == ':';
}

void ui_escape(struct buffer *out, const char *text)
{
	for (; *text != '\0'; text++)
		if (is_unreserved(*text))
			buffer_append_byte(out, *text);
		else
			buffer_printf(out, "%%%02X", (unsigned char)*text);
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

void ui_time(struct buffer *out, const json_t *time)
{
	const char *text = json_string_value(time);

	if (text == NULL || !ui_is_time(text))
		buffer_append_text(out, "–");
	else
		buffer_printf(out, "<time datetime=\"%s\">%.10s %.5s</time>",
			      text, text, text + strlen("0000-00-00T"));
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
	for (const char *at = id; at < slash; at++)
		ui_escape(out, (const char[2]){*at, '\0'});
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
