#include "daemon/nodes/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "store/journal.h"
#include "store/store.h"

enum {
	CHUNK_BYTES = 4 << 20,
	BLOCK_BYTES = 256 * 1024,
	CLEARED_ROWS = 2000, /* maximum number of rows deleted per
				transaction */
	ANY_PARTITION = JOURNAL_PARTITIONS,
};

enum {
	VERSION = 2,
	MAX_WINDOW_LOG = 23, /* of zstd: a window of 8 MiB, which limits the
				memory of the reader */
	PIECE_BYTES = 128 * 1024,
};

static const char magic[] = "TPLSNAP";

_Static_assert(sizeof(magic) == sizeof(((struct snapshot_head *)NULL)->magic),
	       "magic");
_Static_assert(sizeof(struct snapshot_head) == SNAPSHOT_HEAD_BYTES, "no holes");

/* The tail, with the same byte order as the head. */
struct snapshot_sums {
	uint64_t chunks;
	uint64_t bytes; /* size of all chunks */
	uint64_t hash;  /* of all chunks: each hash is the seed of the next
			   one */
};

static void snapshot_sums_add(struct snapshot_sums *sums, struct slice chunk)
{
	sums->chunks++;
	sums->bytes += chunk.size;
	sums->hash = hash64(chunk.data, chunk.size, sums->hash);
}

static uint64_t snapshot_head_hash(const struct snapshot_head *head)
{
	return hash64(head, sizeof(*head) - sizeof(head->hash), 0);
}

struct snapshot_writer {
	ZSTD_CCtx *zstd;
	snapshot_source *source;
	void *context;
	struct snapshot_sums sums;
	struct buffer chunk;
	struct buffer pending; /* bytes to compress next: a size and a chunk,
				  or the tail */
	size_t pending_at;
	struct snapshot_head head;
	size_t head_at;
	bool is_last;  /* `pending` has the tail */
	bool is_ended; /* the zstd frame is complete */
};

struct snapshot_writer *snapshot_writer_create(const struct snapshot_head *head,
					       snapshot_source *source,
					       void *context)
{
	struct snapshot_writer *writer = mem_alloc(1, sizeof(*writer));

	writer->source = source;
	writer->context = context;
	writer->zstd = ZSTD_createCCtx();
	if (writer->zstd == NULL)
		mem_exhausted("libzstd");
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel,
			       SNAPSHOT_LEVEL);
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_checksumFlag, 1);
	writer->head = *head;
	memcpy(writer->head.magic, magic, sizeof(magic));
	writer->head.version = VERSION;
	writer->head.hash = snapshot_head_hash(&writer->head);
	return writer;
}

void snapshot_writer_destroy(struct snapshot_writer *writer)
{
	if (writer == NULL)
		return;
	ZSTD_freeCCtx(writer->zstd);
	buffer_free(&writer->chunk);
	buffer_free(&writer->pending);
	free(writer);
}

/*
 * Get the next chunk into `pending`, with its size before it; after the last
 * chunk, the tail.
 */
static enum error snapshot_writer_fetch(struct snapshot_writer *writer)
{
	enum error error = writer->source(writer->context, &writer->chunk);
	struct slice chunk = buffer_slice(&writer->chunk);
	uint32_t size = (uint32_t)chunk.size;

	if (error != ERR_NONE)
		return error;
	if (chunk.size > SNAPSHOT_MAX_CHUNK)
		return ERR_TOO_LARGE;
	buffer_clear(&writer->pending);
	writer->pending_at = 0;
	buffer_append(&writer->pending, &size, sizeof(size));
	if (chunk.size > 0) {
		snapshot_sums_add(&writer->sums, chunk);
		buffer_append_slice(&writer->pending, chunk);
		return ERR_NONE;
	}
	buffer_append(&writer->pending, &writer->sums, sizeof(writer->sums));
	writer->is_last = true;
	return ERR_NONE;
}

