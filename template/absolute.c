#include "template/absolute.h"

#include <string.h>
#include <strings.h>

#include "crawl/percent.h"

bool address_is_absolute(struct slice address)
{
	static const char *const begins[] = {"http://", "https://", "//"};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t size = strlen(begins[i]);

		if (address.size > size &&
		    strncasecmp(address.data, begins[i], size) == 0)
			return true;
	}
	return false;
}

struct base_address base_of_page(const struct page *page, const struct url *url)
{
	struct base_address base = {0};

	if (url != NULL) {
		base.url = url_base(url, page->base);
		base.is_known = true;
	} else if (address_is_absolute(page->base)) {
		base.is_known =
			url_parse(&base.url, page->base, NULL) == ERR_NONE;
	}
	return base;
}

/* Append the fragment of `href`; the canonical form of a URL has none. */
static void append_fragment(struct slice href, struct buffer *out)
{
	const char *hash =
		href.size == 0 ? NULL : memchr(href.data, '#', href.size);
	char escaped[3 * MAX_URL_BYTES];
	struct bounded fragment = {escaped, 0, sizeof(escaped), false};
	struct slice rest;

	if (hash == NULL)
		return;
	hash++;
	rest = (struct slice){
		hash, (size_t)((const char *)href.data + href.size - hash)};
	percent_normalize(rest, "", &fragment);
	if (fragment.size == 0 || fragment.is_cut)
		return;
	buffer_append_byte(out, '#');
	buffer_append_slice(out, bounded_slice(&fragment));
}

bool absolute_append(const void *base, struct slice href, struct buffer *out)
{
	const struct base_address *address = base;
	struct url url;

	if (url_parse(&url, href, &address->url) != ERR_NONE)
		return false;
	buffer_append_text(out, url.text);
	append_fragment(href, out);
	return true;
}
