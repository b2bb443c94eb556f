#include "daemon/nodes/snapshot_store.h"

#include <assert.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"

enum {
	MAGIC_BYTES = 8,
	TRAILER_BYTES = MAGIC_BYTES + 8 + SNAPSHOT_STORE_DIGEST_BYTES,
	CHUNK_BYTES = 256 * 1024,
	MAX_PARTITIONS = 1000,
	PATH_BYTES = 4096,
};

#define ENDING ".tpl"
#define NEW    "new"

_Static_assert((int)SNAPSHOT_STORE_DIGEST_BYTES == SHA256_DIGEST_SIZE,
	       "SHA-256");

/* The trailer of a snapshot: magic, size in bytes (little-endian), SHA-256. */
static const char magic[MAGIC_BYTES] = "TPLDEPOT";

static const struct snapshot_store_kind snapshot_store_folder;

struct snapshot_folder_path {
	char text[PATH_BYTES];
};

/*
 * Return the path of the file `name` of a partition; if `name` is "", the path
 * of the partition's folder.
 */
static struct snapshot_folder_path
snapshot_folder_file(const struct snapshot_store *depot, unsigned partition,
		     const char *name)
{
	struct snapshot_folder_path path;

	snprintf(path.text, sizeof(path.text), "%.4000s/p%03u%s%.64s",
		 depot->location, partition, *name == '\0' ? "" : "/", name);
	return path;
}

static struct snapshot_folder_path
snapshot_of(const struct snapshot_store *depot, struct snapshot_store_item item)
{
	char name[64];

	snprintf(name, sizeof(name), "%016" PRIu64 ENDING, item.number);
	return snapshot_folder_file(depot, item.partition, name);
}

static enum error snapshot_folder_log_error(const char *path, const char *what)
{
	int code = errno;

	log_error("nodes.snapshot_store %s: %s: %s%s", path, what,
		  strerrordesc_np(code),
		  code == EACCES || code == EPERM
			  ? "; make it writable for the daemon's user"
			  : "");
	if (code == ENOSPC || code == EDQUOT)
		return ERR_STORE_FULL;
	if (code == ENOENT || code == ENOTDIR)
		return ERR_NOT_FOUND;
	return code == EACCES || code == EPERM ? ERR_ADDRESS_FORBIDDEN : ERR_IO;
}

void snapshot_store_list_add(struct snapshot_store_list *list, uint64_t number)
{
	list->numbers = mem_grow(list->numbers, list->count, &list->capacity,
				 sizeof(*list->numbers));
	list->numbers[list->count++] = number;
}

enum error snapshot_store_open(struct snapshot_store **depot_out,
			       const struct snapshot_store_options *options)
{
	struct snapshot_store *depot = mem_alloc(1, sizeof(*depot));
	struct stat facts;
	enum error error = ERR_NONE;
	const char *rest = options->location;

	depot->location =
		mem_copy_text(options->location, strlen(options->location));
	if (strncmp(rest, "s3+", strlen("s3+")) == 0)
		rest += strlen("s3+");
	if (options->location[0] == '/') {
		depot->kind = &snapshot_store_folder;
		/*
		 * do not create it: it may be the mount point of a disk that is
		 * missing
		 */
		errno = ENOTDIR;
		if (stat(depot->location, &facts) != 0 ||
		    !S_ISDIR(facts.st_mode))
			error = snapshot_folder_log_error(depot->location,
							  "cannot be used");
	} else if (strncmp(rest, "http://", strlen("http://")) == 0 ||
		   strncmp(rest, "https://", strlen("https://")) == 0) {
		depot->kind = &snapshot_store_http;
		error = snapshot_store_http_open(depot, options);
	} else {
		log_error("nodes.snapshot_store: must be a folder (/...), "
			  "http://, https://, s3+http:// or s3+https://");
		error = ERR_MALFORMED;
	}
	if (error != ERR_NONE) {
		snapshot_store_close(depot);
		return error;
	}
	*depot_out = depot;
	return ERR_NONE;
}

void snapshot_store_close(struct snapshot_store *depot)
{
	if (depot == NULL)
		return;
	snapshot_store_http_close(depot->server);
	free(depot->location);
	free(depot);
}

const char *snapshot_store_location(const struct snapshot_store *depot)
{
	return depot->location;
}

