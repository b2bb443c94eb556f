#include "extract/methods/tag_ratio.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "extract/core/curve.h"
#include "extract/core/visible.h"
#include "extract/text/characters.h"
#include "extract/text/source_walk.h"

/* The content of a line. */
struct line {
	uint32_t characters; /* characters of visible text */
	uint32_t tags;
};

/* The lines under construction; `count` does not include the open one. */
struct lines {
	struct arena *arena;
	struct line *lines; /* [count] */
	uint32_t count;
	uint32_t capacity;
	struct line_part *parts; /* [part_count] */
	uint32_t part_count;
	uint32_t part_capacity;
	struct line line; /* the open line */
	uint32_t length;  /* its length, including tags */
	uint64_t total;   /* sum of the lengths of all lines */
	uint32_t width;   /* maximum length of a line; UINT32_MAX: only line
			     breaks end it */
};

/* Reserve space for one more item of `size` bytes after `count` items. */
static void *line_array_grow(struct arena *arena, void *items, uint32_t count,
			     uint32_t *capacity, size_t size)
{
	void *grown;

	if (count < *capacity)
		return items;
	*capacity = *capacity == 0 ? 256 : *capacity * 2;
	grown = arena_alloc(arena, *capacity, size);
	if (count > 0)
		memcpy(grown, items, count * size);
	return grown;
}

/* End a line. Empty lines are removed, as in the source. */
static void tag_ratio_end_line(struct lines *lines)
{
	lines->total += lines->length;
	lines->length = 0;
	if (lines->line.characters == 0 && lines->line.tags == 0)
		return;
	lines->lines = line_array_grow(lines->arena, lines->lines, lines->count,
				       &lines->capacity, sizeof(*lines->lines));
	lines->lines[lines->count++] = lines->line;
	lines->line = (struct line){0, 0};
}

static void add_part(struct lines *lines, uint32_t text, uint32_t characters)
{
	if (characters == 0)
		return;
	lines->line.characters += characters;
	lines->parts =
		line_array_grow(lines->arena, lines->parts, lines->part_count,
				&lines->part_capacity, sizeof(*lines->parts));
	lines->parts[lines->part_count++] =
		(struct line_part){text, lines->count, characters};
}

/* Add text of text node `text`, or of NO_TEXT if the text does not count. */
static void tag_ratio_add_text(struct lines *lines, uint32_t text,
			       const unsigned char *bytes, size_t size)
{
	uint32_t characters = 0;
	bool is_after_space = true;

	for (size_t i = 0; i < size;) {
		bool is_break = bytes[i] == '\n' || bytes[i] == '\r';
		bool is_space = character_is_space(bytes[i]);

		if (!is_break && !(is_space && is_after_space)) {
			characters++;
			lines->length++;
		}
		is_after_space = is_space;
		i += character_size(bytes + i, size - i);
		if (!is_break && lines->length < lines->width)
			continue;
		add_part(lines, text, text == NO_TEXT ? 0 : characters);
		tag_ratio_end_line(lines);
		characters = 0;
		is_after_space = true;
	}
	add_part(lines, text, text == NO_TEXT ? 0 : characters);
}

static void tag_ratio_add_tag(struct lines *lines, const struct token *token)
{
	if (token->tag == TAG_script || token->tag == TAG_style)
		return;
	lines->line.tags++;
	lines->length += token->source.end - token->source.begin;
	if (lines->length >= lines->width)
		tag_ratio_end_line(lines);
}

static struct lines tag_ratio_read_lines(struct arena *arena,
					 const struct page *page,
					 const bool *is_visible, uint32_t width)
{
	struct lines lines = {.arena = arena, .width = width};
	struct source_walk walk = source_walk_begin(page);
	struct token token;
	uint32_t text;

	while (source_walk_next(&walk, &token, &text)) {
		const unsigned char *source = page->source.data;

		if (token.kind == TOKEN_START || token.kind == TOKEN_END)
			tag_ratio_add_tag(&lines, &token);
		else if (token.kind == TOKEN_TEXT)
			tag_ratio_add_text(
				&lines,
				text != NO_TEXT && is_visible[text] ? text
								    : NO_TEXT,
				source + token.source.begin,
				token.source.end - token.source.begin);
	}
	tag_ratio_end_line(&lines);
	return lines;
}

/* Return the TTR of every line. */
static float *tag_ratio_values(const struct lines *lines)
{
	float *ratios = ARENA_NEW(lines->arena, float, lines->count);

	for (uint32_t i = 0; i < lines->count; i++) {
		const struct line *line = &lines->lines[i];

		ratios[i] = (float)line->characters /
			    (float)(line->tags == 0 ? 1 : line->tags);
	}
	return ratios;
}

