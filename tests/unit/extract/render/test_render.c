#include "extract/render/render.h"

#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static void assert_text(const char *html, const char *expected)
{
	AUTO_TEXT *text = text_of(html);

	ck_assert_str_eq(text, expected);
}

TEST(inline_text_joins_as_the_source_has_it)
{
	assert_text("<p><b>a</b>b", "ab\n");
	assert_text("<p><b>a</b> b", "a b\n");
	assert_text("<p><b>a </b>b", "a b\n");
	assert_text("<p><b>a </b> b", "a b\n");
	assert_text("<p><b>a</b> <b>c</b>", "a c\n");
	assert_text("<p><b>a</b>\n<i> </i><b>c</b>", "a c\n");
	assert_text("<p><b>a</b>&nbsp;<b>c</b>", "a c\n");
	assert_text("<p><b>a</b><b>c</b>", "ac\n");
	assert_text("<p>a<!-- x y -->b", "ab\n");
	assert_text("<p>a<span title='x y'>b</span>", "ab\n");
	assert_text("<p>\xE3\x80\x80\xE3\x81\x82<b>\xE3\x81\x84</b>",
		    "\xE3\x81\x82\xE3\x81\x84\n");
	assert_text("<p>\xE3\x81\x82<b>\xE3\x80\x80\xE3\x81\x84</b>",
		    "\xE3\x81\x82 \xE3\x81\x84\n");
}

TEST(blocks_break_the_line)
{
	assert_text("<h1>a</h1><p>b<p>c", "a\n\nb\n\nc\n");
	assert_text("a<div><div>b</div></div>c", "a\n\nb\n\nc\n");
	assert_text("<p>a<br>b<br><br>c", "a\nb\n\nc\n");
	assert_text("<p>a<hr>b", "a\n\nb\n");
	assert_text("<br><p> a </p><br><p></p>", "a\n");
	assert_text("<p> a\n b\t </p>", "a b\n");
}

TEST(lists_and_tables_have_a_line_an_item_and_a_cell)
{
	assert_text("<p>x<ul><li>a<li>b</ul><p>y", "x\n\na\nb\n\ny\n");
	assert_text("<ul><li>a<ul><li>b</ul><li>c</ul>", "a\nb\nc\n");
	assert_text("<table><tr><th>a<td>b<tr><td>c<td>d</table>e",
		    "a\nb\nc\nd\n\ne\n");
	assert_text("<dl><dt>a<dd>b<dt>c<dd>d</dl>", "a\nb\nc\nd\n");
}

TEST(pre_keeps_its_lines)
{
	assert_text("<p>x<pre>\n  a  b\n\n\tc\n</pre><p>y",
		    "x\n\n  a  b\n\n\tc\n\ny\n");
	assert_text("<pre><b>a</b>  <b>b</b>\n<i>c</i></pre>", "a  b\nc\n");
	assert_text("<pre>a<br>b</pre>", "a\nb\n");
	assert_text("<pre>a<b>&#32;</b>b<i>&#x20;\n</i>c</pre>", "a b \nc\n");
	assert_text("<pre>a\r\nb\n</pre>", "a\nb\n");
}

/* Text between the parts of a table comes before it, and cells do not separate
 * it from the text before. */
TEST(text_that_moved_parts_nothing)
{
	assert_text("<div>a<table><tr><td>b</table>c</div>", "a\n\nb\n\nc\n");
	assert_text("<div>a<table><tr><td>b</td></tr>c</table></div>",
		    "ac\n\nb\n");
	assert_text("<div>a <table><tr><td>b</td></tr>c<i>d</i></table></div>",
		    "a cd\n\nb\n");
	assert_text("<pre>a<table><tr><td>b</td></tr>c</table></pre>",
		    "ac\nb\n");
	assert_text("<pre>a<table><tr><td>b</td><td>c</td></tr>d</table>"
		    "</pre>",
		    "ad\nb\nc\n");
}

TEST(nothing_gives_nothing)
{
	AUTO_PAGE *page = parse("<body> <p> </p>");
	AUTO_BUFFER out = {0};

	render_text(page, run(page, "plain", NULL, NULL), &out);
	render_html(page, run(page, "plain", NULL, NULL), &out);
	ck_assert_uint_eq(out.size, 0);
}

TEST(what_is_dropped_leaves_a_gap)
{
	AUTO_PAGE *page = parse("<p>a<b>x</b>c<p>y<p>d");
	struct verdict verdicts[] = {
		{0, true}, {0, false}, {0, true}, {0, false}, {0, true}};
	AUTO_BUFFER out = {0};

	ck_assert_uint_eq(page->text_count, 5);
	render_text(page, verdicts, &out);
	ck_assert_str_eq(out.data, "a c\n\nd\n");
	buffer_clear(&out);
	render_html(page, verdicts, &out);
	ck_assert_str_eq(out.data, "<p>a c</p>\n<p>d</p>\n");
}

TEST(text_is_appended)
{
	AUTO_PAGE *page = parse("<p>a");
	const struct verdict *verdicts = run(page, "plain", NULL, NULL);
	AUTO_BUFFER out = {0};

	buffer_append_text(&out, "before \n");
	render_text(page, verdicts, &out);
	render_html(page, verdicts, &out);
	ck_assert_str_eq(out.data, "before \na\n<p>a</p>\n");
}

