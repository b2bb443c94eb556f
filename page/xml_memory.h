/*
 * page/xml_memory.h - makes libxml2 abort when memory runs out. Otherwise
 * it silently skips the data: a page would lose its end, or an XPath would not
 * match.
 */
#ifndef PAGE_XML_MEMORY_H
#define PAGE_XML_MEMORY_H

/*
 * From now on libxml2 ends the process if an allocation fails, as mem_alloc()
 * does. For programs, at their start and before other threads; a library must
 * not do this to the program that uses it.
 */
void xml_memory_set_abort(void);

#endif
