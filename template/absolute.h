/* template/absolute.h - the addresses in a page, made absolute. */
#ifndef TEMPLATE_ABSOLUTE_H
#define TEMPLATE_ABSOLUTE_H

#include <stdbool.h>

#include "crawl/url/url.h"
#include "page/page.h"
#include "store/buffer.h"
#include "store/slice.h"

/* The host of pages from files, which have no URL. */
#define OFFLINE_HOST "site.invalid"

/* Whether it begins with http:// or https://, or with the // before a host:
 * url_parse() takes anything else for a host that a person has typed. */
bool address_is_absolute(struct slice address);

/* The URL that relative addresses are resolved against. */
struct base_address {
	struct url url;
	bool is_known;
};

/*
 * `url` is the URL of the page, or NULL: then the base is known only from a
 * base element with an http or https address.
 */
struct base_address base_of_page(const struct page *page,
				 const struct url *url);

/*
 * Append the absolute address of `href`, as struct render_request wants it;
 * `base` is a struct base_address that is known. Its fragment is kept. False if
 * the result is no http or https address.
 */
bool absolute_append(const void *base, struct slice href, struct buffer *out);

#endif
