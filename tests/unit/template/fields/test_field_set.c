/* A set of fields as bytes, and what it finds on a page. */
#include "template/fields/field_set.h"

#include "tests/unit/template/fields/learned.h"

static struct learned site;
static struct field_set set;

static void teardown(void)
{
	learned_free(&site);
}

/* Teach the field by one value of page 0. */
static void teach(struct field *field, const char *name, const char *text)
{
	struct slice value = slice_of(text);
	struct example example = {0, &value, 1};

	ck_assert_msg(field_teach(&site.table, name, &example, 1, field), "%s",
		      text);
}

/* Three fields of books, one of which some books do not have. */
static void setup(void)
{
	struct field fields[4];

	for (int i = 0; i < 8; i++)
		learned_add(&site,
			    "<title>Book %c</title><h1>Book %c</h1>"
			    "<nav><a>Home</a><a>Kind %d</a></nav>"
			    "<p>Pages: %d, cloth</p>%s<dl><dt>ISBN<dd>978-%d"
			    "<dt>Cover<dd>red %d</dl>",
			    'A' + i, 'A' + i, i, 300 + i,
			    i % 3 == 0 ? "<p class=sale>sale</p>" : "", i, i);
	learned_run(&site);
	teach(&fields[0], "title", "Book A");
	teach(&fields[1], "isbn", "978-0");
	teach(&fields[2], "pages", "300");
	teach(&fields[3], "sale", "sale");
	set = field_set_make(test_arena, &site.table, fields, 4);
}

FIXTURE(.setup = setup, .teardown = teardown);

/* Check the values of a field on a page of the template. */
static void check_result(const struct field_set *fields, const char *html,
			 uint32_t field, const char *values)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER joined = {0};
	const struct field_result *results =
		field_set_apply(fields, page, test_arena);

	for (uint32_t i = 0; i < results[field].count; i++) {
		if (i > 0)
			buffer_append_byte(&joined, '|');
		buffer_append_slice(&joined, results[field].values[i]);
	}
	check_slice(buffer_slice(&joined), values);
}

static const char new_book[] =
	"<title>Book Z</title><h1>Book Z</h1><nav><a>Home</a><a>Kind 9</a>"
	"</nav><p>Pages: 412, cloth</p><p class=sale>sale</p>"
	"<dl><dt>ISBN<dd>978-77<dt>Cover<dd>red</dl>";

static void check_new_book(const struct field_set *fields)
{
	check_result(fields, new_book, 0, "Book Z");
	check_result(fields, new_book, 1, "978-77");
	check_result(fields, new_book, 2, "412");
	check_result(fields, new_book, 3, "sale");
}

TEST(a_set_finds_the_values_of_a_new_page)
{
	ck_assert_uint_eq(set.count, 4);
	ck_assert_uint_lt(set.tree.places.count, site.tree.places.count);
	ck_assert_double_eq(set.fields[0].fill, 1);
	ck_assert_double_eq(set.fields[3].fill, .375);
	check_new_book(&set);
}

TEST(a_field_that_the_page_does_not_have_has_no_value)
{
	const char *html = "<title>Book Y</title><h1>Book Y</h1>"
			   "<dl><dt>Cover<dd>red</dl>";

	check_result(&set, html, 0, "Book Y");
	for (uint32_t i = 1; i < 4; i++)
		check_result(&set, html, i, "");
	check_result(&set, "", 0, "");
	check_result(&set, "<p>another template", 2, "");
}

TEST(a_field_whose_addresses_disagree_is_unsure)
{
	AUTO_PAGE *same = page_of(new_book);
	AUTO_PAGE *other = page_of("<title>Book Y</title><h1>Book X</h1>");

	ck_assert_uint_gt(set.fields[0].rule_count, 1);
	ck_assert(!field_set_apply(&set, same, test_arena)[0].is_unsure);
	ck_assert(field_set_apply(&set, other, test_arena)[0].is_unsure);
}

