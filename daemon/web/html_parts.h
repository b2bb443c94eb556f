/*
 * daemon/web/html_parts.h - write safe HTML for the report and the pages of
 * daemon/ui.
 */
#ifndef DAEMON_WEB_HTML_PARTS_H
#define DAEMON_WEB_HTML_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/slice.h"

/*
 * Append `text` cleaned (daemon/runtime/terminal.h), truncated to `columns`
 * with an ellipsis, and escaped for text and attributes. At most 24 bytes per
 * column.
 */
void html_append_text(struct buffer *out, struct slice text, size_t columns);

/* Append a number, such as "12,345". */
void html_append_count(struct buffer *out, uint64_t count);

/*
 * Append a count, such as "3 pages": `noun` gets an "s" unless the count is 1.
 */
void html_append_counted(struct buffer *out, uint64_t count, const char *noun);

/*
 * Begin a table: `heads` are its columns, NULL-terminated, with "#" before
 * columns of numbers. End it with html_end_table().
 */
void html_begin_table(struct buffer *out, const char *caption,
		      const char *const *heads);
void html_end_table(struct buffer *out);

/*
 * Begin a cell with the label `head`, which is shown if the style hides the
 * table head.
 */
void html_begin_cell(struct buffer *out, const char *head);

#endif
