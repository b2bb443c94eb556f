#include "crawl/render/screenshot.h"

#include <assert.h>
#include <nettle/base64.h>
#include <string.h>

enum {
	QUALITY = 60,
	HEAD_BYTES = 30, /* of a file, until its size in pixels ends */
	FRAME_BYTES = 8, /* "RIFF" and the size */
	ANIMATED = 2,    /* a flag of VP8X */
};

const char *screenshot_end_text(enum screenshot_end end)
{
	static const char *const texts[] = {
#define X(name, text) [name] = (text),
		SCREENSHOT_END_LIST(X)
#undef X
	};

	assert(end < SCREENSHOT_END_COUNT);
	return texts[end];
}

json_t *screenshot_parameters(uint32_t width)
{
	return json_pack("{s:s, s:i, s:b, s:{s:i, s:i, s:i, s:i, s:f}}",
			 "format", "webp", "quality", (int)QUALITY,
			 "captureBeyondViewport", 1, "clip", "x", 0, "y", 0,
			 "width", (int)SCREENSHOT_WIDTH, "height",
			 (int)SCREENSHOT_HEIGHT, "scale",
			 (double)width / SCREENSHOT_WIDTH);
}

/* Return a number of `bytes` bytes, the lowest one first. */
static uint32_t read_number(struct slice picture, size_t at, size_t bytes)
{
	const unsigned char *data = picture.data;
	uint32_t number = 0;

	for (size_t i = 0; i < bytes; i++)
		number |= (uint32_t)data[at + i] << (8 * i);
	return number;
}

/*
 * Return whether the picture is one WebP file without animation, at most as
 * large as a screenshot may be. Source: RFC 9649, sections 2.5 to 2.7.
 */
bool screenshot_is_valid(struct slice picture)
{
	enum { SIDE = 0x3fff };
	const char *data = picture.data;
	uint32_t width;
	uint32_t height;

	if (picture.size < HEAD_BYTES || picture.size > MAX_SCREENSHOT_BYTES ||
	    memcmp(data, "RIFF", 4) != 0 || memcmp(data + 8, "WEBP", 4) != 0 ||
	    read_number(picture, 4, 4) != picture.size - FRAME_BYTES)
		return false;
	if (memcmp(data + 12, "VP8 ", 4) == 0) {
		width = read_number(picture, 26, 2) & SIDE;
		height = read_number(picture, 28, 2) & SIDE;
	} else if (memcmp(data + 12, "VP8X", 4) == 0) {
		if ((read_number(picture, 20, 1) & ANIMATED) != 0)
			return false;
		width = read_number(picture, 24, 3) + 1;
		height = read_number(picture, 27, 3) + 1;
	} else {
		return false;
	}
	return width <= SCREENSHOT_WIDTH && height <= SCREENSHOT_HEIGHT;
}

enum screenshot_end screenshot_read(const json_t *result, struct buffer *out)
{
	const json_t *data = json_object_get(result, "data");
	const size_t length = json_string_length(data);
	struct base64_decode_ctx decoder;
	size_t size;

	if (length == 0)
		return SCREENSHOT_FAILED;
	if (length > BASE64_ENCODE_RAW_LENGTH(MAX_SCREENSHOT_BYTES))
		return SCREENSHOT_TOO_LARGE;
	size = BASE64_DECODE_LENGTH(length);
	buffer_reserve(out, size);
	base64_decode_init(&decoder);
	if (!base64_decode_update(&decoder, &size, (uint8_t *)out->data, length,
				  json_string_value(data)) ||
	    !base64_decode_final(&decoder))
		return SCREENSHOT_MALFORMED;
	out->size = size;
	if (screenshot_is_valid(buffer_slice(out)))
		return SCREENSHOT_OK;
	buffer_clear(out);
	return SCREENSHOT_MALFORMED;
}
