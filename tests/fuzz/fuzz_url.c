/*
 * Resolve any bytes against a base: the result is canonical (its own canonical
 * form), and its parts fit together; an escaped host is the same host; a path
 * equals libcurl's; a URL stays canonical without its parameters; the domain
 * ends its host.
 */
#include <curl/curl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/address_filter.h"
#include "crawl/domain.h"
#include "crawl/url/url.h"

enum { MAX_TEXT = 4 * MAX_URL_BYTES };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_is_own_form(const struct url *url)
{
	struct url again;

	if (url_parse(&again, slice_of(url->text), NULL) != ERR_NONE ||
	    strcmp(again.text, url->text) != 0 ||
	    strcmp(again.host, url->host) != 0 ||
	    strcmp(again.authority, url->authority) != 0 ||
	    again.path != url->path || again.is_https != url->is_https)
		abort();
}

static void check_parts(const struct url *url)
{
	for (const char *c = url->text; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || *c == '#' || *c == '\\')
			abort();
	if (strncmp(url->text, url->authority, url->path) != 0 ||
	    strlen(url->authority) != url->path ||
	    url->text[url->path] != '/' ||
	    strcmp(strstr(url->authority, "://") + 3, url->host) != 0)
		abort();
}

static void check_escaped_host(const struct url *url)
{
	char text[MAX_TEXT];
	struct bounded out = {.data = text, .capacity = sizeof(text)};
	size_t length = strcspn(url->host, ":");
	struct url again;

	if (url->host[0] == '[')
		return;
	bounded_put_slice(&out, slice_of(url->is_https ? "https:" : "http:"));
	bounded_put_slice(&out, slice_of("//"));
	for (size_t i = 0; i < length; i++)
		percent_put(&out, (unsigned char)url->host[i]);
	bounded_put_slice(&out, slice_of(url->host + length));
	bounded_put_slice(&out, slice_of(url->text + url->path));
	if (url_parse(&again, bounded_slice(&out), NULL) != ERR_NONE ||
	    strcmp(again.text, url->text) != 0)
		abort();
}

static void check_without_parameters(const struct url *url)
{
	static const char names[] = "a*, b c-d";
	struct url rest = *url;

	parameters_drop(&rest, slice_of(parameters_default));
	check_is_own_form(&rest);
	parameters_drop(&rest, slice_of(names));
	check_is_own_form(&rest);
	if (parameters_drop(&rest, slice_of(names)))
		abort();
}

static void check_domain(const struct url *url)
{
	struct slice domain = domain_registrable(slice_of(url->host));
	const char *end = (const char *)domain.data + domain.size;

	if ((const char *)domain.data < url->host || domain.size == 0 ||
	    (*end != '\0' && *end != ':') ||
	    !slice_equal(domain_registrable(domain), domain))
		abort();
}

static void check(const struct url *url)
{
	check_parts(url);
	check_is_own_form(url);
	check_escaped_host(url);
	check_without_parameters(url);
	check_domain(url);
	address_filter_is_private_name(url->host);
}

/* The path and query that libcurl resolves `reference` to. */
static void resolve_by_curl(const struct url *base, const char *reference,
			    char *out)
{
	CURLU *handle = curl_url();
	char *path = NULL;
	char *query = NULL;

	if (curl_url_set(handle, CURLUPART_URL, base->text, 0) != CURLUE_OK ||
	    curl_url_set(handle, CURLUPART_URL, reference, 0) != CURLUE_OK ||
	    curl_url_get(handle, CURLUPART_PATH, &path, 0) != CURLUE_OK)
		abort();
	curl_url_get(handle, CURLUPART_QUERY, &query, 0);
	(void)snprintf(out, MAX_TEXT, "%s%s%s", path,
		       query == NULL || query[0] == '\0' ? "" : "?",
		       query == NULL ? "" : query);
	curl_free(path);
	curl_free(query);
	curl_url_cleanup(handle);
}

/*
 * The path below `base`, from the root and relative; the latter without
 * libcurl: 7.88 makes /b/x and not /b//x of .//x.
 */
static void check_resolution(struct slice path, const struct url *base)
{
	char reference[MAX_URL_BYTES + 1] = "/b/./";
	char expected[MAX_TEXT];
	struct bounded out = {reference, 5, MAX_URL_BYTES, false};
	struct url url;
	struct url relative;

	percent_normalize(path, "", &out);
	reference[out.size] = '\0';
	if (out.is_cut ||
	    url_parse(&url, slice_of(reference), base) != ERR_NONE)
		return;
	resolve_by_curl(base, reference, expected);
	if (strcmp(url.text + url.path, expected) != 0 ||
	    url_parse(&relative, slice_of(reference + 3), base) != ERR_NONE ||
	    strcmp(relative.text, url.text) != 0)
		abort();
}

/* What the credentials of a URL are decoded to fits and has no controls. */
static void check_credentials(struct slice text)
{
	struct buffer out = {0};

	if (url_credentials(text, &out))
		for (size_t i = 0; i < out.size; i++)
			if ((unsigned char)out.data[i] < ' ')
				abort();
	if (out.size >= MAX_CREDENTIALS)
		abort();
	buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice text = {data, size};
	struct url base;
	struct url url;

	if (url_parse(&url, text, NULL) == ERR_NONE)
		check(&url);
	check_credentials(text);
	if (url_parse(&base, slice_of("https://a.example:8443/b/c?d"), NULL) !=
	    ERR_NONE)
		abort();
	check_resolution(text, &base);
	if (url_parse(&url, text, &base) == ERR_NONE)
		check(&url);
	url = url_base(&base, text);
	check(&url);
	return 0;
}
