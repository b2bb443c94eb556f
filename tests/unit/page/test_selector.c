#include "page/selector.h"

#include "tests/unit/page/page_of.h"
#include "tests/unit/run.h"

/* The ids of the selected elements, each followed by a space. */
static void check(const char *html, const char *text, const char *ids)
{
	AUTO_PAGE *page = page_of(html);
	AUTO_BUFFER found = {0};
	char error[256] = "";
	const struct selector *selector =
		selector_compile(page->arena, text, error);
	const bool *is_selected;

	ck_assert_msg(selector != NULL, "%s: %s", text, error);
	is_selected = selector_match(selector, page, page->arena);
	for (uint32_t i = 0; i < page->node_count; i++) {
		if (!is_selected[i])
			continue;
		buffer_append_slice(&found, page_attribute(page, i, "id"));
		buffer_append_byte(&found, ' ');
	}
	ck_assert_msg(strcmp(found.size == 0 ? "" : found.data, ids) == 0,
		      "%s: %s in place of %s", text, found.data, ids);
}

static void check_refusal(const char *text, const char *reason)
{
	AUTO_ARENA *arena = arena_create();
	char error[256] = "";

	ck_assert_ptr_null(selector_compile(arena, text, error));
	ck_assert_str_eq(error, reason);
}

static const char names[] =
	"<body id=r><p id=a class='x y'>1<p id=b class=' y\tz '>2"
	"<div id=c class=xy data-k='one two'>3<em id=d lang=en-GB>4</em>"
	"<x-y id=e data-k=''>5</x-y></div>";

TEST(a_name_selects_in_any_case_a_class_and_an_id_exactly)
{
	check(names, "p", "a b ");
	check(names, "P", "a b ");
	check(names, "body *", "a b c d e ");
	check(names, "x-y", "e ");
	check(names, "X-Y", "e ");
	check(names, "x-z", "");
	check(names, ".y", "a b ");
	check(names, ".z", "b ");
	check(names, ".Y", "");
	check(names, "p.x.y", "a ");
	check(names, "#c", "c ");
	check(names, "em#c", "");
}

TEST(an_attribute_selects_by_its_value)
{
	check(names, "[data-k]", "c e ");
	check(names, "[DATA-K='one two']", "c ");
	check(names, "[data-k=\"\"]", "e ");
	check(names, "[data-k~=two]", "c ");
	check(names, "[data-k~='one two']", "");
	check(names, "[lang|=en]", "d ");
	check(names, "[lang|=e]", "");
	check(names, "[lang|=en-GB]", "d ");
	check(names, "[data-k^=one]", "c ");
	check(names, "[data-k$=two]", "c ");
	check(names, "[ data-k *= 'e t' ]", "c ");
	check(names, "[data-k*='e  t']", "");
}

/* section 6.3.2: such a selector never matches */
TEST(an_empty_value_is_no_part_of_anything)
{
	check(names, "[data-k^='']", "");
	check(names, "[data-k$='']", "");
	check(names, "[data-k*='']", "");
	check(names, "[data-k~='']", "");
}

TEST(an_escape_is_the_character_that_it_names)
{
	const char *html = "<p id=a class='md:flex'>1<p id=b class='1x'>2"
			   "<p id=c class='\xC3\xA9'>3<p id=d title='a\"b'>4";

	check(html, ".md\\:flex", "a ");
	check(html, ".\\31 x", "b ");
	check(html, ".\\e9", "c ");
	check(html, ".\xC3\xA9", "c ");
	check(html, "[title='a\\\"b']", "d ");
	check(html, "[title=\"a\\22 b\"]", "d ");
	/* no NUL, but U+FFFD */
	check("<p id=a class='\xEF\xBF\xBD'>1", ".\\0", "a ");
}

static const char tree[] =
	"<body id=r><div id=a><p id=b>1<p id=c>2<ul id=d><li id=e>3</li>"
	"<li id=f>4</li></ul><p id=g>5</div><div id=h><p id=i>6</div>";

TEST(elements_are_selected_by_their_context)
{
	check(tree, "div p", "b c g i ");
	check(tree, "body > p", "");
	check(tree, "div>p", "b c g i ");
	check(tree, "body > div > ul > li", "e f ");
	check(tree, "div li", "e f ");
	check(tree, "ul li p", "");
	check(tree, "p + p", "c ");
	check(tree, "p + ul", "d ");
	check(tree, "p ~ p", "c g ");
	check(tree, "div ~ div p", "i ");
	check(tree, "li ~ li, #g , h1", "f g ");
	check(tree, "p ~ ul > li + li", "f ");
	check(tree, "div div", "");
}

