/*
 * extract/render/media.h - selects the videos and sounds that belong to the
 * kept text of a page; formats without players show them as links.
 */
#ifndef EXTRACT_RENDER_MEDIA_H
#define EXTRACT_RENDER_MEDIA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct layout_media;
struct render_request;

/* Initialise with {0}; free with media_filter_end(). */
struct media_filter {
	struct buffer source; /* address of the last one returned */
	struct buffer candidate;
};

void media_filter_end(struct media_filter *filter);

/*
 * Return true if element `node` plays something and is kept; the result is
 * valid until the next call. These elements play: video and audio with an
 * address, embed of such a type, and iframe and embed with the address of a
 * player (YouTube, Vimeo, ...; other addresses are advertisements, forms,
 * maps). They are kept where an image would be kept (extract/render/image.h),
 * and not twice in succession. O(1), except for the attributes.
 */
bool media_filter_next(struct media_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_media *media_out);

#endif
