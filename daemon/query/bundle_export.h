/*
 * daemon/query/bundle_export.h - export a site of the store as a bundle
 * (template/bundle.h).
 */
#ifndef DAEMON_QUERY_BUNDLE_EXPORT_H
#define DAEMON_QUERY_BUNDLE_EXPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "store/store.h"
#include "template/result.h"

struct bundle_export_options {
	const char *host;
	const struct extraction_options
		*rules;      /* extraction rules of the bundle */
	const char *program; /* name of this program */
	uint64_t now_ms;
	size_t max_bytes; /* maximum size of the bundle */
};

/*
 * Append the bundle of a site to `out`, from one read transaction. Uses at most
 * about four times `max_bytes` of memory. ERR_NOT_FOUND, ERR_TOO_LARGE,
 * ERR_MALFORMED (the site's own model is invalid), with a reason [256].
 */
enum error bundle_export(struct store *store,
			 const struct bundle_export_options *bundling,
			 struct buffer *out, char *reason);

#endif
