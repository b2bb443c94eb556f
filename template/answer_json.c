#include "template/answer_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "template/json_value.h"

enum { REAL_DIGITS = 6 };

static json_t *json_real_or_null(float number)
{
	return isfinite(number) ? json_real((double)number) : json_null();
}

static json_t *block_json(const struct content_block *block, const char *text)
{
	return json_pack(
		"{s:s, s:I, s:o, s:o}", "kind", content_kind_name(block->kind),
		"level", (json_int_t)block->level, "score",
		json_real_or_null(block->score), "text",
		json_text((struct slice){text + block->begin, block->length}));
}

static json_t *blocks_json(const struct content_blocks *blocks)
{
	json_t *array = json_array();

	for (size_t i = 0; i < blocks->count; i++)
		json_array_append_new(
			array, block_json(&blocks->items[i], blocks->text));
	return array;
}

static json_t *metadatum_json(const struct metadatum *metadatum)
{
	if (metadatum->source == NULL)
		return json_null();
	return json_pack("{s:o, s:s}", "value", json_text(metadatum->value),
			 "source", metadatum->source);
}

static json_t *metadata_list_json(const struct metadatum *items, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, metadatum_json(&items[i]));
	return array;
}

static json_t *metadata_json(const struct metadata *metadata)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o}",
		"title", metadatum_json(&metadata->title), "authors",
		metadata_list_json(metadata->authors, metadata->author_count),
		"published", metadatum_json(&metadata->published), "modified",
		metadatum_json(&metadata->modified), "site_name",
		metadatum_json(&metadata->site_name), "language",
		metadatum_json(&metadata->language), "description",
		metadatum_json(&metadata->description), "image",
		metadatum_json(&metadata->image), "canonical",
		metadatum_json(&metadata->canonical), "tags",
		metadata_list_json(metadata->tags, metadata->tag_count),
		"page_type", metadatum_json(&metadata->page_type), "categories",
		metadata_list_json(metadata->categories,
				   metadata->category_count),
		"licence", metadatum_json(&metadata->licence), "favicon",
		metadatum_json(&metadata->favicon));
}

/* Return the preference, and the confidence in the method's result. */
static json_t *judgement_json(const struct extraction_result *answer)
{
	return json_pack("{s:s, s:s?, s:o, s:s}", "favor",
			 favor_name(answer->preference.favor), "scope",
			 scope_name(answer->preference.scope), "confidence",
			 json_real_or_null(answer->confidence), "quality",
			 text_quality_name(answer->quality));
}

/* `address` and `text` are the names of their fields. */
static json_t *references_json(const struct reference_list *list,
			       const char *address, const char *text)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(
			array, json_pack("{s:o, s:o}", address,
					 json_text(list->items[i].address),
					 text, json_text(list->items[i].text)));
	return array;
}

static json_t *document_json(const struct document *document)
{
	return json_pack("{s:o, s:o, s:I, s:s, s:o}", "hostname",
			 json_text_or_null(document->hostname), "excerpt",
			 json_text(document->excerpt), "word_count",
			 (json_int_t)document->words, "direction",
			 direction_name(document->direction), "fingerprint",
			 json_sprintf("%016" PRIx64, document->fingerprint));
}

/* Return the parts that the request must ask to include. */
static json_t *extras_json(const struct extraction_result *answer)
{
	const struct document *document = &answer->document;
	bool has_images = (answer->extras & EXTRA_IMAGES) != 0;
	bool has_links = (answer->extras & EXTRA_LINKS) != 0;

	return json_pack(
		"{s:o, s:o, s:o}", "comments",
		document->comments.data == NULL ? json_null()
						: json_text(document->comments),
		"images",
		has_images ? references_json(&document->images, "src", "alt")
			   : json_null(),
		"links",
		has_links ? references_json(&document->links, "href", "text")
			  : json_null());
}

/*
 * Append the fields of an object, preceded by a comma if needed; free the
 * object.
 */
static void append_fields(json_t *object, struct buffer *out)
{
	char *text = json_dumps(
		object, JSON_COMPACT | JSON_REAL_PRECISION(REAL_DIGITS));
	size_t size = text == NULL ? 0 : strlen(text);

	if (size > 2) {
		if (out->size > 0 && out->data[out->size - 1] != '{')
			buffer_append_byte(out, ',');
		buffer_append(out, text + 1, size - 2);
	}
	free(text);
	json_decref(object);
}

