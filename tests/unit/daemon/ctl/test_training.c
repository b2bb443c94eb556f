#include "daemon/ctl/ctl_train.h"

#include "extract/extractors.h"
#include "page/page.h"
#include "tests/unit/run.h"

static size_t count_words(const char *text)
{
	struct slice rest = slice_of(text);
	size_t count = 0;
	uint64_t word;

	while (gold_text_next_word(&rest, &word))
		count++;
	return count;
}

static uint64_t word_of(const char *text)
{
	struct slice rest = slice_of(text);
	uint64_t word = 0;

	ck_assert(gold_text_next_word(&rest, &word));
	return word;
}

TEST(words_are_runs_of_letters_and_single_characters_of_chinese)
{
	ck_assert_uint_eq(count_words(""), 0);
	ck_assert_uint_eq(count_words(" ,.\n\u201c\u3002"), 0);
	ck_assert_uint_eq(count_words("One two-three, 4!"), 4);
	ck_assert_uint_eq(count_words("caf\u00e9 \u4e2d\u6587ab\u4e2d"), 5);
	ck_assert_uint_eq(word_of("Word."), word_of("wORD"));
	ck_assert_uint_ne(word_of("word"), word_of("words"));
}

TEST(a_gold_word_counts_as_often_as_it_occurs)
{
	AUTO_ARENA *arena = arena_create();
	struct gold_text gold =
		gold_text_create(arena, slice_of("to be or not to be"));

	ck_assert_uint_eq(gold.count, 4);
	ck_assert(gold_text_remove(&gold, word_of("to")));
	ck_assert(gold_text_remove(&gold, word_of("To")));
	ck_assert(!gold_text_remove(&gold, word_of("to")));
	ck_assert(gold_text_remove(&gold, word_of("not")));
	ck_assert(!gold_text_remove(&gold, word_of("is")));
}

/* Two ridges of one text each, with a comment of 6 blank cells between. */
#define GAP                                                         \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->" \
	"<!-- 50 ............................................. -->"
#define PAGE "<p>One two three four.</p>" GAP "<p>Five six seven four.</p>"

static void add(struct training *training, const char *html, const char *gold)
{
	double parameters[MAX_PARAMETERS];
	AUTO_PAGE *page;

	extractor_defaults(extractor_find("mountain"), parameters);
	ASSERT_OK(page_parse(&page, slice_of(html), slice_of("utf-8"),
			     &page_limits_default));
	training_add(training, page, slice_of(gold), parameters);
}

TEST(half_of_the_words_make_a_ridge_primary)
{
	struct training training = {0};

	add(&training, PAGE, "two three");
	ck_assert_uint_eq(training.count, 2);
	ck_assert(training.examples[0].is_primary);
	ck_assert(!training.examples[1].is_primary);
	add(&training, PAGE, "two");
	ck_assert(!training.examples[2].is_primary);
	/* the first ridge takes the only "four" */
	add(&training, PAGE, "four three five");
	ck_assert(training.examples[4].is_primary);
	ck_assert(!training.examples[5].is_primary);
	ck_assert_uint_eq(training.primary_count, 2);
	ck_assert_uint_eq(training.page_count, 3);
	ck_assert_uint_eq(training.pages[5], 2);
	training_free(&training);
}

TEST(separable_ridges_are_separated)
{
	struct training training = {0};
	struct training_score score;

	for (int i = 0; i < 10; i++)
		add(&training, PAGE, "five six seven");
	score = training_validate(&training, 1, 3);
	ck_assert_uint_eq(score.folds, 5);
	ck_assert_double_eq(score.accuracy, 1);
	ck_assert_double_eq(score.f1, 1);
	/* two pages more where it is the first ridge: 4 of 24 are wrong */
	add(&training, PAGE, "one two three");
	add(&training, PAGE, "one two three");
	score = training_validate(&training, 1, 3);
	ck_assert_double_eq_tol(score.accuracy, 20 / 24.0, 1e-9);
	ck_assert_double_eq_tol(score.precision, 10 / 12.0, 1e-9);
	ck_assert_double_eq_tol(score.recall, 10 / 12.0, 1e-9);
	training_free(&training);
}

TEST(too_few_pages_are_not_validated)
{
	struct training training = {0};

	ck_assert_uint_eq(training_validate(&training, 1, 3).folds, 0);
	add(&training, PAGE, "five six seven");
	ck_assert_uint_eq(training_validate(&training, 1, 3).folds, 0);
	/* one kind of ridges */
	training_free(&training);
	add(&training, PAGE, "");
	add(&training, PAGE, "");
	ck_assert_uint_eq(training_validate(&training, 1, 3).folds, 0);
	training_free(&training);
}
