#include "daemon/runtime/log_output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "base/date.h"
#include "daemon/runtime/clock.h"
#include "daemon/runtime/datagram.h"

/* Append the time as 2017-03-06T04:03:53.123Z. */
static void log_append_time(struct buffer *out, uint64_t now_ms)
{
	char text[DATE_BYTES];

	date_format(now_ms, text);
	text[strcspn(text, "Z")] = '\0';
	buffer_printf(out, "{\"time\":\"%s.%03uZ\"", text,
		      (unsigned)(now_ms % 1000U));
}

/* Replace each byte that is not ASCII with '?', because some are not UTF-8. */
static void append_repaired(struct buffer *out, const char *value)
{
	buffer_append_byte(out, '"');
	for (; *value != '\0'; value++) {
		char c = *value;

		if (c == '"' || c == '\\')
			buffer_append_byte(out, '\\');
		if ((unsigned char)c >= 0x80)
			c = '?';
		buffer_append_byte(out, c);
	}
	buffer_append_byte(out, '"');
}

/* `value` has no control characters. */
static void append_member(struct buffer *out, const char *name,
			  const char *value)
{
	json_t *string = json_string(value);
	char *text = json_dumps(string, JSON_ENCODE_ANY);

	buffer_printf(out, ",\"%s\":", name);
	if (text != NULL)
		buffer_append_text(out, text);
	else
		append_repaired(out, value);
	free(text);
	json_decref(string);
}

void log_output_json(const struct log_event *event, uint64_t now_ms,
		     struct buffer *out)
{
	log_append_time(out, now_ms);
	append_member(out, "level", log_level_name(event->level));
	if (event->site[0] != '\0')
		append_member(out, "site", event->site);
	if (event->url[0] != '\0')
		append_member(out, "url", event->url);
	append_member(out, "message", event->message);
	buffer_append_text(out, "}\n");
}

/* A value has no line end, so no field needs the binary form. */
void log_output_journal(const struct log_event *event, struct buffer *out)
{
	static const int priorities[LOG_LEVELS] = {3, 4, 6, 7};
	bool has_url = event->url[0] != '\0';
	bool has_site = event->site[0] != '\0';

	buffer_printf(out, "PRIORITY=%d\nSYSLOG_IDENTIFIER=templated\n",
		      priorities[event->level]);
	if (has_site)
		buffer_printf(out, "TEMPLATED_SITE=%s\n", event->site);
	if (has_url)
		buffer_printf(out, "TEMPLATED_URL=%s\n", event->url);
	buffer_append_text(out, "MESSAGE=");
	if (has_url)
		buffer_printf(out, "%s: ", event->url);
	else if (has_site)
		buffer_printf(out, "site %s: ", event->site);
	buffer_printf(out, "%s\n", event->message);
}

bool log_output_send(const char *path, const struct log_event *event)
{
	struct buffer message = {0};
	bool is_sent;

	log_output_journal(event, &message);
	is_sent = datagram_send(path, buffer_slice(&message));
	buffer_free(&message);
	return is_sent;
}

bool log_output_is_stream(const char *stream, int file)
{
	unsigned long long device;
	unsigned long long inode;
	struct stat status;
	char *end;

	if (stream == NULL || fstat(file, &status) != 0)
		return false;
	device = strtoull(stream, &end, 10);
	if (end == stream || *end != ':')
		return false;
	stream = end + 1;
	inode = strtoull(stream, &end, 10);
	return end != stream && *end == '\0' && device == status.st_dev &&
	       inode == status.st_ino;
}

/* Use one write, so that lines of several threads do not mix. */
static void to_json(const struct log_event *event)
{
	struct buffer line = {0};
	ssize_t written;

	log_output_json(event, clock_wall_ms(), &line);
	do
		written = write(STDERR_FILENO, line.data, line.size);
	while (written < 0 && errno == EINTR);
	buffer_free(&line);
}

static void to_journal(const struct log_event *event)
{
	if (!log_output_send(JOURNAL_SOCKET, event))
		log_to_stderr(event);
}

void log_output_set(enum log_format format)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): nothing changes it */
	const char *stream = getenv("JOURNAL_STREAM");
	bool is_journal = log_output_is_stream(stream, STDERR_FILENO);

	if (is_journal)
		datagram_open(); /* also needed if the format changes later */
	if (format == LOG_FORMAT_JSON)
		log_set_sink(to_json);
	else if (is_journal)
		log_set_sink(to_journal);
	else
		log_set_sink(NULL);
}
