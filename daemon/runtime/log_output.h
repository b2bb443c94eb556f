/*
 * daemon/runtime/log_output.h - the formats of the log: text or JSON on
 * standard error, or journald fields by its native protocol.
 */
#ifndef DAEMON_RUNTIME_LOG_OUTPUT_H
#define DAEMON_RUNTIME_LOG_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/log.h"

enum log_format { LOG_FORMAT_TEXT, LOG_FORMAT_JSON };

#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/*
 * Set the format of the log. Text goes to journald as fields if standard error
 * is its stream ($JOURNAL_STREAM), as under systemd. Any thread.
 */
void log_output_set(enum log_format format);

/*
 * Append the event as a line of JSON: time (UTC, with milliseconds), level,
 * site and url if present, message. Bytes that are not UTF-8 become '?'.
 */
void log_output_json(const struct log_event *event, uint64_t now_ms,
		     struct buffer *out);

/*
 * Append the event in the format of journald: PRIORITY (3, 4, 6 or 7 of
 * syslog), SYSLOG_IDENTIFIER, TEMPLATED_SITE and TEMPLATED_URL if present,
 * MESSAGE as in the text format.
 */
void log_output_journal(const struct log_event *event, struct buffer *out);

/*
 * Send the event to the socket `path` without waiting; return false if it is
 * not accepted.
 */
bool log_output_send(const char *path, const struct log_event *event);

/*
 * Return whether `file` is the file that `stream` (DEVICE:INODE, or NULL)
 * names.
 */
bool log_output_is_stream(const char *stream, int file);

#endif
