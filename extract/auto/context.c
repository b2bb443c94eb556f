#include "extract/auto/context.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "extract/auto/context_group.h"
#include "extract/auto/context_mass.h"
#include "extract/auto/context_near.h"
#include "extract/auto/context_rank.h"
#include "extract/auto/context_tree.h"
#include "extract/auto/repetition.h"
#include "extract/auto/window.h"
#include "extract/core/ln1.h"
#include "page/page.h"

struct context {
	struct masses masses;
	struct context_tree tree;
	struct context_groups paths; /* of elements and classes */
	struct context_groups tags;  /* of elements */
	struct context_ranks ranks;
	struct context_near near;
	uint32_t next;
};

/*
 * Number the paths of elements without classes; the numbers only have to
 * differ. node_paths() takes longer, because its values are the same on all
 * pages.
 */
static const uint64_t *tag_paths(struct arena *arena, const struct page *page)
{
	const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t *paths = ARENA_NEW(arena, uint64_t, page->node_count);

	for (uint32_t i = 0; i < page->node_count; i++) {
		const struct node *node = &page->nodes[i];
		uint64_t path =
			node->parent == NO_NODE ? odd : paths[node->parent];

		assert(node->parent == NO_NODE || node->parent < i);
		path = (path ^ node->tag) * odd;
		paths[i] = path ^ path >> 32;
	}
	return paths;
}

struct context *context_make(struct arena *arena,
			     const struct passages *passages,
			     const struct page_context *page_context,
			     const struct repetition *repetition,
			     const float *scores)
{
	struct context *context = ARENA_NEW(arena, struct context, 1);
	const struct masses *masses = &context->masses;

	context->masses = masses_make(arena, passages, scores);
	context->tree = context_tree_make(arena, masses, repetition);
	context->paths = context_groups_make(arena, masses, repetition->paths);
	context->tags = context_groups_make(arena, masses,
					    tag_paths(arena, passages->page));
	context->ranks = context_ranks_make(arena, masses);
	context->near = context_near_make(masses, page_context);
	return context;
}

/* Return the score `offset` passages away. */
static float score_at(const struct masses *masses, uint32_t index, int offset)
{
	int64_t at = (int64_t)index + offset;

	return at >= 0 && at < masses->passages->count ? masses->scores[at]
						       : NO_SCORE;
}

static void neighbours_row(const struct masses *masses, uint32_t index,
			   float *row)
{
	row[CONTEXT_score] = masses->scores[index];
	row[CONTEXT_score_previous] = score_at(masses, index, -1);
	row[CONTEXT_score_previous_2] = score_at(masses, index, -2);
	row[CONTEXT_score_previous_3] = score_at(masses, index, -3);
	row[CONTEXT_score_next] = score_at(masses, index, 1);
	row[CONTEXT_score_next_2] = score_at(masses, index, 2);
	row[CONTEXT_score_next_3] = score_at(masses, index, 3);
}

static float score_in(const struct masses *masses, struct passage_range range)
{
	return mass_mean(mass_between(masses, range));
}

static void context_windows_row(const struct masses *masses, uint32_t index,
				float *row)
{
	const struct passages *passages = masses->passages;

	row[CONTEXT_score_within_3] =
		score_in(masses, window_at(passages, index, -3, 4));
	row[CONTEXT_score_within_10] =
		score_in(masses, window_at(passages, index, -10, 11));
	row[CONTEXT_score_within_30] =
		score_in(masses, window_at(passages, index, -30, 31));
	row[CONTEXT_score_before_10] =
		score_in(masses, window_at(passages, index, -10, 0));
	row[CONTEXT_score_after_10] =
		score_in(masses, window_at(passages, index, 1, 11));
	row[CONTEXT_content_before] = mass_ratio(masses, masses->before[index]);
}

static void groups_row(const struct context *context, uint32_t index,
		       float *row)
{
	const struct context_group *path =
		context_group(&context->paths, index);
	const struct context_group *tags = context_group(&context->tags, index);

	row[CONTEXT_score_path] = mass_mean(path->mass);
	row[CONTEXT_score_path_highest] = path->highest;
	row[CONTEXT_score_tags] = mass_mean(tags->mass);
	row[CONTEXT_score_tags_highest] = tags->highest;
}

static void page_row(const struct context *context, uint32_t index, float *row)
{
	const struct mass *all = &context->masses.all;
	const float words = context->ranks.words[index];

	row[CONTEXT_rank] = words / fmaxf((float)all->words, 1);
	row[CONTEXT_rank_content] = words / fmaxf((float)all->content, 1);
	row[CONTEXT_content] = ln1((float)all->content);
	row[CONTEXT_content_ratio] = mass_mean(*all);
	row[CONTEXT_score_highest] = context->ranks.highest;
	row[CONTEXT_f1_highest] = context->ranks.f1;
}

void context_next(struct context *context, float *row)
{
	const struct masses *masses = &context->masses;
	const uint32_t index = context->next++;

	assert(index < masses->passages->count);
	neighbours_row(masses, index, row);
	context_windows_row(masses, index, row);
	context_tree_row(&context->tree, index, row);
	groups_row(context, index, row);
	page_row(context, index, row);
	context_near_next(&context->near, index, row);
}
