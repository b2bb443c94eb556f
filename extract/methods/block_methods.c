#include "extract/methods/block_methods.h"

#include <assert.h>
#include <math.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "extract/core/document_walk.h"
#include "extract/core/extractor.h"
#include "extract/core/numeric.h"
#include "extract/core/trace.h"
#include "extract/methods/plain.h"
#include "extract/methods/tag_ratio_methods.h"
#include "extract/text/block.h"
#include "extract/text/fragment.h"
#include "extract/text/token_stream.h"
#include "extract/text/word.h"
#include "page/page.h"

#define ALPHA         0.5
#define BETA          (-0.5)
#define GAMMA_HAN     12.0
#define GAMMA_LETTERS 75.0
#define GAMMA_UNKNOWN 1.0

static bool is_han(uint32_t code)
{
	return (code >= 0x3041 && code <= 0x30FF) ||
	       (code >= 0x3400 && code <= 0x9FFF) ||
	       (code >= 0xF900 && code <= 0xFAFF) ||
	       (code >= 0x20000 && code <= 0x3FFFF);
}

static bool is_cell_letter(uint32_t code)
{
	if (code < 0x80)
		return (code | 0x20) >= 'a' && (code | 0x20) <= 'z';
	return code >= 0xC0 && code < 0x1F000 && !is_han(code) &&
	       !(code >= 0x2000 && code <= 0x303F) &&
	       !(code >= 0xE000 && code <= 0xFFFF);
}

/* Return true if the character is a mark that ends a sentence. */
static bool is_stop(uint32_t code)
{
	switch (code) {
	case '.':
	case '!':
	case '?':
	case 0x0589: /* Armenian */
	case 0x061F: /* Arabic question mark */
	case 0x06D4: /* Urdu */
	case 0x0964: /* danda */
	case 0x2026: /* ellipsis */
	case 0x3002: /* ideographic full stop */
	case 0xFF01: /* full width ! . ? */
	case 0xFF0E:
	case 0xFF1F:
		return true;
	default:
		return false;
	}
}

/* Return true if the character is a mark that ends a clause. */
static bool is_pause(uint32_t code)
{
	switch (code) {
	case ',':
	case ';':
	case ':':
	case 0x060C: /* Arabic comma and semicolon */
	case 0x061B:
	case 0x3001: /* ideographic comma */
	case 0xFF0C: /* full width , : ; */
	case 0xFF1A:
	case 0xFF1B:
		return true;
	default:
		return false;
	}
}

/*
 * Return true for a quotation mark or bracket that may follow the full stop of
 * a sentence.
 */
static bool is_closing_mark(uint32_t code)
{
	switch (code) {
	case '"':
	case '\'':
	case ')':
	case ']':
	case 0xBB:
	case 0x2019:
	case 0x201D:
	case 0x300D:
	case 0x300F:
	case 0xFF09:
		return true;
	default:
		return false;
	}
}

/*
 * An ASCII mark counts only if no letter or digit follows it, so the marks in
 * 3.14, example.com and 10:30 do not count.
 */
struct cell_features cell_features_of(struct slice text)
{
	const unsigned char *at = text.data;
	const unsigned char *end = at == NULL ? NULL : at + text.size;
	struct cell_features features = {0};
	bool is_after_space = true;
	bool is_after_mark = false;

	while (at < end) {
		uint32_t code = utf8_next(&at, end);
		bool space = code <= ' ' || code == 0xA0 || code == 0x3000 ||
			     (code >= 0x2000 && code <= 0x200B) ||
			     code == 0xFEFF;
		bool is_mark = is_stop(code) || is_pause(code);

		if (is_after_mark && !is_cell_letter(code) &&
		    !(code >= '0' && code <= '9'))
			features.punctuation++;
		is_after_mark = is_mark && code < 0x80;
		features.punctuation += is_mark && code >= 0x80;
		features.length += !(space && is_after_space);
		is_after_space = space;
		if (!space && !is_closing_mark(code))
			features.is_stopped = is_stop(code);
	}
	features.punctuation += is_after_mark;
	/* do not count a space at the end */
	if (is_after_space && features.length > 0)
		features.length--;
	return features;
}

