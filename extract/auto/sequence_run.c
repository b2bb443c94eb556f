#include "extract/auto/sequence_run.h"

#include <assert.h>

#include "extract/auto/maximum_run.h"
#include "extract/auto/sequence.h"
#include "extract/core/ln1.h"
#include "extract/core/ratio.h"

/* Short passages and passages of links have negative weights. */
static double mss_weight(const struct passage *passage)
{
	enum { LONG_WORDS = 10 };
	float links = passage_link_ratio(passage);

	if (passage->place != PLACE_PLAIN)
		return -2;
	if (passage->words >= LONG_WORDS && links < .5F)
		return passage->words;
	return -6 - 3 * (double)links;
}

static struct passage_range range_of(const struct maximum_run *run)
{
	assert(run->begin <= run->end && run->end <= run->count);
	return (struct passage_range){run->begin, run->end};
}

struct sequence_runs sequence_runs_make(const struct passages *passages)
{
	struct maximum_run bte = {0};
	struct maximum_run link_bte = {0};
	struct maximum_run mss = {0};
	struct sequence_runs runs = {0};

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		bool is_plain = passage->place == PLACE_PLAIN;
		double words = is_plain ? passage->words : 0;
		double link_words = is_plain ? passage->link_words : 0;
		double tags = passage->tags;

		maximum_run_add(&bte, words - tags);
		maximum_run_add(&link_bte, words - 2 * link_words - 2 * tags);
		maximum_run_add(&mss, mss_weight(passage));
	}
	runs.bte = range_of(&bte);
	runs.link_bte = range_of(&link_bte);
	runs.mss = range_of(&mss);
	runs.mss_ratio = ratio(passages_sum(passages, runs.mss).words,
			       passages->sums[passages->count].words);
	return runs;
}

/*
 * Return the distance to the run in passages: 0 inside, negative before it,
 * positive after it.
 */
static int64_t run_distance(struct passage_range run, uint32_t index)
{
	assert(run.begin <= run.end);
	if (index < run.begin)
		return (int64_t)index - run.begin;
	return index < run.end ? 0 : (int64_t)index - run.end + 1;
}

static void run_row(struct passage_range run, uint32_t index, float *inside_out,
		    float *distance_out)
{
	*inside_out = index >= run.begin && index < run.end ? 1 : 0;
	*distance_out = signed_ln1((float)run_distance(run, index));
}

void sequence_runs_row(const struct sequence_runs *runs, uint32_t index,
		       float *row)
{
	run_row(runs->bte, index, &row[SEQUENCE_bte],
		&row[SEQUENCE_bte_distance]);
	run_row(runs->link_bte, index, &row[SEQUENCE_link_bte],
		&row[SEQUENCE_link_bte_distance]);
	run_row(runs->mss, index, &row[SEQUENCE_mss],
		&row[SEQUENCE_mss_distance]);
	row[SEQUENCE_mss_ratio] = runs->mss_ratio;
}
