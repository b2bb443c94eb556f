/* While a text is computed, no transaction is open: a long reader prevents the
 * store from reusing deleted space. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/privsep/messages.h"
#include "daemon/query/query.h"
#include "daemon/query/stored_site.h"
#include "store/key.h"
#include "template/extraction.h"
#include "tests/unit/daemon/world.h"
#include "tests/unit/run.h"

enum { PAGES = 6 };

static struct world world;
static char fifo[128]; /* the model of the site: a reader waits for it */

static void put(unsigned number, unsigned seed)
{
	AUTO_BUFFER html = {0};
	char url[64];

	snprintf(url, sizeof(url), "http://a.test/page/%u", number);
	world_page(&html, 0, seed);
	ASSERT_OK(world_put(&world, url, buffer_slice(&html)));
}

static void setup(void)
{
	world = (struct world){0};
	world_open(&world, 0);
	ASSERT_OK(world_add_site(&world, "a.test"));
	for (unsigned i = 0; i < PAGES; i++)
		put(i, i);
	snprintf(fifo, sizeof(fifo), "%s/a.test.model", world.path);
}

static void teardown(void)
{
	unlink(fifo);
	world_close(&world);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_reader_is_counted_as_long_as_it_is_there)
{
	struct txn txn;

	ck_assert_uint_eq(store_count_readers(world.store), 0);
	txn = txn_begin_read(world.store);
	ck_assert_uint_eq(store_count_readers(world.store), 1);
	txn_abort(&txn);
	ck_assert_uint_eq(store_count_readers(world.store), 0);
}

/* A request for page 3 by a method that reads the model. */
static enum error ask(bool is_handed_in)
{
	struct extraction_options rules = extraction_options_default;
	struct text_request request = {.method = "mountain"};
	AUTO_RESULT answer;
	AUTO_BUFFER html = {0};
	struct url url;
	enum error error;

	url_parse(&url, slice_of("http://a.test/page/3"), NULL);
	world_page(&html, 0, PAGES); /* a new page instead of page 3 */
	request.url = &url;
	request.body = buffer_slice(&html);
	rules.models = world.path;
	error = is_handed_in
			? query_extract(world.store, &rules, &request, &answer)
			: query_text(world.store, &rules, &request, &answer);
	return error;
}

static void *ask_main(void *argument)
{
	static enum error errors[2];
	const bool *is_handed_in = argument;

	errors[*is_handed_in] = ask(*is_handed_in);
	return &errors[*is_handed_in];
}

/* The model comes when the page is parsed, classed and counted. */
TEST_LOOP(nobody_is_in_the_store_while_an_answer_is_computed, 0, 2)
{
	bool is_handed_in = _i == 1;
	pthread_t thread;
	void *error;
	int fd;

	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, ask_main, &is_handed_in),
			 0);
	fd = open(fifo, O_WRONLY | O_CLOEXEC); /* waits for the reader */
	ck_assert_int_ge(fd, 0);
	ck_assert_uint_eq(store_count_readers(world.store), 0);
	ck_assert_int_eq(write(fd, "no model", 8), 8);
	close(fd);
	pthread_join(thread, &error);
	ck_assert_int_eq(*(const enum error *)error, ERR_MALFORMED);
}

static uint32_t sampled;

static const void *learn(const struct sample *sample, const double *parameters,
			 struct arena *arena)
{
	(void)parameters;
	(void)arena;
	ck_assert_uint_eq(store_count_readers(world.store), 0);
	sampled = sample->count;
	return NULL;
}

/* Learn from the sample of a cluster; the error. */
static enum error learn_of(uint32_t cluster)
{
	const struct extractor extractor = {.name = "test", .learn = learn};
	const double parameters[MAX_PARAMETERS] = {0};
	struct site_row site = world_site(&world, "a.test");
	const struct site_source *source;
	struct stored_site stored;
	const struct site_view *view;
	struct template_model taught;

