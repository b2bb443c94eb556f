#include "daemon/engine/threshold_report.h"

#include "store/key.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

/*
 * Posts of two signatures with 20 members, 19 of them in common (height 50),
 * and tags that have 17 in common with either (height 150): at the default of
 * cpc, 250, all are one cluster.
 */
enum {
	POST = 0x0007ffff,
	OTHER_POST = 0x000bffff,
	TAG = 0x0070ffff,
	POSTS = 6,
	TAGS = 7,
	PAGES = 1 + POSTS + TAGS,
	DEFAULT_VALUE = 250,
	CHOSEN = 145, /* just below where they become one */
};

static struct world world;
static struct site_snapshot snapshot;

static const struct dendrogram_options plenty = {.max_leaves = 100};

static void put_kind(const char *kind, unsigned number, uint32_t mask)
{
	char url[64];

	snprintf(url, sizeof(url), "http://a.test/%s/%u", kind, number);
	world_put_blocks(&world, url, mask);
}

static void link_to(struct buffer *html, const char *format, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		buffer_printf(html, format, i);
}

/* One page links to the posts from headings, and to the tags from a list. */
static void put_index(void)
{
	AUTO_BUFFER html = {0};

	buffer_append_text(&html, "<title>Index</title>");
	link_to(&html, "<h2><a href=/post/%u>Post</a></h2>", POSTS);
	buffer_append_text(&html, "<ul class=cloud>");
	link_to(&html, "<li><a href=/tag/%u>Tag</a>", TAGS);
	ASSERT_OK(world_put(&world, "http://a.test/", buffer_slice(&html)));
}

static void put_site(void)
{
	for (unsigned i = 0; i < POSTS; i++)
		put_kind("post", i, i < 4 ? POST : OTHER_POST);
	for (unsigned i = 0; i < TAGS; i++)
		put_kind("tag", i, TAG);
	put_index();
}

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, "a.test");
	snapshot = (struct site_snapshot){0};
}

static void teardown(void)
{
	site_snapshot_free(&snapshot);
	world_close(&world);
}

static void read_site(void)
{
	site_snapshot_free(&snapshot);
	ASSERT_OK(
		site_snapshot_read(world.store, "a.test", SIZE_MAX, &snapshot));
}

/* The leaf whose example's URL has this prefix, with this number of pages. */
static uint32_t leaf_of(const char *url, uint32_t pages)
{
	for (uint32_t i = 0; i < snapshot.leaf_count; i++)
		if (strncmp(snapshot.examples[i], url, strlen(url)) == 0 &&
		    snapshot.leaves[i].pages == pages)
			return i;
	ck_abort_msg("no leaf of %s with %u pages", url, pages);
}

