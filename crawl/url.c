#include "crawl/url.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>

#include "crawl/host.h"
#include "crawl/percent.h"

enum {
	/* escapes shrink to a third at most, but for needless dot segments */
	MAX_REFERENCE = 3 * MAX_URL_BYTES,
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
};

/* A reference that was taken apart. */
struct reference {
	bool is_relative; /* without an authority */
	bool is_https;
	struct slice authority; /* without user and password */
	struct slice rest;      /* path and query */
};

static struct slice skip(struct slice text, size_t count)
{
	return (struct slice){(const char *)text.data + count,
			      text.size - count};
}

static char byte_at(struct slice text, size_t index)
{
	if (index >= text.size)
		return '\0';
	return ((const char *)text.data)[index];
}

static bool is_space(char c)
{
	return (unsigned char)c <= ' ';
}

/*
 * As browsers read an attribute (WHATWG URL, basic URL parser): controls and
 * spaces around it are trimmed, tabs and line ends inside dropped, '\' before
 * the query is '/'. The fragment is dropped.
 */
static void clean(struct slice text, struct bounded *out)
{
	bool is_query = false;

	while (text.size > 0 && is_space(byte_at(text, 0)))
		text = skip(text, 1);
	while (text.size > 0 && is_space(byte_at(text, text.size - 1)))
		text.size--;
	for (size_t i = 0; i < text.size && !out->is_cut; i++) {
		char c = byte_at(text, i);

		if (c == '#')
			break;
		if (c == '\t' || c == '\n' || c == '\r')
			continue;
		is_query |= c == '?';
		if (c == '\\' && !is_query)
			c = '/';
		bounded_put(out, c);
	}
}

