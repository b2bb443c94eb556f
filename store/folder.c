#include "store/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

/*
 * The byte of the lock file that readers lock. It is independent of flock(),
 * which locks whole files.
 */
enum { READERS_BYTE = 1 };

bool folder_name(char *out, const char *path, const char *name)
{
	return snprintf(out, MAX_PATH_BYTES, "%s/%s", path, name) <
	       MAX_PATH_BYTES;
}

static enum error folder_disk_error(void)
{
	return errno == ENOSPC || errno == EDQUOT ? ERR_STORE_FULL : ERR_IO;
}

/* Log the errno and the file name here, where both are available. */
static enum error folder_fail(const char *name, const char *what)
{
	int code = errno;

	log_error_limited("%s: cannot be %s: %s", name, what,
			  strerrordesc_np(code));
	errno = code;
	return folder_disk_error();
}

static enum error fail_length(const char *path)
{
	errno = ENAMETOOLONG;
	return folder_fail(path, "opened");
}

/*
 * Assign a file that root creates to the owner of the folder, who runs the
 * daemon. If that fails, root remains the owner.
 */
static void folder_assign_to_owner(const char *path, int file)
{
	struct stat folder;

	if (geteuid() == 0 && stat(path, &folder) == 0 &&
	    fchown(file, folder.st_uid, folder.st_gid) != 0)
		log_warn("store %s: cannot change the owner of a file: %s",
			 path, strerrordesc_np(errno));
}

enum error folder_lock(const char *path, int *lock_out)
{
	char name[MAX_PATH_BYTES];

	*lock_out = -1;
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return folder_fail(path, "created");
	if (!folder_name(name, path, "lock"))
		return fail_length(path);
	*lock_out = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*lock_out < 0)
		return folder_fail(name, "opened");
	folder_assign_to_owner(path, *lock_out);
	if (flock(*lock_out, LOCK_EX | LOCK_NB) != 0) {
		enum error error = errno == EWOULDBLOCK
					   ? ERR_BUSY
					   : folder_fail(name, "locked");

		close(*lock_out);
		*lock_out = -1;
		return error;
	}
	if (folder_name(name, path, FOLDER_NEW))
		unlink(name);
	if (folder_name(name, path, "secrets.new"))
		unlink(name);
	return ERR_NONE;
}

/*
 * The locks belong to the open file and not to the process, so threads do not
 * share them.
 */
static bool lock_byte(int lock, int command, short type)
{
	struct flock range = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = READERS_BYTE,
		.l_len = 1,
	};

	return fcntl(lock, command, &range) == 0;
}

int folder_lock_shared(const char *path)
{
	char name[MAX_PATH_BYTES];
	int lock = -1;

	if (folder_name(name, path, "lock"))
		lock = open(name, O_RDONLY | O_CLOEXEC);
	if (lock >= 0)
		lock_byte(lock, F_OFD_SETLKW, F_RDLCK);
	return lock;
}

/*
 * LMDB locks the first byte of its lock file as long as it has the data open.
 */
bool folder_is_read(const char *path)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	char name[MAX_PATH_BYTES];
	int file = -1;
	bool is_open = false;

	if (folder_name(name, path, "lock.mdb"))
		file = open(name, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return false;
	if (fcntl(file, F_GETLK, &range) == 0)
		is_open = range.l_type != F_UNLCK;
	close(file);
	return is_open;
}

enum error folder_write_use(int lock, enum folder_use use)
{
	if (ftruncate(lock, (off_t)use) != 0)
		return folder_fail("the store's file lock", "resized");
	return fsync(lock) == 0
		       ? ERR_NONE
		       : folder_fail("the store's file lock", "synced");
}

enum folder_use folder_read_use(int lock)
{
	struct stat status;

	if (fstat(lock, &status) != 0 || status.st_size > FOLDER_CLOSED)
		return FOLDER_IN_USE;
	return (enum folder_use)status.st_size;
}

bool folder_is_empty(const char *path)
{
	char name[MAX_PATH_BYTES];
	struct stat status;

	return folder_name(name, path, FOLDER_DATA) &&
	       stat(name, &status) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size == 0;
}

enum error folder_lock_out_readers(int lock)
{
	return lock_byte(lock, F_OFD_SETLK, F_WRLCK) ? ERR_NONE : ERR_BUSY;
}

void folder_release(int lock)
{
	lock_byte(lock, F_OFD_SETLK, F_UNLCK);
}

int folder_create(const char *path, const char *name)
{
	char whole[MAX_PATH_BYTES];
	int file;

	if (!folder_name(whole, path, name)) {
		fail_length(path);
		return -1;
	}
	unlink(whole);
	file = open(whole, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    0600);
	if (file >= 0)
		folder_assign_to_owner(path, file);
	else
		folder_fail(whole, "created");
	return file;
}

enum error folder_sync(const char *path)
{
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum error error = ERR_NONE;

	if (folder < 0)
		return folder_fail(path, "opened");
	if (fsync(folder) != 0)
		error = folder_fail(path, "synced");
	close(folder);
	return error;
}

/* Write all bytes, and sync the file if `is_synced`. */
static enum error folder_write_bytes(int file, const char *name,
				     struct slice bytes, bool is_synced)
{
	const char *next = bytes.data;
	size_t left = bytes.size;

	while (left > 0) {
		ssize_t done = write(file, next, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return folder_fail(name, "written");
		next += done;
		left -= (size_t)done;
	}
	return !is_synced || fsync(file) == 0 ? ERR_NONE
					      : folder_fail(name, "synced");
}

enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced)
{
	char whole[MAX_PATH_BYTES];
	char fresh[MAX_PATH_BYTES];
	enum error error;
	int file;

	if (!folder_name(whole, path, name) ||
	    snprintf(fresh, sizeof(fresh), "%s.new", whole) >=
		    (int)sizeof(fresh))
		return fail_length(path);
	file = folder_create(path, fresh + strlen(path) + 1);
	if (file < 0)
		return folder_disk_error();
	error = folder_write_bytes(file, fresh, bytes, is_synced);
	close(file);
	if (error == ERR_NONE && rename(fresh, whole) != 0)
		error = folder_fail(fresh, "renamed");
	if (error != ERR_NONE) {
		unlink(fresh);
		return error;
	}
	return is_synced ? folder_sync(path) : ERR_NONE;
}

enum error folder_put_new(const char *path)
{
	char data[MAX_PATH_BYTES];
	char fresh[MAX_PATH_BYTES];

	if (!folder_name(data, path, FOLDER_DATA) ||
	    !folder_name(fresh, path, FOLDER_NEW))
		return fail_length(path);
	return rename(fresh, data) == 0 ? ERR_NONE
					: folder_fail(fresh, "renamed");
}

enum error folder_replace(const char *path)
{
	enum error error = folder_put_new(path);

	return error == ERR_NONE ? folder_sync(path) : error;
}
