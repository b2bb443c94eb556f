#include <libxml/parser.h>

#include "extract/metadata/metadata.h"
#include "extract/render/render.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* All of `request`, whose page is `html` and wholly kept; free it. */
static struct buffer render_xml(const char *html,
				const struct metadata *metadata)
{
	AUTO_PAGE *page = parse(html);
	struct buffer out = {0};
	xmlDoc *document;

	render(FORMAT_XML,
	       &(struct render_request){
		       .page = page,
		       .verdicts = run(page, "plain", NULL, NULL),
		       .metadata = metadata,
		       .url = slice_of("http://h/a?b&c"),
	       },
	       &out);
	document = xmlReadMemory(out.data, (int)out.size, "x.xml", NULL, 0);
	ck_assert_ptr_nonnull(document);
	xmlFreeDoc(document);
	return out;
}

static void assert_body(const char *html, const char *expected)
{
	AUTO_BUFFER out = render_xml(html, NULL);
	char *begin = strstr(out.data, "<body>\n") + strlen("<body>\n");

	*strstr(begin, "</body>") = '\0';
	ck_assert_str_eq(begin, expected);
}

TEST(heads_begin_sections)
{
	assert_body("<p>a<h2>b</h2><p>c<h3>d</h3><h1>e</h1><p>f",
		    "<p>a</p>\n<div type=\"section\" n=\"2\">\n<head>b</head>\n"
		    "<p>c</p>\n<div type=\"section\" n=\"3\">\n<head>d</head>\n"
		    "</div>\n</div>\n<div type=\"section\" n=\"1\">\n"
		    "<head>e</head>\n<p>f</p>\n</div>\n");
	assert_body("<ul><li><h4>a</h4></ul>",
		    "<list rend=\"bulleted\">\n<item><ab type=\"heading\" "
		    "rend=\"h4\">a</ab>\n</item>\n</list>\n");
	assert_body("", "<p/>\n");
}

TEST(blocks_are_those_of_tei)
{
	assert_body("<ol><li>a</ol>", "<list rend=\"numbered\">\n"
				      "<item>a</item>\n</list>\n");
	assert_body("<table><caption>a</caption><tr><th>b<td>c</table>",
		    "<table>\n<head>a</head>\n<row>\n"
		    "<cell role=\"label\">b</cell>\n<cell>c</cell>\n</row>\n"
		    "</table>\n");
	assert_body("<table><caption>a</caption></table>",
		    "<table>\n<head>a</head>\n<row><cell/></row>\n</table>\n");
	assert_body("<blockquote>a</blockquote>",
		    "<quote>\n<p>a</p>\n</quote>\n");
	assert_body("<pre class=lang-c>a <b>b</b>\nc</pre>",
		    "<p><code rend=\"block\" lang=\"c\" xml:space=\"preserve\">"
		    "a b\nc</code></p>\n");
	assert_body("<figure><img src=x alt='a&lt;'><figcaption>b</figcaption>"
		    "</figure>",
		    "<figure>\n<p><graphic url=\"x\"><desc>a&lt;</desc>"
		    "</graphic></p>\n<head>b</head>\n</figure>\n");
}

TEST(inline_elements_are_those_of_tei)
{
	assert_body("<p><a href='x&amp;y'>a <b>b</b></a><br><i>c</i> "
		    "<code>d<br>e</code> <del>f</del><sub>g</sub><sup>h</sup>",
		    "<p><ref target=\"x&amp;y\">a <hi rend=\"bold\">b</hi>"
		    "</ref><lb/><hi rend=\"italic\">c</hi> <code>d\ne</code> "
		    "<hi rend=\"strikethrough\">f</hi>"
		    "<hi rend=\"subscript\">g</hi>"
		    "<hi rend=\"superscript\">h</hi></p>\n");
}

TEST(the_header_has_the_metadata)
{
	const struct metadata metadata = {
		.title = {slice_of("A & B"), "og"},
		.authors = {{slice_of("C"), "meta"}, {slice_of("D"), "meta"}},
		.author_count = 2,
		.published = {slice_of("2024-05-06T07:08Z"), "time"},
		.site_name = {slice_of("E"), "og"},
		.language = {slice_of("el-GR"), "html-lang"},
		.description = {slice_of("F"), "meta"},
		.tags = {{slice_of("G"), "meta"}},
		.tag_count = 1,
		.page_type = {slice_of("article"), "og"},
	};
	static const char *const parts[] = {
		"<title>A &amp; B</title>",
		"<author>C</author>\n<author>D</author>",
		" when=\"2024-05-06\">2024-05-06T07:08Z</date>",
		"<publisher>E</publisher>",
		"<language ident=\"el-GR\"/>",
		"<text xml:lang=\"el-GR\">",
		"<abstract><p>F</p>",
		"<term>G</term>",
		"<term>article</term>",
		"<ptr target=\"http://h/a?b&amp;c\"/>",
	};
	AUTO_BUFFER out = render_xml("<p>a", &metadata);

	for (size_t i = 0; i < COUNT_OF(parts); i++)
		ck_assert_msg(strstr(out.data, parts[i]) != NULL, "%s: %s",
			      parts[i], out.data);
}

TEST(what_xml_has_not_is_left_out)
{
	AUTO_BUFFER out = render_xml(
		"<html lang='x\"y'><title>\x02<&</title><p>a\x01\x0c\xEF\xBF"
		"\xBE\xEF\xBF\xBF]]>&#0;&#xD800;<a href='/&#xFFFF;'>b</a>",
		NULL);

	ck_assert_ptr_null(strstr(out.data, "xml:lang"));
	ck_assert_ptr_null(strstr(out.data, "\xEF\xBF\xBF"));
}
