/*
 * store/row.h - how the functions of rows.h are written: a row by its layout.
 * Internal to store/.
 */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "store/layout.h"
#include "store/rows.h"
#include "store/txn.h"

#define FIELD(type, name)                                   \
	{                                                   \
		offsetof(struct type, name),                \
			sizeof(((struct type *)NULL)->name) \
	}
#define LAYOUT(type, fields, first_slice, slice_count)                       \
	{                                                                    \
		(fields), sizeof(fields) / sizeof((fields)[0]), first_slice, \
			slice_count, sizeof(struct type)                     \
	}

/*
 * As the `*_get` of rows.h: a row that is absent or damaged is zero.
 */
bool row_get(struct txn *txn, enum table table, struct slice key,
	     const struct layout *layout, void *row_out);
void row_put(struct txn *txn, enum table table, struct slice key,
	     const struct layout *layout, const void *row);

#endif
