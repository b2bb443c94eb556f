/*
 * daemon/runtime/terminal.h - show untrusted text on a terminal: compute its
 * width, and remove control sequences. Also print tables and progress.
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
 * Return the code point at *position of `text`, and advance *position. For each
 * byte that is not part of valid UTF-8, return TERMINAL_REPLACEMENT. *position
 * must be below text.size.
 */
uint32_t terminal_code_point(struct slice text, size_t *position);

/*
 * Return how many columns a code point takes: 0 (combining marks, joiners), 1,
 * or 2 (East Asian wide and full-width characters, emoji). The ranges are those
 * in Unicode 15, rounded to whole blocks. So no locale is needed.
 */
unsigned terminal_columns(uint32_t code_point);

/*
 * Append `text` as valid UTF-8 in one line. Control characters for white space
 * become a space. Other control characters, line separators, and characters
 * that change the direction of writing become U+FFFD.
 */
void terminal_clean(struct slice text, struct buffer *out);

/* Do the same, but keep newlines and tabs. */
void terminal_clean_lines(struct slice text, struct buffer *out);

/* Return how many columns `text` takes after terminal_clean(). */
size_t terminal_width(struct slice text);

/*
 * Append `text`, cleaned by terminal_clean() and truncated to `width` columns.
 * A truncated text ends with an ellipsis. Return the number of appended
 * columns.
 */
size_t terminal_cut(struct slice text, size_t width, struct buffer *out);

/*
 * Return the number of columns of the terminal `file`; 0 if it is not a
 * terminal.
 */
size_t terminal_size(int file);

/*
 * Write to standard output. If it is a terminal, clean the text with
 * terminal_clean_lines(); if it is a file or pipe, do not change the text.
 */
void terminal_print(struct slice text);

/*
 * Tables with aligned columns, for human readers. Programs should use the JSON
 * output.
 */

struct table_column {
	/* the table has no header line if all titles are NULL */
	const char *title;
	bool is_number;  /* cells are aligned to the right */
	bool is_elastic; /* cells may be truncated if lines are too wide */
};

/*
 * Create a table. The columns are not copied, so they must outlive the table.
 * Free it with table_destroy().
 */
struct text_table *table_create(const struct table_column *columns,
				size_t count);

/* Free the table. If `table` is NULL, do nothing. */
void table_destroy(struct text_table *table);

/*
 * Append the next cell; rows are filled from the left. The text is copied and
 * cleaned by terminal_clean(). NULL is an empty cell.
 */
void table_add(struct text_table *table, struct slice text);
void table_add_text(struct text_table *table, const char *text);
void table_printf(struct text_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Append the lines of the table. If they are wider than `width` columns (0 =
 * unlimited), truncate elastic cells. The widest column is truncated first, and
 * no column to less than 8. An incomplete row is filled with empty cells.
 */
void table_render(const struct text_table *table, size_t width,
		  struct buffer *out);

/* Print the table to standard output. If that is a terminal, use its width. */
void table_print(const struct text_table *table);

/*
 * A line on standard error that shows progress, if standard error is a
 * terminal, or after progress_force().
 */

struct progress {
	bool is_shown;
	const char *label;   /* the current work: "read", "extract" */
	uint64_t started_ms; /* steady clock */
	uint64_t drawn_ms;
};

/*
 * Show the progress of all later work also if standard error is not a terminal:
 * as lines, at most one per second. Call it before a thread is started.
 */
void progress_force(void);

struct progress progress_begin(const char *label);

/*
 * Show that `done` of `total` items are done, and `note` (or NULL) at the end
 * of the line. If `total` is 0, it is unknown. The line is drawn at most ten
 * times per second, so the function may be called for each item.
 */
void progress_show(struct progress *progress, uint64_t done, uint64_t total,
		   const char *note);

/*
 * Show the progress of a long computation; `context` is a struct progress.
 * Return true, to continue.
 */
bool progress_goes_on(void *context, uint64_t done, uint64_t total);

/* Show the progress of a transfer in KiB; `total` may be too small, or 0. */
void progress_show_bytes(struct progress *progress, uint64_t done,
			 uint64_t total);

/*
 * Remove the line, before a message is printed. The next progress_show() draws
 * it again.
 */
void progress_clear(struct progress *progress);

/* The content of the line. */
struct progress_state {
	const char *label;
	uint64_t done;
	uint64_t total; /* 0 = unknown */
	uint64_t elapsed_ms;
	const char *note; /* or NULL */
};

/*
 * Append the line, at most `width` columns, such as "extract [#####     ]  50%
 * 500/1000  120/s  0:04 left  note"; without a bar if the total is unknown.
 * No side effects.
 */
void progress_line(const struct progress_state *state, size_t width,
		   struct buffer *out);

#endif
