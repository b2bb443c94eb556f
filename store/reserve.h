/*
 * store/reserve.h - reserves disk space for deletions when the disk is full:
 * LMDB writes new pages even to delete. The reserve is a file in the folder of
 * the store whose blocks are freed during the deletion.
 */
#ifndef STORE_RESERVE_H
#define STORE_RESERVE_H

#include <stddef.h>

struct reserve;

enum { RESERVE_BYTES = 1 << 20 };

/*
 * Create the file in the folder, as large as the free space allows. Return NULL
 * if it cannot be created; then there is no reserve. For one thread.
 */
struct reserve *reserve_open(const char *folder);

/* Do nothing for NULL. */
void reserve_close(struct reserve *reserve);

/* Free all of it on the disk. */
void reserve_release(struct reserve *reserve);

/*
 * Reserve RESERVE_BYTES again, or the largest half, quarter and so on of them
 * for which there is space. Return the number of reserved bytes.
 */
size_t reserve_hold(struct reserve *reserve);

#endif
