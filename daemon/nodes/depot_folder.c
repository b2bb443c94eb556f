/*
 * Snapshots in a folder. A snapshot is written to the file "new" of its
 * partition, which is locked meanwhile. The next writer overwrites the file of
 * a killed process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "daemon/nodes/depot_kind.h"

enum { PATH_BYTES = 4096, FOLDER_CHUNK_BYTES = 256 * 1024, MAX_DIGITS = 20 };

#define ENDING ".tpl"
#define NEW    "new"

struct snapshot_folder_path {
	char text[PATH_BYTES];
};

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

static struct snapshot_folder_path snapshot_folder_of(const char *root,
						      unsigned partition)
{
	struct snapshot_folder_path path;

	snprintf(path.text, sizeof(path.text), "%.4000s/p%03u", root,
		 partition);
	return path;
}

static struct snapshot_folder_path
snapshot_folder_file(const char *root, unsigned partition, const char *name)
{
	struct snapshot_folder_path path;

	snprintf(path.text, sizeof(path.text), "%.4000s/p%03u/%.64s", root,
		 partition, name);
	return path;
}

static struct snapshot_folder_path snapshot_of(const char *root,
					       struct snapshot_store_item item)
{
	char name[SNAPSHOT_STORE_NAME_BYTES];

	snprintf(name, sizeof(name), "%016" PRIu64 ENDING, item.number);
	return snapshot_folder_file(root, item.partition, name);
}

enum error
snapshot_store_folder_open(void **place_out,
			   const struct snapshot_store_options *options)
{
	struct stat facts;

	/*
	 * do not create the folder: it may be the mount point of a missing disk
	 */
	if (stat(options->location, &facts) != 0)
		return snapshot_folder_log_error(options->location,
						 "cannot be used");
	if (!S_ISDIR(facts.st_mode)) {
		errno = ENOTDIR;
		return snapshot_folder_log_error(options->location,
						 "cannot be used");
	}
	*place_out =
		mem_copy_text(options->location, strlen(options->location));
	return ERR_NONE;
}

/*
 * Return whether this is still the file at that path. If not, it became a
 * snapshot while we waited for its lock.
 */
static bool snapshot_folder_file_is_at(int file, const char *path)
{
	struct stat ours;
	struct stat there;

	return fstat(file, &ours) == 0 && stat(path, &there) == 0 &&
	       ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

static enum error snapshot_folder_begin(void *place,
					struct snapshot_store_item item,
					int *file_out)
{
	struct snapshot_folder_path folder =
		snapshot_folder_of(place, item.partition);
	struct snapshot_folder_path path =
		snapshot_folder_file(place, item.partition, NEW);
	int file;

	if (mkdir(folder.text, 0700) != 0 && errno != EEXIST)
		return snapshot_folder_log_error(folder.text,
						 "cannot be created");
	file = open(path.text, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (file < 0)
		return snapshot_folder_log_error(path.text,
						 "cannot be created");
	if (flock(file, LOCK_EX | LOCK_NB) != 0 ||
	    !snapshot_folder_file_is_at(file, path.text)) {
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

static enum error snapshot_folder_commit(void *place,
					 struct snapshot_store_item item,
					 const struct snapshot_store_body *body)
{
	struct snapshot_folder_path folder =
		snapshot_folder_of(place, item.partition);
	struct snapshot_folder_path new =
		snapshot_folder_file(place, item.partition, NEW);
	struct snapshot_folder_path path = snapshot_of(place, item);

	if (fsync(body->file) != 0)
		return snapshot_folder_log_error(new.text, "cannot be synced");
	if (rename(new.text, path.text) != 0)
		return snapshot_folder_log_error(path.text,
						 "cannot be renamed");
	/* sync the partition's folder too, which may be new */
	if (sync_folder(folder.text) != ERR_NONE)
		return ERR_IO;
	return sync_folder(place);
}

static void snapshot_folder_abandon(void *place,
				    struct snapshot_store_item item)
{
	struct snapshot_folder_path path =
		snapshot_folder_file(place, item.partition, NEW);

	unlink(path.text);
}

static enum error snapshot_folder_fetch(void *place,
					struct snapshot_store_item item,
					snapshot_store_sink *sink,
					void *context)
{
	struct snapshot_folder_path path = snapshot_of(place, item);
	int file = open(path.text, O_RDONLY | O_CLOEXEC);
	enum error error = ERR_NONE;
	char *chunk;

	if (file < 0)
		return snapshot_folder_log_error(path.text, "cannot be read");
	chunk = mem_alloc(1, FOLDER_CHUNK_BYTES);
	while (error == ERR_NONE) {
		ssize_t count = read(file, chunk, FOLDER_CHUNK_BYTES);

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

/* Parse the number in "0000000012345678.tpl"; false for another file. */
static bool parse_name(const char *name, uint64_t *number_out)
{
	size_t digits = strspn(name, "0123456789");

	if (digits == 0 || digits > MAX_DIGITS ||
	    strcmp(name + digits, ENDING) != 0)
		return false;
	errno = 0;
	*number_out = strtoull(name, NULL, 10);
	return errno == 0;
}

static enum error snapshot_folder_list(void *place, unsigned partition,
				       struct snapshot_store_list *list_out)
{
	struct snapshot_folder_path path = snapshot_folder_of(place, partition);
	DIR *folder = opendir(path.text);
	const struct dirent *entry;
	uint64_t number;

	if (folder == NULL && errno == ENOENT)
		return ERR_NONE;
	if (folder == NULL)
		return snapshot_folder_log_error(path.text, "cannot be read");
	/*
	 * NOLINTNEXTLINE(concurrency-mt-unsafe): only this thread uses the
	 * stream
	 */
	while ((entry = readdir(folder)) != NULL)
		if (parse_name(entry->d_name, &number))
			snapshot_store_list_add(list_out, number);
	closedir(folder);
	return ERR_NONE;
}

static enum error snapshot_folder_drop(void *place, unsigned partition,
				       const struct snapshot_store_list *gone)
{
	enum error error = ERR_NONE;

	for (size_t i = 0; i < gone->count; i++) {
		struct snapshot_folder_path path = snapshot_of(
			place, (struct snapshot_store_item){partition,
							    gone->numbers[i]});

		if (unlink(path.text) != 0 && errno != ENOENT)
			error = snapshot_folder_log_error(path.text,
							  "cannot be removed");
	}
	return error;
}

const struct snapshot_store_ops depot_folder_kind = {
	.begin = snapshot_folder_begin,
	.commit = snapshot_folder_commit,
	.abandon = snapshot_folder_abandon,
	.fetch = snapshot_folder_fetch,
	.list = snapshot_folder_list,
	.drop = snapshot_folder_drop,
	.close = free,
};
