/*
 * page/xml/xml_memory.h - libxml2 leaves out what it has no memory for, and
 * says nothing: a page would lose its end, an XPath would not match.
 */
#ifndef PAGE_XML_XML_MEMORY_H
#define PAGE_XML_XML_MEMORY_H

/*
 * From now on libxml2 ends the process when there is no memory, as mem_alloc()
 * does. For programs, at their beginning and before any thread; a library must
 * not do so to the program that uses it.
 */
void xml_memory_take(void);

#endif
