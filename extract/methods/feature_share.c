#include "extract/methods/feature_share.h"

#include "extract/core/trace.h"
#include "extract/core/visible.h"
#include "page/page.h"
#include "store/arena.h"

static float share_of(const struct block_counts *own, double weight)
{
	double text = own->words - own->link_words;
	double others = (double)own->links + own->images + own->items +
			own->fields + own->scripts;

	return text > 0 ? (float)(text / (text + weight * others)) : 0;
}

struct feature_shares feature_shares_make(const struct extractor_input *input,
					  double weight)
{
	struct arena *arena = input->arena;
	const bool *is_visible = visible_texts(arena, input->page);
	struct block_tree tree =
		block_tree_make(arena, input->page, is_visible);
	float *shares = ARENA_NEW(arena, float, tree.count);
	uint32_t *blocks = ARENA_NEW(arena, uint32_t, tree.count);
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree.count; i++) {
		const struct block_counts *own = &tree.blocks[i].own;

		if (own->texts == 0)
			continue;
		shares[i] = share_of(own, weight);
		blocks[count++] = i;
	}
	return (struct feature_shares){is_visible, tree, shares, blocks, count};
}

static void draw(struct trace *trace, const struct feature_shares *shares,
		 const bool *is_kept)
{
	struct figure_point *points =
		ARENA_NEW(trace->arena, struct figure_point, shares->count);

	for (uint32_t i = 0; i < shares->count; i++) {
		uint32_t block = shares->blocks[i];

		points[i] = (struct figure_point){
			.x = shares->shares[block],
			.y = (float)shares->tree.blocks[block].own.words,
			.group = is_kept[block],
		};
	}
	trace_figure(trace, &(struct figure){
				    .kind = FIGURE_SCATTER,
				    .title = "Blocks by what they hold",
				    .x_label = "share of text",
				    .y_label = "words",
				    .points = points,
				    .point_count = shares->count,
			    });
}

void feature_shares_judge(const struct extractor_input *input,
			  const struct feature_shares *shares,
			  const bool *is_kept, struct verdict *verdicts)
{
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = shares->tree.text_blocks[i];

		verdicts[i] = (struct verdict){
			.score = shares->shares[block],
			.is_content = shares->is_visible[i] && is_kept[block],
		};
	}
	if (input->trace != NULL)
		draw(input->trace, shares, is_kept);
}
