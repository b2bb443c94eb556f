#include "template/templated.h"

#include <inttypes.h>
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "crawl/url/url.h"
#include "extract/extractors.h"
#include "extract/metadata/metadata_date.h"
#include "template/bundle.h"
#include "template/extraction.h"
#include "template/result.h"
#include "template/version_json.h"

struct templated_bundle {
	struct bundle *bundle;
	locale_t locale; /* locale "C", so that numbers have decimal points */
	char *description;
};

/* A page in the form that extraction needs, with its parsed URL. */
struct templated_page_input {
	struct url url;
	struct text_request request;
};

const char *templated_version(void)
{
	return TEMPLATED_VERSION;
}

/* Return the public code of `error`. */
static enum templated_code code_of(enum error error)
{
	static const struct {
		enum error error;
		enum templated_code code;
	} codes[] = {
		{ERR_NONE, TEMPLATED_OK},
		{ERR_NOT_FOUND, TEMPLATED_NOT_FOUND},
		{ERR_TOO_LARGE, TEMPLATED_TOO_LARGE},
		{ERR_CORRUPT, TEMPLATED_CORRUPT},
		{ERR_VERSION, TEMPLATED_OTHER_FORMAT},
		{ERR_NOT_HTML, TEMPLATED_NOT_HTML},
		{ERR_ADDRESS_FORBIDDEN, TEMPLATED_NO_TEMPLATE},
		{ERR_IO, TEMPLATED_IO},
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (codes[i].error == error)
			return codes[i].code;
	return TEMPLATED_MALFORMED;
}

/* Set *error_out, unless error_out is NULL. */
static void templated_set_error(struct templated_error *error_out,
				enum error error, const char *message)
{
	if (error_out == NULL)
		return;
	error_out->code = code_of(error);
	snprintf(error_out->message, sizeof(error_out->message), "%s", message);
}

/* Set the error for an invalid argument; return false. */
static bool templated_reject(struct templated_error *error_out,
			     const char *message)
{
	templated_set_error(error_out, ERR_MALFORMED, message);
	return false;
}

static struct bundle_limits limits_of(const struct templated_limits *given)
{
	struct bundle_limits limits = bundle_limits_default;

	if (given == NULL)
		return limits;
	if (given->max_unpacked_bytes != 0)
		limits.max_bytes = given->max_unpacked_bytes;
	if (given->max_page_bytes != 0)
		limits.max_page_bytes = given->max_page_bytes;
	if (given->max_page_nodes != 0)
		limits.max_page_nodes =
			given->max_page_nodes < UINT32_MAX
				? (uint32_t)given->max_page_nodes
				: UINT32_MAX;
	if (given->max_learned_bytes != 0)
		limits.max_learned = given->max_learned_bytes;
	return limits;
}

static json_t *template_json(const struct bundle *bundle,
			     const struct bundle_cluster *cluster)
{
	const char *name =
		bundle_template_name(bundle_site_of(bundle), cluster->number);

	return json_pack("{s:s?, s:o, s:I, s:b, s:o, s:o}", "name", name, "id",
			 json_cluster_id(slice_of(bundle_site_of(bundle)->host),
					 cluster->number),
			 "pages", (json_int_t)cluster->page_count, "learned",
			 (int)(cluster->page_count >=
			       bundle_site_of(bundle)->min_cluster_pages),
			 "version",
			 cluster->version == 0
				 ? json_null()
				 : json_integer((json_int_t)cluster->version),
			 "fields", bundle_describe_fields(cluster));
}

static char *describe_bundle(const struct bundle *bundle)
{
	const struct bundle_site *site = bundle_site_of(bundle);
	json_t *templates = json_array();
	const struct bundle_cluster *clusters;
	uint32_t count;
	json_t *object;
	char *text;

	clusters = bundle_clusters(bundle, &count);
	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(templates,
				      template_json(bundle, &clusters[i]));
	object = json_pack(
		"{s:o, s:o, s:s, s:f, s:I, s:o, s:o, s:I, s:I, s:o}", "site",
		json_text(slice_of(site->host)), "base",
		json_text(slice_of(site->base)), "measure",
		measure_name(site->measure), "threshold",
		(double)site->threshold / 1000, "generation",
		(json_int_t)site->generation, "made", json_time(site->made_ms),
		"program", json_text(slice_of(site->program)), "size_bytes",
		(json_int_t)bundle_size(bundle), "pages",
		(json_int_t)bundle_page_count(bundle), "templates", templates);
	text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6));
	json_decref(object);
	return text;
}

/* Return the locale "C"; free it with freelocale(). */
static locale_t templated_locale(void)
{
	locale_t locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);

	if (locale == (locale_t)0)
		mem_exhausted("libc");
	return locale;
}

/*
 * Open the bundle in the locale "C". So numbers have decimal points whatever
 * the locale of the program is.
 */