static void encode(struct buffer *bytes)
{
	set.fields[0].is_watched = true;
	set.fields[1].is_required = true;
	set.fields[1].origin = FIELD_TAUGHT;
	set.fields[2].transform = (struct transform){.kind = TRANSFORM_JOIN,
						     .items = TRANSFORM_NUMBER,
						     .decimal = ',',
						     .separator = "; "};
	set.fields[3].transform =
		(struct transform){.kind = TRANSFORM_JOIN, .separator = ", "};
	field_set_encode(&set, bytes);
}

TEST(a_loose_place_finds_values_only_inside_of_its_parent)
{
	struct field field;
	struct field_set loose;
	struct field_set copy;
	AUTO_BUFFER bytes = {0};

	learned_free(&site);
	for (int i = 0; i < 8; i++)
		learned_add(&site,
			    "<main>%s<b class=sig>Name %d</b>%s</main>"
			    "<div>%d</div>",
			    i % 2 == 0 ? "<p>" : "<section>", i,
			    i % 2 == 0 ? "</p>" : "</section>", i);
	learned_run(&site);
	teach(&field, "name", "Name 0");
	loose = field_set_make(test_arena, &site.table, &field, 1);
	field_set_encode(&loose, &bytes);
	ck_assert(field_set_decode(test_arena, buffer_slice(&bytes), &copy));
	check_result(&copy,
		     "<main><ul><li><b class=sig>Name 9</b></ul></main>"
		     "<div><b class=sig>Other</b></div>",
		     0, "Name 9");
}

TEST(an_encoded_set_is_decoded)
{
	AUTO_BUFFER bytes = {0};
	AUTO_BUFFER again = {0};
	struct field_set copy;

	encode(&bytes);
	ck_assert(field_set_decode(test_arena, buffer_slice(&bytes), &copy));
	ck_assert_uint_eq(copy.count, 4);
	ck_assert_str_eq(copy.fields[1].name, "isbn");
	ck_assert(copy.fields[0].is_watched && !copy.fields[0].is_required);
	ck_assert(copy.fields[1].is_required && !copy.fields[1].is_watched);
	ck_assert_int_eq(copy.fields[0].origin, FIELD_FOUND);
	ck_assert_int_eq(copy.fields[1].origin, FIELD_TAUGHT);
	ck_assert_double_eq_tol(copy.fields[3].fill, .375, 1e-9);
	ck_assert_int_eq(copy.fields[2].transform.kind, TRANSFORM_JOIN);
	ck_assert_int_eq(copy.fields[2].transform.items, TRANSFORM_NUMBER);
	ck_assert_int_eq(copy.fields[2].transform.decimal, ',');
	ck_assert_int_eq(copy.fields[3].transform.items, TRANSFORM_NONE);
	ck_assert_str_eq(copy.fields[3].transform.separator, ", ");
	check_new_book(&copy);
	field_set_encode(&copy, &again);
	ck_assert(slice_equal(buffer_slice(&again), buffer_slice(&bytes)));
}

TEST(an_empty_set_is_decoded)
{
	AUTO_BUFFER bytes = {0};
	struct field_set none =
		field_set_make(test_arena, &site.table, NULL, 0);
	struct field_set copy;

	field_set_encode(&none, &bytes);
	ck_assert(field_set_decode(test_arena, buffer_slice(&bytes), &copy));
	ck_assert_uint_eq(copy.count, 0);
}

TEST(bytes_that_are_cut_off_are_damaged)
{
	AUTO_BUFFER bytes = {0};
	struct field_set copy;

	encode(&bytes);
	for (size_t size = 0; size < bytes.size; size++) {
		/* a copy of its size, so that ASan sees a read beyond it */
		AUTO_TEXT *part = malloc(size + 1);

		memcpy(part, bytes.data, size);
		ck_assert(!field_set_decode(test_arena,
					    (struct slice){part, size}, &copy));
	}
	buffer_append_byte(&bytes, 0);
	ck_assert(!field_set_decode(test_arena, buffer_slice(&bytes), &copy));
}

/* What is read in spite of the damage can be used. */
TEST(bits_that_turn_over_do_no_harm)
{
	AUTO_BUFFER bytes = {0};
	AUTO_PAGE *page = page_of(new_book);

	encode(&bytes);
	for (size_t at = 0; at < bytes.size; at++)
		for (int bit = 0; bit < 8; bit++) {
			AUTO_ARENA *arena = arena_create();
			AUTO_BUFFER again = {0};
			struct field_set copy;

			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
			if (field_set_decode(arena, buffer_slice(&bytes),
					     &copy)) {
				field_set_apply(&copy, page, arena);
				field_set_encode(&copy, &again);
			}
			bytes.data[at] = (char)(bytes.data[at] ^ 1 << bit);
		}
}

