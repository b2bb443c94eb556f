#include "extract/methods/token_methods.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/trace.h"
#include "extract/methods/plain.h"
#include "extract/text/block.h"
#include "page/page.h"

/* How many of the words of a text are inside the regions. */
struct ratio {
	uint32_t inside;
	uint32_t words; /* >= 1 */
};

static uint32_t token_range_overlap(struct token_range a, struct token_range b)
{
	uint32_t begin = a.begin > b.begin ? a.begin : b.begin;
	uint32_t end = a.end < b.end ? a.end : b.end;

	return begin < end ? end - begin : 0;
}

/*
 * Return how many of the words in the range `text` are inside the regions.
 * *next is the first region that may overlap with the text; move it after the
 * regions that end before the end of the text.
 */
static struct ratio token_range_ratio(const struct token_regions *regions,
				      uint32_t *next, struct token_range text)
{
	struct ratio ratio = {.words = text.end - text.begin};

	while (*next < regions->count &&
	       regions->ranges[*next].end < text.end) {
		ratio.inside +=
			token_range_overlap(regions->ranges[*next], text);
		++*next;
	}
	if (*next < regions->count)
		ratio.inside +=
			token_range_overlap(regions->ranges[*next], text);
	if (ratio.words > 0)
		return ratio;
	ratio.words = 1;
	if (*next < regions->count &&
	    regions->ranges[*next].begin < text.begin &&
	    text.end < regions->ranges[*next].end)
		ratio.inside = 1;
	return ratio;
}

void token_regions_judge(const struct extractor_input *input,
			 const struct token_stream *stream,
			 const bool *is_visible,
			 const struct token_regions *regions,
			 struct verdict *verdicts)
{
	uint32_t next = 0;

	for (uint32_t rank = 0; rank < input->page->text_count; rank++) {
		uint32_t i = page_text_in_source(input->page, rank);
		struct ratio ratio =
			token_range_ratio(regions, &next, stream->texts[i]);

		assert(ratio.words >= 1 && ratio.inside <= ratio.words);
		verdicts[i] = (struct verdict){
			.score = (float)ratio.inside / (float)ratio.words,
			.is_content =
				is_visible[i] && ratio.inside > ratio.words / 2,
		};
		if (!is_visible[i])
			trace_reason(input->trace, i, "not visible");
		else
			trace_reason(input->trace, i,
				     "%u of %u words in a chosen region",
				     ratio.inside, ratio.words);
	}
}

/*
 * Add the regions to the curve `figure`, below which they are drawn. They
 * belong to `arena`.
 */
static void token_regions_draw(struct arena *arena,
			       const struct token_regions *regions,
			       struct figure *figure)
{
	struct figure_range *ranges =
		ARENA_NEW(arena, struct figure_range, regions->count);

	for (uint32_t i = 0; i < regions->count; i++)
		ranges[i] = (struct figure_range){
			.begin = (float)regions->ranges[i].begin,
			.end = (float)regions->ranges[i].end,
			.is_content = true,
		};
	figure->ranges = ranges;
	figure->range_count = regions->count;
}

static double token_weight(const struct stream_token *token, double tag_penalty)
{
	return token->text == NO_TEXT ? -tag_penalty : 1;
}

/*
 * Return the run of tokens with the maximum sum of weights (Bentley,
 * Programming Pearls, column 8).
 */
static struct token_range find_maximum_sum(const struct token_stream *stream,
					   double tag_penalty)
{
	struct token_range best = {0, 0};
	double best_sum = 0;
	double sum = 0; /* sum of the weights from `begin` to i */
	uint32_t begin = 0;

	for (uint32_t i = 0; i < stream->count; i++) {
		if (sum <= 0) {
			sum = 0;
			begin = i;
		}
		sum += token_weight(&stream->tokens[i], tag_penalty);
		if (sum > best_sum) {
			best_sum = sum;
			best = (struct token_range){begin, i + 1};
		}
	}
	return best;
}

/*
 * Add a figure with the prefix sums of the weights. The chosen run is where
 * they rise most.
 */
