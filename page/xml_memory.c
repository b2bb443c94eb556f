#include "page/xml_memory.h"

#include <stdlib.h>
#include <string.h>

#include <libxml/xmlmemory.h>

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

void xml_memory_take(void)
{
	xmlMemSetup(free, take, take_more, take_copy);
}
