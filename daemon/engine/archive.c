#include "daemon/engine/archive.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/decode.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "crawl/http_message.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/lock.h"

/* Functions that repair archives that an earlier daemon left unfinished. */

#define ARCHIVE_OPEN ".open"

enum { CHUNK_BYTES = 256 * 1024 };

#define ARCHIVE_BEGIN "templated-"

/*
 * Rename the file: remove ARCHIVE_OPEN from its name. Return false, with errno
 * set, on failure.
 */
static bool archive_complete(const char *path)
{
	char *name = mem_copy_text(path, strlen(path) - strlen(ARCHIVE_OPEN));
	bool is_done = false;

	if (access(name, F_OK) == 0)
		errno = EEXIST;
	else
		is_done = rename(path, name) == 0;
	free(name);
	return is_done;
}

/*
 * Decompress `bytes`, which begin at offset `at` of the file, and set *end_out
 * to the offset after the last complete gzip member. Return false if the data
 * is damaged.
 */
static bool archive_find_member_end(struct decoder *decoder, struct slice bytes,
				    uint64_t at, uint64_t *end_out)
{
	char *out = mem_alloc(CHUNK_BYTES, 1);
	uint64_t end = at + bytes.size;
	enum error error = ERR_NONE;
	size_t size = 1;

	while (error == ERR_NONE && (bytes.size > 0 || size > 0)) {
		if (decoder_is_at_end(decoder))
			decoder_reset(decoder);
		error = decoder_run(decoder, &bytes, out, CHUNK_BYTES, &size);
		if (decoder_is_at_end(decoder)) {
			*end_out = end - bytes.size;
			size = 0;
		}
	}
	free(out);
	return error == ERR_NONE;
}

/*
 * Return the offset after the last complete gzip member of the file; 0 if it
 * has no complete member.
 */
static uint64_t archive_find_end(int file)
{
	struct decoder *decoder = decoder_create(CODING_GZIP);
	char *bytes = mem_alloc(CHUNK_BYTES, 1);
	uint64_t at = 0;
	uint64_t end = 0;

	for (;;) {
		ssize_t size = read(file, bytes, CHUNK_BYTES);

		if (size < 0 && errno == EINTR)
			continue;
		if (size <= 0 ||
		    !archive_find_member_end(
			    decoder, (struct slice){bytes, (size_t)size}, at,
			    &end))
			break;
		at += (uint64_t)size;
	}
	decoder_destroy(decoder);
	free(bytes);
	return end;
}

/*
 * Truncate the file after its last complete gzip member and complete it. Delete
 * it if it has no complete member. Return false, with errno set, on failure.
 */
static bool archive_repair_file(int file, const char *path, uint64_t *end_out)
{
	*end_out = archive_find_end(file);
	if (*end_out == 0)
		return unlink(path) == 0;
	return ftruncate(file, (off_t)*end_out) == 0 && archive_complete(path);
}

/*
 * Repair the file, unless another daemon has locked it in order to write to it.
 */
static void try_file(const char *path)
{
	int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	uint64_t end = 0;

	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0) {
		log_warn("crawl.warc_dir: %s: another process is writing to it",
			 path);
	} else if (file >= 0 && archive_repair_file(file, path, &end)) {
		log_info("crawl.warc_dir: %s: was not closed; keeping its %llu "
			 "bytes of complete records",
			 path, (unsigned long long)end);
	} else {
		log_warn("crawl.warc_dir: %s: was not closed, and repairing it "
			 "failed: %s",
			 path, strerrordesc_np(errno));
	}
	if (file >= 0)
		close(file);
}

static bool archive_name_is_unfinished(const char *name)
{
	size_t size = strlen(name);

	return strncmp(name, ARCHIVE_BEGIN, strlen(ARCHIVE_BEGIN)) == 0 &&
	       size > strlen(ARCHIVE_OPEN) &&
	       strcmp(name + size - strlen(ARCHIVE_OPEN), ARCHIVE_OPEN) == 0;
}

/*
 * Truncate each unfinished archive in the folder after its last complete gzip
 * member, and complete it. Delete archives that have no complete member. Log
 * each repair.
 */
static void archive_repair(const char *folder)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;

	if (list == NULL)
		return;
	/* no other thread uses `list` */
	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	while ((entry = readdir(list)) != NULL) {
		struct buffer path = {0};

		if (!archive_name_is_unfinished(entry->d_name))
			continue;
		buffer_printf(&path, "%s/%s", folder, entry->d_name);
		try_file(path.data);
		buffer_free(&path);
	}
	closedir(list);
}

