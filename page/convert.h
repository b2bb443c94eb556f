/*
 * page/convert.h - converts bytes of an encoding to UTF-8 with iconv. Internal
 * to page/.
 */
#ifndef PAGE_CONVERT_H
#define PAGE_CONVERT_H

#include <stdbool.h>
#include <stddef.h>

#include <iconv.h>

#include "base/buffer.h"
#include "base/slice.h"
#include "page/label.h"

struct converter {
	iconv_t iconv; /* NULL: iconv does not support the encoding */
	bool is_wide;  /* units of two bytes: UTF-16 */
};

/* Open a converter; close it with convert_end(). */
struct converter convert_begin(const struct encoding *encoding);
void convert_end(struct converter *converter);

/*
 * Append `text` to `out` as UTF-8, with U+FFFD for each unit that does not
 * decode. `text` becomes the unread rest, an incomplete character at the end.
 * Return false after more than `max_errors` errors. Linear.
 */
bool convert(struct converter converter, size_t max_errors, struct slice *text,
	     struct buffer *out);

#endif
