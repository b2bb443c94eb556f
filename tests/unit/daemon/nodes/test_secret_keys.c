#include "daemon/nodes/encryption_keys.h"

#include <sys/stat.h>

#include "base/log.h"
#include "store/encryption.h"
#include "store/journal.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "tests/unit/run.h"
#include "tests/unit/store/scratch.h"

#define ONE      "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define TWO      "ffeeddccbbaa99887766554433221100FFEEDDCCBBAA99887766554433221100"
#define PASSWORD "Authorization: correct horse"

static struct scratch place;

static enum error read_text(struct encryption_keys **keys_out, const char *text,
			    mode_t mode)
{
	const char *path = scratch_path(&place, "key");
	FILE *file;

	unlink(path);
	file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
	ck_assert_int_eq(chmod(path, mode), 0);
	return encryption_keys_read(keys_out, path);
}

static struct encryption_keys *keys_of(const char *text)
{
	struct encryption_keys *keys;

	ASSERT_OK(read_text(&keys, text, 0600));
	return keys;
}

static void setup(void)
{
	scratch_make(&place);
}

static void teardown(void)
{
	scratch_remove(&place, NULL);
}

FIXTURE(.setup = setup, .teardown = teardown);

TEST(a_file_has_a_key_a_line)
{
	struct encryption_keys *keys = keys_of("# new\n" ONE "\n\n" TWO);
	struct encryption_keys *one = keys_of(ONE);
	struct encryption_keys *two = keys_of(TWO "\r\n");

	ck_assert_uint_eq(encryption_keys_count(keys), 2);
	ck_assert_uint_eq(strlen(encryption_keys_id(keys)), 16);
	ck_assert_str_eq(encryption_keys_id(keys), encryption_keys_id(one));
	ck_assert_str_ne(encryption_keys_id(one), encryption_keys_id(two));
	ck_assert(encryption_keys_has(keys, encryption_keys_id(two)));
	ck_assert(!encryption_keys_has(two, encryption_keys_id(one)));
	encryption_keys_destroy(keys);
	encryption_keys_destroy(one);
	encryption_keys_destroy(two);
}

TEST(no_file_is_no_keys)
{
	struct encryption_keys *keys;

	ASSERT_OK(encryption_keys_read(&keys, ""));
	ck_assert_ptr_null(encryption_keys_cipher(keys));
	ck_assert_uint_eq(encryption_keys_count(keys), 0);
	ck_assert_str_eq(encryption_keys_id(keys), "");
	ck_assert(!encryption_keys_has(keys, ""));
	encryption_keys_destroy(keys);
}

TEST(other_files_are_refused)
{
	static const char *const texts[] = {"", "# none\n", "password\n"};
	struct encryption_keys *keys;

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		ck_assert_int_eq(read_text(&keys, texts[i], 0600),
				 ERR_MALFORMED);
	ck_assert_int_eq(read_text(&keys, ONE "0", 0600), ERR_MALFORMED);
	ck_assert_int_eq(read_text(&keys, "0" ONE, 0600), ERR_MALFORMED);
	ck_assert_int_eq(read_text(&keys, ONE "\ng" TWO, 0600), ERR_MALFORMED);
}

TEST(files_of_others_are_refused)
{
	struct encryption_keys *keys;

	ck_assert_int_eq(encryption_keys_read(&keys, "/nowhere/key"),
			 ERR_NOT_FOUND);
	ck_assert_int_eq(read_text(&keys, ONE, 0604), ERR_ADDRESS_FORBIDDEN);
	ck_assert_int_eq(read_text(&keys, ONE, 0620), ERR_ADDRESS_FORBIDDEN);
	ck_assert_ptr_null(keys);
	ASSERT_OK(read_text(&keys, ONE, 0440));
	encryption_keys_destroy(keys);
}

static struct buffer seal(const struct encryption_keys *keys, const char *about,
			  const char *text)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);
	struct buffer out = {0};

	cipher->seal(cipher->context, slice_of(about), slice_of(text), &out);
	return out;
}

static enum error unseal(const struct encryption_keys *keys, const char *about,
			 struct slice sealed, struct buffer *out)
{
	const struct cipher *cipher = encryption_keys_cipher(keys);

	buffer_clear(out);
	return cipher->open(cipher->context, slice_of(about), sealed, out);
}

