#include "crawl/url.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "crawl/host.h"
#include "crawl/percent.h"
#include "crawl/reference.h"

enum {
	/*
	 * decoding shrinks a text to a third at most, apart from dot segments
	 */
	MAX_REFERENCE = 3 * MAX_URL_BYTES,
	MAX_MERGED = MAX_URL_BYTES + MAX_REFERENCE,
	HTTP_PORT = 80,
	HTTPS_PORT = 443,
};

/* Set scheme, host and port of `url`. */
static enum error put_authority(const struct url_reference *reference,
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
	assert(!whole.is_cut && whole.size <= UINT16_MAX);
	url->path = (uint16_t)whole.size;
	return error;
}

/* Return the index of the first segment that begins with a dot, or `size`. */
static size_t first_dot(const char *path, size_t size)
{
	const char *end = path + size;
	const char *dot = path;

	while ((dot = memchr(dot + 1, '.', (size_t)(end - dot - 1))) != NULL)
		if (dot[-1] == '/')
			return (size_t)(dot - path) - 1;
	return size;
}

/* Return the index of the last segment, or 0. */
static size_t last_segment(const char *path, size_t size)
{
	const char *slash = memrchr(path, '/', size);

	assert(path != NULL);
	return slash == NULL ? 0 : (size_t)(slash - path);
}

/*
 * Return the part of the base's path that is kept for a reference that begins
 * with `first`.
 */
static struct slice url_base_path(const struct url *base, char first)
{
	const char *path = base->text + base->path;
	size_t size = strcspn(path, "?");

	assert(path[0] == '/');
	return (struct slice){
		path, first == '?' ? size : last_segment(path, size) + 1};
}

/* Write path and query with their dot segments (RFC 3986, 5.2.3). */
static void url_merge_path(const struct url_reference *reference,
			   const struct url *base, struct bounded *out)
{
	struct slice rest = reference->rest;
	char first = '\0';

	if (rest.size > 0)
		first = ((const char *)rest.data)[0];
	if (first != '/' && reference->is_relative)
		bounded_put_slice(out, url_base_path(base, first));
	else if (first != '/')
		bounded_put(out, '/');
	percent_normalize(rest, "", out);
}

/*
 * Remove the dot segments of `path`, which begins with '/', in place (RFC 3986,
 * 5.2.4); return the new size.
 */
static size_t remove_dots(char *path, size_t size)
{
	size_t at = first_dot(path, size);
	size_t left = at;

	assert(size > 0 && path[0] == '/');
	while (at < size) {
		const char *slash = memchr(path + at + 1, '/', size - at - 1);
		size_t next = slash == NULL ? size : (size_t)(slash - path);
		struct slice segment = {path + at, next - at};
		bool is_up = slice_equal(segment, slice_of("/.."));

		if (!is_up && !slice_equal(segment, slice_of("/."))) {
			memmove(path + left, segment.data, segment.size);
			left += segment.size;
		} else {
			if (is_up)
				left = last_segment(path, left);
			if (next == size)
				path[left++] = '/';
		}
		at = next;
	}
	assert(left <= size);
	return left;
}

/* Set the rest of `url`, whose authority is set. */
static enum error url_resolve_rest(const struct url_reference *reference,
				   const struct url *base, struct url *url)
{
	char merged[MAX_MERGED];
	struct bounded room = {.data = merged, .capacity = sizeof(merged)};
	struct bounded out = {.data = url->text, .capacity = MAX_URL_BYTES};
	struct slice path = {merged, 0};
	struct slice query;
	const char *mark;

	url_merge_path(reference, base, &room);
	if (room.is_cut)
		return ERR_TOO_LARGE;
	mark = memchr(merged, '?', room.size);
	path.size = mark == NULL ? room.size : (size_t)(mark - merged);
	query = (struct slice){merged + path.size, room.size - path.size};
	path.size = remove_dots(merged, path.size);
	bounded_put_slice(&out, (struct slice){url->authority, url->path});
	bounded_put_slice(&out, path);
	if (query.size > 1)
		bounded_put_slice(&out, query);
	assert(out.size <= MAX_URL_BYTES);
	url->text[out.size] = '\0';
	return out.is_cut ? ERR_TOO_LARGE : ERR_NONE;
}

/* Copy only the texts, which end long before the arrays. */
static void url_copy(const struct url *url, struct url *out)
{
	memcpy(out->text, url->text, strlen(url->text) + 1);
	memcpy(out->authority, url->authority, url->path + 1U);
	memcpy(out->host, url->host, strlen(url->host) + 1);
	out->path = url->path;
	out->is_https = url->is_https;
}

enum error url_parse(struct url *url_out, struct slice reference,
		     const struct url *base)
{
	char text[MAX_REFERENCE];
	struct bounded mended = {.data = text, .capacity = sizeof(text)};
	struct url_reference parts;
	struct url url;
	enum error error;

	assert(base == NULL || base->text[base->path] == '/');
	error = reference_split(reference_repair(reference, &mended), base,
				&parts);
	if (error == ERR_NONE && mended.is_cut)
		error = ERR_TOO_LARGE;
	if (error != ERR_NONE)
		return error;
	if (parts.is_relative && parts.rest.size == 0) {
		*url_out = *base; /* an empty reference is the page itself, with
				     its query */
		return ERR_NONE;
	}
	error = put_authority(&parts, base, &url);
	if (error == ERR_NONE)
		error = url_resolve_rest(&parts, base, &url);
	if (error == ERR_NONE)
		url_copy(&url, url_out);
	return error;
}

struct slice url_origin(struct slice canonical)
{
	const char *text = canonical.data;
	size_t slashes = 0;
	size_t size = 0;

	while (size < canonical.size && slashes < 3)
		slashes += text[size++] == '/';
	return (struct slice){text, slashes == 3 ? size - 1 : size};
}

struct url url_base(const struct url *page, struct slice base_href)
{
	struct url base = *page;

	if (base_href.size > 0)
		url_parse(&base, base_href, page);
	return base;
}
