#include "extract/extractors.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/*
 * Pages that omit tags, as the HTML standard allows (section 13.1.2.4), have
 * the same text as pages with them. _i is a row of the methods.
 */

/* What is written of the page, by bits. */
enum {
	WRITES_HTML = 1,
	ENDS_HTML = 2,
	WRITES_HEAD = 4,
	ENDS_HEAD = 8,
	WRITES_BODY = 16,
	ENDS_BODY = 32,
	ENDS_PARAGRAPHS = 64,
	ENDS_ITEMS = 128,
	ENDS_CELLS = 256,
	WRITES_ALL = 511,
	VARIANTS = 40,
	STRIDE = 37, /* has no factor in common with 512 */
	PARAGRAPHS = 4,
};

static const char *const paragraphs[PARAGRAPHS] = {
	"The company looks after two of the net's 13 servers that tell "
	"computers where to find each other. It also controls those that "
	"contain the master list of domain name suffixes.",
	"If there is a silver lining in all of this, its officer said, it is "
	"that users will become more aware and more conscious of who they do "
	"business with, and of what may go wrong on the way there.",
	"Nobody thinks that everything will fall over next week, or in the "
	"week after that one; but what was once a plaything of students now "
	"carries money, and those who want it have patience.",
	"Curators spent eleven winters on cleaning, and found beneath a "
	"landscape the portrait of a merchant. Whoever painted over him did "
	"so with great care, they believe, perhaps to hide him.",
};

static const char *tag(unsigned written, unsigned bit, const char *text)
{
	return (written & bit) != 0 ? text : "";
}

static void append_item(struct buffer *out, unsigned written, const char *name)
{
	buffer_printf(out, "<li><a href=/%s>%s</a>%s\n", name, name,
		      tag(written, ENDS_ITEMS, "</li>"));
}

static void append_body(struct buffer *out, unsigned written)
{
	const char *end_cell = tag(written, ENDS_CELLS, "</td>");
	const char *end_row = tag(written, ENDS_CELLS, "</tr>");

	buffer_append_text(out, "<ul class=menu>\n");
	append_item(out, written, "home");
	append_item(out, written, "news");
	append_item(out, written, "sport");
	buffer_append_text(out, "</ul>\n<div class=story>\n");
	for (size_t i = 0; i < PARAGRAPHS; i++)
		buffer_printf(out, "<p>%s%s\n", paragraphs[i],
			      tag(written, ENDS_PARAGRAPHS, "</p>"));
	buffer_printf(out,
		      "</div>\n<table><tr><td>one%s<td>two%s%s<tr><td>three%s"
		      "%s</table>\n",
		      end_cell, end_cell, end_row, end_cell, end_row);
}

static struct page *page_of(unsigned written)
{
	AUTO_BUFFER html = {0};
	struct page *page;

	buffer_printf(&html, "<!doctype html>\n%s%s<title>A story</title>%s%s",
		      tag(written, WRITES_HTML, "<html lang=en>"),
		      tag(written, WRITES_HEAD, "<head>"),
		      tag(written, ENDS_HEAD, "</head>"),
		      tag(written, WRITES_BODY, "<body>"));
	append_body(&html, written);
	buffer_printf(&html, "%s%s", tag(written, ENDS_BODY, "</body>"),
		      tag(written, ENDS_HTML, "</html>"));
	page = parse(html.data);
	return page;
}

/* The paragraphs that the method takes for content, by bits. */
static unsigned content_of(const struct page *page, const char *method)
{
	const struct verdict *verdicts = run_sampled(&page, 1, method, NULL);
	unsigned content = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct slice text = page_text(page, i);

		for (size_t k = 0; k < PARAGRAPHS; k++)
			if (memmem(text.data, text.size, paragraphs[k],
				   strlen(paragraphs[k])) != NULL &&
			    verdicts[i].is_content)
				content |= 1U << k;
	}
	return content;
}

TEST_LOOP(omitted_tags_cost_no_text, 0, method_count())
{
	const char *method = extractors[_i]->name;
	AUTO_PAGE *whole = page_of(WRITES_ALL);
	const unsigned wanted = content_of(whole, method);

	for (unsigned i = 0; i < VARIANTS; i++) {
		const unsigned written = i * STRIDE % (WRITES_ALL + 1);
		AUTO_PAGE *page = page_of(written);

		ck_assert_uint_eq(page->text_count, whole->text_count);
		ck_assert_msg((content_of(page, method) & wanted) == wanted,
			      "%s, written %x: paragraphs %x of %x", method,
			      written, content_of(page, method), wanted);
	}
}

/* Whether the method keeps the last text, which is "Hello". */
static bool keeps_hello(const char *html, const char *method)
{
	AUTO_PAGE *page = parse(html);
	const struct verdict *verdicts = run_sampled(
		(const struct page *const[]){page}, 1, method, NULL);
	const uint32_t last = page->text_count - 1;
	bool is_kept;

	ck_assert_uint_gt(page->text_count, 0);
	ck_assert_msg(slice_equal(page_text(page, last), slice_of("Hello")),
		      "%s: the last text is another", html);
	is_kept = verdicts[last].is_content;
	return is_kept;
}

static void assert_alike(const char *method, const char *html,
			 const char *whole)
{
	ck_assert_msg(keeps_hello(html, method) || !keeps_hello(whole, method),
		      "%s: %s is lost", method, html);
}

TEST_LOOP(a_page_without_its_outer_tags_has_its_text, 0, method_count())
{
	const char *method = extractors[_i]->name;
	const char *body = "<!doctype html><html><head><title>x</title></head>"
			   "<body>Hello</body></html>";

	assert_alike(method, "<!doctype html><title>x</title><main><p>Hello",
		     "<!doctype html><html><head><title>x</title></head><body>"
		     "<main><p>Hello</p></main></body></html>");
	assert_alike(method, "<html><head><title>x</title><tr><td>Hello", body);
	assert_alike(method, "<title>x</title>Hello", body);
	assert_alike(method, "<head><title>x</title></head>Hello", body);
}
