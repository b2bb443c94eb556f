#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

/*
 * A walk over folders: the files found so far, and the folders still to read.
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

/* Add one entry of a folder. Skip everything except files and folders. */
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
		entry = readdir(dir); /* NOLINT(concurrency-*): not shared */
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
