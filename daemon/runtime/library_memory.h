/* daemon/runtime/library_memory.h - handle out of memory in libraries. */
#ifndef DAEMON_RUNTIME_LIBRARY_MEMORY_H
#define DAEMON_RUNTIME_LIBRARY_MEMORY_H

/*
 * Make jansson and libxml2 abort the process when memory is short, as
 * mem_alloc() does. Otherwise they would continue with an incomplete value or
 * page. Call this at the start of main(), before any thread is started.
 */
void library_memory_install(void);

#endif
