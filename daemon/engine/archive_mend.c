#include "daemon/engine/archive_mend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/decode.h"
#include "base/log.h"
#include "base/memory.h"

enum { CHUNK_BYTES = 256 * 1024 };

#define ARCHIVE_BEGIN "templated-"

bool archive_complete(const char *path)
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
 * Decompress the bytes, which begin at position `at` of the file; *end_out is
 * the end of the last complete member. Return false if the data is damaged.
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

/* Return the end of the last complete member of the file. */
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
 * Truncate the file, and complete or remove it; false, with errno, on failure.
 */
static bool archive_repair_file(int file, const char *path, uint64_t *end_out)
{
	*end_out = archive_find_end(file);
	if (*end_out == 0)
		return unlink(path) == 0;
	return ftruncate(file, (off_t)*end_out) == 0 && archive_complete(path);
}

/* Repair a file, unless another daemon writes to it and has locked it. */
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

void archive_repair(const char *folder)
{
	DIR *list = opendir(folder);
	const struct dirent *entry;

	if (list == NULL)
		return;
	/*
	 * only one thread reads the list. NOLINTNEXTLINE(concurrency-mt-unsafe)
	 */
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
