#include "page/xpath.h"

#include <time.h>

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static const char html[] =
	"<html><head><title>T</title><script>var a = 1;</script></head><body>"
	"<h1 class=x>One <b>two</b></h1><p id=p>a<!-- c -->b <i>c</i> <u>d</u>"
	"<p>e<a href=/f>g</a><a href=/h>i</a></body></html>";

/* "MATCHES VALUE" of an expression on a page. */
static void check_on(struct page *page, const char *text, const char *wanted)
{
	struct xpath_tree *tree = xpath_tree_create(page);
	struct xpath_result result;
	char error[256] = "";
	char found[ELEMENT_VALUE_BYTES + 32];

	ck_assert_msg(xpath_check(text, error), "%s: %s", text, error);
	ASSERT_OK(xpath_evaluate(tree, text, &result));
	ck_assert_uint_eq(result.value_size, strlen(result.value));
	snprintf(found, sizeof(found), "%u %s", result.matches, result.value);
	ck_assert_msg(strcmp(found, wanted) == 0, "%s: %s, not %s", text, found,
		      wanted);
	xpath_tree_destroy(tree);
}

static void check(const char *text, const char *wanted)
{
	AUTO_PAGE *page = page_of(html);

	check_on(page, text, wanted);
}

static void check_refusal(const char *text, const char *reason)
{
	char error[256] = "";

	ck_assert_msg(!xpath_check(text, error), "%s", text);
	ck_assert_str_eq(error, reason);
}

FIXTURE(.timeout_s = 60);

TEST(elements_texts_and_attributes_are_found)
{
	check("//h1", "1 One two");
	check("//h1[@class='x']/b", "1 two");
	check("//a", "2 g");
	check("//a/@href", "2 /f");
	check("//h1/text()", "1 One");
	check("//title", "1 T");
	check("//nothing", "0 ");
	check("//a[last()]", "1 i");
	check("//p[2]/preceding::b", "1 two");
	check("//b | //h1", "2 One two");
	check("id('p')", "1 ab c d");
	check("/html/body/p", "2 ab c d");
}

/* a comment ends no text, white space between tags counts, script is text */
TEST(text_is_that_of_the_page)
{
	check("//p[1]/text()[1]", "1 ab");
	check("//p[. = 'ab c d']", "1 ab c d");
	check("//script[contains(., 'var a')]", "1 ");
	check("string(//script)", "1 var a = 1;");
	check("//comment()", "0 ");
}

TEST(values_that_are_no_nodes_match_once_or_not)
{
	check("string(//h1)", "1 One two");
	check("string(//nothing)", "0 ");
	check("count(//a) = 2", "1 true");
	check("count(//a) = 3", "0 false");
	check("count(//a)", "1 2");
	check("number('x')", "0 NaN");
}

TEST(a_result_knows_its_element)
{
	AUTO_PAGE *page = page_of(html);
	struct xpath_tree *tree = xpath_tree_create(page);
	struct xpath_result result;

	ASSERT_OK(xpath_evaluate(tree, "//a/@href", &result));
	ck_assert_str_eq(result.attribute, "href");
	check_slice(page_tag_name(page, page->nodes[result.node].tag), "a");
	ASSERT_OK(xpath_evaluate(tree, "//b/text()", &result));
	ck_assert(result.is_text);
	check_slice(page_tag_name(page, page->nodes[result.node].tag), "b");
	ASSERT_OK(xpath_evaluate(tree, "string(//a)", &result));
	ck_assert_uint_eq(result.node, NO_NODE);
	ck_assert_int_eq(xpath_evaluate(tree, "//a[", &result), ERR_MALFORMED);
	xpath_tree_destroy(tree);
}

TEST(what_is_wrong_is_told_with_its_place)
{
	check_refusal("", "at the end: not understood");
	check_refusal("//a[", "at the end: not understood");
	check_refusal("//a]", "at byte 4: not understood");
	check_refusal("//p[foo()]", "at byte 5: unknown function");
	check_refusal("document('x')", "at byte 1: unknown function");
	check_refusal("$x", "at byte 1: variables are not supported");
	check_refusal("//a[@x='y]", "at byte 8: the quote is not closed");
	check_refusal("//svg:a", "at byte 6: namespaces are not supported; "
				 "name()='a:b' compares such a name");
	check_refusal("count(1)", "at the end: a value has the wrong type");
	check_refusal("not()", "at the end: a function has too few or too many "
			       "arguments");
}

