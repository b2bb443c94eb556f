/* tests/unit/page/page_of.h - pages out of C strings. */
#ifndef TESTS_UNIT_PAGE_PAGE_OF_H
#define TESTS_UNIT_PAGE_PAGE_OF_H

#include "base/buffer.h"
#include "page/page.h"
#include "tests/unit/run.h"

/* The page of `html`, which must parse; page_destroy() it. */
static inline struct page *page_of_slice(struct slice html,
					 const struct page_limits *limits)
{
	struct page *page = NULL;

	ck_assert_int_eq(page_parse(&page, html, slice_of(NULL), limits),
			 ERR_NONE);
	return page;
}

static inline struct page *page_of(const char *html)
{
	return page_of_slice(slice_of(html), &page_limits_default);
}

static inline void check_slice(struct slice slice, const char *text)
{
	ck_assert_uint_eq(slice.size, strlen(text));
	if (slice.size > 0)
		ck_assert_mem_eq(slice.data, text, slice.size);
}

/* The source at the span. */
static inline struct slice source_of(const struct page *page, struct span span)
{
	return (struct slice){(const char *)page->source.data + span.begin,
			      span.end - span.begin};
}

#endif
