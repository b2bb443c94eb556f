/*
 * store/folder.h - the folder of a store on disk: who may use it, and how one
 * file takes the place of another. For store/, and for who brings a copy.
 *
 * The file "lock" is flock()ed by the process that writes. A byte of it is
 * locked besides, shared by those that read and alone by the one that puts
 * another file in the place of the data: LMDB's own lock file remembers the
 * last transaction as long as anybody holds it, and it would be that of the
 * other file.
 */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdbool.h>

#include "store/error.h"

#define FOLDER_DATA "data.mdb"
#define FOLDER_NEW  "data.mdb.new" /* to take its place, or left of that */

enum { MAX_PATH_BYTES = 4096 };

/* Write "FOLDER/NAME" to `out` [MAX_PATH_BYTES]; false: it is too long. */
bool folder_name(char *out, const char *path, const char *name);

/*
 * Make the folder (mode 0700), be the only process that writes there as long
 * as *lock_out is open, and remove what a killed one has left. ERR_BUSY,
 * ERR_STORE_FULL (the disk), ERR_IO; *lock_out is -1 then.
 */
enum error folder_take(const char *path, int *lock_out);

/* Read there as long as the descriptor is open: waits while the data are
 * replaced. -1: nobody has ever written there, or will. */
int folder_visit(const char *path);

/* No other process may begin to read until folder_release(). ERR_BUSY: one
 * does. */
enum error folder_seize(int lock);
void folder_release(int lock);

/*
 * Does a program that knows nothing of our lock, such as mdb_stat, have the
 * data open? Only for a process that has not: it would lose LMDB's locks.
 */
bool folder_is_read(const char *path);

/* Make `name` a new, empty file to write and read, of the owner of the folder;
 * -1: errno says why. */
int folder_create(const char *path, const char *name);

/* FOLDER_NEW, which is whole on disk, becomes FOLDER_DATA: at any instant one
 * of them is there. ERR_IO. */
enum error folder_replace(const char *path);

/* What was renamed is so after a loss of power, too. ERR_IO. */
enum error folder_sync(const char *path);

#endif
