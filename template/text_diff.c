#include "template/text_diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/text/word.h"

/* The comparison of two sequences. */
struct comparison {
	struct arena *arena;
	const struct diff_input *input;
	bool *is_removed; /* [before_count] */
	bool *is_added;   /* [after_count] */
	uint16_t *cells;  /* [DIFF_CELLS] */
	size_t budget;    /* cells that may still be computed */
	bool is_coarse;
};

/* A part of both sequences: half-open ranges. */
struct part {
	size_t before;
	size_t before_end;
	size_t after;
	size_t after_end;
};

/* Remove the equal items at both ends of the part. */
static struct part part_trim(const struct diff_input *input, struct part part)
{
	while (part.before < part.before_end && part.after < part.after_end &&
	       input->before[part.before] == input->after[part.after]) {
		part.before++;
		part.after++;
	}
	while (part.before < part.before_end && part.after < part.after_end &&
	       input->before[part.before_end - 1] ==
		       input->after[part.after_end - 1]) {
		part.before_end--;
		part.after_end--;
	}
	return part;
}

/* Mark all items of the part as changed. */
static void part_mark(struct comparison *comparison, const struct part *part)
{
	for (size_t i = part->before; i < part->before_end; i++)
		comparison->is_removed[i] = true;
	for (size_t k = part->after; k < part->after_end; k++)
		comparison->is_added[k] = true;
}

/*
 * Write the length of the longest common subsequence of each pair of ends of
 * the part to comparison->cells [rows + 1][columns + 1].
 */
static void part_fill_cells(struct comparison *comparison,
			    const struct part *part)
{
	const uint64_t *before = comparison->input->before + part->before;
	const uint64_t *after = comparison->input->after + part->after;
	size_t rows = part->before_end - part->before;
	size_t columns = part->after_end - part->after;
	size_t width = columns + 1;
	uint16_t *cells = comparison->cells;

	memset(cells + rows * width, 0, width * sizeof(*cells));
	for (size_t i = rows; i-- > 0;) {
		uint16_t *row = cells + i * width;
		const uint16_t *below = row + width;

		row[columns] = 0;
		for (size_t k = columns; k-- > 0;) {
			uint16_t best =
				row[k + 1] > below[k] ? row[k + 1] : below[k];

			row[k] = before[i] == after[k]
					 ? (uint16_t)(below[k + 1] + 1)
					 : best;
		}
	}
}

/* Mark the items that are in no longest common subsequence of the part. */
static void part_compare(struct comparison *comparison, const struct part *part)
{
	const struct diff_input *input = comparison->input;
	size_t width = part->after_end - part->after + 1;
	const uint16_t *cell = comparison->cells;
	size_t i = part->before;
	size_t k = part->after;

	part_fill_cells(comparison, part);
	while (i < part->before_end && k < part->after_end) {
		if (input->before[i] == input->after[k]) {
			i++;
			k++;
			cell += width + 1;
		} else if (cell[width] >= cell[1]) {
			comparison->is_removed[i++] = true;
			cell += width;
		} else {
			comparison->is_added[k++] = true;
			cell++;
		}
	}
	part_mark(comparison,
		  &(struct part){i, part->before_end, k, part->after_end});
}

/*
 * Return whether the part was compared, because it is small enough and cells
 * are left.
 */
static bool part_is_small(struct comparison *comparison,
			  const struct part *part)
{
	size_t rows = part->before_end - part->before;
	size_t columns = part->after_end - part->after;
	size_t cells = (rows + 1) * (columns + 1);

	if (rows == 0 || columns == 0) {
		part_mark(comparison, part);
		return true;
	}
	if (rows >= DIFF_CELLS || columns >= DIFF_CELLS || cells > DIFF_CELLS ||
	    cells > comparison->budget)
		return false;
	if (comparison->cells == NULL)
		comparison->cells =
			ARENA_ROOM(comparison->arena, uint16_t, DIFF_CELLS);
	comparison->budget -= cells;
	part_compare(comparison, part);
	return true;
}

/* An item with its position. */
struct item_place {
	uint64_t hash;
	size_t at;
};

