#include <math.h>

#include "extract/auto/auto.h"
#include "extract/core/trace.h"
#include "extract/extractors.h"
#include "tests/unit/extract/fixture.h"
#include "tests/unit/run.h"

/* What holds whatever the models are. */

static const char article[] =
	"<html><head><title>A walk on the moon</title><meta name=description "
	"content='How two men walked on the moon.'></head><body><ul><li><a "
	"href=/a>Home</a><li><a href=/b>News</a></ul><h1>A walk on the moon"
	"</h1><p>Two men have landed in a valley of grey dust, and walked for "
	"<b>two hours</b> between rocks that nobody had seen.<p>A third one "
	"waited in orbit, and took pictures of all that passed below.<pre>"
	"22:12 UTC</pre><div hidden>Our shop has moon dust, too.</div></body>";

static void assert_same(const struct page *page, const struct verdict *before)
{
	const struct verdict *after = run(page, "auto", NULL, NULL);

	for (uint32_t i = 0; i < page->text_count; i++) {
		ck_assert_mem_eq(&before[i].score, &after[i].score,
				 sizeof(before[i].score));
		ck_assert_int_eq(before[i].is_content, after[i].is_content);
	}
}

/* Invariant 7: the same bytes, independent of earlier calls. */
TEST(the_same_page_has_the_same_scores)
{
	AUTO_PAGE *page = parse(article);
	AUTO_PAGE *copy = parse(article);
	const struct verdict *verdicts = run(page, "auto", NULL, NULL);

	assert_same(page, verdicts);
	for (uint64_t seed = 1; seed <= 20; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *other = parse(html);

		run(other, "auto", NULL, NULL);
	}
	assert_same(copy, verdicts);
}

/* Pages of a template, whose first one is answered. */
static const char *const members[] = {
	"<ul><li><a href=/>Home</a></ul><p>One man has walked on grey dust for "
	"two hours.<p>All rights are reserved.",
	"<ul><li><a href=/>Home</a></ul><p>No man has ever walked on the sun, "
	"which is hot.<p>All rights are reserved.",
	"<ul><li><a href=/>Home</a></ul><p>Nobody knows who has walked in this "
	"valley before.<p>All rights are reserved.",
};
enum { MEMBERS = COUNT_OF(members) };

static struct verdict *answer_member(struct page *const *pages,
				     const void *const *prepared)
{
	double parameters[MAX_PARAMETERS];
	struct arena *arena = pages[0]->arena;
	const struct sample sample = {.pages =
					      (const struct page *const *)pages,
				      .count = MEMBERS,
				      .prepared = prepared};
	struct extractor_input input = {
		.page = pages[0], .parameters = parameters, .arena = arena};
	struct verdict *verdicts =
		ARENA_NEW(arena, struct verdict, pages[0]->text_count);

	extractor_defaults(&extractor_auto, parameters);
	input.learned = extractor_auto.learn(&sample, parameters, arena);
	if (prepared != NULL)
		input.prepared = prepared[0];
	extractor_auto.run(&input, verdicts);
	return verdicts;
}

TEST(what_is_prepared_is_what_would_be_computed)
{
	struct page *pages[MEMBERS];
	const void *prepared[MEMBERS];
	double parameters[MAX_PARAMETERS];
	const struct verdict *computed;
	const struct verdict *by_prepared;

	extractor_defaults(&extractor_auto, parameters);
	for (size_t i = 0; i < MEMBERS; i++) {
		pages[i] = parse(members[i]);
		prepared[i] = extractor_auto.prepare(pages[i], parameters,
						     pages[i]->arena);
	}
	computed = answer_member(pages, NULL);
	by_prepared = answer_member(pages, prepared);
	for (uint32_t i = 0; i < pages[0]->text_count; i++)
		ck_assert_mem_eq(&computed[i].score, &by_prepared[i].score,
				 sizeof(computed[i].score));
	/* and it can be used again */
	by_prepared = answer_member(pages, prepared);
	for (uint32_t i = 0; i < pages[0]->text_count; i++)
		ck_assert_float_eq(computed[i].score, by_prepared[i].score);
	for (size_t i = 0; i < MEMBERS; i++)
		page_destroy(pages[i]);
}

/*
 * About 600 bytes for each of the 43,000 passages that 200,000 paragraphs are,
 * and 120 for the element and the text of each paragraph.
 */
