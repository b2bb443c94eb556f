#include "extract/auto/readability.h"

#include "base/arena.h"
#include "extract/text/class_group.h"
#include "extract/text/passage.h"
#include "extract/text/subtree.h"
#include "page/page.h"

enum {
	MIN_CHARACTERS = 25,
	LEVELS = 5,
	CLASS_WEIGHT = 25,
	POSITIVE = 1 << GROUP_CONTENT | 1 << GROUP_ARTICLE_BODY,
	NEGATIVE = 1 << GROUP_FOOTER | 1 << GROUP_SIDEBAR | 1 << GROUP_COMMENT |
		   1 << GROUP_SOCIAL | 1 << GROUP_POPUP |
		   1 << GROUP_ADVERTISEMENT | 1 << GROUP_RELATED |
		   1 << GROUP_NAVIGATION,
};

/* The ratio of a passage's score that its parent, grandparent, ... get. */
static const float ratios[LEVELS] = {1, 1 / 2.0F, 1 / 6.0F, 1 / 9.0F,
				     1 / 12.0F};

static float readability_score(const struct passage *passage)
{
	float hundreds = (float)passage->characters / 100;

	return 1 + (float)passage->clauses + (hundreds < 3 ? hundreds : 3);
}

/* The root gets no score, because it holds everything. */
static void add_scores(const struct passages *passages, float *scores)
{
	const struct node *nodes = passages->page->nodes;

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		uint32_t node = passage->node;
		float score = readability_score(passage);

		if (passage->place != PLACE_PLAIN || node == NO_NODE ||
		    passage->characters < MIN_CHARACTERS)
			continue;
		node = nodes[node].parent;
		for (int level = 0; level < LEVELS && node != NO_NODE &&
				    nodes[node].parent != NO_NODE;
		     level++) {
			scores[node] += score * ratios[level];
			node = nodes[node].parent;
		}
	}
}

struct readability readability_make(struct arena *arena,
				    const struct passages *passages,
				    const uint32_t *groups)
{
	uint32_t count = passages->page->node_count;
	float *scores = ARENA_NEW(arena, float, count);
	struct readability result = {.scores = scores, .top = NO_NODE};

	add_scores(passages, scores);
	for (uint32_t i = 0; i < count; i++) {
		if (scores[i] <= 0)
			continue;
		if ((groups[i] & POSITIVE) != 0)
			scores[i] += CLASS_WEIGHT;
		if ((groups[i] & NEGATIVE) != 0)
			scores[i] -= CLASS_WEIGHT;
		scores[i] *= 1 - subtree_link_ratio(passages, i);
		if (scores[i] > result.top_score) {
			result.top_score = scores[i];
			result.top = i;
		}
	}
	return result;
}
