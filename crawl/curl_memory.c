#include "crawl/curl_memory.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void *curl_alloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

static void *curl_resize(void *memory, size_t size)
{
	return mem_resize(memory, size, 1);
}

static char *curl_copy_text(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

bool curl_memory_begin(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, curl_alloc, free,
				    curl_resize, curl_copy_text,
				    mem_alloc) == CURLE_OK;
}
