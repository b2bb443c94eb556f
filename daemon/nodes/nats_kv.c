#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/nats.h"
#include "daemon/runtime/clock.h"

/*
 * Buckets. A bucket is a stream that stores the last entry of each subject, in
 * the format of `nats kv`: the number of an entry is the revision of a row, and
 * an entry with the header KV-Operation removes the row.
 *
 * list() keeps a copy of the bucket and reads only the entries that are newer
 * than the copy, only from the leader: other replicas may be behind or have
 * other numbers. The servers report no expired rows, so list() checks the rows
 * that were not written for a while. The servers do not report either that a
 * new leader has other numbers. So list() reads the copy again from the start
 * from time to time, and after a row had an unexpected revision.
 */

enum {
	CLOCK_EVERY_MS = 60000,
	ANEW_EVERY_MS = 60000,
	SUBJECT_BYTES = 64 + BROKER_KEY_BYTES,
	/* Check a row without writes this many times per lease_ms. */
	LOOKS = 4,
};

struct nats_kv_row {
	struct broker_row row;
	uint64_t seen_ms; /* clock_steady_ms() when the row was last read */
	bool is_old;      /* not read again since read_anew() */
};

struct nats_kv_copy {
	bool is_taken; /* under broker.lock: a thread uses the other fields */
	struct nats_kv_row *rows;
	size_t count;
	size_t capacity;
	uint64_t number;      /* number of the last entry in the copy */
	uint64_t time_ms;     /* server time of that entry */
	bool is_anew;         /* the entries are being read from the start;
				 then rows with is_old are checked */
	uint64_t connections; /* broker.connections when the copy was read */
	uint64_t begun_ms;    /* clock_steady_ms() of the last read_anew() */
	bool is_doubted;      /* under broker.lock: the copy may be wrong, so
				 read it from the start */
};

struct nats_kv_copy *nats_kv_copy_create(void)
{
	return mem_alloc(1, sizeof(struct nats_kv_copy));
}

static void copy_clear(struct nats_kv_copy *copy)
{
	for (size_t i = 0; i < copy->count; i++)
		buffer_free(&copy->rows[i].row.value);
	copy->count = 0;
	copy->number = 0;
}

void nats_kv_copy_destroy(struct nats_kv_copy *copy)
{
	copy_clear(copy);
	free(copy->rows);
	free(copy);
}

static void nats_kv_subject(char *out, enum broker_bucket bucket,
			    const char *key)
{
	/* replace the wildcard at the end of, for example, "$KV.tpl_facts.>" */
	const char *all = nats_bucket(bucket)->subject;

	snprintf(out, SUBJECT_BYTES, "%.*s%s", (int)strlen(all) - 1, all, key);
}

static void row_take(struct broker_row *row, enum broker_bucket bucket,
		     const struct broker_message *message)
{
	size_t prefix = strlen(nats_bucket(bucket)->subject) - 1;
	size_t size = message->subject.size;

	*row = (struct broker_row){.revision = message->number,
				   .time_ms = message->time_ms};
	snprintf(row->key, sizeof(row->key), "%.*s",
		 size < prefix ? 0 : (int)(size - prefix),
		 size < prefix ? "" : message->subject.data + prefix);
	buffer_append_slice(&row->value, buffer_slice(&message->data));
}

static void entry_free(struct nats_entry *entry)
{
	buffer_free(&entry->message.subject);
	buffer_free(&entry->message.data);
}

/* Read the last entry of a row, even if it removes the row. */
static enum error nats_kv_read_last(struct broker *bus,
				    enum broker_bucket bucket, const char *key,
				    struct nats_entry *entry)
{
	char subject[SUBJECT_BYTES];
	const struct nats_read_args reading = {
		.kind = NATS_LAST,
		.stream = nats_bucket(bucket)->name,
		.subject = subject};

	nats_kv_subject(subject, bucket, key);
	return nats_read(bus, &reading, entry);
}

enum error nats_kv_get(struct broker *bus, enum broker_bucket bucket,
		       const char *key, struct broker_row *row_out)
{
	struct nats_entry entry = {0};
	enum error error = nats_kv_read_last(bus, bucket, key, &entry);

	if (error == ERR_NONE && entry.is_removal) {
		row_out->revision = entry.message.number;
		error = ERR_NOT_FOUND;
	} else if (error == ERR_NONE) {
		row_take(row_out, bucket, &entry.message);
	}
	entry_free(&entry);
	return error;
}

/* Write a row, or remove it if `operation` is not NULL. */
static enum error nats_kv_write_row(struct broker *bus,
				    enum broker_bucket bucket,
				    struct broker_entry *entry,
				    const char *operation)
{
	char subject[SUBJECT_BYTES];
	enum error error;

	nats_kv_subject(subject, bucket, entry->subject);
	entry->subject = subject;
	error = nats_append_as(bus, entry, 1, operation);
	if (error == ERR_BUSY) {
		lock_acquire(&bus->lock);
		bus->copies[bucket]->is_doubted = true;
		lock_release(&bus->lock);
	}
	return error;
}

