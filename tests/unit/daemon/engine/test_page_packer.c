/* Pages are compressed by the dictionary of their template before they are
 * committed, and what is stored can be read whatever happens in between. */
#include "daemon/engine/page_packer.h"

#include "base/compress.h"
#include "daemon/engine/engine_internal.h"
#include "daemon/engine/packing.h"
#include "daemon/privsep/analyse_task.h"
#include "store/content.h"
#include "store/rows.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

#define HOST "a.test"

static struct world world;
static struct page_packer *packer;

static void setup(void)
{
	world_open(&world, 0);
	world_add_site(&world, HOST);
	packer = page_packer_create(world.store);
}

static void teardown(void)
{
	page_packer_destroy(packer);
	ck_assert_uint_eq(world_problems(&world), 0);
	world_close(&world);
}

FIXTURE(.setup = setup, .teardown = teardown);

/* Text without repetitions that all pages of a template have. */
static void make_page(struct buffer *out, unsigned kind, unsigned number)
{
	uint64_t state = kind + 1;

	world_page(out, kind, number);
	buffer_append_text(out, "<!-- ");
	for (unsigned i = 0; i < 2000; i++)
		buffer_append_byte(out,
				   (char)('a' + world_random(&state) % 26));
	buffer_append_text(out, " -->");
}

static void make_url(char *url, size_t size, unsigned kind, unsigned number)
{
	snprintf(url, size, "http://" HOST "/%u/%u", kind, number);
}

/* Close the store and open it again, as a restart does. */
static void restart(void)
{
	page_packer_destroy(packer);
	world_reopen(&world);
	packer = page_packer_create(world.store);
}

/* A page that was analysed. Free it with forget(). */
static struct job analysed(unsigned kind, unsigned number)
{
	struct job job = {.kind = CHANGE_PAGE};
	char url[64];

	make_url(url, sizeof(url), kind, number);
	ASSERT_OK(url_parse(&job.url, slice_of(url), NULL));
	make_page(&job.result.body, kind, number);
	ASSERT_OK(analyse(
		buffer_slice(&job.result.body), slice_of(""), &job.url,
		&(struct analyse_options){.limits = &page_limits_default,
					  .measure = world.measure},
		&job.record));
	job.analysis.body_bytes = (uint32_t)job.result.body.size;
	return job;
}

static void forget(struct job *job)
{
	buffer_free(&job->result.body);
	buffer_free(&job->record);
	buffer_free(&job->packed);
	buffer_free(&job->packed_record);
	page_dictionary_release(job->dictionary);
}

static void commit(struct job *job)
{
	struct change change = {
		.kind = CHANGE_PAGE, .url = &job->url, .answer = job->analysis};

	change.answer.outcome.http_status = 200;
	change.answer.packed = buffer_slice(&job->packed);
	change.answer.record = buffer_slice(&job->record);
	change.answer.packed_record = buffer_slice(&job->packed_record);
	change.answer.dictionary = job->dictionary;
	ASSERT_OK(
		engine_commit(world.engine, &change, 1, ++world.now_ms, NULL));
	ASSERT_OK(change.error);
	page_packer_learn(packer, job, change.answer.stored_site,
			  change.answer.cluster);
}

static void put(unsigned kind, unsigned number)
{
	struct job job = analysed(kind, number);

	page_packer_run(packer, &job);
	commit(&job);
	forget(&job);
}

static uint64_t dictionaries(void)
{
	struct txn txn = txn_begin_read(world.store);
	uint64_t rows = txn_usage(&txn, TABLE_DICTIONARIES).rows;

	ASSERT_OK(txn_end(&txn));
	return rows;
}

/* Check body and record, and return the number of their dictionary. */
static uint32_t dictionary_of(unsigned kind, unsigned number)
{
	struct job job = analysed(kind, number);
	uint32_t site = world_site(&world, HOST).id;
	uint64_t page = page_key_of(slice_of(job.url.text));
	struct key key = key_page(site, page);
	struct txn txn = txn_begin_read(world.store);
	AUTO_BUFFER body = {0};
	AUTO_BUFFER bytes = {0};
	struct record record;
	struct slice value;
	uint32_t of_body;
	uint32_t of_record;

	ASSERT_OK(content_body(&txn, site, page, (uint32_t)job.result.body.size,
			       &body));
	ck_assert(slice_equal(buffer_slice(&body),
			      buffer_slice(&job.result.body)));
	ASSERT_OK(content_record(&txn, site, page, &bytes, &record));
	ck_assert(slice_equal(buffer_slice(&bytes), buffer_slice(&job.record)));
	value = txn_get(&txn, TABLE_BODIES, key_slice(&key));
	content_is_packed(value, &of_body);
	value = txn_get(&txn, TABLE_RECORDS, key_slice(&key));
	content_is_packed(value, &of_record);
	ck_assert_uint_eq(of_body, of_record);
	txn_abort(&txn);
	forget(&job);
	return of_body;
}

