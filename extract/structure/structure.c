#include "extract/structure/structure.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/limit.h"
#include "extract/core/numeric.h"
#include "extract/text/class_words.h"
#include "page/page.h"
#include "page/page_class.h"
#include "page/scanner.h"

#define NONE UINT32_MAX

/* Scores are divided by the threshold, which may be 0. */
#define MIN_THRESHOLD 0.01

/* Only a choice for recall has elements of the frame below this score. */
#define FRAME_SCORE 0.5

enum {
	MAX_LEVELS = 6,     /* containers in which kept neighbours are searched
			     */
	MAX_GAP_NODES = 48, /* elements of a gap whose classes are read */
	MAX_WRAPPERS = 8,   /* elements around a unit without other text */
	MAX_IMAGE_NODES = 16, /* elements after a heading that may be images */
	MAX_CELL_WORDS = 40,  /* in a table of data */
	MIN_CELLS = 4,        /* of a table of data */
	NEAR_WORDS = 5,       /* that are not kept next to a short text */
	FAR_WORDS = 25,       /* that are not kept next to a unit */
	PROSE_WORDS = 12,     /* of a long text */
	MAX_CLASS_BYTES = 1024, /* longer attributes are not read: a run reads
				   them often */
	MAX_RUN_WORDS = 400,
	MIN_SECTION_WORDS = 100, /* kept in a section that is completed */
	MAX_NOTES = LIMIT(4096, 16),
	MAX_MARK_LENGTH = 8, /* bytes of the first text of a mark */
	MAX_MARK_TEXTS = 3,
	MAX_NOTE_WORDS = 150,
	HEADING_LEVELS = 6,
};

enum unit_kind {
	UNIT_NONE,
	UNIT_HEADING,
	UNIT_CODE,
	UNIT_TABLE,
	UNIT_TERMS, /* dl */
	UNIT_FIGURE,
	UNIT_DETAILS,
	UNIT_QUOTE,
	UNIT_LIST,
	UNIT_KIND_COUNT
};

/*
 * A unit is kept as a whole if the ratio of its kept words is at least `keep`,
 * and dropped if it is below `drop`. Longer units than `words` do not change.
 */
static const struct {
	float keep;
	float drop;
	uint32_t words;
} unit_limits[UNIT_KIND_COUNT] = {
	[UNIT_CODE] = {.keep = 0.25F, .drop = 0.25F, .words = 2000},
	[UNIT_TABLE] = {.keep = 0.2F, .drop = 0.2F, .words = 2000},
	[UNIT_TERMS] = {.keep = 0.5F, .drop = 0.3F, .words = 500},
	[UNIT_FIGURE] = {.keep = 0.5F, .drop = 0.3F, .words = 500},
	[UNIT_DETAILS] = {.keep = 0.5F, .drop = 0.3F, .words = 1000},
	[UNIT_QUOTE] = {.keep = 0.5F, .words = 300},
	[UNIT_LIST] = {.keep = 0.7F, .words = 500},
};

/*
 * Class names of the page's frame. Callouts and tabs of an article have names
 * of boxes too.
 */
#define GROUPS_OF_BOXES (1U << GROUP_POPUP | 1U << GROUP_NAVIGATION)
#define GROUPS_OF_FRAME                                               \
	(GROUPS_OF_BOXES | 1U << GROUP_FOOTER | 1U << GROUP_COMMENT | \
	 1U << GROUP_RELATED | 1U << GROUP_SOCIAL |                   \
	 1U << GROUP_ADVERTISEMENT | 1U << GROUP_FILTER)
/* Elements that have no long text, and in the second row mostly links. */
#define GROUPS_OF_BARS                                                   \
	(1U << GROUP_FOOTER | 1U << GROUP_SIDEBAR | 1U << GROUP_SOCIAL | \
	 1U << GROUP_ADVERTISEMENT | 1U << GROUP_FILTER)
#define GROUPS_OF_LINKS \
	(1U << GROUP_NAVIGATION | 1U << GROUP_COMMENT | 1U << GROUP_RELATED)
/* Embedded posts and posts of forums are quotes with such names. */
#define GROUPS_OF_QUOTES (1U << GROUP_SOCIAL | 1U << GROUP_COMMENT)
#define GROUPS_OF_CARDS  (1U << GROUP_ACTION | 1U << GROUP_ITEM)

struct structure {
	const struct structure_input *input;
	const struct passages *passages;
	const struct page *page;
	bool *is_kept; /* [count] */
	/* [count + 1]: numbers before a passage, when sum_up() ran last */
	uint32_t *kept_count;
	uint32_t *kept_words;
	uint32_t *next_kept; /* [count + 1]: itself or a later passage, or NONE
			      */
	uint32_t last_kept;  /* nearest before the current gap, or NONE */
	uint32_t prose_end;  /* end of the last gap that was kept after a long
				text */
};

