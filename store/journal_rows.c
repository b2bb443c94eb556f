#include "store/journal_rows.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "store/cipher.h"
#include "store/env.h"
#include "store/journal.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows_hook.h"
#include "store/rows_site.h"
#include "store/sealed.h"
#include "store/secrets.h"
#include "store/store.h"

enum {
	FORMAT = 1,
	LOW_FIRST = 1,
	VARINT_BYTES = 10,
};

/* Names of counters: one of all partitions, and one per partition. */
static const char *const counters[] = {"event", "guard", "dictionary"};

enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

struct journal_head {
	uint8_t format;
	uint8_t order; /* byte order of numbers: LOW_FIRST */
	uint16_t schema;
};

static const struct journal_head journal_head = {FORMAT, LOW_FIRST,
						 STORE_SCHEMA};

void journal_put_head(struct buffer *out)
{
	static_assert(sizeof(journal_head) == 4, "the format");
	buffer_append(out, &journal_head, sizeof(journal_head));
}

static void journal_put_varint(struct buffer *out, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		buffer_append_byte(out, (char)(number | 0x80));
	buffer_append_byte(out, (char)number);
}

static void put_text(struct buffer *out, struct slice text)
{
	journal_put_varint(out, text.size);
	buffer_append_slice(out, text);
}

static void put_begin(struct buffer *out, enum journal_what what,
		      enum table table, struct slice key)
{
	buffer_append_byte(out, (char)what);
	buffer_append_byte(out, (char)table);
	put_text(out, key);
}

/* Clear the bytes of secrets before freeing them. */
static void journal_wipe_text(struct buffer *text)
{
	if (text->data != NULL)
		explicit_bzero(text->data, text->capacity);
	buffer_free(text);
}

/* A text of a row that may be encrypted. */
struct secret_text_position {
	enum table table;
	unsigned index; /* index in struct sealed_pair */
	struct slice key;
};

/*
 * Write the context of an encrypted secret: it can be decrypted only as this
 * text of this row. The key of a site is its host, the key of a hook its
 * number; both determine the partition.
 */
static void journal_write_context(const struct secret_text_position *place,
				  struct slice id, struct buffer *out)
{
	buffer_append_text(out, "templated secret 1");
	buffer_append_byte(out, (char)place->table);
	buffer_append_byte(out, (char)place->index);
	buffer_append_slice(out, id);
	buffer_append_slice(out, place->key);
}

static void put_secret(struct txn *txn,
		       const struct secret_text_position *place,
		       struct slice sealed, struct buffer *out)
{
	const struct cipher *cipher = txn->store->options.cipher;
	struct slice id = {sealed.data, SECRET_ID_BYTES};
	struct buffer about = {0};
	struct buffer text = {0};
	struct buffer packed = {0};

	if (cipher == NULL || !secret_text_is_hidden(sealed) ||
	    !secret_text_read(txn->store, sealed, &text))
		return;
	journal_write_context(place, id, &about);
	cipher->seal(cipher->context, buffer_slice(&about), buffer_slice(&text),
		     &packed);
	put_begin(out, JOURNAL_ENCRYPTED, TABLE_META, id);
	put_text(out, buffer_slice(&packed));
	journal_wipe_text(&text);
	buffer_free(&about);
	buffer_free(&packed);
}

enum { SEALED_TEXTS = 2 };

/* The two texts of a row that may be encrypted. */
struct sealed_pair {
	struct slice texts[SEALED_TEXTS];
};

static struct sealed_pair sealed_of(enum table table, struct slice value)
{
	struct sealed_pair pair = {0};
	struct site_row site;
	struct hook_row hook;

	if (table == TABLE_SITES && site_decode(value, &site))
		pair = (struct sealed_pair){
			{site.options.headers, site.options.proxy}};
	if (table == TABLE_HOOKS && hook_row_decode(value, &hook))
		pair = (struct sealed_pair){{hook.target, hook.secret}};
	return pair;
}

void journal_put_row(struct txn *txn, enum table table, struct slice key,
		     struct slice value, struct buffer *out)
{
	const struct sealed_pair pair = sealed_of(table, value);