TEST(what_one_seals_who_has_its_key_opens)
{
	struct encryption_keys *old = keys_of(ONE);
	struct encryption_keys *both = keys_of(TWO "\n" ONE);
	struct encryption_keys *new = keys_of(TWO);
	AUTO_BUFFER by_old = seal(old, "a", PASSWORD);
	AUTO_BUFFER by_both = seal(both, "a", PASSWORD);
	struct buffer text = {0};

	ASSERT_OK(unseal(both, "a", buffer_slice(&by_old), &text));
	ck_assert(slice_equal(buffer_slice(&text), slice_of(PASSWORD)));
	ASSERT_OK(unseal(new, "a", buffer_slice(&by_both), &text));
	ck_assert(slice_equal(buffer_slice(&text), slice_of(PASSWORD)));
	ck_assert_int_eq(unseal(new, "a", buffer_slice(&by_old), &text),
			 ERR_NO_ENCRYPTION_KEY);
	ck_assert_int_eq(unseal(old, "a", buffer_slice(&by_both), &text),
			 ERR_NO_ENCRYPTION_KEY);
	ck_assert_uint_eq(text.size, 0);
	buffer_free(&text);
	encryption_keys_destroy(old);
	encryption_keys_destroy(both);
	encryption_keys_destroy(new);
}

TEST(no_other_bytes_open)
{
	struct encryption_keys *keys = keys_of(ONE);
	AUTO_BUFFER one = seal(keys, "a", PASSWORD);
	AUTO_BUFFER other = seal(keys, "a", PASSWORD);
	struct buffer text = {0};

	ck_assert(!slice_equal(buffer_slice(&one), buffer_slice(&other)));
	ck_assert_int_eq(unseal(keys, "b", buffer_slice(&one), &text),
			 ERR_CORRUPT);
	for (size_t i = 0; i < one.size; i++) {
		one.data[i] ^= 1;
		ck_assert_int_ne(unseal(keys, "a", buffer_slice(&one), &text),
				 ERR_NONE);
		one.data[i] ^= 1;
		ck_assert_int_ne(
			unseal(keys, "a", (struct slice){one.data, i}, &text),
			ERR_NONE);
	}
	ck_assert_uint_eq(text.size, 0);
	ASSERT_OK(unseal(keys, "a", buffer_slice(&one), &text));
	buffer_free(&text);
	encryption_keys_destroy(keys);
}

/* From store to store. */

enum { PARTITION = 'a' };

static unsigned partition_of(struct slice host)
{
	(void)host;
	return PARTITION;
}

struct test_node {
	struct scratch scratch;
	struct encryption_keys *keys;
	struct store *store;
};

static struct test_node owner;
static struct test_node follower;

static void open_node(struct test_node *node, const char *keys)
{
	struct store_options options = {.is_temporary = true,
					.partition_of = partition_of};

	node->keys = *keys == '\0' ? NULL : keys_of(keys);
	options.cipher = encryption_keys_cipher(node->keys);
	scratch_make(&node->scratch);
	ASSERT_OK(store_open(&node->store, node->scratch.folder, &options));
}

static void close_node(struct test_node *node)
{
	store_close(node->store);
	encryption_keys_destroy(node->keys);
	scratch_remove(&node->scratch, NULL);
}

static void close_nodes(void)
{
	close_node(&owner);
	close_node(&follower);
}

/* Add a site with a header at the owner. Return the log entry. */
static struct buffer add_site(const char *host)
{
	struct journal *journal = journal_create();
	struct txn txn = txn_begin_write(owner.store);
	struct site_row row = {.host = slice_of(host), .seed = slice_of(host)};
	struct buffer changes = {0};
	AUTO_BUFFER sealed = {0};

	journal_begin(journal, &txn);
	row.id = store_next_site(&txn, row.host);
	txn_store_secret_text(&txn, redact_headers, slice_of(PASSWORD "\n"),
			      &sealed);
	row.options.headers = buffer_slice(&sealed);
	site_put(&txn, &row);
	journal_write(journal, &txn, PARTITION, &changes);
	journal_end(&txn);
	ASSERT_OK(txn_end(&txn));
	journal_destroy(journal);
	return changes;
}

static enum error take(unsigned partition, struct slice changes)
{
	struct txn txn = txn_begin_write(follower.store);

	journal_apply(&txn, partition, changes);
	return txn_end(&txn);
}

static bool has_password(struct test_node *node, const char *host)
{
	struct txn txn = txn_begin_read(node->store);
	AUTO_BUFFER text = {0};
	struct site_row row;
	bool has = site_get(&txn, slice_of(host), &row) &&
		   secret_text_read(node->store, row.options.headers, &text) &&
		   slice_equal(buffer_slice(&text), slice_of(PASSWORD "\n"));

	txn_end(&txn);
	return has;
}

static bool contains(const struct buffer *bytes, const char *text)
{
	return memmem(bytes->data, bytes->size, text, strlen(text)) != NULL;
}

