#include "daemon/nodes/partition_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "store/folder.h"
#include "store/journal.h"

enum {
	CHUNK_BYTES = 4 << 20,
	BLOCK_BYTES = 256 * 1024,
	CLEARED_ROWS = 10000, /* rows deleted per transaction */
	ANY_PARTITION = JOURNAL_PARTITIONS,
};

/* A partition that is saved. */
struct dumping {
	struct txn txn;
	struct dump dump;
	bool is_open;
	struct snapshot_figures *copy;
};

static void begin_dump(struct dumping *dumping, struct store *store,
		       unsigned partition, uint64_t now_ms)
{
	struct journal_position place;

	dumping->txn = txn_begin_read(store);
	journal_position_get(&dumping->txn, partition, &place);
	dumping->dump = dump_begin(&dumping->txn, partition);
	dumping->is_open = true;
	dumping->copy->head = (struct snapshot_head){
		.schema = STORE_SCHEMA,
		.partition = partition,
		.epoch = place.epoch,
		.number = place.number,
		.entry = place.hash,
		.time_ms = now_ms,
	};
}

static enum error end_dump(struct dumping *dumping)
{
	if (!dumping->is_open)
		return ERR_NONE;
	dumping->is_open = false;
	dumping->copy->rows = dumping->dump.rows;
	dump_end(&dumping->dump);
	return txn_end(&dumping->txn);
}

static enum error dump_chunk(void *context, struct buffer *chunk)
{
	struct dumping *dumping = context;

	if (dumping->is_open && dump_next(&dumping->dump, CHUNK_BYTES, chunk)) {
		dumping->copy->chunks++;
		dumping->copy->bytes += chunk->size;
		return ERR_NONE;
	}
	buffer_clear(chunk);
	return end_dump(dumping);
}

enum error snapshot_save(struct store *store, unsigned partition,
			 uint64_t now_ms, struct snapshot_store *depot,
			 struct snapshot_figures *copy_out)
{
	struct dumping dumping = {.copy = copy_out};
	struct snapshot_writer *writer;
	enum error error;

	*copy_out = (struct snapshot_figures){0};
	begin_dump(&dumping, store, partition, now_ms);
	writer = snapshot_writer_create(&copy_out->head, dump_chunk, &dumping);
	error = snapshot_store_put(
		depot,
		(struct snapshot_store_item){partition, copy_out->head.number},
		snapshot_pack, writer);
	end_dump(&dumping);
	snapshot_writer_destroy(writer);
	return error;
}

/* A partition that is loaded. */
struct loading {
	struct store *store; /* or NULL */
	unsigned partition;  /* or ANY_PARTITION: the first chunk has the number
			      */
	bool is_begun;
	struct snapshot_figures *copy;
};

static enum error put_place(struct store *store, unsigned partition,
			    const struct journal_position *place)
{
	struct txn txn = txn_begin_write(store);

	journal_position_put(&txn, partition, place);
	return txn_end(&txn);
}

/* Delete all rows of the partition; first mark its position as incomplete. */
static enum error snapshot_clear_partition(struct store *store,
					   unsigned partition)
{
	enum error error =
		put_place(store, partition, &(struct journal_position){0});
	uint64_t count = CLEARED_ROWS;

	while (error == ERR_NONE && count == CLEARED_ROWS) {
		struct txn txn = txn_begin_write(store);

		count = journal_clear(&txn, partition, CLEARED_ROWS);
		error = txn_end(&txn);
	}
	return error;
}

static enum error begin_load(struct loading *loading,
			     const struct snapshot_head *head)
{
	loading->is_begun = true;
	if (head->schema != STORE_SCHEMA)
		return ERR_VERSION;
	if (head->partition >= JOURNAL_PARTITIONS ||
	    (loading->partition != ANY_PARTITION &&
	     loading->partition != head->partition))
		return ERR_CORRUPT;
	loading->partition = head->partition;
	return loading->store == NULL
		       ? ERR_NONE
		       : snapshot_clear_partition(loading->store,
						  head->partition);
}

static enum error load_chunk(void *context, const struct snapshot_head *head,
			     struct slice chunk)
{
	struct loading *loading = context;
	enum error error =
		loading->is_begun ? ERR_NONE : begin_load(loading, head);
	struct txn txn;

	if (error != ERR_NONE)
		return error;
	loading->copy->chunks++;
	loading->copy->bytes += chunk.size;
	if (loading->store == NULL)
		return ERR_NONE;
	txn = txn_begin_write(loading->store);
	journal_apply(&txn, loading->partition, chunk);
	return txn_end(&txn);
}