/* Return the page's first metadata: title, language, description. */
static json_t *head_json(const struct page *page)
{
	return json_pack("{s:o, s:o, s:o}", "title", json_text(page->title),
			 "language", json_text(page->language), "description",
			 json_text(page->description));
}

/* A result being written. */
struct result_writer {
	const struct extraction_result *answer;
	struct generation_places places;
	size_t begin; /* start of the object in `out` */
	struct buffer *out;
};

/* Append the field `name`, whose value can be replaced later. */
static void append_generation(struct result_writer *writing, const char *name)
{
	struct generation_places *places = &writing->places;

	buffer_printf(writing->out, ",\"%s\":", name);
	places->at[places->count++] = writing->out->size - writing->begin;
	buffer_printf(writing->out, "%" PRIu64, writing->answer->generation);
}

/* Append the fields that depend on the site, or are known without the page. */
static void answer_json_append_place(struct result_writer *writing)
{
	const struct extraction_result *answer = writing->answer;

	append_fields(json_pack("{s:o, s:I}", "cluster",
				json_text_or_null(slice_of(answer->cluster)),
				"cluster_pages",
				(json_int_t)answer->cluster_pages),
		      writing->out);
	append_generation(writing, "generation");
	append_fields(json_pack("{s:o, s:b}", "fetched",
				json_time(answer->fetched_ms), "truncated",
				(int)answer->is_truncated),
		      writing->out);
}

static void answer_json_append_template(struct result_writer *writing)
{
	const struct extraction_result *answer = writing->answer;
	struct buffer *out = writing->out;

	if (!answer->has_template) {
		buffer_append_text(out, ",\"template\":null");
		return;
	}
	buffer_append_text(out, ",\"template\":{");
	append_fields(
		json_pack("{s:o}", "id", json_text(slice_of(answer->cluster))),
		out);
	append_generation(writing, "version");
	append_fields(
		json_pack("{s:I}", "pages", (json_int_t)answer->cluster_pages),
		out);
	buffer_append_byte(out, '}');
}

/* Append the method, its reason, and the quality of its result. */
static void answer_json_append_judgement(struct result_writer *writing)
{
	const struct extraction_result *answer = writing->answer;

	append_fields(json_pack("{s:s, s:o}", "method", answer->method,
				"reason", json_text(slice_of(answer->reason))),
		      writing->out);
	answer_json_append_template(writing);
	append_fields(judgement_json(answer), writing->out);
}

static json_t *rest_json(const struct extraction_result *answer)
{
	json_t *object = json_pack("{s:o}", "metadata",
				   metadata_json(&answer->metadata));

	json_object_update_new(object, document_json(&answer->document));
	json_object_set_new(object, "text",
			    json_text(buffer_slice(&answer->text)));
	json_object_set_new(object, "blocks", blocks_json(&answer->blocks));
	json_object_update_new(object, extras_json(answer));
	return object;
}

static void result_json_append_part(const struct buffer *part,
				    struct buffer *out)
{
	buffer_append_byte(out, ',');
	buffer_append_slice(out, buffer_slice(part));
}

void result_json(const struct extraction_result *answer,
		 struct generation_places *places_out, struct buffer *out)
{
	struct result_writer writing = {
		.answer = answer, .begin = out->size, .out = out};
	bool is_detached = answer->page == NULL;

	buffer_append_byte(out, '{');
	append_fields(json_pack("{s:o}", "url",
				json_text_or_null(slice_of(answer->url))),
		      out);
	if (is_detached)
		result_json_append_part(&answer->detached.head, out);
	else
		append_fields(head_json(answer->page), out);
	answer_json_append_place(&writing);
	answer_json_append_judgement(&writing);
	if (is_detached)
		result_json_append_part(&answer->detached.rest, out);
	else
		append_fields(rest_json(answer), out);
	buffer_append_text(out, "}\n");
	if (places_out != NULL)
		*places_out = writing.places;
}

void result_detach(struct extraction_result *answer, enum format format)
{
	if (format == FORMAT_JSON) {
		append_fields(head_json(answer->page), &answer->detached.head);
		append_fields(rest_json(answer), &answer->detached.rest);
		buffer_free(&answer->text);
	}
	page_destroy(answer->page);
	answer->page = NULL;
	answer->verdicts = NULL;
	answer->comments = NULL;
	answer->metadata = (struct metadata){0};
	answer->blocks = (struct content_blocks){0};
	answer->document = (struct document){0};
}
