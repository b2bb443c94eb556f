#include "page/xml_memory.h"

#include <stdlib.h>
#include <string.h>

#include <libxml/xmlmemory.h>

#include "base/memory.h"

static void *xml_malloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

static void *xml_realloc(void *memory, size_t size)
{
	return mem_resize(memory, size, 1);
}

static char *xml_strdup(const char *text)
{
	return mem_copy_text(text, strlen(text));
}

void xml_memory_set_abort(void)
{
	xmlMemSetup(free, xml_malloc, xml_realloc, xml_strdup);
}
