/* Fields are found without help, and taught by the values of a few pages. */
#include "template/fields/field.h"

#include "tests/unit/template/fields/learned.h"

enum { MAX_FOUND = 40 };

static struct learned site;
static struct field found[MAX_FOUND];
static uint32_t found_count;

static void teardown(void)
{
	learned_free(&site);
}

FIXTURE(.teardown = teardown);

static const struct {
	const char *text;
	enum field_type type;
} type_rows[] = {
	{"", TYPE_TEXT},
	{"Twelve small pages", TYPE_TEXT},
	{"12", TYPE_NUMBER},
	{"1,234.50", TYPE_NUMBER},
	{"$12.99", TYPE_PRICE},
	{"12,99 \xE2\x82\xAC", TYPE_PRICE},
	{"from $5 to $7 each now or later", TYPE_TEXT},
	{"2024-03-05", TYPE_DATE},
	{"March 5, 2024", TYPE_DATE},
	{"https://example.org/a", TYPE_URL},
	{"99999999999999999999999999", TYPE_NUMBER},
	{"EUR 12.95", TYPE_PRICE},
	{"12.95 USD", TYPE_PRICE},
	{"12.95USD", TYPE_PRICE},
	{"CHF 1'200.-", TYPE_PRICE},
	{"1'200.- CHF", TYPE_PRICE},
	{"$ 1,299.00", TYPE_PRICE},
	{"1.299,00 z\xC5\x82", TYPE_PRICE},
	{"\xC2\xA5"
	 "1,200",
	 TYPE_PRICE},
	{"1,200\xE5\x86\x86", TYPE_PRICE},
	{"Rs. 450", TYPE_PRICE},
	{"1 200 kr", TYPE_PRICE},
	{"12 kg", TYPE_TEXT},
	{"100 g", TYPE_TEXT},
	{"12 ft", TYPE_TEXT},
	{"ALL 12", TYPE_TEXT},
	{"USD", TYPE_TEXT},
	{"USD of 2024", TYPE_TEXT},
	{"2 of 12 kr", TYPE_PRICE},
};

TEST_ROWS(a_text_has_a_type, type_rows)
{
	ck_assert_str_eq(type_name(type_of_text(slice_of(type_rows[_i].text))),
			 type_name(type_rows[_i].type));
}

TEST(a_long_text_is_rich)
{
	char text[302];

	memset(text, 'x', 301);
	text[301] = '\0';
	ck_assert_int_eq(type_of_text(slice_of(text)), TYPE_RICH_TEXT);
}

/* Check the values of a field on a page, separated by "|". */
static void check_field(const struct field *field, uint32_t page,
			const char *values)
{
	AUTO_BUFFER joined = {0};
	struct value one[MAX_PAGE_VALUES];
	uint32_t count = field_values(field, page, one);

	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			buffer_append_byte(&joined, '|');
		buffer_append_slice(&joined, one[i].text);
	}
	check_slice(buffer_slice(&joined), values);
}

/* Learn the pages and find the fields. */
static void discover(void)
{
	learned_run(&site);
	found_count = fields_discover(&site.table, found, MAX_FOUND);
}

static const struct field *field_named(const char *name)
{
	for (uint32_t i = 0; i < found_count; i++)
		if (strcmp(found[i].name, name) == 0)
			return &found[i];
	ck_abort_msg("no field is called %s", name);
	return NULL;
}

TEST(fields_have_the_names_of_their_classes_and_labels)
{
	static const char *const titles[] = {"Emma",  "Ulysses", "Old Goriot",
					     "Faust", "Candide", "Walden"};
	static const char *const authors[] = {"Jane",   "James", "Honore",
					      "Johann", "Anon",  "Henry"};
	static const char *const covers[] = {"cloth", "paper", "leather",
					     "paper", "board", "linen"};

	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<title>%s - Shop</title><h1>%s</h1>"
			    "<p class=cost>$%d.50</p><p class=author>By %s</p>"
			    "<dl><dt>ISBN<dd>978-%d<dt>Binding<dd>%s</dl>"
			    "<footer>About us</footer>",
			    titles[i], titles[i], i + 3, authors[i], 4000 + i,
			    covers[i]);
	discover();
	check_field(field_named("title"), 2, "Old Goriot");
	check_field(field_named("author"), 2, "Honore");
	check_field(field_named("isbn"), 3, "978-4003");
	check_field(field_named("binding"), 4, "board");
	check_field(field_named("price"), 5, "$8.50");
	ck_assert_int_eq(field_named("price")->type, TYPE_PRICE);
}

