#include "base/arena.h"
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
			.meaning = "of lines; the cluster with the lowest "
				   "ratios is noise",
		},
};

static struct kmeans cetr_km_cluster(const struct extractor_input *input,
				     const struct tag_ratios *ratios)
{
	struct kmeans_point *points =
		ARENA_NEW(input->arena, struct kmeans_point, ratios->count);

	for (uint32_t i = 0; i < ratios->count; i++)
		points[i].x = ratios->smoothed[i];
	return kmeans_run(input->arena, points, ratios->count,
			  (uint32_t)input->parameters[TAG_RATIO_LIMIT], false);
}

/* Return the middle between the lowest centroid and the next. */
static float threshold_of(const struct kmeans *kmeans)
{
	if (kmeans->count < 2)
		return 0;
	return (kmeans->centroids[0].x + kmeans->centroids[1].x) / 2;
}

static void cetr_km_run(const struct extractor_input *input,
			struct verdict *verdicts)
{
	struct tag_ratios ratios = tag_ratios_make(input);
	struct kmeans kmeans = cetr_km_cluster(input, &ratios);

	for (uint32_t i = 0; i < ratios.count; i++)
		/* a single cluster: no line is noise */
		ratios.is_content[i] =
			kmeans.clusters[i] > 0 || kmeans.count == 1;
	tag_ratios_judge(input, &ratios, verdicts);
	if (input->trace != NULL)
		tag_ratios_draw(input, &ratios, threshold_of(&kmeans));
}

const struct extractor extractor_cetr_km = {
	.name = "cetr-km",
	.summary = "Lines with much text and few tags: clustered.",
	.source = "Weninger, Hsu, Han, CETR: Content Extraction via Tag "
		  "Ratios, WWW 2010, k-means (CETR-KM)",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = cetr_km_run,
};
