/* template/absolute.h - the addresses in a page, made absolute. */
#ifndef TEMPLATE_ABSOLUTE_H
#define TEMPLATE_ABSOLUTE_H

#include <stdbool.h>

#include "crawl/url/url.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/slice.h"

/* Of pages from files, which stand nowhere. */
#define OFFLINE_HOST "site.invalid"

/* What they are relative to. */
struct base_address {
	struct url url;
	bool is_known;
};

/*
 * `url` is that of the page, or NULL: then only a base element with an http
 * or https address tells.
 */
struct base_address base_of_page(const struct page *page,
				 const struct url *url);

/*
 * Append the absolute address of `href`, as struct render_request wants it;
 * `base` is a struct base_address that is known. Its fragment is kept. False
 * for what is no http or https address.
 */
bool absolute_append(const void *base, struct slice href, struct buffer *out);

#endif
