#include "store/journal.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/content.h"
#include "store/encryption.h"
#include "store/key.h"
#include "store/partitions.h"
#include "store/rows.h"
#include "store/secrets.h"
#include "store/store.h"

/*
 * A row that has changed. Its key is in journal.keys at `key` and has `size`
 * bytes.
 */
struct journal_entry {
	uint64_t hash;
	size_t key;
	uint16_t size;
	uint16_t partition;
	enum table table;
};

struct journal {
	struct buffer keys;
	struct journal_entry *notes; /* [count] */
	size_t count;
	size_t capacity;
	/*
	 * [slot_count], a hash table of indexes in `notes`, plus 1; slot_count
	 * is a power of two
	 */
	uint32_t *slots;
	size_t slot_count;
	bool takes_hooks;
	bool is_sorted;
	bool has[JOURNAL_PARTITIONS];
};

enum { MIN_SLOTS = 1024 };

struct journal *journal_create(void)
{
	struct journal *journal = mem_alloc(1, sizeof(*journal));

	journal->slot_count = MIN_SLOTS;
	journal->slots = mem_alloc(MIN_SLOTS, sizeof(*journal->slots));
	return journal;
}

void journal_destroy(struct journal *journal)
{
	if (journal == NULL)
		return;
	buffer_free(&journal->keys);
	free(journal->notes);
	free(journal->slots);
	free(journal);
}

void journal_begin(struct journal *journal, struct txn *txn)
{
	assert(txn->is_writer && store_is_partitioned(txn->store));
	buffer_clear(&journal->keys);
	journal->count = 0;
	journal->takes_hooks = false;
	journal->is_sorted = false;
	memset(journal->has, 0, sizeof(journal->has));
	memset(journal->slots, 0,
	       journal->slot_count * sizeof(*journal->slots));
	txn->journal = journal;
}

struct journal *journal_end(struct txn *txn)
{
	struct journal *journal = txn->journal;

	txn->journal = NULL;
	return journal;
}

void journal_resume(struct journal *journal, struct txn *txn)
{
	txn->journal = journal;
}

void journal_collect_hooks(struct txn *txn)
{
	if (txn->journal != NULL)
		txn->journal->takes_hooks = true;
}

static struct slice journal_key_of(const struct journal *journal,
				   const struct journal_entry *note)
{
	return (struct slice){journal->keys.data + note->key, note->size};
}

/* Return the slot of the row, or a free slot for it. */
static uint32_t *find_slot(const struct journal *journal,
			   const struct journal_entry *note, struct slice key)
{
	size_t at = note->hash & (journal->slot_count - 1);

	while (journal->slots[at] != 0) {
		const struct journal_entry *other =
			&journal->notes[journal->slots[at] - 1];

		if (other->hash == note->hash && other->table == note->table &&
		    slice_equal(journal_key_of(journal, other), key))
			break;
		at = (at + 1) & (journal->slot_count - 1);
	}
	return &journal->slots[at];
}

static void grow_slots(struct journal *journal)
{
	journal->slot_count *= 2;
	free(journal->slots);
	journal->slots =
		mem_alloc(journal->slot_count, sizeof(*journal->slots));
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_entry *note = &journal->notes[i];

		*find_slot(journal, note, journal_key_of(journal, note)) =
			(uint32_t)(i + 1);
	}
}

void journal_note(struct journal *journal, const struct store *store,
		  enum table table, struct slice key)
{
	struct journal_entry note = {
		.hash = hash64(key.data, key.size, (uint64_t)table),
		.key = journal->keys.size,
		.size = (uint16_t)key.size,
		.table = table,
	};
	uint32_t *slot;

	assert(!journal->is_sorted);
	if (table == TABLE_HOOKS && !journal->takes_hooks)
		return;
	/* the journal contains whole values, and notes their heads */
	if (content_heads_of(table) != TABLE_COUNT)
		return;
	slot = find_slot(journal, &note, key);
	if (*slot != 0)
		return;
	note.partition = (uint16_t)store_partition_of_key(store, table, key);
	if (note.partition == NO_PARTITION)
		return;
	journal->has[note.partition] = true;
	buffer_append_slice(&journal->keys, key);
	journal->notes = mem_grow(journal->notes, journal->count,
				  &journal->capacity, sizeof(*journal->notes));
	journal->notes[journal->count++] = note;
	*slot = (uint32_t)journal->count;
	if (2 * journal->count > journal->slot_count)
		grow_slots(journal);
}

size_t journal_partitions(const struct journal *journal,
			  unsigned partitions_out[JOURNAL_PARTITIONS])
{
	size_t count = 0;

	for (unsigned i = 0; i < JOURNAL_PARTITIONS; i++)
		if (journal->has[i])
			partitions_out[count++] = i;
	return count;
}

/*
 * Compare two entries by table and key. qsort_r() passes the journal as
 * `context`.
 */
