#include "cluster/merge_model.h"

#include <math.h>

#include "cluster/dendrogram.h"
#include "tests/unit/run.h"

enum { MAX_PAGES = 64, MAX_TERMS = 64 };

/* Pages, each with its own signature. */
struct site {
	uint32_t terms[MAX_PAGES][MAX_TERMS];
	struct dendrogram_leaf leaves[MAX_PAGES];
	uint32_t leaf_of[MAX_PAGES];
	uint32_t labels[MAX_PAGES];
	uint32_t truth[MAX_PAGES];
	uint32_t count;
};

/* A page with the terms [begin, end), `own`, and a label. */
static void add_page(struct site *site, uint32_t begin, uint32_t end,
		     uint32_t own, uint32_t label)
{
	uint32_t at = site->count++;
	struct dendrogram_leaf *leaf = &site->leaves[at];

	*leaf = (struct dendrogram_leaf){.shingle_ids = site->terms[at],
					 .pages = 1};
	for (uint32_t id = begin; id < end; id++)
		site->terms[at][leaf->count++] = id;
	site->terms[at][leaf->count++] = own;
	site->leaf_of[at] = at;
	site->labels[at] = label;
	site->truth[at] = label;
}

static struct cluster_merges merges_of(const struct site *site)
{
	const struct dendrogram_options options = {.max_leaves = MAX_PAGES};
	const struct merge_pages pages = {site->leaves, site->leaf_of,
					  site->labels, site->truth,
					  site->count};
	struct dendrogram dendrogram;
	struct cluster_merges merges;

	ASSERT_OK(dendrogram_build(site->leaves, site->count, &options,
				   &dendrogram));
	merges = cluster_merges_compute(&dendrogram, &pages);
	dendrogram_free(&dendrogram);
	return merges;
}

static void check_near(const struct cluster_merge *merge,
		       enum merge_feature feature, double expected)
{
	ck_assert_msg(fabs((double)merge->features[feature] - expected) < 1e-6,
		      "%s: %f, not %f", merge_feature_name(feature),
		      (double)merge->features[feature], expected);
}

/*
 * Three posts of ten terms, nine of the template and one that no other has; two
 * pages without three terms of the template and with two others.
 */
static void fill(struct site *site)
{
	*site = (struct site){0};
	add_page(site, 0, 9, 20, 1);
	add_page(site, 0, 9, 21, 1);
	add_page(site, 0, 9, 22, 1);
	add_page(site, 3, 11, 23, 2);
	add_page(site, 3, 11, 24, 2);
}

TEST(a_merge_tells_what_both_sides_lack)
{
	struct site site;
	struct cluster_merges merges;
	const struct cluster_merge *last;

	fill(&site);
	merges = merges_of(&site);
	ck_assert_uint_eq(merges.count, 4);
	last = &merges.items[3];
	ck_assert_uint_eq(last->threshold, 400);
	ck_assert_uint_eq(last->pages_a, 3);
	ck_assert_uint_eq(last->pages_b, 2);
	check_near(last, MERGE_height, 0.4);
	check_near(last, MERGE_log_site, log(5));
	check_near(last, MERGE_share_a, 0.6);
	/* the larger mass is 10: B has 9 and 10 and one unique term per page */
	check_near(last, MERGE_new_b, 0.3);
	check_near(last, MERGE_new_a, 0.4);
	check_near(last, MERGE_cross, 0.4);
	check_near(last, MERGE_within_a, 1 - (9 + 1.0 / 3) / 10);
	check_near(last, MERGE_stable_a, 0.3);
	check_near(last, MERGE_stable_b, 0.2);
	check_near(last, MERGE_opposed, 0.5);
	check_near(last, MERGE_links, 0);
	check_near(last, MERGE_links_known, 1);
	ck_assert_double_eq(last->right, 0);
	ck_assert_double_eq(last->known, 6);
	ck_assert_double_eq(merges.items[0].right, 1);
	cluster_merges_free(&merges);
}

TEST(without_labels_links_and_truth_are_omitted)
{
	struct site site;
	struct cluster_merges merges;

	fill(&site);
	memset(site.labels, 0, sizeof(site.labels));
	memset(site.truth, 0, sizeof(site.truth));
	merges = merges_of(&site);
	check_near(&merges.items[3], MERGE_links, -1);
	check_near(&merges.items[3], MERGE_links_known, 0);
	ck_assert_double_eq(merges.items[3].known, 0);
	cluster_merges_free(&merges);
}

