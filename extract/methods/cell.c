#include "extract/methods/cell.h"

#include <assert.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "extract/text/source_walk.h"
#include "page/page.h"

#define ALPHA         0.5
#define BETA          (-0.5)
#define GAMMA_HAN     12.0
#define GAMMA_LETTERS 75.0
#define GAMMA_UNKNOWN 1.0

static bool is_cell_space(uint32_t code)
{
	return code <= ' ' || code == 0xA0 || code == 0x3000 ||
	       (code >= 0x2000 && code <= 0x200B) || code == 0xFEFF;
}

static bool is_han(uint32_t code)
{
	return (code >= 0x3041 && code <= 0x30FF) ||
	       (code >= 0x3400 && code <= 0x9FFF) ||
	       (code >= 0xF900 && code <= 0xFAFF) ||
	       (code >= 0x20000 && code <= 0x3FFFF);
}

static bool is_cell_letter(uint32_t code)
{
	if (code < 0x80)
		return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
	return code >= 0xC0 && code < 0x1F000 && !is_han(code) &&
	       !(code >= 0x2000 && code <= 0x303F) &&
	       !(code >= 0xE000 && code <= 0xFFFF);
}

/* Return true if the character always ends a sentence. */
static bool is_stop(uint32_t code)
{
	switch (code) {
	case '.':
	case '!':
	case '?':
	case 0x0589: /* Armenian */
	case 0x061F: /* Arabic question mark */
	case 0x06D4: /* Urdu */
	case 0x0964: /* danda */
	case 0x2026: /* ellipsis */
	case 0x3002: /* ideographic full stop */
	case 0xFF01: /* full width ! . ? */
	case 0xFF0E:
	case 0xFF1F:
		return true;
	default:
		return false;
	}
}

/* Return true if the character ends a clause. */
static bool is_pause(uint32_t code)
{
	switch (code) {
	case ',':
	case ';':
	case ':':
	case 0x060C: /* Arabic comma and semicolon */
	case 0x061B:
	case 0x3001: /* ideographic comma */
	case 0xFF0C: /* full width , : ; */
	case 0xFF1A:
	case 0xFF1B:
		return true;
	default:
		return false;
	}
}

/* Return true if the character may follow the full stop of a sentence. */
static bool is_closing_mark(uint32_t code)
{
	switch (code) {
	case '"':
	case '\'':
	case ')':
	case ']':
	case 0xBB:
	case 0x2019:
	case 0x201D:
	case 0x300D:
	case 0x300F:
	case 0xFF09:
		return true;
	default:
		return false;
	}
}

/*
 * An ASCII mark counts only if no letter or digit follows: the marks in 3.14,
 * example.com and 10:30 do not count.
 */
struct cell_features cell_features_of(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	struct cell_features features = {0};
	bool is_after_space = true;
	bool is_after_mark = false;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);
		bool space = is_cell_space(code);
		bool is_mark = is_stop(code) || is_pause(code);

		if (is_after_mark && !is_cell_letter(code) &&
		    !(code >= '0' && code <= '9'))
			features.punctuation++;
		is_after_mark = is_mark && code < 0x80;
		features.punctuation += is_mark && code >= 0x80;
		features.length += !(space && is_after_space);
		is_after_space = space;
		if (!space && !is_closing_mark(code))
			features.is_stopped = is_stop(code);
	}
	features.punctuation += is_after_mark;
	/* without the space at the end */
	if (is_after_space && features.length > 0)
		features.length--;
	return features;
}

double cell_score(const struct cell_features *features, double gamma)
{
	return (features->length / gamma + features->punctuation) *
	       (features->is_stopped ? 1 + ALPHA : 1) *
	       (features->is_anchor ? 1 + BETA : 1) * features->visible;
}

double cells_gamma(const struct page *page, const bool *is_visible)
{
	double han = 0;
	double letters = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);
		const unsigned char *at = text.data;
		const unsigned char *end = at + text.size;

		while (is_visible[i] && at < end) {
			uint32_t code = utf8_next(&at, end);

			han += is_han(code);
			letters += is_cell_letter(code);
		}
	}
	if (han == 0 && letters == 0)
		return GAMMA_UNKNOWN;
	return han / GAMMA_HAN > letters / GAMMA_LETTERS ? GAMMA_HAN
							 : GAMMA_LETTERS;
}

