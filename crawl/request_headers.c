#include "crawl/request_headers.h"

#include <stdio.h>
#include <strings.h>

#include "base/memory.h"
#include "crawl/header.h"
#include "crawl/line.h"

enum { MAX_LINE_BYTES = 4096 };

struct curl_slist *request_headers_add(struct curl_slist *list,
				       const char *line)
{
	struct curl_slist *longer = curl_slist_append(list, line);

	if (longer == NULL)
		mem_exhausted("libcurl");
	return longer;
}

/*
 * Return whether a validator from a server, or from the store, is safe to send.
 */
static bool is_condition(const char *value, size_t capacity)
{
	return value != NULL && value[0] != '\0' && strlen(value) < capacity &&
	       header_is_printable(slice_of(value));
}

bool request_is_conditional(const struct fetch_request *request)
{
	return is_condition(request->etag, MAX_ETAG) ||
	       is_condition(request->modified, MAX_MODIFIED);
}

static struct curl_slist *add_condition(struct curl_slist *list,
					const char *name, const char *value,
					size_t capacity)
{
	char line[32 + MAX_ETAG];

	if (!is_condition(value, capacity))
		return list;
	snprintf(line, sizeof(line), "%s: %s", name, value);
	return request_headers_add(list, line);
}

/*
 * Return whether the header is reserved: it frames the message, routes it, or
 * states the accepted responses; also all of Proxy-...
 */
static bool request_header_is_reserved(struct slice name)
{
	static const char *const names[] = {
		"Accept-Encoding",
		"Connection",
		"Content-Length",
		"Expect",
		"Host",
		"HTTP2-Settings",
		"If-Match",
		"If-Modified-Since",
		"If-None-Match",
		"If-Range",
		"If-Unmodified-Since",
		"Keep-Alive",
		"Range",
		"TE",
		"Trailer",
		"Transfer-Encoding",
		"Upgrade",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (header_is_word(name, names[i]))
			return true;
	return name.size >= 6 && strncasecmp(name.data, "Proxy-", 6) == 0;
}

/* Return whether the name is a token (RFC 9110, 5.6.2). */
static bool is_token(struct slice name)
{
	static const char marks[] = "!#$%&'*+-.^_`|~";
	const char *bytes = name.data;

	for (size_t i = 0; i < name.size; i++) {
		char c = bytes[i];
		char lower = (char)(c | 0x20);

		if ((lower < 'a' || lower > 'z') && (c < '0' || c > '9') &&
		    memchr(marks, c, sizeof(marks) - 1) == NULL)
			return false;
	}
	return name.size > 0;
}

static bool request_header_is_allowed(struct slice line)
{
	const char *colon =
		line.size == 0 ? NULL : memchr(line.data, ':', line.size);
	struct slice name = {line.data, 0};

	if (colon == NULL || line.size >= MAX_LINE_BYTES ||
	    !header_is_printable(line))
		return false;
	name.size = (size_t)(colon - (const char *)line.data);
	return is_token(name) && !request_header_is_reserved(name);
}

static struct curl_slist *add_own(struct curl_slist *list, struct slice lines)
{
	while (lines.size > 0) {
		struct slice line = line_take(&lines);
		char text[MAX_LINE_BYTES];

		if (!request_header_is_allowed(line))
			continue;
		memcpy(text, line.data, line.size);
		text[line.size] = '\0';
		list = request_headers_add(list, text);
	}
	return list;
}

struct curl_slist *request_headers(const struct fetch_request *request)
{
	struct curl_slist *list = NULL;

	list = add_condition(list, "If-None-Match", request->etag, MAX_ETAG);
	list = add_condition(list, "If-Modified-Since", request->modified,
			     MAX_MODIFIED);
	return add_own(list, slice_of(request->headers));
}
