#include <math.h>

#include "base/arena.h"
#include "extract/core/curve.h"
#include "extract/methods/kmeans.h"
#include "extract/methods/methods.h"
#include "extract/methods/tag_ratio.h"

/* All three values are from the source. */
static const struct parameter parameters[] = {
	[TAG_RATIO_RADIUS] = TAG_RATIO_RADIUS_ROW,
	[TAG_RATIO_WIDTH] = TAG_RATIO_WIDTH_ROW,
	[TAG_RATIO_LIMIT] =
		{
			.name = "clusters",
			.unit = "",
			.minimum = 2,
			.maximum = MAX_CLUSTERS,
			.default_value = 3,
			.meaning =
				"of lines; the cluster at the origin is noise",
		},
};

/*
 * Return the mean of the next three lines (fewer at the end), minus the line.
 */
static float tag_ratio_derivative(const struct tag_ratios *ratios,
				  uint32_t line)
{
	enum { NEXT = 3 };
	double sum = 0;
	uint32_t next = 0;

	while (next < NEXT && line + next + 1 < ratios->count)
		sum += (double)ratios->smoothed[line + ++next];
	if (next == 0)
		return 0;
	return (float)(sum / next - (double)ratios->smoothed[line]);
}

static const struct kmeans_point *points_of(struct arena *arena,
					    const struct tag_ratios *ratios)
{
	struct kmeans_point *points =
		ARENA_NEW(arena, struct kmeans_point, ratios->count);

	for (uint32_t i = 0; i < ratios->count; i++) {
		points[i].x = ratios->smoothed[i];
		points[i].y = fabsf(tag_ratio_derivative(ratios, i));
	}
	return points;
}

/*
 * Draw a figure with at most its maximum number of lines, evenly chosen; group
 * 0 is noise.
 */
static void cetr_draw(const struct extractor_input *input,
		      const struct kmeans_point *points,
		      const struct kmeans *kmeans, uint32_t count)
{
	uint32_t step = curve_step(count);
	struct figure_point *drawn = ARENA_NEW(
		input->trace->arena, struct figure_point, count / step + 1);
	struct figure figure = {
		.kind = FIGURE_SCATTER,
		.title = "Lines of the source",
		.x_label = "smoothed tag ratio",
		.y_label = "absolute derivative",
		.points = drawn,
	};

	for (uint32_t i = 0; i < count; i += step)
		drawn[figure.point_count++] = (struct figure_point){
			points[i].x, points[i].y, kmeans->clusters[i]};
	trace_figure(input->trace, &figure);
}

static void cetr_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	const struct kmeans_point *points = points_of(input->arena, &ratios);
	struct kmeans kmeans =
		kmeans_run(input->arena, points, ratios.count,
			   (uint32_t)input->parameters[TAG_RATIO_LIMIT], true);

	for (uint32_t i = 0; i < ratios.count; i++)
		ratios.is_content[i] = kmeans.clusters[i] > 0;
	tag_ratios_judge(input, &ratios, verdicts);
	if (input->trace != NULL)
		cetr_draw(input, points, &kmeans, ratios.count);
}

const struct extractor extractor_cetr = {
	.name = "cetr",
	.summary = "Lines with much text and few tags, and lines where the "
		   "ratio changes.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = cetr_run,
};
