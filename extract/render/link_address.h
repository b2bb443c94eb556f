/* extract/render/link_address.h - addresses of links and images. */
#ifndef EXTRACT_RENDER_LINK_ADDRESS_H
#define EXTRACT_RENDER_LINK_ADDRESS_H

#include <stdbool.h>

#include "store/limit.h"
#include "store/slice.h"

struct buffer;
struct render_request;

/*
 * Longer ones are left out, because a hostile page may repeat a huge one many
 * times.
 */
enum { MAX_ADDRESS_BYTES = LIMIT(4096, 512) };

/*
 * Append `href`, resolved as the request says: an http, https or relative
 * address, not escaped. False, nothing appended, when it is none.
 */
bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href);

#endif
