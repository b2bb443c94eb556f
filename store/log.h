/*
 * store/log.h - one line to standard error for each thing that an operator
 * should know. Object first ("url", "page"), then the rule that broke.
 */
#ifndef STORE_LOG_H
#define STORE_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG
};

/* Lines above `level` are dropped; INFO at the start. Any thread. */
void log_set_level(enum log_level level);

/* Write one line; control characters in it become '?'. Any thread. */
void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* NOLINTBEGIN(readability-identifier-naming): they are called as functions */
#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)
/* NOLINTEND(readability-identifier-naming) */

#endif
