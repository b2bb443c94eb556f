/*
 * crawl/request_headers.h - the headers of a request that libcurl does
 * not write.
 */
#ifndef CRAWL_REQUEST_HEADERS_H
#define CRAWL_REQUEST_HEADERS_H

#include <curl/curl.h>

#include "crawl/fetch.h"

/*
 * Return the headers of the request: its conditions, and the site's own lines.
 * Omit invalid lines and headers that libcurl or the crawler sets (Host,
 * Connection, Accept-Encoding, ...). Return NULL if there are none. Free the
 * list with curl_slist_free_all().
 */
struct curl_slist *request_headers(const struct fetch_request *request);

/* Add a line to a list (NULL for an empty list). Out of memory aborts. */
struct curl_slist *request_headers_add(struct curl_slist *list,
				       const char *line);

/*
 * Return whether the request has a condition, so that 304 is a valid response.
 */
bool request_is_conditional(const struct fetch_request *request);

#endif
