/* tests/fuzz/fuzz_manifest.c - any bytes as the manifest of a snapshot store; a
 * valid one is written back unchanged. */
#include <stdint.h>
#include <stdlib.h>

#include "daemon/nodes/snapshot_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct slice text = {bytes, size};
	struct manifest manifest;
	struct manifest again;
	struct buffer written = {0};

	if (manifest_parse(text, &manifest) != ERR_NONE)
		return 0;
	manifest_write(&manifest, &written);
	if (manifest_parse(buffer_slice(&written), &again) != ERR_NONE ||
	    again.count != manifest.count)
		abort();
	for (size_t i = 0; i < again.count; i++)
		if (manifest_find(&manifest, again.rows[i]) == NULL)
			abort();
	buffer_free(&written);
	return 0;
}
