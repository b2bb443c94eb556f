#include "page/markup.h"
#include "page/page.h"
#include "tests/unit/run.h"

static void assert_href(const char *href, const char *expected)
{
	AUTO_BUFFER out = {0};
	bool is_safe = markup_append_address(&out, slice_of(href));

	ck_assert_int_eq(is_safe, expected != NULL);
	ck_assert_uint_eq(out.size == 0, expected == NULL);
	if (expected != NULL)
		ck_assert_str_eq(out.data, expected);
}

TEST(web_and_relative_addresses_are_kept)
{
	assert_href("http://h/p", "http://h/p");
	assert_href("HTTPS://h/p", "HTTPS://h/p");
	assert_href("//h/p", "//h/p");
	assert_href("/p", "/p");
	assert_href("p?a=b:c", "p?a=b:c");
	assert_href("?a:b", "?a:b");
	assert_href("#a:b", "#a:b");
	assert_href("./a:b", "./a:b");
	assert_href(" \n p q\t", "p q");
	/* decoded already: a page called "&" and a fragment */
	assert_href("&#106;avascript:x", "&#106;avascript:x");
}

TEST(a_label_that_was_cut_is_whole_characters)
{
	AUTO_BUFFER out = {0};

	markup_append_label(&out, "a <b>\n\xC3\xA9\xE3\x81");
	ck_assert_str_eq(out.data, "a &lt;b&gt; \xC3\xA9");
	buffer_clear(&out);
	markup_append_label(&out, "\xE3\x81\x82");
	ck_assert_str_eq(out.data, "\xE3\x81\x82");
	buffer_clear(&out);
	markup_append_label(&out, "");
	ck_assert_uint_eq(out.size, 0);
}

TEST(addresses_that_do_something_are_refused)
{
	assert_href("javascript:alert(1)", NULL);
	assert_href("JavaScript:alert(1)", NULL);
	assert_href(" javascript:alert(1)", NULL);
	assert_href("java\tscript:alert(1)", NULL);
	assert_href("java\r\nscript\n:alert(1)", NULL);
	assert_href("\x01\x1fjavascript:alert(1)", NULL);
	assert_href("java\x01script:alert(1)", NULL);
	assert_href("/a\x01"
		    "b",
		    NULL);
	assert_href("/a\x7f"
		    "b",
		    NULL);
	assert_href("data:text/html,x", NULL);
	assert_href("vbscript:x", NULL);
	assert_href("mailto:a@b", NULL);
	assert_href("httpx:x", NULL);
	assert_href("http\xC2\xA0:x", NULL);
	assert_href("\xC2\xA0javascript:x", NULL);
	assert_href(":", NULL);
	assert_href("", NULL);
	assert_href(" \t", NULL);
}

TEST(text_is_escaped)
{
	AUTO_BUFFER out = {0};

	escape_append(&out, slice_of("<script>&\"'"));
	escape_append(&out, slice_of(""));
	escape_append(&out, slice_of(" end"));
	ck_assert_str_eq(out.data, "&lt;script&gt;&amp;&quot;&#39; end");
}

TEST(text_collapses_but_in_pre)
{
	AUTO_BUFFER out = {0};

	markup_append_plain(&out, slice_of(" a \r\n\tb "), false);
	ck_assert_str_eq(out.data, "a b");
	buffer_clear(&out);
	markup_append_plain(&out, slice_of(" a \r\n\tb\rc\n\r"), true);
	ck_assert_str_eq(out.data, " a \n\tb\nc\n\n");
}

TEST(noncharacters_are_replaced)
{
	AUTO_BUFFER out = {0};

	markup_append_plain(&out,
			    slice_of("\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD"
				     "\xEF\xBE\xBF"),
			    false);
	ck_assert_str_eq(out.data, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
				   "\xEF\xBE\xBF");
}

TEST(control_characters_become_spaces)
{
	AUTO_BUFFER out = {0};

	/* ESC, DEL, C1 CSI (U+009B); U+00E9 stays */
	markup_append_plain(&out,
			    slice_of("a\x1b[1m\x7f"
				     "b\xC2\x9B"
				     "c\xC3\xA9"),
			    false);
	ck_assert_str_eq(out.data, "a [1m b c\xC3\xA9");
}

TEST(blank_is_what_nobody_sees)
{
	ck_assert(markup_is_blank(slice_of("")));
	ck_assert(markup_is_blank(slice_of(" \x01\x7f\n\xC2\x9B\xC2\xA0")));
	ck_assert(markup_is_blank(slice_of("\x0e\xE3\x80\x80\x0e")));
	ck_assert(!markup_is_blank(slice_of("\x01 a")));
	ck_assert(!markup_is_blank(slice_of("\xC2\xA1")));
	ck_assert(!markup_is_blank(slice_of("\xE3\x81\x82")));
}
