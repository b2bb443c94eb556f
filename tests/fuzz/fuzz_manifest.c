/* tests/fuzz/fuzz_manifest.c - any bytes as the manifest of a depot; what is
 * one is written as it was read. */
#include <stdint.h>
#include <stdlib.h>

#include "daemon/nodes/snapshot_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct slice text = {bytes, size};
	struct snapshot_store_manifest manifest;
	struct snapshot_store_manifest again;
	struct buffer written = {0};

	if (snapshot_store_manifest_parse(text, &manifest) != ERR_NONE)
		return 0;
	snapshot_store_manifest_write(&manifest, &written);
	if (snapshot_store_manifest_parse(buffer_slice(&written), &again) !=
		    ERR_NONE ||
	    again.count != manifest.count)
		abort();
	for (size_t i = 0; i < again.count; i++)
		if (snapshot_store_manifest_find(&manifest, again.rows[i]) ==
		    NULL)
			abort();
	buffer_free(&written);
	return 0;
}
