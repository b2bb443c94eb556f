#include "crawl/sitemap_text.h"

#include <strings.h>

#include "base/limit.h"

enum { MAX_PROSE_BYTES = LIMIT(64 * 1024, 1024) };

static bool sitemap_text_begins_with(struct slice text, const char *begin)
{
	size_t size = strlen(begin);

	return text.size >= size && strncasecmp(text.data, begin, size) == 0;
}

static struct slice sitemap_text_trim(struct slice line)
{
	const char *bytes = line.data;

	while (line.size > 0 &&
	       (bytes[line.size - 1] == ' ' || bytes[line.size - 1] == '\t'))
		line.size--;
	while (line.size > 0 && (*bytes == ' ' || *bytes == '\t')) {
		bytes++;
		line.size--;
	}
	line.data = bytes;
	return line;
}

static struct slice without_bom(struct slice line)
{
	if (sitemap_text_begins_with(line, "\xEF\xBB\xBF"))
		return (struct slice){(const char *)line.data + 3,
				      line.size - 3};
	return line;
}

static void sitemap_text_end_line(struct sitemap_text *text)
{
	struct slice line = sitemap_text_trim(
		without_bom((struct slice){text->line, text->size}));
	bool is_url = sitemap_text_begins_with(line, "http://") ||
		      sitemap_text_begins_with(line, "https://");

	text->size = 0;
	if (line.size == 0)
		return;
	if (is_url)
		text->out->kind = SITEMAP_TEXT;
	else
		line.size = 0;
	sitemap_out_emit(text->out, line, (struct sitemap_entry){0});
}

void sitemap_text_feed(struct sitemap_text *text, struct slice bytes)
{
	const unsigned char *at = bytes.data;

	for (size_t i = 0; i < bytes.size; i++) {
		if (at[i] == '\n' || at[i] == '\r')
			sitemap_text_end_line(text);
		else if (at[i] < ' ' && at[i] != '\t')
			sitemap_out_fail(text->out, ERR_MALFORMED);
		else if (text->size < sizeof(text->line))
			text->line[text->size++] = (char)at[i];
		text->taken++;
		if (text->taken > MAX_PROSE_BYTES &&
		    text->out->kind != SITEMAP_TEXT)
			sitemap_out_fail(text->out, ERR_MALFORMED);
		if (text->out->error != ERR_NONE)
			return;
	}
}

void sitemap_text_finish(struct sitemap_text *text)
{
	sitemap_text_end_line(text);
	if (text->out->kind != SITEMAP_TEXT)
		sitemap_out_fail(text->out, ERR_MALFORMED);
}
