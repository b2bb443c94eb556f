/*
 * Any bytes are an archive, read in pieces of the size in the first byte. The
 * records do not depend on the split, except for zstd, where the amount of a
 * damaged frame does. All records are bounded, and there are at most as many as
 * (decompressed) bytes, of which each byte gives at most 1,032.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/decode.h"
#include "base/hash.h"
#include "crawl/warc_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_BODY = 1024 };

struct file {
	const uint8_t *data;
	size_t size;
	size_t piece;
};

static enum error give(void *context, char *out, size_t capacity,
		       size_t *size_out)
{
	struct file *file = context;
	size_t size = file->size < capacity ? file->size : capacity;

	size = size < file->piece ? size : file->piece;
	if (size > 0)
		memcpy(out, file->data, size);
	file->data += size;
	file->size -= size;
	*size_out = size;
	return ERR_NONE;
}

static void check(const struct warc_record *record)
{
	if (record->body.size > MAX_BODY ||
	    strnlen(record->url, sizeof(record->url)) > MAX_URL_BYTES ||
	    strnlen(record->redirect, sizeof(record->redirect)) >
		    MAX_URL_BYTES ||
	    strnlen(record->reason, sizeof(record->reason)) ==
		    sizeof(record->reason) ||
	    (record->error != ERR_NONE) != (record->reason[0] != '\0'))
		abort();
}

static uint64_t hash_of(uint64_t hash, const struct warc_record *record)
{
	hash = hash64(record->body.data, record->body.size, hash);
	hash = hash64(record->url, strlen(record->url), hash);
	hash = hash64(record->reason, strlen(record->reason), hash);
	hash = hash_chain(hash, record->offset);
	hash = hash_chain(hash, record->time_ms);
	return hash_chain(hash, (uint64_t)record->kind << 32 |
					(uint64_t)record->http_status << 1 |
					record->is_cut);
}

static uint64_t read_all(struct file file)
{
	size_t max = (file.size + 1) * 1032;
	struct warc_reader *reader = warc_reader_create(give, &file, MAX_BODY);
	struct warc_record *record = malloc(sizeof(*record));
	enum error error;
	uint64_t hash = 0;

	while (warc_next(reader, record, &error)) {
		if (max-- == 0)
			abort();
		check(record);
		hash = hash_of(hash, record);
	}
	hash = hash_chain(hash, (uint64_t)(uint32_t)error);
	if (file.size > 0)
		abort();
	warc_reader_destroy(reader);
	free(record);
	return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (read_all((struct file){data + 1, size - 1, data[0] + 1U}) !=
		    read_all((struct file){data + 1, size - 1, SIZE_MAX}) &&
	    coding_of_bytes((struct slice){data + 1, size - 1}) != CODING_ZSTD)
		abort();
	return 0;
}
