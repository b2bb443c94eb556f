/*
 * bench_parse FOLDER [ROUNDS] - cost of parsing, compared with lower bounds: a
 * scan for "<" (memchr), the scanner, libxml2's SAX parser with empty handlers,
 * and page_parse. The best of ROUNDS (5) over all .html and .html.gz files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/scanner.h"
#include "tests/bench/bodies.h"

static size_t find_tags(struct slice body)
{
	const char *at = body.data;
	const char *end = at + body.size;
	size_t count = 0;

	while ((at = memchr(at, '<', (size_t)(end - at))) != NULL) {
		count++;
		at++;
	}
	return count;
}

static size_t scan(struct slice body)
{
	struct scanner scanner = {.source = body};
	struct token token;
	size_t count = 0;

	while (scanner_next(&scanner, &token))
		count++;
	return count;
}

static void report(const struct bodies *bodies, int rounds)
{
	static const struct {
		const char *name;
		bodies_work *work;
	} rows[] = {
		{"memchr", find_tags},
		{"scanner", scan},
		{"libxml2", bodies_parse_bare},
		{"page_parse", bodies_parse},
	};
	enum { ROWS = sizeof(rows) / sizeof(*rows), LIBXML2 = 2 };
	double times[ROWS];
	size_t count;

	for (size_t i = 0; i < ROWS; i++)
		times[i] = bodies_time(bodies, rows[i].work, rounds, &count);
	printf("%zu pages, %.1f MB, best of %d\n", bodies->count,
	       (double)bodies->bytes / 1e6, rounds);
	bodies_print_heads();
	for (size_t i = 0; i < ROWS; i++)
		bodies_print_row(bodies, rows[i].name, times[i],
				 times[LIBXML2]);
}

int main(int argc, char **argv)
{
	struct bodies bodies;
	int rounds = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 5;
	bool is_read;

	if (argc < 2 || rounds < 1) {
		fprintf(stderr, "usage: bench_parse FOLDER [ROUNDS]\n");
		return 2;
	}
	is_read = bodies_read(&bodies, argv[1]);
	if (is_read)
		report(&bodies, rounds);
	bodies_free(&bodies);
	return is_read ? 0 : 1;
}