double cell_score(const struct cell_features *features, double gamma)
{
	return (features->length / gamma + features->punctuation) *
	       (features->is_stopped ? 1 + ALPHA : 1) *
	       (features->is_anchor ? 1 + BETA : 1) * features->visible;
}

double cells_gamma(const struct page *page, const bool *is_visible)
{
	double han = 0;
	double letters = 0;

	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slice text = page_text(page, i);
		const unsigned char *at = text.data;
		const unsigned char *end = at + text.size;

		while (is_visible[i] && at < end) {
			uint32_t code = utf8_next(&at, end);

			han += is_han(code);
			letters += is_cell_letter(code);
		}
	}
	if (han == 0 && letters == 0)
		return GAMMA_UNKNOWN;
	return han / GAMMA_HAN > letters / GAMMA_LETTERS ? GAMMA_HAN
							 : GAMMA_LETTERS;
}

/*
 * Return the position in source order of the first visible text from position
 * `rank` on, or text_count if no visible text follows.
 */
static uint32_t next_visible(const struct page *page, const bool *is_visible,
			     uint32_t rank)
{
	while (rank < page->text_count &&
	       !is_visible[page_text_in_source(page, rank)])
		rank++;
	return rank;
}

/*
 * Return the offset in the source of the text at position `rank` in source
 * order; if there is no such text, the end of the source.
 */
static uint32_t begin_of(const struct page *page, uint32_t rank)
{
	return rank < page->text_count
		       ? page->texts[page_text_in_source(page, rank)]
				 .source.begin
		       : (uint32_t)page->source.size;
}

struct cells cells_of_page(struct arena *arena, const struct page *page,
			   const bool *is_visible, uint32_t blank_bytes)
{
	double gamma = cells_gamma(page, is_visible);
	struct cells cells = {0};
	uint32_t rank = next_visible(page, is_visible, 0);
	uint32_t left = begin_of(page, rank);
	size_t count = page->source.size / blank_bytes;

	assert(blank_bytes >= 1);
	for (uint32_t i = 0; i < page->text_count; i++)
		count += is_visible[i];
	cells.items = ARENA_NEW(arena, struct mountain_cell, count);
	while (rank < page->text_count) {
		uint32_t i = page_text_in_source(page, rank);
		uint32_t next = next_visible(page, is_visible, rank + 1);
		bool is_last = next == page->text_count;
		uint32_t right =
			begin_of(page, next) - page->texts[i].source.end;
		struct cell_features features =
			cell_features_of(page_text(page, i));
		double visible;

		features.is_anchor = (page->texts[i].flags & TEXT_IS_LINK) != 0;
		/*
		 * V: the cell's part of the source is from the middle of the
		 * gap before the text to the middle of the gap after it. The
		 * first gap begins at the start of the page, and the last ends
		 * at its end.
		 */
		visible =
			page->texts[i].source.end - page->texts[i].source.begin;
		features.visible = visible / (visible + (left + right) / 2.0);
		cells.items[cells.count++] = (struct mountain_cell){
			i, (float)cell_score(&features, gamma)};
		for (uint32_t k = right / blank_bytes; !is_last && k > 0; k--)
			cells.items[cells.count++].text = NO_TEXT;
		left = right;
		rank = next;
	}
	return cells;
}

/* Return the value that is added to the score of cell `n` (eq. 2). */
static double cell_uplift(const float *scores, uint32_t count, uint32_t n,
			  uint32_t window)
{
	uint32_t begin = n < window / 2 ? 0 : n - window / 2;
	uint32_t end = count - n <= window / 2 ? count : n + window / 2 + 1;
	double mean = 0;
	double sum = 0;

	for (uint32_t i = begin; i < end; i++)
		mean += (double)scores[i];
	mean /= end - begin;
	for (uint32_t i = begin; i < end; i++) {
		uint32_t distance = i < n ? n - i : i - n;
		double weight = distance <= 4 ? 1 - distance * 0.2 : 0.1;

		if (i != n) /* eq. 3 */
			sum += ((double)scores[i] - mean) * weight;
	}
	return sum / (window - 1);
}

