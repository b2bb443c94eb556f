/*
 * crawl/cookies.h - the cookies of a site, loaded into libcurl's engine
 * before a transfer and saved after it. The engine decides which cookies it
 * accepts (none for public suffixes, by libpsl), sends and expires. Used only
 * by transfer.c.
 */
#ifndef CRAWL_COOKIES_H
#define CRAWL_COOKIES_H

#include <curl/curl.h>

#include "crawl/fetch.h"

enum { MAX_COOKIES = 64, MAX_COOKIE_BYTES = 16 * 1024 };

/* Replace the cookies of the handle. */
CURLcode cookies_load(CURL *easy, const struct cookies *cookies);

/*
 * Copy the cookies of the handle that have not expired; omit those over
 * MAX_COOKIES or MAX_COOKIE_BYTES.
 */
void cookies_save(CURL *easy, struct cookies *cookies);

#endif
