/*
 * Two ways of an input. Its first byte is 0: the rest is a set of fields, which
 * finds values and records on a page, and whose encoding is the same bytes.
 * Otherwise: the rest is pages, separated by the byte 1; learn them, find and
 * teach fields by examples and selectors, apply what is decoded of the set to
 * the pages, transform the values, and match the fields with each other.
 */
#include <string.h>

#include "base/arena.h"
#include "page/page.h"
#include "template/fields/field_json.h"
#include "template/fields/lesson.h"
#include "template/fields/like.h"
#include "tests/fuzz/require.h"

enum {
	MAX_PAGES = 24,
	MAX_FIELDS = MAX_SET_FIELDS - 2,
	ROOM_FOR_FIELDS = MAX_FIELDS + MAX_RECORD_FIELDS
};

static const char known_page[] =
	"<title>Tea A</title><h1>Tea A</h1>"
	"<p class=a>Pages: 3, with a text that is much longer than others</p>"
	"<dl><dt>ISBN<dd>9<dt>Year<dd>19</dl><ul><li>a<li>b</ul>after"
	"<ol><li class=c><b class=author>Ann</b><p>x</p><ul><li><b>Bob</b>"
	"<i>y</i><li><b>Cid</b><i>z</i></ul><li class=c><b class=author>Dan</b>"
	"<p>w</p></ol>";

struct pages {
	const struct page *pages[MAX_PAGES];
	uint32_t count;
};

static void add_page(struct pages *pages, struct slice body)
{
	struct page *page;

	if (pages->count == MAX_PAGES ||
	    page_parse(&page, body, slice_of("utf-8"), &page_limits_default) !=
		    ERR_NONE)
		return;
	page_set_url(page, slice_of("http://a.test/b/c"));
	pages->pages[pages->count++] = page;
}

static void free_pages(struct pages *pages)
{
	for (uint32_t i = 0; i < pages->count; i++)
		page_destroy((struct page *)pages->pages[i]);
}

/* Transform values in each way; what is read is not empty. */
static void transform(const struct page *page,
		      const struct field_result *result, struct arena *arena)
{
	char decimal = number_decimal(result->values, result->count);

	for (uint32_t kind = 0; kind < TRANSFORM_COUNT; kind++) {
		const struct transform one = {.kind = (enum transform_kind)kind,
					      .decimal = decimal,
					      .separator = ", "};
		const struct slice *values = result->values;
		uint32_t count = result->count;

		transform_values(&one, page, arena, &values, &count);
		require(count <= result->count);
		for (uint32_t i = 0; i < count; i++)
			require(values[i].size > 0);
	}
}

/* What describes a field can be read. */
static void describe(const struct field_set *set)
{
	json_t *list = json_array();
	struct field_pattern pattern;

	fields_describe(set, list);
	for (uint32_t f = 0; f < set->count; f++)
		require(field_pattern_read(json_array_get(list, f), &pattern));
	json_decref(list);
}

/* Each record, and each value of one, is in a record that exists. */
static void check_entries(const struct field_set *set,
			  const struct field_result *results, uint32_t field)
{
	uint32_t parent = set->fields[field].parent;
	const struct field_result *result = &results[field];
	uint32_t records = parent == NO_FIELD ? 1 : results[parent].entry_count;

	for (uint32_t i = 0; i < result->entry_count; i++) {
		require(result->entries[i].record < records);
		require(i == 0 || result->entries[i].record >=
					  result->entries[i - 1].record);
	}
	if (set->fields[field].type == TYPE_RECORDS)
		require(result->entry_count <= MAX_PAGE_RECORDS);
}

static void write_record(const struct field_set *set, const struct page *page)
{
	json_t *record = json_object();

	record_add(set, page, true, record);
	json_decref(record);
}

/* The results refer to the arena, which must still have them. */
static void apply(const struct field_set *set, const struct page *page)
{
	struct arena *arena = arena_create();
	const struct field_result *results = field_set_apply(set, page, arena);
	size_t bytes = 0;

	for (uint32_t f = 0; f < set->count; f++) {
		for (uint32_t i = 0; i < results[f].count; i++) {
			require(results[f].values[i].size > 0);
			bytes += strnlen(results[f].values[i].data,
					 results[f].values[i].size);
		}
		check_entries(set, results, f);
		transform(page, &results[f], arena);
	}
	require(bytes < SIZE_MAX);
	write_record(set, page);
	arena_destroy(arena);
}

/* What is decoded is encoded as the same bytes. */
static bool decode(struct arena *arena, struct slice bytes,
		   struct field_set *set_out)
{
	struct buffer again = {0};

	if (!field_set_decode(arena, bytes, set_out))
		return false;
	field_set_encode(set_out, &again);
	require(slice_equal(buffer_slice(&again), bytes));
	buffer_free(&again);
	return true;
}

