/*
 * load SOCKET TARGETS [OPTIONS] - many clients of a daemon's API at once. One
 * thread keeps connections open by epoll; each asks for the next target of the
 * file TARGETS, a line each, as soon as it has its answer. Printed is one JSON
 * object: how many answers, how many a second, and what they took in ms, from
 * the moment that a request is written.
 *
 *   --connections N  that ask (64)
 *   --idle N         that are open besides, and ask for nothing (0)
 *   --pipeline N     requests of a connection that are in progress (1, up to
 * 64)
 *   --seconds N      (10)
 *   --once           every target once, however long it takes
 */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum {
	MAX_PIPELINE = 64,
	MAX_LINE = 8192,
	ROOM_BYTES = 64 * 1024,
	EVENTS = 64,
	PATIENCE_MS = 30 * 1000, /* without any answer */
};

struct options {
	const char *socket;
	const char *targets;
	size_t connections;
	size_t idle;
	size_t pipeline;
	uint64_t seconds;
	bool is_once;
};

/* A connection that asks. */
struct client {
	int file;
	uint64_t sent_ns[MAX_PIPELINE]; /* a ring */
	size_t first;
	size_t waiting;     /* requests without an answer */
	uint64_t body_left; /* bytes of an answer's body that are to come */
	size_t filled;      /* of the room, not yet read */
	char room[ROOM_BYTES];
};

