/*
 * extract/render/image.h - the images that belong to the kept text of a page.
 */
#ifndef EXTRACT_RENDER_IMAGE_H
#define EXTRACT_RENDER_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/buffer.h"

struct layout_image;
struct render_request;

/* Begin with {0}; end with image_filter_end(). */
struct image_filter {
	struct buffer source; /* of the last image that was taken */
	struct buffer label;
	struct buffer candidate;
	uint32_t place; /* texts before that image */
};

void image_filter_end(struct image_filter *filter);

/*
 * Whether the element `node` belongs to what is kept: when the texts before and
 * behind it are kept, or those before and behind its figure, or one of the
 * first texts of its figure, and when it is visible, and no tracking pixel.
 */
bool image_belongs(const struct render_request *request, uint32_t node);

/*
 * Whether the img `node` is kept, and its address and alt, which are valid
 * until the next call: when it belongs and is no copy for readers without
 * scripts. The
 * address is that of the first of data-src, src, srcset and data-srcset that
 * has one (src of a lazily loaded image is a placeholder). O(1), but for the
 * attributes.
 */
bool image_filter_take(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out);

#endif