static void maximum_sum_draw(const struct extractor_input *input,
			     const struct token_stream *stream,
			     double tag_penalty,
			     const struct token_regions *regions)
{
	struct arena *arena = input->trace->arena;
	float *values = ARENA_NEW(arena, float, stream->count + 1);
	struct figure figure = {
		.kind = FIGURE_CURVE,
		.title = "Sum of the weights; the run is the largest rise",
		.x_label = "tags and words",
		.y_label = "sum of the weights",
		.series = {{"sum", values, stream->count + 1}},
		.series_count = 1,
	};
	double sum = 0;

	for (uint32_t i = 0; i < stream->count; i++) {
		sum += token_weight(&stream->tokens[i], tag_penalty);
		values[i + 1] = (float)sum;
	}
	token_regions_draw(arena, regions, &figure);
	trace_figure(input->trace, &figure);
}

/*
 * Set verdicts [page->text_count] and the trace. Content is the run of tokens
 * with the maximum sum of weights, where a word has the weight 1 and a tag
 * -tag_penalty. Of several such runs, it is the run that ends first, and among
 * these the shortest. If no sum is positive, no text is content. Linear.
 */
static void maximum_sum_run(const struct extractor_input *input,
			    double tag_penalty, struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct token_stream stream =
		token_stream_make(input->arena, input->page, is_visible);
	struct token_range range = find_maximum_sum(&stream, tag_penalty);
	struct token_regions regions = {&range,
					range.end > range.begin ? 1 : 0};

	token_regions_judge(input, &stream, is_visible, &regions, verdicts);
	if (input->trace != NULL)
		maximum_sum_draw(input, &stream, tag_penalty, &regions);
}

/*
 * Body text extraction (Finn, Kushmerick & Smyth 2001): B_n is 1 if token n is
 * a tag and 0 if it is a word. Choose i and j so that this is highest:
 *
 * T(i,j) = sum(n < i) B_n + sum(i <= n <= j) (1 - B_n) + sum(n > j) B_n.
 *
 * T is the number of all tags, plus the number of words from i to j, minus the
 * number of tags from i to j. So the tokens from i to j are the run with the
 * maximum sum if a word has the weight 1 and a tag -1.
 */
static void bte_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	maximum_sum_run(input, 1, verdicts);
}

const struct extractor extractor_bte = {
	.name = "bte",
	.summary = "The run of source with the most words and the fewest tags.",
	.source = "Finn, Kushmerick & Smyth, Fact or Fiction: Content "
		  "Classification for Digital Libraries, 2001 (BTE)",
	.run = bte_run,
};

/* Return the number of tags at token `index`: 1 for a tag, 0 for a word. */
static uint32_t tags_at(const struct token_stream *stream, uint32_t index)
{
	return stream->tokens[index].text == NO_TEXT ? 1 : 0;
}

/*
 * Return the mean slope of the document slope curve, in tags per token; 0
 * without tokens.
 */
static double slope_mean(const struct token_stream *stream)
{
	uint32_t tags = 0;

	for (uint32_t i = 0; i < stream->count; i++)
		tags += tags_at(stream, i);
	return stream->count == 0 ? 0 : (double)tags / stream->count;
}

/*
 * Return the window size for this stream: `size`, but at most a tenth of the
 * tokens, and at least 1. The limit exists because the slope in a window as
 * long as the page is always the mean slope.
 */
static uint32_t slope_window(const struct token_stream *stream, double size)
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
		    tags <= windows->max_slope * size) {
			/*
			 * if the window touches the last region, extend the
			 * region
			 */
			if (growing->count > 0 &&
			    growing->ranges[growing->count - 1].end >=
				    window.begin)
				growing->ranges[growing->count - 1].end =
					window.end;
			else
				growing->ranges[growing->count++] = window;
		}
		tags -= tags_at(stream, window.begin++);
	}
}

