/*
 * daemon/privsep/item_list.h - a list of byte strings, each preceded by its
 * size as u32.
 */
#ifndef DAEMON_PRIVSEP_ITEM_LIST_H
#define DAEMON_PRIVSEP_ITEM_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "store/row_layout.h"

void item_append(struct buffer *list, struct slice item);

/* Append a row as an item. */
void item_append_row(struct buffer *list, const struct row_codec *layout,
		     const void *row);

/*
 * Remove the first item of *list; it points into the list. Return false if the
 * list is empty or invalid.
 */
bool item_next(struct slice *list, struct slice *item_out);

/* Remove `size` bytes at the front; return false if there are fewer. */
bool item_cut(struct slice *list, uint64_t size, struct slice *item_out);

#endif
