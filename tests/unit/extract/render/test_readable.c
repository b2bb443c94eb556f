#include "extract/render/outline.h"

#include "extract/render/media.h"
#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_text(const char *html, const char *expected)
{
	AUTO_TEXT *text = text_of(html);

	ck_assert_str_eq(text, expected);
}

TEST(markup_spelled_out_in_noscript_is_not_read)
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

/* A forum that keeps its posts there for readers without scripts. */
TEST(posts_in_noscript_stay)
{
	assert_text("<body><noscript><div><p>put it in a &lt;div&gt; tag</div>"
		    "</noscript>",
		    "put it in a <div> tag\n");
	assert_text("<body><noscript>run a &lt;name&gt; if b &lt; c</noscript>",
		    "run a <name> if b < c\n");
	assert_text("<p>&lt;img src='b.png'&gt;", "<img src='b.png'>\n");
}

TEST(references_that_were_escaped_twice_are_characters)
{
	assert_text("<p>AT&amp;amp;T&amp;#8217;s &amp;quot;caf&amp;eacute;"
		    "&amp;quot; &amp;mdash; &amp;#x26;",
		    "AT&T\u2019s \"caf\u00E9\" \u2014 &\n");
	assert_text("<p>a<p>&amp;nbsp;<p>b&amp;#160;c", "a\n\nb c\n");
	assert_text("<p>a &amp;amp;amp; b", "a &amp; b\n");
}

TEST(references_that_are_meant_stay)
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

TEST(shortcodes_are_not_read)
{
	assert_text("<p>[vc_row el_class=\"a b\"][vc_column_text]a"
		    "[/vc_column_text]<p>b[/vc_row]",
		    "a\n\nb\n");
	assert_text("<p>a<p>[caption id=&#8221;x_1&#8243; width=300]"
		    "b[/caption]<p>c",
		    "a\n\nb\n\nc\n");
	assert_text("<p>[gallery ids='1,2' /]", "");
	assert_text("<p>Yes. [my-form id=\"12\" title=\"c ]\"] No.",
		    "Yes. No.\n");
	assert_text("<p>[embed]https://a.b/c[/embed] d", "d\n");
	assert_text("<p>[quote quote=3]a<p>b[/quote]", "a\n\nb\n");
}

TEST(brackets_that_are_meant_stay)
{
	static const char *const texts[] = {
		"a [1] [edit] [sic] [...] [citation needed]\n",
		"array[i] matrix[row_a][col_b] [some_name] [gallery]\n",
		"much better [/sarcasm] [/b] [/url]\n",
		"[url=https://a.b]c[/url] [data-a=\"b\"] input[type=\"c\"]\n",
		"use [gallery ids=\"1,2\"] or: [my_form id=\"1\"]\n",
		"[[gallery ids=\"1,2\"]] [note a=\"b] [note a=b] [a b c=1]\n",
		"[x for x in vec if x >= 0] [name a=\"b\"c] [/ab c=1]\n",
		"[] [/] [ [/ [a [ab [ab c [ab c= [ab c=\" [ab c=\"d\"\n",
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		AUTO_BUFFER html = {0};

		buffer_append_text(&html, texts[i]);
		assert_text(html.data, texts[i]);
	}
	assert_text("<p><code>[vc_row a=\"b\"]</code>", "[vc_row a=\"b\"]\n");
	assert_text("<pre>[vc_row a=\"b\"][/vc_row]</pre>",
		    "[vc_row a=\"b\"][/vc_row]\n");
}

/* The first 32 names can be closed, further ones are text. */
TEST(names_are_remembered_up_to_a_limit)
{
	AUTO_BUFFER html = {0};
	AUTO_TEXT *text;

	for (unsigned i = 0; i <= MAX_SHORTCODE_NAMES; i++)
		buffer_printf(&html, "<p>[n_%u]%u[/n_%u]", i, i, i);
	text = text_of(html.data);
	ck_assert_ptr_nonnull(strstr(text, "\n31\n\n[n_32]32[/n_32]\n"));
	ck_assert_ptr_null(strstr(text, "[n_31]"));
}

/* Not the square of 4 MB, which would take a minute. */
TEST(blanks_between_shortcodes_are_read_once)
{
	AUTO_BUFFER html = {0};
	AUTO_TEXT *text;

	buffer_append_text(&html, "<p>");
	for (unsigned i = 0; i < 2000; i++)
		buffer_printf(&html, "[ab c=\"d\"]%2000s", "");
	buffer_append_text(&html, "x");
	text = text_of(html.data);
	ck_assert_str_eq(text, "x\n");
}

TEST(no_title_stands_above_a_shortcode)
{
	AUTO_PAGE *page = parse("[my-form id=\"12\"]");
	const struct render_request request = {
		.page = page,
		.verdicts = run(page, "plain", NULL, NULL),
		.title = slice_of("a"),
	};
	AUTO_BUFFER out = {0};

	render(FORMAT_MD, &request, &out);
	render(FORMAT_HTML, &request, &out);
	ck_assert_uint_eq(out.size, 0);
}
