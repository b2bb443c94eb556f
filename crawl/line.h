/* crawl/line.h - lines of archives and of HTTP heads. */
#ifndef CRAWL_LINE_H
#define CRAWL_LINE_H

#include "base/slice.h"

/*
 * Remove the first line of `text`, with its LF; return it without the LF and
 * the CRs before it. The last line needs no LF.
 */
static inline struct slice line_take(struct slice *text)
{
	const char *begin = text->data;
	const char *end =
		text->size == 0 ? NULL : memchr(begin, '\n', text->size);
	size_t size = end == NULL ? text->size : (size_t)(end - begin);
	size_t taken = end == NULL ? size : size + 1;

	if (taken > 0)
		*text = (struct slice){begin + taken, text->size - taken};
	while (size > 0 && begin[size - 1] == '\r')
		size--;
	return (struct slice){begin, size};
}

#endif