TEST(an_expression_has_a_limited_length)
{
	char text[MAX_XPATH_BYTES + 2];
	char error[256];

	memset(text, 'a', sizeof(text));
	text[MAX_XPATH_BYTES] = '\0';
	ck_assert(xpath_check(text, error));
	text[MAX_XPATH_BYTES] = 'a';
	text[MAX_XPATH_BYTES + 1] = '\0';
	check_refusal(text, "longer than 1024 bytes");
	/* concat() is quadratic in its arguments */
	memcpy(text, "concat(", 7);
	for (size_t i = 0; i < 34; i++)
		memcpy(text + 7 + 2 * i, "1,", 2);
	memcpy(text + 75, "1)", 3);
	check_refusal(text, "at byte 73: too many arguments");
}

TEST(brackets_may_be_nested_as_far_as_there_is_room)
{
	char text[MAX_XPATH_BYTES + 1];
	char error[256];

	memset(text, '(', 511);
	memset(text + 511, '1', 1);
	memset(text + 512, ')', 511);
	text[1023] = '\0';
	(void)xpath_check(text, error); /* may be refused; must come back */
	for (size_t i = 0; i + 4 <= MAX_XPATH_BYTES; i += 4)
		memcpy(text + i, "p[p[", 4);
	text[MAX_XPATH_BYTES] = '\0';
	ck_assert(!xpath_check(text, error));
}

static void repeat(struct buffer *out, const char *text, int times)
{
	for (int i = 0; i < times; i++)
		buffer_append_text(out, text);
}

/* Expressions that would take billions of steps end, and soon. */
static void check_bounded(const char *made)
{
	static const char *const texts[] = {
		"//*//*//*//*//*//*",
		"//div//div/div",
		"//*[//* = //*]",
		"//*[//* = /]",
		"//p = //p/@x",
		"//p != //p",
		"//*[contains(/, 'zzz')]",
		"//*[contains(.., 'zzz')]",
		"//*/ancestor::*/descendant::*/ancestor::*",
		"//*[.//*[.//*[.//*]]]",
		"//text()/preceding::text()",
		"//*[count(preceding::*) = 7]",
		"concat(/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/,/)",
	};
	AUTO_PAGE *page = page_of(made);
	struct xpath_tree *tree = xpath_tree_create(page);
	struct xpath_result result;
	clock_t begin = clock();

	ck_assert_ptr_nonnull(tree);
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		(void)xpath_evaluate(tree, texts[i], &result);
	ck_assert_int_eq(xpath_evaluate(tree, "//*//*//*//*//*//*", &result),
			 ERR_TOO_LARGE);
	ck_assert_int_lt((clock() - begin) / CLOCKS_PER_SEC, 40);
	xpath_tree_destroy(tree);
}

TEST(a_deep_page_takes_bounded_time)
{
	AUTO_BUFFER made = {0};

	repeat(&made, "<div>a", 500);
	check_bounded(made.data);
}

TEST(many_deep_chains_take_bounded_time)
{
	AUTO_BUFFER made = {0};

	for (int i = 0; i < 200; i++) {
		repeat(&made, "<div>", 40);
		repeat(&made, "</div>", 40);
	}
	buffer_append_text(&made, "<p>x");
	check_bounded(made.data);
}

TEST(a_page_with_too_many_elements_has_no_tree)
{
	AUTO_BUFFER made = {0};
	AUTO_PAGE *page;

	repeat(&made, "<i></i>", XPATH_MAX_NODES);
	page = page_of(made.data);
	ck_assert_ptr_null(xpath_tree_create(page));
}

TEST(a_page_with_too_much_text_has_no_tree)
{
	AUTO_BUFFER made = {0};
	struct page *page;

	buffer_append_text(&made, "<p>");
	repeat(&made, "abcdefgh", XPATH_MAX_TEXT / 8);
	page = page_of(made.data);
	check_on(page, "count(//p)", "1 1");
	page_destroy(page);
	buffer_append_text(&made, "a");
	page = page_of(made.data);
	ck_assert_ptr_null(xpath_tree_create(page));
	page_destroy(page);
}

TEST(an_empty_page_matches_nothing)
{
	AUTO_PAGE *page = page_of("");

	check_on(page, "//*", "0 ");
	check_on(page, "/", "1 ");
}
