#include "tests/unit/template/small_site.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/signature.h"
#include "crawl/url/url.h"
#include "extract/text/fragment.h"
#include "page/page.h"
#include "store/key.h"

enum { MAX_HASHES = 256 };

struct hashes {
	uint64_t items[MAX_HASHES];
	size_t count;
};

void small_page(struct buffer *out, unsigned number)
{
	if (number == SMALL_TABLE)
		buffer_append_text(out, "<html><head><title>Prices</title>"
					"</head><body><table><tr><td>Bread"
					"<td>Contact</table></body></html>");
	else
		buffer_printf(out,
			      "<html><head><title>News %u</title></head><body>"
			      "<ul><li>Home<li>Contact</ul><h1>Heading %u</h1>"
			      "<div><p>This is the text of page %u, which has "
			      "a few more words than the menu.</p></div><p>All "
			      "rights reserved</p></body></html>",
			      number, number, number);
}

const char *small_url(unsigned number, char *out)
{
	if (number == SMALL_TABLE)
		return "http://a.test/b";
	if (number == SMALL_GONE)
		return "http://a.test/gone";
	snprintf(out, 64, "http://a.test/a/%u", number + 1);
	return out;
}

static struct page *parse(unsigned number)
{
	struct buffer html = {0};
	struct page *page;

	small_page(&html, number);
	ck_assert_int_eq(page_parse(&page, buffer_slice(&html), slice_of(""),
				    &page_limits_default),
			 ERR_NONE);
	buffer_free(&html);
	return page;
}

static int by_value(const void *left, const void *right)
{
	const uint64_t *a = left;
	const uint64_t *b = right;

	return (*a > *b) - (*a < *b);
}

static void add(struct hashes *hashes, uint64_t hash)
{
	for (size_t i = 0; i < hashes->count; i++)
		if (hashes->items[i] == hash)
			return;
	ck_assert_uint_lt(hashes->count, MAX_HASHES);
	hashes->items[hashes->count++] = hash;
	qsort(hashes->items, hashes->count, sizeof(uint64_t), by_value);
}

static uint32_t index_of(const struct hashes *hashes, uint64_t hash)
{
	uint32_t index = 0;

	while (hashes->items[index] != hash)
		index++;
	return index;
}

static struct signature sign(const struct page *page)
{
	return signature_compute(
		page->arena, page,
		(struct signature_rule){.measure = MEASURE_CPC});
}

static const struct fragment *fragments_of(const struct page *page,
					   uint32_t *count_out)
{
	return fragments_distinct(page->arena,
				  fragments_of_page(page->arena, page),
				  page->text_count, count_out);
}

static void collect(struct hashes *shingles, struct hashes *fragments)
{
	for (unsigned p = 0; p < SMALL_PAGES; p++) {
		struct page *page = parse(p);
		struct signature signature = sign(page);
		uint32_t count;
		const struct fragment *found = fragments_of(page, &count);

		for (size_t i = 0; i < signature.count; i++)
			add(shingles, signature.shingles[i]);
		for (uint32_t i = 0; i < count; i++)
			add(fragments, found[i].hash);
		page_destroy(page);
	}
}

static void put_set(struct bundle_writer *writer, unsigned number,
		    uint32_t cluster, const struct hashes *shingles)
{
	struct page *page = parse(number);
	struct signature signature = sign(page);
	uint32_t indices[MAX_HASHES];

	for (size_t i = 0; i < signature.count; i++)
		indices[i] = index_of(shingles, signature.shingles[i]);
	bundle_put_set(writer, cluster, indices, signature.count);
	page_destroy(page);
}

static uint32_t cluster_of(unsigned number)
{
	if (number == SMALL_GONE)
		return 0;
	return number == SMALL_TABLE ? 2 : 1;
}

static void put_page(struct bundle_writer *writer, unsigned number,
		     const struct hashes *fragments)
{
	struct page *page = parse(number);
	struct buffer html = {0};
	uint32_t indices[MAX_HASHES];
	uint32_t count;
	const struct fragment *found = fragments_of(page, &count);
	char url[64];

	small_page(&html, number);
	for (uint32_t i = 0; i < count; i++)
		indices[i] = index_of(fragments, found[i].hash);
	bundle_put_page(
		writer,
		&(struct known_page){
			.key = page_key_of(slice_of(small_url(number, url))),
			.content_hash = hash64(html.data, html.size, 0),
			.cluster = cluster_of(number),
			.http_status = number == SMALL_GONE ? 404 : 200,
			.charset = slice_of(number == 1 ? "utf-8" : ""),
		},
		indices, cluster_of(number) == 0 ? 0 : count);
	buffer_free(&html);
	page_destroy(page);
}

