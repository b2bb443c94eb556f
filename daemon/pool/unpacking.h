/*
 * daemon/pool/unpacking.h - archives of the web (crawl/warc/warc.h), unpacked
 * by a worker: what reads the bytes of strangers is not the process that owns
 * the store.
 */
#ifndef DAEMON_POOL_UNPACKING_H
#define DAEMON_POOL_UNPACKING_H

#include <stddef.h>
#include <stdint.h>

#include "crawl/warc/warc.h"
#include "store/error.h"

struct pool;

struct unpacking {
	warc_source *source;
	void *source_context;
	size_t max_body_bytes; /* bodies are cut there; those of records that
				  are no HTML are left out */
	/* Takes a record, valid until it returns; another result than ERR_NONE
	 * ends the unpacking. */
	enum error (*take)(void *context, const struct warc_record *record);
	void *context;
};

struct unpacking_end {
	enum error error; /* ERR_NONE: all of it was read; of the source, of
			     take(), or what warc_next() says; ERR_POISONED:
			     the archive has ended its worker */
	char reason[160]; /* English, or "" */
	uint64_t bytes;   /* of the source that were read */
};

/*
 * Have a worker of the pool read the archive, waiting for a free one; NULL: by
 * this thread. Reads no faster than take() takes: memory is bounded on both
 * sides, whatever the archive holds. Any thread without an open transaction.
 */
void pool_unpack(struct pool *pool, const struct unpacking *unpacking,
		 struct unpacking_end *end_out);

#endif