TEST(elements_are_selected_by_their_place)
{
	check(tree, "p:first-child", "b i ");
	check(tree, "p:last-child", "g i ");
	check(tree, "p:first-child:last-child", "i ");
	check(tree, "p:nth-child(2)", "c ");
	check(tree, "div > :nth-child(2n+1)", "b d i ");
	check(tree, "div > :nth-child( odd )", "b d i ");
	check(tree, "div > :nth-child(EVEN)", "c g ");
	check(tree, "div > :nth-child(-n + 2)", "b c i ");
	check(tree, "div > :nth-child(n+4)", "g ");
	check(tree, "div > :nth-child(-2n+3)", "b d i ");
	check(tree, "p:nth-of-type(3)", "g ");
	check(tree, "p:nth-of-type(odd)", "b g i ");
	check(tree, "ul:first-of-type", "d ");
	check(tree, "li:nth-child(0)", "");
}

TEST(not_turns_one_simple_selector_round)
{
	check(tree, "p:not(:first-child)", "c g ");
	check(tree, "div > :not(p)", "d ");
	check(tree, "div:not( #a ) :not(ul)", "i ");
	check(names, "body > :not(.y)", "c ");
	check(names, "body :not([data-k]):not(p)", "d ");
}

TEST(what_is_wrong_is_told_with_its_place)
{
	check_refusal("", "at the end: a selector is missing");
	check_refusal("p,", "at the end: a selector is missing");
	check_refusal("p > > a", "at byte 5: a selector is missing");
	check_refusal(".", "at the end: a name is missing");
	check_refusal(".1", "at byte 2: a name is missing");
	check_refusal("p#", "at the end: a name is missing");
	check_refusal("[a=", "at the end: a name is missing");
	check_refusal("[a='b]", "at the end: the quote is not closed");
	check_refusal("[a!=b]", "at byte 3: an operator with a value, or "
				"\"]\", is missing");
	check_refusal("[a=b i]", "at byte 6: an operator with a value, or "
				 "\"]\", is missing");
	check_refusal("a:nth-child(x)",
		      "at byte 13: not a whole number up to 9999999");
	check_refusal("a:nth-child(12345678)",
		      "at byte 20: not a whole number up to 9999999");
	check_refusal("a:nth-child(2", "at the end: \")\" is missing");
	check_refusal("p:not(a.b)", "at byte 8: \")\" is missing: :not() "
				    "takes one simple selector");
	check_refusal("a:hover",
		      "at byte 3: not one of first-child, last-child, "
		      "first-of-type, nth-child(...), nth-of-type(...), "
		      "not(...)");
	check_refusal("svg|a", "at byte 4: not understood");
	check_refusal("a:first-childish", "at byte 14: not understood");
	check_refusal("p $", "at byte 3: a selector is missing");
}

/* `pattern` again and again, and `last` at the end. */
static void repeat(const char *pattern, size_t size, char last, char *text)
{
	for (size_t i = 0; i < size; i++)
		text[i] = pattern[i % strlen(pattern)];
	text[size - 1] = last;
	text[size] = '\0';
}

TEST(a_selector_has_a_limited_length)
{
	char text[MAX_SELECTOR_BYTES + 2];

	repeat("p", MAX_SELECTOR_BYTES, 'p', text);
	check(tree, text, "");
	repeat("p", MAX_SELECTOR_BYTES + 1, 'p', text);
	check_refusal(text, "longer than 4096 bytes");
}

TEST(a_selector_has_a_limited_number_of_parts)
{
	char text[256];

	/* 64 and 65 parts */
	repeat("a ", 127, 'p', text);
	check(tree, text, "");
	repeat("a ", 129, 'p', text);
	check_refusal(text, "at byte 129: too many parts");
	repeat("a,", 127, 'p', text);
	check(tree, text, "b c g i ");
}

TEST(a_page_without_elements_has_none_selected)
{
	check("", "*", "");
	check("", "*:nth-of-type(1)", "");
}

/* 100,000 siblings, then 500 levels, with the most expensive selectors. */
TEST(wide_and_deep_pages_take_linear_time)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	char error[256];
	const struct selector *selector;
	const bool *is_selected;
	uint32_t count = 0;

	for (int i = 0; i < 100000; i++)
		buffer_append_text(&html, "<i></i>");
	for (int i = 0; i < 500; i++)
		buffer_append_text(&html, "<div>");
	page = page_of(html.data);
	selector = selector_compile(page->arena,
				    "i ~ i:nth-of-type(2n) + i, div div div "
				    "div ~ b, div div > div div:last-child",
				    error);
	is_selected = selector_match(selector, page, page->arena);
	for (uint32_t i = 0; i < page->node_count; i++)
		count += is_selected[i];
	/* i 3, 5, ..., 99,999; div 4 to div 500 */
	ck_assert_uint_eq(count, 49999 + 497);
}
