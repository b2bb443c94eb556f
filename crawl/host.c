#include "crawl/host.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_NAME = 253, MAX_LABEL = 63, MAX_AUTHORITY = 3 * (MAX_NAME + 8) };

static bool is_ascii(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text > 126)
			return false;
	return true;
}

/*
 * libcurl takes a name that is not ASCII to be in the character set of the
 * locale. URLs are UTF-8 whatever the locale, so this thread gets one for the
 * time of the call.
 */
static char *idna_of(CURLU *handle)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	locale_t before;
	char *host = NULL;

	if (utf8 == (locale_t)0)
		return NULL;
	before = uselocale(utf8);
	if (curl_url_get(handle, CURLUPART_HOST, &host, CURLU_PUNYCODE) !=
	    CURLUE_OK) {
		curl_free(host); /* 7.88 leaves the name there */
		host = NULL;
	}
	uselocale(before);
	freelocale(utf8);
	return host;
}

/* The host in ASCII, or NULL. End it with curl_free(). */
static char *ascii_host(CURLU *handle)
{
	char *host = NULL;

	if (curl_url_get(handle, CURLUPART_HOST, &host, 0) != CURLUE_OK)
		return NULL;
	if (!is_ascii(host)) {
		curl_free(host);
		host = idna_of(handle);
	}
	return host;
}

static bool is_label_byte(char c)
{
	return percent_is_unreserved((unsigned char)c) && c != '.' && c != '~';
}

/* Labels of 1 to 63 letters, digits, '-' and '_'; the DNS allows no more. */
static bool is_name(const char *host, size_t size)
{
	size_t label = 0;

	if (size == 0 || size > MAX_NAME)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (host[i] == '.' ? label == 0 : !is_label_byte(host[i]))
			return false;
		label = host[i] == '.' ? 0 : label + 1;
		if (label > MAX_LABEL)
			return false;
	}
	return label > 0;
}

/*
 * Does the last label look like a number? Resolvers take such hosts for
 * addresses (WHATWG URL, "ends in a number checker").
 */
static bool ends_in_number(const char *host)
{
	const char *dot = strrchr(host, '.');
	const char *label = dot == NULL ? host : dot + 1;
	bool is_hex = label[0] == '0' && label[1] == 'x';

	return is_hex || label[strspn(label, "0123456789")] == '\0';
}

static bool is_ipv4(const char *host)
{
	struct in_addr address;

	return inet_pton(AF_INET, host, &address) == 1;
}

static bool is_ipv6(const char *host, size_t size)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (size < 4 || size - 2 >= sizeof(text) || host[size - 1] != ']')
		return false;
	memcpy(text, host + 1, size - 2);
	text[size - 2] = '\0';
	return inet_pton(AF_INET6, text, &address) == 1;
}

/* Lower the case in place and check what libcurl lets pass. */
static bool finish_host(char *host)
{
	size_t size = strlen(host);

	for (size_t i = 0; i < size; i++)
		if (host[i] >= 'A' && host[i] <= 'Z')
			host[i] = (char)(host[i] | 0x20);
	if (host[0] == '[')
		return is_ipv6(host, size);
	if (size > 1 && host[size - 1] == '.')
		host[--size] = '\0';
	return is_name(host, size) && (!ends_in_number(host) || is_ipv4(host));
}

/* The port to write; 0: none. False when it is no port at all. */
static bool find_port(CURLU *handle, unsigned default_port,
		      unsigned long *port_out)
{
	char *text = NULL;

	*port_out = 0;
	if (curl_url_get(handle, CURLUPART_PORT, &text, 0) != CURLUE_OK)
		return true;
	*port_out = strtoul(text, NULL, 10);
	curl_free(text);
	if (*port_out == 0 || *port_out > 65535)
		return false;
	if (*port_out == default_port)
		*port_out = 0;
	return true;
}

static bool has_zone(CURLU *handle)
{
	char *zone = NULL;
	bool is_there =
		curl_url_get(handle, CURLUPART_ZONEID, &zone, 0) == CURLUE_OK;

	curl_free(zone);
	return is_there;
}

static enum error write_host(CURLU *handle, unsigned default_port,
			     struct bounded *out)
{
	char *host = ascii_host(handle);
	unsigned long port = 0;
	enum error error = ERR_MALFORMED;

	if (host != NULL && finish_host(host) && !has_zone(handle) &&
	    find_port(handle, default_port, &port)) {
		char text[8];

		bounded_put_slice(out, slice_of(host));
		snprintf(text, sizeof(text), ":%lu", port);
		if (port != 0)
			bounded_put_slice(out, slice_of(text));
		error = out->is_cut ? ERR_TOO_LARGE : ERR_NONE;
	}
	curl_free(host);
	return error;
}

/* Nothing in it may end the host before the text ends. */
static bool is_authority(struct slice text)
{
	const char *bytes = text.data;

	for (size_t i = 0; i < text.size; i++)
		if (bytes[i] == '\0' || strchr("/?#@", bytes[i]) != NULL)
			return false;
	return text.size > 0;
}

enum error host_canonical(struct slice authority, unsigned default_port,
			  struct bounded *out)
{
	char url[MAX_AUTHORITY + 16];
	CURLU *handle;
	enum error error = ERR_MALFORMED;

	if (authority.size > MAX_AUTHORITY)
		return ERR_TOO_LARGE;
	if (!is_authority(authority))
		return ERR_MALFORMED;
	/* https and http are parsed alike */
	snprintf(url, sizeof(url), "http://%.*s/", (int)authority.size,
		 (const char *)authority.data);
	handle = curl_url();
	if (handle == NULL)
		abort(); /* out of memory */
	if (curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK)
		error = write_host(handle, default_port, out);
	curl_url_cleanup(handle);
	return error;
}
