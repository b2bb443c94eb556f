#include "daemon/runtime/systemd.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/date.h"
#include "daemon/runtime/clock.h"

enum { FIRST_FILE = 3, MAX_FILES = 64 };

_Static_assert(sizeof(((struct sockaddr_un *)0)->sun_path) ==
		       ACTIVATION_PATH_BYTES,
	       "a socket path");

/* The program never changes its environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

size_t activation_count(void)
{
	const char *pid = getenv("LISTEN_PID");
	const char *files = getenv("LISTEN_FDS");
	unsigned long count;

	if (pid == NULL || files == NULL ||
	    strtoll(pid, NULL, 10) != (long long)getpid())
		return 0;
	count = strtoul(files, NULL, 10);
	return count > MAX_FILES ? MAX_FILES : count;
}

/*
 * Read the path of the socket. Return false if it is not a listening socket in
 * the file system.
 */
static bool read_path(int file, char path_out[ACTIVATION_PATH_BYTES])
{
	struct sockaddr_un address = {0};
	socklen_t size = sizeof(address);
	int is_listening = 0;
	socklen_t option_size = sizeof(is_listening);
	size_t length;

	if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &is_listening,
		       &option_size) != 0 ||
	    is_listening == 0 ||
	    getsockname(file, (struct sockaddr *)&address, &size) != 0 ||
	    address.sun_family != AF_UNIX)
		return false;
	length = strnlen(address.sun_path, sizeof(address.sun_path));
	if (length == 0 || length == sizeof(address.sun_path))
		return false;
	memcpy(path_out, address.sun_path, length + 1);
	return true;
}

bool activation_path(const char *name, char path_out[ACTIVATION_PATH_BYTES])
{
	const char *names = getenv("LISTEN_FDNAMES");
	size_t count = activation_count();
	size_t wanted = strlen(name);

	for (size_t i = 0; names != NULL && i < count; i++) {
		size_t length = strcspn(names, ":");

		if (length == wanted && memcmp(names, name, length) == 0)
			return read_path(FIRST_FILE + (int)i, path_out);
		names += length;
		names += *names == ':';
	}
	return false;
}

int activation_file(const char *path)
{
	char other[ACTIVATION_PATH_BYTES];
	int end = FIRST_FILE + (int)activation_count();

	for (int file = FIRST_FILE; file < end; file++)
		if (read_path(file, other) && strcmp(other, path) == 0)
			return file;
	return -1;
}

void activation_close_on_exec(void)
{
	int end = FIRST_FILE + (int)activation_count();

	for (int file = FIRST_FILE; file < end; file++)
		fcntl(file, F_SETFD, FD_CLOEXEC);
}

/* NOLINTEND(concurrency-mt-unsafe) */

static pthread_once_t is_open = PTHREAD_ONCE_INIT;
static int sender = -1;

static void open_sender(void)
{
	sender = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

void datagram_open(void)
{
	pthread_once(&is_open, open_sender);
}

bool datagram_send(const char *path, struct slice bytes)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);

	if (length == 0 || length >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, path, length);
	if (address.sun_path[0] == '@')
		/* '@' marks an abstract name, which begins with a NUL */
		address.sun_path[0] = '\0';
	datagram_open();
	return sender >= 0 &&
	       sendto(sender, bytes.data, bytes.size,
		      MSG_NOSIGNAL | MSG_DONTWAIT,
		      (const struct sockaddr *)&address,
		      (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
				  length)) >= 0;
}

/* Append the time in the format 2017-03-06T04:03:53.123Z. */
static void log_append_time(struct buffer *out, uint64_t now_ms)
{
	char text[DATE_BYTES];

	date_format(now_ms, text);
	text[strcspn(text, "Z")] = '\0';
	buffer_printf(out, "{\"time\":\"%s.%03uZ\"", text,
		      (unsigned)(now_ms % 1000U));
}

/*
 * Append `value` in double quotes, and replace each byte that is not ASCII with
 * '?'. It is used for text that is not valid UTF-8.
 */
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

/* Append "name": "value". `value` has no control characters. */
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

/*
 * Values contain no line feed, so the binary form of the protocol is not
 * needed.
 */
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

