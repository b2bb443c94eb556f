/*
 * tests/fault/crawl.h - the whole daemon in a separate process that crawls the
 * tiny site; its responses, and the contents of its store afterwards.
 */
#ifndef TESTS_FAULT_CRAWL_H
#define TESTS_FAULT_CRAWL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buffer.h"
#include "store/store.h"
#include "tests/fault/fault.h"

/* A daemon and its output. */
struct crawl {
	const char *folder; /* the caller's: its store, socket, archive, log */
	uint16_t port;      /* of the tiny site */
	pid_t pid;
	int status; /* as from waitpid(); valid once it has exited */
	bool has_ended;
	bool is_late;    /* did not exit on request */
	bool is_watched; /* the site is acknowledged */
	bool is_done;    /* "watching": nothing is pending */
	uint32_t pages;  /* that it has acknowledged */
};

/*
 * Start it, armed with `fault` (NULL: nothing fails), watch the site, and poll
 * until all is crawled, the daemon has exited, or `patience_ms` are over.
 */
void crawl_run(struct crawl *crawl, struct fault *fault, uint32_t patience_ms);

/* SIGTERM; what does not end then is killed. */
void crawl_stop(struct crawl *crawl);

/* What the daemon has logged; buffer_free(). */
struct buffer crawl_log(const struct crawl *crawl);

/* Rows of the tables that store the knowledge about the site. */
struct holding {
	bool is_there; /* the store could be opened */
	uint64_t problems;
	uint64_t pages;
	uint64_t clusters;
	uint64_t rows[TABLE_COUNT];
	struct buffer text; /* of the problems; buffer_free() */
};

/* Open the store, verify it and count. */
struct holding crawl_hold(const struct crawl *crawl);

#endif
