/*
 * crawl/warc/sha1.h - SHA-1 (RFC 3174), because archives of the web name their
 * content by it. It is no protection against anybody. Pure.
 */
#ifndef CRAWL_WARC_SHA1_H
#define CRAWL_WARC_SHA1_H

#include <stddef.h>
#include <stdint.h>

#include "store/slice.h"

enum { SHA1_BYTES = 20, SHA1_BLOCK_BYTES = 64, SHA1_TEXT_BYTES = 33 };

/* Begin with sha1_begin(). */
struct sha1 {
	uint32_t state[5];
	uint64_t size; /* bytes so far */
	unsigned char block[SHA1_BLOCK_BYTES];
};

struct sha1 sha1_begin(void);
void sha1_add(struct sha1 *sha1, struct slice data);

/* Write the digest to `out` [SHA1_BYTES]. Nothing may be added afterwards. */
void sha1_end(struct sha1 *sha1, unsigned char *out);

/* The same in base32 (RFC 4648, 6), with a NUL, to `out` [SHA1_TEXT_BYTES]. */
void sha1_text(struct sha1 *sha1, char *out);

#endif
