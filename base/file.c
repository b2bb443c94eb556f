#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

enum { CHUNK_BYTES = 64 * 1024 };

/* errno of the last failure in this thread */
static _Thread_local int last_cause;

static enum error error_from_errno(void)
{
	last_cause = errno;
	return errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO;
}

enum error file_fail(void)
{
	last_cause = errno;
	return ERR_IO;
}

const char *file_error_text(enum error error)
{
	return error == ERR_IO && last_cause != 0 ? strerrordesc_np(last_cause)
						  : error_text(error);
}

/*
 * Read at most `max_bytes`. gzread() passes data that are not gzip unchanged,
 * and joins gzip members.
 */
static enum error file_read_gzip(gzFile file, size_t max_bytes,
				 struct buffer *out)
{
	size_t left = max_bytes;
	int rc = Z_OK;

	for (;;) {
		int count = gzread(file, buffer_reserve(out, CHUNK_BYTES),
				   CHUNK_BYTES);

		if (count < 0)
			break;
		if ((size_t)count > left) {
			out->size += left;
			return ERR_TOO_LARGE;
		}
		if (count == 0)
			break;
		out->size += (size_t)count;
		left -= (size_t)count;
	}
	gzerror(file, &rc);
	if (rc == Z_OK || rc == Z_STREAM_END)
		return ERR_NONE;
	return rc == Z_ERRNO ? file_fail() : ERR_CORRUPT;
}

static enum error file_read_path(const char *path, size_t max_bytes,
				 struct buffer *out)
{
	bool is_stdin = strcmp(path, "-") == 0;
	int fd =
		is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
	enum error error;
	gzFile file;

	if (fd < 0)
		return error_from_errno();
	file = gzdopen(fd, "rb");
	if (file == NULL) {
		last_cause = ENOMEM;
		close(fd);
		return ERR_IO;
	}
	error = file_read_gzip(file, max_bytes, out);
	gzclose_r(file);
	return error;
}

/* Return the unused part of the reserved bytes. */
static void buffer_return_unused(struct buffer *out, size_t size)
{
	out->size = size;
	if (out->data != NULL)
		out->data[size] = '\0';
}

enum error file_read(const char *path, size_t max_bytes, struct buffer *out)
{
	size_t before = out->size;
	enum error error = file_read_path(path, max_bytes, out);

	buffer_return_unused(out, error == ERR_NONE ? out->size : before);
	return error;
}

enum error file_read_start(const char *path, size_t max_bytes,
			   struct buffer *out)
{
	size_t before = out->size;
	enum error error = file_read_path(path, max_bytes, out);

	if (error == ERR_TOO_LARGE)
		error = ERR_NONE;
	buffer_return_unused(out, error == ERR_NONE ? out->size : before);
	return error;
}

/*
 * Create the parent folders of `path`; the string changes meanwhile and is
 * restored.
 */
static enum error file_make_folders(char *path)
{
	for (char *c = path + 1; *c != '\0'; c++) {
		int rc;

		if (*c != '/')
			continue;
		*c = '\0';
		rc = mkdir(path, 0777);
		*c = '/';
		if (rc != 0 && errno != EEXIST)
			return file_fail();
	}
	return ERR_NONE;
}

static enum error file_write_all(int fd, struct slice bytes)
{
	const char *next = bytes.data;
	size_t left = bytes.size;

	while (left > 0) {
		ssize_t done = write(fd, next, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return file_fail();
		next += done;
		left -= (size_t)done;
	}
	return ERR_NONE;
}

enum error file_write(const char *path, struct slice bytes)
{
	char *copy;
	enum error error;
	int fd;

	if (path[0] == '\0') {
		errno = ENOENT;
		return file_fail();
	}
	copy = mem_copy_text(path, strlen(path));
	error = file_make_folders(copy);
	free(copy);
	if (error != ERR_NONE)
		return error;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return file_fail();
	error = file_write_all(fd, bytes);
	if (close(fd) != 0 && error == ERR_NONE)
		error = file_fail();
	return error;
}

/*
 * Return whether `path` is not a regular file (/dev/null, for example), which a
 * file must not replace.
 */
static bool is_other(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

enum error file_replace(const char *path, struct slice bytes)
{
	struct buffer part = {0};
	enum error error;

	if (is_other(path))
		return file_write(path, bytes);
	buffer_printf(&part, "%s.%ld.part", path, (long)getpid());
	error = file_write(part.data, bytes);
	if (error == ERR_NONE && rename(part.data, path) != 0)
		error = file_fail();
	if (error != ERR_NONE)
		unlink(part.data);
	buffer_free(&part);
	return error;
}