TEST(a_set_of_too_many_bytes_is_damaged)
{
	AUTO_BUFFER bytes = {0};
	struct field_set copy;

	encode(&bytes);
	while (bytes.size <= MAX_SET_BYTES)
		buffer_append_byte(&bytes, 0);
	ck_assert(!field_set_decode(test_arena, buffer_slice(&bytes), &copy));
}

TEST(further_fields_than_a_set_has_are_left_out)
{
	struct field *many =
		ARENA_NEW(test_arena, struct field, MAX_SET_FIELDS + 1);
	struct field_set full;

	for (uint32_t i = 0; i <= MAX_SET_FIELDS; i++)
		teach(&many[i], "title", "Book A");
	full = field_set_make(test_arena, &site.table, many,
			      MAX_SET_FIELDS + 1);
	ck_assert_uint_eq(full.count, MAX_SET_FIELDS);
}

static const char *const teas[] = {"Assam",      "Bancha",    "Congou",
				   "Darjeeling", "Earl Grey", "Fuding"};

/* Learn a shop that states its prices, and find its fields. */
static void learn_shop(void)
{
	static struct field found[20];
	uint32_t count;

	learned_free(&site);
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<script type=application/ld+json>{\"@type\":"
			    "\"Product\",\"offers\":{\"price\":\"%d.50\"}}"
			    "</script><h1>%s</h1><p class=cost>$%d.50</p>",
			    i + 3, teas[i], i + 3);
	learned_run(&site);
	count = fields_discover(&site.table, found, 20);
	set = field_set_make(test_arena, &site.table, found, count);
}

/* Apply the set, encoded and decoded, and return the result of "price". */
static struct field_result price_on(const char *html)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER bytes = {0};
	struct field_set copy;

	field_set_encode(&set, &bytes);
	ck_assert(field_set_decode(test_arena, buffer_slice(&bytes), &copy));
	for (uint32_t f = 0; f < copy.count; f++)
		if (strcmp(copy.fields[f].name, "price") == 0)
			return field_set_apply(&copy, page, test_arena)[f];
	ck_abort_msg("no field is called price");
	return (struct field_result){0};
}

#define STATES(price)                                              \
	"<script type=application/ld+json>{\"@type\":\"Product\"," \
	"\"offers\":{\"price\":\"" price "\"}}</script>"

TEST(a_stated_value_survives_a_redesign_and_is_unsure)
{
	struct field_result result;

	learn_shop();
	result = price_on(STATES("9.50") "<main><div><h2>Zen</h2>"
					 "<span>9.50 USD</span></div></main>");
	ck_assert_uint_eq(result.count, 1);
	check_slice(result.values[0], "9.50");
	ck_assert(result.is_unsure);
}

TEST(a_stated_value_in_another_form_is_no_contradiction)
{
	struct field_result result;

	learn_shop();
	result = price_on(STATES("9.50") "<h1>Zen</h1><p class=cost>$9.50");
	check_slice(result.values[0], "$9.50");
	ck_assert(!result.is_unsure);
	result = price_on(STATES("8.50") "<h1>Zen</h1><p class=cost>$9.50");
	check_slice(result.values[0], "$9.50");
	ck_assert(result.is_unsure);
	result = price_on("<h1>Zen</h1><p class=cost>$9.50");
	check_slice(result.values[0], "$9.50");
	ck_assert(!result.is_unsure);
}

TEST(a_path_that_is_damaged_is_not_decoded)
{
	AUTO_BUFFER bytes = {0};
	struct field_set copy;
	char *path;

	learn_shop();
	field_set_encode(&set, &bytes);
	path = memmem(bytes.data, bytes.size, "jsonld:Product", 14);
	ck_assert_ptr_nonnull(path);
	path[7] = ' ';
	ck_assert(!field_set_decode(test_arena, buffer_slice(&bytes), &copy));
}
