/* Tokens cover any source without a gap. */
#include <stdlib.h>

#include "page/scanner.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scanner scanner = {.source = {data, size}};
	struct token token;
	uint32_t position = 0;

	while (scanner_next(&scanner, &token)) {
		if (token.source.begin != position ||
		    token.source.end <= position ||
		    token.name.end > token.source.end ||
		    token.name.begin > token.name.end)
			abort();
		position = token.source.end;
	}
	if (position != size)
		abort();
	return 0;
}
