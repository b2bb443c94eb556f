#include "daemon/nodes/log_append.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nodes_internal.h"
#include "daemon/runtime/clock.h"
#include "store/partitions.h"

enum { ENTRY_FORMAT = 1 };

static const char magic[4] = {'T', 'P', 'L', 'G'};

/*
 * The head of an entry as stored: little-endian, because all supported machines
 * and store/journal.h are.
 */
struct entry_bytes {
	char magic[4];
	uint16_t format;
	uint16_t kind;
	uint16_t partition;
	uint16_t part;
	uint16_t parts;
	uint16_t flags;
	uint64_t epoch;
	uint64_t before;
	uint64_t chain;
};

_Static_assert(sizeof(struct entry_bytes) == LOG_ENTRY_HEAD_BYTES, "no holes");

void log_entry_write(const struct log_entry_head *head, struct slice part,
		     struct buffer *out)
{
	struct entry_bytes bytes = {
		.format = ENTRY_FORMAT,
		.kind = (uint16_t)head->kind,
		.partition = head->partition,
		.part = head->part,
		.parts = head->parts,
		.flags = head->flags |
			 (head->chain != 0 ? LOG_ENTRY_IS_CHAINED : 0),
		.epoch = head->epoch,
		.before = head->before,
		.chain = head->chain,
	};

	memcpy(bytes.magic, magic, sizeof(magic));
	buffer_append(out, &bytes, sizeof(bytes));
	buffer_append_slice(out, part);
}

bool log_entry_read(struct slice entry, struct log_entry_head *head_out,
		    struct slice *part_out, bool *is_newer_out)
{
	struct entry_bytes bytes;

	*is_newer_out = false;
	if (entry.size < sizeof(bytes))
		return false;
	memcpy(&bytes, entry.data, sizeof(bytes));
	if (memcmp(bytes.magic, magic, sizeof(magic)) != 0)
		return false;
	*is_newer_out = bytes.format > ENTRY_FORMAT;
	*head_out = (struct log_entry_head){
		.kind = (enum log_entry_kind)bytes.kind,
		.partition = bytes.partition,
		.part = bytes.part,
		.parts = bytes.parts,
		.flags = bytes.flags,
		.epoch = bytes.epoch,
		.before = bytes.before,
		.chain = (bytes.flags & LOG_ENTRY_IS_CHAINED) != 0 ? bytes.chain
								   : 0,
	};
	*part_out = (struct slice){(const char *)entry.data + sizeof(bytes),
				   entry.size - sizeof(bytes)};
	return bytes.format == ENTRY_FORMAT && bytes.kind >= LOG_ENTRY_ROWS &&
	       bytes.kind <= LOG_ENTRY_CLAIM && bytes.parts > 0 &&
	       bytes.parts <= LOG_ENTRY_MAX_PARTS && bytes.part < bytes.parts;
}

uint64_t log_entry_hash(struct slice entry)
{
	return hash64(entry.data, entry.size, 0);
}

bool log_entry_follows(const struct log_entry_head *head, uint64_t number,
		       uint64_t hash)
{
	if (head->chain != 0 && hash != 0)
		return head->chain == hash;
	return head->before == number;
}

bool log_entry_is_foreign(struct slice entry)
{
	return entry.size < sizeof(magic) ||
	       memcmp(entry.data, magic, sizeof(magic)) != 0;
}

unsigned log_entry_parts(size_t size, size_t max)
{
	size_t room = max - LOG_ENTRY_HEAD_BYTES;

	assert(max > LOG_ENTRY_HEAD_BYTES);
	return size == 0 ? 1 : (unsigned)((size + room - 1) / room);
}

struct slice log_entry_part(struct slice bytes, size_t max, unsigned number)
{
	size_t room = max - LOG_ENTRY_HEAD_BYTES;
	size_t from = (size_t)number * room;
	size_t left = bytes.size - from;