/*
 * Return the rank of the next visible text in the source from `rank` on, or
 * text_count.
 */
static uint32_t next_visible(const struct page *page, const bool *is_visible,
			     uint32_t rank)
{
	while (rank < page->text_count &&
	       !is_visible[page_text_in_source(page, rank)])
		rank++;
	return rank;
}

/*
 * Return the offset of the text of that rank in the source; after the last
 * text, the end of the source.
 */
static uint32_t begin_of(const struct page *page, uint32_t rank)
{
	return rank < page->text_count
		       ? page->texts[page_text_in_source(page, rank)]
				 .source.begin
		       : (uint32_t)page->source.size;
}

static uint32_t count_cells(const struct page *page, const bool *is_visible,
			    uint32_t blank_bytes)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < page->text_count; i++)
		count += is_visible[i];
	count += page->source.size / blank_bytes;
	return (uint32_t)count;
}

/*
 * Return V. A cell's part of the source reaches from the middle of the gap on
 * its left to the middle of the gap on its right; the outer gaps end with the
 * page.
 */
static double visible_ratio(const struct page *page, uint32_t text,
			    uint32_t left, uint32_t right)
{
	struct span span = page->texts[text].source;
	double visible = span.end - span.begin;

	return visible / (visible + (left + right) / 2.0);
}

struct cells cells_of_page(struct arena *arena, const struct page *page,
			   const bool *is_visible, uint32_t blank_bytes)
{
	double gamma = cells_gamma(page, is_visible);
	struct cells cells = {0};
	uint32_t rank = next_visible(page, is_visible, 0);
	uint32_t left = begin_of(page, rank);

	assert(blank_bytes >= 1);
	cells.items = ARENA_NEW(arena, struct mountain_cell,
				count_cells(page, is_visible, blank_bytes));
	while (rank < page->text_count) {
		uint32_t i = page_text_in_source(page, rank);
		uint32_t next = next_visible(page, is_visible, rank + 1);
		bool is_last = next == page->text_count;
		uint32_t right =
			begin_of(page, next) - page->texts[i].source.end;
		struct cell_features features =
			cell_features_of(page_text(page, i));

		features.is_anchor = (page->texts[i].flags & TEXT_IS_LINK) != 0;
		features.visible = visible_ratio(page, i, left, right);
		cells.items[cells.count++] = (struct mountain_cell){
			i, (float)cell_score(&features, gamma)};
		for (uint32_t k = right / blank_bytes; !is_last && k > 0; k--)
			cells.items[cells.count++].text = NO_TEXT;
		left = right;
		rank = next;
	}
	return cells;
}

/* Return the weight of a cell `distance` cells away (eq. 3, for i != n). */
static double cell_weight(uint32_t distance)
{
	return distance <= 4 ? 1 - distance * 0.2 : 0.1;
}

/* Return the value that eq. 2 adds to the score of cell `n`. */
static double cell_uplift(const float *scores, uint32_t count, uint32_t n,
			  uint32_t window)
{
	uint32_t begin = n < window / 2 ? 0 : n - window / 2;
	uint32_t end = count - n <= window / 2 ? count : n + window / 2 + 1;
	double mean = 0;
	double sum = 0;

	for (uint32_t i = begin; i < end; i++)
		mean += (double)scores[i];
	mean /= end - begin;
	for (uint32_t i = begin; i < end; i++)
		if (i != n)
			sum += ((double)scores[i] - mean) *
			       cell_weight(i < n ? n - i : i - n);
	return sum / (window - 1);
}

void cells_smooth(struct arena *arena, struct cells *cells, uint32_t window)
{
	float *scores = ARENA_NEW(arena, float, cells->count);

	if (window <= 1)
		return;
	for (uint32_t i = 0; i < cells->count; i++)
		scores[i] = cells->items[i].score;
	for (uint32_t i = 0; i < cells->count; i++)
		cells->items[i].score +=
			(float)cell_uplift(scores, cells->count, i, window);
}