struct token_regions slope_low_regions(struct arena *arena,
				       const struct token_stream *stream,
				       const struct token_regions *within,
				       const struct windows *windows)
{
	/*
	 * regions do not touch each other, so each contains a window that no
	 * other region overlaps
	 */
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

/* Add a figure with the document slope curve, and with the regions below it. */
static void slope_draw(const struct extractor_input *input,
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

/*
 * The parameters of the method dsc. As in the source, a window is low if its
 * slope is at most half of the mean slope of the page. On a page without tags
 * every window is low. Windows overlap by half. The source does not define the
 * size of a window; this size has the highest mean word F1 over five sets.
 * Longer windows are better for articles, and shorter ones for other kinds of
 * pages (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { WINDOW, MAX_SLOPE };

static const struct parameter dsc_parameters[] = {
	[WINDOW] = {"window", "tags and words", 1, 10000, 50,
		    "window for the slope, at most a tenth of the page"},
	[MAX_SLOPE] = {"max_slope", "ratio of the page's mean slope", 0, 2, 0.5,
		       "a steeper window is not content"},
};

struct slope_passes {
	double size; /* size of the windows in the first pass */
	double max_slope;
	uint32_t count;
	bool is_dense; /* a window begins at every token; if false, windows
			  overlap by half */
};

/*
 * Run the passes, and set the verdicts. Each pass searches only the regions of
 * the previous pass, with windows half as long.
 */
static void slope_run(const struct extractor_input *input,
		      struct slope_passes passes, struct verdict *verdicts)
{
	const bool *is_visible = visible_texts(input->arena, input->page);
	struct token_stream stream =
		token_stream_make(input->arena, input->page, is_visible);
	const struct token_range page = {0, stream.count};
	struct token_regions regions = {&page, 1};
	struct windows windows = {
		.size = slope_window(&stream, passes.size),
		.max_slope = passes.max_slope * slope_mean(&stream),
	};

	for (uint32_t i = 0; i < passes.count; i++) {
		windows.step = passes.is_dense ? 1 : (windows.size + 1) / 2;
		regions = slope_low_regions(input->arena, &stream, &regions,
					    &windows);
		windows.size = (windows.size + 1) / 2;
	}
	token_regions_judge(input, &stream, is_visible, &regions, verdicts);
	if (input->trace != NULL)
		slope_draw(input, &stream, &regions);
}

static void dsc_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	slope_run(input,
		  (struct slope_passes){input->parameters[WINDOW],
					input->parameters[MAX_SLOPE], 1, false},
		  verdicts);
}

const struct extractor extractor_dsc = {
	.name = "dsc",
	.summary = "Regions of the source with few tags among the words.",
	.source = "Pinto et al., QuASM: A System for Question Answering Using "
		  "Semi-Structured Data, JCDL 2002 (document slope curve)",
	PARAMETERS(dsc_parameters),
	.run = dsc_run,
};

/*
 * The method adsc, an adaptation of dsc. Gottron (Clustering Template Based Web
 * Documents, ECIR 2008) calls such an adaptation the best general method: the
 * window slides over the page several times, and the regions are trimmed to
 * text nodes. The paper gives no numbers. Here a window begins at every token,
 * so that regions end at tags and never inside a text. Each pass searches the
 * regions of the previous pass with windows of half the size. Long windows find
 * the article, and short windows remove what is not content at its ends.
 *
 * The values of window and passes have the highest mean word F1 over five sets.
 * All twelve pairs of values that were tried are nearly as good. If each pass
 * searches the whole page, the result is not better (tests/eval/RESULTS.md,
 * "What parameters were chosen by").
 */
enum { ADSC_WINDOW, ADSC_PASSES, ADSC_MAX_SLOPE };

static const struct parameter adsc_parameters[] = {
	[ADSC_WINDOW] =
		{"window", "tags and words", 1, 10000, 70,
		 "window of the first pass, at most a tenth of the page"},
	[ADSC_PASSES] = {"passes", "", 1, 8, 2,
			 "each searches the regions of the previous pass, with "
			 "windows half as long"},
	[ADSC_MAX_SLOPE] = {"max_slope", "ratio of the page's mean slope", 0, 2,
			    0.5, "a steeper window is not content"},
};

static void adsc_run(const struct extractor_input *input,
		     struct verdict *verdicts)
{
	slope_run(input,
		  (struct slope_passes){
			  input->parameters[ADSC_WINDOW],
			  input->parameters[ADSC_MAX_SLOPE],
			  (uint32_t)input->parameters[ADSC_PASSES], true},
		  verdicts);
}

const struct extractor extractor_adsc = {
	.name = "adsc",
	.summary = "Like dsc, in several passes and with whole texts.",
	.source = "Pinto et al., QuASM, JCDL 2002, as adapted by Gottron, "
		  "Evaluating Content Extraction on HTML Documents, ITA 2007",
	PARAMETERS(adsc_parameters),
	.run = adsc_run,
};

