#include "extract/explain/explain.h"

#include "page/page.h"
#include "tests/unit/run.h"

static const struct verdict kept = {1, true};
static const struct verdict dropped = {0, false};

/* The body of the copy of `html`, whose first text is kept; free() it. */
static char *copy(const char *html)
{
	struct verdict verdicts[64];
	AUTO_BUFFER out = {0};
	AUTO_PAGE *page;
	const char *body;
	char *rest;

	ASSERT_OK(page_parse(&page, slice_of(html), (struct slice){NULL, 0},
			     &page_limits_default));
	ck_assert_uint_le(page->text_count, 64);
	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i] = i == 0 ? kept : dropped;
	page_copy(page, verdicts, "http://h/?a=\"&b", &out);
	body = strstr(out.data, "<body>\n");
	ck_assert_ptr_nonnull(body);
	rest = strdup(body + strlen("<body>\n"));
	rest[strlen(rest) - strlen("</body>\n</html>\n")] = '\0';
	return rest;
}

static void assert_copy(const char *html, const char *wanted)
{
	AUTO_TEXT *text = copy(html);

	ck_assert_str_eq(text, wanted);
}

#define LINK(class, element)                                       \
	"<a class=\"" class "\" href=\"?url=http%3A//h/%3Fa%3D%22" \
			    "%26b&amp;element=" element "\">"

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
}

TEST(text_is_escaped)
{
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
