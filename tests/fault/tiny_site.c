#include "tests/fault/tiny_site.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buffer.h"

enum { MAX_REQUEST_BYTES = 4096, BACKLOG = 64 };

static void add_frame(struct buffer *page, const char *title)
{
	buffer_printf(page,
		      "<!DOCTYPE html><html><head><title>%s</title>"
		      "<link rel=canonical href='?'></head><body>"
		      "<nav><ul><li><a href='/'>The front</a></li>",
		      title);
	for (int i = 1; i <= TINY_LISTS; i++)
		buffer_printf(page, "<li><a href='/list/%d'>List %d</a></li>",
			      i, i);
	buffer_append_text(page, "</ul></nav>");
}

static void add_list(struct buffer *page, int number)
{
	buffer_printf(page, "<main><h2>All of list %d</h2><ol>", number);
	for (int i = 1; i <= TINY_ARTICLES; i++)
		buffer_printf(page,
			      "<li><b>%d</b><a href='/article/%d'>Of number %d"
			      " and what became of it</a></li>",
			      i, i, i);
	buffer_append_text(page, "</ol></main>");
}

static void add_article(struct buffer *page, int number)
{
	buffer_printf(page, "<article><header><h1>Number %d</h1></header>",
		      number);
	for (int i = 0; i < 3 + number % 3; i++)
		buffer_printf(page,
			      "<p>Of number %d there is this to say, in "
			      "sentence %d of it: that it is not %d.</p>",
			      number, i, number + i + 1);
	/* "word" in windows-1251, as in the header, and a host in UTF-8 */
	buffer_append_text(page, "<section><h3>Elsewhere</h3><p>"
				 "\xf1\xeb\xee\xe2\xee \xf1\xeb\xee\xe2\xee</p>"
				 "<a href='//b&uuml;cher.example/'>there</a>"
				 "</section></article>");
}

/* False when there is no such page. */
static bool make_page(const char *target, struct buffer *page)
{
	int number = 0;

	if (strncmp(target, "/list/", 6) == 0)
		number = (int)strtol(target + 6, NULL, 10);
	else if (strncmp(target, "/article/", 9) == 0)
		number = (int)strtol(target + 9, NULL, 10);
	else if (strncmp(target, "/ ", 2) != 0)
		return false;
	add_frame(page, "A tiny site");
	if (target[1] == 'a')
		add_article(page, number);
	else
		add_list(page, number);
	buffer_append_text(page, "<footer><p>All rights left</p></footer>"
				 "</body></html>");
	return true;
}

static void answer(int socket, const char *request)
{
	const char *target = strchr(request, ' ');
	struct buffer page = {0};
	struct buffer head = {0};
	bool is_there = target != NULL && make_page(target + 1, &page);

	buffer_printf(&head,
		      "HTTP/1.1 %s\r\nConnection: close\r\nContent-Type: "
		      "text/html; charset=windows-1251\r\nContent-Length: "
		      "%zu\r\n\r\n",
		      is_there ? "200 OK" : "404 Not Found", page.size);
	send(socket, head.data, head.size, MSG_NOSIGNAL | MSG_MORE);
	send(socket, page.data, page.size, MSG_NOSIGNAL);
	buffer_free(&head);
	buffer_free(&page);
}

/* One request; a head of one segment is all that our fetcher sends. */
static void serve(int socket)
{
	char request[MAX_REQUEST_BYTES];
	struct timeval patience = {.tv_sec = 2};
	ssize_t size;

	setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience,
		   sizeof(patience));
	size = recv(socket, request, sizeof(request) - 1, 0);
	if (size > 0) {
		request[size] = '\0';
		answer(socket, request);
	}
	close(socket);
}

struct tiny_site tiny_site_start(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr =
					      htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	struct sockaddr *any = (struct sockaddr *)&address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct tiny_site site = {0};

	if (bind(listener, any, size) != 0 || listen(listener, BACKLOG) != 0 ||
	    getsockname(listener, any, &size) != 0)
		abort();
	site.port = ntohs(address.sin_port);
	site.pid = fork();
	if (site.pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			serve(accept(listener, NULL, NULL));
	}
	close(listener);
	return site;
}

void tiny_site_stop(const struct tiny_site *site)
{
	kill(site->pid, SIGKILL);
	waitpid(site->pid, NULL, 0);
}
