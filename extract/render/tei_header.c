#include "extract/render/tei_header.h"

#include "base/buffer.h"
#include "extract/core/markup.h"
#include "extract/metadata/metadata.h"
#include "extract/render/render.h"
#include "page/escape.h"
#include "page/page.h"

enum {
	DATE_LENGTH = 10, /* YYYY-MM-DD */
	MAX_LANGUAGE_TAG = 35,
};

static void append_plain(struct buffer *out, struct slice value)
{
	struct buffer plain = {0};

	markup_append_plain(&plain, value, false);
	escape_append(out, buffer_slice(&plain));
	buffer_free(&plain);
}

void tei_attribute(struct buffer *out, const char *name, struct slice value)
{
	buffer_printf(out, " %s=\"", name);
	append_plain(out, value);
	buffer_append_byte(out, '"');
}

static void write_element(struct buffer *out, const char *name,
			  struct slice value)
{
	if (value.size == 0)
		return;
	buffer_printf(out, "<%s>", name);
	append_plain(out, value);
	buffer_printf(out, "</%s>\n", name);
}

static bool is_language_tag(struct slice tag)
{
	const char *bytes = tag.data;

	if (tag.size == 0 || tag.size > MAX_LANGUAGE_TAG)
		return false;
	for (size_t i = 0; i < tag.size; i++) {
		char byte = bytes[i];
		bool is_letter = (byte >= 'a' && byte <= 'z') ||
				 (byte >= 'A' && byte <= 'Z');

		if (!is_letter &&
		    (i == 0 || ((byte < '0' || byte > '9') && byte != '-')))
			return false;
	}
	return true;
}

struct slice tei_language(const struct render_request *request)
{
	struct slice tag = request->metadata == NULL
				   ? request->page->language
				   : request->metadata->language.value;

	return is_language_tag(tag) ? tag : (struct slice){"", 0};
}

/* Write the title; TEI requires the element even if the page has no title. */
static void tei_write_title(struct buffer *out,
			    const struct render_request *request)
{
	buffer_append_text(out, "<title>");
	append_plain(out, request->metadata == NULL
				  ? request->page->title
				  : request->metadata->title.value);
	buffer_append_text(out, "</title>\n");
}

static void write_authors(struct buffer *out, const struct metadata *metadata)
{
	for (size_t i = 0; metadata != NULL && i < metadata->author_count; i++)
		write_element(out, "author", metadata->authors[i].value);
}

static void write_date(struct buffer *out, const char *type, struct slice date)
{
	struct slice day = {date.data, DATE_LENGTH};

	if (date.size < DATE_LENGTH)
		return;
	buffer_append_text(out, "<date");
	tei_attribute(out, "type", slice_of(type));
	tei_attribute(out, "when", day);
	buffer_append_byte(out, '>');
	append_plain(out, date);
	buffer_append_text(out, "</date>\n");
}

static void write_source(struct buffer *out,
			 const struct render_request *request)
{
	const struct metadata *metadata = request->metadata;

	buffer_append_text(out, "<sourceDesc><bibl>\n");
	tei_write_title(out, request);
	write_authors(out, metadata);
	if (metadata != NULL) {
		write_element(out, "publisher", metadata->site_name.value);
		write_date(out, "published", metadata->published.value);
		write_date(out, "modified", metadata->modified.value);
	}
	if (request->url.size > 0) {
		buffer_append_text(out, "<ptr");
		tei_attribute(out, "target", request->url);
		buffer_append_text(out, "/>\n");
	}
	buffer_append_text(out, "</bibl></sourceDesc>\n");
}

static void write_keywords(struct buffer *out, const struct metadata *metadata)
{
	if (metadata == NULL ||
	    (metadata->tag_count == 0 && metadata->page_type.value.size == 0))
		return;
	buffer_append_text(out, "<textClass>\n");
	if (metadata->tag_count > 0) {
		buffer_append_text(out, "<keywords>\n");
		for (size_t i = 0; i < metadata->tag_count; i++)
			write_element(out, "term", metadata->tags[i].value);
		buffer_append_text(out, "</keywords>\n");
	}
	if (metadata->page_type.value.size > 0) {
		buffer_append_text(out, "<keywords scheme=\"#page-type\">\n");
		write_element(out, "term", metadata->page_type.value);
		buffer_append_text(out, "</keywords>\n");
	}
	buffer_append_text(out, "</textClass>\n");
}

static void write_profile(struct buffer *out,
			  const struct render_request *request)
{
	struct slice language = tei_language(request);
	struct slice description =
		request->metadata == NULL
			? request->page->description
			: request->metadata->description.value;

	buffer_append_text(out, "<profileDesc>\n");
	if (description.size > 0) {
		buffer_append_text(out, "<abstract>");
		write_element(out, "p", description);
		buffer_append_text(out, "</abstract>\n");
	}
	if (language.size > 0) {
		buffer_append_text(out, "<langUsage><language");
		tei_attribute(out, "ident", language);
		buffer_append_text(out, "/></langUsage>\n");
	}
	write_keywords(out, request->metadata);
	buffer_append_text(out, "</profileDesc>\n");
}

void tei_header(const struct render_request *request, struct buffer *out)
{
	buffer_append_text(out, "<teiHeader>\n<fileDesc>\n<titleStmt>\n");
	tei_write_title(out, request);
	write_authors(out, request->metadata);
	buffer_append_text(out, "</titleStmt>\n<publicationStmt>"
				"<p>Main content of a web page</p>"
				"</publicationStmt>\n");
	write_source(out, request);
	buffer_append_text(out, "</fileDesc>\n");
	write_profile(out, request);
	buffer_append_text(out, "</teiHeader>\n");
}
