/*
 * crawl/curl_memory.h - initialise libcurl, in the same way for all its
 * users.
 */
#ifndef CRAWL_CURL_MEMORY_H
#define CRAWL_CURL_MEMORY_H

#include <stdbool.h>

/*
 * Like curl_global_init(); undo it by curl_global_cleanup(). When memory is
 * short, the process aborts, as in mem_alloc(): libcurl has one code for that
 * and for headers that are too long, which only fail the page. Not thread-safe.
 */
bool curl_memory_begin(void);

#endif
