/*
 * tests/fuzz/fuzz_snapshot_stream.c - any bytes as a snapshot. After a first
 * byte of 'z' they are compressed with zstd and put after a valid head, so that
 * the fuzzer reaches the contents.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/memory.h"
#include "daemon/nodes/snapshot.h"

enum { STEP = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static enum error nothing(void *context, struct buffer *chunk)
{
	(void)context;
	buffer_clear(chunk);
	return ERR_NONE;
}

static enum error count(void *context, const struct snapshot_head *head,
			struct slice chunk)
{
	size_t *bytes = context;

	(void)head;
	*bytes += chunk.size;
	return ERR_NONE;
}

static void put_head(struct buffer *out)
{
	const struct snapshot_head head = {.schema = 1};
	struct snapshot_writer *writer =
		snapshot_writer_create(&head, nothing, NULL);
	size_t size;

	if (snapshot_pack(writer, buffer_reserve(out, SNAPSHOT_HEAD_BYTES),
			  SNAPSHOT_HEAD_BYTES, &size) != ERR_NONE)
		abort();
	out->size += size;
	snapshot_writer_destroy(writer);
}

static void put_packed(const uint8_t *bytes, size_t size, struct buffer *out)
{
	size_t room = ZSTD_compressBound(size);

	put_head(out);
	out->size +=
		ZSTD_compress(buffer_reserve(out, room), room, bytes, size, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	size_t chunks = 0;
	struct snapshot_reader *reader = snapshot_reader_create(count, &chunks);
	struct buffer file = {0};
	struct snapshot_head head;
	enum error error = ERR_NONE;

	if (size > 0 && bytes[0] == 'z')
		put_packed(bytes + 1, size - 1, &file);
	else
		buffer_append(&file, bytes, size);
	for (size_t at = 0; at < file.size && error == ERR_NONE; at += STEP) {
		size_t left = file.size - at;

		error = snapshot_unpack(
			reader, (struct slice){file.data + at,
					       left < STEP ? left : STEP});
	}
	if (error == ERR_NONE)
		error = snapshot_unpack_end(reader, &head);
	if (error != ERR_NONE && error != ERR_CORRUPT && error != ERR_VERSION)
		abort();
	snapshot_reader_destroy(reader);
	buffer_free(&file);
	return 0;
}
