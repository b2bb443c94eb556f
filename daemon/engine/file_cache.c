#include "daemon/engine/file_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/memory.h"
#include "crawl/http_message.h"

enum {
	MAX_FILES = 512,
	MAX_AGE_S = 24 * 60 * 60,
	MAX_GUESS_S = 60 * 60,
	MAX_DATE = 64, /* bytes of a date */
	MS_PER_S = 1000,
};

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

/* Return the Unix time of a date (RFC 9110, 5.6.7), or 0. */
static uint64_t http_date_s(struct slice text)
{
	char copy[MAX_DATE];
	struct tm time = {0};
	const char *end;
	time_t seconds;

	if (text.size == 0 || text.size >= sizeof(copy))
		return 0;
	snprintf(copy, sizeof(copy), "%.*s", (int)text.size,
		 (const char *)text.data);
	end = strptime(copy, "%a, %d %b %Y %H:%M:%S GMT", &time);
	seconds = end == NULL || *end != '\0' ? 0 : timegm(&time);
	return seconds < 0 ? 0 : (uint64_t)seconds;
}

/*
 * Return the seconds for which a response without Cache-Control is fresh: a
 * tenth of the time since it was modified, at most MAX_GUESS_S. `modified` is
 * empty if that is unknown.
 */
static uint64_t guess_age_s(struct slice modified, uint64_t now_ms)
{
	const uint64_t now_s = now_ms / MS_PER_S;
	const uint64_t then_s = http_date_s(modified);
	uint64_t age_s;

	if (then_s == 0 || then_s >= now_s)
		return 0;
	age_s = (now_s - then_s) / 10;
	return age_s < MAX_GUESS_S ? age_s : MAX_GUESS_S;
}

uint64_t file_cache_fresh_until(struct slice head, uint64_t now_ms)
{
	struct slice modified = {0};
	uint64_t age_s = 0;
	bool is_confirmed = false;
	bool has_rule = false;

	while (head.size > 0) {
		const struct slice line = line_take(&head);
		const struct slice date = header_value(line, "Last-Modified");
		struct slice list = header_value(line, "Cache-Control");

		if (date.data != NULL)
			modified = date;
		has_rule |= list.data != NULL ||
			    header_value(line, "Expires").data != NULL;

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
	if (is_confirmed)
		return now_ms;
	if (!has_rule)
		age_s = guess_age_s(modified, now_ms);
	return now_ms + age_s * MS_PER_S;
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
