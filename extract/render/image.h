/*
 * extract/render/image.h - selects the images that belong to the kept text of a
 * page.
 */
#ifndef EXTRACT_RENDER_IMAGE_H
#define EXTRACT_RENDER_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct layout_image;
struct render_request;

/* Initialise with {0}; free with image_filter_end(). */
struct image_filter {
	struct buffer source; /* address of the last image returned */
	struct buffer label;
	struct buffer candidate;
	uint32_t place; /* number of texts before that image */
};

void image_filter_end(struct image_filter *filter);

/*
 * Return true if the element `node` belongs to the kept text: it is visible, is
 * not a tracking pixel, and the texts before and after it are kept, or the
 * texts before and after its figure, or one of the first texts of its figure.
 */
bool image_belongs(const struct render_request *request, uint32_t node);

/*
 * Return true if the img `node` is kept: it belongs to the kept text and is not
 * a copy for readers without scripts. Return its address and alt, which are
 * valid until the next call. The address is from the first of data-src, src,
 * srcset and data-srcset that has one (src of a lazily loaded image is a
 * placeholder). O(1), except for the attributes.
 */
bool image_filter_next(struct image_filter *filter,
		       const struct render_request *request, uint32_t node,
		       struct layout_image *image_out);

#endif