struct gap {
	uint32_t node; /* its outermost element; NO_NODE: a single passage */
	struct passage_range range;
	struct passage_sums sums;
	double score; /* highest score of its passages, divided by the
			 threshold */
	enum unit_kind kind;
	uint32_t groups; /* of the classes in it, bits of enum class_group */
	/* words between it and the nearest kept passages in `container`, or
	 * NONE */
	uint32_t before;
	uint32_t after;
	uint32_t levels; /* elements between it and the container that has kept
			    passages before and after it */
	uint32_t body_words;  /* kept words of the nearest element with any */
	float body_ratio;     /* these, divided by the words of that element
				 without the gap */
	uint32_t body_levels; /* elements between it and that element */
	bool follows_heading;
	bool follows_colon;
	bool follows_prose;  /* the kept passage before it is a long text */
	bool precedes_prose; /* the kept passage after it is a long text */
	bool precedes_heading;
	bool has_image;
	bool has_code; /* or a formula */
	bool has_input;
	bool is_callout; /* a class in it is of boxes such as notes and warnings
			  */
	bool is_repeat;  /* it was not chosen only because it is a repeat */
	bool is_in_form;
};

static enum unit_kind unit_kind_of(uint16_t tag)
{
	switch (tag) {
	case TAG_pre:
		return UNIT_CODE;
	case TAG_table:
		return UNIT_TABLE;
	case TAG_dl:
		return UNIT_TERMS;
	case TAG_figure:
		return UNIT_FIGURE;
	case TAG_details:
		return UNIT_DETAILS;
	case TAG_blockquote:
		return UNIT_QUOTE;
	case TAG_ul:
	case TAG_ol:
		return UNIT_LIST;
	default:
		return (tag_flags(tag) & TAG_IS_HEADING) != 0 ? UNIT_HEADING
							      : UNIT_NONE;
	}
}

/*
 * Return true if passage `i` may be added: readers see it or is_hidden is true,
 * and it is no button, except a button that is a heading.
 */
static bool may_add(const struct structure *structure, uint32_t i,
		    bool is_hidden)
{
	const struct page *page = structure->page;
	const struct passage *passage = &structure->passages->items[i];
	uint32_t parent;

	if (passage->place != PLACE_PLAIN ||
	    (passage->hiding != HIDING_NONE && !is_hidden) ||
	    !structure->input->is_showable[passage->first_text])
		return false;
	if (passage->node == NO_NODE ||
	    page->nodes[passage->node].tag != TAG_button ||
	    text_is(page_attribute(page, passage->node, "role"), "tab"))
		return true;
	parent = page->nodes[passage->node].parent;
	return parent != NO_NODE &&
	       (tag_flags(page->nodes[parent].tag) & TAG_IS_HEADING) != 0;
}

/* Keep the passages that may be added; if is_hidden, also hidden ones. */
static void keep_range(struct structure *structure, struct passage_range range,
		       bool is_hidden)
{
	for (uint32_t i = range.begin; i < range.end; i++)
		structure->is_kept[i] = structure->is_kept[i] ||
					may_add(structure, i, is_hidden);
}

/*
 * Return true if no kept passage is visible, as in the panel of a tab that is
 * not open.
 */
static bool is_hidden_range(const struct structure *structure,
			    struct passage_range range)
{
	for (uint32_t i = range.begin; i < range.end; i++)
		if (structure->is_kept[i] &&
		    structure->passages->items[i].hiding == HIDING_NONE)
			return false;
	return true;
}

static void drop_range(struct structure *structure, struct passage_range range)
{
	for (uint32_t i = range.begin; i < range.end; i++)
		structure->is_kept[i] = false;
}

/* Compute the sums and `next_kept` from is_kept. */
static void sum_up(struct structure *structure)
{
	const struct passages *passages = structure->passages;
	uint32_t next = NONE;

	for (uint32_t i = 0; i < passages->count; i++) {
		const struct passage *passage = &passages->items[i];
		bool is_kept = structure->is_kept[i];
		uint32_t words = is_kept && passage->place == PLACE_PLAIN
					 ? passage->words
					 : 0;

		structure->kept_count[i + 1] =
			structure->kept_count[i] + is_kept;
		structure->kept_words[i + 1] = structure->kept_words[i] + words;
	}
	structure->next_kept[passages->count] = NONE;
	for (uint32_t i = passages->count; i-- > 0;) {
		next = structure->is_kept[i] ? i : next;
		structure->next_kept[i] = next;
	}
}

static uint32_t kept_count_in(const struct structure *structure,
			      struct passage_range range)
{
	return structure->kept_count[range.end] -
	       structure->kept_count[range.begin];
}

static uint32_t kept_words_in(const struct structure *structure,
			      struct passage_range range)
{
	return structure->kept_words[range.end] -
	       structure->kept_words[range.begin];
}

/* Return the attribute of a node; empty if it is missing or too long. */
static struct slice short_attribute(const struct page *page, uint32_t node,
				    const char *name)
{
	struct slice value = page_attribute(page, node, name);

	return value.size > MAX_CLASS_BYTES ? slice_of("") : value;
}

static uint32_t node_groups(const struct page *page, uint32_t node)
{
	if (page->nodes[node].attribute_count == 0)
		return 0;
	return class_groups_of(short_attribute(page, node, "class")) |
	       class_groups_of(short_attribute(page, node, "id"));
}

/* Return true for a form, a bar of buttons, related links and so on. */
static bool is_frame_element(const struct structure *structure, uint32_t node,
			     struct passage_range range)
{
	struct passage_sums sums = passages_sum(structure->passages, range);
	uint32_t groups;

	if (sums.long_words > 0)
		return false;
	if (structure->page->nodes[node].tag == TAG_form)
		return true;
	groups = node_groups(structure->page, node);
	return (groups & GROUPS_OF_BARS) != 0 ||
	       ((groups & GROUPS_OF_LINKS) != 0 &&
		2 * sums.link_words > sums.words);
}

