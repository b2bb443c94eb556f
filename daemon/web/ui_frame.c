#include "daemon/web/ui_frame.h"

#include <inttypes.h>

#include <nettle/base64.h>
#include <nettle/sha2.h>

#include "daemon/web/ui_files.h"
#include "daemon/web/ui_html.h"
#include "store/rows_event.h"

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
	buffer_append_text(
		out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width, "
		     "initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n"
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
