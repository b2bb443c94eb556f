#include "template/fields/records.h"

#include <string.h>

#include "base/arena.h"
#include "template/fields/rule.h"

enum {
	LISTED_SHARE = 10,  /* percent of parents with several elements */
	MEMBER_SHARE = 50,  /* percent of the records that have a column */
	FURTHER_SHARE = 30, /* the same of those after the first of a page */
	RARE_SHARE = 5,     /* a column of fewer records is no field */
	REGULAR_SHARE = 80, /* percent of the elements that have a child */
	MAX_SIBLING_LISTS = LIMIT(8, 2) /* of a parent that are compared */
};

struct grouping {
	const struct place_tree *tree;
	struct record_candidate *candidates; /* [count] */
	uint32_t count;
	uint32_t *lists;    /* [places]: the nearest list at it or around it */
	uint32_t *siblings; /* [places]: the list before it in its parent */
	uint32_t *levels;   /* [count]: the list that a candidate is in */
	uint32_t *sizes;    /* [places]: candidates with this level */
	bool *is_inner;     /* [count]: part of the text of another candidate */
	bool *is_record;    /* [places] */
	uint32_t *nested;   /* [places]: records whose nearest list is it */
	struct arena *arena;
};

static bool is_data(const struct record_candidate *candidate)
{
	return (candidate->is_text || candidate->is_image) &&
	       !candidate->is_spare;
}

/* Return whether an element of the parent often has several of the place. */
static bool is_listed(const struct place *place)
{
	return place->is_repeated && !place->is_run &&
	       (uint64_t)place->repeated * 100 >=
		       (uint64_t)place->parents * LISTED_SHARE;
}

/* Return whether two numbers differ by at most a 20th. */
static bool is_near(uint32_t left, uint32_t right)
{
	uint32_t most = left > right ? left : right;

	return (most - (left > right ? right : left)) * 20 <= most;
}

/*
 * Return whether the elements of two places of one parent take turns: a dt and
 * its dd, or a heading and a paragraph as often as each other. They are one
 * record that has no element of its own (a generalized node of MDR).
 */
static bool takes_turns(const struct place *first, const struct place *place)
{
	if (step_is(first, "dt") && step_is(place, "dd"))
		return true;
	return !slice_equal(step_tag(first->step), step_tag(place->step)) &&
	       is_near(first->elements, place->elements) &&
	       is_near(first->pages, place->pages);
}

/*
 * Return the place that the list begins with, among the lists of its parent
 * before it: `before` is the last of these.
 */
static uint32_t list_first(const struct grouping *grouping, uint32_t index,
			   uint32_t before)
{
	const struct place_tree *tree = grouping->tree;

	for (uint32_t i = 0; i < MAX_SIBLING_LISTS && before != NO_PLACE; i++) {
		if (grouping->lists[before] == before &&
		    takes_turns(place_at(tree, before), place_at(tree, index)))
			return before;
		before = grouping->siblings[before];
	}
	return index;
}

static uint32_t list_around(const struct grouping *grouping, uint32_t index)
{
	uint32_t parent = place_at(grouping->tree, index)->parent;

	return parent == NO_PLACE ? NO_PLACE : grouping->lists[parent];
}

static void find_lists(struct grouping *grouping)
{
	const struct place_tree *tree = grouping->tree;

	uint32_t *last = ARENA_ROOM(grouping->arena, uint32_t,
				    (size_t)tree->places.count + 1);

	for (uint32_t i = 0; i < tree->places.count; i++) {
		uint32_t parent = place_at(tree, i)->parent;

		last[i] = NO_PLACE;
		if (parent == NO_PLACE || !is_listed(place_at(tree, i))) {
			grouping->lists[i] = list_around(grouping, i);
			continue;
		}
		grouping->siblings[i] = last[parent];
		grouping->lists[i] = list_first(grouping, i, last[parent]);
		last[parent] = i;
	}
}

static bool is_strictly_below(const struct place_tree *tree, uint32_t index,
			      uint32_t ancestor)
{
	while (index != NO_PLACE && index > ancestor) {
		index = place_at(tree, index)->parent;
		if (index == ancestor)
			return true;
	}
	return false;
}

/* Return whether at least `percent` of the elements `all` have the place. */
static bool has_share(const struct place *place, const struct place *all,
		      uint32_t percent)
{
	return (uint64_t)place->elements * 100 >=
	       (uint64_t)all->elements * percent;
}

/*
 * Return whether most of the elements have the place, also those after the
 * first one of each page: a value that only the first one has is the page's.
 */