TEST(what_is_the_same_on_all_pages_is_no_field)
{
	for (int i = 0; i < 5; i++)
		learned_add(&site, "<p class=name>Shop</p><p>Imprint</p>");
	discover();
	ck_assert_uint_eq(found_count, 0);
}

TEST(columns_with_equal_values_are_one_field)
{
	struct value one[MAX_PAGE_VALUES];
	uint32_t equal = 0;

	for (int i = 0; i < 6; i++)
		learned_add(&site, "<p class=a>w%c</p><p class=b>w%c</p>",
			    'a' + i, 'a' + i);
	discover();
	check_field(field_named("a"), 2, "wc");
	for (uint32_t i = 0; i < found_count; i++)
		equal += field_values(&found[i], 0, one) == 1 &&
			 slice_equal(one[0].text, slice_of("wa"));
	ck_assert_uint_eq(equal, 1);
}

TEST(headings_in_two_forms_are_one_field)
{
	for (int i = 0; i < 9; i++)
		learned_add(&site,
			    i % 2 == 0 ? "<main><h2 class=headline_xY1>Title "
					 "%d</h2><p>Text %d</p></main>"
				       : "<main><div><h3 class=headline_xY1>"
					 "<a href=/>Title %d</a></h3></div>"
					 "<p>Text %d</p></main>",
			    i, i);
	learned_run(&site);
	discover();
	check_field(&found[0], 2, "Title 2");
	check_field(&found[0], 3, "Title 3");
}

TEST(fields_with_one_name_are_numbered)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<p class=author>Ann %c</p>"
			    "<div class=author>Bob %c</div>",
			    'a' + i, 'q' - i);
	discover();
	ck_assert_ptr_ne(field_named("author"), field_named("author_2"));
}

TEST(no_more_fields_are_found_than_asked_for)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site, "<p class=a>%d</p><p class=b>x%d</p>", i,
			    9 - i);
	learned_run(&site);
	ck_assert_uint_eq(fields_discover(&site.table, found, 1), 1);
	ck_assert_uint_eq(fields_discover(&site.table, found, 0), 0);
}

TEST(no_pages_have_no_fields)
{
	discover();
	ck_assert_uint_eq(found_count, 0);
}

/* The first example with these values, separated by "|"; NULL: none. */
static struct example example_of(uint32_t page, const char *values)
{
	struct slice *list = ARENA_NEW(test_arena, struct slice, 8);
	struct example example = {.page = page, .values = list};
	const char *at = values;

	while (at != NULL) {
		size_t size = strcspn(at, "|");

		list[example.count++] = (struct slice){at, size};
		at = at[size] == '|' ? at + size + 1 : NULL;
	}
	return example;
}

static bool teach(struct field *field, const struct example *examples,
		  uint32_t count)
{
	return field_teach(&site.table, "field", examples, count, field);
}

/* Six products; each has related products with the same classes. */
static void learn_products(void)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<title>Tea %c</title><main><div class=product>"
			    "<h2>Tea %c</h2><b class=price>$%d</b></div></main>"
			    "<div class=related><div class=product><h2>Cup %c"
			    "</h2><b class=price>$%d</b></div>"
			    "<div class=product><h2>Pot %c</h2>"
			    "<b class=price>$%d</b></div>%s</div>",
			    'A' + i, 'A' + i, i + 10, 'A' + i, i + 50, 'A' + i,
			    i + 70,
			    i % 2 == 0 ? ""
				       : "<div class=product><h2>Can</h2>"
					 "<b class=price>$5</b></div>");
	learned_run(&site);
}

