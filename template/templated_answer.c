/* libtemplated: the content of pages. */
#include "template/templated.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "extract/extractors.h"
#include "template/answer_json.h"
#include "template/extraction.h"
#include "template/presentation.h"
#include "template/templated_parts.h"

struct templated_answer {
	struct extraction_result answer;
	struct buffer json; /* FORMAT_JSON */
	enum format format;
	bool is_described; /* its metadata were read, each with a NUL */
	bool has_document;
	char words[16]; /* number of words, as text */
	char fingerprint[24];
};

/*
 * Read the options; if a value is not allowed, set the error and return false.
 */
static bool templated_read_options(const struct templated_options *options,
				   struct text_request *request,
				   struct templated_error *error_out)
{
	request->format = FORMAT_TXT;
	if (options == NULL)
		return true;
	if (options->format != NULL &&
	    !format_from_name(options->format, &request->format)) {
		templated_set_error(
			error_out, ERR_MALFORMED,
			"the format is not one of txt, md, json, html, xml, "
			"explain");
		return false;
	}
	if (options->favor != NULL &&
	    !favor_from_name(options->favor, &request->preference.favor)) {
		templated_set_error(
			error_out, ERR_MALFORMED,
			"favor is not one of balance, precision, recall");
		return false;
	}
	if (options->scope != NULL &&
	    !scope_from_name(options->scope, &request->preference.scope)) {
		templated_set_error(error_out, ERR_MALFORMED,
				    "scope is not one of body, page");
		return false;
	}
	request->method = options->method;
	request->include = options->include;
	request->exclude = options->exclude;
	request->parameters = options->parameters;
	if (options->with != NULL &&
	    !extras_read(options->with, &request->extras)) {
		templated_set_error(error_out, ERR_MALFORMED,
				    "with is not of " EXTRAS_WORDS);
		return false;
	}
	if (options->with_comments)
		request->extras |= EXTRA_COMMENTS;
	if (options->without_tables)
		request->extras |= EXTRA_NO_TABLES;
	return true;
}

/* Extract the page; without a handle, without a site. */
static enum error templated_run(struct templated_bundle *handle,
				const struct text_request *request,
				struct extraction_result *answer)
{
	struct extraction alone = {.rules = &extraction_options_default,
				   .request = request};

	return handle == NULL ? extraction_of_body(&alone, answer)
			      : bundle_extract(handle->bundle, request, answer);
}

static struct templated_answer *
templated_create_answer(struct templated_bundle *handle,
			const struct text_request *request,
			struct templated_error *error_out)
{
	struct templated_answer *answer = mem_alloc(1, sizeof(*answer));
	locale_t locale = handle == NULL ? templated_locale() : handle->locale;
	locale_t before = uselocale(locale);
	enum error error = templated_run(handle, request, &answer->answer);

	answer->format = request->format;
	if (error == ERR_NONE && request->format == FORMAT_JSON)
		result_json(&answer->answer, NULL, &answer->json);
	uselocale(before);
	if (handle == NULL)
		freelocale(locale);
	templated_set_error(error_out, error,
			    error == ERR_NONE ? "" : answer->answer.reason);
	if (error == ERR_NONE)
		return answer;
	templated_free(answer);
	return NULL;
}

struct templated_answer *
templated_extract(struct templated_bundle *handle,
		  const struct templated_page *page,
		  const struct templated_options *options,
		  struct templated_error *error_out)
{
	struct templated_page_input placed;

	if (!templated_prepare_page(page, &placed, error_out) ||
	    !templated_read_options(options, &placed.request, error_out))
		return NULL;
	return templated_create_answer(handle, &placed.request, error_out);
}

void templated_free(struct templated_answer *answer)
{
	if (answer == NULL)
		return;
	extraction_result_free(&answer->answer);
	buffer_free(&answer->json);
	free(answer);
}

static const struct buffer *
templated_text_buffer(const struct templated_answer *answer)
{
	return answer->format == FORMAT_JSON ? &answer->json
					     : &answer->answer.text;
}

const char *templated_text(const struct templated_answer *answer)
{
	return templated_text_buffer(answer)->data == NULL
		       ? ""
		       : templated_text_buffer(answer)->data;
}

size_t templated_text_size(const struct templated_answer *answer)
{
	return templated_text_buffer(answer)->size;
}

const char *templated_answer_method(const struct templated_answer *answer)
{
	return answer->answer.method;
}

const char *templated_answer_reason(const struct templated_answer *answer)
{
	return answer->answer.reason;
}

const char *templated_answer_template(const struct templated_answer *answer)
{
	return answer->answer.cluster;
}

bool templated_answer_has_template(const struct templated_answer *answer)
{
	return answer->answer.has_template;
}

