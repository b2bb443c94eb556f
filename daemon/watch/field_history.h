/*
 * daemon/watch/field_history.h - the marks of a page (enum value_mark) and the
 * rounds of a template (struct field_round) as they are stored. Pure functions.
 */
#ifndef DAEMON_WATCH_FIELD_HISTORY_H
#define DAEMON_WATCH_FIELD_HISTORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "daemon/watch/decide_fields.h"

enum {
	FIELD_ROUNDS = 32, /* of a field that are stored */
	MAX_ROUND_MS = 24 * 3600 * 1000,
};

/* Append the marks [count] of the fields [count] on a page. */
void marks_write(const struct watched_field *fields, size_t count,
		 const unsigned char *marks, struct buffer *out);

/*
 * Read what marks_write() has appended, perhaps for other fields; a field that
 * it does not have gets 0. Return false if the bytes are not marks.
 */
bool marks_read(const struct watched_field *fields, size_t count,
		struct slice bytes, unsigned char *marks_out);

/*
 * Add the rounds `now` [count], after `read` pages were read, to the history
 * (struct fields_row). They replace those of the same round. Fields that are
 * not in the list are dropped.
 */
void history_add(json_t *history, const struct watched_field *fields,
		 const struct field_round *now, size_t count, uint32_t read);

/*
 * Write the rounds of a field, the oldest first, to `rounds_out`
 * [FIELD_ROUNDS]; return their number.
 */
size_t history_rounds(const json_t *history, const char *name,
		      struct field_round *rounds_out);

#endif