/*
 * Drop the elements of the frame in which no passage has FRAME_SCORE, but not
 * an element with all that is kept.
 */
static void drop_frames(struct arena *arena, struct structure *structure)
{
	const struct page *page = structure->page;
	const uint32_t count = structure->passages->count;
	/* number of passages with FRAME_SCORE before a passage */
	uint32_t *sure = ARENA_NEW(arena, uint32_t, (size_t)count + 1);

	for (uint32_t i = 0; i < count; i++)
		sure[i + 1] = sure[i] + ((double)structure->input->scores[i] >=
					 FRAME_SCORE);
	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range range =
			passages_inside(structure->passages, i);
		uint32_t kept = kept_count_in(structure, range);

		if (sure[range.begin] != sure[range.end] || kept == 0 ||
		    kept == structure->kept_count[count] ||
		    !is_frame_element(structure, i, range))
			continue;
		drop_range(structure, range);
		i = page->nodes[i].end - 1;
	}
	sum_up(structure);
}

/*
 * Return true if the table has data and does not lay out the page: a grid of
 * short texts, without a table or a title in it. All calls together are linear,
 * because a call ends at the first table inside the table.
 */
static bool is_data_table(const struct structure *structure, uint32_t node,
			  struct passage_range range)
{
	const struct page *page = structure->page;
	uint32_t cells = 0;
	uint32_t rows = 0;

	for (uint32_t i = node + 1; i < page->nodes[node].end; i++) {
		uint16_t tag = page->nodes[i].tag;

		if (tag == TAG_table || tag == TAG_form || tag == TAG_h1 ||
		    tag == TAG_h2)
			return false;
		rows += tag == TAG_tr;
		cells += tag == TAG_td || tag == TAG_th;
	}
	if (cells < MIN_CELLS || rows < 2 || cells < 2 * rows)
		return false;
	for (uint32_t i = range.begin; i < range.end; i++)
		if (structure->passages->items[i].words > MAX_CELL_WORDS)
			return false;
	return true;
}

/* Return true if the unit has become whole or empty. */
static bool round_unit(struct structure *structure, uint32_t node,
		       struct passage_range range)
{
	enum unit_kind kind = unit_kind_of(structure->page->nodes[node].tag);
	struct passage_sums sums = passages_sum(structure->passages, range);
	float kept = ratio(kept_words_in(structure, range), sums.words);

	if (sums.words > unit_limits[kind].words ||
	    2 * sums.link_words > sums.words ||
	    (kind == UNIT_TABLE && !is_data_table(structure, node, range)))
		return false;
	if (kept >= unit_limits[kind].keep)
		keep_range(structure, range,
			   kind == UNIT_CODE &&
				   is_hidden_range(structure, range));
	else if (kept < unit_limits[kind].drop)
		drop_range(structure, range);
	else
		return false;
	return true;
}

/*
 * Make the outermost units of a kind, or with UNIT_NONE of any kind, whole or
 * empty that are kept in part.
 */
static void round_units(struct structure *structure, enum unit_kind only)
{
	const struct page *page = structure->page;

	for (uint32_t i = 0; i < page->node_count; i++) {
		enum unit_kind kind = unit_kind_of(page->nodes[i].tag);
		struct passage_range range;
		uint32_t kept;

		if (unit_limits[kind].words == 0 ||
		    (only != UNIT_NONE && kind != only))
			continue;
		range = passages_inside(structure->passages, i);
		kept = kept_count_in(structure, range);
		if (kept == 0 || kept == range.end - range.begin ||
		    round_unit(structure, i, range))
			i = page->nodes[i].end - 1;
	}
}

/* Return the kind of the unit that has all passages of the gap. */
static enum unit_kind gap_kind(const struct structure *structure,
			       const struct gap *gap)
{
	const struct page *page = structure->page;
	uint32_t end;

	if (gap->node == NO_NODE)
		return UNIT_NONE;
	end = page->nodes[gap->node].end;
	if (end > gap->node + MAX_WRAPPERS)
		end = gap->node + MAX_WRAPPERS;
	for (uint32_t i = gap->node; i < end; i++) {
		struct passage_range inside =
			passages_inside(structure->passages, i);
		enum unit_kind kind = unit_kind_of(page->nodes[i].tag);

		if (inside.begin != gap->range.begin ||
		    inside.end != gap->range.end)
			break;
		if (kind != UNIT_NONE)
			return kind;
	}
	return UNIT_NONE;
}

static bool is_form_tag(uint16_t tag)
{
	return tag == TAG_nav || tag == TAG_footer || tag == TAG_form ||
	       tag == TAG_select || tag == TAG_textarea || tag == TAG_dialog;
}

/* Words of class names in the text of an article. */
static const struct {
	struct slice word;
	bool is_formula; /* otherwise a box */
} unit_words[] = {
#define ROW(word, is_formula)                        \
	{                                            \
		{word, sizeof(word) - 1}, is_formula \
	}
	ROW("MathJax", true),  ROW("admonition", false), ROW("alert", false),
	ROW("callout", false), ROW("caution", false),    ROW("danger", false),
	ROW("hint", false),    ROW("katex", true),       ROW("math", true),
	ROW("mathjax", true),  ROW("note", false),       ROW("notice", false),
	ROW("tip", false),     ROW("warning", false),
#undef ROW
};

