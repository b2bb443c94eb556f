/*
 * daemon/privsep/unpacking.h - unpack web archives (crawl/warc.h) in a
 * worker, so that the process that owns the store does not parse untrusted
 * data.
 */
#ifndef DAEMON_PRIVSEP_UNPACKING_H
#define DAEMON_PRIVSEP_UNPACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "crawl/warc.h"

struct worker_pool;

struct unpacking {
	warc_source *source;
	void *source_context;
	size_t max_body_bytes; /* longer bodies are truncated; bodies that are
				  not HTML are omitted */
	/*
	 * Use a record, valid until this returns; any result except ERR_NONE
	 * stops the unpacking.
	 */
	enum error (*take)(void *context, const struct warc_record *record);
	void *context;
};

struct unpacking_end {
	enum error error; /* ERR_NONE: the archive was read completely; an error
			     of the source, of take(), or of warc_next();
			     ERR_QUARANTINED: the worker died of the archive */
	char reason[160]; /* English, or "" */
	uint64_t bytes;   /* bytes of the source that were read */
};

/*
 * Unpack the archive in a worker of the pool; block until a worker is free. If
 * `pool` is NULL, use this thread. Reads no faster than take() accepts records,
 * so memory is bounded on both sides for every archive. Any thread without an
 * open transaction.
 */
void worker_pool_unpack(struct worker_pool *pool,
			const struct unpacking *unpacking,
			struct unpacking_end *end_out);

#endif
