/* template/absolute.h - make the addresses in a page absolute. */
#ifndef TEMPLATE_ABSOLUTE_H
#define TEMPLATE_ABSOLUTE_H

#include <stdbool.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "crawl/url.h"
#include "page/page.h"

/* The host of pages from files, which have no URL. */
#define OFFLINE_HOST "site.invalid"

/*
 * Return whether the address begins with http:// or https://, or with // and a
 * host. url_parse() treats any other text as a typed host name.
 */
bool address_is_absolute(struct slice address);

/* The URL to resolve relative addresses against. */
struct base_address {
	struct url url;
	bool is_known;
};

/*
 * `url` is the URL of the page, or NULL: then only a base element with an http
 * or https address sets the base.
 */
struct base_address base_of_page(const struct page *page,
				 const struct url *url);

/*
 * Append the absolute address of `href` in the form that struct render_request
 * needs; `base` is a struct base_address that is known. Keep the fragment.
 * Return false if the result is not an http or https address.
 */
bool absolute_append(const void *base, struct slice href, struct buffer *out);

#endif
