#include "extract/methods/feature_ratio.h"

#include "base/arena.h"
#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "page/page.h"

static float block_text_ratio(const struct block_counts *own, double weight)
{
	double text = own->words - own->link_words;
	double others = (double)own->links + own->images + own->items +
			own->fields + own->scripts;

	return text > 0 ? (float)(text / (text + weight * others)) : 0;
}

struct feature_ratios feature_ratios_make(const struct extractor_input *input,
					  double weight)
{
	struct arena *arena = input->arena;
	const bool *is_visible = visible_texts(arena, input->page);
	struct block_tree tree =
		block_tree_make(arena, input->page, is_visible);
	float *ratios = ARENA_NEW(arena, float, tree.count);
	uint32_t *blocks = ARENA_NEW(arena, uint32_t, tree.count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree.count; i++) {
		const struct block_counts *own = &tree.blocks[i].own;

		if (own->texts == 0)
			continue;
		ratios[i] = block_text_ratio(own, weight);
		blocks[count++] = i;
	}
	return (struct feature_ratios){is_visible, tree, ratios, blocks, count};
}

static void feature_ratio_draw(struct trace *trace,
			       const struct feature_ratios *ratios,
			       const bool *is_kept)
{
	struct figure_point *points =
		ARENA_NEW(trace->arena, struct figure_point, ratios->count);

	for (uint32_t i = 0; i < ratios->count; i++) {
		uint32_t block = ratios->blocks[i];

		points[i] = (struct figure_point){
			.x = ratios->ratios[block],
			.y = (float)ratios->tree.blocks[block].own.words,
			.group = is_kept[block],
		};
	}
	trace_figure(trace, &(struct figure){
				    .kind = FIGURE_SCATTER,
				    .title = "Blocks by their content",
				    .x_label = "ratio of text",
				    .y_label = "words",
				    .points = points,
				    .point_count = ratios->count,
			    });
}

void feature_ratios_judge(const struct extractor_input *input,
			  const struct feature_ratios *ratios,
			  const bool *is_kept, struct verdict *verdicts)
{
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios->tree.text_blocks[i];

		verdicts[i] = (struct verdict){
			.score = ratios->ratios[block],
			.is_content = ratios->is_visible[i] && is_kept[block],
		};
	}
	if (input->trace != NULL)
		feature_ratio_draw(input->trace, ratios, is_kept);
}