	put_begin(out, table == TABLE_META ? JOURNAL_COUNTER : JOURNAL_ROW,
		  table, key);
	put_text(out, value);
	for (unsigned i = 0; i < SEALED_TEXTS; i++)
		put_secret(txn, &(struct secret_text_position){table, i, key},
			   pair.texts[i], out);
}

void journal_put_deleted(struct buffer *out, enum table table, struct slice key)
{
	put_begin(out, JOURNAL_DELETED, table, key);
}

void journal_put_counters(struct txn *txn, struct buffer *out)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		uint64_t number = store_last_number(txn, counters[i]);

		put_begin(out, JOURNAL_COUNTER, TABLE_META,
			  slice_of(counters[i]));
		put_text(out, (struct slice){&number, sizeof(number)});
	}
}

/* The state of a read. Invalid input sets is_damaged. */

struct journal_reader {
	struct txn *txn;
	unsigned partition;
	struct slice rest;
	/* The last row; the following secrets belong to it. */
	enum table table;
	struct slice key;
	struct sealed_pair pair;
	bool is_damaged;
};

static uint64_t journal_read_varint(struct journal_reader *reading)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < VARINT_BYTES && reading->rest.size > 0; i++) {
		unsigned char byte = *(const unsigned char *)reading->rest.data;

		reading->rest.data = (const char *)reading->rest.data + 1;
		reading->rest.size--;
		number |= (uint64_t)(byte & 0x7F) << (7 * i);
		if ((byte & 0x80) == 0)
			return number;
	}
	reading->is_damaged = true;
	return 0;
}

static struct slice journal_read_bytes(struct journal_reader *reading,
				       uint64_t size)
{
	struct slice bytes = {reading->rest.data, (size_t)size};

	if (size > reading->rest.size) {
		reading->is_damaged = true;
		return (struct slice){"", 0};
	}
	reading->rest.data = (const char *)reading->rest.data + size;
	reading->rest.size -= (size_t)size;
	return bytes;
}

static struct slice journal_read_text(struct journal_reader *reading)
{
	return journal_read_bytes(reading, journal_read_varint(reading));
}

static void journal_raise_counter(struct txn *txn, struct slice name,
				  struct slice value)
{
	char text[COUNTER_NAME_BYTES] = "";
	uint64_t number;

	memcpy(text, name.data, name.size);
	memcpy(&number, value.data, sizeof(number));
	if (is_job_hash(name) || store_last_number(txn, text) < number)
		txn_put(txn, TABLE_META, name, value);
}

static bool is_counter(const struct journal_reader *reading, struct slice name)
{
	if (store_partition_of_key(reading->txn->store, TABLE_META, name) ==
	    reading->partition)
		return true;
	for (size_t i = 0; i < COUNTERS; i++)
		if (slice_equal(name, slice_of(counters[i])))
			return true;
	return false;
}

static void apply_counter(struct journal_reader *reading, struct slice name)
{
	struct slice value = journal_read_text(reading);

	if (name.size >= COUNTER_NAME_BYTES || value.size != sizeof(uint64_t) ||
	    !is_counter(reading, name))
		reading->is_damaged = true;
	else
		journal_raise_counter(reading->txn, name, value);
}

/*
 * Decrypt a secret of the last row with the cipher of the store, and store it.
 */
static void open_secret(struct journal_reader *reading,
			const struct secret_id *id, struct slice sealed)
{
	const struct cipher *cipher = reading->txn->store->options.cipher;
	struct slice bytes = {id, sizeof(*id)};
	struct secret_text_position place = {.table = reading->table,
					     .key = reading->key};
	enum error error = ERR_NO_ENCRYPTION_KEY;
	struct buffer about = {0};
	struct buffer text = {0};

	while (place.index < SEALED_TEXTS &&
	       !secret_text_has_id(reading->pair.texts[place.index], id))
		place.index++;
	if (place.index == SEALED_TEXTS) {
		reading->is_damaged = true;
		return;
	}
	journal_write_context(&place, bytes, &about);
	if (cipher != NULL)
		error = cipher->open(cipher->context, buffer_slice(&about),
				     sealed, &text);
	if (error == ERR_NONE)
		secrets_put(reading->txn->store->secrets, id,
			    buffer_slice(&text));
	else
		txn_fail(reading->txn, error);
	buffer_free(&about);
	journal_wipe_text(&text);
}