/* The label of the pages of a leaf, which all have the same one. */
static uint32_t label_of(uint32_t leaf)
{
	uint32_t label = UINT32_MAX;
	uint32_t pages = 0;

	for (size_t i = 0; i < snapshot.witness.count; i++) {
		if (snapshot.witness.leaves[i] != leaf)
			continue;
		ck_assert(pages++ == 0 || snapshot.witness.labels[i] == label);
		label = snapshot.witness.labels[i];
	}
	ck_assert_uint_eq(pages, snapshot.leaves[leaf].pages);
	return label;
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(leaves_are_the_distinct_signatures_with_their_pages)
{
	uint32_t post;
	uint32_t other;

	put_site();
	read_site();
	ck_assert_uint_eq(snapshot.leaf_count, 4);
	ck_assert_uint_eq(snapshot.site.page_count, PAGES);
	ck_assert_uint_eq(snapshot.site.options.threshold, 250);
	ck_assert_ptr_null(snapshot.site.host.data);
	post = leaf_of("http://a.test/post/", 4);
	other = leaf_of("http://a.test/post/", 2);
	ck_assert_uint_ne(post, other);
	ck_assert_uint_eq(snapshot.leaves[post].count, 20);
	ck_assert_uint_eq(snapshot.leaves[other].count, 20);
	ck_assert_uint_eq(
		snapshot.leaves[leaf_of("http://a.test/tag/", TAGS)].count, 20);
	ck_assert_str_eq(snapshot.examples[leaf_of("http://a.test/", 1)],
			 "http://a.test/");
}

TEST(shingle_ids_are_ascending_and_below_their_count)
{
	uint32_t most = 0;

	put_site();
	read_site();
	for (size_t i = 0; i < snapshot.leaf_count; i++) {
		const struct dendrogram_leaf *leaf = &snapshot.leaves[i];

		for (uint32_t k = 1; k < leaf->count; k++)
			ck_assert_uint_lt(leaf->shingle_ids[k - 1],
					  leaf->shingle_ids[k]);
		if (leaf->shingle_ids[leaf->count - 1] > most)
			most = leaf->shingle_ids[leaf->count - 1];
	}
	ck_assert_uint_eq(snapshot.shingle_count, most + 1U);
}

TEST(the_witness_tells_pages_by_where_they_are_linked_from)
{
	uint32_t post;
	uint32_t tag;

	put_site();
	read_site();
	ck_assert_uint_eq(snapshot.witness.count, PAGES);
	post = label_of(leaf_of("http://a.test/post/", 4));
	tag = label_of(leaf_of("http://a.test/tag/", TAGS));
	ck_assert_uint_ne(post, 0);
	ck_assert_uint_ne(tag, 0);
	ck_assert_uint_ne(post, tag);
	ck_assert_uint_eq(label_of(leaf_of("http://a.test/post/", 2)), post);
	/* no page links to the index */
	ck_assert_uint_eq(label_of(leaf_of("http://a.test/", 1)), 0);
}

TEST(a_truncated_page_is_no_member)
{
	AUTO_BUFFER html = {0};

	for (int i = 0; i < 2000; i++)
		buffer_append_text(&html, "<div>");
	put_site();
	ASSERT_OK(world_put(&world, "http://a.test/deep", buffer_slice(&html)));
	read_site();
	ck_assert_uint_eq(snapshot.site.page_count, PAGES + 1);
	ck_assert_uint_eq(snapshot.witness.count, PAGES);
	ck_assert_uint_eq(snapshot.leaf_count, 4);
}

TEST(a_deleted_page_is_no_member)
{
	put_site();
	world_remove(&world, "http://a.test/");
	read_site();
	ck_assert_uint_eq(snapshot.leaf_count, 3);
	ck_assert_uint_eq(snapshot.witness.count, PAGES - 1);
	/* and with it who linked to them */
	ck_assert_uint_eq(label_of(leaf_of("http://a.test/tag/", TAGS)), 0);
}

TEST(pages_without_a_signature_are_one_leaf)
{
	ASSERT_OK(world_put(&world, "http://a.test/", slice_of("")));
	read_site();
	ck_assert_uint_eq(snapshot.witness.count, snapshot.leaf_count);
	ck_assert_uint_eq(world_problems(&world), 0);
}

TEST(a_site_without_pages_is_empty)
{
	struct threshold_choice choice;

	read_site();
	ck_assert_uint_eq(snapshot.leaf_count, 0);
	ck_assert_uint_eq(snapshot.shingle_count, 0);
	ck_assert_uint_eq(snapshot.witness.count, 0);
	ASSERT_OK(site_snapshot_choose_threshold(world.store, "a.test", &plenty,
						 &choice));
	ck_assert_uint_eq(choice.threshold, DEFAULT_VALUE);
	threshold_choice_free(&choice);
}

TEST(a_site_that_is_not_there_is_not_found)
{
	struct threshold_choice choice;

	put_site();
	ck_assert_int_eq(
		site_snapshot_read(world.store, "b.test", SIZE_MAX, &snapshot),
		ERR_NOT_FOUND);
	ck_assert_ptr_null(snapshot.arena);
	ck_assert_uint_eq(snapshot.leaf_count, 0);
	ck_assert_int_eq(site_snapshot_choose_threshold(world.store, "b.test",
							&plenty, &choice),
			 ERR_NOT_FOUND);
}

static struct threshold_choice choose(size_t max_leaves)
{
	const struct dendrogram_options watch = {.max_leaves = max_leaves};
	struct threshold_choice choice;

	ASSERT_OK(site_snapshot_choose_threshold(world.store, "a.test", &watch,
						 &choice));
	ck_assert_uint_eq(choice.generation,
			  world_site(&world, "a.test").generation);
	threshold_choice_free(&choice);
	return choice;
}

TEST(the_threshold_is_chosen_by_the_witness)
{
	struct threshold_choice choice;

	put_site();
	choice = choose(100);
	ck_assert_uint_eq(choice.threshold, CHOSEN);
	ck_assert_ptr_nonnull(strstr(choice.reason, "agree best"));
}

/* The current threshold of the site does not matter. */
TEST(the_choice_does_not_depend_on_the_threshold_in_use)
{
	put_site();
	ASSERT_OK(world_set_threshold(&world, "a.test", 0));
	ck_assert_uint_eq(choose(100).threshold, CHOSEN);
	ASSERT_OK(world_set_threshold(&world, "a.test", 1000));
	ck_assert_uint_eq(choose(100).threshold, CHOSEN);
}

TEST(the_order_of_arrival_does_not_matter)
{
	put_index();
	for (unsigned i = TAGS; i-- > 0;)
		put_kind("tag", i, TAG);
	for (unsigned i = POSTS; i-- > 0;)
		put_kind("post", i, i < 4 ? POST : OTHER_POST);
	ck_assert_uint_eq(choose(100).threshold, CHOSEN);
}

TEST(with_too_many_signatures_it_is_the_default)
{
	struct threshold_choice choice;

	put_site();
	choice = choose(3);
	ck_assert_uint_eq(choice.threshold, DEFAULT_VALUE);
	ck_assert_ptr_nonnull(strstr(choice.reason, "4 distinct signatures"));
	ck_assert_ptr_nonnull(
		strstr(choice.reason, "clustering.max_dendrogram_size"));
	ck_assert_uint_eq(choose(4).threshold, CHOSEN);
}

static bool never(void *context, uint64_t done, uint64_t total)
{
	(void)context;
	(void)done;
	(void)total;
	return false;
}

TEST(it_can_be_stopped)
{
	const struct dendrogram_options watch = {.max_leaves = 100,
						 .goes_on = never};
	struct threshold_choice choice;

	put_site();
	ck_assert_int_eq(site_snapshot_choose_threshold(world.store, "a.test",
							&watch, &choice),
			 ERR_STOPPED);
	threshold_choice_free(&choice);
}

TEST(a_member_of_no_set_is_damage)
{
	struct txn txn;
	struct key key = key_site(world_site(&world, "a.test").id);

	put_site();
	txn = txn_begin_write(world.store);
	txn_delete_prefix(&txn, TABLE_SETS, key_slice(&key));
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(
		site_snapshot_read(world.store, "a.test", SIZE_MAX, &snapshot),
		ERR_CORRUPT);
	ck_assert_ptr_null(snapshot.arena);
}

TEST(the_report_is_that_of_the_site)
{
	struct report report;

	put_site();
	read_site();
	ASSERT_OK(site_snapshot_report(&snapshot, &plenty, &report));
	ck_assert_uint_eq(report.dendrogram.count, 4);
	ck_assert_uint_eq(report.dendrogram.page_count, PAGES);
	ck_assert_uint_eq(report.threshold, 250);
	ck_assert_uint_eq(report.shingle_ids, snapshot.shingle_count);
	ck_assert_uint_eq(report.suggestion.threshold, CHOSEN);
	/* posts, tags and the index */
	ck_assert_uint_eq(report.curve[CHOSEN].clusters, 3);
	report_free(&report);
}

TEST(a_report_needs_the_examples_alone)
{
	struct report report;

	put_site();
	read_site();
	ASSERT_OK(site_snapshot_report(&snapshot, &plenty, &report));
	site_snapshot_trim(&snapshot);
	ck_assert_ptr_null(snapshot.leaves);
	ck_assert_ptr_null(snapshot.arena);
	for (size_t i = 0; i < report.dendrogram.count; i++)
		ck_assert_ptr_eq(strstr(report.examples[i], "http://a.test/"),
				 report.examples[i]);
	report_free(&report);
}

TEST(pages_are_not_read_when_there_are_too_many_signatures)
{
	world_put_blocks(&world, "http://a.test/1", 1);
	world_put_blocks(&world, "http://a.test/2", 2);
	site_snapshot_free(&snapshot);
	ASSERT_OK(site_snapshot_read(world.store, "a.test", 1, &snapshot));
	ck_assert_uint_eq(snapshot.leaf_count, 2);
	ck_assert_uint_eq(snapshot.witness.count, 0);
}