/*
 * Smooth with the Gaussian exp(-d^2 / (2 radius^2)) over the lines within
 * `radius`; the neighbourhood ends with the page.
 */
static const float *tag_ratio_smooth(struct arena *arena, const float *ratios,
				     uint32_t count, uint32_t radius)
{
	double weights[MAX_TAG_RATIO_RADIUS + 1];
	float *smoothed = ARENA_NEW(arena, float, count);

	for (uint32_t d = 0; d <= radius; d++)
		weights[d] = exp(-(double)(d * d) / (2.0 * radius * radius));
	for (uint32_t i = 0; i < count; i++) {
		double sum = weights[0] * (double)ratios[i];
		double weight = weights[0];

		for (uint32_t d = 1; d <= radius; d++) {
			if (i >= d) {
				sum += weights[d] * (double)ratios[i - d];
				weight += weights[d];
			}
			if (i + d < count) {
				sum += weights[d] * (double)ratios[i + d];
				weight += weights[d];
			}
		}
		smoothed[i] = (float)(sum / weight);
	}
	return smoothed;
}

/*
 * "All of the code on one line": the source gives no limit. A page has hardly
 * any line breaks if its lines have more than 400 characters on average,
 * including tags: this limit has the highest mean word F1
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
static bool has_hardly_any_breaks(const struct lines *lines)
{
	enum { LONG_LINE = 400 };

	return lines->total > (uint64_t)lines->count * LONG_LINE;
}

struct tag_ratios tag_ratios_make(const struct extractor_input *input)
{
	struct arena *arena = input->arena;
	const double *parameters = input->parameters;
	const bool *is_visible = visible_texts(arena, input->page);
	struct lines lines = tag_ratio_read_lines(arena, input->page,
						  is_visible, UINT32_MAX);
	struct tag_ratios ratios = {.is_visible = is_visible};

	if (has_hardly_any_breaks(&lines))
		lines = tag_ratio_read_lines(
			arena, input->page, is_visible,
			(uint32_t)parameters[TAG_RATIO_WIDTH]);
	ratios.ratios = tag_ratio_values(&lines);
	ratios.smoothed =
		tag_ratio_smooth(arena, ratios.ratios, lines.count,
				 (uint32_t)parameters[TAG_RATIO_RADIUS]);
	ratios.is_content = ARENA_NEW(arena, bool, lines.count);
	ratios.count = lines.count;
	ratios.parts = lines.parts;
	ratios.part_count = lines.part_count;
	return ratios;
}

struct text_sum {
	uint32_t characters;
	uint32_t content; /* characters on content lines */
	double ratios; /* sum over the characters of the smoothed ratio of their
			  line */
};

/* Return the sums over the parts of a text, from *part on. */
static struct text_sum sum_parts(const struct tag_ratios *ratios, uint32_t text,
				 uint32_t *part)
{
	struct text_sum sum = {0, 0, 0};

	for (; *part < ratios->part_count && ratios->parts[*part].text == text;
	     ++*part) {
		const struct line_part *p = &ratios->parts[*part];

		sum.characters += p->characters;
		sum.ratios += (double)p->characters *
			      (double)ratios->smoothed[p->line];
		if (ratios->is_content[p->line])
			sum.content += p->characters;
	}
	return sum;
}

void tag_ratios_judge(const struct extractor_input *input,
		      const struct tag_ratios *ratios, struct verdict *verdicts)
{
	uint32_t part = 0;

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		struct text_sum sum = sum_parts(ratios, i, &part);
		float score = sum.characters == 0
				      ? 0
				      : (float)(sum.ratios / sum.characters);

		verdicts[i] = (struct verdict){
			.score = score,
			.is_content = sum.content > sum.characters / 2,
		};
		if (!ratios->is_visible[i])
			trace_reason(input->trace, i, "not visible");
		else
			trace_reason(input->trace, i,
				     "%u of %u characters on content lines, "
				     "tag ratio %.1f",
				     sum.content, sum.characters,
				     (double)score);
	}
}

void tag_ratios_draw(const struct extractor_input *input,
		     const struct tag_ratios *ratios, float threshold)
{
	struct arena *arena = input->trace->arena;
	const struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Tag ratio histogram",
		.x_label = curve_label(arena, "lines", ratios->count),
		.y_label = "characters per tag",
		.series = {curve_series(arena, "smoothed", ratios->smoothed,
					ratios->count),
			   curve_series(arena, "tag ratio", ratios->ratios,
					ratios->count)},
		.series_count = 2,
		.has_threshold = true,
		.threshold = threshold,
	};

	trace_figure(input->trace, &figure);
}