static void apply_secret(struct journal_reader *reading, struct slice id)
{
	struct slice text = journal_read_text(reading);
	struct secret_id known;

	if (reading->is_damaged || id.size != sizeof(known)) {
		reading->is_damaged = true;
		return;
	}
	memcpy(&known, id.data, sizeof(known));
	if (!secrets_get(reading->txn->store->secrets, &known, NULL))
		open_secret(reading, &known, text);
}

/* Delete the secrets of the existing row, unless the new row refers to them. */
static void drop_secrets(struct txn *txn, enum table table, struct slice key,
			 struct slice value)
{
	const struct sealed_pair before =
		sealed_of(table, txn_get(txn, table, key));
	const struct sealed_pair after = sealed_of(table, value);

	for (size_t i = 0; i < SEALED_TEXTS; i++)
		if (before.texts[i].size >= SECRET_ID_BYTES &&
		    !slice_equal(before.texts[i], after.texts[i]))
			txn_drop_secret_text(txn, before.texts[i]);
}

static void apply_row(struct journal_reader *reading, enum table table,
		      struct slice key)
{
	struct txn *txn = reading->txn;
	struct slice value = journal_read_text(reading);

	if (reading->is_damaged)
		return;
	reading->table = table;
	reading->key = key;
	reading->pair = sealed_of(table, value);
	/* each node has its own state of a hook's deliveries */
	if (table == TABLE_HOOKS && txn_get(txn, table, key).data != NULL)
		return;
	if (table == TABLE_SITES)
		drop_secrets(txn, table, key, value);
	txn_put(txn, table, key, value);
}

static void apply_gone(struct journal_reader *reading, enum table table,
		       struct slice key)
{
	struct txn *txn = reading->txn;

	if (table == TABLE_SITES || table == TABLE_HOOKS)
		drop_secrets(txn, table, key, slice_of(""));
	if (table == TABLE_HOOKS)
		txn_delete_prefix(txn, TABLE_OUTBOX, key);
	txn_delete(txn, table, key);
}

static void journal_apply_item(struct journal_reader *reading)
{
	struct slice begin = journal_read_bytes(reading, 2);
	struct slice key = journal_read_text(reading);
	enum journal_what what;
	enum table table;

	if (reading->is_damaged || key.size == 0) {
		reading->is_damaged = true;
		return;
	}
	what = (enum journal_what)((const unsigned char *)begin.data)[0];
	table = (enum table)((const unsigned char *)begin.data)[1];
	if (table >= TABLE_COUNT || what > JOURNAL_ENCRYPTED ||
	    (table == TABLE_META) !=
		    (what == JOURNAL_COUNTER || what == JOURNAL_ENCRYPTED) ||
	    (table != TABLE_META &&
	     store_partition_of_key(reading->txn->store, table, key) !=
		     reading->partition))
		reading->is_damaged = true;
	else if (what == JOURNAL_COUNTER)
		apply_counter(reading, key);
	else if (what == JOURNAL_ENCRYPTED)
		apply_secret(reading, key);
	else if (what == JOURNAL_ROW)
		apply_row(reading, table, key);
	else
		apply_gone(reading, table, key);
}

void journal_apply(struct txn *txn, unsigned partition, struct slice changes)
{
	struct journal_reader reading = {
		.txn = txn, .partition = partition, .rest = changes};
	struct slice begin =
		journal_read_bytes(&reading, sizeof(struct journal_head));

	assert(store_is_partitioned(txn->store) && txn->journal == NULL);
	if (!reading.is_damaged &&
	    memcmp(begin.data, &journal_head, sizeof(journal_head)) != 0) {
		txn_fail(txn, ERR_VERSION);
		return;
	}
	while (reading.rest.size > 0 && !reading.is_damaged &&
	       txn->error == ERR_NONE)
		journal_apply_item(&reading);
	if (reading.is_damaged)
		txn_fail(txn, ERR_CORRUPT);
}