const char *templated_answer_quality(const struct templated_answer *answer)
{
	return text_quality_name(answer->answer.quality);
}

double templated_answer_confidence(const struct templated_answer *answer)
{
	return (double)answer->answer.confidence;
}

/* The offset of each name's values in struct metadata. */
static const struct metadata_row {
	const char *name;
	size_t values; /* offset of the first value */
	size_t count;  /* offset of their number; 0 = one value */
} rows[] = {
	{"title", offsetof(struct metadata, title), 0},
	{"author", offsetof(struct metadata, authors),
	 offsetof(struct metadata, author_count)},
	{"published", offsetof(struct metadata, published), 0},
	{"modified", offsetof(struct metadata, modified), 0},
	{"site_name", offsetof(struct metadata, site_name), 0},
	{"language", offsetof(struct metadata, language), 0},
	{"description", offsetof(struct metadata, description), 0},
	{"image", offsetof(struct metadata, image), 0},
	{"canonical", offsetof(struct metadata, canonical), 0},
	{"tag", offsetof(struct metadata, tags),
	 offsetof(struct metadata, tag_count)},
	{"page_type", offsetof(struct metadata, page_type), 0},
	{"category", offsetof(struct metadata, categories),
	 offsetof(struct metadata, category_count)},
	{"licence", offsetof(struct metadata, licence), 0},
	{"favicon", offsetof(struct metadata, favicon), 0},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* [*count_out] */
static struct metadatum *values_of(struct metadata *metadata,
				   const struct metadata_row *row,
				   size_t *count_out)
{
	char *base = (char *)metadata;

	*count_out = 1;
	if (row->count != 0)
		memcpy(count_out, base + row->count, sizeof(*count_out));
	return (struct metadatum *)(void *)(base + row->values);
}

/* Copy each of the metadata with a NUL. */
static void end_values(struct extraction_result *answer)
{
	for (size_t i = 0; i < ROWS; i++) {
		size_t count;
		struct metadatum *values =
			values_of(&answer->metadata, &rows[i], &count);

		for (size_t v = 0; v < count; v++)
			values[v].value.data = arena_copy(answer->page->arena,
							  values[v].value.data,
							  values[v].value.size);
	}
}

const char *templated_metadata(struct templated_answer *answer,
			       const char *name, size_t index)
{
	if (!answer->is_described) {
		result_read_metadata(&answer->answer);
		end_values(&answer->answer);
	}
	answer->is_described = true;
	for (size_t i = 0; i < ROWS; i++) {
		const struct metadatum *values;
		size_t count;

		if (strcmp(rows[i].name, name) != 0)
			continue;
		values = values_of(&answer->answer.metadata, &rows[i], &count);
		return index < count && values[index].source != NULL
			       ? values[index].value.data
			       : NULL;
	}
	return NULL;
}

/* Compute the document, unless JSON has done so. */
static void take_document(struct templated_answer *handle)
{
	const struct document *document = &handle->answer.document;

	if (handle->format != FORMAT_JSON) {
		result_compute_document(
			&handle->answer); /* also reads the metadata */
		end_values(&handle->answer);
		handle->is_described = true;
	}
	snprintf(handle->words, sizeof(handle->words), "%" PRIu32,
		 document->words);
	snprintf(handle->fingerprint, sizeof(handle->fingerprint),
		 "%016" PRIx64, document->fingerprint);
	handle->has_document = true;
}

/* Return the text with a NUL; NULL for an empty text. */
static const char *templated_end_text(struct arena *arena, struct slice text)
{
	return text.size == 0 ? NULL : arena_copy(arena, text.data, text.size);
}

const char *templated_fact(struct templated_answer *handle, const char *name)
{
	const struct document *document = &handle->answer.document;
	struct arena *arena = handle->answer.page->arena;

	if (!handle->has_document)
		take_document(handle);
	if (strcmp(name, "hostname") == 0)
		return templated_end_text(arena, document->hostname);
	if (strcmp(name, "excerpt") == 0)
		return templated_end_text(arena, document->excerpt);
	if (strcmp(name, "direction") == 0)
		return direction_name(document->direction);
	if (strcmp(name, "word_count") == 0)
		return handle->words;
	return strcmp(name, "fingerprint") == 0 ? handle->fingerprint : NULL;
}

bool templated_method(size_t index, struct templated_method *method_out)
{
	for (size_t i = 0; extractors[i] != NULL; i++)
		if (i == index) {
			*method_out = (struct templated_method){
				.name = extractors[i]->name,
				.summary = extractors[i]->summary,
				.source = extractors[i]->source,
				.needs_template = needs_template(extractors[i]),
			};
			return true;
		}
	return false;
}