/* Set is_callout or has_code if a run of letters is one of unit_words. */
static void gap_read_class(struct gap *gap, struct slice names)
{
	const char *text = names.data;
	size_t at = 0;

	while (at < names.size) {
		size_t begin = at;

		while (at < names.size && is_letter(text[at]))
			at++;
		for (size_t i = 0;
		     i < sizeof(unit_words) / sizeof(unit_words[0]); i++) {
			if (!slice_equal(
				    unit_words[i].word,
				    (struct slice){text + begin, at - begin}))
				continue;
			gap->has_code |= unit_words[i].is_formula;
			gap->is_callout |= !unit_words[i].is_formula;
		}
		at += at == begin;
	}
}

static void gap_read_node(const struct page *page, struct gap *gap,
			  uint32_t node)
{
	uint16_t tag = page->nodes[node].tag;

	gap->is_in_form |= is_form_tag(tag);
	gap->has_image |= tag == TAG_img || tag == TAG_picture;
	gap->has_code |= tag == TAG_pre || tag == TAG_code || tag == TAG_math;
	gap->has_input |= tag == TAG_input;
	if (page->nodes[node].attribute_count == 0)
		return;
	gap->groups |= node_groups(page, node);
	gap_read_class(gap, short_attribute(page, node, "class"));
}

/*
 * Read the tags and classes of the first elements of the gap, but not in code,
 * where "comment" and "tag" are tokens of a language.
 */
static void gap_read_nodes(const struct structure *structure, struct gap *gap)
{
	const struct page *page = structure->page;
	uint32_t begin = gap->node;
	uint32_t end;

	if (begin == NO_NODE)
		begin = structure->passages->items[gap->range.begin].node;
	if (begin == NO_NODE)
		return;
	end = gap->node == NO_NODE ? begin + 1 : page->nodes[begin].end;
	if (end > begin + MAX_GAP_NODES)
		end = begin + MAX_GAP_NODES;
	for (uint32_t i = begin; i < end; i++) {
		gap_read_node(page, gap, i);
		if (page->nodes[i].tag == TAG_pre ||
		    page->nodes[i].tag == TAG_code)
			i = page->nodes[i].end - 1;
	}
	if (gap->is_callout || gap->has_code)
		gap->groups &= ~GROUPS_OF_BOXES;
}

static uint32_t words_between(const struct structure *structure, uint32_t begin,
			      uint32_t end)
{
	return passages_sum(structure->passages,
			    (struct passage_range){begin, end})
		.words;
}

/* Set `body_words` and `body_ratio` by the element with these passages. */
static void gap_set_body(const struct structure *structure, struct gap *gap,
			 struct passage_range body)
{
	uint32_t words = passages_sum(structure->passages, body).words;

	gap->body_words = kept_words_in(structure, body);
	gap->body_ratio = ratio(gap->body_words, words - gap->sums.words);
}

static bool is_prose(const struct passage *passage)
{
	return passage->words >= PROSE_WORDS && !passage->is_heading &&
	       2 * passage->link_words < passage->words;
}

/*
 * Return true if passage `last`, which is kept, is a long text or ends with a
 * colon, or a heading after such a text or a unit in `around`.
 */
static bool ends_prose(const struct structure *structure, uint32_t last,
		       struct passage_range around)
{
	const struct passage *items = structure->passages->items;

	if (items[last].is_heading && last > around.begin &&
	    structure->is_kept[last - 1])
		last--;
	return is_prose(&items[last]) || items[last].ends_colon ||
	       last + 1 == structure->prose_end;
}

/* The same for the long text after passage `next`. */
static bool begins_prose(const struct structure *structure, uint32_t next,
			 struct passage_range around)
{
	const struct passage *items = structure->passages->items;

	if (items[next].is_heading && next + 1 < around.end &&
	    structure->is_kept[next + 1])
		next++;
	return is_prose(&items[next]);
}

/*
 * Find the kept passages before and after the gap, in the nearest of MAX_LEVELS
 * elements around it that has both. `container` is the innermost element.
 */
static void gap_set_place(const struct structure *structure, struct gap *gap,
			  uint32_t container)
{
	const struct passage *items = structure->passages->items;
	uint32_t last = structure->last_kept;
	uint32_t next = structure->next_kept[gap->range.end];
	struct passage_range around = {0, 0};
	bool is_after = false;
	bool is_before = false;

	for (; gap->levels < MAX_LEVELS; gap->levels++) {
		around = passages_inside(structure->passages, container);
		is_before = last != NONE && last >= around.begin;
		is_after = next != NONE && next < around.end;
		if ((is_before || is_after) && gap->body_words == 0) {
			gap_set_body(structure, gap, around);
			gap->body_levels = gap->levels;
		}
		if ((is_before && is_after) || container == NO_NODE)
			break;
		container = structure->page->nodes[container].parent;
	}
	gap->before = NONE;
	gap->after = NONE;
	if (is_before) {
		gap->before =
			words_between(structure, last + 1, gap->range.begin);
		gap->follows_heading = items[last].is_heading;
		gap->follows_prose = ends_prose(structure, last, around);
		gap->follows_colon = items[last].ends_colon;
	}
	if (is_after) {
		gap->after = words_between(structure, gap->range.end, next);
		gap->precedes_heading = items[next].is_heading;
		gap->precedes_prose = begins_prose(structure, next, around);
	}
}

