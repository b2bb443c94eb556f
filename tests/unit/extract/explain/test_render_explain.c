#include "extract/explain/explain.h"

#include "base/memory.h"
#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "page/markup.h"
#include "page/page.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static const double defaults[MAX_PARAMETERS] = {40, 1, 0.8};

/* free() it. */
static char *explain(const struct page *page, const struct verdict *verdicts,
		     const struct trace *trace,
		     const struct template_counts *counts)
{
	const struct explanation explanation = {
		.extractor = extractor_find("accb"),
		.parameters = defaults,
		.reason = "<asked> for",
		.url = "http://h/?a=\"><script>x()</script>",
		.cluster = "h/3",
		.template_counts = counts,
	};
	struct buffer out = {0};

	render_explanation(page, verdicts, trace, &explanation, &out);
	return out.data;
}

static bool is_void(const char *name, size_t length)
{
	return (length == 4 && memcmp(name, "meta", 4) == 0) ||
	       (length == 2 && memcmp(name, "br", 2) == 0) ||
	       (length == 8 && memcmp(name, "!doctype", 8) == 0);
}

/* The elements that are open. */
struct nesting {
	struct slice names[4096];
	size_t depth;
};

static void close_last(struct nesting *nesting, struct slice name)
{
	ck_assert_uint_gt(nesting->depth, 0);
	nesting->depth--;
	ck_assert_msg(slice_equal(nesting->names[nesting->depth], name),
		      "</%.80s", (const char *)name.data);
}

static void read_tag(struct nesting *nesting, const char *tag, const char *end)
{
	bool is_end = tag[1] == '/';
	const char *begin = tag + 1 + is_end;
	struct slice name = {begin, strcspn(begin, " >/")};

	if (is_end)
		close_last(nesting, name);
	else if (!is_void(begin, name.size) && end[-1] != '/')
		nesting->names[nesting->depth++] = name;
	ck_assert_uint_lt(nesting->depth, 4096);
}

/* Every element that is opened is closed, in order. */
static void assert_balanced(const char *html)
{
	static struct nesting nesting;
	const char *tag = html;

	nesting.depth = 0;
	while ((tag = strchr(tag, '<')) != NULL) {
		const char *end = strchr(tag, '>');

		ck_assert_ptr_nonnull(end);
		read_tag(&nesting, tag, end);
		tag = end;
	}
	ck_assert_uint_eq(nesting.depth, 0);
}

/* The bytes that are not white space, U+00A0 too: pre keeps its own. */
static char *squeeze(char *text)
{
	char *end = text;

	for (const char *byte = text; *byte != '\0'; byte++)
		if (strncmp(byte, "\xC2\xA0", 2) == 0)
			byte++;
		else if (strchr(" \n\t", *byte) == NULL)
			*end++ = *byte;
	*end = '\0';
	return text;
}

/* Text `index` as the picture must show it; free() it. */
static char *shown(const struct page *page, uint32_t index)
{
	AUTO_BUFFER plain = {0};
	struct buffer out = {0};

	markup_append_plain(&plain, page_text(page, index), false);
	escape_append(&out, buffer_slice(&plain));
	buffer_append_text(&out, "");
	return squeeze(out.data);
}

/* Check that the next span of a text holds text `index`. Return its end. */
static const char *read_span(const char *html, const struct page *page,
			     uint32_t index)
{
	AUTO_TEXT *expected = shown(page, index);
	const char *begin = strstr(html, "<span class=\"");
	const char *end;
	AUTO_TEXT *text;

	ck_assert_ptr_nonnull(begin);
	begin = strchr(begin, '>') + 1;
	end = strstr(begin, "</span>");
	text = mem_copy_text(begin, (size_t)(end - begin));
	ck_assert_str_eq(squeeze(text), expected);
	return end;
}

/* All texts, each once, in the page's order. */
static void assert_texts(const struct page *page, const char *html)
{
	const char *rest = strstr(html, "<div class=\"page\">");

	for (uint32_t i = 0; i < page->text_count; i++)
		rest = read_span(rest, page, i);
	ck_assert_ptr_null(strstr(rest, "<span"));
}

TEST(every_text_of_any_page_is_shown_once_in_order)
{
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct verdict *verdicts = run(page, "accb", NULL, NULL);
		AUTO_TEXT *picture = explain(page, verdicts, NULL, NULL);

		assert_texts(page, picture);
		assert_balanced(picture);
		ck_assert_ptr_null(strstr(picture, "<script"));
		ck_assert_ptr_null(strstr(picture, "<a "));
	}
}