enum {
	/* after a write error, wait for this time before the next attempt */
	RETRY_MS = 60000,
	STAMP_BYTES = 32,
	NOT_MODIFIED = 304,
	MAX_NUMBER = 100000, /* more files than can be written in one second */
};

struct archive {
	char *folder;
	uint64_t max_bytes;
	const char *software;
	const char *robots;
	struct lock lock; /* guards the fields below */
	/* descriptor of the open file; -1 = no file is open */
	int file;
	char *path; /* path of the open file, with ".open" */
	/* size of the open file, which has only complete records */
	uint64_t size;
	unsigned number; /* number for the name of the next file */
	/* monotonic time of the next attempt after an error; 0 = no error */
	uint64_t retry_ms;
	struct buffer record;
};

static void make_identity(uint64_t *identity)
{
	/* getrandom() blocks only until the system has gathered entropy */
	while (getrandom(identity, 2 * sizeof(*identity), 0) < 0 &&
	       errno == EINTR)
		;
}

/*
 * Log the error, unless archiving is paused already, and do not write again
 * before RETRY_MS have passed.
 */
static void pause_archive(struct archive *archive, const char *what)
{
	if (archive->retry_ms == 0)
		log_error("crawl.warc_dir: %s: %s: %s; archiving is paused "
			  "until writing works again",
			  archive->folder, what, strerrordesc_np(errno));
	archive->retry_ms = clock_steady_ms() + RETRY_MS;
}

/* Set archive->path to a name that no complete or open file has. */
static void make_path(struct archive *archive)
{
	time_t now = (time_t)(clock_wall_ms() / 1000U);
	struct buffer path = {0};
	char stamp[STAMP_BYTES];
	struct tm tm = {0};
	bool is_taken;

	gmtime_r(&now, &tm);
	strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm);
	do {
		buffer_clear(&path);
		buffer_printf(&path, "%s/templated-%s-%05u.warc.gz",
			      archive->folder, stamp,
			      archive->number++ % MAX_NUMBER);
		is_taken = access(path.data, F_OK) == 0;
		buffer_append_text(&path, ARCHIVE_OPEN);
	} while (is_taken || access(path.data, F_OK) == 0);
	free(archive->path);
	archive->path = path.data;
}

/*
 * Append archive->record to the file. If only a part was written, remove this
 * part again.
 */
static bool archive_write_record(struct archive *archive)
{
	if (file_write_all(archive->file, buffer_slice(&archive->record)) !=
	    ERR_NONE) {
		pause_archive(archive, "writing failed");
		if (ftruncate(archive->file, (off_t)archive->size) != 0)
			log_error("%s: cannot truncate it: %s", archive->path,
				  strerrordesc_np(errno));
		return false;
	}
	archive->size += archive->record.size;
	if (archive->retry_ms != 0)
		log_info("crawl.warc_dir: %s: archiving continues",
			 archive->folder);
	archive->retry_ms = 0;
	return true;
}

/* Complete the open file, if any. */
static void archive_end_file(struct archive *archive)
{
	bool is_written;

	if (archive->file < 0)
		return;
	is_written = fsync(archive->file) == 0;
	is_written &= close(archive->file) == 0;
	if (!is_written)
		pause_archive(archive, "writing failed");
	archive->file = -1;
	if (!archive_complete(archive->path))
		pause_archive(archive, "renaming a file failed");
}

/*
 * Write the first record of a file, which describes the file, to
 * archive->record.
 */
static void make_info(struct archive *archive)
{
	const char *name = strrchr(archive->path, '/') + 1;
	struct warc_info info = {
		.file = {name, strlen(name) - strlen(ARCHIVE_OPEN)},
		.software = slice_of(archive->software),
		.robots = archive->robots,
		.time_ms = clock_wall_ms(),
	};

	make_identity(info.identity);
	buffer_clear(&archive->record);
	warc_write_info(&info, &archive->record);
}

static bool archive_begin_file(struct archive *archive)
{
	make_path(archive);
	archive->file =
		open(archive->path,
		     O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (archive->file < 0) {
		pause_archive(archive, "creating a file failed");
		return false;
	}
	archive->size = 0;
	flock(archive->file, LOCK_EX | LOCK_NB); /* prevents archive_repair()
						    from changing the file */
	make_info(archive);
	if (archive_write_record(archive))
		return true;
	close(archive->file);
	archive->file = -1;
	unlink(archive->path);
	return false;
}

enum error archive_check(const char *folder)
{
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		log_error("crawl.warc_dir: %s: cannot create the folder: %s",
			  folder, strerrordesc_np(errno));
		return ERR_IO;
	}
	if (access(folder, W_OK | X_OK) != 0) {
		log_error("crawl.warc_dir: %s: cannot write to it: %s", folder,
			  strerrordesc_np(errno));
		return ERR_IO;
	}
	return ERR_NONE;
}

