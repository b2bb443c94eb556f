/* Versions of templates: whatever is read is written, and read again. */
#include <stdlib.h>

#include "base/arena.h"
#include "template/version.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct buffer json = {0};
	struct version_diff diff;
	struct version *version;
	struct version *again;

	if (version_decode(arena, (struct slice){data, size}, &version) ==
	    ERR_NONE) {
		version_encode(version, &json);
		if (version_decode(arena, buffer_slice(&json), &again) !=
		    ERR_NONE)
			abort();
		version_compare(arena, version, again, &diff);
		if (diff.gone_path_count > 0 || diff.come_path_count > 0)
			abort();
	}
	buffer_free(&json);
	arena_destroy(arena);
	return 0;
}
