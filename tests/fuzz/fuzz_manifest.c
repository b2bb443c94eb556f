/* tests/fuzz/fuzz_manifest.c - any bytes as the manifest of a depot; what is
 * one is written as it was read. */
#include <stdint.h>
#include <stdlib.h>

#include "daemon/nodes/depot_manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct slice text = {bytes, size};
	struct depot_manifest manifest;
	struct depot_manifest again;
	struct buffer written = {0};

	if (depot_manifest_parse(text, &manifest) != ERR_NONE)
		return 0;
	depot_manifest_write(&manifest, &written);
	if (depot_manifest_parse(buffer_slice(&written), &again) != ERR_NONE ||
	    again.count != manifest.count)
		abort();
	for (size_t i = 0; i < again.count; i++)
		if (depot_manifest_find(&manifest, again.rows[i]) == NULL)
			abort();
	buffer_free(&written);
	return 0;
}
