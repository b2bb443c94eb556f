#include "daemon/nodes/depot.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/depot_kind.h"

enum {
	MAGIC_BYTES = 8,
	TRAILER_BYTES = MAGIC_BYTES + 8 + SNAPSHOT_STORE_DIGEST_BYTES,
	CHUNK_BYTES = 256 * 1024,
	MAX_PARTITIONS = 1000,
};

_Static_assert((int)SNAPSHOT_STORE_DIGEST_BYTES == SHA256_DIGEST_SIZE,
	       "SHA-256");

/* The trailer of a snapshot: magic, size in bytes (little-endian), SHA-256. */
static const char magic[MAGIC_BYTES] = "TPLDEPOT";

struct snapshot_store {
	const struct snapshot_store_ops *kind;
	void *place;
	char *location;
};

void snapshot_store_list_add(struct snapshot_store_list *list, uint64_t number)
{
	size_t at = list->count;

	while (at > 0 && list->numbers[at - 1] > number)
		at--;
	if (list->count < SNAPSHOT_STORE_MAX_ITEMS) {
		memmove(&list->numbers[at + 1], &list->numbers[at],
			(list->count - at) * sizeof(list->numbers[0]));
		list->count++;
	} else if (at == 0) {
		return;
	} else {
		at--;
		memmove(&list->numbers[0], &list->numbers[1],
			at * sizeof(list->numbers[0]));
	}
	list->numbers[at] = number;
}

static const struct snapshot_store_ops *
snapshot_store_find_kind(const char *location)
{
	static const char *const schemes[] = {"http://", "https://",
					      "s3+http://", "s3+https://"};

	if (location[0] == '/')
		return &depot_folder_kind;
	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (strncmp(location, schemes[i], strlen(schemes[i])) == 0)
			return &depot_http_kind;
	return NULL;
}

enum error snapshot_store_open(struct snapshot_store **depot_out,
			       const struct snapshot_store_options *options)
{
	const struct snapshot_store_ops *kind =
		snapshot_store_find_kind(options->location);
	struct snapshot_store *depot;
	enum error error;
	void *place = NULL;

	if (kind == NULL) {
		log_error("nodes.snapshot_store: must be a folder (/...), "
			  "http://, https://, s3+http:// or s3+https://");
		return ERR_MALFORMED;
	}
	if (kind == &depot_folder_kind)
		error = snapshot_store_folder_open(&place, options);
	else
		error = snapshot_store_http_open(&place, options);
	if (error != ERR_NONE)
		return error;
	depot = mem_alloc(1, sizeof(*depot));
	depot->kind = kind;
	depot->place = place;
	depot->location =
		mem_copy_text(options->location, strlen(options->location));
	*depot_out = depot;
	return ERR_NONE;
}

void snapshot_store_close(struct snapshot_store *depot)
{
	if (depot == NULL)
		return;
	depot->kind->close(depot->place);
	free(depot->location);
	free(depot);
}

const char *snapshot_store_location(const struct snapshot_store *depot)
{
	return depot->location;
}

static enum error snapshot_store_write_all(int file, const char *bytes,
					   size_t size)
{
	while (size > 0) {
		ssize_t count = write(file, bytes, size);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return errno == ENOSPC || errno == EDQUOT
				       ? ERR_STORE_FULL
				       : ERR_IO;
		bytes += count;
		size -= (size_t)count;
	}
	return ERR_NONE;
}

static void make_trailer(char out[TRAILER_BYTES], uint64_t size,
			 struct sha256_ctx context)
{
	uint64_t little = htole64(size);

	memcpy(out, magic, MAGIC_BYTES);
	memcpy(out + MAGIC_BYTES, &little, sizeof(little));
	sha256_digest(&context, SNAPSHOT_STORE_DIGEST_BYTES,
		      (uint8_t *)out + MAGIC_BYTES + sizeof(little));
}

/* Append bytes to the file and to the checksum. */
static enum error snapshot_body_append(struct snapshot_store_body *body,
				       struct sha256_ctx *context,
				       const char *bytes, size_t size)
{
	sha256_update(context, size, (const uint8_t *)bytes);
	body->size += size;
	return snapshot_store_write_all(body->file, bytes, size);
}