/*
 * The method lp. A link pagelet is an element that has at least k links while
 * none of its children has k links; k = 3 is from the source. In the source,
 * every sibling of a link pagelet is a pagelet, too, even with few links; the
 * largest of these is mostly a single paragraph. Here these siblings together
 * are one part, the page without its link pagelets. Only block-level elements
 * count, and text in links does not add to the size of a part. For the effect
 * of each of these changes see tests/eval/RESULTS.md, "What parameters were
 * chosen by".
 */
enum { LINKS };

static const struct parameter lp_parameters[] = {
	[LINKS] =
		{"links", "links", 1, 1000, 3,
		 "minimum in a pagelet, while each of its children has fewer"},
};

/*
 * A pagelet is identified by the index of its block. REMAINDER is the page
 * without its pagelets.
 */
enum { REMAINDER = 0 };

/*
 * Return for each block the pagelet that it is in, or REMAINDER: [tree->count].
 */
static const uint32_t *find_pagelets(struct arena *arena,
				     const struct block_tree *tree,
				     uint32_t links)
{
	/* true if a child of the block has at least `links` links */
	bool *is_divided = ARENA_NEW(arena, bool, tree->count);
	uint32_t *pagelets = ARENA_NEW(arena, uint32_t, tree->count);

	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->blocks[i].all.links >= links)
			is_divided[tree->blocks[i].parent] = true;
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct block *block = &tree->blocks[i];

		pagelets[i] = pagelets[block->parent];
		if (pagelets[i] == REMAINDER && !is_divided[i] &&
		    block->all.links >= links)
			pagelets[i] = i;
	}
	return pagelets;
}

static uint32_t block_text_size(const struct block_counts *counts)
{
	return counts->characters - counts->link_characters;
}

static void lp_explain(struct trace *trace, uint32_t text,
		       const struct block *pagelet,
		       const struct verdict *verdict)
{
	char what[64] = "the page without its pagelets";

	if (pagelet->parent != NO_BLOCK)
		snprintf(what, sizeof(what), "pagelet of %u links",
			 pagelet->all.links);
	trace_reason(trace, text, "%s: %.2f of the text%s", what,
		     (double)verdict->score,
		     verdict->is_content ? ", the largest" : "");
}

static void lp_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	const struct page *page = input->page;
	uint32_t links = (uint32_t)input->parameters[LINKS];
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	const uint32_t *pagelets = find_pagelets(input->arena, &tree, links);
	/* the amount of text in each pagelet, and in REMAINDER */
	uint32_t *sizes = ARENA_NEW(input->arena, uint32_t, tree.count);
	uint32_t whole = block_text_size(&tree.blocks[0].all);
	uint32_t largest = REMAINDER;

	for (uint32_t i = 0; i < tree.count; i++)
		sizes[pagelets[i]] += block_text_size(&tree.blocks[i].own);
	for (uint32_t i = 0; i < tree.count; i++)
		if (sizes[i] > sizes[largest])
			largest = i;
	for (uint32_t i = 0; i < page->text_count; i++) {
		uint32_t pagelet = pagelets[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = whole == 0
					 ? 0
					 : (float)sizes[pagelet] / (float)whole,
			.is_content = is_visible[i] && pagelet == largest,
		};
		if (input->trace != NULL)
			lp_explain(input->trace, i, &tree.blocks[pagelet],
				   &verdicts[i]);
	}
}

const struct extractor extractor_lp = {
	.name = "lp",
	.summary = "The largest pagelet: pages are divided at groups of links.",
	.source = "Bar-Yossef, Rajagopalan, Template Detection via Data "
		  "Mining and its Applications, WWW 2002, section 2.1: "
		  "pagelets",
	PARAMETERS(lp_parameters),
	.run = lp_run,
};

/*
 * The methods lqf_25, lqf_50 and lqf_75 (link quota filter). A block is a
 * block-level element. Comparisons in the literature use the quotas .25, .5 and
 * .75.
 */
enum { QUOTA };

#define QUOTA_PARAMETER(value)                                            \
	{                                                                 \
		{"quota", "ratio of a block's characters in links", 0, 1, \
		 (value), "a block with a larger ratio is dropped"},      \
	}

static const struct parameter parameters_25[] = QUOTA_PARAMETER(.25);
static const struct parameter parameters_50[] = QUOTA_PARAMETER(.5);
static const struct parameter parameters_75[] = QUOTA_PARAMETER(.75);