/* By their keys. */
static void put_pages(struct bundle_writer *writer,
		      const struct hashes *fragments)
{
	struct hashes keys = {0};
	char url[64];

	for (unsigned p = 0; p < SMALL_PAGES; p++)
		add(&keys, page_key_of(slice_of(small_url(p, url))));
	for (size_t i = 0; i < keys.count; i++)
		for (unsigned p = 0; p < SMALL_PAGES; p++)
			if (page_key_of(slice_of(small_url(p, url))) ==
			    keys.items[i])
				put_page(writer, p, fragments);
}

void small_begin(struct bundle_writer *writer, struct slice model)
{
	static const struct bundle_name name = {1, "page \xC2\xB7 /*"};
	struct hashes shingles = {0};
	struct hashes fragments = {0};

	*writer = (struct bundle_writer){.max_bytes = 1 << 20};
	collect(&shingles, &fragments);
	bundle_put_site(writer, &(struct bundle_site){
					.names = &name,
					.name_count = 1,
					.host = "a.test",
					.base = "http://a.test/",
					.measure = MEASURE_CPC,
					.threshold = 250,
					.generation = 17,
					.made_ms = 1700000000000,
					.program = "a test",
					.limits = page_limits_default,
					.min_cluster_pages = 3,
					.settings = "",
				});
	bundle_put_model(writer, model);
	bundle_put_hashes(writer, SECTION_SHINGLES, shingles.items,
			  shingles.count);
	put_set(writer, 0, 1, &shingles);
	put_set(writer, SMALL_TABLE, 2, &shingles);
	put_set(writer, SMALL_TABLE, 1, &shingles);
	bundle_put_hashes(writer, SECTION_FRAGMENTS, fragments.items,
			  fragments.count);
	put_pages(writer, &fragments);
}

void small_put_template(struct bundle_writer *writer)
{
	for (unsigned p = 0; p < SMALL_TABLE; p++) {
		struct buffer html = {0};

		small_page(&html, p);
		bundle_put_sample(writer, 1, slice_of(p == 1 ? "utf-8" : ""),
				  buffer_slice(&html));
		buffer_free(&html);
	}
	bundle_put_version(writer, 1, 3, slice_of("{\"format\":1}"));
}

void small_fields(struct buffer *out)
{
	const struct slice value = slice_of("Heading 1");
	const struct example example = {
		.page = 1, .values = &value, .count = 1};
	struct arena *arena = arena_create();
	struct page *pages[SMALL_TABLE];
	struct place_tree tree;
	struct column_table table;
	struct field_set set;
	struct field field;

	for (unsigned p = 0; p < SMALL_TABLE; p++)
		pages[p] = parse(p);
	tree = place_tree_learn(arena, (const struct page *const *)pages,
				SMALL_TABLE);
	table = columns_read(arena, &tree, (const struct page *const *)pages,
			     SMALL_TABLE);
	ck_assert(field_teach(&table, "heading", &example, 1, &field));
	set = field_set_make(arena, &table, &field, 1);
	field_set_encode(&set, out);
	for (unsigned p = 0; p < SMALL_TABLE; p++)
		page_destroy(pages[p]);
	arena_destroy(arena);
}

void small_bundle(struct buffer *out)
{
	struct bundle_writer writer;
	struct buffer set = {0};

	small_begin(&writer, slice_of(NULL));
	small_put_template(&writer);
	small_fields(&set);
	bundle_put_fields(&writer, 1, buffer_slice(&set));
	buffer_free(&set);
	ck_assert_int_eq(bundle_end(&writer, out), ERR_NONE);
}

struct bundle *small_open(const struct buffer *bytes, char *reason)
{
	struct bundle *bundle = NULL;
	struct buffer copy = {0};

	buffer_append_slice(&copy, buffer_slice(bytes));
	bundle_open(&bundle, &copy, &bundle_limits_default, reason);
	ck_assert_ptr_null(copy.data);
	return bundle;
}

enum error small_ask(struct bundle *bundle, unsigned number,
		     const char *address, const char *method,
		     struct extraction_result *answer)
{
	struct text_request request = {.method = method};
	struct buffer html = {0};
	struct url url;
	enum error error;

	small_page(&html, number);
	request.body = buffer_slice(&html);
	if (address != NULL) {
		ck_assert_int_eq(url_parse(&url, slice_of(address), NULL),
				 ERR_NONE);
		request.url = &url;
	}
	error = bundle_extract(bundle, &request, answer);
	buffer_free(&html);
	return error;
}
