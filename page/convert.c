#include "page/convert.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

struct converter convert_begin(const struct encoding *encoding)
{
	struct converter converter = {
		.iconv = iconv_open("UTF-8", encoding->iconv),
		.is_wide = strncmp(encoding->name, "UTF-16", 6) == 0,
	};

	/*
	 * iconv_open() returns -1 on failure.
	 * NOLINTNEXTLINE(performance-no-int-to-ptr)
	 */
	if (converter.iconv != (iconv_t)-1)
		return converter;
	if (errno == ENOMEM)
		mem_exhausted("iconv");
	converter.iconv = NULL;
	return converter;
}

void convert_end(struct converter *converter)
{
	if (converter->iconv != NULL)
		iconv_close(converter->iconv);
	converter->iconv = NULL;
}

bool convert(struct converter converter, size_t max_errors, struct slice *text,
	     struct buffer *out)
{
	/* iconv does not write to its input. */
	/* NOLINTNEXTLINE(performance-no-int-to-ptr) */
	char *in = (char *)(uintptr_t)text->data;
	const size_t unit = converter.is_wide ? 2 : 1;
	size_t left = text->size;
	size_t errors = 0;

	while (left > 0 && errors <= max_errors) {
		size_t room = left + left / 2 + 16;
		char *to = buffer_reserve(out, room);
		size_t result = iconv(converter.iconv, &in, &left, &to, &room);
		size_t skipped = left < unit ? left : unit;

		out->size = (size_t)(to - out->data);
		if (result != (size_t)-1 || errno == EINVAL)
			break;
		if (errno == E2BIG)
			continue;
		buffer_append(out, "\xEF\xBF\xBD", 3);
		in += skipped;
		left -= skipped;
		errors += left > 0;
	}
	*text = (struct slice){in, left};
	return errors <= max_errors;
}
