/*
 * candidate_table LIMIT: the position of the right candidate for selectors that
 * a redesign breaks. Standard input has a line "OLD TAB NEW" a page: the file
 * before and after. For each element of the first old page, use its best
 * selector if it matches once on three of the old pages or more. For each
 * selector that breaks on two or more pages, print a row: the selector, its
 * tag, whether its value differs on each page, pages on which it broke, pages
 * of these whose new state still has an element of that value, the position of
 * the first candidate (from 1; 0 = none) that selects that value on half of
 * them, and the candidate.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/page.h"
#include "page/selector.h"
#include "template/replacement.h"

enum { MAX_PAIRS = 12, MAX_LINE = 4096, SHOWN = 5, MAX_BYTES = 10000000 };

struct pair {
	struct page *before;
	struct page *after;
};

/* What a selector finds on a page. */
struct found {
	uint32_t count;
	uint32_t node;
	char value[ELEMENT_VALUE_BYTES + 1];
};

static struct page *read_page(const char *path)
{
	struct buffer body = {0};
	struct page *page = NULL;

	if (file_read(path, MAX_BYTES, &body) == ERR_NONE &&
	    page_parse(&page, buffer_slice(&body), slice_of(NULL),
		       &page_limits_default) != ERR_NONE)
		page = NULL;
	buffer_free(&body);
	return page;
}

static uint32_t read_pairs(struct pair *pairs)
{
	char line[MAX_LINE];
	uint32_t count = 0;

	while (count < MAX_PAIRS && fgets(line, sizeof(line), stdin) != NULL) {
		char *tab = strchr(line, '\t');

		if (tab == NULL)
			continue;
		*tab++ = '\0';
		tab[strcspn(tab, "\n")] = '\0';
		pairs[count].before = read_page(line);
		pairs[count].after = read_page(tab);
		if (pairs[count].before != NULL && pairs[count].after != NULL)
			count++;
	}
	return count;
}

static struct found find(const struct page *page, const char *text)
{
	struct arena *arena = arena_create();
	struct found found = {.node = NO_NODE};
	char error[256];
	const struct selector *selector = selector_compile(arena, text, error);

	if (selector != NULL) {
		const bool *is_selected = selector_match(selector, page, arena);

		for (uint32_t i = 0; i < page->node_count; i++) {
			if (is_selected[i] && found.node == NO_NODE)
				found.node = i;
			found.count += is_selected[i];
		}
	}
	if (found.node != NO_NODE)
		element_value(page, found.node, found.value);
	arena_destroy(arena);
	return found;
}

static bool says(const struct page *page, const char *value)
{
	for (uint32_t i = 0; i < page->node_count; i++) {
		char here[ELEMENT_VALUE_BYTES + 1];

		element_value(page, i, here);
		if (strcmp(here, value) == 0)
			return true;
	}
	return false;
}

/* A guard with one match a page, and its outcome. */
struct trial {
	struct arena *arena;
	const struct pair *pairs;
	uint32_t pair_count;
	const char *selector;
	struct found before[MAX_PAIRS];
	bool has_failed[MAX_PAIRS];
	uint32_t holds;
	uint32_t fails;
	uint32_t possible;
	bool varies;
};

static void watch(struct trial *trial)
{
	const char *first = NULL;

	for (uint32_t i = 0; i < trial->pair_count; i++) {
		struct found *before = &trial->before[i];

		*before = find(trial->pairs[i].before, trial->selector);
		if (before->count != 1 || before->value[0] == '\0')
			continue;
		trial->holds++;
		if (first != NULL && strcmp(first, before->value) != 0)
			trial->varies = true;
		first = before->value;
		trial->has_failed[i] =
			find(trial->pairs[i].after, trial->selector).count != 1;
		if (!trial->has_failed[i])
			continue;
		trial->fails++;
		trial->possible += says(trial->pairs[i].after, before->value);
	}
}

static uint32_t keep(struct trial *trial, uint32_t index,
		     struct page_replacement *kept, uint32_t page)
{
	const struct page *before = trial->pairs[index].before;
	struct buffer path = {0};
	const struct replacement *candidates;
	uint32_t count;

	element_path(before, trial->before[index].node, &path);
	count = replacements_find(
		trial->arena, trial->pairs[index].after,
		&(struct lost_element){
			.value = slice_of(trial->before[index].value),
			.path = buffer_slice(&path),
			.minimum = 1,
			.maximum = 1},
		&candidates);
	for (uint32_t i = 0; i < count; i++)
		kept[i] = (struct page_replacement){
			candidates[i].selector, candidates[i].value,
			candidates[i].score, page, candidates[i].node};
	buffer_free(&path);
	return count;
}

static bool is_right(const struct trial *trial, const char *selector)
{
	uint32_t right = 0;

	for (uint32_t i = 0; i < trial->pair_count; i++)
		if (trial->has_failed[i])
			right += strcmp(find(trial->pairs[i].after, selector)
						.value,
					trial->before[i].value) == 0;
	return right * 2 >= trial->fails;
}

static void print_trial(struct trial *trial)
{
	struct page_replacement kept[MAX_PAIRS * MAX_CANDIDATES];
	struct merged_replacement merged[SHOWN] = {{0}};
	uint32_t pages = 0;
	uint32_t count = 0;
	uint32_t place = 0;

	for (uint32_t i = 0; i < trial->pair_count; i++)
		if (trial->has_failed[i])
			count += keep(trial, i, kept + count, pages++);
	count = replacements_merge(
		trial->arena, &(struct page_replacements){kept, count, pages},
		merged, SHOWN);
	for (uint32_t i = 0; i < count && place == 0; i++)
		if (is_right(trial, merged[i].selector))
			place = i + 1;
	printf("%s\t%d\t%u\t%u\t%u\t%s\t%s\n", trial->selector, trial->varies,
	       trial->fails, trial->possible, place,
	       count == 0 ? "" : merged[place == 0 ? 0 : place - 1].selector,
	       trial->before[0].value);
}

static void try_node(const struct pair *pairs, uint32_t count, uint32_t node)
{
	const struct element_query query = {.page = pairs[0].before,
					    .node = node,
					    .minimum = 1,
					    .maximum = 1};
	struct selector_budget budget = {.nodes = INT64_MAX};
	struct element_selector best[MAX_ELEMENT_SELECTORS];
	struct trial *trial = mem_alloc(1, sizeof(*trial));
	char value[ELEMENT_VALUE_BYTES + 1];

	trial->arena = arena_create();
	trial->pairs = pairs;
	trial->pair_count = count;
	if (element_value(pairs[0].before, node, value) > 0 &&
	    element_selectors(trial->arena, &query, &budget, best) > 0) {
		trial->selector = best[0].text;
		watch(trial);
		if (trial->holds >= 3 && trial->fails >= 2)
			print_trial(trial);
	}
	arena_destroy(trial->arena);
	free(trial);
}

int main(int count, char **arguments)
{
	struct pair pairs[MAX_PAIRS];
	uint32_t pair_count = read_pairs(pairs);
	uint32_t limit = count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10)
				   : UINT32_MAX;
	uint32_t nodes;
	uint32_t step;

	if (pair_count < 3)
		return 0;
	nodes = pairs[0].before->node_count;
	step = limit == 0 || nodes <= limit ? 1 : nodes / limit + 1;
	for (uint32_t i = 0; i < nodes; i += step)
		try_node(pairs, pair_count, i);
	for (uint32_t i = 0; i < pair_count; i++) {
		page_destroy(pairs[i].before);
		page_destroy(pairs[i].after);
	}
	return 0;
}
