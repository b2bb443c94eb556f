/*
 * daemon/runtime/terminal.h - foreign text on a terminal: its width, and the
 * removal of control sequences.
 */
#ifndef DAEMON_RUNTIME_TERMINAL_H
#define DAEMON_RUNTIME_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

enum { TERMINAL_REPLACEMENT = 0xFFFD };

/*
 * The code point at *position of `text`, which moves behind it; a byte that is
 * no part of valid UTF-8 gives TERMINAL_REPLACEMENT alone. *position must be
 * below text.size.
 */
uint32_t terminal_code_point(struct slice text, size_t *position);

/*
 * Columns that a code point takes: 0 (combining marks, joiners), 1, or 2 (East
 * Asian wide and full-width, emoji). By ranges of Unicode 15, rounded to whole
 * blocks, so that no locale is needed.
 */
unsigned terminal_columns(uint32_t code_point);

/*
 * Append `text` as valid UTF-8 in one line: white space controls become a
 * space, other control characters, line separators and what turns the direction
 * of writing become U+FFFD.
 */
void terminal_clean(struct slice text, struct buffer *out);

/* The same, but newlines and tabs stay. */
void terminal_clean_lines(struct slice text, struct buffer *out);

/* Columns that `text`, cleaned, takes. */
size_t terminal_width(struct slice text);

/*
 * Append `text`, cleaned, cut to `width` columns; what is cut ends with an
 * ellipsis. Returns the columns appended.
 */
size_t terminal_cut(struct slice text, size_t width, struct buffer *out);

/* Columns of the terminal that the file is; 0 when it is no terminal. */
size_t terminal_size(int file);

/*
 * Write to standard output: unchanged to a file or pipe, through
 * terminal_clean_lines() to a terminal.
 */
void terminal_print(struct slice text);

#endif