	assert(from <= bytes.size);
	return (struct slice){(const char *)bytes.data + from,
			      left < room ? left : room};
}

/*
 * Append a transaction to the logs of its partitions, in the committer thread:
 * first to the logs, then to the store. After a lost reply or with a full disk
 * the log may hold entries that the store does not have (is_unsure). The
 * copying thread applies such entries before this node appends anything else.
 */

/* Compare the replicas of a changing partition this often. */
#define SUM_MS (UINT64_C(24) * 3600 * 1000)

enum {
	ID_BYTES = 96,
	SUBJECT_ROOM = 512 /* space for the headers of an entry */
};

/* What a transaction appends to the log of one partition. */
struct portion {
	unsigned partition;
	uint64_t epoch;
	uint64_t number;      /* of the last entry of the log */
	uint64_t hash;        /* log_entry_hash() of that entry */
	struct buffer packed; /* the rows, compressed */
	unsigned parts;
	size_t part_bytes; /* maximum size of a part */
	bool sums;
	struct buffer bytes; /* the current part, with its head */
	struct broker_subject subject;
	char id[ID_BYTES];
};

/*
 * Copy the last positions of the logs into the portions. Return the error of
 * the first partition that this node may not append to now.
 */
static enum error take_places(struct node_group *group,
			      struct portion *portions, size_t count)
{
	enum error error = ERR_NONE;

	lock_acquire(&group->lock);
	if (!nodes_have_lease(group))
		error = ERR_LOG_UNAVAILABLE;
	for (size_t i = 0; i < count && error == ERR_NONE; i++) {
		struct partition *partition =
			&group->partitions[portions[i].partition];

		if (!store_owns(group->store, portions[i].partition))
			error = ERR_NOT_OWNER;
		else if (partition->is_unsure)
			error = ERR_LOG_UNAVAILABLE;
		portions[i].epoch = partition->epoch;
		portions[i].number = partition->applied;
		portions[i].hash = partition->applied_hash;
		portions[i].sums =
			partition->entries + 1 >= group->options.sum_entries ||
			clock_steady_ms() >= partition->summed_ms + SUM_MS;
	}
	lock_release(&group->lock);
	return error;
}

static void log_append_pack_rows(struct node_group *group, struct txn *txn,
				 struct journal *journal,
				 struct portion *portion)
{
	struct buffer rows = {0};

	journal_write(journal, txn, portion->partition, &rows);
	packer_pack(group->packer, buffer_slice(&rows), &portion->packed);
	portion->part_bytes = group->ops->max_bytes(group->bus) - SUBJECT_ROOM;
	portion->parts =
		log_entry_parts(portion->packed.size, portion->part_bytes);
	if (rows.size > LOG_ENTRY_MAX_ROWS_BYTES) /* a follower rejects a larger
						     transaction */
		portion->parts = LOG_ENTRY_MAX_PARTS + 1;
	portion->subject = broker_subject(LOG_SUBJECT, portion->partition);
	buffer_free(&rows);
}

static struct broker_entry log_append_build_entry(struct node_group *group,
						  struct portion *portion,
						  unsigned part)
{
	const struct log_entry_head head = {
		.kind = LOG_ENTRY_ROWS,
		.partition = (uint16_t)portion->partition,
		.part = (uint16_t)part,
		.parts = (uint16_t)portion->parts,
		.flags = portion->sums && part + 1 == portion->parts
				 ? LOG_ENTRY_IS_SUMMED
				 : 0,
		.epoch = portion->epoch,
		.before = portion->number,
		.chain = portion->hash,
	};

	buffer_clear(&portion->bytes);
	log_entry_write(&head,
			log_entry_part(buffer_slice(&portion->packed),
				       portion->part_bytes, part),
			&portion->bytes);
	/* a repeated attempt needs another id even if its number is equal */
	snprintf(portion->id, sizeof(portion->id), "%s.%u.%llu.%llu.%u",
		 group->id, portion->partition,
		 (unsigned long long)portion->epoch,
		 (unsigned long long)clock_read_us(CLOCK_MONOTONIC), part);
	return (struct broker_entry){
		.subject = portion->subject.text,
		.id = portion->id,
		.data = buffer_slice(&portion->bytes),
		.expected = portion->number,
	};
}

