/* daemon/report/html_parts.h - pieces of safe HTML, for the report and the
 * pages of daemon/ui. */
#ifndef DAEMON_REPORT_HTML_PARTS_H
#define DAEMON_REPORT_HTML_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/slice.h"

/*
 * Append `text` cleaned (daemon/runtime/terminal.h), cut to `columns` with an
 * ellipsis, and escaped: for text and for attributes. At most 24 bytes a
 * column.
 */
void show_text(struct buffer *out, struct slice text, size_t columns);

/* Append "12,345". */
void show_count(struct buffer *out, uint64_t count);

/* Append "3 pages": `noun` gets an "s" unless there is one. */
void show_counted(struct buffer *out, uint64_t count, const char *noun);

/* Begin a table: `heads` are its columns, ended by NULL, "#" in front of those
 * of numbers. End with show_table_end(). */
void show_table(struct buffer *out, const char *caption,
		const char *const *heads);
void show_table_end(struct buffer *out);

/* Begin a cell that is called `head` where the table has no head. */
void show_cell(struct buffer *out, const char *head);

#endif
