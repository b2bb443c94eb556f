#include "tests/unit/crawl/bombs.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/crawl/server.h"

#define PACKED \
	"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: "

enum { BROTLI_ROUNDS = 40 };

void bomb_gzip(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, PACKED "gzip\r\n\r\n");
	server_send_output(socket, "head -c 1073741824 /dev/zero | gzip -9");
}

void bomb_gzip_twice(int socket, const char *request)
{
	(void)request;
	server_send_text(socket, PACKED "gzip, gzip\r\n\r\n");
	server_send_output(socket,
			   "head -c 134217728 /dev/zero | gzip -9 | gzip -9");
}

/* brotli -q 9 -w 24 makes this of blanks, and repeats the second part. */
void bomb_brotli(int socket, const char *request)
{
	static const char begin[] =
		"\xcf\xff\xff\x7f\x00\xa4\x7d\x40\x78\xe0\x26\x21\x8c\xbc\x56"
		"\x48\x6a\x49\xc8\xf4\xb0\xea\xfd\xbf\x5d\xf8";
	static const char round[] =
		"\xff\xff\x0f\x80\x04\x40\x1c\x16\x80\xee\xfd\x3f\xff\xff\xff"
		"\x01\x90\x00\x88\xc3\x02\xd0\xbd\xff\xe7\xff\xff\x3f\x00\x12"
		"\x00\x71\x58\x00\xba\xf7\xff\xfc\xff\xff\x07\x40\x02\x20\x0e"
		"\x0b\x40\xf7\xfe\x9f\xff\xff\xff\x00\x48\x00\xc4\x61\x01\xe8"
		"\xde\xff\xf3\xff\xff\x1f\x00\x09\x80\x38\x2c\x00\xdd\xfb\x7f"
		"\xfe\xff\xff\x03\x20\x01\x10\x87\x05\xa0\x7b\xff\xcf\xff\xff"
		"\x7f\x00\x24\x00\xe2\xb0\x00\x74\xef\xff\xf9";

	(void)request;
	server_send_text(socket, PACKED "br\r\n\r\n");
	server_send(socket, begin, sizeof(begin) - 1);
	for (int i = 0; i < BROTLI_ROUNDS; i++)
		server_send(socket, round, sizeof(round) - 1);
}

long bomb_peak_kb(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss;
}