/*
 * Append part `part` of all portions at the same time. Move the portions that
 * must be written again to the front; *again_out is their number, or 0 if
 * another portion has failed.
 */
static enum error log_append_write_part(struct node_group *group, unsigned part,
					struct portion **portions, size_t count,
					size_t *again_out)
{
	struct broker_entry *entries = mem_alloc(count, sizeof(*entries));
	size_t refused = 0;
	size_t again = 0;
	enum error error;

	for (size_t i = 0; i < count; i++)
		entries[i] = log_append_build_entry(group, portions[i], part);
	error = group->ops->append(group->bus, entries, count);
	for (size_t i = 0; i < count; i++) {
		struct portion *portion = portions[i];
		struct log_end last;

		if (entries[i].error == ERR_NONE) {
			portion->number = entries[i].number;
			portion->hash = log_entry_hash(entries[i].data);
			continue;
		}
		refused++;
		/*
		 * If this node wrote the last entry of the log and the servers
		 * have renumbered it, try again. If another node wrote it, the
		 * rejection is final.
		 */
		if (entries[i].error == ERR_BUSY &&
		    log_read_last(group, portion->partition, &last) ==
			    ERR_NONE &&
		    last.hash == portion->hash &&
		    last.number != portion->number) {
			log_apply_log_renumbered(group, portion->partition,
						 portion->number, last.number);
			portion->number = last.number;
			portions[again++] = portion;
		}
	}
	*again_out = again == refused ? again : 0;
	free(entries);
	return error;
}

/*
 * Append all parts of the portions: part 0 of all of them, then part 1, and so
 * on.
 */
static enum error append_all(struct node_group *group, struct portion *portions,
			     size_t count)
{
	struct portion **chosen = mem_alloc(count, sizeof(struct portion *));
	unsigned parts = 0;
	enum error error = ERR_NONE;

	for (size_t i = 0; i < count; i++)
		if (portions[i].parts > parts)
			parts = portions[i].parts;
	if (parts > LOG_ENTRY_MAX_PARTS) {
		error = ERR_TOO_LARGE;
		parts = 0;
	}
	for (unsigned part = 0; part < parts && error == ERR_NONE; part++) {
		size_t used = 0;
		size_t again;

		for (size_t i = 0; i < count; i++)
			if (part < portions[i].parts)
				chosen[used++] = &portions[i];
		error = log_append_write_part(group, part, chosen, used,
					      &again);
		if (again > 0)
			error = log_append_write_part(group, part, chosen,
						      again, &again);
		if (error != ERR_NONE)
			log_warn_limited("nodes: appending %zu entr%s to the "
					 "log failed: %s",
					 used, used == 1 ? "y" : "ies",
					 error_text(error));
	}
	free(chosen);
	return error;
}

/*
 * Mark the partitions whose logs may have these entries, so that the copying
 * thread reads their logs.
 */
static void log_append_mark_in_doubt(struct node_group *group,
				     const struct portion *portions,
				     size_t count)
{
	for (size_t i = 0; i < count; i++)
		group->partitions[portions[i].partition].is_unsure = true;
	node_wake_set(&group->wake_copying);
}

static enum error end_append(struct node_group *group, struct portion *portions,
			     size_t count, enum error error)
{
	lock_acquire(&group->lock);
	/*
	 * after the lease expired another node may own the partition and not
	 * have this entry
	 */
	if (error == ERR_NONE && !nodes_have_lease(group))
		error = ERR_LOG_UNAVAILABLE;
	if (error != ERR_NONE && error != ERR_TOO_LARGE)
		log_append_mark_in_doubt(group, portions, count);
	for (size_t i = 0; i < count && error == ERR_NONE; i++) {
		struct partition *partition =
			&group->partitions[portions[i].partition];

		partition->pending = portions[i].number;
		partition->pending_hash = portions[i].hash;
		partition->sums = portions[i].sums;
		partition->log_bytes += portions[i].packed.size;
	}
	lock_release(&group->lock);
	if (error == ERR_NONE || error == ERR_TOO_LARGE)
		return error;
	return ERR_LOG_UNAVAILABLE;
}

