/*
 * crawl/render/screenshot.h - the picture of a rendered page. It comes from the
 * browser, which is hostile: its frame is checked, and it is never decoded
 * here.
 */
#ifndef CRAWL_RENDER_SCREENSHOT_H
#define CRAWL_RENDER_SCREENSHOT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/limit.h"

enum {
	SCREENSHOT_WIDTH = 1280, /* of the page, in pixels */
	SCREENSHOT_HEIGHT = 1600,
	MAX_SCREENSHOT_BYTES = LIMIT(512 * 1024, 128),
};

#define SCREENSHOT_TYPE "image/webp"

/* What became of a screenshot. X(constant, phrase). */
#define SCREENSHOT_END_LIST(X)                                        \
	X(SCREENSHOT_OK, "there is a screenshot, or none was wanted") \
	X(SCREENSHOT_FAILED, "the browser could not take it")         \
	X(SCREENSHOT_LATE, "the browser did not take it in time")     \
	X(SCREENSHOT_TOO_LARGE, "it is larger than allowed")          \
	X(SCREENSHOT_MALFORMED, "it is no WebP picture of this size")

enum screenshot_end {
#define X(name, text) name,
	SCREENSHOT_END_LIST(X)
#undef X
		SCREENSHOT_END_COUNT
};

/* Return a phrase for messages; static memory. */
const char *screenshot_end_text(enum screenshot_end end);

/*
 * Return the parameters of Page.captureScreenshot for the top of the page, in a
 * picture of this width.
 */
json_t *screenshot_parameters(uint32_t width);

/* Read the picture from the result of the command, and check it. */
enum screenshot_end screenshot_read(const json_t *result, struct buffer *out);

/*
 * Return whether the picture is one WebP file without animation, at most as
 * large as a screenshot may be.
 */
bool screenshot_is_valid(struct slice picture);

#endif