TEST(a_page_of_paragraphs_takes_little_memory)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;

	for (int i = 0; i < 200000; i++)
		buffer_append_text(&html, "<p>x");
	buffer_append_byte(&html, '\0');
	page = parse(html.data);
	run(page, "auto", NULL, NULL);
	ck_assert_uint_le(arena_bytes(page->arena), (size_t)48 << 20);
}

TEST(scores_are_probabilities)
{
	for (uint64_t seed = 1; seed <= 200; seed++) {
		AUTO_TEXT *html = random_html(seed);
		AUTO_PAGE *page = parse(html);
		const struct verdict *verdicts = run(page, "auto", NULL, NULL);

		for (uint32_t i = 0; i < page->text_count; i++)
			ck_assert_msg(verdicts[i].score >= 0 &&
					      verdicts[i].score <= 1,
				      "seed %u, text %u", (unsigned)seed, i);
	}
}

/* At 0 all is chosen except the title, which is never content; at 1 only the
 * best run. */
TEST(the_threshold_rules)
{
	AUTO_PAGE *page = parse(article);
	const struct verdict *all = run(page, "auto", "threshold=0", NULL);
	const struct verdict *best = run(page, "auto", "threshold=1", NULL);
	uint32_t count = 0;

	ck_assert_float_eq(all[0].score, 0);
	ck_assert(!all[0].is_content);
	for (uint32_t i = 1; i < page->text_count; i++) {
		ck_assert(all[i].is_content);
		count += best[i].is_content;
	}
	ck_assert_uint_gt(count, 0);
	ck_assert_uint_lt(count, page->text_count - 1);
}

/* The second paragraph is of three texts. */
TEST(texts_of_a_passage_are_judged_together)
{
	AUTO_PAGE *page =
		parse("<p>one<p>Two words <b>in bold</b> between others<p>x");
	const struct verdict *verdicts = run(page, "auto", NULL, NULL);

	ck_assert_uint_eq(page->text_count, 5);
	ck_assert_float_eq(verdicts[1].score, verdicts[2].score);
	ck_assert_float_eq(verdicts[2].score, verdicts[3].score);
}

static float assess(struct page *page, double threshold)
{
	const double parameters[MAX_PARAMETERS] = {threshold};
	struct assessment assessment = {.expected_f1 = NAN};
	const struct extractor_input input = {
		.page = page,
		.parameters = parameters,
		.arena = page->arena,
		.assessment = &assessment,
	};

	extractor_find("auto")->run(
		&input,
		ARENA_NEW(page->arena, struct verdict, page->text_count));
	return assessment.expected_f1;
}

/* What is chosen has some words right, and nothing has none. */
TEST(who_asks_is_told_the_expected_f1)
{
	AUTO_PAGE *page = parse(article);
	AUTO_PAGE *empty = parse("");

	ck_assert_float_gt(assess(page, 1), 0);
	ck_assert_float_gt(assess(page, 0), 0);
	ck_assert_float_le(assess(page, 0), 1);
	ck_assert_float_eq(assess(empty, 0), 0);
}

TEST(a_reason_has_the_score_and_what_moved_it)
{
	AUTO_PAGE *page = parse(article);
	const struct trace *trace = trace_of(page, "auto", NULL, NULL);

	ck_assert_str_eq(trace->reasons[0], "the title of the page");
	ck_assert_msg(strncmp(trace->reasons[1], "score 0.", 8) == 0 &&
			      strstr(trace->reasons[1], "around it") != NULL,
		      "%s", trace->reasons[1]);
	ck_assert_uint_eq(trace->figure_count, 2);
}

TEST(a_repetition_is_marked)
{
	AUTO_PAGE *page = parse("<p>one two three four five<p>one two three "
				"four five");
	const struct trace *trace = trace_of(page, "auto", "threshold=0", NULL);

	ck_assert_ptr_null(strstr(trace->reasons[0], "repeats"));
	ck_assert_ptr_nonnull(strstr(trace->reasons[1], ", but repeated"));
}

/* 512 levels of 40,000, and as many passages. */
TEST(a_deep_page_is_judged)
{
	AUTO_BUFFER html = {0};
	AUTO_PAGE *page;
	const struct verdict *verdicts;

	for (unsigned i = 0; i < 40000; i++)
		buffer_append_text(&html, "<div>a");
	page = parse(html.data);
	verdicts = run(page, "auto", NULL, NULL);
	for (uint32_t i = 0; i < page->text_count; i++)
		ck_assert(isfinite(verdicts[i].score));
}
