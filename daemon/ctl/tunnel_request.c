#include "daemon/ctl/tunnel_request.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The headers that decide about a request. */
struct known_headers {
	struct slice host;
	struct slice origin;
	struct slice site; /* Sec-Fetch-Site */
	struct slice cookie;
	struct slice length;
	bool is_chunked;
};

struct proxy_request_parser {
	struct slice method;
	struct slice target;
	struct known_headers known;
	struct buffer *forwarded; /* the other headers */
};

static const struct {
	unsigned status;
	const char *phrase;
} phrases[] = {
	{400, "Bad Request"},
	{403, "Forbidden"},
	{405, "Method Not Allowed"},
	{411, "Length Required"},
	{413, "Content Too Large"},
	{421, "Misdirected Request"},
	{431, "Request Header Fields Too Large"},
	{502, "Bad Gateway"},
};

void browser_proxy_write_error(struct buffer *out, unsigned status,
			       const char *reason)
{
	const char *phrase = "Error";

	for (size_t i = 0; i < sizeof(phrases) / sizeof(phrases[0]); i++)
		if (phrases[i].status == status)
			phrase = phrases[i].phrase;
	buffer_printf(out,
		      "HTTP/1.1 %u %s\r\nContent-Type: text/plain\r\n"
		      "Content-Length: %zu\r\nX-Content-Type-Options: "
		      "nosniff\r\nCache-Control: no-store\r\nConnection: "
		      "close\r\n\r\n%s\n",
		      status, phrase, strlen(reason) + 1, reason);
}

static void proxy_request_reject(struct browser_proxy_request *request,
				 unsigned status, const char *reason)
{
	request->verdict = BROWSER_PROXY_REFUSE;
	buffer_clear(&request->head);
	browser_proxy_write_error(&request->head, status, reason);
}

static bool proxy_text_equals_nocase(struct slice text, const char *word)
{
	return text.size == strlen(word) &&
	       strncasecmp(text.data, word, text.size) == 0;
}

static bool proxy_text_equals(struct slice text, const char *word)
{
	return slice_equal(text, slice_of(word));
}

/*
 * Remove the part of `rest` before `end`, and `end`; false if there is no
 * `end`.
 */
static bool proxy_text_split(struct slice *rest, const char *end,
			     struct slice *out)
{
	const char *found = rest->size == 0 ? NULL
					    : memmem(rest->data, rest->size,
						     end, strlen(end));
	size_t size;

	if (found == NULL)
		return false;
	size = (size_t)(found - (const char *)rest->data);
	*out = (struct slice){rest->data, size};
	size += strlen(end);
	*rest = (struct slice){(const char *)rest->data + size,
			       rest->size - size};
	return true;
}

/*
 * Return whether the text is visible ASCII; header values may also have spaces
 * and bytes above ASCII.
 */
static bool is_clean(struct slice text, bool is_value)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char byte = (unsigned char)slice_byte(text, i);
		bool is_loose = byte == ' ' || byte == '\t' || byte >= 0x80;

		if (byte == 0x7f || (byte <= ' ' && !is_loose) ||
		    (is_loose && !is_value))
			return false;
	}
	return true;
}

static struct slice proxy_text_trim(struct slice text)
{
	const char *at = text.data;

	while (text.size > 0 && (*at == ' ' || *at == '\t')) {
		at++;
		text.size--;
	}
	while (text.size > 0 &&
	       (at[text.size - 1] == ' ' || at[text.size - 1] == '\t'))
		text.size--;
	return (struct slice){at, text.size};
}

static bool read_request_line(struct slice line,
			      struct proxy_request_parser *reading)
{
	return proxy_text_split(&line, " ", &reading->method) &&
	       proxy_text_split(&line, " ", &reading->target) &&
	       proxy_text_equals(line, "HTTP/1.1") &&
	       is_clean(reading->method, false) &&
	       is_clean(reading->target, false) &&
	       slice_byte(reading->target, 0) == '/';
}

/* Return whether the header concerns one connection, or is for this proxy. */
static bool proxy_header_is_dropped(struct slice name)
{
	static const char *const dropped[] = {
		"connection", "keep-alive",    "upgrade",
		"te",         "trailer",       "expect",
		"cookie",     "authorization", "forwarded",
	};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		if (proxy_text_equals_nocase(name, dropped[i]))
			return true;
	return name.size > 6 && strncasecmp(name.data, "proxy-", 6) == 0;
}