void cells_smooth(struct arena *arena, struct cells *cells, uint32_t window)
{
	float *scores = ARENA_NEW(arena, float, cells->count);

	if (window <= 1)
		return;
	for (uint32_t i = 0; i < cells->count; i++)
		scores[i] = cells->items[i].score;
	for (uint32_t i = 0; i < cells->count; i++)
		cells->items[i].score +=
			(float)cell_uplift(scores, cells->count, i, window);
}

static double f_log_f(uint32_t f)
{
	return f == 0 ? 0 : f * log(f);
}

void entropy_add(struct entropy *entropy, uint32_t page)
{
	if (entropy->page != page + 1) {
		entropy->page = page + 1;
		entropy->on_page = 0;
	}
	entropy->sum -= f_log_f(entropy->on_page);
	entropy->sum += f_log_f(++entropy->on_page);
	entropy->total++;
}

/*
 * With T = total, -sum (f / T) ln (f / T) = ln T - (sum f ln f) / T, because
 * sum f = T.
 */
double entropy_value(const struct entropy *entropy, uint32_t page_count)
{
	double value;

	if (page_count < 2 || entropy->total == 0)
		return 0;
	value = log(entropy->total) - entropy->sum / entropy->total;
	return fmin(fmax(value / log(page_count), 0), 1);
}

/*
 * The ratio of text in the whole content of each block. FeatureExtractor (fe)
 * and K-FeatureExtractor (kfe) choose blocks by it (Debnath, Mitra, Giles,
 * Identifying Content Blocks from Web Documents, 2005).
 */

struct feature_ratios {
	const bool *is_visible; /* [page->text_count] */
	struct block_tree tree;
	/* [tree.count], in [0, 1]; 0 for a block without own text */
	const float *ratios;
	/*
	 * [count], ascending: the blocks that have visible own text; only these
	 * can be chosen
	 */
	const uint32_t *blocks;
	uint32_t count;
};

/*
 * The row of the parameter `weight` of fe and kfe. The source does not define
 * how many words an image counts as. With this weight, kfe has the highest mean
 * word F1 over five sets (tests/eval/RESULTS.md, "What parameters were chosen
 * by").
 */
#define FEATURE_WEIGHT                                                   \
	{                                                                \
		"weight", "words", 0, 1000, 3,                           \
			"weight of a link, image, item, field or script" \
	}

/*
 * Compute the ratio words / (words + weight * others) of each block, without
 * the blocks inside it. "words" is the number of words outside of links;
 * "others" is the number of links, images, items, fields and scripts. The
 * result belongs to input->arena. Linear.
 */
static struct feature_ratios
feature_ratios_make(const struct extractor_input *input, double weight)
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
		double text = own->words - own->link_words;
		double others = (double)own->links + own->images + own->items +
				own->fields + own->scripts;

		if (own->texts == 0)
			continue;
		if (text > 0)
			ratios[i] = (float)(text / (text + weight * others));
		blocks[count++] = i;
	}
	return (struct feature_ratios){is_visible, tree, ratios, blocks, count};
}

/*
 * Set the verdicts: the visible texts of the blocks with is_kept [tree.count]
 * are content, and the score of a text is its block's ratio. Add a figure to
 * the trace with the ratio and words of every block; kept blocks are a separate
 * group.
 */
static void feature_ratios_judge(const struct extractor_input *input,
				 const struct feature_ratios *ratios,
				 const bool *is_kept, struct verdict *verdicts)
{
	struct figure figure = {
		.kind = FIGURE_SCATTER,
		.title = "Blocks by their content",
		.x_label = "ratio of text",
		.y_label = "words",
		.point_count = ratios->count,
	};
	struct figure_point *points;

	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios->tree.text_blocks[i];

		verdicts[i] = (struct verdict){
			.score = ratios->ratios[block],
			.is_content = ratios->is_visible[i] && is_kept[block],
		};
	}
	if (input->trace == NULL)
		return;
	points = ARENA_NEW(input->trace->arena, struct figure_point,
			   ratios->count);
	for (uint32_t i = 0; i < ratios->count; i++) {
		uint32_t block = ratios->blocks[i];

		points[i] = (struct figure_point){
			.x = ratios->ratios[block],
			.y = (float)ratios->tree.blocks[block].own.words,
			.group = is_kept[block],
		};
	}
	figure.points = points;
	trace_figure(input->trace, &figure);
}

