/*
 * Parse, keep some texts, and render them in every format: each output has
 * text, HTML must parse again, and XML must be well-formed.
 */
#include <libxml/parser.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/hash.h"
#include "extract/metadata/metadata.h"
#include "extract/render/layout.h"
#include "extract/render/render.h"
#include "page/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Three of four texts, by their bytes and place. */
static const struct verdict *some_verdicts(const struct page *page)
{
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);
		uint64_t hash = hash64(text.data, text.size, i);

		verdicts[i].is_content = hash % 4 != 0;
		verdicts[i].score = (float)(hash % 100) / 100;
	}
	return verdicts;
}

/* As the daemon does, except the rules of URLs. */
static bool resolve(const void *context, struct slice href, struct buffer *out)
{
	(void)context;
	buffer_append_text(out, "http://host/");
	buffer_append_slice(out, href);
	return true;
}

/* The parser may take an output for binary that has many control characters. */
static void check_html(const struct buffer *html)
{
	struct page *page;
	enum error error = page_parse(&page, buffer_slice(html),
				      slice_of("utf-8"), &page_limits_default);

	if (error == ERR_NONE)
		page_destroy(page);
	else if (html->size > 0 && error != ERR_NOT_HTML)
		abort();
}

static void check_xml(const struct buffer *xml)
{
	xmlDoc *document =
		xmlReadMemory(xml->data, (int)xml->size, "x.xml", NULL,
			      XML_PARSE_HUGE | XML_PARSE_NOERROR |
				      XML_PARSE_NOWARNING | XML_PARSE_NONET);

	if (document == NULL)
		abort();
	xmlFreeDoc(document);
}

static void check_blocks(const struct render_request *request, bool is_empty)
{
	struct content_blocks blocks = content_blocks_make(
		request->page->arena, request->page, request->verdicts);
	size_t end = 0;

	if ((blocks.count == 0) != is_empty)
		abort();
	for (size_t i = 0; i < blocks.count; i++) {
		const struct content_block *block = &blocks.items[i];

		if (block->length == 0 || block->begin < end ||
		    !isfinite(block->score))
			abort();
		end = block->begin + block->length;
	}
}

static void lay_out(const struct render_request *request)
{
	struct buffer outs[FORMAT_COUNT] = {{0}};
	bool is_empty;

	for (unsigned i = 0; i < FORMAT_COUNT; i++)
		if (i != FORMAT_EXPLAIN && i != FORMAT_COPY)
			render((enum format)i, request, &outs[i]);
	is_empty = outs[FORMAT_TXT].size == 0;
	if ((outs[FORMAT_MD].size == 0) != is_empty ||
	    (outs[FORMAT_HTML].size == 0) != is_empty)
		abort();
	check_html(&outs[FORMAT_HTML]);
	check_xml(&outs[FORMAT_XML]);
	check_blocks(request, is_empty);
	for (unsigned i = 0; i < FORMAT_COUNT; i++)
		buffer_free(&outs[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct render_request request = {.url = slice_of("http://host/")};
	struct metadata metadata;
	struct page *page;

	if (page_parse(&page, (struct slice){data, size}, slice_of("utf-8"),
		       &page_limits_default) != ERR_NONE)
		return 0;
	metadata = metadata_read(page->arena, page, request.url, NULL);
	request.page = page;
	request.verdicts = some_verdicts(page);
	lay_out(&request);
	request.resolve = resolve;
	request.metadata = &metadata;
	if (title_is_missing(&request, metadata.title.value))
		request.title = metadata.title.value;
	lay_out(&request);
	page_destroy(page);
	return 0;
}
