#include "daemon/engine/listing.h"

#include <string.h>

/* In front of the bytes of each URL. */
struct head {
	uint64_t lastmod_ms;
	uint32_t size;
	uint32_t is_sitemap;
};

bool listing_append(struct buffer *listing, const struct sitemap_entry *entry)
{
	struct head head = {.lastmod_ms = entry->lastmod_ms,
			    .size = (uint32_t)entry->url.size,
			    .is_sitemap = entry->is_sitemap};

	if (entry->url.size > MAX_URL_BYTES ||
	    listing->size + sizeof(head) + entry->url.size > MAX_LISTING_BYTES)
		return false;
	buffer_append(listing, &head, sizeof(head));
	buffer_append_slice(listing, entry->url);
	return true;
}

bool listing_next(struct slice *listing, struct sitemap_entry *entry_out)
{
	const char *bytes = listing->data;
	struct head head;

	if (listing->size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	*entry_out = (struct sitemap_entry){
		.url = {bytes + sizeof(head), head.size},
		.lastmod_ms = head.lastmod_ms,
		.is_sitemap = head.is_sitemap != 0,
	};
	listing->data = bytes + sizeof(head) + head.size;
	listing->size -= sizeof(head) + head.size;
	return true;
}
