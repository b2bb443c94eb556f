#include "store/journal.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/journal_rows.h"
#include "store/partitions.h"

/* A row that has changed; its key is in journal.keys, `size` bytes long. */
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
	uint32_t *slots; /* [slot_count] index of a note + 1; the count is a
			    power of two */
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

/* Return the slot of the note, or the free slot for it. */
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

/* Compare two notes. qsort_r() passes the keys as the context. */
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

static void journal_sort(struct journal *journal)
{
	if (!journal->is_sorted && journal->count > 0)
		qsort_r(journal->notes, journal->count, sizeof(*journal->notes),
			compare_notes, journal);
	journal->is_sorted = true;
}

void journal_write(struct journal *journal, struct txn *txn, unsigned partition,
		   struct buffer *out)
{
	journal_sort(journal);
	journal_put_head(out);
	for (size_t i = 0; i < journal->count; i++) {
		const struct journal_entry *note = &journal->notes[i];
		struct slice key = journal_key_of(journal, note);
		struct slice value;

		if (note->partition != partition)
			continue;
		value = txn_get(txn, note->table, key);
		if (value.data == NULL)
			journal_put_deleted(out, note->table, key);
		else
			journal_put_row(txn, note->table, key, value, out);
	}
	journal_put_counters(txn, out);
}
