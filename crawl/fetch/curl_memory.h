/* crawl/fetch/curl_memory.h - libcurl, begun the same way by all its users. */
#ifndef CRAWL_FETCH_CURL_MEMORY_H
#define CRAWL_FETCH_CURL_MEMORY_H

#include <stdbool.h>

/*
 * As curl_global_init(); end it by curl_global_cleanup(). Out of memory ends
 * the process, as in mem_alloc(): libcurl has the same code for that and for
 * headers that are too long, for which a page is given up. Not thread-safe.
 */
bool curl_memory_begin(void);

#endif