/* Check that the snapshot is complete, then mark the position as complete. */
static enum error end_load(struct loading *loading,
			   const struct snapshot_reader *reader)
{
	struct snapshot_head head;
	struct journal_position place = {.is_whole = 1};
	enum error error = snapshot_unpack_end(reader, &head);

	/* a snapshot without a chunk is invalid */
	if (error != ERR_NONE || !loading->is_begun)
		return ERR_CORRUPT;
	loading->copy->head = head;
	place.number = head.number;
	place.epoch = head.epoch;
	place.hash = head.entry;
	if (loading->store == NULL)
		return ERR_NONE;
	return put_place(loading->store, loading->partition, &place);
}

enum error snapshot_load(struct store *store, struct snapshot_store_item item,
			 struct snapshot_store *depot,
			 struct snapshot_figures *copy_out)
{
	struct loading loading = {
		.store = store, .partition = item.partition, .copy = copy_out};
	struct snapshot_reader *reader =
		snapshot_reader_create(load_chunk, &loading);
	enum error error;

	*copy_out = (struct snapshot_figures){0};
	error = snapshot_store_get(depot, item, snapshot_unpack, reader);
	if (error == ERR_NONE)
		error = end_load(&loading, reader);
	snapshot_reader_destroy(reader);
	return error;
}

static enum error snapshot_error_of_errno(void)
{
	if (errno == ENOENT || errno == ENOTDIR)
		return ERR_NOT_FOUND;
	return errno == ENOSPC || errno == EDQUOT ? ERR_STORE_FULL : ERR_IO;
}

static enum error snapshot_write_file(struct snapshot_writer *writer,
				      FILE *file)
{
	char *block = mem_alloc(1, BLOCK_BYTES);
	enum error error;
	size_t size;

	do {
		error = snapshot_pack(writer, block, BLOCK_BYTES, &size);
		if (error == ERR_NONE && fwrite(block, 1, size, file) != size)
			error = snapshot_error_of_errno();
	} while (error == ERR_NONE && size > 0);
	free(block);
	if (error == ERR_NONE &&
	    (fflush(file) != 0 || fsync(fileno(file)) != 0))
		error = snapshot_error_of_errno();
	return error;
}

enum error snapshot_save_file(struct store *store, unsigned partition,
			      uint64_t now_ms, const char *path,
			      struct snapshot_figures *copy_out)
{
	struct dumping dumping = {.copy = copy_out};
	struct snapshot_writer *writer;
	char aside[MAX_PATH_BYTES];
	enum error error;
	FILE *file;
	int descriptor;

	*copy_out = (struct snapshot_figures){0};
	if (snprintf(aside, sizeof(aside), "%s.new", path) >=
	    (int)sizeof(aside))
		return ERR_IO;
	descriptor =
		open(aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
	if (file == NULL)
		return snapshot_error_of_errno();
	begin_dump(&dumping, store, partition, now_ms);
	writer = snapshot_writer_create(&copy_out->head, dump_chunk, &dumping);
	error = snapshot_write_file(writer, file);
	end_dump(&dumping);
	snapshot_writer_destroy(writer);
	if (fclose(file) != 0 && error == ERR_NONE)
		error = snapshot_error_of_errno();
	if (error == ERR_NONE && rename(aside, path) != 0)
		error = snapshot_error_of_errno();
	if (error != ERR_NONE)
		unlink(aside);
	return error;
}

static enum error snapshot_read_file(struct snapshot_reader *reader, FILE *file)
{
	char *block = mem_alloc(1, BLOCK_BYTES);
	enum error error = ERR_NONE;
	size_t size;

	while (error == ERR_NONE &&
	       (size = fread(block, 1, BLOCK_BYTES, file)) > 0)
		error = snapshot_unpack(reader, (struct slice){block, size});
	free(block);
	if (error == ERR_NONE && ferror(file))
		error = ERR_IO;
	return error;
}

enum error snapshot_load_file(struct store *store, const char *path,
			      struct snapshot_figures *copy_out)
{
	struct loading loading = {
		.store = store, .partition = ANY_PARTITION, .copy = copy_out};
	FILE *file = fopen(path, "re");
	struct snapshot_reader *reader;
	enum error error;

	*copy_out = (struct snapshot_figures){0};
	if (file == NULL)
		return snapshot_error_of_errno();
	reader = snapshot_reader_create(load_chunk, &loading);
	error = snapshot_read_file(reader, file);
	if (error == ERR_NONE)
		error = end_load(&loading, reader);
	snapshot_reader_destroy(reader);
	fclose(file);
	return error;
}
