#include "store/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { MAX_MESSAGE_BYTES = 4096, MAX_SITE_BYTES = 512, MAX_PLACE_BYTES = 2304 };

static atomic_int max_level = LOG_LEVEL_INFO;
static log_sink *_Atomic current_sink = log_to_stderr;

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

/* A character of U+0080 to U+009F, which a terminal obeys as it does ESC. */
static bool is_c1(const char *c)
{
	return (unsigned char)c[0] == 0xc2 && (unsigned char)c[1] >= 0x80 &&
	       (unsigned char)c[1] < 0xa0;
}

static void disarm(char *text)
{
	for (char *c = text; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
		if (is_c1(c))
			c[0] = c[1] = '?';
	}
}

/* As a text without control characters, in `out` [capacity]. */
static void copy(char *out, size_t capacity, struct slice text)
{
	size_t size = text.size < capacity ? text.size : capacity - 1;

	if (size > 0)
		memcpy(out, text.data, size);
	out[size] = '\0';
	disarm(out);
}

static void write_line(enum log_level level, struct log_subject subject,
		       const char *format, va_list list)
	__attribute__((format(printf, 3, 0)));

static void write_line(enum log_level level, struct log_subject subject,
		       const char *format, va_list list)
{
	log_sink *sink = atomic_load(&current_sink);
	char message[MAX_MESSAGE_BYTES];
	char site[MAX_SITE_BYTES];
	char url[MAX_PLACE_BYTES];

	if ((int)level > atomic_load(&max_level))
		return;
	vsnprintf(message, sizeof(message), format, list);
	disarm(message);
	copy(site, sizeof(site), subject.site);
	copy(url, sizeof(url), subject.url);
	sink(&(struct log_event){level, message, site, url});
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
