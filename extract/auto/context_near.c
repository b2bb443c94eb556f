#include "extract/auto/context_near.h"

#include "extract/auto/context.h"
#include "extract/auto/page_context.h"
#include "extract/core/ln1.h"

typedef bool predicate(const struct masses *masses, uint32_t index);

static bool is_content_passage(const struct masses *masses, uint32_t index)
{
	return masses->scores[index] > .8F;
}

static bool is_boilerplate(const struct masses *masses, uint32_t index)
{
	return masses->scores[index] < .2F;
}

static bool is_long_content(const struct masses *masses, uint32_t index)
{
	enum { MIN_WORDS = 8 };

	return masses->scores[index] > .7F &&
	       masses->passages->items[index].words >= MIN_WORDS;
}

static uint32_t find_passage(const struct masses *masses, uint32_t begin,
			     predicate *is)
{
	for (uint32_t i = begin; i < masses->passages->count; i++)
		if (is(masses, i))
			return i;
	return NO_PASSAGE;
}

/* Advance to passage `index`, one more than in the last call. */
static void advance_neighbours(struct neighbours *neighbours,
			       const struct masses *masses, uint32_t index,
			       predicate *is)
{
	if (index > 0 && neighbours->after >= index)
		return;
	neighbours->before = index > 0 ? neighbours->after : NO_PASSAGE;
	neighbours->after = find_passage(masses, index, is);
}

static float nearest_distance(const struct neighbours *neighbours,
			      uint32_t index)
{
	static const float none = 20;
	uint32_t distance = NO_PASSAGE;

	if (neighbours->before != NO_PASSAGE)
		distance = index - neighbours->before;
	if (neighbours->after != NO_PASSAGE &&
	    neighbours->after - index < distance)
		distance = neighbours->after - index;
	return distance == NO_PASSAGE ? none : ln1((float)distance);
}

struct context_near context_near_make(const struct masses *masses,
				      const struct page_context *page_context)
{
	const uint32_t count = masses->passages->count;
	struct context_near near = {
		.masses = masses,
		.page_context = page_context,
		.last_content = count > 0 ? count - 1 : 0,
	};
	uint32_t first = find_passage(masses, 0, is_long_content);

	if (first == NO_PASSAGE)
		return near;
	near.first_content = first;
	while (!is_long_content(masses, near.last_content))
		near.last_content--;
	return near;
}

/* Return the run of passages from `begin` on under the same heading. */
static struct passage_range section_at(const struct context_near *near,
				       uint32_t begin)
{
	const uint32_t heading =
		page_context_heading(near->page_context, begin);
	uint32_t end = begin + 1;

	while (end < near->masses->passages->count &&
	       page_context_heading(near->page_context, end) == heading)
		end++;
	return (struct passage_range){begin, end};
}

static void heading_row(struct context_near *near, uint32_t index, float *row)
{
	uint32_t heading = page_context_heading(near->page_context, index);

	if (index >= near->section.end)
		near->section = section_at(near, index);
	row[CONTEXT_score_heading] = heading == NO_PASSAGE
					     ? NO_SCORE
					     : near->masses->scores[heading];
	row[CONTEXT_score_section] =
		mass_mean(mass_between(near->masses, near->section));
}

static float context_distance(uint32_t index, uint32_t from)
{
	return signed_ln1((float)((int64_t)index - from));
}

void context_near_next(struct context_near *near, uint32_t index, float *row)
{
	advance_neighbours(&near->content, near->masses, index,
			   is_content_passage);
	advance_neighbours(&near->boilerplate, near->masses, index,
			   is_boilerplate);
	heading_row(near, index, row);
	row[CONTEXT_distance_first] =
		context_distance(index, near->first_content);
	row[CONTEXT_distance_last] =
		context_distance(index, near->last_content);
	row[CONTEXT_near_content] = nearest_distance(&near->content, index);
	row[CONTEXT_near_boilerplate] =
		nearest_distance(&near->boilerplate, index);
}
