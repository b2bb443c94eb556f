/* daemon/runtime/library_memory.h - out of memory is the same everywhere. */
#ifndef DAEMON_RUNTIME_LIBRARY_MEMORY_H
#define DAEMON_RUNTIME_LIBRARY_MEMORY_H

/*
 * From now on jansson and libxml2 end the process when there is no memory, as
 * mem_alloc() does: they go on with half a value or half a page else. At the
 * beginning of main(), before any thread.
 */
void library_memory_take(void);

#endif