static struct templated_bundle *
open_buffer(struct buffer *file, const struct templated_limits *limits,
	    struct templated_error *error_out)
{
	struct templated_bundle *handle = mem_alloc(1, sizeof(*handle));
	const struct bundle_limits bundle_limits = limits_of(limits);
	char reason[BUNDLE_REASON_BYTES] = "";
	enum error error = ERR_IO;
	locale_t before;

	handle->locale = templated_locale();
	before = uselocale(handle->locale);
	error = bundle_open(&handle->bundle, file, &bundle_limits, reason);
	if (error == ERR_NONE)
		handle->description = describe_bundle(handle->bundle);
	uselocale(before);
	templated_set_error(error_out, error, reason);
	if (error == ERR_NONE)
		return handle;
	templated_close(handle);
	return NULL;
}

struct templated_bundle *templated_open(const char *path,
					const struct templated_limits *limits,
					struct templated_error *error_out)
{
	struct buffer file = {0};
	char message[256];
	enum error error = file_read(path, limits_of(limits).max_bytes, &file);

	if (error == ERR_NONE)
		return open_buffer(&file, limits, error_out);
	snprintf(message, sizeof(message), "%.180s: %s", path,
		 file_error_text(error));
	templated_set_error(error_out, error, message);
	buffer_free(&file);
	return NULL;
}

struct templated_bundle *
templated_open_memory(const void *bytes, size_t size,
		      const struct templated_limits *limits,
		      struct templated_error *error_out)
{
	struct buffer file = {0};

	buffer_append(&file, bytes, size);
	return open_buffer(&file, limits, error_out);
}

void templated_close(struct templated_bundle *handle)
{
	if (handle == NULL)
		return;
	bundle_close(handle->bundle);
	freelocale(handle->locale);
	free(handle->description);
	free(handle);
}

const char *templated_describe(const struct templated_bundle *handle)
{
	return handle->description;
}

/* Return the template of the bundle with this identifier, or NULL. */
static const struct bundle_cluster *
templated_find_template(const struct templated_bundle *handle, const char *id)
{
	const char *host = bundle_site_of(handle->bundle)->host;
	size_t length = strlen(host);
	unsigned long number;
	char *end;

	if (strncmp(id, host, length) != 0 || id[length] != '/' ||
	    id[length + 1] < '1' || id[length + 1] > '9')
		return NULL;
	number = strtoul(id + length + 1, &end, 10);
	if (*end != '\0' || number > UINT32_MAX)
		return NULL;
	return bundle_cluster(handle->bundle, (uint32_t)number);
}

const char *templated_template(const struct templated_bundle *handle,
			       const char *id)
{
	const struct bundle_cluster *cluster =
		templated_find_template(handle, id);

	return cluster == NULL ? NULL : cluster->json.data;
}

/* Convert a page. If its URL is invalid, set the error and return false. */
static bool templated_prepare_page(const struct templated_page *page,
				   struct templated_page_input *placed,
				   struct templated_error *error_out)
{
	placed->request = (struct text_request){
		.body = {page->bytes, page->size},
		.charset = slice_of(page->charset),
	};
	if (page->url == NULL)
		return true;
	if (url_parse(&placed->url, slice_of(page->url), NULL) != ERR_NONE)
		return templated_reject(
			error_out,
			"the URL of the page is not an http or https address");
	placed->request.url = &placed->url;
	return true;
}

/* Write the identifier of a template. */
static void templated_write_id(const struct templated_bundle *handle,
			       uint32_t cluster, char *out, size_t size)
{
	snprintf(out, size, "%s/%u", bundle_site_of(handle->bundle)->host,
		 cluster);
}

bool templated_classify(struct templated_bundle *handle,
			const struct templated_page *page,
			struct templated_class *class_out,
			struct templated_error *error_out)
{
	const struct bundle_cluster *cluster;
	struct cluster_match classed;
	struct templated_page_input placed;
	enum error error;

	*class_out = (struct templated_class){0};
	if (!templated_prepare_page(page, &placed, error_out))
		return false;
	error = bundle_classify(handle->bundle, &placed.request, &classed);
	templated_set_error(error_out, error,
			    error == ERR_NONE ? "" : error_text(error));
	if (error != ERR_NONE)
		return false;
	class_out->reach = classed.reach;
	cluster = bundle_cluster(handle->bundle, classed.cluster);
	if (cluster == NULL)
		return true;
	templated_write_id(handle, classed.cluster, class_out->id,
			   sizeof(class_out->id));
	class_out->pages = cluster->page_count;
	class_out->distance = classed.distance;
	class_out->confidence =
		classed.reach > 0 ? 1 - classed.distance / classed.reach : 1;
	return true;
}

struct templated_answer {
	struct extraction_result answer;
	struct buffer json; /* the result as JSON, for FORMAT_JSON */
	enum format format;
	bool is_described; /* its metadata were read, and end with a NUL */
	bool has_document;
	char words[16]; /* number of words as text */
	char fingerprint[24];
};

/*
 * Convert the options. If a value is not allowed, set the error and return
 * false.
 */
