#include "extract/extractors.h"

#include "extract/core/trace.h"
#include "extract/render/render.h"
#include "page/selector.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

static const struct selector *compile(const struct page *page, const char *text)
{
	char error[256];

	return text == NULL ? NULL : selector_compile(page->arena, text, error);
}

/* What is kept of `html` when only text in p.x was chosen. */
static void check(const char *html, const char *include, const char *exclude,
		  bool with_comments, const char *text)
{
	AUTO_PAGE *page = parse(html);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	const struct selection selection = {
		.include = compile(page, include),
		.exclude = compile(page, exclude),
		.with_comments = with_comments,
	};
	AUTO_BUFFER out = {0};

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t node = page->texts[i].node;

		verdicts[i].is_content = slice_equal(
			page_attribute(page, node, "class"), slice_of("x"));
	}
	selection_apply(&selection, page, verdicts, NULL);
	buffer_append_text(&out, "");
	render_text(page, verdicts, &out);
	ck_assert_str_eq(out.data, text);
}

static const char html[] =
	"<title>t</title><body><nav>n <b>b</b></nav><p class=x>1 <i>2</i>"
	"<p class=x>3<p class=y>4 <span hidden>5</span> <q>6</q>"
	"<select><option>7</select>";

TEST(without_wishes_nothing_changes)
{
	check(html, NULL, NULL, false, "1\n\n3\n");
}

TEST(what_is_included_is_all_that_is_visible_in_it)
{
	check(html, ".y", NULL, false, "1\n\n3\n\n4 6\n");
	check(html, "p", NULL, false, "1 2\n\n3\n\n4 6\n");
	check(html, "nav b, q", NULL, false, "b\n\n1\n\n3\n\n6\n");
	check(html, "title, select", NULL, false, "1\n\n3\n");
	check(html, "h1", NULL, false, "1\n\n3\n");
	check(html, "html", NULL, false, "n b\n\n1 2\n\n3\n\n4 6\n");
}

TEST(what_is_excluded_is_left_out_whoever_wants_it)
{
	check(html, NULL, ".x + .x", false, "1\n");
	check(html, NULL, "body", false, "");
	check(html, "p", "q, i", false, "1\n\n3\n\n4\n");
	check(html, "q", ".y", false, "1\n\n3\n");
}

#define PARAGRAPH                                                              \
	"<p>The old house on the hill was sold last week, after it had stood " \
	"empty for eleven years. Its new owner, who wants to stay unknown, "   \
	"said that the roof would be mended first, and that nobody should "    \
	"expect a restaurant before the summer of next year.</p>"
#define COMMENT(text)                                                    \
	"<li class=comment><div class=comment-author><a href=/u>Jo</a> " \
	"2 May 2024, 12:30</div><div class=comment-body><p>" text        \
	" of all, I have walked past it every day, and I am glad that "  \
	"somebody cares at last. Thanks!</p></div></li>"

/* The typical use of the forest of comments, as in blogs. */
static const char *commented(bool with_comments)
{
	static char words[256];
	AUTO_PAGE *page = parse(
		"<html><head><title>The house on the hill</title></head><body>"
		"<article><h1>The house on the hill</h1>" PARAGRAPH PARAGRAPH
			PARAGRAPH PARAGRAPH
		"</article><section class=comments><h3>3 Comments</h3>"
		"<ol class=comment-list>" COMMENT("First") COMMENT("Second")
			COMMENT("Third") "</ol></section><footer>Imprint</"
					 "footer></body></html>");
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	const struct selection selection = {.with_comments = with_comments};

	words[0] = '\0';
	selection_apply(&selection, page, verdicts, NULL);
	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);
		struct slice word = {text.data, text.size < 6 ? text.size : 6};

		if (verdicts[i].is_content && text.size > 60)
			snprintf(words + strlen(words),
				 sizeof(words) - strlen(words), "%.*s|",
				 (int)word.size, (const char *)word.data);
	}
	return words;
}

TEST(comments_are_shown_on_request)
{
	ck_assert_str_eq(commented(false), "");
	ck_assert_str_eq(commented(true), "First |Second|Third |");
}

TEST(the_trace_names_the_changes)
{
	AUTO_PAGE *page = parse("<p>1<p id=a>2<p id=b>3");
	struct verdict *verdicts = ARENA_NEW(page->arena, struct verdict, 3);
	struct trace *trace = trace_create(page->arena, 3);
	const struct selection selection = {
		.include = compile(page, "#a"),
		.exclude = compile(page, "#b"),
	};

	verdicts[0] = (struct verdict){.score = 1, .is_content = true};
	verdicts[2] = (struct verdict){.score = 2, .is_content = true};
	selection_apply(&selection, page, verdicts, trace);
	ck_assert_ptr_null(trace->reasons[0]);
	ck_assert_str_eq(trace->reasons[1], "the request includes it");
	ck_assert_str_eq(trace->reasons[2], "the request excludes it");
	ck_assert_float_eq(verdicts[2].score, 2);
}

TEST(an_empty_page_has_nothing_to_select)
{
	check("", "*", "*", true, "");
	check("<!-- text -->", "*", "*", true, "");
	check("<!doctype html>", "body", NULL, true, "");
}

TEST(text_without_tags_is_that_of_the_body)
{
	check("text", "p", NULL, true, "");
	check("text", "body", NULL, true, "text\n");
	check("text", "html", "body", true, "");
}

TEST(random_pages_keep_what_is_included_and_not_excluded)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		AUTO_TEXT *text = random_html(seed);
		AUTO_PAGE *page = parse(text);
		struct verdict *verdicts = ARENA_NEW(
			page->arena, struct verdict, page->text_count);
		const struct selection selection = {
			.include = compile(page, "p, li, div b"),
			.exclude = compile(page, "div > p"),
			.with_comments = true,
		};

		selection_apply(&selection, page, verdicts, NULL);
		for (uint32_t i = 0; i < page->text_count; i++)
			ck_assert(!verdicts[i].is_content ||
				  (page->texts[i].flags & TEXT_IS_TITLE) == 0);
	}
}