struct load {
	struct options options;
	char **requests; /* [request_count] */
	size_t request_count;
	size_t request_capacity;
	size_t asked;
	int epoll;
	struct client *clients; /* [options.connections] */
	size_t open;
	uint64_t end_ns;
	double *took_ms; /* [answers] */
	size_t answers;
	size_t capacity;
	size_t failed; /* of these: no 200 */
	uint64_t bytes;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static bool read_targets(struct load *load)
{
	char line[MAX_LINE];
	char request[MAX_LINE + 64];
	FILE *file = fopen(load->options.targets, "re");

	if (file == NULL)
		return false;
	while (fgets(line, sizeof(line), file) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		snprintf(request, sizeof(request),
			 "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", line);
		load->requests =
			mem_grow(load->requests, load->request_count,
				 &load->request_capacity, sizeof(char *));
		load->requests[load->request_count++] =
			mem_copy_text(request, strlen(request));
	}
	fclose(file);
	return load->request_count > 0;
}

static int dial(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (file >= 0 && connect(file, (const struct sockaddr *)&address,
				 sizeof(address)) == 0)
		return file;
	if (file >= 0)
		close(file);
	return -1;
}

static bool is_over(const struct load *load)
{
	return load->options.is_once ? load->asked == load->request_count
				     : now_ns() >= load->end_ns;
}

/* Keep the allowed number of requests in progress. Return false if the daemon
 * does not accept them. */
static bool ask(struct load *load, struct client *client)
{
	while (client->waiting < load->options.pipeline && !is_over(load)) {
		const char *request =
			load->requests[load->asked % load->request_count];
		size_t size = strlen(request);

		load->asked++;
		client->sent_ns[(client->first + client->waiting) %
				MAX_PIPELINE] = now_ns();
		client->waiting++;
		if (send(client->file, request, size, MSG_NOSIGNAL) !=
		    (ssize_t)size)
			return false;
	}
	return true;
}

static void count_answer(struct load *load, struct client *client,
			 const char *head)
{
	uint64_t took = now_ns() - client->sent_ns[client->first];

	client->first = (client->first + 1) % MAX_PIPELINE;
	client->waiting--;
	load->took_ms = mem_grow(load->took_ms, load->answers, &load->capacity,
				 sizeof(*load->took_ms));
	load->took_ms[load->answers++] = (double)took / 1e6;
	load->failed += strncmp(head, "HTTP/1.1 200 ", 13) != 0;
}

/* Parse the head, which ends with NUL. Return false if it is malformed. */
static bool body_size(const char *head, uint64_t *size_out)
{
	static const char name[] = "\r\nContent-Length: ";
	const char *at = strcasestr(head, name);

	if (at == NULL)
		return false;
	*size_out = strtoull(at + strlen(name), NULL, 10);
	return true;
}

/* Take one answer's head, or a part of a body, off the room. Returns its bytes;
 * 0: more must come; SIZE_MAX: that is no answer. */
static size_t take(struct load *load, struct client *client, char *from,
		   size_t size)
{
	char *end;

	if (client->body_left > 0) {
		size_t part = client->body_left < size
				      ? (size_t)client->body_left
				      : size;

		client->body_left -= part;
		return part;
	}
	end = memmem(from, size, "\r\n\r\n", 4);
	if (end == NULL)
		return size == ROOM_BYTES ? SIZE_MAX : 0;
	end[2] = '\0';
	if (client->waiting == 0 || !body_size(from, &client->body_left))
		return SIZE_MAX;
	count_answer(load, client, from);
	return (size_t)(end + 4 - from);
}

/* Read the available bytes. Return false if the connection has ended. */
static bool hear(struct load *load, struct client *client)
{
	ssize_t count = recv(client->file, client->room + client->filled,
			     ROOM_BYTES - client->filled, 0);
	size_t used = 0;
	size_t part = 1;

	if (count <= 0)
		return false;
	load->bytes += (uint64_t)count;
	client->filled += (size_t)count;
	while (part > 0 && used < client->filled) {
		part = take(load, client, client->room + used,
			    client->filled - used);
		if (part == SIZE_MAX)
			return false;
		used += part;
	}
	memmove(client->room, client->room + used, client->filled - used);
	client->filled -= used;
	return ask(load, client) &&
	       (client->waiting > 0 || client->body_left > 0);
}

static void hang_up(struct load *load, struct client *client)
{
	close(client->file);
	load->failed += client->waiting;
	load->open--;
}

/* Return false at the end of the input. */
static bool turn(struct load *load)
{
	struct epoll_event events[EVENTS];
	int count = epoll_wait(load->epoll, events, EVENTS, PATIENCE_MS);

	for (int i = 0; i < count; i++)
		if (!hear(load, events[i].data.ptr))
			hang_up(load, events[i].data.ptr);
	return count > 0 || (count < 0 && errno == EINTR);
}

/* One that waits for room is tried again: the queue of a socket is short. */
static int dial_patiently(const char *path)
{
	int file = dial(path);

	for (int i = 0; file < 0 && i < 1000; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		file = dial(path);
	}
	return file;
}

static bool open_all(struct load *load)
{
	const struct options *options = &load->options;

	load->epoll = epoll_create1(EPOLL_CLOEXEC);
	load->clients = mem_alloc(options->connections, sizeof(struct client));
	for (size_t i = 0; i < options->idle; i++)
		if (dial_patiently(options->socket) < 0)
			return false;
	for (size_t i = 0; i < options->connections; i++) {
		struct client *client = &load->clients[i];
		struct epoll_event event = {.events = EPOLLIN,
					    .data.ptr = client};

		client->file = dial_patiently(options->socket);
		if (client->file < 0 || epoll_ctl(load->epoll, EPOLL_CTL_ADD,
						  client->file, &event) != 0)
			return false;
	}
	return true;
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static double quantile(const struct load *load, double share)
{
	size_t index = (size_t)((double)load->answers * share);

	if (load->answers == 0)
		return 0;
	return load->took_ms[index < load->answers ? index : load->answers - 1];
}

static void report(struct load *load, double seconds)
{
	if (load->answers > 0)
		qsort(load->took_ms, load->answers, sizeof(*load->took_ms),
		      by_size);
	printf("{\"answers\": %zu, \"failed\": %zu, \"rate\": %.1f, "
	       "\"p50\": %.3f, \"p90\": %.3f, \"p99\": %.3f, \"max\": %.3f, "
	       "\"bytes\": %llu, \"seconds\": %.3f}\n",
	       load->answers, load->failed, (double)load->answers / seconds,
	       quantile(load, .5), quantile(load, .9), quantile(load, .99),
	       quantile(load, 1), (unsigned long long)load->bytes, seconds);
}

static void run(struct load *load)
{
	uint64_t begin_ns = now_ns();

	load->end_ns = begin_ns + load->options.seconds * 1000000000U;
	load->open = load->options.connections;
	for (size_t i = 0; i < load->options.connections; i++)
		if (!ask(load, &load->clients[i]) ||
		    load->clients[i].waiting == 0)
			hang_up(load, &load->clients[i]);
	while (load->open > 0 && turn(load))
		;
	report(load, (double)(now_ns() - begin_ns) / 1e9);
}

static bool read_number(const char *text, size_t max, size_t *number_out)
{
	char *end;

	*number_out = strtoul(text, &end, 10);
	return *text != '\0' && *end == '\0' && *number_out <= max;
}

static bool read_options(int count, char **arguments, struct options *options)
{
	static const struct option names[] = {
		{"connections", required_argument, NULL, 'c'},
		{"idle", required_argument, NULL, 'i'},
		{"pipeline", required_argument, NULL, 'p'},
		{"seconds", required_argument, NULL, 's'},
		{"once", no_argument, NULL, 'o'},
		{NULL, 0, NULL, 0},
	};
	bool is_right = true;
	size_t seconds = 10;
	int name;

	*options = (struct options){.connections = 64, .pipeline = 1};
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
	while ((name = getopt_long(count, arguments, "", names, NULL)) != -1) {
		if (name == 'c')
			is_right &= read_number(optarg, 65536,
						&options->connections);
		else if (name == 'i')
			is_right &= read_number(optarg, 65536, &options->idle);
		else if (name == 'p')
			is_right &= read_number(optarg, MAX_PIPELINE,
						&options->pipeline);
		else if (name == 's')
			is_right &= read_number(optarg, 86400, &seconds);
		else if (name == 'o')
			options->is_once = true;
		else
			return false;
	}
	options->seconds = seconds;
	if (count - optind != 2)
		return false;
	options->socket = arguments[optind];
	options->targets = arguments[optind + 1];
	return is_right && options->connections > 0 && options->pipeline > 0;
}

int main(int count, char **arguments)
{
	struct load load = {.epoll = -1};
	struct rlimit files;

	if (!read_options(count, arguments, &load.options)) {
		fprintf(stderr, "usage: load SOCKET TARGETS [--connections N] "
				"[--idle N] [--pipeline N] [--seconds N] "
				"[--once]\n");
		return 2;
	}
	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (!read_targets(&load)) {
		fprintf(stderr, "%s: no targets\n", load.options.targets);
		return 1;
	}
	if (!open_all(&load)) {
		fprintf(stderr, "%s: %s\n", load.options.socket,
			strerrordesc_np(errno));
		return 1;
	}
	run(&load);
	return 0;
}