static bool is_near(const struct gap *gap, uint32_t words)
{
	return gap->before <= words && gap->after <= words;
}

static bool has_group(const struct gap *gap, uint32_t groups)
{
	return (gap->groups & groups) != 0;
}

static bool is_mostly_links(const struct gap *gap)
{
	return 2 * gap->sums.link_words > gap->sums.words;
}

/* Return true if the gap is directly between two long texts of the body. */
static bool is_in_prose(const struct gap *gap)
{
	return gap->levels == 0 && gap->follows_prose && gap->precedes_prose &&
	       is_near(gap, 0);
}

/*
 * The functions that follow return true if a unit between kept passages is
 * kept. Their limits were chosen with the gold of six sets
 * (tests/eval/RESULTS.md, "What parameters were chosen by").
 */

static bool is_in_body(const struct gap *gap)
{
	return is_in_prose(gap) || gap->body_ratio >= 0.9F;
}

static bool quote_is_kept(const struct gap *gap)
{
	const uint32_t others =
		1U << GROUP_REVIEW | (GROUPS_OF_FRAME & ~GROUPS_OF_QUOTES);

	return gap->score > 0.35 && gap->sums.words < 60 && is_in_body(gap) &&
	       !has_group(gap, others) &&
	       (is_in_prose(gap) || !gap->follows_heading);
}

static bool list_is_kept(const struct gap *gap)
{
	if (gap->sums.words >= 60 || !is_in_body(gap) ||
	    (!is_in_prose(gap) && gap->follows_heading))
		return false;
	return is_mostly_links(gap) ? gap->follows_colon && gap->score > 0.5
				    : gap->score > 0.7;
}

static bool unit_is_kept(const struct gap *gap)
{
	bool is_inside = is_in_prose(gap);
	uint32_t words = gap->sums.words;

	if (gap->kind == UNIT_QUOTE)
		return quote_is_kept(gap);
	if (has_group(gap, GROUPS_OF_FRAME) ||
	    (gap->kind == UNIT_FIGURE && has_group(gap, 1U << GROUP_METADATA)))
		return false;
	if (gap->kind == UNIT_HEADING)
		return gap->score > 0.8 && !gap->precedes_heading;
	if (gap->kind == UNIT_LIST)
		return list_is_kept(gap);
	if (gap->kind == UNIT_TABLE && !gap->has_code)
		return gap->score > 0.45 && words < 200 &&
		       (is_inside || !is_mostly_links(gap)) &&
		       gap->range.end - gap->range.begin >= MIN_CELLS;
	if (is_mostly_links(gap))
		return false;
	if (gap->has_code)
		return gap->score > 0.35 && words < (is_inside ? 400 : 100) &&
		       (is_in_body(gap) || gap->kind == UNIT_CODE);
	if (gap->kind == UNIT_TERMS)
		return gap->score > (is_inside ? 0.35 : 0.7) && words < 100 &&
		       is_in_body(gap);
	if (gap->kind == UNIT_FIGURE)
		return gap->score > 0.1 && words < 60 && gap->levels == 0 &&
		       (is_inside || gap->body_ratio >= 0.94F) &&
		       is_near(gap, NEAR_WORDS);
	return gap->kind == UNIT_DETAILS && gap->score > 0.35 && words < 200;
}

/* Return true if a text between kept passages is kept. */
static bool text_is_kept(const struct gap *gap)
{
	bool is_inside = is_in_prose(gap);

	if (has_group(gap, GROUPS_OF_FRAME | 1U << GROUP_METADATA) ||
	    is_mostly_links(gap) || gap->sums.words >= 40 || !is_near(gap, 6) ||
	    gap->levels > 2 || (gap->has_input && !gap->has_code) ||
	    (has_group(gap, 1U << GROUP_SIDEBAR) && gap->sums.link_words > 0))
		return false;
	if (gap->has_image)
		return gap->score > 0.2 && gap->levels == 0 &&
		       (is_inside ||
			(gap->body_words >= 100 && gap->body_ratio >= 0.94F));
	if (gap->is_repeat)
		return gap->levels == 0;
	if ((gap->follows_heading && !is_inside) || gap->sums.dates > 0 ||
	    gap->sums.prices > 0 ||
	    (gap->body_ratio < 0.9F && !is_inside &&
	     (gap->score < 0.85 || gap->before > 0)))
		return false;
	if (gap->is_callout && is_inside)
		return gap->score > 0.15;
	if (gap->levels > 0 &&
	    (has_group(gap, GROUPS_OF_CARDS) || gap->score < 0.7))
		return false;
	return gap->score > (gap->sums.ends > 0 ? 0.35 : 0.5);
}

/* Return true if the gap directly follows the last long text of an element. */
static bool is_last(const struct gap *gap)
{
	return gap->body_levels == 0 && gap->before == 0 && gap->follows_prose;
}

/*
 * Return true if the gap is at the begin or the end of a text that is kept
 * almost as a whole.
 */
static bool is_at_edge(const struct gap *gap)
{
	return is_last(gap) ||
	       (gap->body_words >= 100 && gap->body_ratio >= 0.95F &&
		(gap->before <= NEAR_WORDS || gap->after <= NEAR_WORDS));
}

