#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "extract/core/document_walk.h"
#include "extract/core/trace.h"
#include "extract/methods/block_methods.h"
#include "extract/methods/plain.h"
#include "page/page.h"

/*
 * The method df+. Document frequency (df) finds nearly all content, but it
 * keeps text that is new on every page without being content: dates, related
 * articles, the link to the next page (Gottron 2008, section 7). The slot of a
 * text (extract/methods/block_methods.h) separates such text from content. A
 * block of text is content if
 *
 *   1. most of its words are not redundant. A word is redundant if its fragment
 *      is in the same slot of more than a third of the pages. Other slots do
 *      not count, because the headline of an article is in the lists of all
 *      other pages;
 *   2. few of its words are links, or few of the words around it that are not
 *      redundant, because lists of links are content inside an article;
 *   3. the variability of its slot and its content code ratio (from accb)
 *      together reach min_evidence. In a slot that changes with every page a
 *      low ratio is enough; in a slot that repeats the ratio must be high.
 *
 * A block is kept or dropped as a whole, so that a common fragment inside a
 * sentence remains.
 *
 * The rules and defaults were chosen by the results on the news sites of
 * crawl-to-the-future. On documentation sites, where only the frame of the page
 * is template, df keeps more of the content, because df+ drops lists of links
 * and texts that pages of several versions repeat. A logistic regression and
 * boosted trees with the same features were not better (tests/eval/RESULTS.md,
 * "What parameters were chosen by").
 */
enum { DF_PLUS_MAX_RATIO, MAX_LINKS, MIN_EVIDENCE };

static const struct parameter df_plus_parameters[] = {
	[DF_PLUS_MAX_RATIO] = {"max_ratio", "ratio of the cluster's pages", 0,
			       1, 1.0 / 3,
			       "a fragment in the same slot of a larger ratio "
			       "of the pages is template"},
	[MAX_LINKS] = {"max_links", "ratio of the words", 0, 1, 0.3,
		       "a block is template if its words and the words around "
		       "it have a larger ratio in links"},
	[MIN_EVIDENCE] = {"min_evidence",
			  "variability and content code ratio, each 0..1", 0, 2,
			  1.2, "a block is content if their sum reaches this"},
};

/* Number of words on each side of a block that are checked for links. */
enum { NEIGHBOURHOOD = 30 };

/* The features of a block, computed from its own texts. */
struct block_evidence {
	uint32_t words;
	uint32_t redundant; /* words in redundant texts */
	float links;        /* ratio of its words in links */
	float links_around; /* ratio of link words in the words around the block
			       that are not redundant */
	float variability;
	float ratio; /* the highest content code ratio of its texts */
};

struct judge {
	const struct extractor_input *input;
	struct slot_view view;
	const struct verdict *ratios;    /* content code ratios */
	struct block_evidence *findings; /* [view.tree.count] */
};

static const void *df_plus_build_model(const struct sample *sample,
				       const double *values,
				       struct arena *arena)
{
	(void)values;
	return slot_model_build(sample, arena);
}

/*
 * Return true if text `i` is redundant: more than max_ratio of the pages of the
 * cluster have its fragment, and more than max_ratio of the pages of the sample
 * have this fragment in this slot.
 */
static bool is_redundant_text(const struct judge *judge, uint32_t i)
{
	const struct template_counts *counts = judge->input->template_counts;
	double max_ratio = judge->input->parameters[DF_PLUS_MAX_RATIO];
	uint32_t pages = judge->view.frequencies[i];

	return pages > 1 &&
	       (double)counts->document_frequency[i] >
		       (double)counts->page_count * max_ratio &&
	       (double)pages > (double)judge->view.page_count * max_ratio;
}

static void find_words(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->input->page->text_count; i++) {
		struct block_evidence *finding =
			&judge->findings[judge->view.tree.text_blocks[i]];
		uint32_t words = judge->view.words[i];

		if (!judge->view.is_visible[i] || words == 0)
			continue;
		finding->words += words;
		finding->redundant += is_redundant_text(judge, i) ? words : 0;
		if (judge->ratios[i].score > finding->ratio)
			finding->ratio = judge->ratios[i].score;
	}
}

static bool is_fresh_block(const struct block_evidence *finding)
{
	return finding->words > 0 &&
	       (uint64_t)finding->redundant * 2 <= finding->words;
}

/* The fresh blocks, which are not redundant, and prefix sums of their words. */
struct fresh_block_sums {
	uint32_t count;
	const uint32_t *blocks;     /* [count]: indexes of the blocks */
	const uint64_t *words;      /* [count + 1] */
	const uint64_t *link_words; /* [count + 1] */
};

