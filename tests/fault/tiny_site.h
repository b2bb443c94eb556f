/*
 * tests/fault/tiny_site.h - a site of twelve pages and two templates on
 * loopback, in a separate process. All clients get the same responses.
 */
#ifndef TESTS_FAULT_TINY_SITE_H
#define TESTS_FAULT_TINY_SITE_H

#include <stdint.h>
#include <sys/types.h>

enum { TINY_LISTS = 4, TINY_ARTICLES = 7, TINY_PAGES = 12 };

struct tiny_site {
	pid_t pid;
	uint16_t port;
};

struct tiny_site tiny_site_start(void);
void tiny_site_stop(const struct tiny_site *site);

#endif