TEST(nothing_of_the_page_but_its_text_comes_through)
{
	AUTO_PAGE *page = parse(
		"<html lang=evil1 onload=evil2()><title></title><script>evil3()"
		"</script></title><body style='background:url(evil4)'>"
		"<p id=evil5 class=evil6 data-x=evil7><a href='evil8:x'>one</a>"
		"<img src=evil9 onerror=evil10()><svg onload=evil11()>"
		"<script>evil12()</script></svg><style>evil13{}</style>"
		"<b title='evil14'>two</b><iframe srcdoc=evil15></iframe>");
	const struct verdict *verdicts = run(page, "accb", NULL, NULL);
	AUTO_TEXT *picture = explain(page, verdicts, NULL, NULL);

	assert_texts(page, picture);
	assert_balanced(picture);
	ck_assert_ptr_null(strstr(picture, "evil"));
	ck_assert_ptr_null(strstr(picture, "<script"));
	ck_assert_ptr_nonnull(strstr(picture,
				     "content=\"default-src 'none'; style-src "
				     "'unsafe-inline'\""));
	ck_assert_ptr_nonnull(strstr(picture, "&quot;&gt;&lt;script&gt;x()"));
	ck_assert_ptr_nonnull(strstr(picture, "&lt;asked&gt; for"));
}

TEST(a_text_shows_its_verdict_and_reason)
{
	AUTO_PAGE *page = parse("<title>T</title><p>kept <a href=x>link</a>"
				"<p hidden>unseen");
	const struct verdict verdicts[] = {
		{0, false}, {0.75F, true}, {0.5F, false}, {0, false}};
	const uint32_t frequencies[] = {1, 2, 12, 4};
	const struct template_counts counts = {40, frequencies};
	struct trace *trace = trace_create(page->arena, page->text_count);
	AUTO_TEXT *picture;

	trace_reason(trace, 1, "ratio %s \"0.8\"", "<over>");
	picture = explain(page, verdicts, trace, &counts);
	assert_texts(page, picture);
	ck_assert_ptr_nonnull(
		strstr(picture,
		       "<span class=\"h s0\" title=\"the page's title, "
		       "never content; score 0; on 1 of 40 pages\">T</span>"));
	ck_assert_ptr_nonnull(
		strstr(picture,
		       "<p><span class=\"k s7\" title=\"kept; score 0.75; on 2 "
		       "of 40 pages; ratio &lt;over&gt; &quot;0.8&quot;\">kept"
		       "</span> <span class=\"d s3 l\" title=\"dropped; score "
		       "0.5; on 12 of 40 pages\">link</span></p>"));
	ck_assert_ptr_nonnull(strstr(picture, "title=\"hidden by style"));
	ck_assert_ptr_nonnull(strstr(
		picture, "1 kept (1 words), 1 dropped (1 words), 2 hidden "
			 "(2 words)"));
}

TEST(structure_is_seen)
{
	AUTO_PAGE *page = parse(
		"<h2>a</h2><ul><li>b<li>c</ul><table><tr><td>d<th>e</table>"
		"<pre>f\n  g</pre><blockquote>h</blockquote>");
	const struct verdict *verdicts = run(page, "plain", NULL, NULL);
	AUTO_TEXT *picture = explain(page, verdicts, NULL, NULL);
	const char *begin = strstr(picture, "<div class=\"page\">");
	static const char *const expected[] = {
		"<h2><span",
		"<ul><li><span",
		"<li><span",
		"<table><tr><td><span",
		"<th><span",
		"<pre><span",
		">f\n  g</span></pre>",
		"<blockquote><p><span",
	};

	for (size_t i = 0; i < COUNT_OF(expected); i++) {
		begin = strstr(begin, expected[i]);
		ck_assert_msg(begin != NULL, "%s in %s", expected[i], picture);
	}
}

TEST(parameters_that_were_set_show_their_defaults)
{
	AUTO_PAGE *page = parse("");
	const double parameters[MAX_PARAMETERS] = {25, 1, 0.8};
	const struct explanation explanation = {
		.extractor = extractor_find("accb"),
		.parameters = parameters,
		.reason = "",
		.url = "",
		.cluster = "",
	};
	AUTO_BUFFER out = {0};

	render_explanation(page, NULL, NULL, &explanation, &out);
	assert_balanced(out.data);
	ck_assert_ptr_nonnull(strstr(out.data, "<th>radius</th><td>25 "
					       "characters (default: 40)"));
	ck_assert_ptr_nonnull(strstr(out.data, "<th>passes</th><td>1 </td>"));
	ck_assert_ptr_nonnull(strstr(out.data, "Gottron"));
	ck_assert_ptr_null(strstr(out.data, "Address"));
	ck_assert_ptr_null(strstr(out.data, "Cluster"));
}

TEST(figures_are_below_the_page)
{
	AUTO_PAGE *page = parse("<p>a");
	const struct verdict *verdicts = run(page, "plain", NULL, NULL);
	struct trace *trace = trace_create(page->arena, page->text_count);
	const struct figure figure = {.kind = FIGURE_SCATTER, .title = "TTR"};
	AUTO_TEXT *picture;
	const char *place;

	trace_figure(trace, &figure);
	trace_figure(trace, &figure);
	picture = explain(page, verdicts, trace, NULL);
	assert_balanced(picture);
	place = strstr(strstr(picture, "<div class=\"page\">"),
		       "aria-label=\"TTR\"");
	ck_assert_ptr_nonnull(place);
	ck_assert_ptr_nonnull(strstr(place + 1, "aria-label=\"TTR\""));
}
