/*
 * Any bytes are a sitemap, or not. Byte by byte gives the same entries and the
 * same verdict as in one piece; an address never exceeds its limit.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "crawl/sitemap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct buffer log;
	enum error error;
	enum sitemap_kind kind;
	size_t count;
	size_t refused;
};

static void on_entry(void *context, const struct sitemap_entry *entry)
{
	struct buffer *log = context;

	if (entry->url.size == 0 || entry->url.size > MAX_URL_BYTES)
		abort();
	buffer_append_slice(log, entry->url);
	buffer_append(log, &entry->lastmod_ms, sizeof(entry->lastmod_ms));
	buffer_append_byte(log, (char)entry->is_sitemap);
}

static struct reading read_pieces(struct slice bytes, size_t piece)
{
	struct reading reading = {0};
	struct sitemap *sitemap;
	struct url base;

	if (url_parse(&base, slice_of("https://e.org/a/b?c"), NULL) != ERR_NONE)
		abort();
	sitemap = sitemap_create(&base, on_entry, &reading.log);
	while (bytes.size > 0) {
		struct slice part = bytes;

		part.size = part.size < piece ? part.size : piece;
		sitemap_feed(sitemap, part);
		bytes.data = (const char *)bytes.data + part.size;
		bytes.size -= part.size;
	}
	reading.error = sitemap_finish(sitemap);
	reading.kind = sitemap_kind(sitemap);
	reading.count = sitemap_count(sitemap);
	reading.refused = sitemap_refused(sitemap);
	sitemap_destroy(sitemap);
	return reading;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = {data, size};
	struct reading whole = read_pieces(bytes, size + 1);
	struct reading other = read_pieces(bytes, 1);

	if (whole.error != other.error || whole.kind != other.kind ||
	    whole.count != other.count || whole.refused != other.refused ||
	    !slice_equal(buffer_slice(&whole.log), buffer_slice(&other.log)))
		abort();
	buffer_free(&whole.log);
	buffer_free(&other.log);
	return 0;
}