static struct fresh_block_sums sum_fresh(const struct judge *judge)
{
	const struct block_tree *tree = &judge->view.tree;
	struct arena *arena = judge->input->arena;
	uint32_t *blocks = ARENA_NEW(arena, uint32_t, tree->count);
	uint64_t *words = ARENA_NEW(arena, uint64_t, tree->count + 1);
	uint64_t *link_words = ARENA_NEW(arena, uint64_t, tree->count + 1);
	uint32_t count = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct block_counts *own = &tree->blocks[i].own;

		if (!is_fresh_block(&judge->findings[i]))
			continue;
		blocks[count] = i;
		words[count + 1] = words[count] + judge->findings[i].words;
		link_words[count + 1] = link_words[count] + own->link_words;
		count++;
	}
	return (struct fresh_block_sums){count, blocks, words, link_words};
}

/*
 * Return the number of link words before word `position`, counted over the
 * words of all fresh blocks. Within a block, assume that its link words are
 * evenly distributed. `position` must not be before block *at; move *at to its
 * block.
 */
static double links_before(const struct fresh_block_sums *sums,
			   uint64_t position, uint32_t *at)
{
	double words;
	double links;

	while (*at < sums->count && sums->words[*at + 1] <= position)
		(*at)++;
	if (*at == sums->count)
		return (double)sums->link_words[sums->count];
	words = (double)(sums->words[*at + 1] - sums->words[*at]);
	links = (double)(sums->link_words[*at + 1] - sums->link_words[*at]);
	return (double)sums->link_words[*at] +
	       links * (double)(position - sums->words[*at]) / words;
}

/*
 * Compute the ratio of link words in each fresh block, and in the words of
 * fresh blocks around it.
 */
static void find_links(struct judge *judge)
{
	struct fresh_block_sums sums = sum_fresh(judge);
	uint64_t all = sums.words[sums.count];
	uint32_t begin_at = 0;
	uint32_t end_at = 0;

	for (uint32_t i = 0; i < sums.count; i++) {
		const struct block *block =
			&judge->view.tree.blocks[sums.blocks[i]];
		struct block_evidence *finding =
			&judge->findings[sums.blocks[i]];
		uint64_t begin = sums.words[i] > NEIGHBOURHOOD
					 ? sums.words[i] - NEIGHBOURHOOD
					 : 0;
		uint64_t end = sums.words[i + 1] + NEIGHBOURHOOD;

		if (end > all)
			end = all;
		finding->links =
			(float)block->own.link_words / (float)block->own.words;
		finding->links_around =
			(float)((links_before(&sums, end, &end_at) -
				 links_before(&sums, begin, &begin_at)) /
				(double)(end - begin));
	}
}

static float block_evidence_sum(const struct block_evidence *finding)
{
	return finding->words == 0 ? 0 : finding->ratio + finding->variability;
}

static void df_plus_explain(const struct judge *judge,
			    const struct verdict *verdicts)
{
	struct trace *trace = judge->input->trace;
	uint32_t count = judge->input->page->text_count;
	struct figure_point *points =
		ARENA_NEW(trace->arena, struct figure_point, count);

	for (uint32_t i = 0; i < count; i++) {
		const struct block_evidence *finding =
			&judge->findings[judge->view.tree.text_blocks[i]];

		trace_reason(
			trace, i,
			"in this slot of %u of %u pages; in its block %u of %u "
			"words redundant, %.2f in links, around it %.2f; slot "
			"variability %.2f, content code ratio %.2f",
			judge->view.frequencies[i], judge->view.page_count,
			finding->redundant, finding->words,
			(double)finding->links, (double)finding->links_around,
			(double)finding->variability, (double)finding->ratio);
		points[i] = (struct figure_point){
			.x = finding->variability,
			.y = finding->ratio,
			.group = verdicts[i].is_content,
		};
	}
	trace_figure(trace, &(struct figure){
				    .kind = FIGURE_SCATTER,
				    .title = "Texts by evidence",
				    .x_label = "variability of the slot",
				    .y_label = "content code ratio",
				    .points = points,
				    .point_count = count,
			    });
}

static const struct verdict *
content_code_ratios(const struct extractor_input *input)
{
	double defaults[MAX_PARAMETERS];
	struct verdict *verdicts = ARENA_NEW(input->arena, struct verdict,
					     input->page->text_count);

	extractor_defaults(&extractor_accb, defaults);
	extractor_accb.run(
		&(struct extractor_input){
			.page = input->page,
			.parameters = defaults,
			.arena = input->arena,
		},
		verdicts);
	return verdicts;
}

static void df_plus_run(const struct extractor_input *input,
			struct verdict *verdicts)
{
	const double *values = input->parameters;
	struct judge judge = {.input = input};

	assert(input->learned != NULL && input->template_counts != NULL);
	judge.view = slots_view(input->learned, input->page, input->arena);
	judge.ratios = content_code_ratios(input);
	judge.findings = ARENA_NEW(input->arena, struct block_evidence,
				   judge.view.tree.count);
	find_words(&judge);
	find_links(&judge);
	for (uint32_t i = 0; i < judge.view.tree.count; i++)
		judge.findings[i].variability = judge.view.variabilities[i];
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		const struct block_evidence *finding =
			&judge.findings[judge.view.tree.text_blocks[i]];