/* Return true if a unit at the begin or the end of the kept text is kept. */
static bool edge_is_kept(const struct gap *gap)
{
	uint32_t cells = gap->range.end - gap->range.begin;

	if (gap->sums.words >= 200)
		return false;
	if (gap->kind == UNIT_QUOTE)
		return gap->score > 0.3 &&
		       !has_group(gap, GROUPS_OF_FRAME & ~GROUPS_OF_QUOTES);
	if (has_group(gap, GROUPS_OF_FRAME) || is_mostly_links(gap))
		return false;
	if (gap->has_code || gap->is_callout || gap->kind == UNIT_DETAILS)
		return gap->score > (is_last(gap) ? 0.15 : 0.3);
	if (gap->kind == UNIT_FIGURE && !gap->has_image)
		return gap->score > 0.5;
	if (gap->kind == UNIT_TABLE || gap->kind == UNIT_TERMS)
		return gap->score > 0.5 && cells >= MIN_CELLS;
	if (gap->kind == UNIT_LIST)
		return gap->score > (gap->follows_colon ? 0.5 : 0.7);
	return is_last(gap) && gap->has_image && gap->sums.words < 40 &&
	       (gap->kind == UNIT_FIGURE ||
		has_group(gap, 1U << GROUP_MEDIA)) &&
	       !has_group(gap, 1U << GROUP_METADATA) && gap->score > 0.3;
}

/* Return true for a link that a custom element embeds, such as a video. */
static bool is_embed(const struct structure *structure, const struct gap *gap)
{
	const struct page *page = structure->page;

	return gap->node != NO_NODE && is_in_prose(gap) &&
	       gap->sums.words < 20 && gap->score > 0.5 &&
	       page_is_custom_element(page, gap->node) &&
	       class_groups_of(
		       page_tag_name(page, page->nodes[gap->node].tag)) == 0;
}

static bool gap_is_kept(const struct structure *structure, struct gap *gap)
{
	bool is_between = is_near(gap, FAR_WORDS);

	/* no rule keeps these; then the classes need not be read */
	if (gap->score <= 0.1 || gap->sums.words >= 400 ||
	    (!is_between && !is_at_edge(gap)))
		return false;
	gap->kind = gap_kind(structure, gap);
	if (is_mostly_links(gap) && gap->kind != UNIT_QUOTE &&
	    gap->kind != UNIT_TABLE && gap->kind != UNIT_LIST &&
	    gap->kind != UNIT_HEADING)
		return is_embed(structure, gap);
	gap_read_nodes(structure, gap);
	if (gap->is_in_form)
		return false;
	return is_between ? text_is_kept(gap) || unit_is_kept(gap)
			  : edge_is_kept(gap);
}

/* Return true for a part of the template, except the heads of tables. */
static bool is_of_frame(const struct structure *structure, uint32_t i)
{
	const struct page *page = structure->page;
	uint32_t node = structure->passages->items[i].node;

	if (structure->input->is_frame == NULL ||
	    !structure->input->is_frame[i])
		return false;
	for (unsigned k = 0; k < 2 && node != NO_NODE; k++) {
		if (page->nodes[node].tag == TAG_th ||
		    page->nodes[node].tag == TAG_dt)
			return false;
		node = page->nodes[node].parent;
	}
	return true;
}

/* Judge a gap in element `container`, and keep its passages or not. */
static void gap_judge(struct structure *structure, struct gap gap,
		      uint32_t container)
{
	const struct structure_input *input = structure->input;
	const struct passage *items = structure->passages->items;
	double threshold = fmax(input->threshold, MIN_THRESHOLD);
	bool may_show = false;

	gap.sums = passages_sum(structure->passages, gap.range);
	gap.is_repeat =
		items[gap.range.begin].is_repeat &&
		(double)input->scores[gap.range.begin] > input->threshold &&
		gap.sums.words >= MIN_REPEATED_WORDS;
	for (uint32_t i = gap.range.begin; i < gap.range.end; i++) {
		double score = (double)input->scores[i] / threshold;

		gap.score = score > gap.score ? score : gap.score;
		may_show |= may_add(structure, i, false) &&
			    !is_of_frame(structure, i);
	}
	if (!may_show)
		return;
	gap_set_place(structure, &gap, container);
	if (!gap_is_kept(structure, &gap))
		return;
	keep_range(structure, gap.range, false);
	structure->last_kept = gap.range.end - 1;
	if (gap.follows_prose)
		structure->prose_end = gap.range.end;
}

/*
 * Judge the passages of a range that are in no element without kept passages.
 */
static void judge_passages(struct structure *structure, uint32_t begin,
			   uint32_t end)
{
	for (uint32_t i = begin; i < end; i++) {
		if (structure->is_kept[i])
			structure->last_kept = i;
		else
			gap_judge(structure,
				  (struct gap){.node = NO_NODE,
					       .range = {i, i + 1}},
				  structure->passages->items[i].node);
	}
}

/* Find the gaps in document order, and judge them. */
static void fill_gaps(struct structure *structure)
{
	const struct page *page = structure->page;
	uint32_t at = 0; /* all passages before it are done */

	structure->last_kept = NONE;
	for (uint32_t i = 0; i < page->node_count; i++) {
		struct passage_range range =
			passages_inside(structure->passages, i);

		if (range.begin >= range.end || range.begin < at ||
		    kept_count_in(structure, range) > 0)
			continue;
		judge_passages(structure, at, range.begin);
		gap_judge(structure, (struct gap){.node = i, .range = range},
			  page->nodes[i].parent);
		at = range.end;
		i = page->nodes[i].end - 1;
	}
	judge_passages(structure, at, structure->passages->count);
}

