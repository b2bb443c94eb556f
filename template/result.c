#include "template/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "extract/text/fragment.h"
#include "extract/text/word.h"
#include "template/version_json.h"

/*
 * Return whether the address begins with http:// or https://, or with // and a
 * host. This check is necessary because url_parse() also accepts a host name
 * that a user has typed.
 */
static bool address_is_absolute(struct slice address)
{
	static const char *const begins[] = {"http://", "https://", "//"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t size = strlen(begins[i]);

		if (address.size > size &&
		    strncasecmp(address.data, begins[i], size) == 0)
			return true;
	}
	return false;
}

struct base_address base_of_page(const struct page *page, const struct url *url)
{
	struct base_address base = {0};

	if (url != NULL) {
		base.url = url_base(url, page->base);
		base.is_known = true;
	} else if (address_is_absolute(page->base)) {
		base.is_known =
			url_parse(&base.url, page->base, NULL) == ERR_NONE;
	}
	return base;
}

/*
 * Append the fragment ("#...") of `href`, because the canonical form of a URL
 * has none.
 */
static void append_fragment(struct slice href, struct buffer *out)
{
	const char *hash =
		href.size == 0 ? NULL : memchr(href.data, '#', href.size);
	char escaped[3 * MAX_URL_BYTES];
	struct bounded fragment = {escaped, 0, sizeof(escaped), false};
	struct slice rest;

	if (hash == NULL)
		return;
	hash++;
	rest = (struct slice){
		hash, (size_t)((const char *)href.data + href.size - hash)};
	percent_normalize(rest, "", &fragment);
	if (fragment.size == 0 || fragment.is_cut)
		return;
	buffer_append_byte(out, '#');
	buffer_append_slice(out, bounded_slice(&fragment));
}

bool absolute_append(const void *base, struct slice href, struct buffer *out)
{
	const struct base_address *address = base;
	struct url url;

	if (url_parse(&url, href, &address->url) != ERR_NONE)
		return false;
	buffer_append_text(out, url.text);
	append_fragment(href, out);
	return true;
}

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

/*
 * Return the preference of the request, and confidence and quality of the
 * result.
 */
static json_t *judgement_json(const struct extraction_result *answer)
{
	return json_pack("{s:s, s:s?, s:o, s:s}", "favor",
			 favor_name(answer->preference.favor), "scope",
			 scope_name(answer->preference.scope), "confidence",
			 json_real_or_null(answer->confidence), "quality",
			 text_quality_name(answer->quality));
}

/*
 * Return a list as JSON. `address` and `text` are the names of the two fields
 * of an entry.
 */
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

/* Return the fields of the extras; an extra that was not requested is null. */
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
 * Append the fields of an object without its braces; write a comma before them
 * if necessary. Free the object.
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

/* Return the metadata that page.h extracts: title, language, description. */
static json_t *head_json(const struct page *page)
{
	return json_pack("{s:o, s:o, s:o}", "title", json_text(page->title),
			 "language", json_text(page->language), "description",
			 json_text(page->description));
}

/* State of writing a result as JSON. */
struct result_writer {
	const struct extraction_result *answer;
	struct generation_places places;
	size_t begin; /* start of the object in `out` */
	struct buffer *out;
};

/*
 * Append the field `name` with the generation of the site, and store its
 * position, because its value is replaced later.
 */
static void append_generation(struct result_writer *writing, const char *name)
{
	struct generation_places *places = &writing->places;

	buffer_printf(writing->out, ",\"%s\":", name);
	places->at[places->count++] = writing->out->size - writing->begin;
	buffer_printf(writing->out, "%" PRIu64, writing->answer->generation);
}

/*
 * Append the fields that depend on the site, or do not depend on the content of
 * the page.
 */
static void answer_json_append_place(struct result_writer *writing)
{
	const struct extraction_result *answer = writing->answer;

	append_fields(json_pack("{s:o, s:I}", "cluster",
				json_text_or_null(slice_of(answer->cluster)),
				"cluster_pages",
				(json_int_t)answer->cluster_pages),
		      writing->out);
	append_generation(writing, "generation");
	append_fields(json_pack("{s:o, s:o, s:b}", "fetched",
				json_time(answer->fetched_ms), "waiting",
				json_time(answer->waiting_ms), "truncated",
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

/*
 * Append the method, the reason and the template. Then append the preference,
 * confidence and quality.
 */
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

static struct slice document_copy_text(struct arena *arena, struct slice text)
{
	return (struct slice){arena_copy(arena, text.data, text.size),
			      text.size};
}

/*
 * Return the host of a URL. It is empty if the URL is invalid or relative, or
 * the page is from a file.
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

/* Return the text of the readers' comments. */
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

/*
 * Return the images with `lead`, the lead image of the page, as the first one.
 */
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

/*
 * Return whether both YAML 1.1 and YAML 1.2 allow the character within a line.
 */
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

/* Return the URL of the page; empty if the page is from a file. */
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
