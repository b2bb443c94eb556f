/* extract/render/link_address.h - addresses of links and images. */
#ifndef EXTRACT_RENDER_LINK_ADDRESS_H
#define EXTRACT_RENDER_LINK_ADDRESS_H

#include <stdbool.h>

#include "base/limit.h"
#include "base/slice.h"

struct buffer;
struct render_request;

/*
 * Longer addresses are left out, because a hostile page may repeat a huge
 * address many times.
 */
enum { MAX_ADDRESS_BYTES = LIMIT(4096, 512) };

/*
 * Append `href`, resolved as the request demands: an http, https or relative
 * address, not escaped. Append nothing and return false for other addresses.
 */
bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href);

#endif