	site.host = slice_of(
		"a.test"); /* the row's slice belongs to the transaction */
	view = stored_site_open(&stored, world.store, &site,
				&extraction_options_default);

	source = view->source;
	taught = source->learn(view->context, cluster, 0, &extractor,
			       parameters);
	ck_assert_int_eq(taught.holder == NULL, taught.error != ERR_NONE);
	source->release(view->context, taught);
	stored_site_close(&stored);
	return taught.error;
}

TEST(nobody_is_in_the_store_while_a_method_learns)
{
	ASSERT_OK(learn_of(1));
	ck_assert_uint_eq(sampled, PAGES);
}

/* Drop the bodies of all pages; `flags` are those of their rows. */
static void drop_bodies(uint16_t flags)
{
	struct site_row site = world_site(&world, "a.test");
	struct txn txn = txn_begin_write(world.store);

	for (unsigned i = 0; i < PAGES; i++) {
		struct page_row row;
		char url[64];
		struct key key;

		snprintf(url, sizeof(url), "http://a.test/page/%u", i);
		key = key_page(site.id, page_key_of(slice_of(url)));
		txn_delete(&txn, TABLE_BODIES, key_slice(&key));
		ck_assert(page_row_get(&txn, site.id,
				       page_key_of(slice_of(url)), &row));
		row.flags |= flags;
		page_row_put(&txn, site.id, page_key_of(slice_of(url)), &row);
	}
	ASSERT_OK(txn_end(&txn));
}

/* The site has changed since the caller learned of the cluster. */
TEST(a_deleted_cluster_is_no_damage)
{
	ck_assert_int_eq(learn_of(99), ERR_BUSY);
}

TEST(pages_that_are_not_kept_are_no_damage)
{
	drop_bodies(PAGE_ROW_HAS_NO_BODY);
	ck_assert_int_eq(learn_of(1), ERR_BODY_EXPIRED);
}

TEST(pages_that_are_missing_are_damage)
{
	drop_bodies(0);
	ck_assert_int_eq(learn_of(1), ERR_CORRUPT);
}

/* Request page 3 as before `change`. */
static enum error answer_after(void (*change)(void))
{
	const struct text_request request = {.method = "df"};
	const uint64_t key = page_key_of(slice_of("http://a.test/page/3"));
	struct extraction extraction = {.rules = &extraction_options_default,
					.request = &request};
	struct txn txn = txn_begin_read(world.store);
	struct stored_site stored;
	AUTO_BUFFER list = {0};
	struct page *page;
	struct known_page known;
	AUTO_RESULT answer = {0};
	struct site_row site;
	struct page_row row;
	enum error error;

	ck_assert(site_get(&txn, slice_of("a.test"), &site));
	ck_assert(page_row_get(&txn, site.id, key, &row));
	extraction.site = stored_site_open(&stored, world.store, &site,
					   &extraction_options_default);
	known = stored_site_own_page(&stored,
				     stored_site_known_page(key, &row));
	ASSERT_OK(stored_page_append(
		&(struct stored_pages){&txn, site.id, row.cluster,
				       &page_limits_default},
		key, &row, &list));
	txn_abort(&txn);
	change();
	ck_assert_uint_eq(sample_parse(buffer_slice(&list),
				       &page_limits_default, &page, 1),
			  1);
	answer.page = page;
	error = extraction_of_known(&extraction, answer.page, &known, &answer);
	stored_site_close(&stored);
	return error;
}

static void change_nothing(void)
{
}

static void change_another(void)
{
	put(4, 100);
}

static void change_the_page(void)
{
	put(3, 100);
}

static void remove_the_page(void)
{
	world_remove(&world, "http://a.test/page/3");
}

TEST(an_answer_is_not_of_two_states)
{
	ASSERT_OK(answer_after(change_nothing));
	ASSERT_OK(answer_after(change_another));
	ck_assert_int_eq(answer_after(change_the_page), ERR_BUSY);
	ck_assert_int_eq(answer_after(remove_the_page), ERR_BUSY);
}
