/* Reading the log of a partition into the store. */
#include "daemon/cluster/cluster_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/cluster/entry.h"
#include "store/log.h"
#include "store/memory.h"

enum {
	MAX_ENTRIES = 64, /* of one transaction */
	MAX_BYTES = 8 << 20,
};

/* Entries on their way into the store. */
struct reading {
	struct cluster *cluster;
	unsigned partition;
	struct journal_place place; /* behind them */
	uint64_t read; /* as far as the log was read, which may be further: a
			  transaction is not whole yet */
	struct buffer parts; /* of the transaction under way */
	unsigned next_part;
	struct buffer rows; /* of all transactions: size_t, bytes */
	size_t count;
	size_t bytes;
	bool sums; /* the last entry is to be summed up */
};

static void add_rows(struct reading *reading, struct slice packed,
		     enum error *error)
{
	struct buffer rows = {0};

	*error = decompress(packed, ENTRY_MAX_ROWS_BYTES, &rows);
	if (*error == ERR_NONE) {
		buffer_append(&reading->rows, &rows.size, sizeof(rows.size));
		buffer_append(&reading->rows, rows.data, rows.size);
		reading->count++;
	}
	buffer_free(&rows);
}

/*
 * A part of a transaction; one that an owner has not written to its end is
 * forgotten when another begins. Entries of an owner that another has followed
 * do not count.
 */
static enum error take_rows(struct reading *reading,
			    const struct entry_head *head, struct slice part)
{
	enum error error = ERR_NONE;

	if (head->part == 0) {
		buffer_clear(&reading->parts);
		reading->next_part = 0;
	}
	if (head->epoch < reading->place.epoch ||
	    head->part != reading->next_part) {
		reading->next_part = 0;
		return ERR_NONE;
	}
	reading->next_part++;
	buffer_append_slice(&reading->parts, part);
	if (reading->next_part < head->parts)
		return ERR_NONE;
	add_rows(reading, buffer_slice(&reading->parts), &error);
	reading->sums = (head->flags & ENTRY_IS_SUMMED) != 0;
	buffer_clear(&reading->parts);
	reading->next_part = 0;
	return error;
}

static enum error take_entry(struct reading *reading,
			     const struct bus_message *message, uint64_t before)
{
	struct entry_head head;
	struct slice part;
	bool is_newer;

	if (entry_is_foreign(buffer_slice(&message->data))) {
		log_warn("cluster: entry %" PRIu64 " of the log of partition "
			 "%u is of no node, and is passed over; look who may "
			 "publish tpl.log.>",
			 message->number, reading->partition);
		return ERR_NONE;
	}
	if (!entry_read(buffer_slice(&message->data), &head, &part,
			&is_newer) ||
	    head.partition != reading->partition) {
		log_error("cluster: entry %" PRIu64 " of the log of partition "
			  "%u %s",
			  message->number, reading->partition,
			  is_newer ? "is of a later version: upgrade this node"
				   : "is damaged");
		return is_newer ? ERR_VERSION : ERR_CORRUPT;
	}
	if (head.before != before)
		return ERR_NOT_FOUND;
	reading->bytes += part.size;
	if (head.kind == ENTRY_ROWS)
		return take_rows(reading, &head, part);
	reading->next_part = 0; /* what was begun has no end */
	if (head.kind == ENTRY_CLAIM && head.epoch > reading->place.epoch)
		reading->place.epoch = head.epoch;
	return ERR_NONE;
}

/*
 * The entry behind `read`. Servers search through the log for the next one of a
 * subject; what we have heard of as the last one is found at once, and most
 * often it is that.
 */
static enum error next_entry(struct reading *reading, const char *subject,
			     uint64_t read, uint64_t last,
			     struct bus_message *message)
{
	struct cluster *cluster = reading->cluster;
	struct entry_head head;
	struct slice part;
	bool is_newer;

