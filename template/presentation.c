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

static void result_explain(const struct extraction *extraction,
			   const struct extractor *extractor,
			   const struct extractor_input *input,
			   const struct verdict *verdicts,
			   struct extraction_result *answer)
{
	char reason[sizeof(answer->reason) + 64];
	int size = snprintf(reason, sizeof(reason), "%s; quality %s",
			    answer->reason, text_quality_name(answer->quality));

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
static const struct url *result_page_url(const struct extraction_result *answer,
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
static void metadatum_make_absolute(struct metadatum *address,
				    const struct page *page,
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
static bool metadatum_is_address(struct slice text)
{
	return text.size > 0 && memchr(text.data, '/', text.size) != NULL &&
	       memchr(text.data, ' ', text.size) == NULL;
}

void result_read_metadata(struct extraction_result *answer)
{
	const struct page *page = answer->page;
	struct url own;
	const struct url *url = result_page_url(answer, &own);
	const struct base_address base = base_of_page(page, url);

	answer->metadata = metadata_read(
		page->arena, page, slice_of(url == NULL ? NULL : url->text));
	metadatum_make_absolute(&answer->metadata.image, page, &base);
	metadatum_make_absolute(&answer->metadata.canonical, page, &base);
	metadatum_make_absolute(&answer->metadata.favicon, page, &base);
	if (metadatum_is_address(answer->metadata.licence.value))
		metadatum_make_absolute(&answer->metadata.licence, page, &base);
}

bool result_is_citable(struct extraction_result *answer)
{
	const struct metadata *metadata = &answer->metadata;
	struct url own;

	if (answer->page == NULL)
		return answer->is_citable;
	if (metadata->title.source == NULL)
		result_read_metadata(answer);
	return metadata->title.source != NULL &&
	       metadata->published.source != NULL &&
	       (result_page_url(answer, &own) != NULL ||
		metadata->canonical.source != NULL);
}

/* `text` is the content as TXT. */
static void result_set_document(struct extraction_result *answer,
				struct slice text,
				const struct base_address *base)
{
	answer->blocks = content_blocks_make(answer->page->arena, answer->page,
					     answer->verdicts);
	answer->document = document_make(answer, text, answer->extras, base);
}

void result_compute_document(struct extraction_result *answer)
{
	struct url own;
	const struct base_address base =
		base_of_page(answer->page, result_page_url(answer, &own));
	struct buffer text = {0};

	result_read_metadata(answer);
	render_text(answer->page, answer->verdicts, &text);
	result_set_document(answer, buffer_slice(&text), &base);
	buffer_free(&text);
}

static void lay_out(const struct extraction *extraction,
		    const struct verdict *verdicts,
		    struct extraction_result *answer)
{
	const struct page *page = extraction->page;
	enum format format = extraction->request->format;
	bool is_preceded = format == FORMAT_MD &&
			   (answer->extras & EXTRA_FRONT_MATTER) != 0;
	struct url own;
	const struct url *url = result_page_url(answer, &own);
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
		result_read_metadata(answer);
	if (is_preceded)
		front_matter_append(answer, &answer->text);
	render(format, &request, &answer->text);
	if (format == FORMAT_JSON)
		result_set_document(answer, buffer_slice(&answer->text), &base);
}

void result_present(const struct extraction *extraction,
		    const struct extractor *extractor,
		    const struct extractor_input *input,
		    const struct verdict *verdicts,
		    struct extraction_result *answer)
{
	if (extraction->request->format == FORMAT_EXPLAIN)
		result_explain(extraction, extractor, input, verdicts, answer);
	else if (extraction->request->format == FORMAT_COPY)
		page_copy(extraction->page, verdicts, answer->url,
			  &answer->text);
	else
		lay_out(extraction, verdicts, answer);
}
