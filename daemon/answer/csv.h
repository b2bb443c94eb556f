/*
 * daemon/answer/csv.h - cells of CSV (RFC 4180) that a spreadsheet shows and
 * does not run.
 */
#ifndef DAEMON_ANSWER_CSV_H
#define DAEMON_ANSWER_CSV_H

#include <stdbool.h>

#include "store/buffer.h"
#include "store/slice.h"

/*
 * Whether a spreadsheet could take the text for a formula: after blanks and
 * quotation marks it begins with = + - @ or a wide form of these, or it begins
 * with a tab or a line end (OWASP, "CSV Injection"). A plain number, such as
 * -12.5, +3 or -1,234.5%, is data and no formula.
 */
bool csv_is_formula(struct slice text);

/*
 * Append the UTF-8 text as a cell in quotation marks. Before a formula it
 * writes an apostrophe, which spreadsheets read as "this is text"; with
 * `is_raw` it does not.
 */
void csv_append_cell(struct slice text, bool is_raw, struct buffer *out);

#endif
