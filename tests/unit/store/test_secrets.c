/* Texts that no copy of the store holds. */
#include <sys/stat.h>

#include "base/log.h"
#include "store/encryption.h"
#include "store/key.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

static const char headers[] = "Authorization: s3same\n";

static struct scratch scratch;
static struct store *store;

static void set_up(void)
{
	scratch_make(&scratch);
	store = scratch_store(&scratch);
}

static void tear_down(void)
{
	store_close(store);
	store = NULL;
	scratch_remove(&scratch, NULL);
}

static void open_again(void)
{
	store_close(store);
	store = scratch_store(&scratch);
}

/* Put a site with the sealed headers, which are returned in `sealed_out`. */
static void put_site(struct txn *txn, const char *text,
		     struct buffer *sealed_out)
{
	struct site_row row = {.id = 1, .host = slice_of("a.test")};

	txn_store_secret_text(txn, redact_headers, slice_of(text), sealed_out);
	row.options.headers = buffer_slice(sealed_out);
	site_put(txn, &row);
}

static void add_site(const char *text, struct buffer *sealed_out)
{
	struct txn txn = txn_begin_write(store);

	put_site(&txn, text, sealed_out);
	ASSERT_OK(txn_end(&txn));
}

static bool opens_as(const struct buffer *sealed, const char *wanted)
{
	AUTO_BUFFER text = {0};

	return secret_text_read(store, buffer_slice(sealed), &text) &&
	       slice_equal(buffer_slice(&text), slice_of(wanted));
}

static bool file_has(const char *name, const char *text)
{
	AUTO_BUFFER bytes = {0};

	return file_read(scratch_path(&scratch, name), SIZE_MAX / 2, &bytes) ==
		       ERR_NONE &&
	       memmem(bytes.data, bytes.size, text, strlen(text)) != NULL;
}

FIXTURE(.setup = set_up, .teardown = tear_down);

TEST(a_row_has_what_is_shown_and_the_file_the_text)
{
	AUTO_BUFFER sealed = {0};
	struct stat status;

	add_site(headers, &sealed);
	ck_assert(slice_equal(secret_text_redacted(buffer_slice(&sealed)),
			      slice_of("Authorization: ***\n")));
	ck_assert(opens_as(&sealed, headers));
	ck_assert(file_has(SECRETS_FILE, "s3same"));
	ck_assert(!file_has("data.mdb", "s3same"));
	ck_assert_int_eq(stat(scratch_path(&scratch, SECRETS_FILE), &status),
			 0);
	ck_assert_int_eq(status.st_mode & 0777, 0600);
	open_again();
	ck_assert(opens_as(&sealed, headers));
}

TEST(what_hides_nothing_needs_no_secret)
{
	AUTO_BUFFER sealed = {0};
	struct txn txn = txn_begin_write(store);

	txn_store_secret_text(&txn, redact_proxy,
			      slice_of("http://a.test:3128"), &sealed);
	ASSERT_OK(txn_end(&txn));
	ck_assert(opens_as(&sealed, "http://a.test:3128"));
	ck_assert(!file_has(SECRETS_FILE, "a.test"));
	ck_assert(secret_text_read(store, slice_of(""), NULL));
}

TEST(a_transaction_that_is_undone_leaves_no_secret)
{
	AUTO_BUFFER first = {0};
	AUTO_BUFFER second = {0};
	struct txn txn;

	add_site(headers, &first);
	txn = txn_begin_write(store);
	txn_drop_secret_text(&txn, buffer_slice(&first));
	put_site(&txn, "Cookie: other\n", &second);
	txn_abort(&txn);
	ck_assert(opens_as(&first, headers));
	ck_assert(!secret_text_read(store, buffer_slice(&second), NULL));
	open_again();
	ck_assert(opens_as(&first, headers));
	ck_assert(!file_has(SECRETS_FILE, "other"));
}

TEST(what_is_replaced_goes_with_the_commit)
{
	AUTO_BUFFER first = {0};
	AUTO_BUFFER second = {0};
	struct txn txn;

	add_site(headers, &first);
	txn = txn_begin_write(store);
	txn_drop_secret_text(&txn, buffer_slice(&first));
	put_site(&txn, "Cookie: other\n", &second);
	ck_assert(file_has(SECRETS_FILE, "s3same"));
	ASSERT_OK(txn_end(&txn));
	ck_assert(!secret_text_read(store, buffer_slice(&first), NULL));
	ck_assert(opens_as(&second, "Cookie: other\n"));
	ck_assert(!file_has(SECRETS_FILE, "s3same"));
}

/* As when it was killed between the file and the commit. */
TEST(secrets_that_no_row_names_go_at_the_start)
{
	AUTO_BUFFER sealed = {0};
	struct txn txn = txn_begin_write(store);

	txn_store_secret_text(&txn, redact_headers, slice_of(headers), &sealed);
	ASSERT_OK(txn_end(&txn));
	ck_assert(file_has(SECRETS_FILE, "s3same"));
	open_again();
	ck_assert(!secret_text_read(store, buffer_slice(&sealed), NULL));
	ck_assert(!file_has(SECRETS_FILE, "s3same"));
}

TEST(without_its_file_a_row_is_locked)
{
	AUTO_BUFFER sealed = {0};
	struct store *reader = NULL;

	add_site(headers, &sealed);
	ck_assert_int_eq(unlink(scratch_path(&scratch, SECRETS_FILE)), 0);
	open_again();
	ck_assert(!secret_text_read(store, buffer_slice(&sealed), NULL));
	store_close(store);
	store = NULL;
	ASSERT_OK(store_open(&reader, scratch.folder,
			     &(struct store_options){.is_read_only = true}));
	ck_assert(!secret_text_read(reader, buffer_slice(&sealed), NULL));
	store_close(reader);
}

/* Every byte of the file counts, and every length. */
TEST(a_damaged_file_is_no_file)
{
	AUTO_BUFFER sealed = {0};
	AUTO_BUFFER bytes = {0};
	const char *name;
	size_t refused = 0;

	add_site(headers, &sealed);
	store_close(store);
	name = scratch_path(&scratch, SECRETS_FILE);
	ASSERT_OK(file_read(name, 1000, &bytes));
	for (size_t i = 0; i < bytes.size; i++) {
		struct secrets *secrets = NULL;

		bytes.data[i] ^= 1;
		file_write(name, buffer_slice(&bytes));
		bytes.data[i] ^= 1;
		refused += secrets_open(&secrets, scratch.folder, true) ==
			   ERR_CORRUPT;
		file_write(name, (struct slice){bytes.data, i});
		refused += secrets_open(&secrets, scratch.folder, true) ==
			   ERR_CORRUPT;
	}
	ck_assert_uint_eq(refused, bytes.size * 2);
	ck_assert_int_eq(
		store_open(&store, scratch.folder, &(struct store_options){0}),
		ERR_CORRUPT);
	file_write(name, buffer_slice(&bytes));
	store = scratch_store(&scratch);
	ck_assert(opens_as(&sealed, headers));
}