static bool is_member(const struct place *place, const struct place *record)
{
	uint64_t more = record->elements - record->pages;

	/* half a record more on each page */
	return (place->elements - place->pages) * 2 >= place->pages &&
	       has_share(place, record, MEMBER_SHARE) &&
	       (uint64_t)(place->elements - place->pages) * 100 >=
		       more * FURTHER_SHARE;
}

/* Text inside of a text: paragraphs, links and so on without names. */
static bool is_prose_tag(const struct place *place)
{
	static const char *const tags[] = {
		"p",    "a",  "b",  "strong", "i",          "em",  "code",
		"span", "ul", "ol", "img",    "blockquote", "pre", "h2",
		"h3",   "h4", "h5", "h6",     "table",      "div", "u"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (step_is(place, tags[i]))
			return true;
	return false;
}

/* Elements that print a field without having a name. */
static bool is_field_tag(const struct place *place)
{
	static const char *const tags[] = {"h1", "h2",   "h3", "h4", "h5", "h6",
					   "td", "time", "dt", "th", "img"};

	for (size_t i = 0; i < sizeof(tags) / sizeof(*tags); i++)
		if (step_is(place, tags[i]))
			return true;
	return false;
}

/*
 * Mark the elements that a field is regularly in: a candidate with a name, or
 * in an item of a list also one in an element that all items have.
 */
static void find_holders(const struct place_tree *tree,
			 const struct record_candidate *candidates,
			 uint32_t count, bool *is_holder)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct place *own = place_at(tree, candidates[i].place);
		bool is_named = false;
		bool is_in_element = false;

		if (!is_data(&candidates[i]))
			continue;
		for (const struct place *place = own; place->parent != NO_PLACE;
		     place = place_at(tree, place->parent)) {
			const struct place *parent =
				place_at(tree, place->parent);

			is_named |= place->names.size > 0 ||
				    place->label.size > 0 ||
				    is_field_tag(place);
			is_in_element |= !place->is_run && !step_is(place, "p");
			is_holder[place->parent] |=
				has_share(own, parent, REGULAR_SHARE) &&
				(is_named ||
				 (is_in_element && is_listed(parent)));
		}
	}
}

bool *records_texts(const struct place_tree *tree,
		    const struct record_candidate *candidates, uint32_t count,
		    struct arena *arena)
{
	size_t places = (size_t)tree->places.count + 1;
	bool *is_text = ARENA_NEW(arena, bool, places);
	bool *is_holder = ARENA_NEW(arena, bool, places);
	bool *is_in_list = ARENA_NEW(arena, bool, places);

	find_holders(tree, candidates, count, is_holder);
	for (uint32_t i = 1; i < tree->places.count; i++) {
		const struct place *place = place_at(tree, i);
		uint32_t parent = place->parent;

		is_in_list[i] = is_in_list[parent] || is_listed(place);
		is_text[parent] |= is_in_list[parent] && !is_holder[parent] &&
				   !place->is_run && place->names.size == 0 &&
				   is_prose_tag(place) &&
				   (place->is_repeated ||
				    !has_share(place, place_at(tree, parent),
					       REGULAR_SHARE));
	}
	return is_text;
}

/* Mark the candidates that are parts of a longer text. */
static void find_inner(struct grouping *grouping, const bool *is_text)
{
	const struct place_tree *tree = grouping->tree;

	for (uint32_t i = 0; i < grouping->count; i++)
		for (uint32_t p = grouping->candidates[i].place;
		     p != NO_PLACE && !grouping->is_inner[i];) {
			p = place_at(tree, p)->parent;
			grouping->is_inner[i] = p != NO_PLACE && is_text[p];
		}
}

/* Return whether other texts of the list are inside of the element. */
static bool is_container(const struct grouping *grouping, uint32_t index)
{
	const struct record_candidate *one = &grouping->candidates[index];
	uint32_t parts = 0;

	if (!one->is_element)
		return false;
	for (uint32_t i = 0; i < grouping->count; i++)
		parts += grouping->candidates[i].is_text &&
			 !grouping->candidates[i].is_spare &&
			 !grouping->is_inner[i] &&
			 is_strictly_below(grouping->tree,
					   grouping->candidates[i].place,
					   one->place);
	return parts > 0;
}

/* Return whether the candidate is one of the list's columns. */
static bool is_column_of(const struct grouping *grouping, uint32_t index,
			 uint32_t list)
{
	const struct record_candidate *one = &grouping->candidates[index];

	return grouping->levels[index] == list &&
	       grouping->lists[one->place] == list && is_data(one) &&
	       !grouping->is_inner[index] &&
	       is_member(place_at(grouping->tree, one->place),
			 place_at(grouping->tree, list)) &&
	       !is_container(grouping, index);
}