static int by_features(const void *left, const void *right)
{
	const struct cluster_merge *a = left;
	const struct cluster_merge *b = right;

	for (size_t i = 0; i < MERGE_FEATURE_COUNT; i++)
		if (a->features[i] < b->features[i] ||
		    a->features[i] > b->features[i])
			return a->features[i] < b->features[i] ? -1 : 1;
	return 0;
}

/* Law 1: the order of the pages, and so of the leaves, does not show. */
TEST(the_order_of_the_pages_does_not_show)
{
	struct site forward = {0};
	struct site backward = {0};
	struct cluster_merges a;
	struct cluster_merges b;

	for (uint32_t i = 0; i < 40; i++) {
		uint32_t k = 39 - i;

		add_page(&forward, i % 3, 12 + i % 5, 100 + i, i % 3 + 1);
		add_page(&backward, k % 3, 12 + k % 5, 100 + k, k % 3 + 1);
	}
	a = merges_of(&forward);
	b = merges_of(&backward);
	ck_assert_uint_eq(merge_model_choose(&a, 200).threshold,
			  merge_model_choose(&b, 200).threshold);
	ck_assert_uint_eq(a.count, b.count);
	qsort(a.items, a.count, sizeof(*a.items), by_features);
	qsort(b.items, b.count, sizeof(*b.items), by_features);
	for (size_t i = 0; i < a.count; i++)
		ck_assert_int_eq(by_features(&a.items[i], &b.items[i]), 0);
	cluster_merges_free(&a);
	cluster_merges_free(&b);
}

/* Of five pages: the first two are alike except for one term, and the last
 * three have the second one's term. */
static void add_rare(struct site *site, uint32_t page)
{
	if (page < 2)
		add_page(site, 0, 8, page == 0 ? 60 : 50, 0);
	else
		add_page(site, 30, 51, 70 + page, 0);
}

/* Two single pages of as many terms, one of them with a term that others have:
 * the order does not decide which of them is A. */
TEST(equal_groups_are_distinguished_by_their_terms)
{
	struct site forward = {0};
	struct site backward = {0};
	struct cluster_merges a;
	struct cluster_merges b;

	for (uint32_t i = 0; i < 5; i++)
		add_rare(&forward, i);
	for (uint32_t i = 5; i-- > 0;)
		add_rare(&backward, i);
	a = merges_of(&forward);
	b = merges_of(&backward);
	ck_assert_uint_eq(a.count, b.count);
	for (size_t i = 0; i < a.count; i++)
		ck_assert_int_eq(by_features(&a.items[i], &b.items[i]), 0);
	cluster_merges_free(&a);
	cluster_merges_free(&b);
}

/* Posts and lists: the pages of each differ by one term in twenty, the
 * templates by eight. */
TEST(the_threshold_lies_between_two_templates)
{
	struct site site = {0};
	struct cluster_merges merges;
	struct merge_choice choice;

	for (uint32_t i = 0; i < 30; i++)
		add_page(&site, i < 20 ? 0 : 8, i < 20 ? 20 : 28, 100 + i,
			 i < 20 ? 1 : 2);
	merges = merges_of(&site);
	choice = merge_model_choose(&merges, 200);
	/* from 50 to 430 all are equally good: the nearest to the default
	 * wins */
	ck_assert_uint_eq(choice.threshold, 200);
	ck_assert_uint_eq(choice.merges, 28);
	ck_assert_uint_eq(merge_model_choose(&merges, 300).threshold, 300);
	ck_assert_uint_ge(merge_model_choose(&merges, 0).threshold, 50);
	ck_assert_uint_lt(merge_model_choose(&merges, 1000).threshold, 430);
	cluster_merges_free(&merges);
}

TEST(a_site_of_one_page_has_no_merge)
{
	struct site site = {0};
	struct cluster_merges merges;

	add_page(&site, 0, 5, 9, 0);
	merges = merges_of(&site);
	ck_assert_uint_eq(merges.count, 0);
	ck_assert_uint_le(merge_model_choose(&merges, 200).threshold,
			  MERGE_HIGHEST);
	cluster_merges_free(&merges);
}