static void try_bytes(struct slice bytes)
{
	struct arena *arena = arena_create();
	struct pages pages = {0};
	struct field_set set;

	add_page(&pages, slice_of(known_page));
	if (decode(arena, bytes, &set))
		apply(&set, pages.pages[0]);
	free_pages(&pages);
	arena_destroy(arena);
}

/* Teach the field that has the values of the found one. */
static bool teach(const struct column_table *table, const struct field *found,
		  struct field *field_out)
{
	static struct value values[MAX_PAGES][MAX_PAGE_VALUES];
	static struct slice texts[MAX_PAGES][MAX_PAGE_VALUES];
	struct example examples[MAX_PAGES];

	for (uint32_t p = 0; p < table->page_count; p++) {
		examples[p] = (struct example){
			.page = p,
			.values = texts[p],
			.count = field_values(found, p, values[p])};
		for (uint32_t i = 0; i < examples[p].count; i++)
			texts[p][i] = values[p][i].text;
	}
	return field_teach(table, "field", examples, table->page_count,
			   field_out);
}

/* Teach by what selectors select, and find the texts of transformed values. */
static void try_selectors(const struct column_table *table,
			  const struct pages *pages)
{
	const struct transform number = {.kind = TRANSFORM_NUMBER};
	const struct learned_pages learned = {table, pages->pages};
	const struct slice excluded = slice_of("not");
	struct example examples[MAX_PAGES];
	const struct field_lesson lesson = {"field", examples,
					    table->page_count, &excluded, 1};
	struct field taught;

	examples_select("a::attr(href)", pages->pages, pages->count,
			table->arena, examples);
	if (examples_select("b", pages->pages, pages->count, table->arena,
			    examples) > 0 &&
	    field_teach_lesson(table, &lesson, &taught))
		require(taught.doubt_count <= MAX_DOUBTS);
	if (examples_select_xpath("(//b)[1]", pages->pages, pages->count,
				  table->arena, examples) > 0)
		examples_restore(&learned, &number, examples, pages->count,
				 table->arena);
}

/* Each field is like itself or another one. */
static void try_alike(const struct column_table *table,
		      const struct field *fields, uint32_t count)
{
	static struct field_pattern own[ROOM_FOR_FIELDS];
	static struct likeness pairs[ROOM_FOR_FIELDS];
	const struct field_patterns patterns = {own, count};
	uint32_t found;

	for (uint32_t i = 0; i < count; i++)
		own[i] = field_pattern_of(table->tree, &fields[i]);
	patterns_drop_shared(own, count);
	found = fields_match(patterns, patterns, pairs);
	require(found <= count);
	for (uint32_t i = 0; i < found; i++)
		require(pairs[i].ratio > 0 && pairs[i].ratio <= 1);
}

static void try_set(const struct column_table *table,
		    const struct field *fields, uint32_t count,
		    const struct pages *pages)
{
	struct field_set set =
		field_set_make(table->arena, table, fields, count);
	struct buffer bytes = {0};
	struct field_set copy;

	field_set_encode(&set, &bytes);
	describe(&set);
	if (decode(table->arena, buffer_slice(&bytes), &copy))
		for (uint32_t i = 0; i < pages->count; i++)
			apply(&copy, pages->pages[i]);
	else
		require(bytes.size > MAX_SET_BYTES);
	buffer_free(&bytes);
}

static void learn(const struct pages *pages)
{
	static struct field fields[ROOM_FOR_FIELDS];
	struct arena *arena = arena_create();
	struct place_tree tree =
		place_tree_learn(arena, pages->pages, pages->count);
	struct column_table table =
		columns_read(arena, &tree, pages->pages, pages->count);
	struct field taught;
	uint32_t count = fields_discover(&table, fields, MAX_FIELDS);

	require(count <= ROOM_FOR_FIELDS);
	for (uint32_t i = 0; i < count; i++)
		require(fields[i].name[0] != '\0' && fields[i].rule_count >= 1);
	try_set(&table, fields, count, pages);
	try_selectors(&table, pages);
	try_alike(&table, fields, count);
	/* its values are in a column */
	if (count > 0 && teach(&table, &fields[0], &taught))
		try_set(&table, &taught, 1, pages);
	arena_destroy(arena);
}

static void try_pages(struct slice rest)
{
	struct pages pages = {0};

	while (rest.size > 0) {
		const char *end = memchr(rest.data, 1, rest.size);
		size_t size = end == NULL
				      ? rest.size
				      : (size_t)(end - (const char *)rest.data);

		add_page(&pages, (struct slice){rest.data, size});
		slice_advance(&rest, end == NULL ? size : size + 1);
	}
	learn(&pages);
	free_pages(&pages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] == 0)
		try_bytes((struct slice){data + 1, size - 1});
	else
		try_pages((struct slice){data + 1, size - 1});
	return 0;
}
