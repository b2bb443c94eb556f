#include "page/xpath.h"

#include "page/selector.h"
#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

static void check_text(const char *css, const char *xpath)
{
	AUTO_ARENA *arena = arena_create();
	char error[256] = "";
	const char *made = css_xpath(arena, css, error);

	ck_assert_msg(made != NULL, "%s: %s", css, error);
	ck_assert_str_eq(made, xpath);
}

static void check_refusal(const char *css, const char *reason)
{
	AUTO_ARENA *arena = arena_create();
	char error[256] = "";

	ck_assert_ptr_null(css_xpath(arena, css, error));
	ck_assert_str_eq(error, reason);
}

/* Both select as many elements, and the same first one. */
static void check_same(struct page *page, const char *css)
{
	AUTO_ARENA *arena = arena_create();
	char error[256] = "";
	const struct selector *selector = selector_compile(arena, css, error);
	const char *xpath = css_xpath(arena, css, error);
	const bool *is_selected = selector_match(selector, page, arena);
	struct xpath_tree *tree = xpath_tree_create(page);
	struct xpath_result result;
	uint32_t first = NO_NODE;
	uint32_t count = 0;

	for (uint32_t i = 0; i < page->node_count; i++) {
		if (is_selected[i] && first == NO_NODE)
			first = i;
		count += is_selected[i];
	}
	ASSERT_OK(xpath_evaluate(tree, xpath, &result));
	ck_assert_msg(result.matches == count && result.node == first,
		      "%s: %u, first %u; %s: %u, first %u", css, count, first,
		      xpath, result.matches, result.node);
	xpath_tree_destroy(tree);
}

TEST(a_selector_is_written_as_people_would)
{
	check_text("h1", "//h1");
	check_text("*", "//*");
	check_text("#a", "//*[@id='a']");
	check_text("div > p", "//div/p");
	check_text("div p, a", "//div//p | //a");
	check_text("p + ul", "//p/following-sibling::*[1][self::ul]");
	check_text("p ~ ul", "//p/following-sibling::ul");
	check_text("p ~ .a", "//p/following-sibling::*[contains(concat(' ',"
			     "normalize-space(@class),' '),' a ')]");
	check_text("p.a", "//p[contains(concat(' ',normalize-space(@class),"
			  "' '),' a ')]");
	check_text("a[href]", "//a[@href]");
	check_text("a[href^='/x']", "//a[starts-with(@href,'/x')]");
	check_text("p:not(:first-child)",
		   "//p[not(not(preceding-sibling::*))]");
	check_text("li:nth-child(3)", "//li[preceding-sibling::*[2] and "
				      "not(preceding-sibling::*[3])]");
	check_text("li:nth-of-type(1)", "//li[not(preceding-sibling::li)]");
	check_text("li:nth-child(0)", "//li[false()]");
	check_text("[og\\:x=y]", "//*[@*[name()='og:x']='y']");
}

TEST(quotes_are_put_together)
{
	check_text("[a='x\"y']", "//*[@a='x\"y']");
	check_text("[a=\"x'y\"]", "//*[@a=concat('','x',\"'\",'y')]");
	check_text("[a=\"'\\\"'\"]", "//*[@a=concat('',\"'\",'\"',\"'\")]");
}

TEST(what_is_wrong_is_told)
{
	check_refusal("p[", "at the end: a name is missing");
	check_refusal(":first-of-type",
		      "first-of-type and nth-of-type(...) need a tag name "
		      "before them, as in p:nth-of-type(2)");
	check_refusal("p:not(:nth-of-type(2)) .a:nth-of-type(1)",
		      "first-of-type and nth-of-type(...) need a tag name "
		      "before them, as in p:nth-of-type(2)");
}

static const char tree[] =
	"<body id=r><div id=a class='m n' lang=en-GB><p id=b>1<p id=c "
	"class=' n\fo ' title=\"a'b\">2<ul id=d><li id=e data-x='one two'>3"
	"</li><li id=f data-x=''>4</li></ul><p id=g>5<x-y>6</x-y></div>"
	"<div id=h><p id=i lang=en og:x=y>6</div>";

/* Combinations of parts: every compound selector behind every other. */
TEST(it_selects_the_same_elements_as_the_selector)
{
	static const char *const parts[] = {
		"*",
		"p",
		"div",
		"li",
		"x-y",
		"#c",
		".n",
		".o",
		".m.n",
		"[title]",
		"[title=\"a'b\"]",
		"[data-x~=two]",
		"[data-x='']",
		"[data-x^=one]",
		"[data-x$=two]",
		"[data-x*='e t']",
		"[data-x^='']",
		"[data-x~='one two']",
		"[lang|=en]",
		"[lang|='']",
		"p:first-child",
		":last-child",
		":nth-child(2)",
		":nth-child(odd)",
		":nth-child(-n+2)",
		":nth-child(n+3)",
		":nth-child(-2n+3)",
		":nth-child(0)",
		"p:nth-of-type(2)",
		"p:nth-of-type(2n)",
		"li:first-of-type",
		":not(p)",
		"p:not(.n)",
		"p:not(:first-child)",
		"p:not(:nth-of-type(2))",
		":not(*)",
		"[og\\:x]",
	};
	static const char *const joints[] = {" ", " > ", " + ", " ~ ", ", "};
	AUTO_PAGE *page = page_of(tree);
	char text[128];

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		check_same(page, parts[i]);
		for (size_t k = 0; k < COUNT_OF(parts); k++)
			for (size_t j = 0; j < 5; j++) {
				snprintf(text, sizeof(text), "%s%s%s", parts[i],
					 joints[j], parts[k]);
				check_same(page, text);
			}
	}
}
