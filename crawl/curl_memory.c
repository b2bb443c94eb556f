#include "crawl/curl_memory.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void *take(size_t size)
{
	return mem_resize(NULL, size, 1);
}

static void *take_more(void *memory, size_t size)
{
	return mem_resize(memory, size, 1);
}

static char *take_copy(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

bool curl_memory_begin(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, take, free, take_more,
				    take_copy, mem_alloc) == CURLE_OK;
}
