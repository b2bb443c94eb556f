#include "daemon/runtime/library_memory.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"
#include "page/xml.h"

static void *library_alloc(size_t size)
{
	return mem_resize(NULL, size, 1);
}

void library_memory_install(void)
{
	json_set_alloc_funcs(library_alloc, free);
	xml_memory_set_abort();
}