/* Make a record of the list, or move its candidates to the list around it. */
static void decide_list(struct grouping *grouping, uint32_t list)
{
	uint32_t around = list_around(grouping, list);
	uint32_t columns = 0;

	for (uint32_t i = 0; i < grouping->count && columns < 2; i++)
		columns += is_column_of(grouping, i, list);
	grouping->is_record[list] =
		columns >= 2 || (columns == 1 && grouping->nested[list] > 0);
	if (around != NO_PLACE)
		grouping->nested[around] +=
			grouping->is_record[list] ? 1 : grouping->nested[list];
	if (grouping->is_record[list])
		return;
	for (uint32_t i = 0; i < grouping->count; i++) {
		if (grouping->levels[i] != list)
			continue;
		grouping->levels[i] = around;
		if (around != NO_PLACE)
			grouping->sizes[around]++;
	}
}

/*
 * Set the record around each record; one that is nested too deep is none. Its
 * candidates have no record.
 */
static uint32_t *find_around(struct grouping *grouping, struct arena *arena)
{
	const struct place_tree *tree = grouping->tree;
	uint32_t places = tree->places.count;
	uint32_t *around = ARENA_NEW(arena, uint32_t, places + 1u);
	uint8_t *depths = ARENA_NEW(arena, uint8_t, places + 1u);

	for (uint32_t i = 0; i < places; i++) {
		uint32_t list = list_around(grouping, i);

		while (list != NO_PLACE && !grouping->is_record[list])
			list = list_around(grouping, list);
		around[i] = list;
		if (!grouping->is_record[i])
			continue;
		depths[i] = list == NO_PLACE ? 1 : (uint8_t)(depths[list] + 1);
		if (depths[i] > MAX_RECORD_DEPTH) {
			depths[i] = MAX_RECORD_DEPTH;
			grouping->is_record[i] = false;
		}
	}
	return around;
}

/* Return whether the candidate is no field of its record. */
static bool is_left_out(const struct grouping *grouping, uint32_t index)
{
	const struct record_candidate *one = &grouping->candidates[index];
	const struct place *record =
		place_at(grouping->tree, grouping->levels[index]);
	const struct place *place = place_at(grouping->tree, one->place);

	return one->is_spare || grouping->is_inner[index] ||
	       !has_share(place, record, RARE_SHARE) ||
	       is_container(grouping, index);
}

/* Set the result of each candidate. */
static void settle_candidates(struct grouping *grouping)
{
	for (uint32_t i = 0; i < grouping->count; i++) {
		struct record_candidate *one = &grouping->candidates[i];
		uint32_t level = grouping->levels[i];
		const struct place *place =
			place_at(grouping->tree, one->place);

		one->record = NO_PLACE;
		if (level == NO_PLACE)
			continue;
		if (!grouping->is_record[level]) {
			/* a record that is nested too deep */
			one->is_spare = true;
			one->record = level;
			continue;
		}
		/* one value on nearly all pages is the page's */
		if ((uint64_t)place->elements * 10 <=
		    (uint64_t)place->pages * 11)
			continue;
		one->record = level;
	}
	for (uint32_t i = 0; i < grouping->count; i++)
		if (grouping->candidates[i].record != NO_PLACE)
			grouping->candidates[i].is_spare =
				is_left_out(grouping, i);
}

struct record_groups records_group(const struct place_tree *tree,
				   const bool *is_text,
				   struct record_candidate *candidates,
				   uint32_t count, struct arena *arena)
{
	size_t places = (size_t)tree->places.count + 1;
	struct grouping grouping = {
		.tree = tree,
		.candidates = candidates,
		.count = count,
		.lists = ARENA_NEW(arena, uint32_t, places),
		.siblings = ARENA_NEW(arena, uint32_t, places),
		.arena = arena,
		.levels = ARENA_NEW(arena, uint32_t, (size_t)count + 1),
		.sizes = ARENA_NEW(arena, uint32_t, places),
		.is_inner = ARENA_NEW(arena, bool, (size_t)count + 1),
		.is_record = ARENA_NEW(arena, bool, places),
		.nested = ARENA_NEW(arena, uint32_t, places),
	};
	struct record_groups groups = {.is_record = grouping.is_record};

	find_lists(&grouping);
	find_inner(&grouping, is_text);
	for (uint32_t i = 0; i < count; i++) {
		grouping.levels[i] = grouping.lists[candidates[i].place];
		if (grouping.levels[i] != NO_PLACE)
			grouping.sizes[grouping.levels[i]]++;
	}
	/* inner lists have higher indices */
	for (uint32_t i = tree->places.count; i-- > 0;)
		if (grouping.sizes[i] > 0 || grouping.nested[i] > 0)
			decide_list(&grouping, i);
	groups.around = find_around(&grouping, arena);
	settle_candidates(&grouping);
	return groups;
}