TEST(one_example_teaches_a_field)
{
	struct example example = example_of(0, "$10");
	struct field field;

	learn_products();
	ck_assert(teach(&field, &example, 1));
	ck_assert_str_eq(field.name, "field");
	ck_assert_int_eq(field.type, TYPE_PRICE);
	check_field(&field, 3, "$13");
	check_field(&field, 5, "$15");
}

TEST(related_products_can_be_taught_too)
{
	struct example example = example_of(0, "$50|$70");
	struct field field;

	learn_products();
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 2, "$52|$72");
}

TEST(a_second_example_chooses_between_two_columns)
{
	struct example examples[] = {example_of(0, "12"), example_of(1, "14")};
	struct field field;

	for (int i = 0; i < 5; i++)
		learned_add(&site,
			    "<p class=pages>%d</p><p class=weight>%d</p>",
			    12 + 3 * i, 12 + 2 * i);
	learned_run(&site);
	ck_assert(teach(&field, examples, 2));
	check_field(&field, 3, "18");
}

TEST(a_part_of_a_text_is_taught)
{
	struct example examples[] = {example_of(0, "100"),
				     example_of(3, "103")};
	struct field field;

	for (int i = 0; i < 6; i++)
		learned_add(&site, "<p>Pages: %d, %s</p>", 100 + i,
			    i % 2 == 0 ? "hardcover" : "paperback");
	learned_run(&site);
	ck_assert(teach(&field, examples, 2));
	check_field(&field, 4, "104");
	ck_assert(teach(&field, (struct example[]){example_of(0, "hardcover")},
			1));
	check_field(&field, 1, "paperback");
}

TEST(a_list_is_taught)
{
	struct example example = example_of(1, "a1|b1");
	struct field field;

	for (int i = 0; i < 5; i++)
		learned_add(&site, "<ul class=tags><li>a%d<li>b%d%s</ul>", i, i,
			    i % 2 == 0 ? "<li>more" : "");
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 2, "a2|b2|more");
}

TEST(a_list_that_differs_in_one_value_is_taught)
{
	struct example example = example_of(1, "a1|b1|c1|d1|gone");
	struct field field;

	for (int i = 0; i < 5; i++)
		learned_add(&site,
			    "<ul class=tags><li>a%d<li>b%d<li>c%d<li>d%d%s"
			    "</ul>",
			    i, i, i, i, i % 2 == 0 ? "<li>more" : "");
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 2, "a2|b2|c2|d2|more");
	example = example_of(1, "a1|b1|gone|lost");
	ck_assert(!teach(&field, &example, 1));
}

/* The name of a class and of its methods, as documentation prints them. */
TEST(a_list_of_values_at_several_depths_is_taught_by_their_class)
{
	struct example example = example_of(0, "Tree0|grow0|fall0");
	struct field field;

	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<div class=body><dl class=kind><dt><b class=sig>"
			    "Tree%d</b></dt><dd><p>It is %d.</p><dl><dt>"
			    "<i class=sig>grow%d</i></dt><dd>How %d.</dd>%s"
			    "</dl></dd></dl></div>",
			    i, i, i, i,
			    i % 2 == 0 ? "<dt><i class=sig>fall0</i></dt>"
				       : "");
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 3, "Tree3|grow3");
	check_field(&field, 4, "Tree4|grow4|fall0");
}

/* The heading of some pages is a link, with another tag. */
TEST(a_value_in_two_forms_is_taught_by_its_class)
{
	struct example example = example_of(0, "Title 0");
	struct field field;

	for (int i = 0; i < 8; i++)
		learned_add(&site,
			    i % 2 == 0 ? "<main><h1 class=title_xY1>Title %d"
					 "</h1><p>Text %d</p></main>"
				       : "<main><div><h2 class=title_xY1>"
					 "<a href=/>Title %d</a></h2></div>"
					 "<p>Text %d</p></main>",
			    i, i);
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 2, "Title 2");
	check_field(&field, 3, "Title 3");
}