static void assert_format(enum format format, const char *name,
			  const char *media_type)
{
	enum format found;

	ck_assert(format_from_name(name, &found) && found == format);
	ck_assert(strcmp(format_name(format), name) == 0);
	ck_assert_str_eq(format_media_type(format), media_type);
}

TEST(formats_have_names)
{
	enum format format;

	assert_format(FORMAT_TXT, "txt", "text/plain; charset=utf-8");
	assert_format(FORMAT_MD, "md", "text/markdown; charset=utf-8");
	assert_format(FORMAT_XML, "xml", "application/xml");
	assert_format(FORMAT_JSON, "json", "application/json");
	assert_format(FORMAT_HTML, "html", "text/html; charset=utf-8");
	assert_format(FORMAT_EXPLAIN, "explain", "text/html; charset=utf-8");
	assert_format(FORMAT_COPY, "copy", "text/html; charset=utf-8");
	ck_assert(!format_from_name("pdf", &format));
	ck_assert_str_eq(format_ending(FORMAT_TXT), "txt");
	ck_assert_str_eq(format_ending(FORMAT_EXPLAIN), "explain.html");
}

/* The characters of `text` that are not white space. */
static char *without_space(struct arena *arena, const char *text)
{
	char *copy = arena_copy(arena, text, strlen(text));
	size_t used = 0;

	for (size_t i = 0; copy[i] != '\0'; i++)
		if (strchr(" \n\t", copy[i]) == NULL)
			copy[used++] = copy[i];
	copy[used] = '\0';
	return copy;
}

static bool is_subsequence(const char *part, const char *whole)
{
	for (; *whole != '\0'; whole++)
		part += *part == *whole;
	return *part == '\0';
}

/* White space collapsed: only the words remain. */
static char *words_of(struct arena *arena, const char *text)
{
	char *words = arena_copy(arena, text, strlen(text));

	words[text_collapse(slice_of(text), words)] = '\0';
	return words;
}

static const struct verdict *random_verdicts(const struct page *page,
					     uint64_t seed)
{
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	uint64_t state = seed;

	for (uint32_t i = 0; i < page->text_count; i++)
		verdicts[i].is_content = random_next(&state) % 3 != 0;
	return verdicts;
}

TEST(some_text_is_a_subsequence_of_all_text)
{
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_TEXT *whole = text_of(html);
		AUTO_PAGE *page = parse(html);
		const struct verdict *plain = run(page, "plain", NULL, NULL);
		struct verdict *some = ARENA_NEW(page->arena, struct verdict,
						 page->text_count);
		AUTO_BUFFER out = {0};

		memcpy(some, random_verdicts(page, seed),
		       page->text_count * sizeof(*some));
		for (uint32_t i = 0; i < page->text_count; i++)
			some[i].is_content &= plain[i].is_content;
		render_text(page, some, &out);
		buffer_append_text(&out, "");
		ck_assert_msg(
			is_subsequence(without_space(page->arena, out.data),
				       without_space(page->arena, whole)),
			"seed %d: %s", (int)seed, html);
	}
}

TEST(html_parses_back_to_the_same_words)
{
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct verdict *verdicts = random_verdicts(page, seed);
		AUTO_BUFFER text = {0};
		struct buffer markup = {0};
		char *again;

		render_text(page, verdicts, &text);
		render_html(page, verdicts, &markup);
		buffer_append_text(&text, "");
		buffer_append_text(&markup, "");
		again = text_of(markup.data);
		ck_assert_msg(strcmp(words_of(page->arena, text.data),
				     words_of(page->arena, again)) == 0,
			      "seed %d: %s\n->\n%s\n->\n%s\nnot\n%s", (int)seed,
			      html, markup.data, again, text.data);
		buffer_free(&markup);
		free(again);
	}
}

/* Is every element closed in order, and of an allowed kind? */
static bool is_balanced(const char *html)
{
	static const char *const known =
		" p h1 h2 h3 h4 h5 h6 ul ol li table tr td th pre code "
		"blockquote em strong b i a ";
	char open[256][16];
	size_t depth = 0;

	for (const char *at = strchr(html, '<'); at != NULL;
	     at = strchr(at + 1, '<')) {
		bool is_end = at[1] == '/';
		const char *name = at + 1 + is_end;
		size_t length = strcspn(name, "> ");
		char word[16];

		if (length == 2 && memcmp(name, "br", 2) == 0)
			continue;
		if (length > 12 || depth == 256)
			return false;
		snprintf(word, sizeof(word), " %.*s ", (int)length, name);
		if (strstr(known, word) == NULL)
			return false;
		if (!is_end)
			memcpy(open[depth++], word, sizeof(open[0]));
		else if (depth == 0 || strcmp(open[--depth], word) != 0)
			return false;
	}
	return depth == 0;
}

TEST(html_is_balanced_and_of_known_elements)
{
	ck_assert(!is_balanced("<p>"));
	ck_assert(!is_balanced("<p><b></p></b>"));
	ck_assert(!is_balanced("<div></div>"));
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_TEXT *markup = html_of(html);

		ck_assert_msg(is_balanced(markup), "seed %d: %s\n->\n%s",
			      (int)seed, html, markup);
	}
}
