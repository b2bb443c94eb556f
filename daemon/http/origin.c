#include "daemon/http/origin.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

enum { MAX_ADDRESS = INET6_ADDRSTRLEN };

/* Return whether the text is empty or a port. */
static bool is_port(const char *text)
{
	return *text == '\0' ||
	       (*text == ':' &&
		text[1 + strspn(text + 1, "0123456789")] == '\0');
}

static bool origin_is_address(int family, const char *text, size_t length)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char copy[MAX_ADDRESS];

	if (length >= sizeof(copy))
		return false;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return inet_pton(family, copy, bytes) == 1;
}

static bool origin_host_is_listed(const char *name, size_t length,
				  const char *names)
{
	while (*names != '\0') {
		size_t size;

		names += strspn(names, ", ");
		size = strcspn(names, ", ");
		if (size > 0 && size == length &&
		    strncasecmp(names, name, length) == 0)
			return true;
		names += size;
	}
	return false;
}

bool origin_is_host_ours(const char *host, const char *names)
{
	size_t length;

	if (host == NULL)
		return false;
	if (*host == '[') {
		length = strcspn(host, "]");
		return host[length] == ']' && is_port(host + length + 1) &&
		       origin_is_address(AF_INET6, host + 1, length - 1);
	}
	length = strcspn(host, ":");
	return is_port(host + length) &&
	       (origin_host_is_listed(host, length, "localhost") ||
		origin_host_is_listed(host, length, names) ||
		origin_is_address(AF_INET, host, length));
}

bool origin_is_own(const char *origin, const char *host, bool is_encrypted)
{
	size_t scheme = strlen("http");

	if (strncasecmp(origin, "https://", strlen("https://")) == 0)
		scheme = strlen("https");
	else if (is_encrypted ||
		 strncasecmp(origin, "http://", strlen("http://")) != 0)
		return false;
	return strcasecmp(origin + scheme + strlen("://"), host) == 0;
}

bool origin_may_use_cookie(const char *fetch_site)
{
	return fetch_site == NULL || strcmp(fetch_site, "same-origin") == 0 ||
	       strcmp(fetch_site, "none") == 0;
}
