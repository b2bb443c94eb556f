/*
 * daemon/query/csv.h - CSV cells (RFC 4180) that a spreadsheet displays and
 * does not execute.
 */
#ifndef DAEMON_QUERY_CSV_H
#define DAEMON_QUERY_CSV_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"

/*
 * Return whether a spreadsheet might execute the text as a formula: after
 * blanks and quotation marks it begins with = + - @ or a wide form of these, or
 * it begins with a tab or a line end (OWASP, "CSV Injection"). A plain number,
 * such as -12.5, +3 or -1,234.5%, is not a formula.
 */
bool csv_is_formula(struct slice text);

/*
 * Append the UTF-8 text as a cell in quotation marks. Unless `is_raw`, write an
 * apostrophe before a formula, which makes spreadsheets treat it as text.
 */
void csv_append_cell(struct slice text, bool is_raw, struct buffer *out);

#endif
