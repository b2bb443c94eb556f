/* daemon/worker/item_list.h - byte strings one after the other, each behind its
 * size as u32. */
#ifndef DAEMON_WORKER_ITEM_LIST_H
#define DAEMON_WORKER_ITEM_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/row_layout.h"
#include "store/slice.h"

void item_append(struct buffer *list, struct slice item);

/* The same of a row. */
void item_append_row(struct buffer *list, const struct row_layout *layout,
		     const void *row);

/* Take the next one off the front of *list; it points into it. False: none is
 * left, or what is left is none. */
bool item_next(struct slice *list, struct slice *item_out);

/* Cut `size` bytes off the front; false when there are fewer. */
bool item_cut(struct slice *list, uint64_t size, struct slice *item_out);

#endif
