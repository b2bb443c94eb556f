/* Any bytes as a page and as JSON-LD: what is read keeps its contract, and is
   the same again. */
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "extract/metadata/metadata.h"
#include "page/json_ld.h"
#include "page/page.h"
#include "tests/fuzz/require.h"

static void check_one(const struct metadatum *one, const struct metadatum *two)
{
	require((one->source == NULL) == (one->value.size == 0));
	require(one->source == two->source);
	require(slice_equal(one->value, two->value));
	require(utf8_check(one->value).invalid == 0);
}

/* 2024-03-05, and possibly a time after it. */
static void check_date(struct slice date)
{
	const char *bytes = date.data;

	require(date.size == 0 || date.size == 10 || bytes[10] == 'T');
	require(date.size == 0 ||
		(bytes[4] == '-' && bytes[7] == '-' &&
		 (memcmp(bytes, "19", 2) == 0 || memcmp(bytes, "20", 2) == 0 ||
		  memcmp(bytes, "2100", 4) == 0)));
}

static void check_metadata(const struct page *page)
{
	struct slice url = slice_of("https://www.example.org/2020/01/02/x");
	struct metadata one = metadata_read(page->arena, page, url, NULL);
	struct metadata two = metadata_read(page->arena, page, url, NULL);

	check_one(&one.title, &two.title);
	check_one(&one.published, &two.published);
	check_one(&one.modified, &two.modified);
	check_one(&one.site_name, &two.site_name);
	check_one(&one.language, &two.language);
	check_one(&one.description, &two.description);
	check_one(&one.image, &two.image);
	check_one(&one.canonical, &two.canonical);
	check_one(&one.page_type, &two.page_type);
	check_date(one.published.value);
	check_date(one.modified.value);
	require(one.author_count <= MAX_AUTHORS &&
		one.author_count == two.author_count);
	for (size_t i = 0; i < one.author_count; i++)
		check_one(&one.authors[i], &two.authors[i]);
	check_one(&one.licence, &two.licence);
	check_one(&one.favicon, &two.favicon);
	require(one.tag_count <= MAX_TAGS && one.tag_count == two.tag_count);
	for (size_t i = 0; i < one.tag_count; i++)
		check_one(&one.tags[i], &two.tags[i]);
}

static void check_fields(const struct json_ld *ld, uint32_t object)
{
	uint32_t last = 0;

	for (uint32_t i = ld->objects[object].first; i != NO_FIELD;
	     i = ld->fields[i].next) {
		const struct json_ld_field *field = &ld->fields[i];

		require(i < ld->field_count && i >= last);
		last = i + 1;
		if (field->kind == JSON_LD_OBJECT)
			require(field->object > object &&
				field->object < ld->object_count &&
				ld->objects[field->object].parent == object);
		else
			require(field->object == NO_OBJECT);
	}
}

/* Text that is no UTF-8 too: it is read as bytes. */
static void check_json_ld(struct slice text)
{
	struct arena *arena = arena_create();
	struct json_ld ld = json_ld_read(arena, text);

	require(ld.object_count <= JSON_LD_VALUES &&
		ld.field_count <= JSON_LD_VALUES);
	for (uint32_t i = 0; i < ld.object_count; i++)
		check_fields(&ld, i);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct page *page;

	check_json_ld((struct slice){data, size});
	if (page_parse(&page, (struct slice){data, size}, slice_of("utf-8"),
		       &page_limits_default) != ERR_NONE)
		return 0;
	check_metadata(page);
	page_destroy(page);
	return 0;
}
