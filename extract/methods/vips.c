#include <math.h>

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "extract/methods/box.h"
#include "extract/methods/box_figure.h"
#include "extract/methods/css_value.h"
#include "extract/methods/methods.h"
#include "extract/methods/vips_segment.h"
#include "page/page.h"

/*
 * The source leaves PDoC to the user and does not define the size of a small
 * element. These have the highest mean word F1 over five sets
 * (tests/eval/RESULTS.md, "What parameters were chosen by"). The method chooses
 * one block: the whole of an article, but a part of a list, a forum or a shop,
 * for which a lower PDoC is better.
 */
enum { COHERENCE, SMALL };

static const struct parameter parameters[] = {
	[COHERENCE] =
		{
			.name = "coherence",
			.unit = "degree of coherence",
			.minimum = 1,
			.maximum = 10,
			.default_value = 6,
			.meaning = "the permitted degree (PDoC): a block with "
				   "a lower one is divided",
		},
	[SMALL] =
		{
			.name = "small",
			.unit = "ratio of the sub-page's area",
			.minimum = 0,
			.maximum = 1,
			.default_value = 0.01,
			.meaning = "a smaller element is not divided",
		},
};

/* Return 1 in the middle of the page's width, 0 at its edges. */
static double segment_nearness(const struct vips_segment *segment,
			       double page_width)
{
	double middle = page_width / 2;
	double center = ((double)segment->left + (double)segment->right) / 2;

	return middle > 0 ? fmax(1 - fabs(center - middle) / middle, 0) : 0;
}

/*
 * "The largest block near the centre": the text of a segment outside of links,
 * weighted by its nearness to the centre. The source ends with the blocks and
 * does not choose one.
 */
static double segment_score(const struct vips_segment *segment,
			    double page_width)
{
	return (double)(segment->length - segment->link_length) *
	       segment_nearness(segment, page_width);
}

static const double *scores_of(struct arena *arena,
			       const struct vips_segments *segments,
			       double page_width)
{
	double *scores = ARENA_NEW(arena, double, segments->count);

	for (uint32_t i = 0; i < segments->count; i++)
		scores[i] = segment_score(&segments->segments[i], page_width);
	return scores;
}

/* Return NO_SEGMENT if no segment has text. */
static uint32_t highest_of(const double *scores, uint32_t count)
{
	uint32_t highest = NO_SEGMENT;

	for (uint32_t i = 0; i < count; i++)
		if (scores[i] > 0 &&
		    (highest == NO_SEGMENT || scores[i] > scores[highest]))
			highest = i;
	return highest;
}

static void vips_explain(const struct vips_segments *segments, uint32_t text,
			 uint32_t highest, const double *scores,
			 struct trace *trace)
{
	uint32_t index = segments->text_segments[text];

	if (index == NO_SEGMENT)
		trace_reason(trace, text, "not displayed");
	else if (index == highest)
		trace_reason(trace, text,
			     "in the largest block near the centre: %u of %u "
			     "characters outside of links, degree of "
			     "coherence %u",
			     segments->segments[index].length -
				     segments->segments[index].link_length,
			     segments->segments[index].length,
			     segments->segments[index].coherence);
	else
		trace_reason(trace, text,
			     "its block weighs %.0f characters, the largest "
			     "%.0f",
			     scores[index],
			     highest == NO_SEGMENT ? 0 : scores[highest]);
}

static void vips_draw(const struct vips_segments *segments, uint32_t highest,
		      struct trace *trace)
{
	struct box_figure figure = box_figure_begin(trace, highest);

	for (uint32_t i = 0; i < segments->count; i++) {
		const struct vips_segment *segment = &segments->segments[i];

		box_figure_add(
			&figure, i,
			(struct figure_box){
				.left = segment->left,
				.top = segment->top,
				.width = segment->right - segment->left,
				.height = segment->bottom - segment->top,
				.value = segment->coherence,
			},
			"coherence %u: %u characters, %u of them in links",
			segment->coherence, segment->length,
			segment->link_length);
	}
	box_figure_end(&figure, "Visual blocks by degree of coherence");
}

static void vips_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	const struct page *page = input->page;
	const bool *is_visible = visible_texts(input->arena, page);
	const struct box *boxes =
		boxes_estimate(input->arena, page, is_visible);
	const struct vips_options options = {
		.coherence = input->parameters[COHERENCE],
		.small = input->parameters[SMALL],
	};
	const struct vips_segments segments = vips_segments_make(
		input->arena, page, boxes, is_visible, &options);
	const double *scores =
		scores_of(input->arena, &segments, VIEWPORT_WIDTH);
	uint32_t highest = highest_of(scores, segments.count);

	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t index = segments.text_segments[i];

		verdicts[i] = (struct verdict){
			.score = index == NO_SEGMENT ? 0 : (float)scores[index],
			.is_content = index != NO_SEGMENT && index == highest,
		};
		if (input->trace != NULL)
			vips_explain(&segments, i, highest, scores,
				     input->trace);
	}
	if (input->trace != NULL)
		vips_draw(&segments, highest, input->trace);
}

const struct extractor extractor_vips = {
	.name = "vips",
	.summary = "The largest visual block near the middle of the page.",
	.source = "Cai, Yu, Wen, Ma, VIPS: a Vision-based Page Segmentation "
		  "Algorithm, MSR-TR-2003-79",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = vips_run,
};