enum error log_append(void *context, struct txn *txn, struct journal *journal)
{
	struct node_group *group = context;
	uint64_t begin_us = clock_read_us(CLOCK_MONOTONIC);
	unsigned partitions[JOURNAL_PARTITIONS];
	size_t count = journal_partitions(journal, partitions);
	struct portion *portions = mem_alloc(count, sizeof(*portions));
	enum error error;

	for (size_t i = 0; i < count; i++)
		portions[i].partition = partitions[i];
	error = take_places(group, portions, count);
	for (size_t i = 0; i < count && error == ERR_NONE; i++)
		log_append_pack_rows(group, txn, journal, &portions[i]);
	if (error == ERR_NONE && txn->error == ERR_NONE) {
		txn_wait_begin();
		error = append_all(group, portions, count);
		txn_wait_end();
		error = end_append(group, portions, count, error);
	}
	for (size_t i = 0; i < count && error == ERR_NONE; i++)
		journal_position_put(txn, portions[i].partition,
				     &(struct journal_position){
					     .number = portions[i].number,
					     .epoch = portions[i].epoch,
					     .is_whole = 1,
					     .hash = portions[i].hash,
				     });
	lock_acquire(&group->lock);
	/*
	 * the transaction failed after the entries were appended: apply them
	 * from the log later
	 */
	if (error == ERR_NONE && txn->error != ERR_NONE) {
		for (size_t i = 0; i < count; i++)
			group->partitions[portions[i].partition].pending = 0;
		log_append_mark_in_doubt(group, portions, count);
	}
	group->appends++;
	group->append_us += clock_read_us(CLOCK_MONOTONIC) - begin_us;
	for (size_t i = 0; i < count; i++)
		group->append_bytes += portions[i].packed.size;
	lock_release(&group->lock);
	for (size_t i = 0; i < count; i++) {
		buffer_free(&portions[i].packed);
		buffer_free(&portions[i].bytes);
	}
	free(portions);
	return error != ERR_NONE ? error : txn->error;
}

void log_append_settle(void *context, enum error error)
{
	struct node_group *group = context;
	unsigned news[ALL_PARTITIONS];
	uint64_t numbers[ALL_PARTITIONS];
	uint64_t sums[ALL_PARTITIONS]; /* hashes of the entries after which
					  replicas compare sums; 0 = do not
					  compare */
	size_t count = 0;

	lock_acquire(&group->lock);
	for (unsigned i = 0; i < ALL_PARTITIONS; i++) {
		struct partition *partition = &group->partitions[i];

		if (partition->pending == 0)
			continue;
		if (error == ERR_NONE) {
			partition->applied = partition->pending;
			partition->applied_hash = partition->pending_hash;
			partition->last = partition->pending;
			partition->entries =
				partition->sums ? 0 : partition->entries + 1;
			if (partition->sums)
				partition->summed_ms = clock_steady_ms();
			partition->has_events = true;
			numbers[count] = partition->applied;
			sums[count] =
				partition->sums ? partition->applied_hash : 0;
			news[count++] = i;
		} else {
			partition->is_unsure = true;
			node_wake_set(&group->wake_copying);
		}
		partition->pending = 0;
	}
	node_wake_set(&group->wake_tending);
	lock_release(&group->lock);
	for (size_t i = 0; i < count; i++) {
		if (sums[i] != 0)
			replica_check_sum(group, news[i], sums[i]);
		node_hint_publish(group, LOG_HINT, news[i], numbers[i]);
	}
}
