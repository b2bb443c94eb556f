/*
 * base/file.h - reads and writes whole files, plain or gzip-compressed, and
 * lists the files of folders.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/buffer.h"
#include "base/error.h"

/*
 * Append the bytes of the file to `out`, and decompress them if they are gzip.
 * The path "-" means standard input. ERR_NOT_FOUND, ERR_IO, ERR_TOO_LARGE (over
 * `max_bytes` after decompression), ERR_CORRUPT (broken gzip).
 */
enum error file_read(const char *path, size_t max_bytes, struct buffer *out);

/*
 * Read a file as file_read() does, but read only the first `max_bytes` bytes of
 * a larger one.
 */
enum error file_read_start(const char *path, size_t max_bytes,
			   struct buffer *out);

/* Write all bytes to a descriptor. ERR_IO. */
enum error file_write_all(int fd, struct slice bytes);

/* Write the file at `path` and create its parent folders. ERR_IO. */
enum error file_write(const char *path, struct slice bytes);

/*
 * Write the file atomically: at any time `path` refers to the complete old file
 * or to the complete new one. ERR_IO.
 */
enum error file_replace(const char *path, struct slice bytes);

/*
 * Return the reason of `error` from the last failed call in this thread: for
 * ERR_IO the text of errno, otherwise error_text(). Static memory.
 */
const char *file_error_text(enum error error);

/* Store errno for file_error_text(), and return ERR_IO. */
enum error file_fail(void);

/* Paths of files, relative to a folder and sorted. */
struct file_list {
	char **paths;
	size_t count;
};

/*
 * List all regular files below `folder` whose names end in one of `endings` (a
 * NULL-terminated array), sorted by the bytes of their relative paths. Do not
 * follow symbolic links to folders. ERR_NOT_FOUND, ERR_IO. Free the list with
 * file_list_free().
 */
enum error file_list(const char *folder, const char *const *endings,
		     struct file_list *list_out);
void file_list_free(struct file_list *list);

#endif
