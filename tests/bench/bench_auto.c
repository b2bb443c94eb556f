/*
 * bench_auto FOLDER [ROUNDS] - time that `auto` needs for a single page, from
 * bytes to text, by stage, compared with libxml2's SAX parser with empty
 * handlers over the same pages in the same run. A row includes all stages up to
 * its own; the last column is the share that the stage adds. The best of ROUNDS
 * (5) over all .html and .html.gz files.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "extract/auto/auto.h"
#include "extract/auto/auto_score.h"
#include "extract/auto/features.h"
#include "extract/methods/plain.h"
#include "extract/render/render.h"
#include "page/page.h"
#include "tests/bench/bodies.h"

static struct page *parse(struct slice body)
{
	struct page *page = NULL;

	(void)page_parse(&page, body, slice_of(NULL), &page_limits_default);
	return page;
}

/* What auto reads of a page, and the last stage to run. */
enum stage {
	STAGE_PASSAGES,
	STAGE_FEATURES,
	STAGE_TREES,
};

static size_t work_on(const struct page *page, enum stage stage)
{
	const struct page_hints claims = page_hints_of(page->arena, page);
	const struct passages passages = passages_make(page->arena, page);
	float row[FEATURE_COUNT];

	if (stage == STAGE_FEATURES) {
		struct features *features =
			features_make(page->arena, &passages, &claims,
				      auto_wanted(page->arena));

		for (uint32_t i = 0; i < passages.count; i++)
			features_next(features, row);
	} else if (stage == STAGE_TREES) {
		(void)passage_scores_make(page->arena, &passages, &claims,
					  SCOPE_NONE, false);
	}
	return passages.count;
}

static size_t until(struct slice body, enum stage stage)
{
	struct page *page = parse(body);
	size_t count = page == NULL ? 0 : work_on(page, stage);

	page_destroy(page);
	return count;
}

static size_t until_passages(struct slice body)
{
	return until(body, STAGE_PASSAGES);
}

static size_t until_features(struct slice body)
{
	return until(body, STAGE_FEATURES);
}

static size_t until_trees(struct slice body)
{
	return until(body, STAGE_TREES);
}

static size_t until_text(struct slice body)
{
	struct page *page = parse(body);
	double parameters[MAX_PARAMETERS];
	struct buffer text = {0};
	struct verdict *verdicts;
	size_t size;

	if (page == NULL)
		return 0;
	extractor_defaults(&extractor_auto, parameters);
	verdicts = ARENA_NEW(page->arena, struct verdict, page->text_count);
	extractor_auto.run(&(struct extractor_input){.page = page,
						     .parameters = parameters,
						     .arena = page->arena},
			   verdicts);
	render_text(page, verdicts, &text);
	size = text.size;
	buffer_free(&text);
	page_destroy(page);
	return size;
}

static void report(const struct bodies *bodies, int rounds)
{
	static const struct {
		const char *name;
		bodies_work *work;
	} rows[] = {
		{"parse", bodies_parse},        {"+ passages", until_passages},
		{"+ features", until_features}, {"+ trees", until_trees},
		{"+ text (all)", until_text},
	};
	enum { ROWS = sizeof(rows) / sizeof(*rows) };
	double times[ROWS];
	size_t count;
	double bare = bodies_time(bodies, bodies_parse_bare, rounds, &count);

	for (size_t i = 0; i < ROWS; i++)
		times[i] = bodies_time(bodies, rows[i].work, rounds, &count);
	printf("%zu pages, %.1f MB, best of %d\n", bodies->count,
	       (double)bodies->bytes / 1e6, rounds);
	bodies_print_heads();
	bodies_print_row(bodies, "libxml2 SAX", bare, bare);
	for (size_t i = 0; i < ROWS; i++)
		bodies_print_row(bodies, rows[i].name, times[i], bare);
	for (size_t i = 0; i < ROWS; i++)
		printf("%s%s %.1f %%", i == 0 ? "ratios: " : ", ", rows[i].name,
		       100 * (times[i] - (i == 0 ? 0 : times[i - 1])) /
			       times[ROWS - 1]);
	printf("\n");
}

int main(int argc, char **argv)
{
	struct bodies bodies;
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
	bool is_read;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "usage: bench_auto FOLDER [ROUNDS]\n");
		return 2;
	}
	is_read = bodies_read(&bodies, argv[1]);
	if (is_read)
		report(&bodies, rounds);
	bodies_free(&bodies);
	return is_read ? 0 : 1;
}
