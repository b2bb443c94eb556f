#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/methods/feature_ratio.h"
#include "extract/methods/kmeans.h"
#include "extract/methods/methods.h"
#include "page/page.h"

enum { CLUSTERS, WEIGHT };

static const struct parameter parameters[] = {
	[CLUSTERS] =
		{
			.name = "clusters",
			.unit = "",
			.minimum = 2,
			.maximum = MAX_CLUSTERS,
			.default_value = 3,
			.meaning = "number of clusters of blocks; the highest "
				   "one is content",
		},
	[WEIGHT] = FEATURE_WEIGHT,
};

/*
 * Return [tree.count]: true for blocks in the cluster with the highest ratios.
 */
static const bool *find_best_cluster(struct arena *arena,
				     const struct feature_ratios *ratios,
				     uint32_t clusters)
{
	struct kmeans_point *points =
		ARENA_NEW(arena, struct kmeans_point, ratios->count);
	bool *is_kept = ARENA_NEW(arena, bool, ratios->tree.count);
	struct kmeans kmeans;

	for (uint32_t i = 0; i < ratios->count; i++)
		points[i].x = ratios->ratios[ratios->blocks[i]];
	kmeans = kmeans_run(arena, points, ratios->count, clusters, false);
	for (uint32_t i = 0; i < ratios->count; i++)
		is_kept[ratios->blocks[i]] =
			kmeans.clusters[i] + 1U == kmeans.count;
	return is_kept;
}

static void kfe_explain(const struct extractor_input *input,
			const struct feature_ratios *ratios,
			const bool *is_kept)
{
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios->tree.text_blocks[i];

		trace_reason(input->trace, i,
			     "text is %.2f of its block, %s the highest "
			     "cluster",
			     (double)ratios->ratios[block],
			     is_kept[block] ? "in" : "below");
	}
}

static void kfe_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	struct feature_ratios ratios =
		feature_ratios_make(input, input->parameters[WEIGHT]);
	const bool *is_kept = find_best_cluster(
		input->arena, &ratios, (uint32_t)input->parameters[CLUSTERS]);

	feature_ratios_judge(input, &ratios, is_kept, verdicts);
	if (input->trace != NULL)
		kfe_explain(input, &ratios, is_kept);
}

const struct extractor extractor_kfe = {
	.name = "kfe",
	.summary = "The blocks with a high ratio of text.",
	.source = "Debnath, Mitra, Giles, Identifying Content Blocks from Web "
		  "Documents, ISMIS 2005: K-FeatureExtractor",
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.run = kfe_run,
};
