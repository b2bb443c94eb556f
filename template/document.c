#include "template/document.h"

#include <string.h>

#include "base/arena.h"
#include "extract/core/extractor.h"
#include "extract/render/excerpt.h"
#include "extract/render/render.h"
#include "extract/text/simhash.h"
#include "extract/text/word.h"
#include "template/absolute.h"
#include "template/extras.h"
#include "template/text_answer.h"

static struct slice document_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

/*
 * Return the host of a URL; empty for an invalid or relative URL, and for a
 * file's.
 */
static struct slice document_host(struct arena *arena, struct slice text)
{
	struct url url;
	struct slice host;

	if (!address_is_absolute(text) ||
	    url_parse(&url, text, NULL) != ERR_NONE)
		return (struct slice){"", 0};
	host = slice_of(url.host);
	if (slice_equal(host, slice_of(OFFLINE_HOST)))
		return (struct slice){"", 0};
	if (url.host[0] != '[')
		host.size = strcspn(url.host, ":");
	return document_copy_text(arena, host);
}

/* Return the text of only the comments. */
static struct slice comments_of(const struct extraction_result *answer)
{
	const struct page *page = answer->page;
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	struct buffer text = {0};
	struct slice comments;

	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i].is_content = answer->comments[i];
	render_text(page, verdicts, &text);
	comments = document_copy_text(page->arena, buffer_slice(&text));
	buffer_free(&text);
	return comments;
}

/* Return the images, with the lead image of the page first. */
static struct reference_list lead_first(struct arena *arena,
					const struct reference_list *images,
					struct slice lead)
{
	struct page_reference *items =
		ARENA_NEW(arena, struct page_reference, images->count + 1);
	size_t count = 0;

	if (lead.size > 0)
		items[count++] = (struct page_reference){.address = lead};
	for (size_t i = 0; i < images->count; i++)
		if (lead.size > 0 &&
		    slice_equal(images->items[i].address, lead))
			items[0].text = images->items[i].text;
		else
			items[count++] = images->items[i];
	return (struct reference_list){items, count};
}

static void add_references(const struct extraction_result *answer,
			   const struct base_address *base,
			   struct document *document)
{
	struct arena *arena = answer->page->arena;
	const struct references references = references_make(
		arena,
		&(struct render_request){
			.page = answer->page,
			.verdicts = answer->verdicts,
			.resolve = base->is_known ? absolute_append : NULL,
			.resolve_context = base,
		});

	document->links = references.links;
	document->images = lead_first(arena, &references.images,
				      answer->metadata.image.value);
}

struct document document_make(const struct extraction_result *answer,
			      struct slice text, uint32_t extras,
			      const struct base_address *base)
{
	struct arena *arena = answer->page->arena;
	struct document document = {
		.hostname = document_host(arena, slice_of(answer->url)),
		.excerpt = excerpt_make(arena, &answer->blocks),
		.words = word_count(text),
		.direction = direction_of(answer->page, text),
		.fingerprint = simhash(text),
	};

	if (document.hostname.size == 0)
		document.hostname =
			document_host(arena, answer->metadata.canonical.value);
	if (answer->comments != NULL)
		document.comments = comments_of(answer);
	if ((extras & (EXTRA_IMAGES | EXTRA_LINKS)) != 0)
		add_references(answer, base, &document);
	return document;
}