enum error archive_open(struct archive **out, const char *folder,
			uint64_t max_bytes, const char *software,
			const char *robots)
{
	struct archive *archive;
	enum error error = archive_check(folder);

	if (error != ERR_NONE)
		return error;
	archive_repair(folder);
	archive = mem_alloc(1, sizeof(*archive));
	archive->folder = mem_copy_text(folder, strlen(folder));
	archive->max_bytes = max_bytes;
	archive->software = software;
	archive->robots = robots;
	archive->file = -1;
	lock_init(&archive->lock, LOCK_ARCHIVE);
	*out = archive;
	return ERR_NONE;
}

/* Write the exchange to the archive. The caller holds the lock. */
static bool write_exchange(struct archive *archive,
			   const struct warc_exchange *exchange)
{
	struct warc_exchange named = *exchange;

	assert(lock_is_held(&archive->lock));
	if (archive->retry_ms > clock_steady_ms())
		return false;
	if (archive->size >= archive->max_bytes)
		archive_end_file(archive);
	if (archive->file < 0 && !archive_begin_file(archive))
		return false;
	warc_visit_identity(named.url, named.time_ms, named.identity);
	buffer_clear(&archive->record);
	warc_write_exchange(&named, &archive->record);
	return archive_write_record(archive);
}

bool archive_write(struct archive *archive,
		   const struct warc_exchange *exchange)
{
	bool is_written;

	if (archive == NULL)
		return false;
	lock_acquire(&archive->lock);
	is_written = write_exchange(archive, exchange);
	lock_release(&archive->lock);
	return is_written;
}

/*
 * Return whether the header line is a credential. `own_headers` are the ones of
 * the site, or NULL.
 */
static bool is_secret(struct slice line, const char *own_headers)
{
	const struct slice name = header_name(line);

	if (name.size == 0)
		return false;
	return header_is_word(name, "Authorization") ||
	       header_is_word(name, "Proxy-Authorization") ||
	       header_is_word(name, "Cookie") ||
	       header_is_word(name, "Set-Cookie") ||
	       (own_headers != NULL &&
		header_lines_have(slice_of(own_headers), name));
}

/* Append the head of a message without the headers with credentials. */
static void append_public(struct slice head, const char *own_headers,
			  struct buffer *out)
{
	bool is_hidden = false;

	while (head.size > 0) {
		struct slice whole = head;
		const struct slice line = line_take(&head);
		const char first = slice_byte(line, 0);

		whole.size -= head.size;
		/* a folded line belongs to the one before */
		if (first != ' ' && first != '\t')
			is_hidden = is_secret(line, own_headers);
		if (!is_hidden)
			buffer_append_slice(out, whole);
	}
}

uint64_t archive_fetch(struct archive *archive,
		       const struct archived_fetch *fetch)
{
	const struct fetch_result *result = fetch->result;
	struct buffer request = {0};
	struct buffer head = {0};
	bool is_written;
	struct warc_exchange exchange = {
		.url = slice_of(fetch->url->text),
		.address = slice_of(result->address),
		.request = buffer_slice(&result->request),
		.headers = buffer_slice(&result->head),
		.body = buffer_slice(&result->body),
		.is_cut = result->is_cut,
		.cut_reason = result->is_broken ? "disconnect" : "length",
		.is_revisit = result->http_status == NOT_MODIFIED,
		.time_ms = clock_wall_ms() - result->elapsed_us / 1000,
	};

	/* a response whose body was not stored cannot be archived */
	if (archive == NULL || result->head.size == 0 ||
	    result->error != ERR_NONE)
		return 0;
	if (!fetch->keeps_credentials) {
		append_public(exchange.request, fetch->own_headers, &request);
		append_public(exchange.headers, NULL, &head);
		exchange.request = buffer_slice(&request);
		exchange.headers = buffer_slice(&head);
	}
	/* the daemon stores only bodies of successful responses */
	if (!exchange.is_revisit &&
	    (result->http_status < 200 || result->http_status >= 300)) {
		exchange.is_cut = true;
		exchange.cut_reason = "unspecified";
	}
	is_written = archive_write(archive, &exchange);
	buffer_free(&request);
	buffer_free(&head);
	return is_written ? exchange.time_ms : 0;
}

void archive_close(struct archive *archive)
{
	if (archive == NULL)
		return;
	archive_end_file(archive);
	lock_destroy(&archive->lock);
	buffer_free(&archive->record);
	free(archive->folder);
	free(archive->path);
	free(archive);
}
