#include "template/front_matter.h"

#include <stdbool.h>

#include "base/utf8.h"
#include "template/absolute.h"
#include "template/text_answer.h"

/* Return whether YAML 1.1 and 1.2 both allow the character in a line. */
static bool yaml_is_printable(uint32_t code)
{
	return code >= ' ' && (code < 0x7F || code >= 0xA0) && code != 0x2028 &&
	       code != 0x2029 && code != 0xFEFF &&
	       (code < 0xD800 || code > 0xDFFF) && (code & 0xFFFE) != 0xFFFE;
}

static void yaml_append_quoted(struct buffer *out, struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at + text.size;

	buffer_append_byte(out, '"');
	while (at < end) {
		const unsigned char *first = at;
		uint32_t code = utf8_next(&at, end);

		if (code == '"' || code == '\\')
			buffer_append_byte(out, '\\');
		if (yaml_is_printable(code))
			buffer_append(out, first, (size_t)(at - first));
		else
			buffer_append_byte(out, ' ');
	}
	buffer_append_text(out, "\"\n");
}

static void append_one(struct buffer *out, const char *name, struct slice value)
{
	if (value.size == 0)
		return;
	buffer_printf(out, "%s: ", name);
	yaml_append_quoted(out, value);
}

static void yaml_append_list(struct buffer *out, const char *name,
			     const struct metadatum *items, size_t count)
{
	if (count == 0)
		return;
	buffer_printf(out, "%s:\n", name);
	for (size_t i = 0; i < count; i++) {
		buffer_append_text(out, "  - ");
		yaml_append_quoted(out, items[i].value);
	}
}

/* Return the page's URL; empty for a file. */
static struct slice result_url(const struct extraction_result *answer)
{
	struct url url;

	if (url_parse(&url, slice_of(answer->url), NULL) != ERR_NONE ||
	    slice_equal(slice_of(url.host), slice_of(OFFLINE_HOST)))
		return (struct slice){"", 0};
	return slice_of(answer->url);
}

void front_matter_append(const struct extraction_result *answer,
			 struct buffer *out)
{
	const struct metadata *metadata = &answer->metadata;

	buffer_append_text(out, "---\n");
	append_one(out, "title", metadata->title.value);
	yaml_append_list(out, "authors", metadata->authors,
			 metadata->author_count);
	append_one(out, "published", metadata->published.value);
	append_one(out, "modified", metadata->modified.value);
	append_one(out, "url", result_url(answer));
	append_one(out, "site_name", metadata->site_name.value);
	append_one(out, "language", metadata->language.value);
	append_one(out, "description", metadata->description.value);
	append_one(out, "image", metadata->image.value);
	append_one(out, "licence", metadata->licence.value);
	yaml_append_list(out, "categories", metadata->categories,
			 metadata->category_count);
	yaml_append_list(out, "tags", metadata->tags, metadata->tag_count);
	buffer_append_text(out, "---\n\n");
}