	if (last > read + 1 &&
	    cluster->ops->next(cluster->bus, BUS_LOG, subject, last, message) ==
		    ERR_NONE) {
		if (entry_read(buffer_slice(&message->data), &head, &part,
			       &is_newer) &&
		    head.before == read)
			return ERR_NONE;
		buffer_clear(&message->data);
		buffer_clear(&message->subject);
	}
	return cluster->ops->next(cluster->bus, BUS_LOG, subject, read + 1,
				  message);
}

/*
 * Read entries until there are enough, or all that we have heard of. A place in
 * the middle of a transaction is none: it stays before it.
 */
static enum error read_entries(struct reading *reading, uint64_t last,
			       bool *more_out)
{
	char subject[BUS_SUBJECT_BYTES];
	uint64_t read = reading->place.number;
	enum error error = ERR_NONE;

	reading->read = read;
	log_subject_of(reading->partition, subject);
	*more_out = true;
	while (error == ERR_NONE && !reading->sums &&
	       (last == 0 || read < last) &&
	       (reading->next_part > 0 ||
		(reading->count < MAX_ENTRIES && reading->bytes < MAX_BYTES))) {
		struct bus_message message = {0};

		error = next_entry(reading, subject, read, last, &message);
		if (error == ERR_NOT_FOUND) {
			*more_out = false;
			buffer_free(&message.data);
			buffer_free(&message.subject);
			return ERR_NONE;
		}
		if (error == ERR_NONE)
			error = take_entry(reading, &message, read);
		if (error == ERR_NONE)
			reading->read = read = message.number;
		if (error == ERR_NONE && reading->next_part == 0)
			reading->place.number = read;
		buffer_free(&message.data);
		buffer_free(&message.subject);
	}
	*more_out = last == 0 || read < last;
	return error;
}

static enum error write_rows(struct reading *reading)
{
	struct cluster *cluster = reading->cluster;
	struct txn txn = txn_begin_write(cluster->store);
	struct slice rest = buffer_slice(&reading->rows);

	while (rest.size > 0 && txn.error == ERR_NONE) {
		const char *bytes = (const char *)rest.data + sizeof(size_t);
		size_t size;

		memcpy(&size, rest.data, sizeof(size));
		journal_apply(&txn, reading->partition,
			      (struct slice){bytes, size});
		rest = (struct slice){bytes + size,
				      rest.size - sizeof(size) - size};
	}
	journal_place_put(&txn, reading->partition, &reading->place);
	return txn_end(&txn);
}

enum error follow(struct cluster *cluster, unsigned number, bool *more_out)
{
	struct partition *partition = &cluster->partitions[number];
	struct reading reading = {.cluster = cluster, .partition = number};
	uint64_t before;
	uint64_t last;
	enum error error;

	lock_acquire(&cluster->lock);
	reading.place = (struct journal_place){
		partition->applied, partition->read_epoch, partition->is_whole};
	last = partition->is_whole ? partition->last : 0;
	lock_release(&cluster->lock);
	before = reading.place.number;
	error = read_entries(&reading, last, more_out);
	lock_acquire(&cluster->lock);
	partition->read = reading.read;
	lock_release(&cluster->lock);
	if (reading.place.number > before) {
		enum error written = write_rows(&reading);

		if (written == ERR_NONE) {
			lock_acquire(&cluster->lock);
			partition->applied = reading.place.number;
			partition->read_epoch = reading.place.epoch;
			if (partition->last < partition->applied)
				partition->last = partition->applied;
			partition->log_bytes += reading.bytes;
			partition->entries =
				reading.sums ? 0
					     : partition->entries +
						       (uint32_t)reading.count;
			lock_release(&cluster->lock);
			if (reading.sums)
				sum_up(cluster, number, reading.place.number);
		} else {
			error = written;
		}
		if (number == PARTITION_COMMON)
			engine_forget_audience(cluster->engine);
	}
	buffer_free(&reading.parts);
	buffer_free(&reading.rows);
	return error;
}