static int item_place_order(const void *left, const void *right)
{
	const struct item_place *a = left;
	const struct item_place *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

/* Return the items [first, end) that occur once in them, sorted by hash. */
static struct item_place *items_once(struct arena *arena, const uint64_t *items,
				     size_t first, size_t end,
				     size_t *count_out)
{
	struct item_place *places =
		ARENA_ROOM(arena, struct item_place, end - first);
	size_t count = 0;

	for (size_t i = first; i < end; i++)
		places[i - first] = (struct item_place){items[i], i};
	qsort(places, end - first, sizeof(*places), item_place_order);
	for (size_t i = 0; i < end - first; i++) {
		bool is_first = i == 0 || places[i - 1].hash != places[i].hash;
		bool is_last = i + 1 == end - first ||
			       places[i + 1].hash != places[i].hash;

		/* places[count] is not read again: count <= i */
		if (is_first && is_last)
			places[count++] = places[i];
	}
	*count_out = count;
	return places;
}

/* An item that both sequences have once. */
struct anchor {
	size_t before;
	size_t after;
	size_t previous; /* index of the anchor before it; SIZE_MAX = none */
};

static int anchor_order(const void *left, const void *right)
{
	const struct anchor *a = left;
	const struct anchor *b = right;

	return (a->before > b->before) - (a->before < b->before);
}

/* Return the items that occur once in both sequences of the part. */
static struct anchor *anchors_find(const struct comparison *comparison,
				   const struct part *part, size_t *count_out)
{
	struct arena *arena = comparison->arena;
	size_t before_count;
	size_t after_count;
	struct item_place *before =
		items_once(arena, comparison->input->before, part->before,
			   part->before_end, &before_count);
	struct item_place *after =
		items_once(arena, comparison->input->after, part->after,
			   part->after_end, &after_count);
	struct anchor *anchors = ARENA_ROOM(
		arena, struct anchor,
		before_count < after_count ? before_count : after_count);
	size_t count = 0;
	size_t k = 0;

	for (size_t i = 0; i < before_count; i++) {
		while (k < after_count && after[k].hash < before[i].hash)
			k++;
		if (k < after_count && after[k].hash == before[i].hash)
			anchors[count++] = (struct anchor){
				before[i].at, after[k].at, SIZE_MAX};
	}
	if (count > 0)
		qsort(anchors, count, sizeof(*anchors), anchor_order);
	*count_out = count;
	return anchors;
}

/*
 * Return the indices of the longest sequence of anchors that ascend in both
 * sequences.
 */
static size_t *anchors_ascending(struct arena *arena, struct anchor *anchors,
				 size_t count, size_t *length_out)
{
	/* ends[i]: the anchor at the end of the best sequence of length i + 1
	 */
	size_t *ends = ARENA_ROOM(arena, size_t, count + 1);
	size_t length = 0;
	size_t at;

	for (size_t i = 0; i < count; i++) {
		LOWER_BOUND(at, length,
			    anchors[ends[at]].after < anchors[i].after);
		anchors[i].previous = at == 0 ? SIZE_MAX : ends[at - 1];
		ends[at] = i;
		length += at == length;
	}
	at = length == 0 ? SIZE_MAX : ends[length - 1];
	for (size_t i = length; i-- > 0; at = anchors[at].previous)
		ends[i] = at;
	*length_out = length;
	return ends;
}

/* Divide the part at its anchors, and compare the parts between them. */
static void part_divide(struct comparison *comparison, const struct part *part)
{
	size_t count;
	size_t length;
	struct anchor *anchors = anchors_find(comparison, part, &count);
	const size_t *chosen =
		anchors_ascending(comparison->arena, anchors, count, &length);
	struct part gap = *part;

	for (size_t i = 0; i <= length; i++) {
		struct part trimmed;

		gap.before_end = i < length ? anchors[chosen[i]].before
					    : part->before_end;
		gap.after_end =
			i < length ? anchors[chosen[i]].after : part->after_end;
		trimmed = part_trim(comparison->input, gap);
		if (!part_is_small(comparison, &trimmed)) {
			comparison->is_coarse = true;
			part_mark(comparison, &trimmed);
		}
		/* the anchor is equal in both sequences */
		gap.before = gap.before_end + 1;
		gap.after = gap.after_end + 1;
	}
}

/* Collect the marked items into ranges. */
static struct text_diff comparison_ranges(const struct comparison *comparison,
					  struct arena *arena)
{
	const struct diff_input *input = comparison->input;
	struct text_diff diff = {.is_coarse = comparison->is_coarse};
	struct diff_range *ranges = NULL;
	size_t i = 0;
	size_t k = 0;

	for (int pass = 0; pass < 2; pass++) {
		if (pass == 1)
			ranges =
				ARENA_NEW(arena, struct diff_range, diff.count);
		diff.count = 0;
		for (i = k = 0;
		     i < input->before_count || k < input->after_count;) {
			struct diff_range range = {.before = i, .after = k};

			while (i < input->before_count &&
			       comparison->is_removed[i])
				i++;
			while (k < input->after_count &&
			       comparison->is_added[k])
				k++;
			range.removed = i - range.before;
			range.added = k - range.after;
			if (range.removed == 0 && range.added == 0) {
				i++;
				k++;
				continue;
			}
			if (ranges != NULL)
				ranges[diff.count] = range;
			diff.count++;
		}
	}
	diff.ranges = ranges;
	return diff;
}

struct text_diff text_diff_make(struct arena *arena,
				const struct diff_input *input)
{
	struct arena *scratch = arena_create();
	struct comparison comparison = {
		.arena = scratch,
		.input = input,
		.is_removed = ARENA_NEW(scratch, bool, input->before_count),
		.is_added = ARENA_NEW(scratch, bool, input->after_count),
		.budget = (size_t)4 * DIFF_CELLS,
	};
	struct text_diff diff;
	const struct part whole =
		part_trim(input, (struct part){0, input->before_count, 0,
					       input->after_count});

	if (!part_is_small(&comparison, &whole))
		part_divide(&comparison, &whole);
	diff = comparison_ranges(&comparison, arena);
	arena_destroy(scratch);
	return diff;
}

/* Words. */

/* Return the hash of the word with one digit in place of each number. */
static uint64_t word_masked_hash(struct slice word, uint64_t hash)
{
	char masked[64];
	size_t size = 0;
	bool has_digit = false;

	if (word.size > sizeof(masked))
		return hash;
	for (size_t i = 0; i < word.size; i++) {
		char byte = slice_byte(word, i);
		bool is_number = is_digit((unsigned char)byte);

		/* separators inside a number, as in 1,200, are part of it */
		if (is_number && size > 0 &&
		    (masked[size - 1] == '0' ||
		     (size > 1 && masked[size - 2] == '0' &&
		      strchr(".,:", masked[size - 1]) != NULL))) {
			if (masked[size - 1] != '0')
				size--;
			continue;
		}
		if (is_number)
			byte = '0';
		masked[size++] = byte;
		has_digit |= is_number;
	}
	return has_digit ? hash64(masked, size, 1) : hash;
}

/* What ends or separates words at a character. */
static enum word_role text_role(uint32_t code)
{
	if (code >= 0x80)
		return word_role(code);
	return code == ' ' || (code >= '\t' && code <= '\r') ? ROLE_SPACE
							     : ROLE_LETTER;
}

struct text_words text_words_make(struct arena *arena, struct slice text,
				  size_t max)
{
	size_t room = text.size < max ? text.size : max;
	struct slice *words = ARENA_ROOM(arena, struct slice, room);
	uint64_t *hashes = ARENA_ROOM(arena, uint64_t, room);
	uint64_t *masked = ARENA_ROOM(arena, uint64_t, room);
	const unsigned char *at = text.data;
	const unsigned char *end = room == 0 ? at : at + text.size;
	const unsigned char *begin = NULL;
	size_t count = 0;

	while (count < room && (at < end || begin != NULL)) {
		const unsigned char *here = at;
		enum word_role role =
			at < end ? text_role(utf8_next(&at, end)) : ROLE_SPACE;

		if (begin == NULL && role != ROLE_SPACE)
			begin = here;
		if (begin == NULL || role == ROLE_LETTER || role == ROLE_MARK)
			continue;
		/* a character that is a word follows an open word */
		if (role == ROLE_WORD && begin == here)
			here = at;
		else if (role == ROLE_WORD)
			at = here;
		words[count] = (struct slice){begin, (size_t)(here - begin)};
		hashes[count] = hash64(begin, words[count].size, 0);
		masked[count] = word_masked_hash(words[count], hashes[count]);
		count++;
		begin = NULL;
	}
	return (struct text_words){words, hashes, masked, count};
}

struct text_diff text_words_diff(struct arena *arena,
				 const struct text_words *before,
				 const struct text_words *after)
{
	return text_diff_make(
		arena, &(struct diff_input){before->hashes, before->count,
					    after->hashes, after->count});
}

struct slice text_words_slice(const struct text_words *words, size_t first,
			      size_t end)
{
	const char *begin = words->words[first].data;
	const char *last = words->words[end - 1].data;

	return (struct slice){begin, (size_t)(last - begin) +
					     words->words[end - 1].size};
}
