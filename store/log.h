/*
 * store/log.h - one line for each thing that an operator should know, and what
 * it is about as fields of its own. It says the object first, then the rule
 * that broke.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "store/slice.h"

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
	LOG_LEVELS
};

/* Lines above `level` are dropped; INFO at the start. Any thread. */
void log_set_level(enum log_level level);

/* One line; what was cut is gone. Texts have no control character: each is a
 * '?', so that nothing that a page chose makes another line or field. */
struct log_event {
	enum log_level level;
	const char *message;
	const char *site; /* host; "" when it is about none */
	const char *url;  /* or "" */
};

/* "error", "warning", "info" or "debug"; static memory. */
const char *log_level_name(enum log_level level);

/* Where lines go. Any thread may call it, several at a time. */
typedef void log_sink(const struct log_event *event);

/*
 * Standard error: "warning: URL: message". A line about a site has "site HOST"
 * in place of the URL, one about neither just the message.
 */
log_sink log_to_stderr;

/* From now on; NULL: log_to_stderr(), as at the start. Any thread. */
void log_set_sink(log_sink *sink);

/* What a line is about; a part without a value is none. */
struct log_subject {
	struct slice site; /* host */
	struct slice url;
};

/* Any thread. */
void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The same about something, which the message does not name again. */
void log_line_about(enum log_level level, struct log_subject subject,
		    const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The lines of one kind that clients, sites or other nodes cause as often as
 * they like. One a minute is written; the next one says how many were left out
 * since. Static memory, zero at the beginning; any thread.
 */
struct log_limit {
	struct log_limit *next; /* all of which lines were left out */
	uint64_t until_ms;      /* steady clock: no line before that; 0: any */
	uint64_t left_out;      /* lines, of which this is the last one: */
	bool is_listed;
	enum log_level level;
	char message[256]; /* cut */
	char site[256];
	char url[256];
};

/* A line of a kind. */
void log_line_limited(struct log_limit *limit, enum log_level level,
		      struct log_subject subject, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Write the last line that was left out of each kind whose minute is over, or
 * with `is_end` of each kind, and how many there were. To be called now and
 * then. Any thread.
 */
void log_flush(bool is_end);

/* NOLINTBEGIN(readability-identifier-naming): they are called as functions */
#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#define log_error_about(...) log_line_about(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn_about(...)  log_line_about(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info_about(...)  log_line_about(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug_about(...) log_line_about(LOG_LEVEL_DEBUG, __VA_ARGS__)

/* Each place that says one of these is a kind of its own. */
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

#endif
