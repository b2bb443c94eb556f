#include "daemon/api/atom.h"

#include <stdlib.h>
#include <string.h>

#include "base/date.h"
#include "daemon/query/event_summary.h"
#include "extract/core/markup.h"
#include "page/escape.h"

enum { MAX_ITEMS = 100, MAX_VALUE_BYTES = 2000 };

/* The domain "invalid" is reserved (RFC 2606). */
#define TAG "tag:templated.invalid,2026:"

/*
 * Append text as one line of XML, without the characters that XML 1.0 forbids.
 */
static void append_text(struct buffer *out, struct slice text)
{
	struct buffer plain = {0};

	markup_append_plain(&plain, text, false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&plain);
}

static void atom_append_time(struct buffer *out, const char *name,
			     uint64_t time_ms)
{
	char text[DATE_BYTES];

	if (date_format(time_ms, text))
		buffer_printf(out, "<%s>%s</%s>\n", name, text, name);
}

static void append_link(struct buffer *out, struct slice url)
{
	buffer_append_text(out, "<link rel=\"alternate\" href=\"");
	append_text(out, url);
	buffer_append_text(out, "\"/>\n");
}

void atom_begin(const struct atom_site *site, struct buffer *out)
{
	buffer_append_text(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
				"<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
				"<id>" TAG);
	append_text(out, site->host);
	buffer_append_text(out, "</id>\n<title>Templates of ");
	append_text(out, site->host);
	buffer_append_text(out, "</title>\n");
	atom_append_time(out, "updated", site->updated_ms);
	buffer_append_text(out, "<author><name>templated</name></author>\n"
				"<link rel=\"self\" href=\"/v1/sites/");
	append_text(out, site->host);
	buffer_append_text(out, "/feed\"/>\n");
	append_link(out, site->seed);
}

/* Append any value on one line, truncated if long. */
static void atom_append_value(struct buffer *html, const json_t *value)
{
	char *dumped = NULL;
	struct slice text = slice_of(json_string_value(value));
	struct buffer plain = {0};

	if (!json_is_string(value)) {
		dumped = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY |
						   JSON_REAL_PRECISION(6));
		text = slice_of(dumped);
	}
	if (text.size > MAX_VALUE_BYTES)
		text.size = MAX_VALUE_BYTES;
	buffer_append_slice(&plain, text);
	buffer_append_text(&plain, ""); /* for the terminating NUL */
	markup_append_label(html, plain.data);
	buffer_free(&plain);
	free(dumped);
}

static void atom_append_list(struct buffer *html, const json_t *list)
{
	size_t count = json_array_size(list);

	buffer_append_text(html, "<ul>");
	for (size_t i = 0; i < count && i < MAX_ITEMS; i++) {
		buffer_append_text(html, "<li>");
		atom_append_value(html, json_array_get(list, i));
		buffer_append_text(html, "</li>");
	}
	if (count > MAX_ITEMS)
		buffer_printf(html, "<li>and %zu more</li>", count - MAX_ITEMS);
	buffer_append_text(html, "</ul>");
}

/* Append the evidence: each member of the detail under its name. */
static void append_detail(struct buffer *html, const json_t *detail)
{
	const char *name;
	json_t *value;

	if (!json_is_object(detail))
		return;
	buffer_append_text(html, "<dl>");
	/* jansson's iterators take no const object */
	json_object_foreach((json_t *)detail, name, value)
	{
		buffer_append_text(html, "<dt>");
		markup_append_label(html, name);
		buffer_append_text(html, "</dt><dd>");
		if (json_is_array(value))
			atom_append_list(html, value);
		else
			atom_append_value(html, value);
		buffer_append_text(html, "</dd>");
	}
	buffer_append_text(html, "</dl>");
}

static void append_content(struct buffer *out, struct slice summary,
			   const json_t *event)
{
	struct buffer html = {0};

	buffer_append_text(&html, "<p>");
	append_text(&html, summary);
	buffer_append_text(&html, "</p>");
	append_detail(&html, json_object_get(event, "detail"));
	buffer_append_text(out, "<content type=\"html\">");
	append_text(out, buffer_slice(&html));
	buffer_append_text(out, "</content>\n");
	buffer_free(&html);
}

static void atom_append_title(struct buffer *title,
			      const struct atom_site *site, const json_t *event)
{
	const char *cluster =
		json_string_value(json_object_get(event, "cluster"));

	if (cluster == NULL)
		buffer_append_slice(title, site->host);
	else
		buffer_append_text(title, cluster);
	buffer_append_text(title, ": ");
	event_summary(event, title);
}

void atom_entry(const struct atom_site *site, const json_t *event,
		uint64_t time_ms, struct buffer *out)
{
	const char *kind = json_string_value(json_object_get(event, "kind"));
	const char *url = json_string_value(json_object_get(event, "url"));
	struct buffer title = {0};

	atom_append_title(&title, site, event);
	buffer_append_text(out, "<entry>\n<id>" TAG);
	append_text(out, site->host);
	/*
	 * the time makes the id unique: a new store counts events from 1 again
	 */
	buffer_printf(out, ":%" JSON_INTEGER_FORMAT ":%llu</id>\n<title>",
		      json_integer_value(json_object_get(event, "seq")),
		      (unsigned long long)time_ms);
	append_text(out, buffer_slice(&title));
	buffer_append_text(out, "</title>\n");
	atom_append_time(out, "updated", time_ms);
	append_link(out, url == NULL ? site->seed : slice_of(url));
	buffer_append_text(out, "<category term=\"");
	append_text(out, slice_of(kind));
	buffer_append_text(out, "\"/>\n");
	append_content(out, buffer_slice(&title), event);
	buffer_append_text(out, "</entry>\n");
	buffer_free(&title);
}

void atom_end(struct buffer *out)
{
	buffer_append_text(out, "</feed>\n");
}
