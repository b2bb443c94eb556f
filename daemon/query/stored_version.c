#include "daemon/query/stored_version.h"

#include "base/compress.h"

enum { MAX_VERSION_BYTES = 64 << 20 };

enum error stored_version_read(struct txn *txn, struct version_name name,
			       struct arena *arena, struct version_row *row_out,
			       struct version **version_out)
{
	struct buffer json = {0};
	enum error error;

	if (!version_row_get(txn, name.site, name.cluster, name.version,
			     row_out))
		return txn->error != ERR_NONE ? txn->error : ERR_NOT_FOUND;
	error = decompress_slice(row_out->packed, MAX_VERSION_BYTES, &json);
	if (error == ERR_NONE)
		error = version_decode(arena, buffer_slice(&json), version_out);
	buffer_free(&json);
	return error == ERR_NONE ? ERR_NONE : ERR_CORRUPT;
}