/* Counts of a block without the dropped blocks inside it. */
struct lqf_block {
	uint32_t characters;
	uint32_t link_characters;
};

/*
 * Return the link quota of every block: [tree->count]. The innermost blocks are
 * first, because the text of a block whose quota is over `max_quota` does not
 * count for the blocks around it. rests_out [tree->count] must be zeroed.
 */
static double *lqf_judge(struct arena *arena, const struct block_tree *tree,
			 double max_quota, struct lqf_block *rests_out)
{
	double *quotas = ARENA_NEW(arena, double, tree->count);

	for (uint32_t i = tree->count; i-- > 0;) {
		const struct block *block = &tree->blocks[i];
		struct lqf_block *rest = &rests_out[i];

		rest->characters += block->own.characters;
		rest->link_characters += block->own.link_characters;
		if (rest->characters > 0)
			quotas[i] = (double)rest->link_characters /
				    rest->characters;
		if (quotas[i] > max_quota || block->parent == NO_BLOCK)
			continue;
		rests_out[block->parent].characters += rest->characters;
		rests_out[block->parent].link_characters +=
			rest->link_characters;
	}
	return quotas;
}

static void lqf_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	const struct page *page = input->page;
	double max_quota = input->parameters[QUOTA];
	const bool *is_visible = visible_texts(input->arena, page);
	struct block_tree tree =
		block_tree_make(input->arena, page, is_visible);
	struct lqf_block *rests =
		ARENA_NEW(input->arena, struct lqf_block, tree.count);
	double *quotas = lqf_judge(input->arena, &tree, max_quota, rests);

	if (input->trace != NULL) {
		double *values =
			ARENA_NEW(input->trace->arena, double, tree.count);

		for (uint32_t i = 0; i < tree.count; i++)
			values[i] = rests[i].characters > 0 ? quotas[i]
							    : (double)NAN;
		trace_histogram(input->trace,
				&(struct value_histogram){
					.title = "Link quota of the blocks",
					.x_label = "characters in links, ratio",
					.y_label = "blocks",
					.values = values,
					.count = tree.count,
					.threshold = max_quota,
				});
	}
	block_tree_inherit(&tree, quotas);
	for (uint32_t i = 0; i < page->text_count; i++) {
		double highest = quotas[tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = (float)(1 - highest),
			.is_content = is_visible[i] && highest <= max_quota,
		};
		trace_reason(input->trace, i,
			     highest <= max_quota
				     ? "link quota %.2f at most "
				       "around it, limit %.2f"
				     : "link quota %.2f of a block "
				       "around it, over %.2f",
			     highest, max_quota);
	}
}

#define LQF(name_, summary_, parameters_)                                 \
	{                                                                 \
		.name = (name_), .summary = (summary_),                   \
		.source = "Mantratzis, Orgun, Cassidy, Separating XHTML " \
			  "Content from Navigation Clutter Using "        \
			  "DOM-Structure Block Analysis, HYPERTEXT 2005", \
		.parameters = (parameters_), .parameter_count = 1,        \
		.run = lqf_run,                                           \
	}

const struct extractor extractor_lqf_25 =
	LQF("lqf-25", "Blocks with at most a quarter of their text in links.",
	    parameters_25);
const struct extractor extractor_lqf_50 =
	LQF("lqf-50", "Blocks with at most half of their text in links.",
	    parameters_50);
const struct extractor extractor_lqf_75 = LQF(
	"lqf-75", "Blocks with at most three quarters of their text in links.",
	parameters_75);

/*
 * The default penalty is from the source, which chose it for news pages. Other
 * kinds of pages have more tags, so a lower penalty finds more of their content
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */
enum { TAG_PENALTY };

static const struct parameter mss_parameters[] = {
	[TAG_PENALTY] =
		{"tag_penalty", "words", 0, 1000, 3.25,
		 "weight that a tag subtracts from the sum of the words"},
};

static void mss_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	maximum_sum_run(input, input->parameters[TAG_PENALTY], verdicts);
}

const struct extractor extractor_mss = {
	.name = "mss",
	.summary = "The run of source with the highest weight of words minus "
		   "tags.",
	.source = "Pasternack & Roth, Extracting Article Text from the Web "
		  "with Maximum Subsequence Segmentation, WWW 2009 (MSS)",
	PARAMETERS(mss_parameters),
	.run = mss_run,
};
