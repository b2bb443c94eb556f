#include "base/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define HIDDEN "***"

static const char *redaction_find_text(struct slice text, const char *wanted)
{
	return text.size == 0
		       ? NULL
		       : memmem(text.data, text.size, wanted, strlen(wanted));
}

/*
 * Return the length of the text before the first character that is in `marks`.
 */
static size_t length_up_to(struct slice text, const char *marks)
{
	size_t length = 0;

	while (length < text.size &&
	       strchr(marks, slice_byte(text, length)) == NULL)
		length++;
	return length;
}

void redact_headers(struct slice lines, struct buffer *out)
{
	while (lines.size > 0) {
		size_t size = length_up_to(lines, "\n");
		struct slice line = {lines.data, size};

		size_t name = length_up_to(line, ":");

		buffer_append(out, line.data, name < size ? name : 0);
		buffer_append_text(out, ": " HIDDEN "\n");
		slice_advance(&lines, size + (size < lines.size));
	}
}

/*
 * Append scheme and authority, with user and password hidden, and return the
 * rest of the URL. If the URL has no "://", all of it counts as the scheme.
 */
static struct slice redact_authority(struct slice url, struct buffer *out)
{
	const char *slashes = redaction_find_text(url, "://");
	struct slice rest = url;
	struct slice authority;

	if (slashes != NULL)
		slice_advance(&rest,
			      (size_t)(slashes + 3 - (const char *)url.data));
	buffer_append(out, url.data, url.size - rest.size);
	authority = (struct slice){rest.data, length_up_to(rest, "/\\?#")};
	slice_advance(&rest, authority.size);
	for (size_t i = authority.size; i-- > 0;) {
		if (slice_byte(authority, i) != '@')
			continue;
		buffer_append_text(out, HIDDEN);
		slice_advance(&authority, i);
		break;
	}
	buffer_append_slice(out, authority);
	return rest;
}

void redact_proxy(struct slice url, struct buffer *out)
{
	struct slice rest = redact_authority(url, out);
	size_t length = length_up_to(rest, "?#");

	buffer_append(out, rest.data, length);
	if (length < rest.size) {
		buffer_append_byte(out, slice_byte(rest, length));
		buffer_append_text(out, HIDDEN);
	}
}

void redact_target(struct slice target, struct buffer *out)
{
	size_t word = length_up_to(target, " ");
	struct slice rest;

	if (redaction_find_text(target, "://") == NULL ||
	    slice_byte(target, 0) == 'e') {
		buffer_append(out, target.data, word);
		if (word < target.size)
			buffer_append_text(out, " " HIDDEN);
		return;
	}
	rest = redact_authority(target, out);
	if (rest.size == 0)
		return;
	buffer_append_byte(out, slice_byte(rest, 0));
	if (rest.size > 1)
		buffer_append_text(out, HIDDEN);
}

void redact_all(struct slice text, struct buffer *out)
{
	(void)text;
	buffer_append_text(out, "");
}

enum {
	MAX_MESSAGE_BYTES = 4096,
	MAX_SITE_BYTES = 512,
	MAX_PLACE_BYTES = 2304,
	MAX_COUNT_BYTES = 80, /* length of the count of skipped lines */
	LIMIT_MS = 60000,     /* time between two lines of one kind */
};

static atomic_int max_level = LOG_LEVEL_INFO;
static log_sink *_Atomic current_sink = log_to_stderr;

static pthread_mutex_t limits_lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_limit
	*all_limits; /* the lock guards this list and each limit in it */

void log_set_level(enum log_level level)
{
	atomic_store(&max_level, (int)level);
}

const char *log_level_name(enum log_level level)
{
	static const char *const names[LOG_LEVELS] = {"error", "warning",
						      "info", "debug"};

	return names[level];
}

void log_set_sink(log_sink *sink)
{
	atomic_store(&current_sink, sink == NULL ? log_to_stderr : sink);
}

void log_to_stderr(const struct log_event *event)
{
	bool is_of_url = event->url[0] != '\0';
	bool is_of_site = !is_of_url && event->site[0] != '\0';
	const char *about = is_of_url ? event->url : event->site;

	fprintf(stderr, "%s: %s%s%s%s\n", log_level_name(event->level),
		is_of_site ? "site " : "", about,
		is_of_url || is_of_site ? ": " : "", event->message);
}

static void log_replace_controls(char *text)
{
	for (unsigned char *c = (unsigned char *)text; *c != '\0'; c++) {
		if (*c < ' ' || *c == 0x7f)
			*c = '?';
		/* U+0080 to U+009F, which a terminal may interpret like ESC */
		if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
			c[0] = c[1] = '?';
	}
}

/* Copy the text to `out` [capacity] without control characters. */
static void log_copy_text(char *out, size_t capacity, struct slice text)
{
	size_t size = text.size < capacity ? text.size : capacity - 1;

	if (size > 0)
		memcpy(out, text.data, size);
	out[size] = '\0';
	log_replace_controls(out);
}

/* The texts of a log line. */
struct log_texts {
	char message[MAX_MESSAGE_BYTES];
	char site[MAX_SITE_BYTES];
	char url[MAX_PLACE_BYTES];
};

