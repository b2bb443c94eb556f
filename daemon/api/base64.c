#include "daemon/api/base64.h"

#include <nettle/base64.h>

bool base64_read(struct slice text, struct buffer *out)
{
	struct base64_decode_ctx state;
	size_t size = BASE64_DECODE_LENGTH(text.size);

	buffer_reserve(out, size + 1);
	base64_decode_init(&state);
	if (base64_decode_update(&state, &size,
				 (uint8_t *)out->data + out->size, text.size,
				 text.data) == 0)
		return false;
	out->size += size;
	out->data[out->size] = '\0';
	return base64_decode_final(&state) != 0;
}
