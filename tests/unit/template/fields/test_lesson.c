/* Lessons with excluded values, selectors and transformed values; doubts. */
#include "template/fields/lesson.h"

#include "template/fields/transform.h"
#include "tests/unit/template/fields/learned.h"

static struct learned site;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

/* Books whose pages and weights are equal on page 0, which has no sale. */
static void learn_books(void)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<h1>Book %d</h1><p class=pages>%d</p>"
			    "<p class=weight>%d</p><p class=cost>%d.%d00,50 "
			    "EUR</p><a href=/b%d><img src=%d.png></a>%s",
			    i, 12 + 3 * i, 12 + 2 * i, i + 1, i, i, i,
			    i < 2 ? "" : "<b class=sale>sale</b>");
	learned_run(&site);
}

/* Return the first value of a page, or an empty text. */
static struct slice text_of_field(const struct field *field, uint32_t page)
{
	struct value values[MAX_PAGE_VALUES];

	return field_values(field, page, values) == 0 ? slice_of("")
						      : values[0].text;
}

TEST(a_lesson_with_two_meanings_names_pages_where_they_differ)
{
	const struct slice value = slice_of("12");
	const struct example example = {0, &value, 1};
	struct field field;

	learn_books();
	ck_assert(field_teach(&site.table, "a", &example, 1, &field));
	ck_assert_double_lt(field.confidence, 1);
	ck_assert_uint_eq(field.doubt_count, MAX_DOUBTS);
	for (uint32_t i = 0; i < MAX_DOUBTS; i++) {
		const struct doubt *doubt = &field.doubts[i];

		ck_assert_uint_ne(doubt->page, 0);
		ck_assert(slice_equal(doubt->values[0],
				      text_of_field(&field, doubt->page)));
		ck_assert(!slice_equal(doubt->values[0], doubt->values[1]));
		ck_assert_uint_gt(doubt->values[1].size, 0);
	}
}

TEST(an_example_that_the_best_place_contradicts_is_a_doubt)
{
	const struct slice values[] = {slice_of("15"), slice_of("18"),
				       slice_of("nothing")};
	const struct example examples[] = {
		{1, &values[0], 1}, {2, &values[1], 1}, {3, &values[2], 1}};
	struct field field;

	learn_books();
	ck_assert(field_teach(&site.table, "a", examples, 3, &field));
	ck_assert_double_lt(field.confidence, .7);
	ck_assert_uint_eq(field.doubts[0].page, 3);
	check_slice(field.doubts[0].values[0], "21");
	check_slice(field.doubts[0].values[1], "nothing");
}

TEST(a_value_that_is_excluded_leaves_the_other_place)
{
	const struct slice value = slice_of("12");
	const struct slice excluded[] = {slice_of("15"), slice_of("x")};
	const struct example example = {0, &value, 1};
	struct field_lesson lesson = {"a", &example, 1, excluded, 2};
	struct field field;

	learn_books();
	ck_assert(field_teach_lesson(&site.table, &lesson, &field));
	check_slice(text_of_field(&field, 3), "18");
	for (uint32_t r = 0; r < field.rule_count; r++)
		for (uint32_t i = 0; i < field.rules[r].count; i++)
			ck_assert(!slice_equal(field.rules[r].values[i].text,
					       excluded[0]));
	lesson.excluded = (struct slice[]){slice_of("15"), slice_of("18")};
	ck_assert(!field_teach_lesson(&site.table, &lesson, &field));
}

/* Teach what a selector selects, and check the values of page 3. */
static bool select_field(const char *selector, struct field *field_out)
{
	struct example examples[MAX_LEARNED];
	const struct field_lesson lesson = {
		.name = "a", .examples = examples, .count = site.count};
	char error[256];

	ck_assert(field_selector_check(selector, error));
	return examples_select(selector, site.pages, site.count, test_arena,
			       examples) > 0 &&
	       field_teach_lesson(&site.table, &lesson, field_out);
}

