#include "extract/render/readable.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_text(const char *html, const char *expected)
{
	char *text = text_of(html);

	ck_assert_str_eq(text, expected);
	free(text);
}

START_TEST(markup_spelled_out_in_noscript_is_not_read)
{
	assert_text("<p>a<noscript>&lt;img src='b.png'&gt;</noscript>", "a\n");
	assert_text(
		"<body><noscript>Get &lt;a href=b&gt;the &lt;b&gt;c&lt;/b&gt;"
		"&lt;/a&gt;</noscript>",
		"Get the c\n");
	assert_text(
		"<body><noscript>&lt;script&gt;a()&lt;/script&gt;b</noscript>",
		"b\n");
	assert_text("<body><noscript>&lt;img src=b", "");
}
END_TEST

/* A forum that keeps its posts there for readers without scripts. */
START_TEST(posts_in_noscript_stay)
{
	assert_text("<body><noscript><div><p>put it in a &lt;div&gt; tag</div>"
		    "</noscript>",
		    "put it in a <div> tag\n");
	assert_text("<body><noscript>run a &lt;name&gt; if b &lt; c</noscript>",
		    "run a <name> if b < c\n");
	assert_text("<p>&lt;img src='b.png'&gt;", "<img src='b.png'>\n");
}
END_TEST

START_TEST(references_that_were_escaped_twice_are_characters)
{
	assert_text("<p>AT&amp;amp;T&amp;#8217;s &amp;quot;caf&amp;eacute;"
		    "&amp;quot; &amp;mdash; &amp;#x26;",
		    "AT&T\u2019s \"caf\u00E9\" \u2014 &\n");
	assert_text("<p>a<p>&amp;nbsp;<p>b&amp;#160;c", "a\n\nb c\n");
	assert_text("<p>a &amp;amp;amp; b", "a &amp; b\n");
}
END_TEST

START_TEST(references_that_are_meant_stay)
{
	assert_text("<p>write &amp;lt; for &lt; and &amp;#62; for &gt;",
		    "write &lt; for < and &#62; for >\n");
	assert_text("<p>an ampersand (&amp;amp;), \"&amp;nbsp;\"",
		    "an ampersand (&amp;), \"&nbsp;\"\n");
	assert_text("<p>&amp;and; &amp;foo; &amp;#; &amp;amp b &amp;",
		    "&and; &foo; &#; &amp b &\n");
	assert_text("<p><code>&amp;amp;</code>", "&amp;\n");
	assert_text("<pre>&amp;amp;</pre>", "&amp;\n");
	assert_text("<p>the reference &amp;amp; <pre>a &amp;amp; b</pre>",
		    "the reference &amp;\n\na &amp; b\n");
}
END_TEST

Suite *make_suite(void)
{
	Suite *suite = suite_create("readable");
	TCase *tcase = tcase_create("readable");

	tcase_add_test(tcase, markup_spelled_out_in_noscript_is_not_read);
	tcase_add_test(tcase, posts_in_noscript_stay);
	tcase_add_test(tcase,
		       references_that_were_escaped_twice_are_characters);
	tcase_add_test(tcase, references_that_are_meant_stay);
	suite_add_tcase(suite, tcase);
	return suite;
}
