/*
 * tests/unit/crawl/bombs.h - answers that unpack to far more than they are, and
 * what they cost.
 */
#ifndef TESTS_UNIT_CRAWL_BOMBS_H
#define TESTS_UNIT_CRAWL_BOMBS_H

#include <stddef.h>

/* Handlers, see server.h. 1 GiB of zeros by gzip, which are 1 MB. */
void bomb_gzip(int socket, const char *request);

/* 128 MiB, packed twice, which are 300 bytes: "gzip, gzip". */
void bomb_gzip_twice(int socket, const char *request);

/* Over 1 GiB in 4 KB: blanks by brotli, with a window of 16 MB. */
void bomb_brotli(int socket, const char *request);

/* The most memory that this process has had, in KB. */
long bomb_peak_kb(void);

#endif
