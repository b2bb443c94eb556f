/*
 * base/log.h - writes log lines for the operator. The subject of a line (a site
 * or URL) is in separate fields.
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

/*
 * Drop lines less important than `level`. The level is INFO until the first
 * call. Any thread.
 */
void log_set_level(enum log_level level);

/*
 * A log line; its texts may be truncated. Each control character in them is
 * replaced by '?', so that the content of a page cannot add a line or field.
 */
struct log_event {
	enum log_level level;
	const char *message;
	const char *site; /* host, or "" if the line is not about a site */
	const char *url;  /* or "" if the line is not about a URL */
};

/* Return "error", "warning", "info" or "debug"; static memory. */
const char *log_level_name(enum log_level level);

/*
 * A function that outputs lines. Several threads may call it at the same time.
 */
typedef void log_sink(const struct log_event *event);

/*
 * Write to standard error: "warning: URL: message". If the line is about a
 * site, write "site HOST" instead of the URL; if it is about neither, write
 * only the level and the message.
 */
log_sink log_to_stderr;

/*
 * Set the function that outputs the following lines. NULL, and the state before
 * the first call, mean log_to_stderr(). Any thread.
 */
void log_set_sink(log_sink *sink);

/*
 * The subject of a line. An empty field means that the line has no such
 * subject.
 */
struct log_subject {
	struct slice site; /* host */
	struct slice url;
};

/* Write a line. Any thread. */
void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Write a line about a subject. The message must not repeat the subject. */
void log_line_about(enum log_level level, struct log_subject subject,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * State of a limit: at most one line per minute for lines of one kind, which
 * clients, sites or other nodes could otherwise cause at any rate. The next
 * line contains the number of skipped lines. Static memory, initially zero; any
 * thread.
 */
struct log_limit {
	struct log_limit *next; /* next limit that has skipped lines */
	uint64_t until_ms; /* monotonic clock: no line before this time; 0 = no
			      limit */
	uint64_t left_out; /* number of skipped lines; the following fields
			      describe the last of them */
	bool is_listed;
	enum log_level level;
	char message[256]; /* may be truncated */
	char site[256];
	char url[256];
};

/* Write a line, or skip it if `limit` does not allow it now. */
void log_line_limited(struct log_limit *limit, enum log_level level,
		      struct log_subject subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Write the last skipped line of each kind whose minute is over, with the
 * number of skipped lines; with `is_end` do so for every kind. Call it
 * regularly. Any thread.
 */
void log_flush(bool is_end);

/* NOLINTBEGIN(readability-identifier-naming): used like functions */
#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#define log_warn_about(...)  log_line_about(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info_about(...)  log_line_about(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug_about(...) log_line_about(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Each place in the code that uses one of these macros has its own limit. */
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
 * Functions that hide the secret parts of an operator's text for output. "***"
 * replaces a secret; the rest suffices to distinguish texts.
 */

/* Append the header lines "Name: value\n", with the values hidden. */
void redact_headers(struct slice lines, struct buffer *out);

/* Append the URL of a proxy, with user, password, query and fragment hidden. */
void redact_proxy(struct slice url, struct buffer *out);

/*
 * Append the target of a hook: only scheme, host and port of a URL, since its
 * path is often secret; only the program of "exec:COMMAND", without arguments.
 */
void redact_target(struct slice target, struct buffer *out);

/* Append nothing, because all of the text is secret. */
void redact_all(struct slice text, struct buffer *out);

#endif
