#include "template/region.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/arena.h"
#include "extract/choose.h"
#include "extract/extractors.h"
#include "extract/text/word.h"
#include "page/page.h"
#include "template/texts.h"

/* Ratios of the words of content. */
static const double most = 0.75;  /* of the remaining words, in a region */
static const double least = 0.10; /* below this, stop */

/* A sampled page, and the words of its content that are in no region yet. */
struct region_sample {
	const struct page *page;
	const uint64_t *paths; /* [node_count] */
	uint32_t *words;       /* of each text [text_count] */
	uint32_t *before; /* scratch: of all texts before [text_count + 1] */
	double total;     /* of all content */
};

/* An element that holds content. */
struct region_element {
	uint64_t path;
	double words; /* share of its page's words */
	uint32_t page;
	uint32_t node;
};

/* All elements on one path. */
struct region_path {
	const struct region_element *first;
	double words; /* sum of its places' words */
	uint32_t elements;
	uint32_t pages;
};

static struct region_sample region_sample_page(struct arena *arena,
					       const struct page *page)
{
	const struct extractor *method = extractor_find(DEFAULT_METHOD);
	struct verdict *verdicts =
		ARENA_NEW(page->arena, struct verdict, page->text_count);
	double parameters[MAX_PARAMETERS];
	const struct path_table table = path_table_make(page->arena, page);
	struct region_sample sampled = {
		.page = page,
		.paths = path_chains(page->arena, page,
				     table.steps[PATH_INNER_CLASSES]),
		.words = ARENA_NEW(arena, uint32_t, page->text_count),
		.before = ARENA_NEW(arena, uint32_t, page->text_count + 1),
	};

	extractor_defaults(method, parameters);
	method->run(&(struct extractor_input){.page = page,
					      .parameters = parameters,
					      .arena = page->arena},
		    verdicts);
	for (uint32_t i = 0; i < page->text_count; i++) {
		if (!verdicts[i].is_content)
			continue;
		sampled.words[i] = word_count(page_text(page, i));
		sampled.total += sampled.words[i];
	}
	return sampled;
}

static uint32_t node_count(const struct region_sample *samples, uint32_t count)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < count; i++)
		nodes += samples[i].page->node_count;
	return nodes;
}

/* Add the elements of one page that hold words; return their number. */
static uint32_t add_places(const struct region_sample *sampled, uint32_t page,
			   struct region_element *places)
{
	uint32_t count = 0;

	if (sampled->total <= 0)
		return 0;
	for (uint32_t i = 0; i < sampled->page->text_count; i++)
		sampled->before[i + 1] = sampled->before[i] + sampled->words[i];
	for (uint32_t i = 0; i < sampled->page->node_count; i++) {
		const struct node *node = &sampled->page->nodes[i];
		uint32_t words = sampled->before[node->end_text] -
				 sampled->before[node->first_text];

		if (words > 0)
			places[count++] = (struct region_element){
				.path = sampled->paths[i],
				.words = words / sampled->total,
				.page = page,
				.node = i,
			};
	}
	return count;
}

static int region_element_by_path(const void *left, const void *right)
{
	const struct region_element *a = left;
	const struct region_element *b = right;

	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	if (a->page != b->page)
		return a->page < b->page ? -1 : 1;
	return (a->node > b->node) - (a->node < b->node);
}

/* Return the run of places with the same path, starting at `places`. */
static struct region_path region_next_path(const struct region_element *places,
					   uint32_t count)
{
	struct region_path site = {.first = places};

	while (site.elements < count &&
	       places[site.elements].path == places->path) {
		const struct region_element *place = &places[site.elements];

		site.pages +=
			site.elements == 0 || place->page != place[-1].page;
		site.words += place->words;
		site.elements++;
	}
	return site;
}

static uint16_t depth_of(const struct region_sample *samples,
			 struct region_path site)
{
	const struct region_element *place = site.first;

	return samples[place->page].page->nodes[place->node].depth;
}

/*
 * Return the innermost site that holds most of the `words`. Each candidate
 * holds more than half, so they are nested.
 */
static struct region_path
region_lowest_path(const struct region_sample *samples,
		   const struct region_element *places, uint32_t count,
		   double words)
{
	struct region_path found = {0};
	struct region_path site;

	for (uint32_t i = 0; i < count; i += site.elements) {
		site = region_next_path(places + i, count - i);
		if (site.elements != site.pages || site.words < most * words)
			continue;
		if (found.first == NULL ||
		    depth_of(samples, site) > depth_of(samples, found))
			found = site;
	}
	return found;
}

/* Remove the words of the site from the remaining words. */
static void region_take_words(struct region_sample *samples,
			      struct region_path site)
{
	for (uint32_t i = 0; i < site.elements; i++) {
		const struct region_element *place = &site.first[i];
		const struct region_sample *sampled = &samples[place->page];
		const struct node *node = &sampled->page->nodes[place->node];

		for (uint32_t text = node->first_text; text < node->end_text;
		     text++)
			sampled->words[text] = 0;
	}
}

static uint32_t region_find_elements(const struct region_sample *samples,
				     uint32_t count,
				     struct region_element *places)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found += add_places(&samples[i], i, places + found);
	if (found > 1)
		qsort(places, found, sizeof(*places), region_element_by_path);
	return found;
}

/*
 * Return the remaining words: the sum over the pages of their ratio of the
 * page's words.
 */
static double words_left(const struct region_sample *samples, uint32_t count)
{
	double left = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t texts = samples[i].page->text_count;

		if (samples[i].total > 0)
			left += samples[i].before[texts] / samples[i].total;
	}
	return left;
}

uint32_t regions_find(struct arena *arena, const struct page *const *pages,
		      uint32_t count, struct version_region *regions_out)
{
	struct region_sample *samples =
		ARENA_NEW(arena, struct region_sample, count);
	uint32_t with_content = 0;
	uint32_t regions = 0;
	struct region_element *places;

	for (uint32_t i = 0; i < count; i++) {
		samples[i] = region_sample_page(arena, pages[i]);
		with_content += samples[i].total > 0;
	}
	places = ARENA_NEW(arena, struct region_element,
			   node_count(samples, count));
	while (regions < VERSION_MAX_REGIONS) {
		uint32_t found = region_find_elements(samples, count, places);
		double left = words_left(samples, count);
		struct region_path site;

		if (left < least * with_content)
			break;
		site = region_lowest_path(samples, places, found, left);
		if (site.first == NULL)
			break;
		regions_out[regions++] = (struct version_region){
			.path = text_of_path(arena, pages[site.first->page],
					     site.first->node,
					     PATH_INNER_CLASSES),
			.ratio = (float)site.pages / (float)with_content,
			.words = (float)(site.words / site.pages),
		};
		region_take_words(samples, site);
	}
	return regions;
}