/* Walk over the site; how many rows were changed. */
static uint64_t walk(void)
{
	struct packing_walk walk = {.site = world_site(&world, HOST).id,
				    .now_ms = ++world.now_ms};
	uint64_t packed = 0;

	while (!walk.is_ended) {
		struct packing packing = {0};
		struct change change = {.kind = CHANGE_PACK,
					.pack = {.packing = &packing}};

		ASSERT_OK(packing_step(&walk, world.store, &packing));
		if (packing.count > 0)
			ASSERT_OK(engine_commit(world.engine, &change, 1,
						world.now_ms, NULL));
		packed += change.pack.packed;
		packing_free(&packing);
	}
	packing_walk_end(&walk);
	return packed;
}

TEST(the_second_page_of_a_template_is_its_dictionary)
{
	for (unsigned i = 0; i < 5; i++)
		put(0, i);
	put(1, 0);
	put(1, 1);
	put(1, 2);
	ck_assert_uint_eq(dictionary_of(0, 0), 0);
	for (unsigned i = 1; i < 5; i++)
		ck_assert_uint_eq(dictionary_of(0, i), 1);
	/* the nearest dictionary of the site, until there is an own one */
	ck_assert_uint_eq(dictionary_of(1, 0), 1);
	ck_assert_uint_eq(dictionary_of(1, 1), 2);
	ck_assert_uint_eq(dictionary_of(1, 2), 2);
}

TEST(pages_that_are_packed_together_share_a_new_dictionary)
{
	struct job jobs[3];

	for (unsigned i = 0; i < 3; i++) {
		jobs[i] = analysed(0, i);
		jobs[i].next = i < 2 ? &jobs[i + 1] : NULL;
	}
	page_packer_run(packer, jobs);
	for (unsigned i = 3; i-- > 0;) {
		commit(&jobs[i]);
		forget(&jobs[i]);
	}
	ck_assert_uint_eq(dictionaries(), 1);
	ck_assert_uint_eq(dictionary_of(0, 2), 1);
	ck_assert_uint_eq(dictionary_of(0, 1), 1);
	ck_assert_uint_eq(dictionary_of(0, 0), 0);
}

TEST(sixteen_stored_pages_make_a_better_dictionary)
{
	for (unsigned i = 0; i < PACKING_ENOUGH_PAGES + 3; i++)
		put(0, i);
	ck_assert_uint_eq(dictionary_of(0, PACKING_ENOUGH_PAGES - 1), 1);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_uint_eq(dictionary_of(0, PACKING_ENOUGH_PAGES + i),
				  2);
	ck_assert_uint_eq(dictionaries(), 2);
	/* bodies, records, and the first dictionary, which is retired */
	ck_assert_uint_eq(walk(), PACKING_ENOUGH_PAGES * 2 + 1);
	ck_assert_uint_eq(dictionary_of(0, 0), 2);
	restart();
	put(0, PACKING_ENOUGH_PAGES + 3);
	ck_assert_uint_eq(dictionary_of(0, PACKING_ENOUGH_PAGES + 3), 2);
}

TEST(pages_that_wait_for_a_commit_share_a_better_dictionary)
{
	struct job jobs[2];

	for (unsigned i = 0; i < PACKING_ENOUGH_PAGES; i++)
		put(0, i);
	for (unsigned i = 0; i < 2; i++) {
		jobs[i] = analysed(0, PACKING_ENOUGH_PAGES + i);
		page_packer_run(packer, &jobs[i]);
	}
	ck_assert_ptr_eq(jobs[0].dictionary, jobs[1].dictionary);
	for (unsigned i = 2; i-- > 0;) {
		commit(&jobs[i]);
		forget(&jobs[i]);
		ck_assert_uint_eq(dictionary_of(0, PACKING_ENOUGH_PAGES + i),
				  2);
	}
	ck_assert_uint_eq(dictionaries(), 2);
}