enum error snapshot_pack(void *context, char *out, size_t size,
			 size_t *size_out)
{
	struct snapshot_writer *writer = context;
	size_t left = sizeof(writer->head) - writer->head_at;
	size_t head = size < left ? size : left;
	ZSTD_outBuffer packed = {out, size, head};
	ZSTD_inBuffer in;
	enum error error = ERR_NONE;

	memcpy(out, (const char *)&writer->head + writer->head_at, head);
	writer->head_at += head;
	while (error == ERR_NONE && packed.pos < size && !writer->is_ended) {
		if (writer->pending_at == writer->pending.size &&
		    !writer->is_last)
			error = snapshot_writer_fetch(writer);
		if (error != ERR_NONE)
			break;
		in = (ZSTD_inBuffer){writer->pending.data, writer->pending.size,
				     writer->pending_at};
		left = ZSTD_compressStream2(writer->zstd, &packed, &in,
					    writer->is_last ? ZSTD_e_end
							    : ZSTD_e_continue);
		if (ZSTD_isError(left))
			error = ERR_IO;
		writer->pending_at = in.pos;
		writer->is_ended = writer->is_last && left == 0;
	}
	*size_out = packed.pos;
	return error;
}

struct snapshot_reader {
	ZSTD_DCtx *zstd;
	snapshot_target *target;
	void *context;
	struct snapshot_sums sums;
	struct snapshot_head head;
	size_t head_at;
	struct buffer part; /* the part that is being read: a size, a chunk
			       or the tail */
	size_t part_bytes;  /* complete size of `part` */
	enum { PART_SIZE, PART_CHUNK, PART_TAIL, PART_NONE } kind;
	bool is_ended; /* the zstd frame is complete */
	char piece[PIECE_BYTES];
};

struct snapshot_reader *snapshot_reader_create(snapshot_target *target,
					       void *context)
{
	struct snapshot_reader *reader = mem_alloc(1, sizeof(*reader));

	reader->target = target;
	reader->context = context;
	reader->part_bytes = sizeof(uint32_t);
	reader->zstd = ZSTD_createDCtx();
	if (reader->zstd == NULL)
		mem_exhausted("libzstd");
	ZSTD_DCtx_setParameter(reader->zstd, ZSTD_d_windowLogMax,
			       MAX_WINDOW_LOG);
	return reader;
}

void snapshot_reader_destroy(struct snapshot_reader *reader)
{
	if (reader == NULL)
		return;
	ZSTD_freeDCtx(reader->zstd);
	buffer_free(&reader->part);
	free(reader);
}

/* Handle `part`, which is complete now. */
static enum error snapshot_reader_end_part(struct snapshot_reader *reader)
{
	struct slice part = buffer_slice(&reader->part);
	enum error error = ERR_NONE;
	uint32_t size;

	switch (reader->kind) {
	case PART_SIZE:
		memcpy(&size, part.data, sizeof(size));
		if (size > SNAPSHOT_MAX_CHUNK)
			return ERR_CORRUPT;
		reader->kind = size == 0 ? PART_TAIL : PART_CHUNK;
		reader->part_bytes = size == 0 ? sizeof(reader->sums) : size;
		break;
	case PART_CHUNK:
		snapshot_sums_add(&reader->sums, part);
		reader->kind = PART_SIZE;
		reader->part_bytes = sizeof(size);
		error = reader->target(reader->context, &reader->head, part);
		break;
	default:
		reader->kind = PART_NONE;
		reader->part_bytes = 0;
		if (memcmp(part.data, &reader->sums, sizeof(reader->sums)) != 0)
			error = ERR_CORRUPT;
	}
	buffer_clear(&reader->part);
	return error;
}

static enum error take_unpacked(struct snapshot_reader *reader,
				struct slice bytes)
{
	enum error error = ERR_NONE;

