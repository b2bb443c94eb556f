#include "store/partitions.h"

#include "base/log.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/rows.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

enum { PAGES = 20000 }; /* more than a batch */

/* One host, one partition: "b.test" is of 'b'. */
static unsigned partition_of(struct slice host)
{
	return *(const unsigned char *)host.data;
}

static struct scratch old_folder;
static struct scratch new_folder;
static struct store *from;
static struct store *to;
static struct partitions_migration_report report;

static void setup(void)
{
	const struct store_options options = {.is_temporary = true,
					      .partition_of = partition_of};

	scratch_make(&old_folder);
	from = scratch_store(&old_folder);
	scratch_make(&new_folder);
	ASSERT_OK(store_open(&to, new_folder.folder, &options));
}

static void teardown(void)
{
	store_close(from);
	store_close(to);
	scratch_remove(&old_folder, NULL);
	scratch_remove(&new_folder, NULL);
}

static uint32_t add_site(struct txn *txn, const char *host, const char *headers)
{
	struct site_row row = {.host = slice_of(host), .seed = slice_of(host)};
	AUTO_BUFFER sealed = {0};

	row.id = store_next_site(txn, row.host);
	txn_store_secret_text(txn, redact_headers, slice_of(headers), &sealed);
	row.options.headers = buffer_slice(&sealed);
	site_put(txn, &row);
	return row.id;
}

static uint64_t add_event(struct txn *txn, const char *host)
{
	return event_add(txn, &(struct event_row){.host = slice_of(host)});
}

static uint32_t id_of(struct txn *txn, const char *host)
{
	struct site_row row = {0};

	ck_assert(site_get(txn, slice_of(host), &row));
	return row.id;
}

/* Sites 1 (b), 2 (a), 3 (b again), with rows of the last two. */
static void add_sites(void)
{
	struct txn txn = txn_begin_write(from);

	add_site(&txn, "b1.test", "");
	add_site(&txn, "a.test", "Cookie: secret\n");
	add_site(&txn, "b0.test", "");
	for (uint64_t i = 0; i < PAGES; i++) {
		char value[300] = "";
		struct key key = key_page(i % 2 == 0 ? 2 : 3, i);

		txn_put(&txn, TABLE_BODIES, key_slice(&key),
			(struct slice){value, sizeof(value)});
	}
	ASSERT_OK(txn_end(&txn));
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(sites_take_their_rows_along)
{
	struct txn txn;
	struct key key;

	add_sites();
	ASSERT_OK(partitions_migrate(from, to, false, &report));
	ck_assert_uint_eq(report.sites, 3);
	ck_assert_uint_eq(report.rows, 3 + PAGES);
	txn = txn_begin_read(to);
	/* by the old numbers, not by name */
	ck_assert_uint_eq(id_of(&txn, "b1.test"), (uint32_t)'b' << 24 | 1);
	ck_assert_uint_eq(id_of(&txn, "b0.test"), (uint32_t)'b' << 24 | 2);
	ck_assert_uint_eq(id_of(&txn, "a.test"), (uint32_t)'a' << 24 | 1);
	key = key_page((uint32_t)'a' << 24 | 1, 8);
	ck_assert_uint_eq(txn_get(&txn, TABLE_BODIES, key_slice(&key)).size,
			  300);
	key = key_page((uint32_t)'b' << 24 | 2, PAGES - 1);
	ck_assert_uint_eq(txn_get(&txn, TABLE_BODIES, key_slice(&key)).size,
			  300);
	txn_abort(&txn);
}

TEST(new_sites_get_numbers_behind_them)
{
	struct txn txn;

	add_sites();
	ASSERT_OK(partitions_migrate(from, to, false, &report));
	txn = txn_begin_write(to);
	ck_assert_uint_eq(add_site(&txn, "b.test", ""),
			  (uint32_t)'b' << 24 | 3);
	ASSERT_OK(txn_end(&txn));
}

TEST(events_stay_in_order)
{
	struct txn txn = txn_begin_write(from);
	struct silence_row silence = {.host = slice_of("c.test")};
	struct event_row row = {.host = slice_of("a.test")};
	struct refused_row refused = {.http_status = 422};
	AUTO_BUFFER event = {0};

	ck_assert_uint_eq(add_event(&txn, "b.test"), 1);
	ck_assert_uint_eq(add_event(&txn, ""), 2);
	silence.event = add_event(&txn, "c.test");
	silence_row_put(&txn, 7, &silence);
	outbox_put(&txn, 5, 3, &row);
	buffer_append_slice(&event,
			    txn_get(&txn, TABLE_OUTBOX, KEY(key_outbox(5, 3))));
	refused.event = buffer_slice(&event);
	refused_row_put(&txn, 5, 2, &refused);
	ASSERT_OK(txn_end(&txn));
	ASSERT_OK(partitions_migrate(from, to, false, &report));
	ck_assert_uint_eq(report.events, 3);
	txn = txn_begin_write(to);
	ck_assert(refused_row_get(&txn, 5, UINT64_C(2) * 512 + 'a', &refused));
	ck_assert_uint_eq(refused.http_status, 422);
	ck_assert(event_get(&txn, 512 + 'b', &row));
	ck_assert(event_get(&txn, UINT64_C(2) * 512 + JOURNAL_COMMON, &row));
	ck_assert(event_get(&txn, UINT64_C(3) * 512 + 'c', &row));
	ck_assert(silence_row_get(&txn, 7, &silence));
	ck_assert_uint_eq(silence.event, UINT64_C(3) * 512 + 'c');
	ck_assert_uint_eq(add_event(&txn, "a.test"), UINT64_C(4) * 512 + 'a');
	txn_abort(&txn);
}

/* The headers of "a.test" in the new store; "" if unknown. */
static void expect_headers(const char *headers)
{
	struct txn txn = txn_begin_read(to);
	AUTO_BUFFER text = {0};
	struct site_row row;

	ck_assert(site_get(&txn, slice_of("a.test"), &row));
	ck_assert_int_eq(secret_text_read(to, row.options.headers, &text),
			 headers[0] != '\0');
	ck_assert_str_eq(text.size == 0 ? "" : text.data, headers);
	txn_abort(&txn);
}

TEST(secrets_stay_unless_they_are_wanted)
{
	add_sites();
	ASSERT_OK(partitions_migrate(from, to, false, &report));
	ck_assert_uint_eq(report.secrets, 1);
	ck_assert_uint_eq(report.secrets_copied, 0);
	expect_headers("");
}

TEST(secrets_go_along)
{
	add_sites();
	ASSERT_OK(partitions_migrate(from, to, true, &report));
	ck_assert_uint_eq(report.secrets_copied, 1);
	expect_headers("Cookie: secret\n");
}

TEST(what_cannot_be_is_refused)
{
	struct site_row site = {.host = slice_of("a.test"), .id = 1U << 24 | 1};
	struct key key = key_page(9, 1);
	struct txn txn = txn_begin_write(from);

	/* a row of no site */
	txn_put(&txn, TABLE_BODIES, key_slice(&key), slice_of("x"));
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(partitions_migrate(from, to, false, &report),
			 ERR_CORRUPT);
	/* a site that has a partition */
	txn = txn_begin_write(from);
	site_put(&txn, &site);
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(partitions_migrate(from, to, false, &report),
			 ERR_MALFORMED);
	/* sites there already */
	txn = txn_begin_write(to);
	site_put(&txn, &site);
	ASSERT_OK(txn_end(&txn));
	ck_assert_int_eq(partitions_migrate(from, to, false, &report),
			 ERR_ADDRESS_FORBIDDEN);
}