static int compare_notes(const void *left, const void *right, void *context)
{
	const struct journal *journal = context;
	const struct journal_entry *a = left;
	const struct journal_entry *b = right;
	struct slice x = journal_key_of(journal, a);
	struct slice y = journal_key_of(journal, b);
	int order;

	if (a->partition != b->partition)
		return a->partition < b->partition ? -1 : 1;
	if (a->table != b->table)
		return a->table < b->table ? -1 : 1;
	order = memcmp(x.data, y.data, x.size < y.size ? x.size : y.size);
	return order != 0 ? order : (x.size > y.size) - (x.size < y.size);
}

enum {
	FORMAT = 1,
	LOW_FIRST = 1,
	VARINT_BYTES = 10,
};

/*
 * The stems of counters that belong to the whole store and not to a partition.
 */
static const char *const counters[] = {"event", "guard", "dictionary"};

enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

struct journal_head {
	uint8_t format;
	uint8_t order; /* byte order of numbers, LOW_FIRST */
	uint16_t schema;
};

static const struct journal_head journal_head = {FORMAT, LOW_FIRST,
						 STORE_SCHEMA};

void journal_put_head(struct buffer *out)
{
	static_assert(sizeof(journal_head) == 4, "the format");
	buffer_append(out, &journal_head, sizeof(journal_head));
}

static void put_text(struct buffer *out, struct slice text)
{
	buffer_append_varint(out, text.size);
	buffer_append_slice(out, text);
}

static void put_begin(struct buffer *out, enum journal_what what,
		      enum table table, struct slice key)
{
	buffer_append_byte(out, (char)what);
	buffer_append_byte(out, (char)table);
	put_text(out, key);
}

/* The position of a sealed text. */
struct secret_text_position {
	enum table table;
	unsigned index; /* index in struct sealed_pair */
	struct slice key;
};

/*
 * Append the context that a secret is encrypted for, so that it can be
 * decrypted only as this text of this row. The context has the host of a site
 * or the number of a hook; both determine the partition.
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
	buffer_wipe(&text);
	buffer_free(&about);
	buffer_free(&packed);
}

enum { SEALED_TEXTS = 2 };

/* The sealed texts of a row: at most two. */
struct sealed_pair {
	struct slice texts[SEALED_TEXTS];
};

static struct sealed_pair sealed_of(enum table table, struct slice value)
{
	struct sealed_pair pair = {0};
	struct site_row site;
	struct hook_row hook;
	struct cookies_row cookies;

	if (table == TABLE_COOKIES && cookies_row_decode(value, &cookies))
		pair.texts[0] = cookies.lines;
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

void journal_put_counters(struct txn *txn, struct buffer *out)
{
	for (size_t i = 0; i < COUNTERS; i++) {
		uint64_t number = store_last_number(txn, counters[i]);

		put_begin(out, JOURNAL_COUNTER, TABLE_META,
			  slice_of(counters[i]));
		put_text(out, (struct slice){&number, sizeof(number)});
	}
}

void journal_write(struct journal *journal, struct txn *txn, unsigned partition,
		   struct buffer *out)
{
	struct buffer joined = {0};

	if (!journal->is_sorted && journal->count > 0)
		qsort_r(journal->notes, journal->count, sizeof(*journal->notes),
			compare_notes, journal);
	journal->is_sorted = true;
	journal_put_head(out);
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_entry *note = &journal->notes[i];
		struct slice key = journal_key_of(journal, note);
		struct slice value;

		if (note->partition != partition)
			continue;
		value = content_get(txn, note->table, key, &joined);
		if (value.data == NULL)
			put_begin(out, JOURNAL_DELETED, note->table, key);
		else
			journal_put_row(txn, note->table, key, value, out);
	}
	buffer_free(&joined);
	journal_put_counters(txn, out);
}

/* The state of a reader of journal output. Invalid input sets is_damaged. */

struct journal_reader {
	struct txn *txn;
	unsigned partition;
	struct slice rest;
	/* the row that was read last; secrets that follow belong to it */
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
 * Decrypt a secret of the row that was read last with the store's cipher, and
 * store it.
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
	buffer_wipe(&text);
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

/*
 * Delete the secrets of the row in the store, but keep a secret if the new
 * value refers to it too.
 */
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
	/* each node has its own state of deliveries in the row of a hook */
	if (table == TABLE_HOOKS && txn_get(txn, table, key).data != NULL)
		return;
	if (table == TABLE_SITES || table == TABLE_COOKIES)
		drop_secrets(txn, table, key, value);
	content_put(txn, table, key, value);
}

static void apply_gone(struct journal_reader *reading, enum table table,
		       struct slice key)
{
	struct txn *txn = reading->txn;

	if (table == TABLE_SITES || table == TABLE_HOOKS ||
	    table == TABLE_COOKIES)
		drop_secrets(txn, table, key, slice_of(""));
	if (table == TABLE_HOOKS)
		hook_delete_events(txn, key);
	content_delete(txn, table, key);
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
	if (table >= TABLE_COUNT || content_heads_of(table) != TABLE_COUNT ||
	    what > JOURNAL_ENCRYPTED ||
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
