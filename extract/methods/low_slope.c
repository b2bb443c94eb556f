#include "extract/methods/low_slope.h"

#include <assert.h>

#include "base/arena.h"
#include "extract/core/trace.h"

/* Return B_n of the source: 1 for a tag, 0 for a word. */
static uint32_t tags_at(const struct token_stream *stream, uint32_t index)
{
	return stream->tokens[index].text == NO_TEXT ? 1 : 0;
}

double slope_mean(const struct token_stream *stream)
{
	uint32_t tags = 0;

	for (uint32_t i = 0; i < stream->count; i++)
		tags += tags_at(stream, i);
	return stream->count == 0 ? 0 : (double)tags / stream->count;
}

uint32_t slope_window(const struct token_stream *stream, double size)
{
	const double limit = stream->count / 10.0;

	if (size > limit)
		size = limit;
	return size < 1 ? 1 : (uint32_t)size;
}

struct region_builder {
	struct token_range *ranges; /* [count] */
	uint32_t count;
};

/*
 * Add a window. Windows come in order; a window that touches the last region
 * extends it.
 */
static void add_window(struct region_builder *growing,
		       struct token_range window)
{
	if (growing->count > 0 &&
	    growing->ranges[growing->count - 1].end >= window.begin)
		growing->ranges[growing->count - 1].end = window.end;
	else
		growing->ranges[growing->count++] = window;
}

static void slope_slide_window(struct region_builder *growing,
			       const struct token_stream *stream,
			       struct token_range within,
			       const struct windows *windows)
{
	struct token_range window = {within.begin, within.begin};
	uint32_t size = within.end - within.begin;
	uint32_t tags = 0;

	if (size > windows->size)
		size = windows->size;
	while (window.end < within.end) {
		tags += tags_at(stream, window.end++);
		if (window.end - window.begin < size)
			continue;
		if (((window.begin - within.begin) % windows->step == 0 ||
		     window.end == within.end) &&
		    tags <= windows->max_slope * size)
			add_window(growing, window);
		tags -= tags_at(stream, window.begin++);
	}
}

struct token_regions slope_low_regions(struct arena *arena,
				       const struct token_stream *stream,
				       const struct token_regions *within,
				       const struct windows *windows)
{
	/* regions do not touch, so each holds a separate window */
	const uint32_t capacity = stream->count / windows->size + within->count;
	struct region_builder growing = {
		.ranges = ARENA_NEW(arena, struct token_range, capacity),
	};

	assert(windows->size >= 1 && windows->step >= 1);
	for (uint32_t i = 0; i < within->count; i++)
		slope_slide_window(&growing, stream, within->ranges[i],
				   windows);
	return (struct token_regions){growing.ranges, growing.count};
}

void slope_draw(const struct extractor_input *input,
		const struct token_stream *stream,
		const struct token_regions *regions)
{
	struct arena *arena = input->trace->arena;
	float *tags = ARENA_NEW(arena, float, stream->count + 1);
	struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Document slope curve",
		.x_label = "tags and words",
		.y_label = "tags up to here",
		.series = {{"tags", tags, stream->count + 1}},
		.series_count = 1,
	};

	for (uint32_t i = 0; i < stream->count; i++)
		tags[i + 1] = tags[i] + (float)tags_at(stream, i);
	token_regions_draw(arena, regions, &figure);
	trace_figure(input->trace, &figure);
}