	while (error == ERR_NONE && bytes.size > 0) {
		size_t missing = reader->part_bytes - reader->part.size;
		size_t size = bytes.size < missing ? bytes.size : missing;

		if (size == 0)
			return ERR_CORRUPT; /* bytes after the tail */
		buffer_append(&reader->part, bytes.data, size);
		bytes.data = (const char *)bytes.data + size;
		bytes.size -= size;
		if (size == missing)
			error = snapshot_reader_end_part(reader);
	}
	return error;
}

static enum error snapshot_reader_decompress(struct snapshot_reader *reader,
					     struct slice bytes)
{
	ZSTD_inBuffer in = {bytes.data, bytes.size, 0};
	enum error error = ERR_NONE;
	bool is_full = false; /* the decoder may have more output */

	while (error == ERR_NONE && (in.pos < in.size || is_full)) {
		ZSTD_outBuffer out = {reader->piece, sizeof(reader->piece), 0};
		size_t left;

		if (reader->is_ended)
			return in.pos < in.size ? ERR_CORRUPT : ERR_NONE;
		left = ZSTD_decompressStream(reader->zstd, &out, &in);
		if (ZSTD_isError(left))
			return ERR_CORRUPT;
		reader->is_ended = left == 0;
		is_full = out.pos == out.size;
		error = take_unpacked(reader, (struct slice){out.dst, out.pos});
	}
	return error;
}

enum error snapshot_unpack(void *context, struct slice bytes)
{
	struct snapshot_reader *reader = context;
	struct snapshot_head *head = &reader->head;
	size_t missing = sizeof(*head) - reader->head_at;
	size_t size = bytes.size < missing ? bytes.size : missing;

	if (size > 0) {
		memcpy((char *)head + reader->head_at, bytes.data, size);
		reader->head_at += size;
		bytes.data = (const char *)bytes.data + size;
		bytes.size -= size;
		if (size < missing)
			return ERR_NONE;
		if (memcmp(head->magic, magic, sizeof(magic)) != 0)
			return ERR_CORRUPT;
		if (head->version != VERSION)
			return ERR_VERSION;
		if (head->hash != snapshot_head_hash(head) || head->zero != 0)
			return ERR_CORRUPT;
	}
	return snapshot_reader_decompress(reader, bytes);
}

enum error snapshot_unpack_end(const struct snapshot_reader *reader,
			       struct snapshot_head *head_out)
{
	if (!reader->is_ended || reader->kind != PART_NONE)
		return ERR_CORRUPT;
	*head_out = reader->head;
	return ERR_NONE;
}

/* The state of saving a partition. */
struct dumping {
	struct txn txn;
	struct dump dump;
	bool is_open;
	struct snapshot_figures *copy;
};

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

/*
 * Where to write a snapshot: to `file` if it is not NULL, otherwise to `depot`.
 */
struct snapshot_target {
	struct snapshot_store *depot;
	FILE *file;
};

static enum error snapshot_save_to(struct store *store, unsigned partition,
				   uint64_t now_ms,
				   struct snapshot_target target,
				   struct snapshot_figures *copy_out)
{
	struct dumping dumping = {.txn = txn_begin_read(store),
				  .is_open = true,
				  .copy = copy_out};
	struct snapshot_writer *writer;
	struct journal_position place;
	enum error error;

	journal_position_get(&dumping.txn, partition, &place);
	dumping.dump = dump_begin(&dumping.txn, partition);
	*copy_out = (struct snapshot_figures){.head = {.schema = STORE_SCHEMA,
						       .partition = partition,
						       .epoch = place.epoch,
						       .number = place.number,
						       .entry = place.hash,
						       .time_ms = now_ms}};
	writer = snapshot_writer_create(&copy_out->head, dump_chunk, &dumping);
	if (target.file != NULL)
		error = snapshot_write_file(writer, target.file);
	else
		error = snapshot_store_put(
			target.depot,
			(struct snapshot_store_item){partition, place.number},
			snapshot_pack, writer);
	end_dump(&dumping);
	snapshot_writer_destroy(writer);
	return error;
}

