#include "daemon/engine/file_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "crawl/http_message.h"

enum { MAX_FILES = 512, MAX_AGE_S = 24 * 60 * 60, MS_PER_S = 1000 };

struct file_cache {
	size_t max_bytes;
	size_t bytes;
	/* [count], the one that was stored first is the first */
	struct cached_file files[MAX_FILES];
	size_t count;
};

struct file_cache *file_cache_create(size_t max_bytes)
{
	struct file_cache *cache = mem_alloc(1, sizeof(*cache));

	cache->max_bytes = max_bytes;
	return cache;
}

static void cached_file_free(struct cached_file *file)
{
	buffer_free(&file->key);
	buffer_free(&file->head);
	buffer_free(&file->body);
}

static void file_cache_remove(struct file_cache *cache, size_t at)
{
	struct cached_file *file = &cache->files[at];

	cache->bytes -= file->head.size + file->body.size;
	cached_file_free(file);
	cache->count--;
	memmove(file, file + 1, (cache->count - at) * sizeof(*file));
}

void file_cache_destroy(struct file_cache *cache)
{
	if (cache == NULL)
		return;
	for (size_t i = 0; i < cache->count; i++)
		cached_file_free(&cache->files[i]);
	free(cache);
}

static size_t file_cache_index(const struct file_cache *cache, struct slice key)
{
	size_t at = 0;

	while (at < cache->count &&
	       !slice_equal(buffer_slice(&cache->files[at].key), key))
		at++;
	return at;
}

struct cached_file *file_cache_find(struct file_cache *cache, struct slice key)
{
	size_t at = file_cache_index(cache, key);

	return at < cache->count ? &cache->files[at] : NULL;
}

/* Return the seconds of max-age, at most MAX_AGE_S; 0 for another part. */
static uint64_t max_age_s(struct slice part)
{
	static const char name[] = "max-age=";
	uint64_t value;

	if (part.size < sizeof(name) ||
	    strncasecmp(part.data, name, sizeof(name) - 1) != 0)
		return 0;
	slice_advance(&part, sizeof(name) - 1);
	value = header_number(part);
	if (value == UINT64_MAX)
		return 0;
	return value < MAX_AGE_S ? value : MAX_AGE_S;
}

/* Return whether the part of a Cache-Control is private, or private="...". */
static bool is_private(struct slice part)
{
	static const char name[] = "private";

	return part.size >= sizeof(name) - 1 &&
	       strncasecmp(part.data, name, sizeof(name) - 1) == 0;
}

/* Return whether a Vary names a header that the key does not contain. */
static bool varies(struct slice vary)
{
	while (vary.size > 0) {
		const struct slice name = header_list_take(&vary);

		if (name.size > 0 && !header_is_word(name, "Accept-Encoding"))
			return true;
	}
	return false;
}

uint64_t file_cache_fresh_until(struct slice head, uint64_t now_ms)
{
	uint64_t age_s = 0;
	bool is_confirmed = false;

	while (head.size > 0) {
		const struct slice line = line_take(&head);
		struct slice list = header_value(line, "Cache-Control");

		/* it may depend on what the key does not contain */
		if (header_value(line, "Set-Cookie").data != NULL ||
		    varies(header_value(line, "Vary")))
			return 0;
		while (list.size > 0) {
			const struct slice part = header_list_take(&list);
			const uint64_t part_s = max_age_s(part);

			if (header_is_word(part, "no-store") ||
			    is_private(part))
				return 0;
			is_confirmed |= header_is_word(part, "no-cache");
			age_s = part_s == 0 ? age_s : part_s;
		}
	}
	return is_confirmed ? now_ms : now_ms + age_s * MS_PER_S;
}

void file_cache_put(struct file_cache *cache, struct slice key,
		    const struct fetch_result *result, uint64_t now_ms)
{
	const uint64_t until_ms =
		file_cache_fresh_until(buffer_slice(&result->head), now_ms);
	const size_t bytes = result->head.size + result->body.size;
	const size_t known = file_cache_index(cache, key);
	struct cached_file *file;

	if (known < cache->count)
		file_cache_remove(cache, known);
	if (until_ms == 0 || bytes > cache->max_bytes / 4 ||
	    (until_ms == now_ms && result->etag[0] == '\0' &&
	     result->modified[0] == '\0'))
		return;
	while (cache->count == MAX_FILES ||
	       bytes > cache->max_bytes - cache->bytes)
		file_cache_remove(cache, 0);
	file = &cache->files[cache->count++];
	*file = (struct cached_file){.fresh_until_ms = until_ms};
	buffer_append_slice(&file->key, key);
	memcpy(file->etag, result->etag, sizeof(file->etag));
	memcpy(file->modified, result->modified, sizeof(file->modified));
	buffer_append_slice(&file->head, buffer_slice(&result->head));
	buffer_append_slice(&file->body, buffer_slice(&result->body));
	cache->bytes += bytes;
}