		verdicts[i] = (struct verdict){
			.score = block_evidence_sum(finding),
			.is_content =
				judge.view.is_visible[i] &&
				is_fresh_block(finding) &&
				((double)finding->links <= values[MAX_LINKS] ||
				 (double)finding->links_around <=
					 values[MAX_LINKS]) &&
				(double)block_evidence_sum(finding) >=
					values[MIN_EVIDENCE],
		};
	}
	if (input->trace != NULL)
		df_plus_explain(&judge, verdicts);
}

const struct extractor extractor_df_plus = {
	.name = "df+",
	.summary =
		"df, then by the other texts in the same slot of the template.",
	.source = "Gottron, Bridging the Gap, 2008, section 7, extended by "
		  "slots and evidence for more precision",
	PARAMETERS(df_plus_parameters),
	.needs = NEEDS_SAMPLE,
	.falls_back = true,
	.learn = df_plus_build_model,
	.run = df_plus_run,
};

/*
 * Ratios are compared as integers, in units of one in three million. A third
 * and every decimal of six digits are exact in this unit, so no rounding error
 * drops a fragment that is on exactly a third of the pages.
 */
static const uint64_t whole = 3000000;

enum { DF_MAX_RATIO };

static const struct parameter df_parameters[] = {
	[DF_MAX_RATIO] = {"max_ratio", "ratio of the cluster's pages", 0, 1,
			  1.0 / 3,
			  "text on a larger ratio of the pages is template"},
};

/*
 * Return true if more than max_ratio of the pages have a fragment. Gottron
 * 2008, sections 6 and 7: "in more than a third of the documents".
 */
static bool is_frequent(uint64_t document_frequency, uint64_t page_count,
			uint64_t max_ratio)
{
	return document_frequency * whole > page_count * max_ratio;
}

static void df_explain(const struct extractor_input *input, uint64_t max_ratio)
{
	const struct template_counts *counts = input->template_counts;

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t frequency = counts->document_frequency[i];
		bool is_over =
			is_frequent(frequency, counts->page_count, max_ratio);

		trace_reason(input->trace, i,
			     "%.3g %% of the cluster's pages hold it, %s "
			     "%.3g %%",
			     100.0 * frequency / fmax(counts->page_count, 1),
			     is_over ? "over" : "not over",
			     100 * input->parameters[DF_MAX_RATIO]);
	}
}

/*
 * Add a figure: the distribution of the texts by the ratio of pages that
 * contain them, and the threshold.
 */
static void df_draw(const struct extractor_input *input,
		    const struct verdict *verdicts, const bool *is_visible)
{
	const struct template_counts *counts = input->template_counts;
	uint32_t text_count = input->page->text_count;
	struct figure_point *points =
		ARENA_NEW(input->trace->arena, struct figure_point, text_count);
	struct figure figure = {
		.kind = FIGURE_HISTOGRAM,
		.title = "Document frequency of the page's texts",
		.x_label = "pages of the cluster that hold the text",
		.y_label = "visible texts",
		.points = points,
		.has_threshold = true,
		.threshold = (float)(input->parameters[DF_MAX_RATIO] *
				     counts->page_count),
	};

	for (uint32_t i = 0; i < text_count; i++)
		if (is_visible[i])
			points[figure.point_count++] = (struct figure_point){
				.x = (float)counts->document_frequency[i],
				.group = verdicts[i].is_content,
			};
	trace_figure(input->trace, &figure);
}

static void df_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	const struct template_counts *counts = input->template_counts;
	const bool *is_visible = visible_texts(input->arena, input->page);
	uint64_t max_ratio = (uint64_t)llround(input->parameters[DF_MAX_RATIO] *
					       (double)whole);

	assert(counts != NULL);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t frequency = counts->document_frequency[i];

		verdicts[i] = (struct verdict){
			.score = frequency < counts->page_count
					 ? 1 - (float)frequency /
							   (float)counts
								   ->page_count
					 : (float)(frequency == 0),
			.is_content =
				is_visible[i] &&
				!is_frequent(frequency, counts->page_count,
					     max_ratio),
		};
	}
	if (input->trace == NULL)
		return;
	df_explain(input, max_ratio);
	df_draw(input, verdicts, is_visible);
}

const struct extractor extractor_df = {
	.name = "df",
	.summary = "Text that few other pages of the same template hold.",
	.source = "Gottron, Bridging the Gap: From Multi Document Template "
		  "Detection to Single Document Content Extraction, 2008, "
		  "section 6",
	PARAMETERS(df_parameters),
	.needs = NEEDS_COUNTS,
	.falls_back = true,
	.run = df_run,
};
