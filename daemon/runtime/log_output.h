/*
 * daemon/runtime/log_output.h - the forms of the log: text or JSON on standard
 * error, or fields for journald by its native protocol.
 */
#ifndef DAEMON_RUNTIME_LOG_OUTPUT_H
#define DAEMON_RUNTIME_LOG_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/log.h"

enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/*
 * Lines have this form from now on. Text becomes fields of journald when
 * standard error is its stream ($JOURNAL_STREAM), which it is when systemd
 * runs us. Any thread.
 */
void log_output_set(enum log_format format);

/*
 * Append the event as a line of JSON: time (UTC, with milliseconds), level,
 * site and url where it has them, message. Bytes that are no UTF-8 are '?'.
 */
void log_output_json(const struct log_event *event, uint64_t now_ms,
		     struct buffer *out);

/*
 * Append the event as journald takes it: PRIORITY (3, 4, 6 or 7 of syslog),
 * SYSLOG_IDENTIFIER, TEMPLATED_SITE and TEMPLATED_URL where it has them,
 * MESSAGE as the text has it.
 */
void log_output_journal(const struct log_event *event, struct buffer *out);

/* Send it to the socket `path`, without waiting; false: nobody takes it. */
bool log_output_send(const char *path, const struct log_event *event);

/* Is the file the one that `stream` (DEVICE:INODE, or NULL) names? */
bool log_output_is_stream(const char *stream, int file);

#endif
