/*
 * Implements linkage_set_threshold() of cluster/linkage.h: assigns the old
 * labels to the new components.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "cluster/linkage.h"
#include "cluster/linkage_body.h"

/* Number of pages that had `label` before and are in `component` now. */
struct match {
	uint32_t label;
	uint32_t component;
	uint64_t page_count;
	uint64_t oldest; /* age of the oldest page of the component */
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int match_compare_label(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;
	int order = compare_numbers(a->label, b->label);

	return order != 0 ? order : compare_numbers(a->component, b->component);
}

/* Compare by the order in which labels are assigned. */
static int compare_claims(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;
	int order = compare_numbers(b->page_count, a->page_count);

	if (order == 0)
		order = compare_numbers(a->label, b->label);
	return order != 0 ? order : compare_numbers(a->oldest, b->oldest);
}

static int match_compare_ages(const void *left, const void *right)
{
	const struct match *a = left;
	const struct match *b = right;

	return compare_numbers(a->oldest, b->oldest);
}

/* Remove the label of each set and return it; 0 if a set has none. */
static uint32_t *linkage_clear_labels(struct linkage *linkage)
{
	struct signature_table *table = &linkage->graph.table;
	uint32_t *labels = mem_alloc(table->set_rows, sizeof(*labels));

	for (uint32_t i = 0; i < table->set_rows; i++) {
		if (!table->sets[i].is_used)
			continue;
		labels[i] = signature_table_set_label(table, i);
		change_set_note_set(&linkage->change_set, table, i);
	}
	return labels;
}

/* Return the age of the oldest page of each component. */
static uint64_t *find_ages(const struct signature_table *table)
{
	uint64_t *ages = mem_alloc(table->component_rows, sizeof(*ages));

	for (uint32_t i = 0; i < table->component_rows; i++)
		ages[i] = UINT64_MAX;
	for (uint32_t i = 0; i < table->set_rows; i++) {
		const struct signature_table_set *set = &table->sets[i];
		uint64_t age;

		if (!set->is_used)
			continue;
		age = signature_table_oldest(table, i);
		if (age < ages[set->component])
			ages[set->component] = age;
	}
	return ages;
}

/* Merge matches of equal label and component; return the number of matches. */
static size_t sum_matches(struct match *matches, size_t count)
{
	size_t sums = 0;

	qsort(matches, count, sizeof(*matches), match_compare_label);
	for (size_t i = 0; i < count; i++) {
		if (sums > 0 &&
		    match_compare_label(&matches[sums - 1], &matches[i]) == 0)
			matches[sums - 1].page_count += matches[i].page_count;
		else
			matches[sums++] = matches[i];
	}
	return sums;
}

/*
 * Return all matches in the order in which labels are assigned; the caller
 * frees them.
 */
static struct match *find_matches(const struct signature_table *table,
				  const uint32_t *labels, size_t *count_out)
{
	struct match *matches = mem_alloc(table->set_count, sizeof(*matches));
	uint64_t *ages = find_ages(table);
	size_t count = 0;

	for (uint32_t i = 0; i < table->set_rows; i++) {
		const struct signature_table_set *set = &table->sets[i];

		if (set->is_used)
			matches[count++] = (struct match){
				labels[i], set->component, set->page_count,
				ages[set->component]};
	}
	count = sum_matches(matches, count);
	qsort(matches, count, sizeof(*matches), compare_claims);
	free(ages);
	*count_out = count;
	return matches;
}

/*
 * Assign to each component the first match whose label and component are both
 * free.
 */
static void linkage_assign_labels(struct signature_table *table,
				  const struct match *matches, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct match match = matches[i];

		if (table->components[match.component].label == 0 &&
		    signature_table_find_component(table, match.label) ==
			    NO_TABLE_ROW)
			signature_table_name(table, match.component,
					     match.label);
	}
}

/* Report the labels without a component as merged, by their first matches. */
static void linkage_report_merges(struct linkage *linkage,
				  const struct match *matches, size_t count)
{
	const struct signature_table *table = &linkage->graph.table;
	struct int_map told = {0};

	for (size_t i = 0; i < count; i++) {
		struct match match = matches[i];

		if (signature_table_find_component(table, match.label) !=
			    NO_TABLE_ROW ||
		    int_map_get(&told, match.label) != INT_MAP_NONE)
			continue;
		int_map_set(&told, match.label, 1);
		change_set_add_merge(&linkage->change_set, match.label,
				     match.component);
	}
	int_map_free(&told);
}

/*
 * Report the components without a label as split, by their first matches,
 * beginning with the oldest page. Reorders the matches.
 */
static void linkage_report_fresh(struct linkage *linkage, struct match *matches,
				 size_t count)
{
	struct signature_table *table = &linkage->graph.table;
	size_t fresh = 0;

	for (size_t i = 0; i < count; i++) {
		struct signature_table_component *component =
			&table->components[matches[i].component];

		if (component->label != 0 || component->is_reached)
			continue;
		component->is_reached = true;
		matches[fresh++] = matches[i];
	}
	qsort(matches, fresh, sizeof(*matches), match_compare_ages);
	for (size_t i = 0; i < fresh; i++) {
		table->components[matches[i].component].is_reached = false;
		change_set_add_fresh(&linkage->change_set, matches[i].component,
				     matches[i].label);
	}
}

void linkage_set_threshold(struct linkage *linkage, unsigned threshold,
			   uint32_t *next_label,
			   struct linkage_changes *changes_out)
{
	struct threshold_graph *graph = &linkage->graph;
	struct match *matches;
	uint32_t *labels;
	size_t count;

	shingle_dictionary_clear_log(&graph->table.dictionary);
	change_set_begin(&linkage->change_set);
	linkage->options.threshold = threshold;
	labels = linkage_clear_labels(linkage);
	threshold_graph_rebuild(graph, threshold);
	matches = find_matches(&graph->table, labels, &count);
	linkage_assign_labels(&graph->table, matches, count);
	linkage_report_merges(linkage, matches, count);
	linkage_report_fresh(linkage, matches, count);
	*changes_out =
		change_set_end(&linkage->change_set, &graph->table, next_label);
	free(matches);
	free(labels);
}