/*
 * The method fe keeps only one block. One block is hardly ever the whole
 * content, so the precision is high but the recall is low. The authors of CETR
 * measured a mean F1 of .073 (WWW 2010), and the F1 of this implementation is
 * low on every set, too (tests/eval/RESULTS.md). This is a property of the
 * method and not a bug. The method kfe keeps all blocks with a similar ratio.
 */
enum { FE_WEIGHT };

static const struct parameter fe_parameters[] = {[FE_WEIGHT] = FEATURE_WEIGHT};

/*
 * Keep the block with the highest ratio of text. Many blocks of a page contain
 * only text and so have the same ratio. The source keeps one of them but does
 * not define which. Here it is the block with the most words.
 */
static void fe_run(const struct extractor_input *input,
		   struct verdict *verdicts)
{
	struct feature_ratios ratios =
		feature_ratios_make(input, input->parameters[FE_WEIGHT]);
	const struct block *blocks = ratios.tree.blocks;
	bool *is_kept = ARENA_NEW(input->arena, bool, ratios.tree.count);
	uint32_t best = NO_BLOCK;

	for (uint32_t i = 0; i < ratios.count; i++) {
		uint32_t block = ratios.blocks[i];
		float ratio = ratios.ratios[block];

		if (best == NO_BLOCK || ratio > ratios.ratios[best] ||
		    (ratio == ratios.ratios[best] &&
		     blocks[block].own.words > blocks[best].own.words))
			best = block;
	}
	if (best != NO_BLOCK)
		is_kept[best] = true;
	feature_ratios_judge(input, &ratios, is_kept, verdicts);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios.tree.text_blocks[i];

		trace_reason(input->trace, i,
			     "text is %.2f of its block of %u words, which is "
			     "%sthe best one",
			     (double)ratios.ratios[block],
			     blocks[block].own.words,
			     block == best ? "" : "not ");
	}
}

const struct extractor extractor_fe = {
	.name = "fe",
	.summary = "The block with the highest ratio of text.",
	.source = "Debnath, Mitra, Giles, Identifying Content Blocks from Web "
		  "Documents, ISMIS 2005: FeatureExtractor",
	PARAMETERS(fe_parameters),
	.run = fe_run,
};

enum { CLUSTERS, KFE_WEIGHT };

static const struct parameter kfe_parameters[] = {
	[CLUSTERS] =
		{"clusters", "", 2, MAX_CLUSTERS, 3,
		 "number of clusters of blocks; the highest one is content"},
	[KFE_WEIGHT] = FEATURE_WEIGHT,
};

/*
 * Divide the blocks into clusters by their ratios, and keep the blocks of the
 * cluster with the highest ratios.
 */
static void kfe_run(const struct extractor_input *input,
		    struct verdict *verdicts)
{
	struct feature_ratios ratios =
		feature_ratios_make(input, input->parameters[KFE_WEIGHT]);
	struct kmeans_point *points =
		ARENA_NEW(input->arena, struct kmeans_point, ratios.count);
	bool *is_kept = ARENA_NEW(input->arena, bool, ratios.tree.count);
	struct kmeans kmeans;

	for (uint32_t i = 0; i < ratios.count; i++)
		points[i].x = ratios.ratios[ratios.blocks[i]];
	kmeans = kmeans_run(input->arena, points, ratios.count,
			    (uint32_t)input->parameters[CLUSTERS], false);
	for (uint32_t i = 0; i < ratios.count; i++)
		is_kept[ratios.blocks[i]] =
			kmeans.clusters[i] + 1U == kmeans.count;
	feature_ratios_judge(input, &ratios, is_kept, verdicts);
	for (uint32_t i = 0; i < input->page->text_count; i++) {
		uint32_t block = ratios.tree.text_blocks[i];

		trace_reason(
			input->trace, i,
			"text is %.2f of its block, %s the highest cluster",
			(double)ratios.ratios[block],
			is_kept[block] ? "in" : "below");
	}
}

const struct extractor extractor_kfe = {
	.name = "kfe",
	.summary = "The blocks with a high ratio of text.",
	.source = "Debnath, Mitra, Giles, Identifying Content Blocks from Web "
		  "Documents, ISMIS 2005: K-FeatureExtractor",
	PARAMETERS(kfe_parameters),
	.run = kfe_run,
};