TEST(a_selector_selects_the_examples)
{
	struct field field;

	learn_books();
	ck_assert(select_field("p.weight", &field));
	check_slice(text_of_field(&field, 3), "18");
	ck_assert(select_field("h1 ~ p:nth-of-type(1)", &field));
	check_slice(text_of_field(&field, 3), "21");
	ck_assert(select_field("a::attr(href)", &field));
	check_slice(text_of_field(&field, 3), "/b3");
	ck_assert(select_field("img", &field)); /* it has no text */
	check_slice(text_of_field(&field, 3), "3.png");
	ck_assert(select_field(".sale", &field));
	check_slice(text_of_field(&field, 0), "");
	check_slice(text_of_field(&field, 3), "sale");
	ck_assert(!select_field(".none", &field));
	ck_assert(!select_field("h1, .weight", &field));
	ck_assert(!select_field("h1::attr(href)", &field));
}

/* Return how many pages have a value of the expression. */
static uint32_t select_xpath(const char *text, struct field *field_out)
{
	struct example examples[MAX_LEARNED];
	const struct field_lesson lesson = {
		.name = "a", .examples = examples, .count = site.count};
	uint32_t filled = examples_select_xpath(text, site.pages, site.count,
						test_arena, examples);

	if (filled > 0 && filled != SEVERAL_SELECTED)
		ck_assert(field_teach_lesson(&site.table, &lesson, field_out));
	return filled;
}

TEST(an_xpath_expression_selects_one_value)
{
	struct field field;

	learn_books();
	ck_assert_uint_eq(select_xpath("//p[@class='weight']", &field), 6);
	check_slice(text_of_field(&field, 3), "18");
	ck_assert_uint_eq(select_xpath("//h1/text()", &field), 6);
	check_slice(text_of_field(&field, 3), "Book 3");
	ck_assert_uint_eq(select_xpath("//a/@href", &field), 6);
	check_slice(text_of_field(&field, 3), "/b3");
	ck_assert_uint_eq(select_xpath("//b", &field), 4);
	check_slice(text_of_field(&field, 0), "");
	ck_assert_uint_eq(select_xpath("(//p)[2]", &field), 6);
	check_slice(text_of_field(&field, 3), "18");
	ck_assert_uint_eq(select_xpath("string(//h1)", &field), 6);
	check_slice(text_of_field(&field, 3), "Book 3");
	ck_assert_uint_eq(select_xpath("//i", &field), 0);
	ck_assert_uint_eq(select_xpath("//p", &field), SEVERAL_SELECTED);
}

TEST(a_selector_is_checked)
{
	static const char *const wrong[] = {
		"",          "p[",           "a::attr(onclick)", "::attr(href)",
		"a::attr()", "a::attr(href", "a::attr(href) b",  "a::text"};
	char error[256];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		error[0] = '\0';
		ck_assert_msg(!field_selector_check(wrong[i], error), "%s",
			      wrong[i]);
		ck_assert_str_ne(error, "");
	}
}

TEST(the_texts_of_transformed_values_are_found)
{
	const struct transform number = {.kind = TRANSFORM_NUMBER};
	const struct slice values[] = {slice_of("1000.50"), slice_of("3200.50"),
				       slice_of("7")};
	struct example examples[] = {
		{0, &values[0], 1}, {2, &values[1], 1}, {3, &values[2], 1}};
	const struct learned_pages learned = {&site.table, site.pages};
	struct field field;

	learn_books();
	ck_assert(!field_teach(&site.table, "a", examples, 3, &field));
	ck_assert(examples_restore(&learned, &number, examples, 3, test_arena));
	check_slice(examples[0].values[0], "1.000,50 EUR");
	check_slice(examples[1].values[0], "3.200,50 EUR");
	check_slice(examples[2].values[0], "7"); /* nowhere */
	ck_assert(field_teach(&site.table, "a", examples, 3, &field));
	check_slice(text_of_field(&field, 4), "5.400,50 EUR");
	ck_assert(!examples_restore(&learned, &number, &examples[2], 1,
				    test_arena));
}