__attribute__((format(printf, 3, 0))) static void
log_format(struct log_texts *texts, struct log_subject subject,
	   const char *format, va_list list)
{
	vsnprintf(texts->message, sizeof(texts->message), format, list);
	log_replace_controls(texts->message);
	log_copy_text(texts->site, sizeof(texts->site), subject.site);
	log_copy_text(texts->url, sizeof(texts->url), subject.url);
}

static bool log_level_is_enabled(enum log_level level)
{
	return (int)level <= atomic_load(&max_level);
}

static void log_emit(enum log_level level, const struct log_texts *texts)
{
	log_sink *sink = atomic_load(&current_sink);

	sink(&(struct log_event){level, texts->message, texts->site,
				 texts->url});
}

__attribute__((format(printf, 3, 0))) static void
write_line(enum log_level level, struct log_subject subject, const char *format,
	   va_list list)
{
	struct log_texts texts;

	if (!log_level_is_enabled(level))
		return;
	log_format(&texts, subject, format, list);
	log_emit(level, &texts);
}

void log_line(enum log_level level, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line(level, (struct log_subject){0}, format, list);
	va_end(list);
}

void log_line_about(enum log_level level, struct log_subject subject,
		    const char *format, ...)
{
	va_list list;

	va_start(list, format);
	write_line(level, subject, format, list);
	va_end(list);
}

static uint64_t log_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

/*
 * Count the line as skipped, and store it as the last skipped one. The caller
 * holds the lock.
 */
static void log_skip_line(struct log_limit *limit, enum log_level level,
			  const struct log_texts *texts)
{
	limit->left_out++;
	limit->level = level;
	snprintf(limit->message, sizeof(limit->message), "%.*s",
		 (int)sizeof(limit->message) - 1, texts->message);
	snprintf(limit->site, sizeof(limit->site), "%.*s",
		 (int)sizeof(limit->site) - 1, texts->site);
	snprintf(limit->url, sizeof(limit->url), "%.*s",
		 (int)sizeof(limit->url) - 1, texts->url);
	if (limit->is_listed)
		return;
	limit->is_listed = true;
	limit->next = all_limits;
	all_limits = limit;
}

/*
 * Begin a new minute because the caller writes a line; return the number of
 * lines skipped until now. The caller holds the lock.
 */
static uint64_t log_begin_minute(struct log_limit *limit, uint64_t now_ms)
{
	uint64_t left_out = limit->left_out;

	limit->left_out = 0;
	limit->until_ms = now_ms + LIMIT_MS;
	return left_out;
}

/* Append the count of skipped lines to the message. */
static void log_append_skipped(struct log_texts *texts, const char *before,
			       uint64_t left_out, const char *behind)
{
	size_t length = strnlen(texts->message,
				sizeof(texts->message) - MAX_COUNT_BYTES);

	snprintf(texts->message + length, MAX_COUNT_BYTES,
		 " (%s%" PRIu64 " lines of this kind %s)", before, left_out,
		 behind);
}

void log_line_limited(struct log_limit *limit, enum log_level level,
		      struct log_subject subject, const char *format, ...)
{
	uint64_t now_ms = log_now_ms();
	uint64_t left_out = 0;
	struct log_texts texts;
	bool is_written;
	va_list list;

	if (!log_level_is_enabled(level))
		return;
	va_start(list, format);
	log_format(&texts, subject, format, list);
	va_end(list);
	pthread_mutex_lock(&limits_lock);
	is_written = now_ms >= limit->until_ms;
	if (is_written)
		left_out = log_begin_minute(limit, now_ms);
	else
		log_skip_line(limit, level, &texts);
	pthread_mutex_unlock(&limits_lock);
	if (left_out > 0)
		log_append_skipped(&texts, "", left_out, "left out before");
	if (is_written)
		log_emit(level, &texts);
}

/*
 * Find a limit whose minute is over (any limit if `is_end`), remove its last
 * skipped line and return it in the output parameters. Return false if none
 * exists.
 */
static bool log_pop_skipped(bool is_end, struct log_texts *texts_out,
			    enum log_level *level_out, uint64_t *left_out)
{
	uint64_t now_ms = log_now_ms();
	struct log_limit *limit;

	pthread_mutex_lock(&limits_lock);
	limit = all_limits;
	while (limit != NULL &&
	       (limit->left_out == 0 || (!is_end && now_ms < limit->until_ms)))
		limit = limit->next;
	if (limit != NULL) {
		*left_out = log_begin_minute(limit, now_ms);
		*level_out = limit->level;
		snprintf(texts_out->message, sizeof(texts_out->message), "%s",
			 limit->message);
		snprintf(texts_out->site, sizeof(texts_out->site), "%s",
			 limit->site);
		snprintf(texts_out->url, sizeof(texts_out->url), "%s",
			 limit->url);
	}
	pthread_mutex_unlock(&limits_lock);
	return limit != NULL;
}

void log_flush(bool is_end)
{
	enum log_level level;
	struct log_texts texts;
	uint64_t left_out;

	while (log_pop_skipped(is_end, &texts, &level, &left_out)) {
		log_append_skipped(&texts, "the last of ", left_out,
				   "left out");
		log_emit(level, &texts);
	}
}
