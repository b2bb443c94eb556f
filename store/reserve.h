/*
 * store/reserve.h - room on the disk that is held for what has to be taken away
 * when the disk is full: LMDB writes pages anew, also to delete. It is a file
 * in the folder of the store whose blocks are given back for that moment.
 */
#ifndef STORE_RESERVE_H
#define STORE_RESERVE_H

#include <stddef.h>

struct reserve;

enum { RESERVE_BYTES = 1 << 20 };

/*
 * Make the file in the folder, with as much as there is room for. NULL when
 * there can be no file: there is no reserve then. One thread uses it.
 */
struct reserve *reserve_open(const char *folder);

/* NULL is a no-op. */
void reserve_close(struct reserve *reserve);

/* Give all of it back to the disk. */
void reserve_release(struct reserve *reserve);

/*
 * Hold RESERVE_BYTES again, or the largest of their halves, quarters and so on
 * that there is room for. Returns how many bytes that are.
 */
size_t reserve_hold(struct reserve *reserve);

#endif
