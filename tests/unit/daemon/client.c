#include "tests/unit/daemon/client.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int client_open(const char *socket_path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(
		connect(file, (struct sockaddr *)&address, sizeof(address)), 0);
	return file;
}

int test_client_send(int file, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		ssize_t sent = send(file, text, left, MSG_NOSIGNAL);

		if (sent <= 0)
			return 0;
		text += sent;
		left -= (size_t)sent;
	}
	return 1;
}

struct buffer test_client_receive(int file)
{
	struct buffer answer = {0};
	ssize_t size;

	do {
		char *place = buffer_reserve(&answer, 4096);

		size = recv(file, place, 4095, 0);
		if (size > 0)
			answer.size += (size_t)size;
	} while (size > 0);
	buffer_append_byte(&answer, '\0');
	answer.size--;
	return answer;
}

struct buffer test_client_ask(const char *socket_path, const char *method,
			      const char *target, const char *body)
{
	int file = client_open(socket_path);
	struct buffer request = {0};
	struct buffer answer;

	buffer_printf(&request,
		      "%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
		      method, target);
	if (body != NULL)
		buffer_printf(&request, "Content-Length: %zu\r\n",
			      strlen(body));
	buffer_append_text(&request, "\r\n");
	buffer_append_text(&request, body == NULL ? "" : body);
	test_client_send(file, request.data);
	answer = test_client_receive(file);
	close(file);
	buffer_free(&request);
	return answer;
}

int client_status(const struct buffer *answer)
{
	int status = 0;

	if (answer->size > 12 && memcmp(answer->data, "HTTP/1.1 ", 9) == 0)
		status = (int)strtol(answer->data + 9, NULL, 10);
	return status;
}

const char *client_body(const struct buffer *answer)
{
	const char *end =
		answer->size == 0 ? NULL : strstr(answer->data, "\r\n\r\n");

	return end == NULL ? "" : end + 4;
}