/*
 * Compute broker.clock_ms: the server wrote entry `number` when the local clock
 * showed `wall_ms`.
 */
static enum error look_at_clock(struct broker *bus, enum broker_bucket bucket,
				uint64_t number, uint64_t wall_ms)
{
	const struct nats_read_args reading = {
		.kind = NATS_AT,
		.stream = nats_bucket(bucket)->name,
		.number = number};
	struct nats_entry entry = {0};
	enum error error = nats_read(bus, &reading, &entry);

	if (error == ERR_NONE) {
		lock_acquire(&bus->lock);
		bus->clock_ms =
			(int64_t)entry.message.time_ms - (int64_t)wall_ms;
		bus->clock_at_ms = clock_steady_ms();
		lock_release(&bus->lock);
	}
	entry_free(&entry);
	return error;
}

/* six parameters, as broker_ops.put() has */
/* NOLINTNEXTLINE(readability-function-size) */
enum error nats_kv_put(struct broker *bus, enum broker_bucket bucket,
		       const char *key, struct slice value, uint64_t expected,
		       uint64_t *revision_out)
{
	uint64_t start_ms = clock_wall_ms();
	struct broker_entry entry = {
		.subject = key, .data = value, .expected = expected};
	enum error error = nats_kv_write_row(bus, bucket, &entry, NULL);
	bool is_old;

	if (error == ERR_BUSY && expected == 0) {
		struct nats_entry last = {0};

		/*
		 * if the row was removed, its last entry is the one that
		 * removed it
		 */
		if (nats_kv_read_last(bus, bucket, key, &last) == ERR_NONE &&
		    last.is_removal) {
			entry.subject = key;
			entry.expected = last.message.number;
			start_ms = clock_wall_ms();
			error = nats_kv_write_row(bus, bucket, &entry, NULL);
		}
		entry_free(&last);
	}
	if (error != ERR_NONE)
		return error;
	*revision_out = entry.number;
	lock_acquire(&bus->lock);
	is_old = bus->clock_at_ms == 0 ||
		 clock_steady_ms() - bus->clock_at_ms > CLOCK_EVERY_MS;
	lock_release(&bus->lock);
	if (is_old)
		look_at_clock(bus, bucket, entry.number,
			      start_ms + (clock_wall_ms() - start_ms) / 2);
	return ERR_NONE;
}

enum error nats_kv_write_clock(struct broker *bus)
{
	char key[BROKER_KEY_BYTES + sizeof("_clock.")];
	uint64_t revision;

	snprintf(key, sizeof(key), "_clock.%s", bus->name);
	return nats_kv_put(bus, BROKER_NODES, key, (struct slice){0},
			   BROKER_ANY, &revision);
}

enum error nats_kv_remove_row(struct broker *bus, enum broker_bucket bucket,
			      const char *key, uint64_t expected)
{
	struct broker_entry entry = {.subject = key, .expected = expected};

	return nats_kv_write_row(bus, bucket, &entry, "DEL");
}

static void nats_kv_remove(struct nats_kv_copy *copy, size_t i)
{
	buffer_free(&copy->rows[i].row.value);
	copy->rows[i] = copy->rows[--copy->count];
}

static void nats_kv_apply_entry(struct nats_kv_copy *copy,
				enum broker_bucket bucket,
				const struct nats_entry *entry)
{
	struct broker_row row;
	size_t i = 0;

	copy->number = entry->message.number;
	copy->time_ms = entry->message.time_ms;
	row_take(&row, bucket, &entry->message);
	while (i < copy->count && strcmp(copy->rows[i].row.key, row.key) != 0)
		i++;
	if (i < copy->count)
		nats_kv_remove(copy, i);
	/* omit the rows "_clock.NAME", which only measure the clock */
	if (entry->is_removal || row.key[0] == '_') {
		buffer_free(&row.value);
		return;
	}
	copy->rows = mem_grow(copy->rows, copy->count, &copy->capacity,
			      sizeof(*copy->rows));
	copy->rows[copy->count++] =
		(struct nats_kv_row){.row = row, .seen_ms = clock_steady_ms()};
}

/*
 * Check rows that may no longer exist. With `is_anew`, check the rows that were
 * not among the entries read from the start: they were deleted, or were written
 * after the last entry was requested. Otherwise check the rows that were not
 * written for a while, because they may have expired.
 */
static enum error nats_kv_check_rows(struct broker *bus,
				     enum broker_bucket bucket,
				     struct nats_kv_copy *copy, bool is_anew)
{
	struct nats_entry entry = {0};
	enum error error = ERR_NONE;

	for (size_t i = copy->count; i-- > 0 && error == ERR_NONE;) {
		struct nats_kv_row *row = &copy->rows[i];

		if (is_anew ? !row->is_old
			    : clock_steady_ms() - row->seen_ms <
				      bus->lease_ms / LOOKS)
			continue;
		error = nats_kv_read_last(bus, bucket, row->row.key, &entry);
		if (error == ERR_NOT_FOUND ||
		    (error == ERR_NONE && entry.is_removal)) {
			nats_kv_remove(copy, i);
			error = ERR_NONE;
		} else if (error == ERR_NONE) {
			row->seen_ms = clock_steady_ms();
			row->is_old = false;
			buffer_free(&row->row.value);
			row_take(&row->row, bucket, &entry.message);
		}
	}
	entry_free(&entry);
	return error;
}