/* Store a known header; false if it occurs twice. */
static bool keep_known(struct known_headers *known, struct slice name,
		       struct slice value)
{
	const struct {
		const char *name;
		struct slice *value;
	} headers[] = {
		{"host", &known->host},
		{"origin", &known->origin},
		{"sec-fetch-site", &known->site},
		{"cookie", &known->cookie},
		{"content-length", &known->length},
	};

	known->is_chunked |=
		proxy_text_equals_nocase(name, "transfer-encoding");
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		if (proxy_text_equals_nocase(name, headers[i].name)) {
			if (headers[i].value->data != NULL)
				return false;
			*headers[i].value = value;
		}
	return true;
}

static bool proxy_request_read_header(struct slice line,
				      struct proxy_request_parser *reading)
{
	struct slice rest = line;
	struct slice name;
	struct slice value;

	/* reject continuation lines, which begin with a space */
	if (!proxy_text_split(&rest, ":", &name) || name.size == 0 ||
	    !is_clean(name, false))
		return false;
	value = proxy_text_trim(rest);
	if (!is_clean(value, true) || !keep_known(&reading->known, name, value))
		return false;
	if (proxy_header_is_dropped(name))
		return true;
	buffer_append_slice(reading->forwarded, name);
	buffer_append_text(reading->forwarded, ": ");
	buffer_append_slice(reading->forwarded, value);
	buffer_append_text(reading->forwarded, "\r\n");
	return true;
}

static bool proxy_request_read_head(struct slice head,
				    struct proxy_request_parser *reading)
{
	struct slice line;

	if (!proxy_text_split(&head, "\r\n", &line) ||
	    !read_request_line(line, reading))
		return false;
	buffer_append_slice(reading->forwarded, line);
	buffer_append_text(reading->forwarded, "\r\n");
	while (proxy_text_split(&head, "\r\n", &line)) {
		if (line.size == 0)
			return head.size == 0;
		if (!proxy_request_read_header(line, reading))
			return false;
	}
	return false;
}

/*
 * Like strncmp(), but the time does not depend on the position of the
 * difference.
 */
static bool is_key(struct slice given, const char *key)
{
	unsigned char difference = 0;

	if (given.size != BROWSER_PROXY_KEY_CHARACTERS)
		return false;
	for (size_t i = 0; i < given.size; i++)
		difference |= (unsigned char)(slice_byte(given, i) ^ key[i]);
	return difference == 0;
}

/*
 * The cookie's name contains the port, because browsers send cookies to all
 * ports of a host.
 */
static bool has_session(const struct browser_proxy_keys *keys,
			struct slice cookies)
{
	char name[32];
	bool is_last = false;

	snprintf(name, sizeof(name), "templated-%u", keys->port);
	while (!is_last) {
		struct slice cookie = cookies;
		struct slice key;

		is_last = !proxy_text_split(&cookies, ";", &cookie);
		cookie = proxy_text_trim(cookie);
		if (proxy_text_split(&cookie, "=", &key) &&
		    proxy_text_equals(key, name) &&
		    is_key(cookie, keys->session))
			return true;
	}
	return false;
}

static bool is_our_host(const struct browser_proxy_keys *keys,
			struct slice host)
{
	char ours[32];

	snprintf(ours, sizeof(ours), "127.0.0.1:%u", keys->port);
	if (proxy_text_equals(host, ours))
		return true;
	snprintf(ours, sizeof(ours), "localhost:%u", keys->port);
	return proxy_text_equals_nocase(host, ours);
}

static bool is_our_origin(struct slice origin, struct slice host)
{
	const char *bytes = origin.data;

	return origin.size == host.size + 7 &&
	       memcmp(bytes, "http://", 7) == 0 &&
	       memcmp(bytes + 7, host.data, host.size) == 0;
}

static bool read_length(struct slice text, uint64_t *bytes_out)
{
	*bytes_out = 0;
	for (size_t i = 0; i < text.size; i++) {
		char digit = slice_byte(text, i);

		if (!isdigit((unsigned char)digit) || i >= 12)
			return false;
		*bytes_out = *bytes_out * 10 + (uint64_t)(digit - '0');
	}
	return text.data == NULL || text.size > 0;
}

