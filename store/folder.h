/*
 * store/folder.h - the folder of a store on disk: locks it against other
 * processes and replaces files in it. For store/ and for callers that restore a
 * copy.
 *
 * The process that writes holds a flock() on the file "lock". A lock on one
 * byte of it is held shared by processes that read, and exclusively by a
 * process that replaces the data. It is necessary because LMDB's own lock file
 * stores the number of the last transaction as long as a process has it open,
 * and after a replacement that number would belong to the old data.
 */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/slice.h"

#define FOLDER_DATA "data.mdb"
#define FOLDER_NEW  "data.mdb.new" /* new, or left by a killed process */

enum { MAX_PATH_BYTES = 4096 };

/*
 * Write "FOLDER/NAME" to `out` [MAX_PATH_BYTES]; return false if it is too
 * long.
 */
bool folder_name(char *out, const char *path, const char *name);

/*
 * Create the folder (mode 0700), lock it as its only writer as long as
 * *lock_out is open, and remove the remains of a killed process. ERR_BUSY,
 * ERR_STORE_FULL (the disk), ERR_IO; *lock_out is -1 then.
 */
enum error folder_lock(const char *path, int *lock_out);

/*
 * Lock the folder as a reader until the caller closes the returned descriptor;
 * wait while another process replaces the data. Return -1 if the folder has no
 * lock file and therefore no store.
 */
int folder_lock_shared(const char *path);

/* The state of the store. The size of the lock file in bytes stores it. */
enum folder_use {
	FOLDER_NEVER,  /* no process has written to the store yet */
	FOLDER_CLOSED, /* the last writer has closed it */
	FOLDER_IN_USE, /* the last writer has not closed it: it runs, or was
			  killed */
};

/* Write the state to the disk. ERR_STORE_FULL, ERR_IO. */
enum error folder_write_use(int lock, enum folder_use use);
enum folder_use folder_read_use(int lock);

/*
 * Return whether the data file exists, but is empty: its creation failed, or it
 * was truncated.
 */
bool folder_is_empty(const char *path);

/*
 * Lock out all readers until folder_release(). ERR_BUSY: a process is reading.
 */
enum error folder_lock_out_readers(int lock);
void folder_release(int lock);

/*
 * Return whether a program that does not use our lock, such as mdb_stat, has
 * the data open. A process that has the data open must not call it: it would
 * lose LMDB's locks.
 */
bool folder_is_read(const char *path);

/*
 * Create the new, empty file `name`, readable and writable for the owner of the
 * folder; return -1 with errno on failure.
 */
int folder_create(const char *path, const char *name);

/*
 * Replace the file `name`, accessible only to the owner of the folder: at any
 * instant the old or the new file exists. With `is_synced` the new file is on
 * disk on return. ERR_STORE_FULL, ERR_IO.
 */
enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced);

/*
 * Rename FOLDER_NEW, which is synced, to FOLDER_DATA: at any instant one of the
 * two files has that name. ERR_IO.
 */
enum error folder_replace(const char *path);

/* Do the same without folder_sync(), which the caller must call. */
enum error folder_put_new(const char *path);

/* Sync the folder, so that renamed files survive a power failure. ERR_IO. */
enum error folder_sync(const char *path);

#endif
