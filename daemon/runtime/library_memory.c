#include "daemon/runtime/library_memory.h"

#include <stdlib.h>

#include <jansson.h>

#include "base/memory.h"
#include "page/xml_memory.h"

static void *take(size_t size)
{
	return mem_resize(NULL, size, 1);
}

void library_memory_take(void)
{
	json_set_alloc_funcs(take, free);
	xml_memory_take();
}