/* Append bytes to the file and to the checksum. */
static enum error snapshot_body_append(struct snapshot_store_body *body,
				       struct sha256_ctx *context,
				       const char *bytes, size_t size)
{
	sha256_update(context, size, (const uint8_t *)bytes);
	body->size += size;
	while (size > 0) {
		ssize_t count = write(body->file, bytes, size);

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

/* Write all bytes of the reader and the trailer to the file. */
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
	error = depot->kind->begin(depot, item, &body.file);
	if (error != ERR_NONE)
		return error;
	error = snapshot_body_fill(&body, reader, context);
	if (error == ERR_NONE)
		error = depot->kind->commit(depot, item, &body);
	else
		log_error("nodes.snapshot_store %s: cannot write the snapshot "
			  "of partition %u: %s",
			  depot->location, item.partition, error_text(error));
	/* unlink the file before close() releases its lock */
	if (error != ERR_NONE && depot->server == NULL)
		unlink(snapshot_folder_file(depot, item.partition, NEW).text);
	close(body.file);
	return error;
}

/*
 * A snapshot that is being received. Its last bytes are held back, because they
 * may be the trailer.
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

enum error snapshot_store_get(struct snapshot_store *depot,
			      struct snapshot_store_item item,
			      snapshot_store_sink *sink, void *context)
{
	struct snapshot_receiver arrival = {.sink = sink,
					    .sink_context = context};
	char trailer[TRAILER_BYTES];
	enum error error;

	assert(item.partition < MAX_PARTITIONS);
	sha256_init(&arrival.context);
	error = depot->kind->fetch(depot, item, snapshot_receiver_consume,
				   &arrival);
	if (error != ERR_NONE)
		return error;
	make_trailer(trailer, arrival.size, arrival.context);
	if (arrival.last_size == sizeof(trailer) &&
	    memcmp(trailer, arrival.last, sizeof(trailer)) == 0)
		return ERR_NONE;
	log_error("nodes.snapshot_store %s: snapshot %" PRIu64
		  " of partition %u is truncated or damaged; ignoring it",
		  depot->location, item.number, item.partition);
	return ERR_CORRUPT;
}

static int snapshot_store_compare_numbers(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* List the numbers of the snapshots in ascending order. */
static enum error snapshot_store_list(struct snapshot_store *depot,
				      unsigned partition,
				      struct snapshot_store_list *list)
{
	enum error error = depot->kind->list(depot, partition, list);

	if (list->count > 0)
		qsort(list->numbers, list->count, sizeof(*list->numbers),
		      snapshot_store_compare_numbers);
	return error;
}

enum error snapshot_store_latest(struct snapshot_store *depot,
				 unsigned partition, uint64_t below,
				 uint64_t *number_out)
{
	struct snapshot_store_list list = {0};
	enum error error = snapshot_store_list(depot, partition, &list);
	size_t i = list.count;

	while (i > 0 && list.numbers[i - 1] >= below)
		i--;
	if (error == ERR_NONE && i == 0)
		error = ERR_NOT_FOUND;
	if (error == ERR_NONE)
		*number_out = list.numbers[i - 1];
	free(list.numbers);
	return error;
}

enum error snapshot_store_prune(struct snapshot_store *depot,
				unsigned partition, size_t kept)
{
	struct snapshot_store_list list = {0};
	enum error error = snapshot_store_list(depot, partition, &list);

	if (error == ERR_NONE && list.count > kept) {
		list.count -= kept;
		error = depot->kind->drop(depot, partition, &list);
	}
	free(list.numbers);
	return error;
}

/*
 * Snapshots in a folder. A snapshot is written to the file "new" of its
 * partition, which is locked meanwhile. If the writer is killed, the next one
 * overwrites the file.
 */

static enum error snapshot_folder_begin(struct snapshot_store *depot,
					struct snapshot_store_item item,
					int *file_out)
{
	struct snapshot_folder_path folder =
		snapshot_folder_file(depot, item.partition, "");
	struct snapshot_folder_path path =
		snapshot_folder_file(depot, item.partition, NEW);
	struct stat ours;
	struct stat there;
	int file;

	if (mkdir(folder.text, 0700) != 0 && errno != EEXIST)
		return snapshot_folder_log_error(folder.text,
						 "cannot be created");
	file = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0)
		return snapshot_folder_log_error(path.text,
						 "cannot be created");
	/*
	 * another process may have renamed the file before this one locked it
	 */
	if (flock(file, LOCK_EX | LOCK_NB) != 0 || fstat(file, &ours) != 0 ||
	    stat(path.text, &there) != 0 || ours.st_ino != there.st_ino ||
	    ours.st_dev != there.st_dev) {
		log_error("nodes.snapshot_store %s: another process is writing "
			  "it",
			  path.text);
		close(file);
		return ERR_BUSY;
	}
	if (ftruncate(file, 0) != 0) {
		close(file);
		return snapshot_folder_log_error(path.text,
						 "cannot be emptied");
	}
	*file_out = file;
	return ERR_NONE;
}

