#include "extract/render/link_address.h"

#include "extract/core/markup.h"
#include "extract/render/render.h"

bool link_address_append(struct buffer *out,
			 const struct render_request *request,
			 struct slice href)
{
	struct buffer absolute = {0};
	bool is_found;

	if (href.size == 0 || href.size > MAX_ADDRESS_BYTES)
		return false;
	if (request->resolve == NULL)
		return markup_append_address(out, href);
	is_found =
		request->resolve(request->resolve_context, href, &absolute) &&
		markup_append_address(out, buffer_slice(&absolute));
	buffer_free(&absolute);
	return is_found;
}