TEST(a_crumb_is_taught_by_its_position)
{
	struct example example = example_of(0, "Kind 0");
	struct field field;

	for (int i = 0; i < 5; i++)
		learned_add(&site,
			    "<nav class=crumbs><a>Home</a><a>Kind %d</a>"
			    "<a>Item %d</a></nav>",
			    i, i);
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 4, "Kind 4");
}

TEST(a_field_is_absent_on_pages_without_it)
{
	struct example example = example_of(0, "sale 0");
	struct field field;

	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    i % 2 == 0 ? "<p class=sale>sale %d</p><p>x</p>"
				       : "<p>x</p><p>%d</p>",
			    i);
	learned_run(&site);
	ck_assert(teach(&field, &example, 1));
	check_field(&field, 2, "sale 2");
	check_field(&field, 3, "");
}

TEST(an_example_may_say_that_a_page_has_no_value)
{
	struct example examples[] = {example_of(1, NULL),
				     example_of(0, "sale 0")};
	struct field field;

	for (int i = 0; i < 6; i++)
		learned_add(&site, "<p class=%s>%s %d</p><p class=b>n</p>",
			    i % 2 == 0 ? "sale" : "info",
			    i % 2 == 0 ? "sale" : "info", i);
	learned_run(&site);
	ck_assert(teach(&field, examples, 2));
	check_field(&field, 2, "sale 2");
	check_field(&field, 3, "");
}

TEST(what_is_in_no_column_is_not_taught)
{
	struct field field;

	learn_products();
	ck_assert(!teach(&field, (struct example[]){example_of(0, "$99")}, 1));
	ck_assert(!teach(&field, (struct example[]){example_of(99, "$10")}, 1));
	ck_assert(!teach(&field, (struct example[]){example_of(0, NULL)}, 1));
	ck_assert(!teach(&field, NULL, 0));
}

TEST(examples_of_which_half_are_wrong_teach_nothing)
{
	struct example examples[] = {example_of(0, "$10"),
				     example_of(1, "Cup B")};
	struct field field;

	learn_products();
	ck_assert(!teach(&field, examples, 2));
}

TEST(one_wrong_example_of_three_is_outvoted)
{
	struct example examples[] = {example_of(0, "$10"), example_of(1, "$61"),
				     example_of(2, "$12")};
	struct field field;

	learn_products();
	ck_assert(teach(&field, examples, 3));
	check_field(&field, 1, "$11");
}

TEST(the_values_of_before_teach_the_field_after_a_redesign)
{
	struct example examples[6];
	struct slice values[6];
	struct value one[MAX_PAGE_VALUES];
	struct field field;

	learn_products();
	ck_assert(teach(&field, (struct example[]){example_of(0, "$10")}, 1));
	for (uint32_t i = 0; i < 6; i++) {
		ck_assert_uint_eq(field_values(&field, i, one), 1);
		values[i] = arena_slice(test_arena, one[0].text);
		examples[i] = (struct example){i, &values[i], 1};
	}
	learned_free(&site);
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<section><table><tr><th>Price<td>$%d"
			    "<tr><th>Old<td>$%d</table></section>",
			    i + 10 + (i == 4), i + 20);
	learned_run(&site);
	ck_assert(teach(&field, examples, 6));
	check_field(&field, 3, "$13");
	check_field(&field, 4, "$15");
}

/* Every column has the value, and each has as many words as may be. */
TEST(a_site_of_columns_with_the_value_is_taught_in_time)
{
	AUTO_BUFFER html = {0};
	struct example example = example_of(0, "7");
	struct field field;

	for (int k = 0; k < 3000; k++)
		buffer_printf(&html, "<p class=c%c%c%c>a b c d e f g 7 h</p>",
			      'a' + k % 26, 'a' + k / 26 % 26, 'a' + k / 676);
	for (int i = 0; i < 20; i++)
		learned_add(&site, "%s<p>%d</p>", html.data, i);
	learned_run(&site);
	teach(&field, &example, 1);
	ck_assert_uint_lt(arena_bytes(test_arena), 64 << 20);
}

static const char *const pots[] = {"Assam pot", "Brown pot",  "Cast pot",
				   "Delft pot", "Enamel pot", "Fine pot",
				   "Glass pot", "Hot pot"};

