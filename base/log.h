/*
 * base/log.h - writes log lines for the operator, with their subject in
 * separate fields. A line names the object first, then the rule that broke.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVELS
};

/* Drop lines above `level`; INFO at the start. Any thread. */
void log_set_level(enum log_level level);

/*
 * One line, possibly truncated. Each control character in the texts is replaced
 * by '?', so that no content of a page can add a line or field.
 */
struct log_event {
	enum log_level level;
	const char *message;
	const char *site; /* host, or "" if the line is about no site */
	const char *url;  /* or "" */
};

/* Return "error", "warning", "info" or "debug"; static memory. */
const char *log_level_name(enum log_level level);

/* A destination of lines. Several threads may call it at the same time. */
typedef void log_sink(const struct log_event *event);

/*
 * Write to standard error: "warning: URL: message". A line about a site has
 * "site HOST" instead of the URL; a line about neither has only the message.
 */
log_sink log_to_stderr;

/*
 * Set the destination of later lines; NULL means log_to_stderr(), as at the
 * start. Any thread.
 */
void log_set_sink(log_sink *sink);

/* The subject of a line; a part without data is absent. */
struct log_subject {
	struct slice site; /* host */
	struct slice url;
};

/* Write a line. Any thread. */
void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Write a line about a subject, which the message does not repeat. */
void log_line_about(enum log_level level, struct log_subject subject,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Limits the lines of one kind that clients, sites or other nodes can cause at
 * any rate to one per minute; the next line contains the number of skipped
 * ones. Static memory, initially zero; any thread.
 */
struct log_limit {
	struct log_limit *next; /* list of the limits that have skipped lines */
	uint64_t until_ms; /* monotonic clock: no line before this time; 0 = no
			      limit */
	uint64_t left_out; /* number of skipped lines; the following fields are
			      the last of them */
	bool is_listed;
	enum log_level level;
	char message[256]; /* may be truncated */
	char site[256];
	char url[256];
};

/* Write a line of a limited kind. */
void log_line_limited(struct log_limit *limit, enum log_level level,
		      struct log_subject subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Write the last skipped line of each kind whose minute is over, or with
 * `is_end` of every kind, and the number of skipped lines. Call it from time to
 * time. Any thread.
 */
void log_flush(bool is_end);

/* NOLINTBEGIN(readability-identifier-naming): they are called as functions */
#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#define log_warn_about(...)  log_line_about(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info_about(...)  log_line_about(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug_about(...) log_line_about(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Each use of one of these macros is a separate kind. */
#define log_limited_about(level, ...)                                      \
	do {                                                               \
		static struct log_limit log_limit_of_place;                \
                                                                           \
		log_line_limited(&log_limit_of_place, level, __VA_ARGS__); \
	} while (0)
#define log_limited(level, ...) \
	log_limited_about(level, (struct log_subject){0}, __VA_ARGS__)
#define log_error_limited(...) log_limited(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn_limited(...)  log_limited(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info_limited(...)  log_limited(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_error_limited_about(...) \
	log_limited_about(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn_limited_about(...) \
	log_limited_about(LOG_LEVEL_WARN, __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */

/*
 * Redacts secret texts of an operator for output: enough remains to tell them
 * apart, and "***" replaces the rest.
 */

/* Append the names of lines "Name: value\n". */
void redact_headers(struct slice lines, struct buffer *out);

/*
 * Append the URL of a proxy without user, password, query and fragment. Hide
 * nothing if it has none of these.
 */
void redact_proxy(struct slice url, struct buffer *out);

/*
 * Append scheme, host and port of a hook's target, since the paths of many are
 * as secret as passwords; of "exec:COMMAND" append the program without its
 * arguments.
 */
void redact_target(struct slice target, struct buffer *out);

/* Append nothing. */
void redact_all(struct slice text, struct buffer *out);

#endif