/* Read the entries up to number `last` into the copy. */
static enum error nats_kv_read_entries(struct broker *bus,
				       enum broker_bucket bucket,
				       struct nats_kv_copy *copy, uint64_t last)
{
	struct nats_read_args reading = {.kind = NATS_NEXT_OF_LEADER,
					 .stream = nats_bucket(bucket)->name,
					 .subject =
						 nats_bucket(bucket)->subject};
	struct nats_entry entry = {0};
	enum error error = ERR_NONE;

	while (error == ERR_NONE && copy->number < last) {
		reading.number = copy->number + 1;
		error = nats_read(bus, &reading, &entry);
		if (error == ERR_NONE)
			nats_kv_apply_entry(copy, bucket, &entry);
	}
	entry_free(&entry);
	if (error == ERR_NOT_FOUND) { /* entry `last` was deleted after it
					 was requested */
		copy->number = last;
		error = ERR_NONE;
	}
	if (error == ERR_NONE && copy->is_anew)
		error = nats_kv_check_rows(bus, bucket, copy, true);
	if (error == ERR_NONE)
		copy->is_anew = false;
	return error;
}

/*
 * Let the next reader of the copy start at the first entry, because the numbers
 * may have changed. Rows stay in the copy until all entries are read.
 */
static void read_anew(struct nats_kv_copy *copy)
{
	copy->number = 0;
	copy->is_anew = true;
	for (size_t i = 0; i < copy->count; i++)
		copy->rows[i].is_old = true;
}

static enum error nats_kv_refresh(struct broker *bus, enum broker_bucket bucket,
				  struct nats_kv_copy *copy)
{
	struct nats_read_args reading = {.kind = NATS_LAST,
					 .stream = nats_bucket(bucket)->name,
					 .subject =
						 nats_bucket(bucket)->subject};
	struct nats_entry entry = {0};
	enum error error = nats_read(bus, &reading, &entry);
	uint64_t last = entry.message.number;
	uint64_t time_ms = entry.message.time_ms;

	entry_free(&entry);
	if (error == ERR_NOT_FOUND) { /* the bucket is empty */
		copy_clear(copy);
		return ERR_NONE;
	}
	if (error == ERR_NONE &&
	    (last < copy->number ||
	     (last == copy->number && time_ms != copy->time_ms)))
		read_anew(copy);
	if (error == ERR_NONE)
		error = nats_kv_read_entries(bus, bucket, copy, last);
	if (error == ERR_NONE && copy->number == last)
		copy->time_ms = time_ms;
	if (error == ERR_NONE && bucket != BROKER_FACTS)
		error = nats_kv_check_rows(bus, bucket, copy, false);
	return error;
}

static int nats_kv_compare_keys(const void *a, const void *b)
{
	return strcmp(((const struct broker_row *)a)->key,
		      ((const struct broker_row *)b)->key);
}

enum error nats_kv_list(struct broker *bus, enum broker_bucket bucket,
			struct broker_row **rows_out, size_t *count_out)
{
	struct nats_kv_copy *copy = bus->copies[bucket];
	struct broker_row *rows = NULL;
	uint64_t now_ms = clock_steady_ms();
	enum error error;

	*rows_out = NULL;
	*count_out = 0;
	/*
	 * Acquire the copy. After each new connection start with an empty copy:
	 * servers that lost their files number entries from 1 again.
	 */
	lock_acquire(&bus->lock);
	while (copy->is_taken)
		condition_wait(&bus->listed, &bus->lock);
	copy->is_taken = true;
	if (copy->connections != bus->connections)
		copy_clear(copy);
	if (copy->is_doubted || now_ms - copy->begun_ms >= ANEW_EVERY_MS) {
		read_anew(copy);
		copy->begun_ms = now_ms;
	}
	copy->is_doubted = false;
	copy->connections = bus->connections;
	lock_release(&bus->lock);
	error = nats_kv_refresh(bus, bucket, copy);
	if (error == ERR_NONE && copy->count > 0) {
		rows = mem_alloc(copy->count, sizeof(*rows));
		for (size_t i = 0; i < copy->count; i++) {
			rows[i] = copy->rows[i].row;
			rows[i].value = (struct buffer){0};
			buffer_append_slice(
				&rows[i].value,
				buffer_slice(&copy->rows[i].row.value));
		}
		qsort(rows, copy->count, sizeof(*rows), nats_kv_compare_keys);
		*rows_out = rows;
		*count_out = copy->count;
	}
	lock_acquire(&bus->lock);
	copy->is_taken = false;
	condition_broadcast(&bus->listed);
	lock_release(&bus->lock);
	return error;
}
