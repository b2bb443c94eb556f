/*
 * daemon/answer/bundling.h - a site of the store as a bundle
 * (template/bundle.h).
 */
#ifndef DAEMON_ANSWER_BUNDLING_H
#define DAEMON_ANSWER_BUNDLING_H

#include <stddef.h>
#include <stdint.h>

#include "store/buffer.h"
#include "store/error.h"
#include "store/store.h"
#include "template/text_answer.h"

struct bundling {
	const char *host;
	const struct answer_rules *rules; /* whose answers it gives */
	const char *program;              /* that makes it */
	uint64_t now_ms;
	size_t max_bytes; /* of the bundle */
};

/*
 * Append the bundle of a site to `out`, as one read transaction sees it. In
 * memory it takes at most some four times `max_bytes`. ERR_NOT_FOUND,
 * ERR_TOO_LARGE, ERR_MALFORMED (the site's own model is none), with a reason
 * [256].
 */
enum error bundling_make(struct store *store, const struct bundling *bundling,
			 struct buffer *out, char *reason);

#endif
