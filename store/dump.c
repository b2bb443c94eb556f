/* Reads, sums up and deletes all rows of a partition. */
#include "store/journal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "store/checksum.h"
#include "store/journal_rows.h"
#include "store/key.h"
#include "store/partitions.h"

/*
 * Return the length of the key prefix of a partition. Tables whose keys do not
 * begin with the partition are read completely.
 */
static size_t prefix_of(enum table table)
{
	static const enum table of_sites[] = TABLES_OF_SITES;

	for (size_t i = 0; i < sizeof(of_sites) / sizeof(of_sites[0]); i++)
		if (of_sites[i] == table)
			return 1;
	return 0;
}

static struct scan begin_table(struct txn *txn, unsigned partition,
			       enum table table)
{
	/* the highest byte of a site's number */
	const unsigned char first = (unsigned char)partition;
	size_t size = prefix_of(table);

	return scan_begin(txn, table, (struct slice){&first, size});
}

static bool dump_row_in_partition(const struct txn *txn, unsigned partition,
				  enum table table, struct slice key)
{
	return store_partition_of_key(txn->store, table, key) == partition;
}

struct dump dump_begin(struct txn *txn, unsigned partition)
{
	assert(store_is_partitioned(txn->store) &&
	       partition < JOURNAL_PARTITIONS);
	return (struct dump){.txn = txn, .partition = partition};
}

/*
 * Move to the next row of the partition, or to the end of the table. Do not
 * read the values of other partitions: damage there does not concern this
 * partition.
 */
static bool next_in_table(struct dump *dump)
{
	enum table table = (enum table)dump->table;

	while (scan_next(&dump->scan))
		if (dump_row_in_partition(dump->txn, dump->partition, table,
					  dump->scan.key))
			return dump->is_keys_only || scan_read(&dump->scan);
	dump->is_scanning = false;
	dump->table++;
	return false;
}

/* Move to the next row. Return false at the end. */
static bool next_row(struct dump *dump)
{
	while (dump->table < TABLE_COUNT && dump->txn->error == ERR_NONE) {
		if (!dump->is_scanning) {
			/* JOURNAL_COMMON has no sites */
			if (dump->partition == JOURNAL_COMMON &&
			    prefix_of((enum table)dump->table) > 0) {
				dump->table++;
				continue;
			}
			dump->scan = begin_table(dump->txn, dump->partition,
						 (enum table)dump->table);
			dump->scan.is_keys_only = true;
			dump->is_scanning = true;
		}
		if (next_in_table(dump))
			return true;
	}
	return false;
}

bool dump_next(struct dump *dump, size_t max_bytes, struct buffer *chunk)
{
	buffer_clear(chunk);
	if (dump->table > TABLE_COUNT)
		return false;
	journal_put_head(chunk);
	while (chunk->size < max_bytes && next_row(dump)) {
		enum table table = (enum table)dump->table;

		if (table != TABLE_META) {
			dump->rows++;
			dump->sum +=
				checksum_of(table_name(table), dump->scan.key,
					    dump->scan.value);
		}
		journal_put_row(dump->txn, table, dump->scan.key,
				dump->scan.value, chunk);
	}
	if (dump->table == TABLE_COUNT) {
		journal_put_counters(dump->txn, chunk);
		dump->table++;
	}
	return dump->txn->error == ERR_NONE;
}

void dump_end(struct dump *dump)
{
	if (dump->is_scanning)
		scan_end(&dump->scan);
	dump->is_scanning = false;
}

uint64_t journal_sum(struct txn *txn, unsigned partition, uint64_t *rows_out)
{
	struct dump dump = dump_begin(txn, partition);

	while (next_row(&dump)) {
		enum table table = (enum table)dump.table;

		/*
		 * counters and the state of hook deliveries belong to one node
		 */
		if (table == TABLE_META || table == TABLE_HOOKS)
			continue;
		dump.rows++;
		dump.sum += checksum_of(table_name(table), dump.scan.key,
					dump.scan.value);
	}
	dump_end(&dump);
	if (rows_out != NULL)
		*rows_out = dump.rows;
	return dump.sum;
}

uint64_t journal_clear(struct txn *txn, unsigned partition, uint64_t max)
{
	struct dump dump = dump_begin(txn, partition);
	uint64_t count = 0;

	dump.is_keys_only = true; /* delete damaged rows, too */
	while (count < max && next_row(&dump)) {
		/* numbers are not reused; but a damaged counter may be lost */
		if (dump.table == TABLE_META && scan_try(&dump.scan))
			continue;
		scan_delete(&dump.scan);
		count++;
	}
	dump_end(&dump);
	return count;
}

/* Write a name such as "log.017". */
static void journal_position_name(unsigned partition,
				  char out[COUNTER_NAME_BYTES])
{
	snprintf(out, COUNTER_NAME_BYTES, "log.%03u", partition);
}

bool journal_position_get(struct txn *txn, unsigned partition,
			  struct journal_position *place_out)
{
	char name[COUNTER_NAME_BYTES];
	struct slice value;

	*place_out = (struct journal_position){0};
	journal_position_name(partition, name);
	value = txn_get(txn, TABLE_META, slice_of(name));
	if (value.data == NULL)
		return false;
	if (value.size != sizeof(*place_out)) {
		txn_fail(txn, ERR_CORRUPT);
		return false;
	}
	memcpy(place_out, value.data, value.size);
	return true;
}

void journal_position_put(struct txn *txn, unsigned partition,
			  const struct journal_position *place)
{
	char name[COUNTER_NAME_BYTES];

	journal_position_name(partition, name);
	txn_put(txn, TABLE_META, slice_of(name),
		(struct slice){place, sizeof(*place)});
}

void journal_position_delete(struct txn *txn, unsigned partition)
{
	char name[COUNTER_NAME_BYTES];

	journal_position_name(partition, name);
	txn_delete(txn, TABLE_META, slice_of(name));
}
