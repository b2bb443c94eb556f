#include "extract/metadata/metadata_title.h"

#include "extract/metadata/metadata_label.h"
#include "page/tag.h"

/*
 * An h1 that overlaps less with the titles in the head is a slogan or the name
 * of the site. Chosen by correct titles: tests/eval/RESULTS.md, "What
 * parameters were chosen by".
 */
static const double min_overlap = 0.3;

static const double min_lower_overlap = 0.6;

enum {
	MAX_LOOKS = 64
}; /* maximum number of candidates checked that are not h1 */

struct title_choice {
	struct metadata_candidates *findings;
	const struct site_names *site;
	struct slice
		title; /* text of the title element, without the site's name */
	struct slice graph_title; /* og:title, without the site's name */
};

/* Return the first title candidate from that source, or NULL. */
static const struct metadata_candidate *
find_title_candidate(const struct metadata_candidates *findings,
		     const char *source, uint32_t rank)
{
	for (uint32_t i = 0; i < findings->counts[SUBJECT_TITLE]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_TITLE][i];

		if (strcmp(one->source, source) == 0 &&
		    (rank == 0 || one->rank == rank))
			return one;
	}
	return NULL;
}

static struct slice cut_of(const struct title_choice *choice,
			   const struct metadata_candidate *candidate)
{
	if (candidate == NULL)
		return (struct slice){"", 0};
	return title_without_site(choice->findings->arena, choice->site,
				  (struct slice){"", 0}, candidate->value);
}

static double overlap_of(const struct title_choice *choice,
			 struct slice heading)
{
	struct title_words words = title_words_of(heading);
	struct title_words title = title_words_of(choice->title);
	struct title_words graph = title_words_of(choice->graph_title);
	double a = title_overlap(&words, &title);
	double b = title_overlap(&words, &graph);

	return a > b ? a : b;
}

/*
 * Return true if the heading is the last part of the title element, which is
 * usually the name of a site or a book; remove it from the title then.
 */
static bool is_last_part(struct title_choice *choice, struct slice heading)
{
	struct arena *arena = choice->findings->arena;
	struct slice cut = title_without_site(
		arena, choice->site, name_fold(arena, heading), choice->title);
	const char *cut_end = (const char *)cut.data + cut.size;

	if (cut.size == 0 ||
	    cut_end == (const char *)choice->title.data + choice->title.size)
		return false;
	choice->title = cut;
	return true;
}

/* Return the h1 with the highest overlap; NULL if there is none. */
static const struct metadata_candidate *
best_heading(struct title_choice *choice, double *overlap_out)
{
	const struct metadata_candidates *findings = choice->findings;
	const struct metadata_candidate *best = NULL;

	*overlap_out = -1;
	for (uint32_t i = 0; i < findings->counts[SUBJECT_TITLE]; i++) {
		const struct metadata_candidate *one =
			&findings->items[SUBJECT_TITLE][i];
		double overlap;

		if (one->node == NO_NODE || is_last_part(choice, one->value))
			continue;
		overlap = overlap_of(choice, one->value);
		if (overlap > *overlap_out) {
			best = one;
			*overlap_out = overlap;
		}
	}
	return best;
}

/* Return the title without an anchor mark at its end. */
static struct slice without_anchor(struct slice title)
{
	static const char *const marks[] = {" ¶", "¶", " #", " §"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t size = strlen(marks[i]);

		if (title.size > size &&
		    memcmp((const char *)title.data + title.size - size,
			   marks[i], size) == 0)
			title.size -= size;
	}
	return title;
}

static struct metadatum
title_metadatum(const struct metadata_candidate *candidate, struct slice value)
{
	return (struct metadatum){without_anchor(value), candidate->source};
}

static bool is_the_title(const struct title_choice *choice, struct slice text)
{
	return overlap_of(choice, text) >= min_lower_overlap;
}

/* Return the first h2 or h3 that matches the titles in the head, or NO_NODE. */
static uint32_t lower_heading(const struct title_choice *choice)
{
	const struct page *page = choice->findings->page;
	uint32_t looked_at = 0;

	for (uint32_t i = 0; i < page->node_count && looked_at < MAX_LOOKS;
	     i++) {
		uint16_t tag = page->nodes[i].tag;

		if (tag != TAG_h2 && tag != TAG_h3)
			continue;
		looked_at++;
		if (is_the_title(choice,
				 heading_of(choice->findings->arena, page, i)))
			return i;
	}
	return NO_NODE;
}

/*
 * Return the first text of about the title's length that matches it, or
 * NO_TEXT.
 */
static uint32_t title_text(const struct title_choice *choice)
{
	const struct page *page = choice->findings->page;
	uint32_t looked_at = 0;

	for (uint32_t i = 0; i < page->text_count && looked_at < MAX_LOOKS;
	     i++) {
		const struct text *text = &page->texts[i];

		if ((text->flags & TEXT_IS_TITLE) != 0 ||
		    text->length < choice->title.size / 2 ||
		    text->length > choice->title.size * 2 + MAX_LOOKS)
			continue;
		looked_at++;
		if (is_the_title(choice, page_text(page, i)))
			return i;
	}
	return NO_TEXT;
}

/*
 * Find the title in the body: the h1 that is the title; otherwise another
 * element that matches it; otherwise any h1.
 */
static void find_title_position(const struct title_choice *choice,
				const struct metadata_candidate *heading,
				double overlap)
{
	struct metadata_candidates *findings = choice->findings;
	uint32_t node = NO_NODE;
	uint32_t text = NO_TEXT;

	if (heading != NULL && overlap >= min_overlap)
		node = heading->node;
	if (node == NO_NODE)
		node = lower_heading(choice);
	if (node == NO_NODE)
		text = title_text(choice);
	if (node == NO_NODE && text == NO_TEXT && heading != NULL)
		node = heading->node;
	if (node != NO_NODE) {
		findings->title_begin = findings->page->nodes[node].first_text;
		findings->title_end = findings->page->nodes[node].end_text;
	} else if (text != NO_TEXT) {
		findings->title_begin = text;
		findings->title_end = text + 1;
	}
}

struct metadatum title_choose(struct metadata_candidates *findings,
			      const struct site_names *site)
{
	const struct metadata_candidate *graph =
		find_title_candidate(findings, "og", 0);
	const struct metadata_candidate *title =
		find_title_candidate(findings, "title", 0);
	const struct metadata_candidate *headline =
		find_title_candidate(findings, "json-ld", 10);
	struct title_choice choice = {.findings = findings, .site = site};
	const struct metadata_candidate *heading;
	double overlap;

	choice.title = cut_of(&choice, title);
	choice.graph_title = cut_of(&choice, graph);
	heading = best_heading(&choice, &overlap);
	find_title_position(&choice, heading, overlap);
	if (heading != NULL && overlap >= min_overlap)
		return title_metadatum(heading, cut_of(&choice, heading));
	if (headline != NULL)
		return title_metadatum(headline, cut_of(&choice, headline));
	if (graph != NULL)
		return title_metadatum(graph, choice.graph_title);
	if (title != NULL)
		return title_metadatum(title, choice.title);
	graph = findings_best(findings, SUBJECT_TITLE);
	if (graph == NULL)
		return (struct metadatum){{NULL, 0}, NULL};
	return title_metadatum(graph, graph->value);
}