static bool is_letter(char c)
{
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Bytes of the scheme in front of its ':'; 0 when there is none. */
static size_t scheme_length(struct slice text)
{
	size_t length = 0;

	if (!is_letter(byte_at(text, 0)))
		return 0;
	while (is_letter(byte_at(text, length)) ||
	       is_digit(byte_at(text, length)) ||
	       (byte_at(text, length) != '\0' &&
		strchr("+-.", byte_at(text, length)) != NULL))
		length++;
	return byte_at(text, length) == ':' ? length : 0;
}

static bool is_word(struct slice text, size_t length, const char *word)
{
	for (size_t i = 0; i < length; i++)
		if ((byte_at(text, i) | 0x20) != word[i])
			return false;
	return word[length] == '\0';
}

/*
 * "example.org:8080/x" has no scheme, "tel:110" has one. Without a base a name
 * with a dot, localhost, or a port with a path behind it make a host.
 */
static bool is_host_and_port(struct slice text, size_t length)
{
	size_t end = length + 1;
	char next;

	while (is_digit(byte_at(text, end)))
		end++;
	next = byte_at(text, end);
	if (end == length + 1 ||
	    (end < text.size && next != '/' && next != '?'))
		return false;
	return next == '/' || memchr(text.data, '.', length) != NULL ||
	       is_word(text, length, "localhost");
}

static struct slice skip_slashes(struct slice text)
{
	while (byte_at(text, 0) == '/')
		text = skip(text, 1);
	return text;
}

static bool begins_with_slashes(struct slice text)
{
	return byte_at(text, 0) == '/' && byte_at(text, 1) == '/';
}

/* Cut `text`, that begins with the authority, in two. */
static void split_authority(struct slice text, struct reference *out)
{
	size_t begin = 0;
	size_t end = 0;

	for (; end < text.size && byte_at(text, end) != '/' &&
	       byte_at(text, end) != '?';
	     end++)
		if (byte_at(text, end) == '@')
			begin = end + 1;
	out->rest = skip(text, end);
	text.size = end;
	out->authority = skip(text, begin);
}

static enum error split(struct slice text, const struct url *base,
			struct reference *out)
{
	size_t length = scheme_length(text);

	*out = (struct reference){.is_https = base != NULL && base->is_https};
	if (length > 0 && (base != NULL || !is_host_and_port(text, length))) {
		out->is_https = is_word(text, length, "https");
		if (!out->is_https && !is_word(text, length, "http"))
			return ERR_REFUSED;
		text = skip(text, length + 1);
		/* "http:x" is relative to a page of the same scheme (WHATWG) */
		out->is_relative = base != NULL &&
				   base->is_https == out->is_https &&
				   !begins_with_slashes(text);
	} else if (base != NULL) {
		out->is_relative = !begins_with_slashes(text);
	} else if (byte_at(text, 0) == '/' && !begins_with_slashes(text)) {
		return ERR_MALFORMED;
	}
	if (out->is_relative)
		out->rest = text;
	else
		split_authority(skip_slashes(text), out);
	return ERR_NONE;
}

/* Fill in scheme, host and port of `url`. */
static enum error put_authority(const struct reference *reference,
				const struct url *base, struct url *url)
{
	struct bounded host = {.data = url->host, .capacity = MAX_HOST_BYTES};
	struct bounded whole = {.data = url->authority,
				.capacity = sizeof(url->authority) - 1};
	enum error error = ERR_NONE;

	url->is_https = reference->is_https;
	if (reference->is_relative)
		bounded_put_slice(&host, slice_of(base->host));
	else
		error = host_canonical(reference->authority,
				       url->is_https ? HTTPS_PORT : HTTP_PORT,
				       &host);
	url->host[host.size] = '\0';
	bounded_put_slice(&whole,
			  slice_of(url->is_https ? "https://" : "http://"));
	bounded_put_slice(&whole, bounded_slice(&host));
	url->authority[whole.size] = '\0';
	return error;
}

/* Write the part with the sign in front of it, unless it is empty. */
static void put_part(CURLU *handle, CURLUPart part, const char *sign,
		     struct bounded *out)
{
	char *text = NULL;

	if (curl_url_get(handle, part, &text, 0) != CURLUE_OK)
		return;
	if (text[0] != '\0') {
		bounded_put_slice(out, slice_of(sign));
		bounded_put_slice(out, slice_of(text));
	}
	curl_free(text);
}

/*
 * Let libcurl resolve `reference` against `base` (NULL: it is whole) and remove
 * the dot segments. Both are canonical but for those.
 */
static enum error resolve(const struct url *base, const char *reference,
			  struct url *url)
{
	struct bounded out = {.data = url->text, .capacity = MAX_URL_BYTES};
	CURLU *handle = curl_url();
	enum error error = ERR_MALFORMED;

	if (handle == NULL)
		abort(); /* out of memory */
	if ((base == NULL ||
	     curl_url_set(handle, CURLUPART_URL, base->text, 0) == CURLUE_OK) &&
	    curl_url_set(handle, CURLUPART_URL, reference, 0) == CURLUE_OK) {
		bounded_put_slice(&out, slice_of(url->authority));
		url->path = (uint16_t)out.size;
		put_part(handle, CURLUPART_PATH, "", &out);
		put_part(handle, CURLUPART_QUERY, "?", &out);
		url->text[out.size] = '\0';
		error = out.is_cut ? ERR_TOO_LARGE : ERR_NONE;
	}
	curl_url_cleanup(handle);
	return error;
}

/* What resolve() wants. */
static void put_reference(const struct reference *parts, const char *authority,
			  struct bounded *out)
{
	char first = byte_at(parts->rest, 0);

	if (!parts->is_relative)
		bounded_put_slice(out, slice_of(authority));
	if (!parts->is_relative && first != '/')
		bounded_put(out, '/');
	/* so that a ':' in the first segment does not make it a scheme */
	if (parts->is_relative && first != '/' && first != '?')
		bounded_put_slice(out, slice_of("./"));
	percent_normalize(parts->rest, "", out);
}

static enum error parse(const struct reference *parts, const struct url *base,
			struct url *url)
{
	char text[MAX_REFERENCE + 1];
	struct bounded out = {.data = text, .capacity = MAX_REFERENCE};
	enum error error = put_authority(parts, base, url);

	if (error != ERR_NONE)
		return error;
	put_reference(parts, url->authority, &out);
	if (out.is_cut)
		return ERR_TOO_LARGE;
	text[out.size] = '\0';
	return resolve(parts->is_relative ? base : NULL, text, url);
}

enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base)
{
	char text[MAX_REFERENCE];
	struct bounded cleaned = {.data = text, .capacity = sizeof(text)};
	struct reference parts;
	struct url url = {0};
	enum error error;

	clean(reference, &cleaned);
	error = split(bounded_slice(&cleaned), base, &parts);
	if (error == ERR_NONE && cleaned.is_cut)
		error = ERR_TOO_LARGE;
	if (error != ERR_NONE)
		return error;
	if (parts.is_relative && parts.rest.size == 0) {
		*url_out = *base; /* the page itself, with its query */
		return ERR_NONE;
	}
	error = parse(&parts, base, &url);
	if (error == ERR_NONE)
		*url_out = url;
	return error;
}

struct url url_base(const struct url *page, struct slice base_href)
{
	struct url base = *page;

	if (base_href.size > 0)
		url_parse(&base, base_href, page);
	return base;
}
