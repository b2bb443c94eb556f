/* tests/bench/bodies.h - the bytes of many pages, and work timed over them. */
#ifndef TESTS_BENCH_BODIES_H
#define TESTS_BENCH_BODIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

struct bodies {
	struct buffer *items; /* [count] */
	size_t count;
	size_t bytes;
};

/* Something of each page, so that no work can be left out. */
typedef size_t bodies_work(struct slice body);

/*
 * Read all .html and .html.gz files of a folder. If there are none, print that
 * and return false. End with bodies_free().
 */
bool bodies_read(struct bodies *bodies, const char *folder);
void bodies_free(struct bodies *bodies);

/* The fastest of `rounds` over all pages, in ms of the thread's CPU time. */
double bodies_time(const struct bodies *bodies, bodies_work *work, int rounds,
		   size_t *count_out);

/* Work of the floors: libxml2's SAX parser with empty handlers; page_parse. */
size_t bodies_parse_bare(struct slice body);
size_t bodies_parse(struct slice body);

/* Print a row: ms per page, MB/s, and the ratio of its time to libxml2's. */
void bodies_print_heads(void);
void bodies_print_row(const struct bodies *bodies, const char *name, double ms,
		      double bare_ms);

#endif
