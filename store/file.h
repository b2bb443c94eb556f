/* store/file.h - whole files, plain or gzip-compressed, and folders of them. */
#ifndef STORE_FILE_H
#define STORE_FILE_H

#include <stddef.h>

#include "store/buffer.h"
#include "store/error.h"

/*
 * Append the bytes of the file to `out`, unpacked when they are gzip; "-" is
 * standard input. ERR_NOT_FOUND, ERR_IO, ERR_TOO_LARGE (over `max_bytes`
 * unpacked), ERR_CORRUPT (broken gzip).
 */
enum error file_read(const char *path, size_t max_bytes, struct buffer *out);

/* The same, but of a larger file only the first `max_bytes` are read. */
enum error file_read_start(const char *path, size_t max_bytes,
			   struct buffer *out);

/* Write the file at `path`, making the folders above it. ERR_IO. */
enum error file_write(const char *path, struct slice bytes);

/* The same, atomically: at any instant the file is the new or the old one. */
enum error file_replace(const char *path, struct slice bytes);

/* Why one of the above failed in this thread, the last time: for ERR_IO what
 * the system said, else error_text(). Static memory. */
const char *file_error_text(enum error error);

/* Note errno for that; returns ERR_IO. */
enum error file_fail(void);

/* Sorted relative paths of files. */
struct file_list {
	char **paths;
	size_t count;
};

/*
 * All regular files below `folder` whose name ends in one of `endings` (a
 * NULL-ended array), by byte order of their relative paths. Symbolic links to
 * folders are not followed. ERR_NOT_FOUND, ERR_IO. End with file_list_free().
 */
enum error file_list(const char *folder, const char *const *endings,
		     struct file_list *list_out);
void file_list_free(struct file_list *list);

#endif
