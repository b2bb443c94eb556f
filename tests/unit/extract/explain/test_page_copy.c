#include "extract/explain/explain.h"

#include "page/page.h"
#include "tests/unit/run.h"

static const struct verdict kept = {1, true};
static const struct verdict dropped = {0, false};

/* The body of a copy; free() it. */
static char *body_of(const struct buffer *out)
{
	const char *body = strstr(out->data, "<body>\n");
	char *rest;

	ck_assert_ptr_nonnull(body);
	rest = strdup(body + strlen("<body>\n"));
	rest[strlen(rest) - strlen("</body>\n</html>\n")] = '\0';
	return rest;
}

/* The body of the copy of `html`, whose first text is kept; free() it. */
static char *copy(const char *html)
{
	struct verdict verdicts[64];
	AUTO_BUFFER out = {0};
	AUTO_PAGE *page;

	ASSERT_OK(page_parse(&page, slice_of(html), (struct slice){NULL, 0},
			     &page_limits_default));
	ck_assert_uint_le(page->text_count, 64);
	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i] = i == 0 ? kept : dropped;
	page_copy(page, verdicts, "http://h/?a=\"&b", &out);
	return body_of(&out);
}

/* The body of the copy in which the value is marked; free() it. */
static char *marked(const char *html, uint32_t node, const char *value)
{
	const struct page_mark mark = {node, slice_of(value)};
	AUTO_BUFFER out = {0};
	AUTO_PAGE *page;

	ASSERT_OK(page_parse(&page, slice_of(html), (struct slice){NULL, 0},
			     &page_limits_default));
	page_copy_marked(page, &mark, value[0] != '\0', &out);
	return body_of(&out);
}

static void assert_marked(const char *html, uint32_t node, const char *value,
			  const char *wanted)
{
	AUTO_TEXT *text = marked(html, node, value);

	ck_assert_str_eq(text, wanted);
}

static void assert_copy(const char *html, const char *wanted)
{
	AUTO_TEXT *text = copy(html);

	ck_assert_str_eq(text, wanted);
}

#define LINK(class, element)                                        \
	"<a class=\"" class "\" href=\"/ui/element?url=http%3A//h/" \
			    "%3Fa%3D%22%26b&amp;n=" element "\">"

TEST(each_text_names_its_element)
{
	/* html 0, head 1, body 2, h1 3, p 4, b 5 */
	assert_copy(
		"<h1>One</h1><p>two <b>three</b>",
		"<h1>" LINK("k", "3") "One</a></h1>\n<p>" LINK(
			"d", "4") "two</a> <b>" LINK("d", "5") "three</a>"
							       "</b></p>\n");
}

TEST(nothing_of_the_page_runs_or_is_loaded)
{
	static const char *const evil[] = {
		"<p onclick=x()>a</p>",
		"<p style='background:url(//h)'>a</p>",
		"<p><a href='javascript:x()'>a</a></p>",
		"<p>a<img src=x onerror=x()><script>x()</script></p>",
		"<p>a<iframe src=//h></iframe><object data=//h></object></p>",
		"<p>a<svg onload=x()><use href=//h /></svg></p>",
		"<form action=//h><p>a</p><input autofocus onfocus=x()>",
		"<base href=//h><meta http-equiv=refresh content='0;//h'><p>a",
	};

	for (size_t i = 0; i < COUNT_OF(evil); i++) {
		AUTO_TEXT *text = copy(evil[i]);

		ck_assert_msg(strstr(text, ">a</a>") != NULL, "%s", text);
		ck_assert_msg(strpbrk(text, "'") == NULL, "%s", text);
		ck_assert_msg(strstr(text, "//h\"") == NULL, "%s", text);
		ck_assert_msg(strstr(text, "x(") == NULL, "%s", text);
	}
	for (size_t i = 0; i < COUNT_OF(evil); i++) {
		AUTO_TEXT *text = marked(evil[i], 0, "a");

		ck_assert_msg(strstr(text, "<mark id=\"value\">a</mark>") !=
				      NULL,
			      "%s", text);
		ck_assert_msg(strpbrk(text, "'") == NULL, "%s", text);
		ck_assert_msg(strstr(text, "//h") == NULL, "%s", text);
		ck_assert_msg(strstr(text, "x(") == NULL, "%s", text);
	}
}

TEST(a_value_is_outlined)
{
	/* html 0, head 1, body 2, h1 3, p 4, b 5 */
	static const char html[] = "<h1>£2</h1><p>for £2 <b>only\n  £2</b>";

	assert_marked(html, 3, "£2",
		      "<h1><mark id=\"value\">£2</mark></h1>\n"
		      "<p>for £2 <b>only £2</b></p>\n");
	assert_marked(html, 5, "£2",
		      "<h1>£2</h1>\n<p>for £2 <b>only <mark id=\"value\">£2"
		      "</mark></b></p>\n");
	/* the value of an element with several texts */
	assert_marked(html, 4, "for £2 only £2",
		      "<h1>£2</h1>\n<p><mark id=\"value\">for £2</mark> "
		      "<b><mark>only £2</mark></b></p>\n");
}

TEST(a_value_that_the_page_does_not_show_is_in_a_note)
{
	static const char note[] =
		"<p class=\"note\" id=\"value\"><mark>&lt;x&gt;</mark> is in "
		"an attribute, or in a part of the page that readers do not "
		"see.</p>\n<p>a</p>\n";

	assert_marked("<p title='<x>'>a</p>", 3, "<x>", note);
	assert_marked("<p>a</p>", 99, "<x>", note);
	assert_marked("<p>a</p>", 3, "",
		      "<p class=\"note\" id=\"value\">The page has no value."
		      "</p>\n<p>a</p>\n");
}

TEST(text_is_escaped)
{
	assert_marked("<p>a&lt;b&gt;\"c", 3, "<b>",
		      "<p>a<mark id=\"value\">&lt;b&gt;</mark>&quot;c</p>\n");
	assert_copy("<p>&lt;/a&gt;&lt;script&gt;\"",
		    "<p>" LINK("k", "3") "&lt;/a&gt;&lt;script&gt;&quot;"
					 "</a></p>\n");
}

TEST(what_nobody_sees_is_left_out)
{
	assert_copy("<p>a<p hidden>b",
		    "<p>" LINK("k", "3") "a</a></p>\n<p></p>\n");
}

TEST(a_page_without_text_has_an_empty_copy)
{
	assert_copy("", "");
}