/*
 * A run of texts and code that are not kept, inside the element `node`, from
 * its begin or directly after a kept passage.
 */
struct run {
	uint32_t node;
	struct passage_range range;
	double score; /* lowest of the texts, divided by the threshold */
	bool has_code;
};

/* Extend the run by passage `i`; return false if it may not be in a run. */
static bool run_add(const struct structure *structure, struct run *run,
		    uint32_t i)
{
	const struct page *page = structure->page;
	const struct passage *passage = &structure->passages->items[i];
	double score = (double)structure->input->scores[i] /
		       fmax(structure->input->threshold, MIN_THRESHOLD);
	struct gap gap = {.node = passage->node};

	if (score < 0.4 || !may_add(structure, i, false) ||
	    is_of_frame(structure, i) ||
	    2 * passage->link_words > passage->words)
		return false;
	for (unsigned k = 0;
	     k < MAX_LEVELS && gap.node != NO_NODE && gap.node != run->node;
	     k++) {
		gap_read_node(page, &gap, gap.node);
		gap.node = page->nodes[gap.node].parent;
	}
	if (gap.has_code)
		gap.groups &= ~GROUPS_OF_BOXES;
	if (gap.is_in_form ||
	    has_group(&gap, GROUPS_OF_FRAME | 1U << GROUP_METADATA |
				    1U << GROUP_MEDIA))
		return false;
	if (!gap.has_code &&
	    (score < 0.6 || passage->has_date || passage->has_price))
		return false;
	if (!gap.has_code)
		run->score = fmin(run->score, score);
	run->has_code |= gap.has_code;
	run->range.end = i + 1;
	return true;
}

/*
 * Return true if the run is kept: up to a kept passage of its element, or code
 * and texts up to the end of a section, most of which is kept.
 */
static bool run_is_kept(const struct structure *structure,
			const struct run *run)
{
	struct passage_range around =
		passages_inside(structure->passages, run->node);
	struct passage_sums sums =
		passages_sum(structure->passages, run->range);
	uint32_t kept = kept_words_in(structure, around);
	uint32_t end = run->range.end;

	if (sums.words > MAX_RUN_WORDS ||
	    (sums.long_words == 0 && !run->has_code))
		return false;
	if (end < around.end)
		return structure->is_kept[end] && run->score >= 0.75;
	return run->has_code && kept >= MIN_SECTION_WORDS &&
	       kept >= sums.words && structure->next_kept[end] != NONE;
}

/*
 * Return the element in which passages after the kept passage `last` may be a
 * run, or NO_NODE: the element around its block, or a new section.
 */
static uint32_t run_element(const struct structure *structure, uint32_t last)
{
	const struct passage *items = structure->passages->items;
	uint32_t node = items[last].node;

	if (node == NO_NODE || items[last + 1].node == NO_NODE)
		return NO_NODE;
	node = structure->page->nodes[node].parent;
	if (node != NO_NODE && items[last + 1].is_heading &&
	    passages_inside(structure->passages, node).end == last + 1)
		node = structure->page->nodes[items[last + 1].node].parent;
	return node;
}

/* Keep the runs after kept passages that belong to the text around them. */
static void fill_runs(struct structure *structure)
{
	const uint32_t count = structure->passages->count;

	for (uint32_t i = 0; i + 1 < count; i++) {
		struct run run = {.range = {i + 1, i + 1}, .score = INFINITY};
		uint32_t end;

		if (!structure->is_kept[i] || structure->is_kept[i + 1])
			continue;
		run.node = run_element(structure, i);
		if (run.node == NO_NODE)
			continue;
		end = passages_inside(structure->passages, run.node).end;
		for (uint32_t k = i + 1; k < end && !structure->is_kept[k]; k++)
			if (!run_add(structure, &run, k) ||
			    passages_sum(structure->passages, run.range).words >
				    MAX_RUN_WORDS)
				break;
		if (run.range.end > i + 1 && run_is_kept(structure, &run))
			keep_range(structure, run.range, false);
	}
}

/* An id to which a mark in the kept text links. */
struct note_target {
	uint64_t key;  /* hash of the id */
	uint32_t mark; /* the link */
	bool is_known;
	bool is_done;
};

/* Return true for a link in the kept text that may be the mark of a note. */
static bool is_mark(const struct structure *structure, uint32_t node)
{
	const struct page *page = structure->page;
	const struct node *link = &page->nodes[node];
	uint32_t passage;

	if (link->tag != TAG_a || link->end_text == link->first_text ||
	    link->end_text > link->first_text + MAX_MARK_TEXTS ||
	    page->texts[link->first_text].length > MAX_MARK_LENGTH)
		return false;
	passage = structure->passages->of_text[link->first_text];
	return passage != NO_PASSAGE && structure->is_kept[passage];
}

/* Return the part of a URL after the first "#"; empty without one. */
static struct slice fragment_of(struct slice url)
{
	const char *sign =
		url.size == 0 ? NULL : memchr(url.data, '#', url.size);

	if (sign == NULL)
		return (struct slice){"", 0};
	return (struct slice){
		sign + 1,
		url.size - (size_t)(sign + 1 - (const char *)url.data)};
}

