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
	/* extraction rules, which the bundle contains */
	const struct extraction_options *rules;
	/* name of this program, which the bundle contains */
	const char *program;
	uint64_t now_ms;
	size_t max_bytes; /* maximum size of the bundle */
};

/*
 * Append the bundle of a site to `out`. All data is read in one transaction.
 * Uses at most about four times `max_bytes` of memory. After an error `reason`
 * [256] has its text. ERR_NOT_FOUND; ERR_TOO_LARGE; ERR_MALFORMED: the site's
 * own model is invalid.
 */
enum error bundle_export(struct store *store,
			 const struct bundle_export_options *bundling,
			 struct buffer *out, char *reason);

#endif
