/* Any bytes become UTF-8 without NUL; the first byte chooses the header. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "page/charset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const labels[] = {
		NULL,     "utf-8",  "shift_jis",   "gb18030",  "big5",
		"euc-kr", "euc-jp", "iso-2022-jp", "utf-16be",
	};
	struct arena *arena;
	struct decoded decoded;

	if (size == 0)
		return 0;
	arena = arena_create();
	decoded = charset_decode(
		arena, (struct slice){data + 1, size - 1},
		slice_of(labels[data[0] % (sizeof(labels) / sizeof(*labels))]));
	if (utf8_check(decoded.text).invalid > 0 ||
	    memchr(decoded.text.data, '\0', decoded.text.size) != NULL ||
	    decoded.charset.size == 0)
		abort();
	arena_destroy(arena);
	return 0;
}