/* Write all bytes of the reader, and the trailer. */
static enum error snapshot_body_fill(struct snapshot_store_body *body,
				     snapshot_store_reader *reader,
				     void *reader_context)
{
	char *chunk = mem_alloc(1, CHUNK_BYTES);
	char trailer[TRAILER_BYTES];
	struct sha256_ctx context;
	enum error error;
	size_t size;

	sha256_init(&context);
	for (;;) {
		error = reader(reader_context, chunk, CHUNK_BYTES, &size);
		if (error != ERR_NONE || size == 0)
			break;
		error = snapshot_body_append(body, &context, chunk, size);
		if (error != ERR_NONE)
			break;
	}
	free(chunk);
	if (error != ERR_NONE)
		return error;
	make_trailer(trailer, body->size, context);
	error = snapshot_body_append(body, &context, trailer, sizeof(trailer));
	sha256_digest(&context, sizeof(body->sha256), body->sha256);
	return error;
}

enum error snapshot_store_put(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_reader *reader, void *context)
{
	struct snapshot_store_body body = {.file = -1};
	enum error error;

	assert(item.partition < MAX_PARTITIONS);
	error = depot->kind->begin(depot->place, item, &body.file);
	if (error != ERR_NONE)
		return error;
	error = snapshot_body_fill(&body, reader, context);
	if (error == ERR_NONE)
		error = depot->kind->commit(depot->place, item, &body);
	else
		log_error("nodes.snapshot_store %s: cannot write the snapshot "
			  "of partition %u: %s",
			  depot->location, item.partition, error_text(error));
	if (error != ERR_NONE)
		depot->kind->abandon(depot->place, item);
	close(body.file);
	return error;
}

/*
 * A snapshot that is received. The last bytes are held back: they may be the
 * trailer.
 */
struct snapshot_receiver {
	struct sha256_ctx context;
	uint64_t size; /* bytes passed to the sink */
	char last[TRAILER_BYTES];
	size_t last_size;
	snapshot_store_sink *sink;
	void *sink_context;
};

static enum error snapshot_receiver_pass(struct snapshot_receiver *arrival,
					 const char *bytes, size_t size)
{
	if (size == 0)
		return ERR_NONE;
	sha256_update(&arrival->context, size, (const uint8_t *)bytes);
	arrival->size += size;
	return arrival->sink(arrival->sink_context,
			     (struct slice){bytes, size});
}

static enum error snapshot_receiver_consume(void *context, struct slice bytes)
{
	struct snapshot_receiver *arrival = context;
	size_t all = arrival->last_size + bytes.size;
	size_t spare = all > TRAILER_BYTES ? all - TRAILER_BYTES : 0;
	size_t old = spare < arrival->last_size ? spare : arrival->last_size;
	size_t fresh = spare - old;
	enum error error = snapshot_receiver_pass(arrival, arrival->last, old);

	if (error == ERR_NONE)
		error = snapshot_receiver_pass(arrival, bytes.data, fresh);
	arrival->last_size -= old;
	memmove(arrival->last, arrival->last + old, arrival->last_size);
	memcpy(arrival->last + arrival->last_size,
	       (const char *)bytes.data + fresh, bytes.size - fresh);
	arrival->last_size += bytes.size - fresh;
	return error;
}

static bool
snapshot_receiver_is_complete(const struct snapshot_receiver *arrival)
{
	char trailer[TRAILER_BYTES];

	make_trailer(trailer, arrival->size, arrival->context);
	return arrival->last_size == sizeof(trailer) &&
	       memcmp(trailer, arrival->last, sizeof(trailer)) == 0;
}

enum error snapshot_store_get(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_sink *sink, void *context)
{
	struct snapshot_receiver arrival = {.sink = sink,
					    .sink_context = context};
	enum error error;

	assert(item.partition < MAX_PARTITIONS);
	sha256_init(&arrival.context);
	error = depot->kind->fetch(depot->place, item,
				   snapshot_receiver_consume, &arrival);
	if (error != ERR_NONE || snapshot_receiver_is_complete(&arrival))
		return error;
	log_error("nodes.snapshot_store %s: snapshot %" PRIu64
		  " of partition %u is truncated or damaged; ignoring it",
		  depot->location, item.number, item.partition);
	return ERR_CORRUPT;
}

enum error snapshot_store_latest(struct snapshot_store *depot,
				 unsigned partition, uint64_t below,
				 uint64_t *number_out)
{
	struct snapshot_store_list list = {0};
	enum error error = depot->kind->list(depot->place, partition, &list);

	if (error != ERR_NONE)
		return error;
	while (list.count > 0) {
		*number_out = list.numbers[--list.count];
		if (*number_out < below)
			return ERR_NONE;
	}
	return ERR_NOT_FOUND;
}

enum error snapshot_store_prune(struct snapshot_store *depot,
				unsigned partition, size_t kept)
{
	struct snapshot_store_list list = {0};
	enum error error = depot->kind->list(depot->place, partition, &list);

	if (error != ERR_NONE || list.count <= kept)
		return error;
	list.count -= kept;
	return depot->kind->drop(depot->place, partition, &list);
}