/* Accept the bearer of the token, once. */
static void proxy_request_log_in(struct browser_proxy_keys *keys,
				 struct slice token, uint64_t now_ms,
				 struct browser_proxy_request *request)
{
	const char *reason = NULL;

	if (keys->is_used)
		reason = "This address was already used and is invalid. If "
			 "that was not you, stop templatectl ui.";
	else if (!is_key(token, keys->token))
		reason = "This is not the address that templatectl ui printed.";
	else if (now_ms >= keys->until_ms)
		reason = "This address was not used in time and is invalid. "
			 "Start templatectl ui again.";
	if (reason != NULL) {
		proxy_request_reject(request, 403, reason);
		return;
	}
	keys->is_used = true;
	request->verdict = BROWSER_PROXY_ENTER;
	buffer_clear(&request->head);
	buffer_printf(&request->head,
		      "HTTP/1.1 303 See Other\r\nLocation: /\r\n"
		      "Set-Cookie: templated-%u=%s; Path=/; HttpOnly; "
		      "SameSite=Strict\r\nContent-Length: 0\r\n"
		      "Referrer-Policy: no-referrer\r\n"
		      "Cache-Control: no-store\r\nConnection: close\r\n\r\n",
		      keys->port, keys->session);
}

static bool is_reading(struct slice method)
{
	return proxy_text_equals(method, "GET") ||
	       proxy_text_equals(method, "HEAD");
}

static const char *
proxy_request_check(const struct browser_proxy_keys *keys,
		    const struct proxy_request_parser *reading)
{
	const struct known_headers *known = &reading->known;

	if (!has_session(keys, known->cookie))
		return "Open the address that templatectl ui printed.";
	if (known->site.data != NULL &&
	    !proxy_text_equals(known->site, "same-origin") &&
	    !proxy_text_equals(known->site, "none"))
		return "A page of another site sent this request.";
	if (!is_reading(reading->method) &&
	    !is_our_origin(known->origin, known->host))
		return "This request does not come from a page of this daemon.";
	return NULL;
}

static void proxy_request_decide(struct browser_proxy_keys *keys,
				 const struct proxy_request_parser *reading,
				 uint64_t now_ms,
				 struct browser_proxy_request *request)
{
	static const char entrance[] = "/?token=";
	const struct known_headers *known = &reading->known;
	const char *reason;

	if (!is_our_host(keys, known->host)) {
		proxy_request_reject(request, 421,
				     "The Host is not a name of this proxy.");
		return;
	}
	if (proxy_text_equals(reading->method, "GET") &&
	    reading->target.size >= sizeof(entrance) - 1 &&
	    memcmp(reading->target.data, entrance, sizeof(entrance) - 1) == 0) {
		proxy_request_log_in(
			keys,
			(struct slice){(const char *)reading->target.data +
					       sizeof(entrance) - 1,
				       reading->target.size -
					       (sizeof(entrance) - 1)},
			now_ms, request);
		return;
	}
	reason = proxy_request_check(keys, reading);
	if (reason != NULL)
		proxy_request_reject(request, 403, reason);
	else if (known->is_chunked)
		proxy_request_reject(request, 411,
				     "A body needs a Content-Length.");
	else if (!read_length(known->length, &request->body_bytes))
		proxy_request_reject(request, 400,
				     "The Content-Length is invalid.");
	else if (request->body_bytes > BROWSER_PROXY_MAX_BODY)
		proxy_request_reject(request, 413, "The body is too large.");
	else
		buffer_append_text(&request->head, "Connection: close\r\n\r\n");
}

void browser_proxy_decide(struct browser_proxy_keys *keys, struct slice head,
			  uint64_t now_ms,
			  struct browser_proxy_request *request_out)
{
	struct proxy_request_parser reading = {.forwarded = &request_out->head};

	*request_out = (struct browser_proxy_request){
		.verdict = BROWSER_PROXY_FORWARD};
	if (!proxy_request_read_head(head, &reading))
		proxy_request_reject(request_out, 400,
				     "The request is malformed.");
	else if (!is_reading(reading.method) &&
		 !proxy_text_equals(reading.method, "POST") &&
		 !proxy_text_equals(reading.method, "DELETE"))
		proxy_request_reject(
			request_out, 405,
			"Only GET, HEAD, POST and DELETE are allowed.");
	else
		proxy_request_decide(keys, &reading, now_ms, request_out);
}
