/*
 * daemon/engine/file_cache.h - responses for scripts and styles that rendered
 * pages load, so that a site's files are not fetched for each of its pages. A
 * response is used while it is fresh, and later after the server has confirmed
 * it. Pure, apart from its memory; one thread at a time.
 */
#ifndef DAEMON_ENGINE_FILE_CACHE_H
#define DAEMON_ENGINE_FILE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "crawl/fetch.h"

struct file_cache;

/* A response with status 200. */
struct cached_file {
	struct buffer key;
	uint64_t fresh_until_ms; /* Unix time */
	char etag[MAX_ETAG];
	char modified[MAX_MODIFIED];
	struct buffer head;
	struct buffer body;
};

/*
 * `max_bytes` limits the sum of all heads and bodies; the number of files is
 * limited too.
 */
struct file_cache *file_cache_create(size_t max_bytes);
void file_cache_destroy(struct file_cache *cache); /* NULL is a no-op */

/*
 * Return the response with this key, or NULL. The key contains all
 * that a response depends on, and each byte is compared: with a hash, a hostile
 * site could make its files collide with those of others. The response is valid
 * until the next file_cache_put().
 */
struct cached_file *file_cache_find(struct file_cache *cache, struct slice key);

/*
 * Return until when a response that was received at `now_ms` is fresh: by
 * max-age of its Cache-Control, at most a day. Without Cache-Control and
 * Expires, for a tenth of the time since its Last-Modified, at most an hour
 * (RFC 9111, 4.2.2). Return `now_ms` if it must be confirmed each time, and 0
 * if it must not be stored: because of Set-Cookie, no-store, private, or a Vary
 * on anything but Accept-Encoding.
 */
uint64_t file_cache_fresh_until(struct slice head, uint64_t now_ms);

/*
 * Store a copy of a response with status 200, in place of one with the same
 * key, unless it must not be stored or could never be used again.
 */
void file_cache_put(struct file_cache *cache, struct slice key,
		    const struct fetch_result *result, uint64_t now_ms);

#endif
