/* The values that a page states in its JSON-LD, and their paths. */
#include "template/fields/stated.h"

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/* Check the values of a page: "path=text", separated by "|". */
static void check_stated(const char *html, const char *expected)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER joined = {0};
	const struct stated_value *values;
	uint32_t count = stated_values(test_arena, page, &values);

	for (uint32_t i = 0; i < count; i++) {
		ck_assert(is_stated(values[i].path));
		ck_assert(stated_path_is_valid(slice_of(values[i].path)));
		if (i > 0)
			buffer_append_byte(&joined, '|');
		buffer_append_text(&joined, values[i].path + strlen("jsonld:"));
		buffer_append_byte(&joined, '=');
		buffer_append_slice(&joined, values[i].text);
	}
	check_slice(buffer_slice(&joined), expected);
}

#define LD(json) "<script type=application/ld+json>" json "</script>"

TEST(a_value_has_the_path_of_its_keys)
{
	check_stated("<p>no JSON-LD", "");
	check_stated(LD("{\"@type\":\"Product\",\"name\":\" Red  tea \","
			"\"offers\":{\"price\":12.50,\"old\":null}}"),
		     "Product.name=Red tea|Product.offers.price=12.50");
}

TEST(the_things_of_a_graph_have_their_types_as_paths)
{
	check_stated(LD("{\"@graph\":[{\"@type\":[\"Article\",\"Thing\"],"
			"\"author\":[{\"name\":\"A\"},{\"name\":\"B\"}]}]}"),
		     "Article.author.name=A|Article.author.name=B");
}

TEST(what_is_no_key_has_no_path)
{
	check_stated(LD("{\"name\":\"without type\"}"), "");
	check_stated(LD("{\"@type\":\"A\",\"b c\":\"1\",\"@id\":\"2\","
			"\"d\":\"3\"}"),
		     "A.d=3");
	check_stated(LD("{\"@type\":\"A\",\"b\":{\"c\":{\"d\":{\"e\":{"
			"\"f\":\"6 keys\",\"g\":{\"h\":\"7\"}}}}}}"),
		     "A.b.c.d.e.f=6 keys");
}

TEST(a_page_has_a_limited_number_of_values)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page = NULL;
	const struct stated_value *values;

	buffer_append_text(&html, "<script type=application/ld+json>"
				  "{\"@type\":\"A\"");
	for (int i = 0; i < MAX_STATED_VALUES + 5; i++)
		buffer_printf(&html, ",\"k%d\":%d", i, i);
	buffer_append_text(&html, "}</script>");
	buffer_append_byte(&html, '\0');
	page = page_of(html.data);
	ck_assert_uint_eq(stated_values(test_arena, page, &values),
			  MAX_STATED_VALUES);
}

static const struct {
	const char *path;
	bool is_valid;
} paths[] = {
	{"jsonld:Product.name", true},
	{"jsonld:Product", false},
	{"jsonld:", false},
	{"jsonld:Product.", false},
	{"jsonld:.name", false},
	{"jsonld:A.b.c.d.e.f", true},
	{"jsonld:A.b.c.d.e.f.g", false},
	{"href", false},
	{"jsonld:A.b c", false},
	{"", false},
};

TEST_ROWS(a_path_is_checked, paths)
{
	ck_assert_int_eq(stated_path_is_valid(slice_of(paths[_i].path)),
			 paths[_i].is_valid);
}

TEST(the_key_says_what_a_value_is)
{
	check_slice(stated_key("jsonld:Product.offers.price"), "price");
	check_slice(stated_key("jsonld:Product.brand.name"), "brand");
	check_slice(stated_key("jsonld:Product.name"), "name");
	check_slice(stated_key("jsonld:Person.name"), "author");
}

TEST(navigation_is_no_value)
{
	ck_assert_double_eq(
		stated_rank("jsonld:BreadcrumbList.itemListElement.name"), 0);
	ck_assert_double_eq(stated_rank("jsonld:Article.image.width"), 0);
	ck_assert_double_eq(stated_rank("jsonld:Product.url"), 0);
	ck_assert_double_gt(stated_rank("jsonld:Product.image.url"), 0);
	ck_assert_double_gt(stated_rank("jsonld:Article.headline"),
			    stated_rank("jsonld:WebPage.name"));
}
