/*
 * store/folder.h - the folder of a store on disk: who may use it, and how a
 * file replaces another. For store/ and for callers that restore a copy.
 *
 * The file "lock" is flock()ed by the process that writes. One byte of it is
 * locked as well: shared by processes that read, exclusively by a process that
 * replaces the data. This is needed because LMDB's own lock file keeps the
 * number of the last transaction as long as any process has it open, and that
 * number would be of the old data.
 */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdbool.h>

#include "store/error.h"
#include "store/slice.h"

#define FOLDER_DATA "data.mdb"
#define FOLDER_NEW  "data.mdb.new" /* new data, or left by a killed process */

enum { MAX_PATH_BYTES = 4096 };

/* Write "FOLDER/NAME" to `out` [MAX_PATH_BYTES]; false: it is too long. */
bool folder_name(char *out, const char *path, const char *name);

/*
 * Make the folder (mode 0700), be the only process that writes there as long as
 * *lock_out is open, and remove what a killed process has left. ERR_BUSY,
 * ERR_STORE_FULL (the disk), ERR_IO; *lock_out is -1 then.
 */
enum error folder_take(const char *path, int *lock_out);

/*
 * Become a reader of the folder until the descriptor is closed; waits while the
 * data are replaced. -1: the folder has no lock file, so there is no store.
 */
int folder_visit(const char *path);

/* What the lock file notes of the store, by its size in bytes. */
enum folder_use {
	FOLDER_NEVER,  /* no process has written there yet */
	FOLDER_CLOSED, /* the last one that did has closed it */
	FOLDER_IN_USE, /* the last one did not: it runs, or it was killed */
};

/* Keep the note on the disk. ERR_STORE_FULL, ERR_IO. */
enum error folder_note_use(int lock, enum folder_use use);
enum folder_use folder_read_use(int lock);

/* Whether there are data, but of no bytes: making them failed, or they have
 * been cut short. */
bool folder_is_empty(const char *path);

/*
 * Let no other process read until folder_release(). ERR_BUSY: one is reading.
 */
enum error folder_seize(int lock);
void folder_release(int lock);

/*
 * Whether a program that does not use our lock, such as mdb_stat, has the data
 * open. Must not be called by a process that has them open itself: it would
 * lose LMDB's locks.
 */
bool folder_is_read(const char *path);

/* Make `name` a new, empty file to write and read, of the owner of the folder;
 * -1: errno says why. */
int folder_create(const char *path, const char *name);

/*
 * Write the file `name` anew, of the owner of the folder and for nobody else:
 * at any instant the old or the new one is there. With is_synced it is whole on
 * disk then. ERR_STORE_FULL, ERR_IO.
 */
enum error folder_write(const char *path, const char *name, struct slice bytes,
			bool is_synced);

/* FOLDER_NEW, which is whole on disk, becomes FOLDER_DATA: at any instant one
 * of them is there. ERR_IO. */
enum error folder_replace(const char *path);

/* The same without folder_sync(), which is to follow. */
enum error folder_put_new(const char *path);

/* Sync the folder, so that renamed files survive a loss of power. ERR_IO. */
enum error folder_sync(const char *path);

#endif