/* The text of a block, or a fragment, within one slot. */
struct slot_occurrence {
	uint64_t key; /* hash of the text and the slot */
	uint64_t slot;
	uint64_t words; /* sum over all occurrences */
	uint32_t pages; /* a set of pages of the sample, one bit each */
};

/*
 * Sums over the blocks in a slot. For a page that is not in the sample, an
 * extra struct has the differences that this page makes, so unique_words may be
 * below 0.
 */
struct block_slot {
	uint64_t key;
	int64_t words;
	int64_t unique_words; /* in texts that only one page has in this slot */
};

struct slot_model {
	struct sample_pages pages;
	struct hash_table fragments; /* of struct slot_occurrence */
	struct hash_table blocks;    /* of struct slot_occurrence */
	struct hash_table slots;     /* of struct block_slot */
};

/* The texts and blocks of a page, by slot. */
struct page_slots {
	const bool *is_visible;        /* [text_count] */
	const uint32_t *words;         /* [text_count] */
	struct slot_occurrence *texts; /* [text_count] */
	struct block_tree tree;
	struct slot_occurrence *blocks; /* [tree.count] */
};

static uint64_t slot_path(const uint64_t *paths, uint32_t node)
{
	return node == NO_NODE ? 1 : paths[node];
}

static struct page_slots find_page_slots(struct arena *arena,
					 const struct page *page)
{
	const struct fragment *fragments = fragments_of_page(arena, page);
	const uint64_t *paths = node_paths(arena, page, true);
	const bool *is_visible = visible_texts(arena, page);
	uint32_t *words = ARENA_NEW(arena, uint32_t, page->text_count);
	struct page_slots places = {
		.is_visible = is_visible,
		.words = words,
		.texts = ARENA_NEW(arena, struct slot_occurrence,
				   page->text_count),
		.tree = block_tree_make(arena, page, is_visible),
	};

	places.blocks =
		ARENA_NEW(arena, struct slot_occurrence, places.tree.count);
	for (uint32_t i = 0; i < places.tree.count; i++)
		places.blocks[i].slot =
			slot_path(paths, places.tree.blocks[i].node);
	for (uint32_t i = 0; i < page->text_count; i++) {
		struct slot_occurrence *text = &places.texts[i];
		struct slot_occurrence *block =
			&places.blocks[places.tree.text_blocks[i]];

		words[i] = word_count(page_text(page, i));
		text->slot = slot_path(paths, page->texts[i].node);
		text->key = hash_chain(fragments[i].hash, text->slot);
		text->words = is_visible[i] ? words[i] : 0;
		if (is_visible[i])
			block->key = hash_chain(fragments[i].hash, block->key);
		block->words += text->words;
	}
	for (uint32_t i = 0; i < places.tree.count; i++)
		places.blocks[i].key =
			hash_chain(places.blocks[i].key, places.blocks[i].slot);
	return places;
}

/*
 * Count the entries of standings [count] that have words, in the table. `bits`
 * is the page as a set of pages of the sample.
 */
static void note_occurrences(struct hash_table *table,
			     const struct slot_occurrence *standings,
			     uint32_t count, uint32_t bits)
{
	for (uint32_t i = 0; i < count; i++) {
		struct slot_occurrence *standing;

		if (standings[i].words == 0)
			continue;
		assert(bits != 0);
		standing = hash_table_add(table, standings[i].key);
		standing->slot = standings[i].slot;
		standing->words += standings[i].words;
		standing->pages |= bits;
	}
}

static void sum_slots(struct slot_model *known)
{
	for (uint32_t i = 0; i < known->blocks.count; i++) {
		const struct slot_occurrence *block =
			hash_table_entry(&known->blocks, i);
		struct block_slot *slot =
			hash_table_add(&known->slots, block->slot);

		slot->words += (int64_t)block->words;
		if (sample_size(block->pages) == 1)
			slot->unique_words += (int64_t)block->words;
	}
}

const struct slot_model *slot_model_build(const struct sample *sample,
					  struct arena *arena)
{
	struct slot_model *known = ARENA_NEW(arena, struct slot_model, 1);
	struct arena *scratch = arena_create();
	struct hash_table fragments =
		hash_table_make(scratch, sizeof(struct slot_occurrence));
	struct hash_table blocks =
		hash_table_make(scratch, sizeof(struct slot_occurrence));

