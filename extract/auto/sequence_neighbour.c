#include "extract/auto/sequence_neighbour.h"

#include <stddef.h>

#include "extract/auto/repetition.h"
#include "extract/auto/sequence.h"
#include "extract/core/ln1.h"
#include "extract/text/tag_kind.h"
#include "page/page.h"

enum { MAX_TAGS = 200 };

/* Return true if both passages have the same path of elements and classes. */
static bool same_path(const struct repetition *repetition, uint32_t a,
		      uint32_t b)
{
	if (a == NO_NODE || b == NO_NODE)
		return a == b;
	return repetition->paths[a] == repetition->paths[b];
}

/* Write the features of one of the four neighbours. */
static void neighbour_row(const struct passages *passages,
			  const struct passage *passage, float *words_out,
			  float *link_ratio_out, float *kind_out)
{
	*words_out = passage == NULL ? 0 : ln1((float)passage->words);
	*link_ratio_out = passage == NULL ? -1 : passage_link_ratio(passage);
	*kind_out = passage == NULL
			    ? -1
			    : (float)tag_kind(passages->page, passage->node);
}

static void before_row(const struct passages *passages,
		       const struct repetition *repetition, uint32_t index,
		       float *row)
{
	const struct passage *one =
		index >= 1 ? &passages->items[index - 1] : NULL;
	const struct passage *two =
		index >= 2 ? &passages->items[index - 2] : NULL;

	neighbour_row(passages, one, &row[SEQUENCE_previous_words],
		      &row[SEQUENCE_previous_link_ratio],
		      &row[SEQUENCE_previous_kind]);
	neighbour_row(passages, two, &row[SEQUENCE_previous_2_words],
		      &row[SEQUENCE_previous_2_link_ratio],
		      &row[SEQUENCE_previous_2_kind]);
	row[SEQUENCE_previous_ends_sentence] =
		one != NULL && one->ends_sentence ? 1 : 0;
	row[SEQUENCE_previous_same_path] =
		one != NULL && same_path(repetition, one->node,
					 passages->items[index].node)
			? 1
			: 0;
}

static void after_row(const struct passages *passages, uint32_t index,
		      float *row)
{
	const uint32_t left = passages->count - index - 1;
	const struct passage *one =
		left >= 1 ? &passages->items[index + 1] : NULL;
	const struct passage *two =
		left >= 2 ? &passages->items[index + 2] : NULL;

	neighbour_row(passages, one, &row[SEQUENCE_next_words],
		      &row[SEQUENCE_next_link_ratio], &row[SEQUENCE_next_kind]);
	neighbour_row(passages, two, &row[SEQUENCE_next_2_words],
		      &row[SEQUENCE_next_2_link_ratio],
		      &row[SEQUENCE_next_2_kind]);
	row[SEQUENCE_next_ends_sentence] =
		one != NULL && one->ends_sentence ? 1 : 0;
	row[SEQUENCE_next_tags] = -1;
	if (one != NULL)
		row[SEQUENCE_next_tags] =
			one->tags < MAX_TAGS ? (float)one->tags : MAX_TAGS;
}

void sequence_neighbours_row(const struct passages *passages,
			     const struct repetition *repetition,
			     uint32_t index, float *row)
{
	before_row(passages, repetition, index, row);
	after_row(passages, index, row);
}
