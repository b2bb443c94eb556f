#include "extract/methods/code_blur.h"

#include <string.h>

#include "base/arena.h"
#include "extract/core/blur.h"
#include "extract/core/curve.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "page/page.h"

/*
 * Return the length to which runs of code are truncated. Up to `reach` entries
 * of a run influence content. If the blur must converge, entries of code also
 * count, and content on both sides must not influence an entry in the middle of
 * a run.
 */
static uint32_t longest_code_run(const struct blur *blur, bool converges)
{
	uint32_t reach = blur_reach(blur);

	return converges ? 2 * reach : reach;
}

/* Draw the figure; `vector` holds the ratios before the blur. */
static void code_blur_draw(const struct code_blur *code_blur,
			   const struct extractor_input *input,
			   const struct content_code *code, const float *vector)
{
	struct arena *arena = input->trace->arena;
	const struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Content code ratio",
		.x_label = curve_label(arena, code_blur->entries, code->count),
		.y_label = "ratio of content",
		.series = {curve_series(arena, "content code ratio",
					code->ratio, code->count),
			   curve_series(arena, "content code vector", vector,
					code->count)},
		.series_count = 2,
		.has_threshold = true,
		.threshold = (float)input->parameters[CODE_BLUR_THRESHOLD],
	};

	trace_figure(input->trace, &figure);
}

static void code_blur_explain(const struct extractor_input *input,
			      const bool *is_visible,
			      const struct verdict *verdicts, uint32_t passes)
{
	double threshold = input->parameters[CODE_BLUR_THRESHOLD];

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		if (!is_visible[i])
			trace_reason(input->trace, i, "not visible");
		else
			trace_reason(input->trace, i,
				     "ratio %.2f after %u %s, %s %.2f",
				     (double)verdicts[i].score, passes,
				     passes == 1 ? "pass" : "passes",
				     verdicts[i].is_content ? "over"
							    : "not over",
				     threshold);
	}
}

static const float *copy_vector(struct arena *arena,
				const struct content_code *code)
{
	float *vector = ARENA_NEW(arena, float, code->count);

	if (code->count > 0)
		memcpy(vector, code->ratio, code->count * sizeof(*vector));
	return vector;
}

static struct blur blur_of(const struct code_blur *code_blur,
			   const double *parameters)
{
	double extent = parameters[CODE_BLUR_EXTENT];

	return (struct blur){
		.radius = (uint32_t)parameters[CODE_BLUR_RADIUS],
		.passes = code_blur->converges ? blur_max_passes(extent)
					       : (uint32_t)extent,
		.mirrors = code_blur->converges,
	};
}

void code_blur_run(const struct code_blur *code_blur,
		   const struct extractor_input *input,
		   struct verdict *verdicts)
{
	const double *parameters = input->parameters;
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct blur blur = blur_of(code_blur, parameters);
	const struct content_code_options options = {
		.ignores_anchors = code_blur->ignores_anchors,
		.max_code_run = longest_code_run(&blur, code_blur->converges),
	};
	struct content_code code = code_blur->vector(input->arena, input->page,
						     is_visible, &options);
	const float *vector = NULL;

	if (code_blur->converges)
		blur.passes = blur_passes_to_converge(
			input->arena, code.ratio, code.count, blur.radius,
			parameters[CODE_BLUR_EXTENT]);
	if (input->trace != NULL)
		vector = copy_vector(input->arena, &code);
	code.ratio = blur_run(input->arena, code.ratio, code.count, &blur);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		float highest = content_code_highest(&code, code.texts[i]);

		verdicts[i] = (struct verdict){
			.score = highest,
			.is_content = is_visible[i] &&
				      (double)highest >
					      parameters[CODE_BLUR_THRESHOLD],
		};
	}
	if (input->trace == NULL)
		return;
	code_blur_explain(input, is_visible, verdicts, blur.passes);
	code_blur_draw(code_blur, input, &code, vector);
}
