/* daemon/query/stored_version_read.h - versions of templates, read from the
 * store.
 */
#ifndef DAEMON_QUERY_STORED_VERSION_H
#define DAEMON_QUERY_STORED_VERSION_H

#include <stdint.h>

#include "base/error.h"
#include "store/rows_template.h"
#include "template/version.h"

struct arena;

struct version_name {
	uint32_t site;
	uint32_t cluster;
	uint32_t version;
};

/*
 * Read a version. row_out->packed belongs to the transaction, *version_out to
 * `arena`. ERR_NOT_FOUND; ERR_CORRUPT.
 */
enum error stored_version_read(struct txn *txn, struct version_name name,
			       struct arena *arena, struct version_row *row_out,
			       struct version **version_out);

#endif
