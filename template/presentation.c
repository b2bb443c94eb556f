#include "template/presentation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "extract/explain/explain.h"
#include "extract/explain/page_copy.h"
#include "extract/render/render.h"
#include "template/absolute.h"
#include "template/front_matter.h"

static void explain(const struct extraction *extraction,
		    const struct extractor *extractor,
		    const struct extractor_input *input,
		    const struct verdict *verdicts, struct text_answer *answer)
{
	char reason[sizeof(answer->reason) + 64];
	int size =
		snprintf(reason, sizeof(reason), "%s; quality %s",
			 answer->reason, answer_quality_name(answer->quality));

	if (!isnan(answer->confidence))
		snprintf(reason + size, sizeof(reason) - (size_t)size,
			 ", confidence %.2f", (double)answer->confidence);
	render_explanation(
		extraction->page, verdicts, input->trace,
		&(struct explanation){
			.extractor = extractor,
			.parameters = input->parameters,
			.reason = reason,
			.url = answer->url,
			.cluster = answer->cluster,
			.template_counts = extraction->counts.page_count == 0
						   ? NULL
						   : &extraction->counts,
		},
		&answer->text);
}

/* Return the page's URL; NULL for a page without one. */
static const struct url *address_of(const struct text_answer *answer,
				    struct url *url_out)
{
	if (url_parse(url_out, slice_of(answer->url), NULL) != ERR_NONE ||
	    slice_equal(slice_of(url_out->host), slice_of(OFFLINE_HOST)))
		return NULL;
	return url_out;
}

/*
 * Make an address absolute if it exists and the page's URL is known; otherwise
 * it is unchanged.
 */
static void resolve(struct metadatum *address, const struct page *page,
		    const struct base_address *base)
{
	struct buffer absolute = {0};

	if (address->value.size > 0 && base->is_known &&
	    absolute_append(base, address->value, &absolute))
		address->value = (struct slice){
			arena_copy(page->arena, absolute.data, absolute.size),
			absolute.size};
	buffer_free(&absolute);
}

/* Return whether the text is an address: "/terms" is, "CC BY 4.0" is not. */
static bool is_address(struct slice text)
{
	return text.size > 0 && memchr(text.data, '/', text.size) != NULL &&
	       memchr(text.data, ' ', text.size) == NULL;
}

void answer_describe(struct text_answer *answer)
{
	const struct page *page = answer->page;
	struct url own;
	const struct url *url = address_of(answer, &own);
	const struct base_address base = base_of_page(page, url);

	answer->metadata = metadata_read(
		page->arena, page, slice_of(url == NULL ? NULL : url->text));
	resolve(&answer->metadata.image, page, &base);
	resolve(&answer->metadata.canonical, page, &base);
	resolve(&answer->metadata.favicon, page, &base);
	if (is_address(answer->metadata.licence.value))
		resolve(&answer->metadata.licence, page, &base);
}

bool answer_is_citable(struct text_answer *answer)
{
	const struct metadata *metadata = &answer->metadata;
	struct url own;

	if (answer->page == NULL)
		return answer->is_citable;
	if (metadata->title.source == NULL)
		answer_describe(answer);
	return metadata->title.source != NULL &&
	       metadata->published.source != NULL &&
	       (address_of(answer, &own) != NULL ||
		metadata->canonical.source != NULL);
}

/* `text` is the content as TXT. */
static void document(struct text_answer *answer, struct slice text,
		     const struct base_address *base)
{
	answer->blocks = content_blocks_make(answer->page->arena, answer->page,
					     answer->verdicts);
	answer->document = document_make(answer, text, answer->extras, base);
}

void answer_document(struct text_answer *answer)
{
	struct url own;
	const struct base_address base =
		base_of_page(answer->page, address_of(answer, &own));
	struct buffer text = {0};

	answer_describe(answer);
	render_text(answer->page, answer->verdicts, &text);
	document(answer, buffer_slice(&text), &base);
	buffer_free(&text);
}

static void lay_out(const struct extraction *extraction,
		    const struct verdict *verdicts, struct text_answer *answer)
{
	const struct page *page = extraction->page;
	enum format format = extraction->request->format;
	bool is_preceded = format == FORMAT_MD &&
			   (answer->extras & EXTRA_FRONT_MATTER) != 0;
	struct url own;
	const struct url *url = address_of(answer, &own);
	const struct base_address base = base_of_page(page, url);
	const struct render_request request = {
		.page = page,
		.verdicts = verdicts,
		.resolve = base.is_known ? absolute_append : NULL,
		.resolve_context = &base,
		.metadata = &answer->metadata,
		.url = slice_of(url == NULL ? NULL : url->text),
	};

	if (format == FORMAT_JSON || format == FORMAT_XML || is_preceded)
		answer_describe(answer);
	if (is_preceded)
		front_matter_append(answer, &answer->text);
	render(format, &request, &answer->text);
	if (format == FORMAT_JSON)
		document(answer, buffer_slice(&answer->text), &base);
}

void present(const struct extraction *extraction,
	     const struct extractor *extractor,
	     const struct extractor_input *input,
	     const struct verdict *verdicts, struct text_answer *answer)
{
	if (extraction->request->format == FORMAT_EXPLAIN)
		explain(extraction, extractor, input, verdicts, answer);
	else if (extraction->request->format == FORMAT_COPY)
		page_copy(extraction->page, verdicts, answer->url,
			  &answer->text);
	else
		lay_out(extraction, verdicts, answer);
}