/*
 * Write the line with one call, so that lines of several threads are not mixed.
 */
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
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): a constant environment */
	const char *stream = getenv("JOURNAL_STREAM");
	bool is_journal = log_output_is_stream(stream, STDERR_FILENO);

	if (is_journal)
		/*
		 * open the socket now even for another format, because the
		 * format may change later
		 */
		datagram_open();
	if (format == LOG_FORMAT_JSON)
		log_set_sink(to_json);
	else if (is_journal)
		log_set_sink(to_journal);
	else
		log_set_sink(NULL);
}

/* The program never changes its environment, so any thread may read it. */
/* NOLINTBEGIN(concurrency-mt-unsafe) */

bool notify_is_wanted(void)
{
	const char *path = getenv("NOTIFY_SOCKET");

	return path != NULL && *path != '\0';
}

void notify_send(const char *state)
{
	const char *path = getenv("NOTIFY_SOCKET");

	if (path != NULL)
		datagram_send(path, slice_of(state));
}

uint32_t notify_watchdog_ms(void)
{
	const char *limit_us = getenv("WATCHDOG_USEC");
	const char *pid = getenv("WATCHDOG_PID");
	unsigned long long half_ms;

	if (limit_us == NULL ||
	    (pid != NULL && strtoll(pid, NULL, 10) != (long long)getpid()))
		return 0;
	half_ms = strtoull(limit_us, NULL, 10) / 2000U;
	return half_ms > UINT32_MAX ? UINT32_MAX : (uint32_t)half_ms;
}

/* NOLINTEND(concurrency-mt-unsafe) */

enum { MAX_PLACE = 4096 };

static bool xdg_print_path(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Format a path. Return false if it is too long for `out`. */
static bool xdg_print_path(char *out, size_t size, const char *format, ...)
{
	va_list values;
	int length;

	va_start(values, format);
	length = vsnprintf(out, size, format, values);
	va_end(values);
	return length > 0 && (size_t)length < size;
}

/*
 * Return the value of the variable if it is an absolute path; otherwise NULL.
 */
static const char *xdg_folder(const char *variable)
{
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): a constant environment */
	const char *path = getenv(variable);

	return path != NULL && *path == '/' ? path : NULL;
}

bool xdg_store_path(char *out, size_t size)
{
	const char *data = xdg_folder("XDG_DATA_HOME");
	const char *home = xdg_folder("HOME");

	if (data != NULL)
		return xdg_print_path(out, size, "%s/templated", data);
	return home != NULL &&
	       xdg_print_path(out, size, "%s/.local/share/templated", home);
}

static bool path_in_runtime(char out[XDG_SOCKET_BYTES])
{
	const char *runtime = xdg_folder("XDG_RUNTIME_DIR");

	return runtime != NULL &&
	       xdg_print_path(out, XDG_SOCKET_BYTES,
			      "%s/templated/templated.sock", runtime);
}

static bool path_in_store(char out[XDG_SOCKET_BYTES])
{
	char store[MAX_PLACE];

	return xdg_store_path(store, sizeof(store)) &&
	       xdg_print_path(out, XDG_SOCKET_BYTES, "%s/templated.sock",
			      store);
}

bool xdg_socket_path(char out[XDG_SOCKET_BYTES])
{
	return path_in_runtime(out) || path_in_store(out);
}

bool xdg_socket_find(char out[XDG_SOCKET_BYTES])
{
	return (path_in_runtime(out) && access(out, F_OK) == 0) ||
	       (path_in_store(out) && access(out, F_OK) == 0);
}

static bool xdg_make_folder(const char *path)
{
	return mkdir(path, 0700) == 0 || access(path, F_OK) == 0;
}

bool xdg_folder_make(const char *path)
{
	char folder[MAX_PLACE];

	if (!xdg_print_path(folder, sizeof(folder), "%s", path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *c = folder + 1; *c != '\0'; c++) {
		if (*c != '/')
			continue;
		*c = '\0';
		if (!xdg_make_folder(folder))
			return false;
		*c = '/';
	}
	return xdg_make_folder(folder) && access(folder, W_OK | X_OK) == 0;
}