/* Collect the ids to which marks link. */
static struct hash_table note_targets(struct arena *arena,
				      const struct structure *structure)
{
	const struct page *page = structure->page;
	struct hash_table targets =
		hash_table_make(arena, sizeof(struct note_target));

	for (uint32_t i = 0; i < page->node_count && targets.count < MAX_NOTES;
	     i++) {
		struct note_target *target;
		struct slice id;

		if (!is_mark(structure, i))
			continue;
		id = fragment_of(page_attribute(page, i, "href"));
		if (id.size == 0)
			continue;
		target = hash_table_add(&targets, hash64(id.data, id.size, 0));
		if (!target->is_known)
			target->mark = i;
		target->is_known = true;
	}
	return targets;
}

/*
 * Keep the block around the target, which is the note, unless it is too long or
 * has the mark.
 */
static void note_keep(struct structure *structure, uint32_t node, uint32_t mark)
{
	const struct page *page = structure->page;
	uint32_t block = page_block_around(page, node);
	struct passage_range range;

	if (block != NO_NODE)
		node = block;
	range = passages_inside(structure->passages, node);
	if ((mark < node || mark >= page->nodes[node].end) &&
	    passages_sum(structure->passages, range).words <= MAX_NOTE_WORDS)
		keep_range(structure, range, false);
}

/* Keep the notes whose marks are kept. Of equal ids the first one counts. */
static void keep_notes(struct arena *arena, struct structure *structure)
{
	const struct page *page = structure->page;
	struct hash_table targets = note_targets(arena, structure);

	for (uint32_t i = 0; i < page->node_count && targets.count > 0; i++) {
		struct slice id = page_attribute(page, i, "id");
		struct note_target *target;

		if (id.size == 0 && page->nodes[i].tag == TAG_a)
			id = page_attribute(page, i, "name");
		if (id.size == 0)
			continue;
		target = hash_table_find(&targets, hash64(id.data, id.size, 0));
		if (target == NULL || target->is_done)
			continue;
		target->is_done = true;
		note_keep(structure, i, target->mark);
	}
}

/*
 * Return true if an image is between heading `node` and the next text, which is
 * kept. Such an image is written.
 */
static bool has_image_under(const struct structure *structure, uint32_t node)
{
	const struct page *page = structure->page;
	uint32_t text = page->nodes[node].end_text;
	uint32_t end = page->nodes[node].end;
	uint32_t passage;

	if (text >= page->text_count)
		return false;
	passage = structure->passages->of_text[text];
	if (passage == NO_PASSAGE || !structure->is_kept[passage])
		return false;
	for (uint32_t i = end;
	     i < page->node_count && i < end + MAX_IMAGE_NODES &&
	     page->nodes[i].first_text == text;
	     i++)
		if (page->nodes[i].tag == TAG_img ||
		    page->nodes[i].tag == TAG_video ||
		    page->nodes[i].tag == TAG_iframe)
			return page->nodes[i].end_text == text;
	return false;
}

/* Drop the kept headings with nothing under them. */
static void drop_headings(struct structure *structure)
{
	const struct passages *passages = structure->passages;
	/* whether text follows before a heading that ends such a section */
	bool has_text[HEADING_LEVELS + 1] = {false};

	for (uint32_t i = passages->count; i-- > 0;) {
		const struct passage *passage = &passages->items[i];
		unsigned level;

		if (!structure->is_kept[i])
			continue;
		if (!passage->is_heading) {
			for (unsigned k = 1; k <= HEADING_LEVELS; k++)
				has_text[k] |= passage->characters > 0;
			continue;
		}
		level = structure->page->nodes[passage->node].tag - TAG_h1 + 1U;
		if (!has_text[level] &&
		    !has_image_under(structure, passage->node)) {
			structure->is_kept[i] = false;
			continue;
		}
		for (unsigned k = level; k <= HEADING_LEVELS; k++)
			has_text[k] = false;
	}
}

static void copy_choice(struct structure *structure)
{
	for (uint32_t i = 0; i < structure->passages->count; i++)
		structure->is_kept[i] = structure->input->is_chosen[i];
	sum_up(structure);
}

const bool *structure_choose(struct arena *arena,
			     const struct structure_input *input)
{
	const size_t count = (size_t)input->passages->count + 1;
	struct structure structure = {
		.input = input,
		.passages = input->passages,
		.page = input->passages->page,
		.is_kept = ARENA_NEW(arena, bool, count),
		.kept_count = ARENA_NEW(arena, uint32_t, count),
		.kept_words = ARENA_NEW(arena, uint32_t, count),
		.next_kept = ARENA_NEW(arena, uint32_t, count),
	};
	uint32_t words;

	copy_choice(&structure);
	if (structure.next_kept[0] == NONE)
		return structure.is_kept;
	words = structure.kept_words[count - 1];
	if (input->threshold < FRAME_SCORE)
		drop_frames(arena, &structure);
	round_units(&structure, UNIT_NONE);
	sum_up(&structure);
	/* the code in lists that lack hidden passages */
	round_units(&structure, UNIT_CODE);
	sum_up(&structure);
	fill_gaps(&structure);
	sum_up(&structure);
	fill_runs(&structure);
	keep_notes(arena, &structure);
	drop_headings(&structure);
	sum_up(&structure);
	if (structure.next_kept[0] == NONE && words >= PROSE_WORDS)
		copy_choice(&structure);
	return structure.is_kept;
}