enum error snapshot_save(struct store *store, unsigned partition,
			 uint64_t now_ms, struct snapshot_store *depot,
			 struct snapshot_figures *copy_out)
{
	return snapshot_save_to(store, partition, now_ms,
				(struct snapshot_target){.depot = depot},
				copy_out);
}

enum error snapshot_save_file(struct store *store, unsigned partition,
			      uint64_t now_ms, const char *path,
			      struct snapshot_figures *copy_out)
{
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
	error = snapshot_save_to(store, partition, now_ms,
				 (struct snapshot_target){.file = file},
				 copy_out);
	if (fclose(file) != 0 && error == ERR_NONE)
		error = snapshot_error_of_errno();
	if (error == ERR_NONE && rename(aside, path) != 0)
		error = snapshot_error_of_errno();
	if (error != ERR_NONE)
		unlink(aside);
	return error;
}

/* The state of loading a partition. */
struct loading {
	struct store *store; /* NULL = read the snapshot, but write nothing */
	unsigned partition;  /* expected partition; ANY_PARTITION = the one
				in the head */
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

enum error snapshot_clear_partition(struct store *store, unsigned partition)
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

static enum error load_chunk(void *context, const struct snapshot_head *head,
			     struct slice chunk)
{
	struct loading *loading = context;
	enum error error = ERR_NONE;
	struct txn txn;

	if (!loading->is_begun) {
		loading->is_begun = true;
		if (head->schema != STORE_SCHEMA)
			return ERR_VERSION;
		if (head->partition >= JOURNAL_PARTITIONS ||
		    (loading->partition != ANY_PARTITION &&
		     loading->partition != head->partition))
			return ERR_CORRUPT;
		loading->partition = head->partition;
		if (loading->store != NULL)
			error = snapshot_clear_partition(loading->store,
							 head->partition);
	}
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

/*
 * Load from `file` or, if it is NULL, from the snapshot store. Mark the
 * partition as complete only if the snapshot is complete.
 */
static enum error snapshot_load_from(struct loading loading,
				     struct snapshot_store *depot,
				     struct snapshot_store_item item,
				     FILE *file)
{
	struct snapshot_reader *reader =
		snapshot_reader_create(load_chunk, &loading);
	struct snapshot_head head;
	enum error error;

	*loading.copy = (struct snapshot_figures){0};
	error = file != NULL ? snapshot_read_file(reader, file)
			     : snapshot_store_get(depot, item, snapshot_unpack,
						  reader);
	/* a snapshot without a chunk is invalid */
	if (error == ERR_NONE &&
	    (snapshot_unpack_end(reader, &head) != ERR_NONE ||
	     !loading.is_begun))
		error = ERR_CORRUPT;
	snapshot_reader_destroy(reader);
	if (error != ERR_NONE)
		return error;
	loading.copy->head = head;
	if (loading.store == NULL)
		return ERR_NONE;
	return put_place(loading.store, loading.partition,
			 &(struct journal_position){.number = head.number,
						    .epoch = head.epoch,
						    .is_whole = 1,
						    .hash = head.entry});
}

enum error snapshot_load(struct store *store, struct snapshot_store_item item,
			 struct snapshot_store *depot,
			 struct snapshot_figures *copy_out)
{
	return snapshot_load_from((struct loading){.store = store,
						   .partition = item.partition,
						   .copy = copy_out},
				  depot, item, NULL);
}

enum error snapshot_load_file(struct store *store, const char *path,
			      struct snapshot_figures *copy_out)
{
	const struct loading loading = {
		.store = store, .partition = ANY_PARTITION, .copy = copy_out};
	FILE *file = fopen(path, "re");
	enum error error;

	*copy_out = (struct snapshot_figures){0};
	if (file == NULL)
		return snapshot_error_of_errno();
	error = snapshot_load_from(loading, NULL,
				   (struct snapshot_store_item){0}, file);
	fclose(file);
	return error;
}