/* Otherwise each page would repeat what the dictionary lacks. */
TEST(a_dictionary_has_the_whole_of_a_large_page)
{
	enum { LARGE = 400 << 10 };

	for (unsigned i = 0; i < 3; i++) {
		struct job job = analysed(0, i);
		uint64_t state = 7;

		while (job.result.body.size < LARGE)
			buffer_append_byte(
				&job.result.body,
				(char)('a' + world_random(&state) % 26));
		page_packer_run(packer, &job);
		if (i == 2)
			ck_assert_uint_lt(job.packed.size, LARGE / 100);
		forget(&job);
	}
}

TEST(a_stored_dictionary_is_used_after_a_restart)
{
	put(0, 0);
	put(0, 1);
	restart();
	put(0, 2);
	ck_assert_uint_eq(dictionary_of(0, 2), 1);
	ck_assert_uint_eq(dictionaries(), 1);
}

/* As the former version has left them: without a dictionary. */
TEST(pages_of_an_old_store_are_packed)
{
	for (unsigned i = 0; i < 4; i++) {
		AUTO_BUFFER html = {0};
		char url[64];

		make_url(url, sizeof(url), 0, i);
		make_page(&html, 0, i);
		ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
	}
	restart();
	put(0, 4);
	put(0, 5);
	ck_assert_uint_eq(dictionary_of(0, 5), 1);
	ck_assert_uint_gt(walk(), 0);
	for (unsigned i = 0; i < 6; i++)
		ck_assert_uint_eq(dictionary_of(0, i), 1);
	ck_assert_uint_eq(walk(), 0);
}

/* Between the choice of a dictionary and the commit, walks delete it. */
TEST(a_page_brings_a_deleted_dictionary_back)
{
	struct job job;
	char url[64];

	put(0, 0);
	put(0, 1);
	job = analysed(0, 2);
	page_packer_run(packer, &job);
	for (unsigned i = 0; i < 2; i++) {
		make_url(url, sizeof(url), 0, i);
		world_remove(&world, url);
	}
	ck_assert_uint_eq(walk(), 1);
	ck_assert_uint_eq(walk(), 1);
	ck_assert_uint_eq(dictionaries(), 0);
	commit(&job);
	forget(&job);
	ck_assert_uint_eq(dictionary_of(0, 2), 2);
}

TEST(a_retired_dictionary_gets_no_page)
{
	struct job job;
	char url[64];

	put(0, 0);
	put(0, 1);
	job = analysed(0, 2);
	page_packer_run(packer, &job);
	for (unsigned i = 0; i < 2; i++) {
		make_url(url, sizeof(url), 0, i);
		world_remove(&world, url);
	}
	ck_assert_uint_eq(walk(), 1);
	commit(&job);
	forget(&job);
	ck_assert_uint_eq(dictionary_of(0, 2), 2);
	walk();
	ck_assert_uint_eq(dictionaries(), 1);
	ck_assert_uint_eq(dictionary_of(0, 2), 2);
}

TEST(a_page_of_a_site_that_was_added_again_needs_no_dictionary)
{
	struct change change = {.kind = CHANGE_SITE_DELETE};
	struct job job;

	put(0, 0);
	put(0, 1);
	job = analysed(0, 2);
	page_packer_run(packer, &job);
	change.url = &job.url;
	ASSERT_OK(engine_commit(world.engine, &change, 1, world.now_ms, NULL));
	world_add_site(&world, HOST);
	ck_assert_ptr_nonnull(job.dictionary);
	commit(&job);
	ck_assert_uint_eq(dictionaries(), 0);
	ck_assert_uint_eq(dictionary_of(0, 2), 0);
	forget(&job);
}

TEST(a_body_can_do_without_its_dictionary)
{
	struct job job;
	AUTO_BUFFER plain = {0};
	AUTO_BUFFER body = {0};

	put(0, 0);
	put(0, 1);
	job = analysed(0, 2);
	page_packer_run(packer, &job);
	ASSERT_OK(page_dictionary_convert(job.dictionary,
					  buffer_slice(&job.packed),
					  job.analysis.body_bytes, &plain));
	ASSERT_OK(decompress_slice(buffer_slice(&plain),
				   job.analysis.body_bytes, &body));
	ck_assert(slice_equal(buffer_slice(&body),
			      buffer_slice(&job.result.body)));
	job.packed.size -= 1;
	ck_assert_int_eq(page_dictionary_convert(
				 job.dictionary, buffer_slice(&job.packed),
				 job.analysis.body_bytes, &plain),
			 ERR_CORRUPT);
	forget(&job);
}
