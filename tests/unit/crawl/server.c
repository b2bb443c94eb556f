#include "tests/unit/crawl/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/run.h"

int server_send(int socket, const void *data, size_t size)
{
	const char *bytes = data;

	while (size > 0) {
		ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);

		if (sent <= 0)
			return 0;
		bytes += sent;
		size -= (size_t)sent;
	}
	return 1;
}

int server_send_text(int socket, const char *text)
{
	return server_send(socket, text, strlen(text));
}

void server_send_output(int socket, const char *command)
{
	char data[4096];
	FILE *pipe = popen(command, "r"); /* NOLINT(cert-env33-c): fixed */
	size_t size;

	while ((size = fread(data, 1, sizeof(data), pipe)) > 0)
		if (!server_send(socket, data, size))
			break;
	pclose(pipe);
}

static void send_answer(int socket, const struct route *route)
{
	if (route->answer != NULL)
		server_send_text(socket, route->answer);
	for (int i = 0; i < route->times; i++)
		if (!server_send_text(socket, route->repeated))
			return;
	if (route->end != NULL)
		server_send_text(socket, route->end);
	if (route->command != NULL)
		server_send_output(socket, route->command);
}

/* Read up to the end of the head, and the body that Content-Length names. */
static int read_request(int socket, char *request, size_t capacity)
{
	size_t size = 0;
	const char *end = NULL;
	const char *length;
	size_t wanted;

	while (end == NULL && size + 1 < capacity) {
		ssize_t got = recv(socket, request + size, 1, 0);

		if (got <= 0)
			return 0;
		size += (size_t)got;
		request[size] = '\0';
		end = strstr(request, "\r\n\r\n");
	}
	length = strcasestr(request, "content-length: ");
	wanted = length == NULL ? 0 : strtoul(length + 16, NULL, 10);
	while (wanted-- > 0 && size + 1 < capacity) {
		if (recv(socket, request + size, 1, 0) <= 0)
			return 0;
		request[++size] = '\0';
	}
	return 1;
}

static const struct route *find_route(const char *request,
				      const struct route *routes, size_t count)
{
	const char *target = strchr(request, ' ');

	if (target == NULL)
		return NULL;
	target++;
	for (size_t i = 0; i < count; i++) {
		size_t size = strlen(routes[i].path);

		if (strncmp(target, routes[i].path, size) == 0 &&
		    target[size] == ' ')
			return &routes[i];
	}
	return NULL;
}

static void serve(int socket, const struct route *routes, size_t count)
{
	static char request[65536];

	while (read_request(socket, request, sizeof(request))) {
		const struct route *route = find_route(request, routes, count);

		if (route == NULL)
			break;
		if (route->handler != NULL)
			route->handler(socket, request);
		else
			send_answer(socket, route);
		if (!route->keeps_open)
			break;
	}
}

/* A process for each connection, so that none waits for a slow one. */
static void run(int listener, const struct route *routes, size_t count)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int socket = accept(listener, NULL, NULL);

		if (socket < 0)
			_exit(EXIT_FAILURE);
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(listener);
			serve(socket, routes, count);
			_exit(EXIT_SUCCESS);
		}
		close(socket);
	}
}

static struct server start(int listener, const struct route *routes,
			   size_t count)
{
	struct server server = {0};

	ck_assert_int_eq(listen(listener, 64), 0);
	server.pid = fork();
	ck_assert_int_ge(server.pid, 0);
	if (server.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(listener, routes, count);
	}
	close(listener);
	return server;
}

struct server server_start(const struct route *routes, size_t count)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct server server;

	ck_assert_int_eq(bind(listener, (const struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	ck_assert_int_eq(
		getsockname(listener, (struct sockaddr *)&address, &size), 0);
	server = start(listener, routes, count);
	server.port = ntohs(address.sin_port);
	return server;
}

struct server server_start_at(const char *path, const struct route *routes,
			      size_t count)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_uint_lt(strlen(path), sizeof(address.sun_path));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	ck_assert_int_eq(bind(listener, (const struct sockaddr *)&address,
			      sizeof(address)),
			 0);
	return start(listener, routes, count);
}

void server_stop(struct server *server)
{
	if (server->pid <= 0)
		return;
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
	server->pid = 0;
}