/* The site is deleted, and so is its secret wherever it was. */
static void expect_gone_with_its_row(void)
{
	struct journal *journal = journal_create();
	struct txn txn = txn_begin_write(owner.store);
	AUTO_BUFFER changes = {0};
	AUTO_BUFFER headers = {0};
	struct site_row row;

	journal_begin(journal, &txn);
	ck_assert(site_get(&txn, slice_of("a.test"), &row));
	buffer_append_slice(&headers, row.options.headers);
	txn_drop_secret_text(&txn, buffer_slice(&headers));
	txn_delete(&txn, TABLE_SITES, slice_of("a.test"));
	journal_write(journal, &txn, PARTITION, &changes);
	journal_end(&txn);
	ASSERT_OK(txn_end(&txn));
	ASSERT_OK(take(PARTITION, buffer_slice(&changes)));
	ck_assert(!secret_text_read(follower.store, buffer_slice(&headers),
				    NULL));
	journal_destroy(journal);
}

TEST(a_log_has_no_secret_and_its_follower_has)
{
	AUTO_BUFFER changes;

	open_node(&owner, ONE);
	open_node(&follower, TWO "\n" ONE);
	changes = add_site("a.test");
	ck_assert(contains(&changes, "a.test"));
	ck_assert(!contains(&changes, "horse"));
	ASSERT_OK(take(PARTITION, buffer_slice(&changes)));
	ck_assert(has_password(&follower, "a.test"));
	/* again: it exists */
	ASSERT_OK(take(PARTITION, buffer_slice(&changes)));
	expect_gone_with_its_row();
	close_nodes();
}

TEST(a_dump_has_no_secret_and_its_reader_has)
{
	AUTO_BUFFER chunk = {0};
	struct txn txn;
	struct dump dump;

	open_node(&owner, ONE);
	open_node(&follower, ONE);
	chunk = add_site("a.test");
	txn = txn_begin_read(owner.store);
	dump = dump_begin(&txn, PARTITION);
	ck_assert(dump_next(&dump, 1 << 20, &chunk)); /* all in one */
	dump_end(&dump);
	txn_end(&txn);
	ck_assert(!contains(&chunk, "horse"));
	ASSERT_OK(take(PARTITION, buffer_slice(&chunk)));
	ck_assert(has_password(&follower, "a.test"));
	close_nodes();
}

/* Nothing is adopted, and the original is not lost. */
static void expect_no_key(const char *others_keys)
{
	AUTO_BUFFER changes;

	open_node(&owner, ONE);
	open_node(&follower, others_keys);
	changes = add_site("a.test");
	ck_assert_int_eq(take(PARTITION, buffer_slice(&changes)),
			 ERR_NO_ENCRYPTION_KEY);
	ck_assert(!has_password(&follower, "a.test"));
	ck_assert(has_password(&owner, "a.test"));
	close_nodes();
}

TEST(who_has_another_key_takes_nothing)
{
	expect_no_key(TWO);
}

TEST(who_has_no_key_takes_nothing)
{
	expect_no_key("");
}

TEST(a_secret_opens_in_its_row_alone)
{
	AUTO_BUFFER changes;
	char *host;

	open_node(&owner, ONE);
	open_node(&follower, ONE);
	changes = add_site("a.test");
	/* the key of the row, and its host in it */
	while ((host = memmem(changes.data, changes.size, "a.test", 6)) != NULL)
		*host = 'b';
	ck_assert_int_eq(take(PARTITION, buffer_slice(&changes)), ERR_CORRUPT);
	ck_assert(!has_password(&follower, "b.test"));
	close_nodes();
}

TEST(without_a_key_none_is_sent)
{
	AUTO_BUFFER changes;
	struct txn txn;

	open_node(&owner, "");
	open_node(&follower, ONE);
	changes = add_site("a.test");
	ck_assert(!contains(&changes, "horse"));
	ASSERT_OK(take(PARTITION, buffer_slice(&changes)));
	ck_assert(!has_password(&follower, "a.test"));
	txn = txn_begin_read(owner.store);
	ck_assert(!txn_may_store_secret_text(&txn, redact_all, slice_of("x")));
	ck_assert(txn_may_store_secret_text(&txn, redact_all, slice_of("")));
	ck_assert(txn_may_store_secret_text(&txn, redact_proxy,
					    slice_of("http://a.test")));
	txn_end(&txn);
	txn = txn_begin_read(follower.store);
	ck_assert(txn_may_store_secret_text(&txn, redact_all, slice_of("x")));
	txn_end(&txn);
	close_nodes();
}
