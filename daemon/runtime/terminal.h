/*
 * daemon/runtime/terminal.h - show foreign text on a terminal: compute its
 * width, and remove control sequences.
 */
#ifndef DAEMON_RUNTIME_TERMINAL_H
#define DAEMON_RUNTIME_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

struct text_table;

enum { TERMINAL_REPLACEMENT = 0xFFFD };

/*
 * Return the code point at *position of `text`, and advance *position. Each
 * byte that is not part of valid UTF-8 gives one TERMINAL_REPLACEMENT.
 * *position must be below text.size.
 */
uint32_t terminal_code_point(struct slice text, size_t *position);

/*
 * Return the columns of a code point: 0 (combining marks, joiners), 1, or 2
 * (East Asian wide and full-width, emoji). Uses the ranges of Unicode 15,
 * rounded to whole blocks, so that no locale is needed.
 */
unsigned terminal_columns(uint32_t code_point);

/*
 * Append `text` as valid UTF-8 in one line: white space controls become a
 * space; other control characters, line separators and characters that change
 * the writing direction become U+FFFD.
 */
void terminal_clean(struct slice text, struct buffer *out);

/* The same, but keep newlines and tabs. */
void terminal_clean_lines(struct slice text, struct buffer *out);

/* Return the columns of the cleaned `text`. */
size_t terminal_width(struct slice text);

/*
 * Append `text`, cleaned and truncated to `width` columns; a truncated text
 * ends with an ellipsis. Return the number of columns appended.
 */
size_t terminal_cut(struct slice text, size_t width, struct buffer *out);

/* Return the columns of the terminal `file`; 0 if it is not a terminal. */
size_t terminal_size(int file);

/*
 * Write to standard output: unchanged to a file or pipe, through
 * terminal_clean_lines() to a terminal.
 */
void terminal_print(struct slice text);

/* Print aligned columns for human readers. Programs use JSON. */

struct table_column {
	const char *title; /* NULL in all columns: no header line */
	bool is_number;    /* aligned to the right */
	bool is_elastic;   /* truncated if lines are too wide */
};

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