/* Add a page of a shop that also states what it shows, and a number. */
static void add_pot(int i)
{
	learned_add(&site,
		    "<title>%s - Shop</title>"
		    "<script type=application/ld+json>{\"@type\":\"Product\","
		    "\"name\":\"%s\",\"sku\":\"X-%d\",\"brand\":{"
		    "\"name\":\"Potter %d\"},\"category\":\"pots\","
		    "\"offers\":{\"price\":\"1%d20.50\"}}</script>"
		    "<h1>%s</h1><b class=x1>\xE2\x82\xAC 1,%d20.50</b>"
		    "<i>Potter %d</i><p>%s is a fine thing",
		    pots[i], pots[i], 900 - i, i, i, pots[i], i, i, pots[i]);
}

static void check_addresses(const struct field *field, const char *second)
{
	ck_assert_uint_gt(field->rule_count, 1);
	ck_assert_ptr_null(field->rules[0].source.attribute);
	ck_assert_str_eq(field->rules[1].source.attribute, second);
}

TEST(a_value_that_is_shown_and_stated_is_one_field_with_its_key_as_name)
{
	for (int i = 0; i < 8; i++)
		add_pot(i);
	discover();
	check_addresses(field_named("title"), "jsonld:Product.name");
	check_addresses(field_named("price"), "jsonld:Product.offers.price");
	check_addresses(field_named("brand"), "jsonld:Product.brand.name");
	check_field(field_named("price"), 1, "\xE2\x82\xAC 1,120.50");
	ck_assert_int_eq(field_named("price")->type, TYPE_PRICE);
	for (uint32_t i = 0; i < found_count; i++)
		for (uint32_t k = 0; k < i; k++)
			ck_assert_str_ne(found[i].name, "price_2");
}

TEST(a_field_with_several_values_on_a_page_is_a_list)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<h1>%s</h1><ul class=tags><li>t%d<li>u%d</ul>",
			    pots[i], i, i);
	discover();
	ck_assert(field_named("tags")->is_list);
	ck_assert(!field_named("title")->is_list);
}

TEST(a_value_that_is_only_stated_is_a_field_after_the_shown_ones)
{
	const struct field *sku;

	for (int i = 0; i < 8; i++)
		add_pot(i);
	discover();
	sku = field_named("sku");
	ck_assert_ptr_eq(sku, &found[found_count - 1]);
	check_field(sku, 2, "X-898");
	/* the category is constant */
	for (uint32_t i = 0; i < found_count; i++)
		ck_assert_str_ne(found[i].name, "category");
}

TEST(microdata_that_states_a_shown_value_is_a_second_address)
{
	for (int i = 0; i < 6; i++)
		learned_add(&site,
			    "<h1>%s</h1><div><meta itemprop=price "
			    "content=%d.90><b>$%d.90</b></div>",
			    pots[i], 10 + i, 10 + i);
	discover();
	check_addresses(field_named("price"), "content");
}

TEST(an_example_finds_what_is_only_stated)
{
	struct slice value = slice_of("X-900");
	struct example example = {0, &value, 1};
	struct field field;

	for (int i = 0; i < 8; i++)
		add_pot(i);
	learned_run(&site);
	ck_assert(field_teach(&site.table, "number", &example, 1, &field));
	ck_assert_str_eq(field.rules[0].source.attribute, "jsonld:Product.sku");
	check_field(&field, 3, "X-897");
}

TEST(an_example_that_is_shown_has_the_stated_value_as_last_address)
{
	struct slice value = slice_of("\xE2\x82\xAC 1,020.50");
	struct example example = {0, &value, 1};
	struct field field;

	for (int i = 0; i < 8; i++)
		add_pot(i);
	learned_run(&site);
	ck_assert(field_teach(&site.table, "cost", &example, 1, &field));
	ck_assert_ptr_null(field.rules[0].source.attribute);
	ck_assert_str_eq(field.rules[field.rule_count - 1].source.attribute,
			 "jsonld:Product.offers.price");
}
