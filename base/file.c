#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory.h"

/* Wheels are built with glibc 2.31: its strerror() returns constants, too. */
#if defined(__GLIBC__) && !__GLIBC_PREREQ(2, 32)
#define strerrordesc_np strerror
#endif

enum { CHUNK_BYTES = 64 * 1024 };

/* errno of the last failed call in this thread */
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
 * Read at most `max_bytes` bytes. gzread() also reads files that are not gzip,
 * and joins several gzip members.
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

/*
 * Set the size of the buffer to `size`, because fewer bytes were read than
 * reserved.
 */
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
 * Create the parent folders of `path`. The function changes the string
 * temporarily, and restores it.
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

enum error file_write_all(int fd, struct slice bytes)
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
 * Return whether `path` exists and is not a regular file (for example
 * /dev/null). Such a file must not be replaced.
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

/*
 * State of file_list(): the files found so far, and the folders still to read.
 */
struct file_list_walk {
	const char *const *endings;
	struct file_list files;
	size_t file_capacity;
	struct file_list folders; /* a stack */
	size_t folder_capacity;
};

static void file_list_push(struct file_list *list, size_t *capacity, char *path)
{
	list->paths = mem_grow(list->paths, list->count, capacity,
			       sizeof(*list->paths));
	list->paths[list->count++] = path;
}

static bool has_ending(const char *name, const char *const *endings)
{
	size_t length = strlen(name);

	for (; *endings != NULL; endings++) {
		size_t size = strlen(*endings);

		if (size <= length &&
		    memcmp(name + length - size, *endings, size) == 0)
			return true;
	}
	return false;
}

/* Return `folder`/`name`, or only `name` if `folder` is empty. */
static char *file_join_path(const char *folder, const char *name)
{
	struct buffer path = {0};

	buffer_append_text(&path, folder);
	if (path.size > 0)
		buffer_append_byte(&path, '/');
	buffer_append_text(&path, name);
	return path.data;
}

/*
 * Add the entry `name` of a folder to walk->files or walk->folders. Skip an
 * entry that is neither a file nor a folder.
 */
static enum error file_list_visit(struct file_list_walk *walk, int fd,
				  const char *folder, const char *name)
{
	struct stat stat;

	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return ERR_NONE;
	if (fstatat(fd, name, &stat, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? ERR_NONE : file_fail();
	if (S_ISDIR(stat.st_mode)) {
		file_list_push(&walk->folders, &walk->folder_capacity,
			       file_join_path(folder, name));
		return ERR_NONE;
	}
	if (!has_ending(name, walk->endings))
		return ERR_NONE;
	if (S_ISLNK(stat.st_mode) && fstatat(fd, name, &stat, 0) != 0)
		return ERR_NONE; /* a dangling symbolic link */
	if (S_ISREG(stat.st_mode))
		file_list_push(&walk->files, &walk->file_capacity,
			       file_join_path(folder, name));
	return ERR_NONE;
}

static enum error read_folder(struct file_list_walk *walk, int root,
			      const char *folder)
{
	int fd = openat(root, folder[0] == '\0' ? "." : folder,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	enum error error = ERR_NONE;
	struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			close(fd);
		return file_fail();
	}
	do {
		errno = 0;
		entry = readdir(dir); /* NOLINT(concurrency-*): one thread */
		if (entry != NULL)
			error = file_list_visit(walk, fd, folder,
						entry->d_name);
		else if (errno != 0)
			error = file_fail();
	} while (entry != NULL && error == ERR_NONE);
	closedir(dir);
	return error;
}

static int file_list_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

enum error file_list(const char *folder, const char *const *endings,
		     struct file_list *list_out)
{
	struct file_list_walk walk = {.endings = endings};
	int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum error error = ERR_NONE;

	if (root < 0)
		return errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND
							   : file_fail();
	file_list_push(&walk.folders, &walk.folder_capacity,
		       file_join_path("", ""));
	while (error == ERR_NONE && walk.folders.count > 0) {
		char *next = walk.folders.paths[--walk.folders.count];

		error = read_folder(&walk, root, next);
		free(next);
	}
	close(root);
	file_list_free(&walk.folders);
	if (error != ERR_NONE) {
		file_list_free(&walk.files);
		return error;
	}
	if (walk.files.count > 1)
		qsort(walk.files.paths, walk.files.count,
		      sizeof(*walk.files.paths), file_list_compare);
	*list_out = walk.files;
	return ERR_NONE;
}

void file_list_free(struct file_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct file_list){0};
}
