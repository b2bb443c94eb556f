/*
 * daemon/runtime/table.h - print aligned columns for human readers. Programs
 * use JSON.
 */
#ifndef DAEMON_RUNTIME_TABLE_H
#define DAEMON_RUNTIME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "base/slice.h"

struct table_column {
	const char *title; /* NULL in all columns: no header line */
	bool is_number;    /* aligned to the right */
	bool is_elastic;   /* truncated if lines are too wide */
};

struct text_table;

/*
 * The columns are not copied; they must outlive the table. Free it with
 * table_destroy().
 */
struct text_table *table_create(const struct table_column *columns,
				size_t count);

/* NULL is a no-op. */
void table_destroy(struct text_table *table);

/*
 * Append the next cell, row by row from the left. The text is copied and
 * cleaned (daemon/runtime/terminal.h); NULL is an empty cell.
 */
void table_add(struct text_table *table, struct slice text);
void table_add_text(struct text_table *table, const char *text);
void table_printf(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Append the lines. If they are wider than `width` columns (0 = unlimited),
 * truncate elastic cells: the widest column first, to at least 8. Fill an
 * incomplete row with empty cells.
 */
void table_render(const struct text_table *table, size_t width,
		  struct buffer *out);

/* Print to standard output, in the width of the terminal if it is one. */
void table_print(const struct text_table *table);

#endif