static bool templated_read_options(const struct templated_options *options,
				   struct text_request *request,
				   struct templated_error *error_out)
{
	request->format = FORMAT_TXT;
	if (options == NULL)
		return true;
	if (options->format != NULL &&
	    !format_from_name(options->format, &request->format))
		return templated_reject(
			error_out,
			"the format is not one of txt, md, json, html, xml, "
			"explain");
	if (options->favor != NULL &&
	    !favor_from_name(options->favor, &request->preference.favor))
		return templated_reject(
			error_out,
			"favor is not one of balance, precision, recall");
	if (options->scope != NULL &&
	    !scope_from_name(options->scope, &request->preference.scope))
		return templated_reject(error_out,
					"scope is not one of body, page");
	request->method = options->method;
	request->include = options->include;
	request->exclude = options->exclude;
	request->parameters = options->parameters;
	if (options->with != NULL &&
	    !extras_read(options->with, &request->extras))
		return templated_reject(error_out,
					"with is not of " EXTRAS_WORDS);
	if (options->with_comments)
		request->extras |= EXTRA_COMMENTS;
	if (options->without_tables)
		request->extras |= EXTRA_NO_TABLES;
	if (options->without_title)
		request->extras |= EXTRA_NO_TITLE;
	return true;
}

/* Extract the page; if `handle` is NULL, extract it without a site. */
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

/* The offsets of the values of each name in struct metadata. */
static const struct metadata_row {
	const char *name;
	size_t values; /* offset of the first value */
	size_t count;  /* offset of their number; 0 = there is only one value */
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

/* Return the values [*count_out] of a row. */
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

/* Copy each value of the metadata so that it ends with a NUL. */
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

/* Compute the document unless the result is JSON, which contains it already. */
static void take_document(struct templated_answer *handle)
{
	const struct document *document = &handle->answer.document;

	if (handle->format != FORMAT_JSON) {
		result_compute_document(
			&handle->answer); /* this reads the metadata, too */
		end_values(&handle->answer);
		handle->is_described = true;
	}
	snprintf(handle->words, sizeof(handle->words), "%" PRIu32,
		 document->words);
	snprintf(handle->fingerprint, sizeof(handle->fingerprint),
		 "%016" PRIx64, document->fingerprint);
	handle->has_document = true;
}

/* Return the text with a NUL at its end; NULL if it is empty. */
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

struct templated_record {
	struct page_fields fields;
	char id[288];
};

struct templated_record *templated_fields(struct templated_bundle *handle,
					  const struct templated_page *page,
					  struct templated_error *error_out)
{
	struct templated_record *record;
	struct templated_page_input placed;
	locale_t before;
	enum error error;

	if (!templated_prepare_page(page, &placed, error_out))
		return NULL;
	record = mem_alloc(1, sizeof(*record));
	before = uselocale(handle->locale);
	error = bundle_page_fields(handle->bundle, &placed.request,
				   &record->fields);
	uselocale(before);
	templated_set_error(error_out, error,
			    error == ERR_NONE ? "" : error_text(error));
	if (error != ERR_NONE) {
		templated_record_free(record);
		return NULL;
	}
	if (record->fields.cluster != 0)
		templated_write_id(handle, record->fields.cluster, record->id,
				   sizeof(record->id));
	return record;
}

struct templated_record *
templated_answer_fields(struct templated_bundle *handle,
			const struct templated_answer *answer)
{
	struct templated_record *record = mem_alloc(1, sizeof(*record));
	const struct bundle_cluster *cluster =
		templated_find_template(handle, answer->answer.cluster);
	locale_t before = uselocale(handle->locale);

	bundle_cluster_fields(handle->bundle,
			      cluster == NULL ? 0 : cluster->number,
			      answer->answer.page, &record->fields);
	uselocale(before);
	snprintf(record->id, sizeof(record->id), "%s",
		 cluster == NULL ? "" : answer->answer.cluster);
	return record;
}

bool templated_field(const struct templated_record *record, size_t index,
		     struct templated_field *field_out)
{
	const struct page_field *field;

	if (index >= record->fields.count)
		return false;
	field = &record->fields.fields[index];
	*field_out = (struct templated_field){
		.name = field->name,
		.type = type_name(field->type),
		.parent = field->parent,
		.values = field->values,
		.count = field->count,
		.is_unsure = field->is_unsure,
		.transform = transform_name(field->transform),
	};
	return true;
}

const char *templated_record_template(const struct templated_record *record)
{
	return record->id;
}

bool templated_date(const char *text, char *iso_out)
{
	_Static_assert((int)DATE_SIZE == (int)TEMPLATED_DATE_BYTES,
		       "the caller's buffer is large enough");
	return date_read_clear(slice_of(text), iso_out);
}

bool templated_number(const char *text, bool is_price, char *number_out)
{
	_Static_assert((int)NUMBER_SIZE == (int)TEMPLATED_NUMBER_BYTES,
		       "the caller's buffer is large enough");
	return number_read(slice_of(text), is_price, 0, number_out);
}

void templated_record_free(struct templated_record *record)
{
	if (record == NULL)
		return;
	page_fields_free(&record->fields);
	free(record);
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
