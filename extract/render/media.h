/*
 * extract/render/media.h - the videos and sounds that belong to the kept text
 * of a page, which formats without players show as links.
 */
#ifndef EXTRACT_RENDER_MEDIA_H
#define EXTRACT_RENDER_MEDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"

struct layout_media;
struct render_request;

/* Begin with {0}; end with media_filter_end(). */
struct media_filter {
	struct buffer source; /* of the last one that was taken */
	struct buffer candidate;
};

void media_filter_end(struct media_filter *filter);

/*
 * Whether element `node` plays something, and what, which is valid until the
 * next call: video and audio with an address, embed of such a type, and iframe
 * and embed of the address of a player (YouTube, Vimeo, ...; others show
 * advertisements, forms, maps). Kept where an image would be
 * (extract/render/image.h), and not twice in a row. O(1), but for the
 * attributes.
 */
bool media_filter_take(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out);

#endif
