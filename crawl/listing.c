#include "crawl/listing.h"

#include <string.h>

/* In the year 10889; dates have four digits for the year. */
static const uint64_t max_lastmod_ms = (uint64_t)1 << 48;

/* Precedes the bytes of each URL. */
struct sitemap_entry_head {
	uint64_t lastmod_ms;
	uint32_t size;
	uint32_t is_sitemap;
};

bool sitemap_entries_append(struct buffer *listing,
			    const struct sitemap_entry *entry)
{
	struct sitemap_entry_head head = {.lastmod_ms = entry->lastmod_ms,
					  .size = (uint32_t)entry->url.size,
					  .is_sitemap = entry->is_sitemap};

	if (entry->url.size > MAX_URL_BYTES ||
	    listing->size + sizeof(head) + entry->url.size >
		    MAX_SITEMAP_ENTRIES_BYTES)
		return false;
	buffer_append(listing, &head, sizeof(head));
	buffer_append_slice(listing, entry->url);
	return true;
}

/* Read the first entry of `listing`; return false if it is incomplete. */
static bool sitemap_entry_read_head(struct slice listing,
				    struct sitemap_entry_head *head_out)
{
	if (listing.size < sizeof(*head_out))
		return false;
	memcpy(head_out, listing.data, sizeof(*head_out));
	return head_out->size <= listing.size - sizeof(*head_out);
}

bool sitemap_entries_next(struct slice *listing,
			  struct sitemap_entry *entry_out)
{
	const char *bytes = listing->data;
	struct sitemap_entry_head head;

	if (!sitemap_entry_read_head(*listing, &head))
		return false;
	*entry_out = (struct sitemap_entry){
		.url = {bytes + sizeof(head), head.size},
		.lastmod_ms = head.lastmod_ms,
		.is_sitemap = head.is_sitemap != 0,
	};
	listing->data = bytes + sizeof(head) + head.size;
	listing->size -= sizeof(head) + head.size;
	return true;
}

bool sitemap_entries_are_valid(struct slice listing)
{
	struct sitemap_entry entry;
	size_t count = 0;

	if (listing.size > MAX_SITEMAP_ENTRIES_BYTES)
		return false;
	while (sitemap_entries_next(&listing, &entry))
		if (++count > MAX_SITEMAP_ENTRIES || entry.url.size == 0 ||
		    entry.url.size > MAX_URL_BYTES ||
		    entry.lastmod_ms > max_lastmod_ms)
			return false;
	return listing.size == 0;
}
