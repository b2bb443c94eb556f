/*
 * crawl/fetch/cookies.h - the cookies of a site, carried into libcurl's engine
 * before a transfer and out of it after. The engine decides which cookies are
 * accepted (none for public suffixes, by libpsl), sent and expired. Used by
 * transfer.c alone.
 */
#ifndef CRAWL_FETCH_COOKIES_H
#define CRAWL_FETCH_COOKIES_H

#include <curl/curl.h>

#include "crawl/fetch/fetch.h"

enum { MAX_COOKIES = 64, MAX_COOKIE_BYTES = 16 * 1024 };

/* Replace the cookies of the handle by these. */
CURLcode cookies_load(CURL *easy, const struct cookies *cookies);

/*
 * Copy the cookies of the handle that have not expired. What is over
 * MAX_COOKIES or MAX_COOKIE_BYTES is left out.
 */
void cookies_save(CURL *easy, struct cookies *cookies);

#endif