	assert(sample->count >= 1 && sample->count <= MAX_SAMPLE_PAGES);
	known->pages = sample_pages_of(sample);
	known->slots = hash_table_make(arena, sizeof(struct block_slot));
	for (uint32_t i = 0; i < sample->count; i++) {
		const struct page *page = sample->pages[i];
		struct arena *own = arena_create();
		struct page_slots places = find_page_slots(own, page);

		note_occurrences(&fragments, places.texts, page->text_count,
				 1U << i);
		note_occurrences(&blocks, places.blocks, places.tree.count,
				 1U << i);
		arena_destroy(own);
	}
	known->fragments = hash_table_copy(arena, &fragments);
	known->blocks = hash_table_copy(arena, &blocks);
	sum_slots(known);
	arena_destroy(scratch);
	return known;
}

/*
 * Return how the sums of the slots change if a page is counted that is not in
 * the sample: a table of struct block_slot. All words of the page are added to
 * `words`. If no page of the sample has a text of this page in the same slot,
 * its words are unique. If exactly one page of the sample has the text there,
 * its words were unique before, but now they are not.
 */
static struct hash_table sum_own_slots(const struct slot_model *known,
				       const struct page_slots *places,
				       struct arena *arena)
{
	struct hash_table blocks =
		hash_table_make(arena, sizeof(struct slot_occurrence));
	struct hash_table slots =
		hash_table_make(arena, sizeof(struct block_slot));

	note_occurrences(&blocks, places->blocks, places->tree.count, 1);
	for (uint32_t i = 0; i < blocks.count; i++) {
		const struct slot_occurrence *mine =
			hash_table_entry(&blocks, i);
		const struct slot_occurrence *other =
			hash_table_find(&known->blocks, mine->key);
		struct block_slot *slot = hash_table_add(&slots, mine->slot);

		slot->words += (int64_t)mine->words;
		if (other == NULL)
			slot->unique_words += (int64_t)mine->words;
		else if (sample_size(other->pages) == 1)
			slot->unique_words -= (int64_t)other->words;
	}
	return slots;
}

static float block_slot_variability(const struct slot_model *known,
				    const struct hash_table *own_slots,
				    uint64_t key)
{
	const struct block_slot *slots[] = {hash_table_find(&known->slots, key),
					    hash_table_find(own_slots, key)};
	int64_t words = 0;
	int64_t unique_words = 0;

	for (int i = 0; i < 2; i++) {
		words += slots[i] == NULL ? 0 : slots[i]->words;
		unique_words += slots[i] == NULL ? 0 : slots[i]->unique_words;
	}
	if (words <= 0 || unique_words <= 0)
		return 0;
	return unique_words >= words ? 1 : (float)unique_words / (float)words;
}

struct slot_view slots_view(const struct slot_model *known,
			    const struct page *page, struct arena *arena)
{
	bool is_in_sample = sample_bit(&known->pages, page) != 0;
	struct page_slots places = find_page_slots(arena, page);
	uint32_t *frequencies = ARENA_NEW(arena, uint32_t, page->text_count);
	float *variabilities = ARENA_NEW(arena, float, places.tree.count);
	struct hash_table own =
		hash_table_make(arena, sizeof(struct block_slot));

	if (!is_in_sample)
		own = sum_own_slots(known, &places, arena);
	for (uint32_t i = 0; i < page->text_count; i++) {
		const struct slot_occurrence *found =
			hash_table_find(&known->fragments, places.texts[i].key);
		uint32_t pages = found == NULL ? 0 : sample_size(found->pages);

		frequencies[i] = pages + !(is_in_sample && pages > 0);
	}
	for (uint32_t i = 0; i < places.tree.count; i++)
		variabilities[i] = block_slot_variability(
			known, &own, places.blocks[i].slot);
	assert(places.tree.count >= 1);
	return (struct slot_view){
		.page_count = known->pages.count + (is_in_sample ? 0 : 1),
		.is_visible = places.is_visible,
		.words = places.words,
		.frequencies = frequencies,
		.tree = places.tree,
		.variabilities = variabilities,
	};
}
