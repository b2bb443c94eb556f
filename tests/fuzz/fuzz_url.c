/*
 * Any bytes are resolved against a base: the result is canonical, so that it is
 * its own canonical form, and its parts fit together.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/guard.h"
#include "crawl/url.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct url *url)
{
	struct url again;

	for (const char *c = url->text; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || *c == '#' || *c == '\\')
			abort();
	if (strncmp(url->text, url->authority, url->path) != 0 ||
	    strlen(url->authority) != url->path ||
	    url->text[url->path] != '/' ||
	    strcmp(strstr(url->authority, "://") + 3, url->host) != 0)
		abort();
	if (url_parse(&again, slice_of(url->text), NULL) != ERR_NONE ||
	    strcmp(again.text, url->text) != 0 ||
	    strcmp(again.host, url->host) != 0 ||
	    again.is_https != url->is_https)
		abort();
	guard_is_private_name(url->host);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = {data, size};
	struct url base;
	struct url url;

	if (url_parse(&url, text, NULL) == ERR_NONE)
		check(&url);
	if (url_parse(&base, slice_of("https://a.example:8443/b/c?d"), NULL) !=
	    ERR_NONE)
		abort();
	if (url_parse(&url, text, &base) == ERR_NONE)
		check(&url);
	url = url_base(&base, text);
	check(&url);
	return 0;
}