static enum error sync_folder(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum error error = ERR_NONE;

	if (folder < 0 || fsync(folder) != 0)
		error = snapshot_folder_log_error(path, "cannot be synced");
	if (folder >= 0)
		close(folder);
	return error;
}

static enum error snapshot_folder_commit(struct snapshot_store *depot,
					 struct snapshot_store_item item,
					 const struct snapshot_store_body *body)
{
	struct snapshot_folder_path new =
		snapshot_folder_file(depot, item.partition, NEW);
	struct snapshot_folder_path path = snapshot_of(depot, item);

	if (fsync(body->file) != 0)
		return snapshot_folder_log_error(new.text, "cannot be synced");
	if (rename(new.text, path.text) != 0)
		return snapshot_folder_log_error(path.text,
						 "cannot be renamed");
	/*
	 * sync the folder of the partition and, because that may be new, its
	 * parent
	 */
	path = snapshot_folder_file(depot, item.partition, "");
	if (sync_folder(path.text) != ERR_NONE)
		return ERR_IO;
	return sync_folder(depot->location);
}

static enum error snapshot_folder_fetch(struct snapshot_store *depot,
					struct snapshot_store_item item,
					snapshot_store_sink *sink,
					void *context)
{
	struct snapshot_folder_path path = snapshot_of(depot, item);
	int file = open(path.text, O_RDONLY | O_CLOEXEC);
	enum error error = ERR_NONE;
	char *chunk;

	if (file < 0)
		return snapshot_folder_log_error(path.text, "cannot be read");
	chunk = mem_alloc(1, CHUNK_BYTES);
	while (error == ERR_NONE) {
		ssize_t count = read(file, chunk, CHUNK_BYTES);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			error = snapshot_folder_log_error(path.text,
							  "cannot be read");
		if (count <= 0)
			break;
		error = sink(context, (struct slice){chunk, (size_t)count});
	}
	free(chunk);
	close(file);
	return error;
}

static enum error snapshot_folder_list(struct snapshot_store *depot,
				       unsigned partition,
				       struct snapshot_store_list *list_out)
{
	struct snapshot_folder_path path =
		snapshot_folder_file(depot, partition, "");
	DIR *folder = opendir(path.text);
	const struct dirent *entry;
	uint64_t number;

	if (folder == NULL && errno == ENOENT)
		return ERR_NONE;
	if (folder == NULL)
		return snapshot_folder_log_error(path.text, "cannot be read");
	/* only this thread uses the stream */
	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	while ((entry = readdir(folder)) != NULL) {
		/*
		 * skip files that have other names than, for example,
		 * "0000000012345678.tpl"
		 */
		size_t digits = strspn(entry->d_name, "0123456789");

		errno = 0;
		number = strtoull(entry->d_name, NULL, 10);
		if (digits > 0 && errno == 0 &&
		    strcmp(entry->d_name + digits, ENDING) == 0)
			snapshot_store_list_add(list_out, number);
	}
	closedir(folder);
	return ERR_NONE;
}

static enum error snapshot_folder_drop(struct snapshot_store *depot,
				       unsigned partition,
				       const struct snapshot_store_list *gone)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < gone->count; i++) {
		struct snapshot_folder_path path = snapshot_of(
			depot, (struct snapshot_store_item){partition,
							    gone->numbers[i]});

		if (unlink(path.text) != 0 && errno != ENOENT)
			error = snapshot_folder_log_error(path.text,
							  "cannot be removed");
	}
	return error;
}

static const struct snapshot_store_kind snapshot_store_folder = {
	.begin = snapshot_folder_begin,
	.commit = snapshot_folder_commit,
	.fetch = snapshot_folder_fetch,
	.list = snapshot_folder_list,
	.drop = snapshot_folder_drop,
};
